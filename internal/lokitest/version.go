package lokitest

// Version is a version of Loki, as Loki(3, 7). Versions can be compared with ==.
type Version struct {
	major, minor int
}

// Loki returns a version.
func Loki(major, minor int) Version {
	return Version{major, minor}
}

// since3 reports whether v is 3.minor or later.
func (v Version) since3(minor int) bool {
	return v.major > 3 || v.major == 3 && v.minor >= minor
}

// What differs between versions in the answers to a push.

// emptyFails: a request without streams is a 422.
func (v Version) emptyFails() bool { return v.since3(4) }

// poisons: a name of metadata that nothing is left of fails the request. Before, it was kept.
func (v Version) poisons() bool { return v.since3(6) }

// metadataCounts: entries that differ by nothing but their metadata are two.
func (v Version) metadataCounts() bool { return v.since3(7) }

// tooLargeIs413: before, a body that is too large was a 400. In which version of the 3 line that
// changed is not known; it is assumed to be the first.
func (v Version) tooLargeIs413() bool { return v.since3(0) }

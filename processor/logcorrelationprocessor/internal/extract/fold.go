package extract

// longestName is the longest name of a field that can mean something here,
// folded.
const longestName = 64

// fold writes a name into dst in lower case, its words parted by "_", and
// returns its length, 0 if it is too long or empty: queueTime, queue-time and
// Queue.Time are queue_time. A new word begins after anything that is no
// letter or digit, at a capital after a small letter, and at the last capital
// of several (TTFTMs is ttft_ms).
func fold(dst *[longestName]byte, name string) int {
	n := 0
	gap := false
	for i := range len(name) {
		c := name[i]
		capital := 'A' <= c && c <= 'Z'
		if capital {
			c |= 0x20
			if i > 0 {
				before := name[i-1]
				afterSmall := 'a' <= before && before <= 'z'
				lastCapital := ('A' <= before && before <= 'Z' || digit(before)) &&
					i+1 < len(name) && 'a' <= name[i+1] && name[i+1] <= 'z'
				gap = gap || afterSmall || lastCapital
			}
		} else if !digit(c) && (c < 'a' || c > 'z') && c < 0x80 {
			gap = true
			continue
		}
		if gap && n > 0 {
			if n == len(dst) {
				return 0
			}
			dst[n] = '_'
			n++
		}
		gap = false
		if n == len(dst) {
			return 0
		}
		dst[n] = c
		n++
	}
	return n
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

func letter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func wordByte(c byte) bool { return letter(c) || digit(c) || c == '_' || c == '.' || c == '-' }

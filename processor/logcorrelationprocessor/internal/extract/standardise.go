package extract

import "go.opentelemetry.io/collector/pdata/plog"

// Standardise writes the standard fields that were found under their standard
// keys. A valid value that is there stays. With removeOriginals it removes the
// attributes of other names whose values it wrote; a body is never changed.
func Standardise(rec plog.LogRecord, f *Found, removeOriginals bool) {
	if !f.Fields.Any() {
		return
	}
	attrs := rec.Attributes()
	for field := range NumFields {
		if !f.Fields.Known(field) {
			continue
		}
		wrote := f.Fields.Put(attrs, field)
		if key := f.wanted.keys[field]; wrote && removeOriginals && key != "" && key != fieldNames[field] {
			attrs.Remove(key)
		}
	}
}

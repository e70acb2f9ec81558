// Package entry makes streams of Loki from log records: it chooses labels, structured
// metadata, line, timestamp and tenant of each record, so that Loki has nothing to refuse.
//
// # Labels
//
// Only what Config lists becomes a label. Every combination of values is a stream, and
// streams are what Loki pays for, so the distinct values of a label and the streams of a
// tenant are bounded; beyond the bound a value is "other", and the real one is kept in the
// metadata as <label>_original.
//
// # Structured metadata
//
// Everything else goes there under a name that Loki takes unchanged. Where names meet, the
// label comes first, then the record's own fields, record attributes, the scope and the
// resource. The loser is left out if it has the same value; else it is renamed by its place:
// name_attribute, name_scope or name_resource, and name_resource_2 and so on.
//
// # Frozen
//
// What Convert returns is final. Loki compares timestamp, line and (from 3.7) metadata to
// recognise what it already has, so a retry must send the same bytes.
package entry

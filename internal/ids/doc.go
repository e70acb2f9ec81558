// Package ids reads the ids that log records and spans carry in text: trace
// ids, span ids and request ids, in the spellings that tracers, clouds and
// inference engines use.
//
// Three questions are kept apart. FieldOf says what a field of a given name
// carries and how it spells it. ParseTrace, ParseSpan and ParseFlags read a
// value of a known spelling. Rules.Parse turns a request id into the forms
// under which it can meet the same id written elsewhere.
//
// What a value looks like never decides what it is: sixteen digits are
// hexadecimal in trace_id and decimal in dd.trace_id, and a UUID is a trace id
// in a field that is named as one and a request id everywhere else.
//
// Reading an id does not allocate, but for Base64. All functions are safe for concurrent use; a Forms belongs
// to one goroutine at a time.
package ids

// Package extract reads what a log record says about its request: trace and
// span id, request ids, and the numbers of the request, from the record's own
// fields, its attributes and its body.
//
// Three sources are read, and the first that says something wins: the record's
// own trace and span id, the attributes, the body. So nothing that is written
// in a body, where users' prompts are, can replace an id that the record
// bears. In a body only places that a program writes are looked at: the top
// level of JSON and a few nested objects that loggers use, never the text of a
// message; of text formats the place where the format has its id.
//
// An id that is none never fails a record: it is counted, and stays where it
// is. A number that is none is dropped and counted. Units come from the name
// of a field, from its value, or from the program that wrote it, never from
// the size of a number.
//
// The formats, names and units are those of the programs named beside them in
// their files; parsers.md in the processor's folder lists them for users.
//
// An Extractor is safe for concurrent use; a Found belongs to one goroutine.
// Text of a Found is a part of the record's text, not a copy.
package extract

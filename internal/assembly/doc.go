// Package assembly puts the facts of single spans together: spans into calls,
// calls into requests.
//
// [Build] does it for the spans of one trace at hand. [Assembler] does it over
// time: spans arrive in any order, over many exports, more than once or too
// late; each request is handed on once, when nothing more is to be expected.
package assembly

// Package requestlog turns closed requests into log records, one each, and hands them on in
// batches. What the logs pipeline does not take waits, in bounds.
package requestlog

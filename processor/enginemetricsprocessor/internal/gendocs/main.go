// Gendocs writes the page of servers' metrics, docs/engine-metrics.md, from the table of engines.
//
// Usage: gendocs FILE
package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: gendocs FILE")
		os.Exit(2)
	}
	if err := os.WriteFile(os.Args[1], page(), 0o644); err != nil { //nolint:gosec // a page for everybody
		fmt.Fprintln(os.Stderr, "gendocs:", err)
		os.Exit(1)
	}
}

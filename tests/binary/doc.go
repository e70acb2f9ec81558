// Package binary tests the built collector from outside, with nothing but the
// two programs that `make build` makes.
package binary

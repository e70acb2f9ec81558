// Package load measures agents and gateways as they are shipped beside the same binary without our
// components.
package load

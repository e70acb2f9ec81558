// Package dialect knows how engines and SDKs write spans. A dialect turns one
// span into [Facts]: plain values that outlive the span.
//
// Each dialect is one file and one line in [table]. All of them read attributes
// through one table of key aliases with their units (keys.go), so a key's
// spelling and unit are decided in one place. What several spans mean together
// is decided by package assembly, not here.
package dialect

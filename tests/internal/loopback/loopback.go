// Package loopback hands out ports of this machine to programs that tests start.
package loopback

import (
	"fmt"
	"net"
	"os"
	"sync"
	"testing"
)

// The ports lie below those that the kernel gives to outgoing connections, so
// that no connection takes one between here and the program's start.
const (
	first = 20000
	count = 10000
)

var (
	mu sync.Mutex
	// Test binaries that run at the same time begin at different places.
	next = os.Getpid() * 61 % count
)

// Addr returns host and port of 127.0.0.1 that nothing listens on and that no
// other test of this process gets.
func Addr(t testing.TB) string {
	t.Helper()
	mu.Lock()
	defer mu.Unlock()
	for range count {
		addr := fmt.Sprintf("127.0.0.1:%d", first+next)
		next = (next + 1) % count
		if l, err := net.Listen("tcp", addr); err == nil {
			_ = l.Close()
			return addr
		}
	}
	t.Fatal("no port is free")
	return ""
}

package process

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Listeners returns the addresses on which the process listens for TCP.
func (p *Process) Listeners(t testing.TB) []netip.AddrPort {
	t.Helper()
	own := p.sockets(t)
	var list []netip.AddrPort
	for _, table := range []string{"tcp", "tcp6"} {
		f, err := os.Open(fmt.Sprintf("/proc/%d/net/%s", p.PID(), table))
		require.NoError(t, err)
		lines := bufio.NewScanner(f)
		for lines.Scan() {
			const local, state, inode = 1, 3, 9
			fields := strings.Fields(lines.Text())
			if len(fields) > inode && fields[state] == "0A" && own[fields[inode]] {
				list = append(list, parseAddr(t, fields[local]))
			}
		}
		require.NoError(t, lines.Err())
		require.NoError(t, f.Close())
	}
	return list
}

// sockets returns the inodes of the sockets that the process holds.
func (p *Process) sockets(t testing.TB) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", p.PID()))
	require.NoError(t, err)
	inodes := map[string]bool{}
	for _, f := range files {
		target, err := os.Readlink(f)
		if err != nil {
			continue // closed since
		}
		if inode, ok := strings.CutPrefix(target, "socket:["); ok {
			inodes[strings.TrimSuffix(inode, "]")] = true
		}
	}
	return inodes
}

// parseAddr reads an address as /proc writes it: words of four bytes, each in
// the machine's order, and a port.
func parseAddr(t testing.TB, s string) netip.AddrPort {
	t.Helper()
	host, port, ok := strings.Cut(s, ":")
	require.True(t, ok, s)
	raw, err := hex.DecodeString(host)
	require.NoError(t, err)
	for i := 0; i+4 <= len(raw); i += 4 {
		binary.NativeEndian.PutUint32(raw[i:], binary.BigEndian.Uint32(raw[i:]))
	}
	addr, ok := netip.AddrFromSlice(raw)
	require.True(t, ok, s)
	n, err := strconv.ParseUint(port, 16, 16)
	require.NoError(t, err)
	return netip.AddrPortFrom(addr, uint16(n))
}

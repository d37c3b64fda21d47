//go:build unix

package session

import (
	"os"
	"syscall"
)

// private reports whether a file is the user's and nobody else's.
func private(info os.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Getuid() && info.Mode().Perm()&0o077 == 0
}

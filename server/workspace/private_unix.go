//go:build unix

package workspace

import (
	"os"
	"syscall"
)

// private reports whether only this user can read and write a file.
func private(info os.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Getuid() && info.Mode().Perm()&0o077 == 0
}

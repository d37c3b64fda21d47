//go:build unix && !(linux && (amd64 || arm64 || riscv64))

package watch

import "golang.org/x/sys/unix"

// fstatat is [unix.Fstatat] without following links.
func fstatat(dir int, name string, st *unix.Stat_t) error {
	return unix.Fstatat(dir, name, st, unix.AT_SYMLINK_NOFOLLOW)
}

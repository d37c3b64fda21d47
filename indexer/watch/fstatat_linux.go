//go:build amd64 || arm64 || riscv64

package watch

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// fstatat is [unix.Fstatat] without following links, for a name that a zero byte follows in memory, as
// in a [listing]. That function makes a copy of each name.
func fstatat(dir int, name string, st *unix.Stat_t) error {
	_, _, err := unix.Syscall6(unix.SYS_NEWFSTATAT, uintptr(dir), uintptr(unsafe.Pointer(unsafe.StringData(name))), uintptr(unsafe.Pointer(st)), unix.AT_SYMLINK_NOFOLLOW, 0, 0)
	if err != 0 {
		return err
	}
	return nil
}

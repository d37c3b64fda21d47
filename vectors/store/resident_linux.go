package store

import "syscall"

// letGo unmaps the pages of a mapping of a file that nothing writes to by way of memory.
func letGo(at uintptr, size int) {
	// An error leaves the pages where they are.
	_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, at, uintptr(size), syscall.MADV_DONTNEED)
}

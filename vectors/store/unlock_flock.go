//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package store

import (
	"errors"
	"os"
	"syscall"
)

// abandon unlocks and closes a file that bbolt has mapped and cannot close any
// more. The mapping stays, and would keep the lock after the file is closed.
func abandon(file *os.File) error {
	err := syscall.Flock(int(file.Fd()), syscall.LOCK_UN)
	return errors.Join(err, file.Close())
}

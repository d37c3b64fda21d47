//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package store

import "os"

// abandon closes a file that bbolt has mapped and cannot close any more; the lock
// goes with it.
func abandon(file *os.File) error { return file.Close() }

package workspace

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lockFile locks an open file until it is closed; the system closes it when the process
// ends. It returns ErrLocked when another process has locked the file. The locked range
// lies behind the content, which others read.
func lockFile(file *os.File) error {
	at := &windows.Overlapped{Offset: 1 << 30}
	err := windows.LockFileEx(windows.Handle(file.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrLocked
	}
	return err
}

// protect does nothing: the directories of a profile are the user's alone, and modes
// mean nothing here.
func protect(string) error { return nil }

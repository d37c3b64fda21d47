package attach

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lockFile locks a file that is open, until it is closed; the system closes it when
// the process ends, however it does. It returns [errBusy] when it is locked. The range
// lies behind what the file says, which others are to read.
func lockFile(file *os.File) error {
	at := &windows.Overlapped{Offset: 1 << 30}
	err := windows.LockFileEx(windows.Handle(file.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return errBusy
	}
	return err
}

// private does nothing: the folders of a profile are the user's own, and modes say
// nothing.
func private(string) error { return nil }

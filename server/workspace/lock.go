package workspace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"ambit/server/api"
)

// LockName is the name of the file beside an index that the owner of the index keeps
// locked. It holds the owner's process id and, in a second line, the path of the owner's
// socket. When the owner ends, the file stays, blank and unlocked.
const LockName = "owner.lock"

// ErrLocked is returned by [TakeLock] when another process has the lock.
var ErrLocked = errors.New("another process has the index open")

// Lock is the lock of the index in a directory. The system releases it when the process
// ends.
type Lock struct {
	dir  string
	file *os.File
}

// TakeLock takes the lock of the index in a directory and removes the socket of a dead
// owner. It returns [ErrLocked] when another process has the lock, and an error that wraps
// [api.ErrUnwritable] when there can be none.
func TakeLock(dir string) (*Lock, error) {
	path := filepath.Join(dir, LockName)
	if irregular(path) {
		return nil, unwritable(fmt.Errorf("lock the index: %s is not a regular file; remove it", path))
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err == nil {
		l := &Lock{dir, file}
		if err = lockFile(file); err == nil && l.held() {
			_, socket := Owner(dir)
			removeSocket(socket)
			return l, nil
		}
		file.Close()
	}
	if err == nil || errors.Is(err, ErrLocked) { // or the directory was removed meanwhile
		return nil, ErrLocked
	}
	return nil, unwritable(fmt.Errorf("lock the index in %s: %w; set XDG_CACHE_HOME to a directory you can write", dir, bare(err)))
}

// irregular reports whether something else than a file has a name: opening a pipe would
// wait, and writing through a link would overwrite its target.
func irregular(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && !info.Mode().IsRegular()
}

// held reports whether the file is still the one that other processes would lock.
func (l *Lock) held() bool {
	own, err := l.file.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(filepath.Join(l.dir, LockName))
	return err == nil && os.SameFile(own, named)
}

// noteBytes is the size of a lock file: a process id, a path and line ends. The file is
// overwritten and never truncated: ext4 takes a truncation for the replacement of a
// file's content and waits for the disk.
const noteBytes = 24 + MaxSocketPath

// SetOwner notes the process that has the lock, 0 for none, and its socket, or "".
func (l *Lock) SetOwner(pid int, socket string) error {
	text := ""
	if pid != 0 {
		text = strconv.Itoa(pid) + "\n" + socket
	}
	_, err := l.file.WriteAt([]byte(text+strings.Repeat("\n", max(0, noteBytes-len(text)))), 0)
	return err
}

// Close removes the owner's socket, unless another process has taken the place of the lock
// file, and releases the lock.
func (l *Lock) Close() error {
	var err error
	if l.held() {
		_, socket := Owner(l.dir)
		removeSocket(socket)
		err = l.SetOwner(0, "")
	}
	return errors.Join(err, l.file.Close())
}

// Owner returns the process id and the socket of the owner of the index in a directory,
// 0 and "" for none. The owner may have ended.
func Owner(dir string) (pid int, socket string) {
	path := filepath.Join(dir, LockName)
	if irregular(path) {
		return 0, ""
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return 0, ""
	}
	first, rest, _ := strings.Cut(string(data), "\n")
	pid, _ = strconv.Atoi(first)
	return pid, strings.TrimRight(rest, "\n")
}

// unwritable makes an error one that wraps [api.ErrUnwritable].
func unwritable(err error) error { return api.WithKind(err, api.ErrUnwritable) }

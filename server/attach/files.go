package attach

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"ambit/server/session"
)

// files are what an owner has beside its index: a file that it locks, and that says
// who it is and where it listens, and the socket. The first stays, blank and unlocked,
// when the owner has gone; the second goes with it or is removed by the next.
type files struct{ dir string } // of the index

// The names of the files.
const (
	lockName   = "owner.lock"
	socketName = "owner.sock"
)

// maxSocketPath is the longest path that a socket can have on every system: macOS has
// room for 104 bytes with the zero behind it (sys/un.h).
const maxSocketPath = 103

func (f files) index() string { return filepath.Join(f.dir, session.IndexName) }

func (f files) lock() string { return filepath.Join(f.dir, lockName) }

// owner returns what the owner says of itself: its process and its socket, "" for
// none. It may be one that has gone.
func (f files) owner() (pid int, socket string) {
	if f.odd() {
		return 0, ""
	}
	data, err := os.ReadFile(f.lock())
	if err != nil {
		return 0, ""
	}
	first, rest, _ := strings.Cut(string(data), "\n")
	pid, _ = strconv.Atoi(first)
	return pid, strings.TrimRight(rest, "\n")
}

// odd reports whether something else has the name of the lock file: a pipe would be
// waited for and what a link leads to be written over.
func (f files) odd() bool {
	info, err := os.Lstat(f.lock())
	return err == nil && !info.Mode().IsRegular()
}

// inUse returns what there is to say to who waits in vain.
func (f files) inUse(root string) error {
	name := "another ambit process"
	if pid, _ := f.owner(); pid != 0 {
		name = fmt.Sprintf("process %d", pid)
	}
	return fmt.Errorf("open the index of %s: %s has it and does not answer; wait until it is done, or end it", root, name)
}

// take takes the lock for as long as the file that it returns is open. It returns
// [errBusy] when another process has it.
func (f files) take() (*os.File, error) {
	if f.odd() {
		return nil, &placeError{fmt.Errorf("lock the index: %s is not a regular file; remove it", f.lock())}
	}
	file, err := os.OpenFile(f.lock(), os.O_RDWR|os.O_CREATE, 0o600)
	if err == nil {
		if err = lockFile(file); err == nil && !f.has(file) {
			err = errBusy // somebody has removed the folder meanwhile
		}
		if err == nil {
			return file, nil
		}
		file.Close()
	}
	if errors.Is(err, errBusy) {
		return nil, err
	}
	return nil, &placeError{fmt.Errorf("lock the index in %s: %w; set XDG_CACHE_HOME to a directory you can write", f.dir, bare(err))}
}

// has reports whether a lock file is still the one that others would lock.
func (f files) has(lock *os.File) bool {
	own, err := lock.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(f.lock())
	return err == nil && os.SameFile(own, named)
}

// leave removes the socket, as long as it is not another's, and lets the lock go.
func (f files) leave(lock *os.File) error {
	var err error
	if f.has(lock) {
		_, socket := f.owner()
		removeSocket(socket)
		err = note(lock, "")
	}
	return errors.Join(err, lock.Close())
}

// listen removes what a dead owner has left, listens and says so in the lock file. The
// caller has the lock.
func (f files) listen(lock *os.File) (*net.UnixListener, error) {
	if _, socket := f.owner(); socket != "" {
		removeSocket(socket)
	}
	if err := note(lock, strconv.Itoa(os.Getpid())+"\n"); err != nil {
		return nil, err
	}
	path, err := f.socket()
	if err != nil {
		return nil, err
	}
	removeSocket(path)
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, err
	}
	listener.SetUnlinkOnClose(false) // leave does
	if err = os.Chmod(path, 0o600); err == nil {
		err = note(lock, strconv.Itoa(os.Getpid())+"\n"+path+"\n")
	}
	if err != nil {
		removeSocket(path)
		return nil, errors.Join(err, listener.Close())
	}
	return listener, nil
}

// noteBytes is the size of the lock file: a process, a path, and line ends. The file is
// written over and never truncated, which ext4 would take for the replacement of
// something precious and wait for the disk.
const noteBytes = 24 + maxSocketPath

// note replaces what the lock file says.
func note(lock *os.File, text string) error {
	_, err := lock.WriteAt([]byte(text+strings.Repeat("\n", max(0, noteBytes-len(text)))), 0)
	return err
}

// removeSocket removes a socket, and nothing that is none.
func removeSocket(path string) {
	if info, err := os.Lstat(path); err == nil && info.Mode().Type() == fs.ModeSocket {
		os.Remove(path)
	}
}

// socket returns where to listen: beside the index or, where that is too long a path
// for a socket, in a folder of the user's for such things.
func (f files) socket() (string, error) {
	if err := private(f.dir); err != nil {
		return "", err
	}
	path := filepath.Join(f.dir, socketName)
	if len(path) <= maxSocketPath {
		return path, nil
	}
	sum := sha256.Sum256([]byte(f.dir))
	name := hex.EncodeToString(sum[:8]) + ".sock"
	var all error
	for _, dir := range ownFolders() {
		path := filepath.Join(dir, name)
		if len(path) > maxSocketPath {
			all = errors.Join(all, fmt.Errorf("%s is too long a path for a socket", path))
			continue
		}
		err := openFolder(dir)
		if err == nil {
			return path, nil
		}
		all = errors.Join(all, err)
	}
	return "", all
}

// bare returns what went wrong without the operation and path that the caller's
// message says already.
func bare(err error) error {
	if pathErr := (*fs.PathError)(nil); errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}

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
)

// files are an owner's files beside the index: a lock file that holds the owner's
// process id and the path of its socket, and the socket. When the owner ends, the lock
// file stays, blank and unlocked, and the owner or the next one removes the socket.
type files struct{ dir string } // of the index

// The names of the files.
const (
	lockName   = "owner.lock"
	socketName = "owner.sock"
)

// maxSocketPath is the longest path that a socket can have on every system: macOS has
// room for 104 bytes with the zero behind it (sys/un.h).
const maxSocketPath = 103

func (f files) lock() string { return filepath.Join(f.dir, lockName) }

// owner returns the process id and the socket of the owner, 0 and "" for none. The
// owner may have ended.
func (f files) owner() (pid int, socket string) {
	if f.irregular() {
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

// irregular reports whether the name of the lock file belongs to something else: opening
// a pipe would wait, and writing through a link would overwrite its target.
func (f files) irregular() bool {
	info, err := os.Lstat(f.lock())
	return err == nil && !info.Mode().IsRegular()
}

// inUse returns the error of a process that has waited too long for the owner.
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
	if f.irregular() {
		return nil, &placeError{fmt.Errorf("lock the index: %s is not a regular file; remove it", f.lock())}
	}
	file, err := os.OpenFile(f.lock(), os.O_RDWR|os.O_CREATE, 0o600)
	if err == nil {
		if err = lockFile(file); err == nil && !f.has(file) {
			err = errBusy // the directory was removed meanwhile
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

// has reports whether a lock file is still the one that other processes would lock.
func (f files) has(lock *os.File) bool {
	own, err := lock.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(f.lock())
	return err == nil && os.SameFile(own, named)
}

// leave removes the socket, unless another process has the lock file, and releases the
// lock.
func (f files) leave(lock *os.File) error {
	var err error
	if f.has(lock) {
		_, socket := f.owner()
		removeSocket(socket)
		err = note(lock, "")
	}
	return errors.Join(err, lock.Close())
}

// listen removes the socket of a dead owner, listens and writes that to the lock file.
// The caller has the lock.
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

// noteBytes is the size of the lock file: a process id, a path and line ends. The file is
// overwritten and never truncated: ext4 takes a truncation for the replacement of a
// file's content and waits for the disk.
const noteBytes = 24 + maxSocketPath

// note replaces the content of the lock file.
func note(lock *os.File, text string) error {
	_, err := lock.WriteAt([]byte(text+strings.Repeat("\n", max(0, noteBytes-len(text)))), 0)
	return err
}

// removeSocket removes a file if it is a socket.
func removeSocket(path string) {
	if info, err := os.Lstat(path); err == nil && info.Mode().Type() == fs.ModeSocket {
		os.Remove(path)
	}
}

// socket returns where to listen: beside the index or, if that path is too long for a
// socket, in a private directory of the user.
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
	for _, dir := range privateDirs() {
		path := filepath.Join(dir, name)
		if len(path) > maxSocketPath {
			all = errors.Join(all, fmt.Errorf("%s is too long a path for a socket", path))
			continue
		}
		err := makePrivate(dir)
		if err == nil {
			return path, nil
		}
		all = errors.Join(all, err)
	}
	return "", all
}

// bare strips the operation and the path, which the caller's message already has.
func bare(err error) error {
	if pathErr := (*fs.PathError)(nil); errors.As(err, &pathErr) {
		return pathErr.Err
	}
	return err
}

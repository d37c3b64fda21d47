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

	"ambit/server/workspace"
)

// socketName is the name of the owner's socket beside the index.
const socketName = "owner.sock"

// listen removes the socket of a dead owner, listens and notes where. The caller has the
// lock of the index in dir.
func listen(dir string, lock *workspace.Lock) (*net.UnixListener, error) {
	_, former := workspace.Owner(dir)
	removeSocket(former)
	if err := lock.SetOwner(os.Getpid(), ""); err != nil {
		return nil, err
	}
	path, err := socketPath(dir)
	if err != nil {
		return nil, err
	}
	removeSocket(path)
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, err
	}
	listener.SetUnlinkOnClose(false) // unlock does
	if err = os.Chmod(path, 0o600); err == nil {
		err = lock.SetOwner(os.Getpid(), path)
	}
	if err != nil {
		removeSocket(path)
		return nil, errors.Join(err, listener.Close())
	}
	return listener, nil
}

// unlock removes the socket, unless another process has taken the place of the lock
// file, and releases the lock.
func unlock(dir string, lock *workspace.Lock) error {
	var err error
	if lock.Held() {
		_, socket := workspace.Owner(dir)
		removeSocket(socket)
		err = lock.SetOwner(0, "")
	}
	return errors.Join(err, lock.Close())
}

// removeSocket removes a file if it is a socket.
func removeSocket(path string) {
	if info, err := os.Lstat(path); err == nil && info.Mode().Type() == fs.ModeSocket {
		os.Remove(path)
	}
}

// socketPath returns where to listen: beside the index or, if that path is too long for a
// socket, in a private directory of the user.
func socketPath(dir string) (string, error) {
	if err := workspace.MakePrivate(dir); err != nil {
		return "", err
	}
	path := filepath.Join(dir, socketName)
	if len(path) <= workspace.MaxSocketPath {
		return path, nil
	}
	sum := sha256.Sum256([]byte(dir))
	name := hex.EncodeToString(sum[:8]) + ".sock"
	var all error
	for _, dir := range workspace.PrivateDirs() {
		path := filepath.Join(dir, name)
		err := fmt.Errorf("%s is too long a path for a socket", path)
		if len(path) <= workspace.MaxSocketPath {
			err = workspace.MakePrivate(dir)
		}
		if err == nil {
			return path, nil
		}
		all = errors.Join(all, err)
	}
	return "", all
}

package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// SocketName is the name of the socket of an owner beside its index.
const SocketName = "owner.sock"

// MaxSocketPath is the longest path that a socket can have on every system: macOS has
// room for 104 bytes with the zero behind it (sys/un.h).
const MaxSocketPath = 103

// SocketPath returns where the owner of the index listens: beside the index or, if that
// path is too long for a socket, in a private directory of the user. It removes a socket
// that lies there.
func (l *Lock) SocketPath() (string, error) {
	err := makePrivate(l.dir)
	if err != nil {
		return "", err
	}
	paths := []string{filepath.Join(l.dir, SocketName)}
	if len(paths[0]) > MaxSocketPath {
		sum := sha256.Sum256([]byte(l.dir))
		paths = nil
		for _, dir := range privateDirs() {
			paths = append(paths, filepath.Join(dir, hex.EncodeToString(sum[:8])+".sock"))
		}
	}
	for _, path := range paths {
		pathErr := fmt.Errorf("%s is too long a path for a socket", path)
		if len(path) <= MaxSocketPath {
			pathErr = makePrivate(filepath.Dir(path))
		}
		if pathErr == nil {
			removeSocket(path)
			return path, nil
		}
		err = errors.Join(err, pathErr)
	}
	return "", err
}

// removeSocket removes a file if it is a socket.
func removeSocket(path string) {
	if info, err := os.Lstat(path); err == nil && info.Mode().Type() == fs.ModeSocket {
		os.Remove(path)
	}
}

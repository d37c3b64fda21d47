//go:build !unix

package watch

import (
	"io/fs"
	"os"
)

// directory is an open directory.
type directory struct{ *os.File }

func openDirectory(path string) (directory, error) {
	f, err := os.Open(path)
	return directory{f}, err
}

// stamp returns that of an entry, which the listing of the directory has brought.
func (d directory) stamp(e fs.DirEntry) (stamp, error) {
	fi, err := e.Info()
	if err != nil {
		return stamp{}, err
	}
	return stampOf(fi), nil
}

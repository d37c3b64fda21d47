//go:build !unix

package watch

import (
	"io/fs"
	"os"
)

// entryInfo is what the listing of a directory has brought of an entry.
type entryInfo struct{ fs.DirEntry }

func infoOf(e fs.DirEntry) entryInfo { return entryInfo{e} }

// directory is an open directory.
type directory struct{ *os.File }

// openDirectory opens a directory.
func openDirectory(path string) (directory, error) {
	f, err := os.Open(path)
	return directory{f}, err
}

// stamp returns that of an entry.
func (d directory) stamp(e *listed, _ string) (stamp, error) {
	fi, err := e.info.Info()
	if err != nil {
		return stamp{}, err
	}
	return stampOf(fi), nil
}

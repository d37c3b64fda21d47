//go:build !unix

package watch

import "os"

// openDirectory opens a directory.
func openDirectory(path string) (directory, error) {
	f, err := os.Open(path)
	return directory{f}, err
}

// stamp returns that of an entry, which the listing of the directory has brought.
func (d directory) stamp(e *listed, _ string) (stamp, error) {
	fi, err := e.entry.Info()
	if err != nil {
		return stamp{}, err
	}
	return stampOf(fi), nil
}

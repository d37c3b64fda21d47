//go:build !unix

package watch

import "io/fs"

// stamp returns that of an entry, which the listing of the directory has brought.
func (d directory) stamp(e fs.DirEntry) (stamp, error) {
	fi, err := e.Info()
	if err != nil {
		return stamp{}, err
	}
	return stampOf(fi), nil
}

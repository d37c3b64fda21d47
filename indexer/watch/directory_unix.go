//go:build unix

package watch

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

// stamp returns that of an entry. It asks the directory for the name: for each whole path
// the system would go through all directories above again.
func (d directory) stamp(e *listed) (stamp, error) {
	var st unix.Stat_t
	for {
		switch err := unix.Fstatat(int(d.Fd()), e.name, &st, unix.AT_SYMLINK_NOFOLLOW); err {
		case nil:
			return stamp{st.Mode&unix.S_IFMT == unix.S_IFREG, st.Size, st.Mtim.Nano()}, nil
		case unix.EINTR:
		default:
			return stamp{}, &fs.PathError{Op: "stat", Path: e.name, Err: err}
		}
	}
}

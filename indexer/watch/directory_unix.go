//go:build unix

package watch

import (
	"io/fs"
	"os"

	"golang.org/x/sys/unix"
)

// entryInfo is what the listing of a directory has brought of an entry beside its type.
type entryInfo struct{}

func infoOf(fs.DirEntry) entryInfo { return entryInfo{} }

// directory is an open directory.
type directory struct {
	*os.File
	fd int // of the file
}

// openDirectory opens a directory for [os.File] without the poller: [os.Open] asks whether the
// poller takes it, which it never does, and costs five calls of the system more.
func openDirectory(path string) (directory, error) {
	for {
		switch fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0); err {
		case nil:
			return directory{os.NewFile(uintptr(fd), path), fd}, nil
		case unix.EINTR:
		default:
			return directory{}, &fs.PathError{Op: "open", Path: path, Err: err}
		}
	}
}

// stamp returns that of the entry called name, a part of the paths of a [listing]. It asks the directory
// for the name: for each whole path the system would go through all directories above again.
func (d directory) stamp(_ *listed, name string) (stamp, error) {
	var st unix.Stat_t
	for {
		switch err := fstatat(d.fd, name, &st); err {
		case nil:
			return stamp{st.Mode&unix.S_IFMT == unix.S_IFREG, st.Size, st.Mtim.Nano()}, nil
		case unix.EINTR:
		default:
			return stamp{}, &fs.PathError{Op: "stat", Path: name, Err: err}
		}
	}
}

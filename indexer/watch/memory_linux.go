package watch

import (
	"time"

	"golang.org/x/sys/unix"
)

// device is the file system on which a scan relies on the times of directories.
type device struct {
	id    uint64
	known bool
}

// deviceOf returns the file system of the directory at path, if it is one of those that note
// each change of a directory in its times at once. Network file systems do not, and it is unknown of
// those in user space.
func deviceOf(path string) device {
	var fs unix.Statfs_t
	var st unix.Stat_t
	if unix.Statfs(path, &fs) != nil || unix.Stat(path, &st) != nil {
		return device{}
	}
	switch uint32(fs.Type) {
	case unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.F2FS_SUPER_MAGIC, unix.TMPFS_MAGIC, unix.OVERLAYFS_SUPER_MAGIC:
		return device{st.Dev, true}
	}
	return device{}
}

// identity returns that of a directory before it is listed; ok is false when a later change need not
// change it, as the latest one was not before settled.
func (d directory) identity(on device, settled time.Time) (is identity, ok bool) {
	var st unix.Stat_t
	if !on.known || unix.Fstat(d.fd, &st) != nil || st.Dev != on.id {
		return identity{}, false
	}
	latest := max(st.Mtim.Nano(), st.Ctim.Nano())
	return identity{st.Ino, uint64(st.Mtim.Nano()), uint64(st.Ctim.Nano())}, latest <= settled.UnixNano()
}

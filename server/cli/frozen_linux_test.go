package cli_test

import (
	"bytes"
	"encoding/binary"
	"os"
	"strconv"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// TestAServerEndsAlthoughItsDiskIsFrozen serves a workspace by FUSE and stops serving it, as
// a network does that is gone, while the server waits for a file.
func TestAServerEndsAlthoughItsDiskIsFrozen(t *testing.T) {
	for how, end := range endings {
		t.Run(how, func(t *testing.T) {
			d := newDesk(t, nil)
			disk := mountDisk(t, d.dir, "package shop\n\nfunc price() {}\n")
			h := launch(t, "ambit", d.uri)
			<-disk.read // by the indexer
			disk.freeze()
			h.send(`{"jsonrpc":"2.0","id":3,"method":"workspace/executeCommand","params":{"command":"ambit.context","arguments":[{"textDocument":{"uri":"` + d.uri + "/" + diskFile + `"},"position":{"line":2,"character":6}}]}}`)
			<-disk.waited // for an answer of the disk
			h.endsBy(end, endDeadline)
		})
	}
}

// diskFile is the name of the one file of a disk.
const diskFile = "price.go"

// disk is a file system of one file, which can be frozen. It speaks the protocol of the
// kernel: a library for that would be a dependency for one test.
//
// Source: linux/fuse.h, and the manual page fuse(4).
type disk struct {
	t      *testing.T
	fd     int
	text   string
	stop   [2]int        // a pipe: the disk is frozen when its end is closed
	read   chan struct{} // closed when the file has been read and closed
	waited chan struct{} // closed when somebody waits for the frozen disk
	once   sync.Once     // closes read
}

// mountDisk mounts a disk at dir until the test ends.
func mountDisk(t *testing.T, dir, text string) *disk {
	t.Helper()
	fd, err := unix.Open("/dev/fuse", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Skipf("open /dev/fuse: %v", err)
	}
	options := "fd=" + strconv.Itoa(fd) + ",rootmode=40000,user_id=" + strconv.Itoa(os.Getuid()) + ",group_id=" + strconv.Itoa(os.Getgid())
	if err := unix.Mount("disk", dir, "fuse", unix.MS_NOSUID|unix.MS_NODEV, options); err != nil {
		unix.Close(fd)
		t.Skipf("mount a file system: %v", err)
	}
	k := &disk{t: t, fd: fd, text: text, read: make(chan struct{}), waited: make(chan struct{})}
	must(t, unix.Pipe2(k.stop[:], unix.O_CLOEXEC))
	var serving sync.WaitGroup
	serving.Go(k.serve)
	t.Cleanup(func() {
		k.freeze()
		must(t, unix.Unmount(dir, unix.MNT_DETACH))
		serving.Wait()
		unix.Close(fd) // which fails the requests that wait
		unix.Close(k.stop[0])
	})
	return k
}

// freeze stops the disk. Its requests are not even read: a process whose request was read and
// not answered cannot be killed.
func (k *disk) freeze() {
	if k.stop[1] >= 0 {
		unix.Close(k.stop[1])
		k.stop[1] = -1
	}
}

// serve answers requests until the disk is frozen, and then waits for one more or for the end
// of the mount.
func (k *disk) serve() {
	request := make([]byte, 1<<17+4096)
	fuse, stop := unix.PollFd{Fd: int32(k.fd), Events: unix.POLLIN}, unix.PollFd{Fd: int32(k.stop[0])}
	for {
		fds := []unix.PollFd{fuse, stop}
		if _, err := unix.Poll(fds, -1); err == unix.EINTR {
			continue
		}
		if fds[1].Revents != 0 {
			break
		}
		n, err := unix.Read(k.fd, request)
		if err != nil {
			continue // the request was taken back
		}
		k.answer(request[:n])
	}
	for fds := []unix.PollFd{fuse}; ; {
		if _, err := unix.Poll(fds, -1); err != unix.EINTR {
			close(k.waited)
			return
		}
	}
}

// The requests that a disk answers.
const (
	fuseLookup, fuseForget, fuseGetattr, fuseOpen, fuseRead, fuseRelease = 1, 2, 3, 14, 15, 18
	fuseInit, fuseOpendir, fuseReaddir, fuseReleasedir                   = 26, 27, 28, 29
	fuseBatchForget                                                      = 42
)

// fuseAttr is struct fuse_attr.
type fuseAttr struct {
	Ino, Size, Blocks, Atime, Mtime, Ctime uint64
	Atimensec, Mtimensec, Ctimensec, Mode  uint32
	Nlink, UID, GID, Rdev, Blksize, Flags  uint32
}

// attr returns the attributes of the root, 1, or of the file, 2.
func (k *disk) attr(node uint64) fuseAttr {
	a := fuseAttr{Ino: node, Mtime: 1e9, Ctime: 1e9, Mode: unix.S_IFDIR | 0o755, Nlink: 2, UID: uint32(os.Getuid()), GID: uint32(os.Getgid()), Blksize: 4096}
	if node != 1 {
		a.Mode, a.Nlink, a.Size = unix.S_IFREG|0o644, 1, uint64(len(k.text))
	}
	return a
}

// answer answers one request.
func (k *disk) answer(request []byte) {
	const header = 40
	number := func(at, size int) uint64 {
		if size == 4 {
			return uint64(binary.NativeEndian.Uint32(request[at:]))
		}
		return binary.NativeEndian.Uint64(request[at:])
	}
	opcode, unique, node, body := number(4, 4), number(8, 8), number(16, 8), request[header:]
	switch opcode {
	case fuseInit:
		k.reply(unique, 0, []uint32{7, 31, 0, 0, 0, 4096, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0})
	case fuseLookup:
		if node != 1 || string(bytes.TrimRight(body, "\x00")) != diskFile {
			k.reply(unique, unix.ENOENT, nil)
			return
		}
		k.reply(unique, 0, struct {
			Node, Generation, EntryValid, AttrValid uint64 // nothing may be cached
			Nsec                                    [2]uint32
			Attr                                    fuseAttr
		}{Node: 2, Attr: k.attr(2)})
	case fuseGetattr:
		k.reply(unique, 0, struct {
			Valid uint64
			Nsec  [2]uint32
			Attr  fuseAttr
		}{Attr: k.attr(node)})
	case fuseOpen, fuseOpendir:
		k.reply(unique, 0, [2]uint64{})
	case fuseRead:
		at := min(number(header+8, 8), uint64(len(k.text)))
		k.reply(unique, 0, []byte(k.text[at:]))
	case fuseReaddir:
		if number(header+8, 8) > 0 {
			k.reply(unique, 0, nil)
			return
		}
		k.reply(unique, 0, struct {
			Ino, Next uint64
			Len, Type uint32
			Name      [len(diskFile)]byte // a multiple of 8
		}{2, 1, uint32(len(diskFile)), unix.DT_REG, [len(diskFile)]byte([]byte(diskFile))})
	case fuseRelease, fuseReleasedir:
		k.reply(unique, 0, nil)
		if opcode == fuseRelease {
			k.once.Do(func() { close(k.read) })
		}
	case fuseForget, fuseBatchForget:
	default: // also FUSE_FLUSH, for which a process that ends would wait and could not be killed
		k.reply(unique, unix.ENOSYS, nil)
	}
}

// reply sends an answer, whose fields have fixed sizes.
func (k *disk) reply(unique uint64, failure unix.Errno, answer any) {
	var body bytes.Buffer
	if answer != nil {
		must(k.t, binary.Write(&body, binary.NativeEndian, answer))
	}
	out := binary.NativeEndian.AppendUint32(nil, uint32(16+body.Len()))
	out = binary.NativeEndian.AppendUint32(out, uint32(-int32(failure)))
	out = binary.NativeEndian.AppendUint64(out, unique)
	if _, err := unix.Write(k.fd, append(out, body.Bytes()...)); err != nil && err != unix.ENOENT { // its process is gone
		k.t.Errorf("answer a request of the kernel: %v", err)
	}
}

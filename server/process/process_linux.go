package process

import (
	"context"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Await waits until a process has ended or ctx is done. A descriptor of the
// process becomes readable at its end (pidfd_open(2)), so Await uses no processor while it waits;
// before Linux 5.3 it polls.
func Await(ctx context.Context, pid int) {
	fd, err := unix.PidfdOpen(pid, unix.PIDFD_NONBLOCK)
	if errors.Is(err, unix.ESRCH) {
		return
	}
	if err != nil {
		Poll(ctx, pid)
		return
	}
	process := os.NewFile(uintptr(fd), "process")
	defer process.Close()
	stop := context.AfterFunc(ctx, func() { process.SetReadDeadline(time.Now()) })
	defer stop()
	conn, err := process.SyscallConn()
	if err == nil {
		err = conn.Read(func(fd uintptr) bool {
			ready, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
			return ready > 0 || err != nil && !errors.Is(err, unix.EINTR)
		})
	}
	if err != nil {
		Poll(ctx, pid)
	}
}

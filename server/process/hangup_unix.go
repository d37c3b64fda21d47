//go:build linux || darwin

package process

import (
	"context"
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// AwaitHangup waits until the other end of a pipe or socket is closed, also while what it
// wrote before is unread, or ctx is done. It reports whether the other end is closed. A
// file of another kind never is.
func AwaitHangup(ctx context.Context, file *os.File) bool {
	wake, end, err := os.Pipe()
	if err != nil {
		<-ctx.Done()
		return false
	}
	defer wake.Close()
	stop := context.AfterFunc(ctx, func() { end.Close() })
	defer func() {
		if stop() {
			end.Close()
		}
	}()
	for {
		ends := []unix.PollFd{{Fd: int32(file.Fd())}, {Fd: int32(wake.Fd())}} // only hang-ups and errors
		switch _, err := unix.Poll(ends, -1); {
		case errors.Is(err, unix.EINTR):
		case err != nil || ends[1].Revents != 0:
			<-ctx.Done()
			return false
		case ends[0].Revents != 0:
			return true
		}
	}
}

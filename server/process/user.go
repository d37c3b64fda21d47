//go:build linux || darwin

package process

import (
	"fmt"
	"os"
	"syscall"
)

// SameUser returns an error unless the process at the other end of a socket is this
// user's.
func SameUser(conn syscall.Conn) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	var uid int
	var uidErr error
	if err := raw.Control(func(fd uintptr) { uid, uidErr = peerUser(int(fd)) }); err != nil {
		return err
	}
	if uidErr != nil {
		return uidErr
	}
	if uid != os.Geteuid() {
		return fmt.Errorf("the process at the other end is of user %d", uid)
	}
	return nil
}

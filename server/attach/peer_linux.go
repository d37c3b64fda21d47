package attach

import (
	"fmt"
	"net"
	"os"
	"syscall"
)

// sameUser returns an error unless the process at the other end of conn is this
// user's. Source: unix(7), SO_PEERCRED.
func sameUser(conn *net.UnixConn) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	var cred *syscall.Ucred
	var credErr error
	if err := raw.Control(func(fd uintptr) {
		cred, credErr = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	}); err != nil {
		return err
	}
	if credErr != nil {
		return credErr
	}
	if int(cred.Uid) != os.Geteuid() {
		return fmt.Errorf("the process at the other end is of user %d", cred.Uid)
	}
	return nil
}

package process

import "syscall"

// peerUser returns the user of the process at the other end of a socket. Source:
// unix(7), SO_PEERCRED.
func peerUser(fd int) (int, error) {
	cred, err := syscall.GetsockoptUcred(fd, syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	if err != nil {
		return 0, err
	}
	return int(cred.Uid), nil
}

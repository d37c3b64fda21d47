package process

import "golang.org/x/sys/unix"

// peerUser returns the user of the process at the other end of a socket. Source:
// unix(4), LOCAL_PEERCRED.
func peerUser(fd int) (int, error) {
	cred, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return 0, err
	}
	return int(cred.Uid), nil
}

//go:build !linux && !darwin

package attach

import "net"

// sameUser relies on the mode of the socket's directory: this system does not tell the
// user at the other end of a connection.
func sameUser(*net.UnixConn) error { return nil }

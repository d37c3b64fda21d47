//go:build !linux && !darwin

package attach

import "net"

// sameUser relies on the mode of the socket's folder: this system does not tell who is
// at the other end of a connection.
func sameUser(*net.UnixConn) error { return nil }

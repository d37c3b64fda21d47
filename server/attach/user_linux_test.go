package attach_test

import (
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
)

// powerless is a user without rights.
const powerless = 65534

// asNobody calls f as another user: in a thread that becomes one and ends with f.
func asNobody(t *testing.T, f func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		const need = "becoming another user takes root"
		if os.Getenv("AMBIT_CI") != "" {
			t.Fatal(need)
		}
		t.Skip(need)
	}
	done := make(chan syscall.Errno)
	go func() {
		runtime.LockOSThread() // and never unlock: the thread ends with the goroutine
		_, _, errno := syscall.RawSyscall(syscall.SYS_SETRESUID, powerless, powerless, powerless)
		if errno == 0 {
			f()
		}
		done <- errno
	}()
	if errno := <-done; errno != 0 {
		t.Fatalf("become user %d: %v", powerless, errno)
	}
}

func TestAnotherUserCannotAttach(t *testing.T) {
	w := newTree(t, harbour)
	own := w.open()
	own.index()
	socket := w.socket()
	asNobody(t, func() {
		if conn, err := net.Dial("unix", socket); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("another user gets %v, %v from %s, want %v", conn, err, socket, fs.ErrPermission)
		}
	})
	// Even if all modes allow it, the owner asks the system for the user.
	for dir := socket; strings.HasPrefix(dir, w.cache); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for dir := filepath.Dir(w.cache); dir != filepath.Dir(os.TempDir()) && dir != os.TempDir(); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	asNobody(t, func() {
		conn, err := net.Dial("unix", socket)
		if err != nil {
			t.Errorf("dial an open socket: %v", err)
			return
		}
		defer conn.Close()
		write(conn, hello)
		if data, err := io.ReadAll(conn); len(data) > 0 {
			t.Errorf("another user is answered with %q, %v", data, err)
		}
	})
	if got := own.find("Sail"); !strings.Contains(got, "ship.go Sail") {
		t.Errorf("the owner finds %q", got)
	}
}

package attach_test

import (
	"encoding/binary"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ambit/server/attach"
	"ambit/server/session"
)

// impostor takes a workspace's lock file away from its owner and listens as a process
// of another build, until the function that it returns is called.
func (w *tree) impostor() (leave func()) {
	w.t.Helper()
	folder := w.folder()
	path, socket := filepath.Join(folder, attach.LockName), filepath.Join(folder, "other.sock")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		w.t.Fatal(err)
	}
	lock, err := os.Create(path + ".new")
	if err == nil {
		_, err = lock.WriteString("4711\n" + socket + "\n")
	}
	if err == nil {
		err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX)
	}
	if err == nil {
		err = os.Rename(path+".new", path)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	ended := make(chan bool)
	go func() {
		defer close(ended)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			said := `{"protocol":"older","build":"older","pid":4711}`
			write(conn, append(binary.BigEndian.AppendUint32(nil, uint32(len(said))), said...))
			conn.Close()
		}
	}()
	return func() {
		listener.Close()
		<-ended
		lock.Close()
	}
}

func TestAnotherBuildThatTakesOverIsReportedUntilItGoes(t *testing.T) {
	w := newTree(t, harbour)
	own, attached := w.open(), w.open()
	own.index()
	await, _ := attached.follow()
	await("ready", named(session.Ready))
	leave := w.impostor()
	own.close()
	_, err := attached.Search(t.Context(), session.Search{Query: "Sail"})
	if !errors.Is(err, attach.ErrOther) || !strings.Contains(err.Error(), "process 4711") {
		t.Errorf("while another build has the index: %v", err)
	}
	leave()
	await("ready as the owner", func(st session.State) bool {
		return st.Name == session.Ready && attached.owner().Self
	})
	if got := attached.find("Sail"); !strings.Contains(got, "Ship.Sail") {
		t.Errorf("when it has gone the client finds %q", got)
	}
}

package attach_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ambit/server/attach"
	"ambit/server/session"
)

// impostor takes a workspace's lock file away from its owner and listens in its stead,
// until the function that it returns is called. It says that it is of a build, and ends
// each connection when it is asked something. It returns how many connections there
// were.
func (w *tree) impostor(protocol, build string) (leave func() int) {
	w.t.Helper()
	folder := w.folder()
	short, err := os.MkdirTemp("", "") // the path of a socket has room for 107 bytes
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { os.RemoveAll(short) })
	path, socket := filepath.Join(folder, attach.LockName), filepath.Join(short, "other.sock")
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
	said, err := json.Marshal(map[string]any{"protocol": protocol, "build": build, "pid": 4711})
	if err != nil {
		w.t.Fatal(err)
	}
	ended, n := make(chan bool), 0
	left, leaving := context.WithCancel(context.Background())
	go func() {
		defer close(ended)
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			n++
			silent := context.AfterFunc(left, func() { conn.Close() }) // who attaches need not ask
			write(conn, append(binary.BigEndian.AppendUint32(nil, uint32(len(said))), said...))
			for range 2 { // the hello and a question
				var head [4]byte
				if _, err := io.ReadFull(conn, head[:]); err == nil {
					_, _ = io.CopyN(io.Discard, conn, int64(binary.BigEndian.Uint32(head[:]))) // it may go
				}
			}
			conn.Close()
			silent()
		}
	}()
	return func() int {
		listener.Close()
		leaving()
		<-ended
		lock.Close()
		return n
	}
}

func TestAnotherBuildThatTakesOverIsReportedUntilItGoes(t *testing.T) {
	w := newTree(t, harbour)
	own, attached := w.open(), w.open()
	own.index()
	await, _ := attached.follow()
	await("ready", named(session.Ready))
	leave := w.impostor("older", "older")
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

func TestAQuestionThatOwnersDoNotSurviveIsAskedAFewTimesOnly(t *testing.T) {
	w := newTree(t, harbour)
	own, attached := w.open(), w.open()
	own.index()
	leave := w.impostor(attach.Protocol(), "this")
	own.close()
	_, err := attached.Search(t.Context(), session.Search{Query: "Sail"})
	if err == nil || !strings.Contains(err.Error(), "have gone while they were asked this") {
		t.Errorf("a question that ends every connection: %v", err)
	}
	if n := leave(); n > 4 {
		t.Errorf("it was asked over %d connections, want a few", n)
	}
	if got := attached.find("Sail"); !strings.Contains(got, "Ship.Sail") {
		t.Errorf("afterwards the client finds %q", got)
	}
}

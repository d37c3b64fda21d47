package attach_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ambit/server/api"
	"ambit/server/attach"
	"ambit/server/rpc"
	"ambit/server/workspace"
)

// impostor takes the lock file from the owner of a workspace and listens in its place,
// until the caller calls leave. It says hello as that build, and ends each connection
// when it is asked a question. Leave returns the number of connections.
func (w *tree) impostor(build string) (leave func() int) {
	w.t.Helper()
	folder := w.folder()
	short, err := os.MkdirTemp("", "") // the path of a socket has room for 107 bytes
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { os.RemoveAll(short) })
	path, socket := filepath.Join(folder, workspace.LockName), filepath.Join(short, "other.sock")
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
			silent := context.AfterFunc(left, func() { conn.Close() }) // an attached process need not ask
			in := rpc.NewConn(conn, rpc.Options{})
			for i := range 2 { // the hello and a question
				if _, err := in.Read(); err == nil && i == 0 { // it may end before
					write(conn, frame(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"result":{"build":%q,"pid":4711}}`, build)))
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
	await("ready", named(api.StateReady))
	leave := w.impostor("older")
	own.close()
	_, err := attached.Search(t.Context(), api.SearchQuestion{Query: "Sail"})
	if !errors.Is(err, attach.ErrOther) || !strings.Contains(err.Error(), "process 4711") {
		t.Errorf("while another build has the index: %v", err)
	}
	leave()
	await("ready as the owner", func(st api.State) bool {
		return st.State == api.StateReady && attached.owns()
	})
	if got := attached.find("Sail"); !strings.Contains(got, "ship.go Sail") {
		t.Errorf("when it has gone the client finds %q", got)
	}
}

func TestAQuestionThatOwnersDoNotSurviveIsAskedAFewTimesOnly(t *testing.T) {
	w := newTree(t, harbour)
	own, attached := w.open(), w.open()
	own.index()
	leave := w.impostor("this")
	own.close()
	_, err := attached.Search(t.Context(), api.SearchQuestion{Query: "Sail"})
	if err == nil || !strings.Contains(err.Error(), "have ended during this question") {
		t.Errorf("a question that ends every connection: %v", err)
	}
	if n := leave(); n > 4 {
		t.Errorf("it was asked over %d connections, want a few", n)
	}
	if got := attached.find("Sail"); !strings.Contains(got, "ship.go Sail") {
		t.Errorf("afterwards the client finds %q", got)
	}
}

package attach_test

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ambit/server/attach"
	"ambit/server/session"
)

// folder returns the folder of the index.
func (w *tree) folder() string {
	w.t.Helper()
	found, err := filepath.Glob(filepath.Join(w.cache, "*", "index.db"))
	if err != nil || len(found) != 1 {
		w.t.Fatalf("got indexes %q, %v; want one", found, err)
	}
	return filepath.Dir(found[0])
}

// socket returns where the owner listens, "" when nobody does.
func (w *tree) socket() string {
	w.t.Helper()
	data, err := os.ReadFile(filepath.Join(w.folder(), attach.LockName))
	if err != nil {
		w.t.Fatal(err)
	}
	_, socket, _ := strings.Cut(string(data), "\n")
	return strings.TrimSpace(socket)
}

// dial connects to the owner and says nothing.
func (w *tree) dial() net.Conn {
	w.t.Helper()
	conn, err := net.Dial("unix", w.socket())
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { conn.Close() })
	return conn
}

// hello is a frame with the hello of a process that the owner understands.
func hello(t *testing.T) []byte {
	t.Helper()
	data, err := json.Marshal(map[string]any{"protocol": attach.Protocol(), "build": "this", "pid": 1})
	if err != nil {
		t.Fatal(err)
	}
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(data))), data...)
}

// sentAway waits until the owner has closed the connection.
func sentAway(t *testing.T, what string, conn net.Conn) {
	t.Helper()
	if _, err := io.Copy(io.Discard, conn); err != nil && !strings.Contains(err.Error(), "reset by peer") {
		t.Errorf("%s: %v", what, err)
	}
}

// write sends data; the owner may have closed the connection before all is there.
func write(conn net.Conn, data []byte) { _, _ = conn.Write(data) }

func TestGarbageEndsItsOwnConnectionOnly(t *testing.T) {
	w := newTree(t, harbour)
	own, attached := w.open(), w.open()
	own.index()
	greeted := func(frames ...[]byte) []byte { return slices.Concat(append([][]byte{hello(t)}, frames...)...) }
	for name, data := range map[string][]byte{
		"a web browser":              []byte("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
		"zeroes":                     make([]byte, 100),
		"a frame without end":        {0xff, 0xff, 0xff, 0xff},
		"a hello that is no JSON":    append([]byte{0, 0, 0, 3}, "{{{"...),
		"a hello of another build":   append([]byte{0, 0, 0, 15}, `{"build":"old"}`...),
		"a huge frame":               greeted([]byte{0x7f, 0, 0, 0}),
		"a frame that is no message": greeted([]byte{0, 0, 0, 2, 0xff, 0xff}),
		"an unknown method":          greeted(attach.Frame(0, 1, "Burn", nil)),
		"an unknown kind":            greeted(attach.Frame(99, 1, "Search", nil)),
		"a question that is none":    greeted(attach.Frame(0, 1, "Search", []byte("\xff\xff\xff"))),
		"a tell that is none":        greeted(attach.Frame(1, 1, "SetBuffer", []byte{1})),
		"an open document that is not": greeted(attach.Frame(0, 1, "Card", attach.Marshal(attach.Place{
			Place: session.Place{File: "ship.go"}, Text: attach.Text{Open: true}}))),
		"a call that has no answer": greeted(attach.Frame(0, 1, "Pause", nil)),
		"one call twice":            greeted(attach.Frame(0, 1, "Run", nil), attach.Frame(0, 1, "Run", nil)),
	} {
		conn := w.dial()
		write(conn, data)
		sentAway(t, name, conn)
	}
	for _, k := range []*client{own, attached} {
		if got := k.find("Sail"); !strings.Contains(got, "Ship.Sail") {
			t.Errorf("after the garbage a client finds %q", got)
		}
	}
	if o := own.owner(); o.Clients != 1 {
		t.Errorf("after the garbage %d are attached, want 1", o.Clients)
	}
}

func TestRandomMessagesHarmNobody(t *testing.T) {
	w := newTree(t, harbour)
	own := w.open()
	own.index()
	random := rand.New(rand.NewPCG(5, 6))
	var names []string
	for name := range attach.Methods() {
		names = append(names, name)
	}
	slices.Sort(names)
	for range 300 {
		conn := w.dial()
		data := hello(t)
		for i := range 1 + random.IntN(4) {
			body := make([]byte, random.IntN(40))
			for j := range body {
				body[j] = byte(random.Uint32() >> random.IntN(8))
			}
			data = append(data, attach.Frame(uint8(random.IntN(3)), uint64(i), names[random.IntN(len(names))], body)...)
		}
		write(conn, data)
		conn.Close()
	}
	if got := own.find("Sail"); !strings.Contains(got, "Ship.Sail") {
		t.Errorf("the owner finds %q", got)
	}
}

func TestWhoConnectsAndIsSilentHoldsNobodyUp(t *testing.T) {
	w := newTree(t, harbour)
	own := w.open()
	own.index()
	for range 3 {
		w.dial()                                // says nothing
		write(w.dial(), hello(t)[:5])           // stops in the middle
		write(w.dial(), hello(t))               // and reads no answer
		write(w.dial(), append(hello(t), 0, 0)) // stops in the middle of a frame
	}
	attached := w.open()
	if got := attached.find("Sail"); !strings.Contains(got, "Ship.Sail") {
		t.Errorf("an attached client finds %q", got)
	}
	own.close() // does not wait for them
	if got := attached.find("Sail"); !strings.Contains(got, "Ship.Sail") {
		t.Errorf("as the next owner it finds %q", got)
	}
}

func TestTooManyConnectionsAreRefused(t *testing.T) {
	w := newTree(t, harbour)
	own := w.open()
	own.index()
	for range attach.MaxPeers {
		conn := w.dial()
		write(conn, hello(t))
		if _, err := conn.Read(make([]byte, 1)); err != nil {
			t.Fatalf("a connection among the first %d: %v", attach.MaxPeers, err)
		}
	}
	sentAway(t, "one more", w.dial())
	if got := own.find("Sail"); !strings.Contains(got, "Ship.Sail") {
		t.Errorf("the owner finds %q", got)
	}
}

func TestAnotherBuildIsToldWhoHasTheIndex(t *testing.T) {
	w := newTree(t, harbour)
	w.open()
	o := w.options()
	o.Build = "older"
	_, err := attach.Open(t.Context(), w.dir, o)
	if !errors.Is(err, attach.ErrOther) || !strings.Contains(err.Error(), fmt.Sprint("process ", os.Getpid())) || !strings.Contains(err.Error(), "end that process") {
		t.Errorf("got error %v, want %v with the process and the next step", err, attach.ErrOther)
	}
}

func TestOtherSettingsAreToldOnce(t *testing.T) {
	w := newTree(t, harbour)
	w.open()
	same, other := w.open(), w.open(func(o *attach.Options) {
		o.Session.Settings.Exclude = []string{"docs/"}
		o.Session.Settings.MaxTokens = 500
		o.Session.Settings.Budget = 17 // concerns nobody else
	})
	if got := same.Notice(); got != "" {
		t.Errorf("with the same settings: notice %q", got)
	}
	if got := other.Notice(); !strings.Contains(got, "(maxTokens, exclude)") || !strings.Contains(got, fmt.Sprint(os.Getpid())) {
		t.Errorf("with other settings: notice %q, want their names and the owner", got)
	}
}

func TestTheFilesAreTheUsersOwn(t *testing.T) {
	w := newTree(t, harbour)
	own := w.open()
	folder := w.folder()
	for path, want := range map[string]fs.FileMode{
		folder: fs.ModeDir | 0o700, w.socket(): fs.ModeSocket | 0o600, filepath.Join(folder, attach.LockName): 0o600,
	} {
		if info, err := os.Lstat(path); err != nil || info.Mode() != want {
			t.Errorf("%s has mode %v, %v; want %v", path, info.Mode(), err, want)
		}
	}
	own.close()
	if err := os.Chmod(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	w.open()
	if info, err := os.Stat(folder); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("a folder that others could read has mode %v, %v; want it closed again", info.Mode(), err)
	}
}

func TestALongPathHasItsSocketElsewhere(t *testing.T) {
	w := newTree(t, harbour)
	w.cache = filepath.Join(w.cache, strings.Repeat("long", 40))
	runtimeDir := filepath.Join("/tmp", fmt.Sprintf("ambit-test-%d", os.Getpid()))
	if err := os.Mkdir(runtimeDir, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(runtimeDir) })
	t.Setenv("XDG_RUNTIME_DIR", runtimeDir)
	own := w.open()
	own.index()
	socket := w.socket()
	if !strings.HasPrefix(socket, runtimeDir) || len(socket) > attach.MaxSocketPath {
		t.Errorf("the socket is %s, want a short path in %s", socket, runtimeDir)
	}
	t.Setenv("XDG_RUNTIME_DIR", "") // in the environment of another process
	attached := w.open()
	if got := attached.find("Sail"); !strings.Contains(got, "Ship.Sail") || attached.owner().Self {
		t.Errorf("an attached client finds %q of %+v", got, attached.owner())
	}
	own.close()
	attached.close()
	if _, err := os.Lstat(socket); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the socket %s stays behind: %v", socket, err)
	}
}

func TestWhatADeadOwnerLeftIsRemoved(t *testing.T) {
	w := newTree(t, harbour)
	own := w.open()
	folder := w.folder()
	own.close()
	if _, err := os.Lstat(filepath.Join(folder, attach.SocketName)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the socket of an owner that closed is there: %v", err)
	}
	stale := filepath.Join(t.TempDir(), "stale.sock")
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: stale, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	listener.SetUnlinkOnClose(false)
	listener.Close()
	lock := filepath.Join(folder, attach.LockName)
	for _, left := range []string{stale, filepath.Join(w.dir, "ship.go"), w.dir, "\x00", ""} {
		if err := os.WriteFile(lock, []byte("1\n"+left+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		k := w.open()
		if o := k.owner(); !o.Self {
			t.Errorf("left %q: the next says %+v, want it to own the index", left, o)
		}
		k.close()
	}
	if _, err := os.Lstat(stale); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the stale socket stays behind: %v", err)
	}
	if _, err := os.Lstat(filepath.Join(w.dir, "ship.go")); err != nil {
		t.Errorf("a file that is no socket was removed: %v", err)
	}
}

func TestASilentOwnerIsAskedAndThenNamed(t *testing.T) {
	here, there := net.Pipe()
	defer here.Close()
	defer there.Close()
	p := attach.NewPulse(here)
	defer p.Stop()
	beats := func(want bool) {
		t.Helper()
		if err := p.Beat(); (err != nil) != want {
			t.Errorf("got error %v, want one: %t", err, want)
		}
	}
	beats(false) // silent: it is asked
	p.Hear()
	beats(false) // it has answered
	beats(false) // silent again: it is asked again
	beats(true)  // and does not answer
}

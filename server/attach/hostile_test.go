package attach_test

import (
	"bytes"
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
	"testing/synctest"
	"time"

	"go.lsp.dev/jsonrpc2"

	"ambit/server/api"
	"ambit/server/attach"
	"ambit/server/rpc"
	"ambit/server/workspace"
	"ambit/vectors/record"
)

// folder returns the directory of the index.
func (w *tree) folder() string {
	w.t.Helper()
	found, err := filepath.Glob(filepath.Join(w.cache, "*", "index.db"))
	if err != nil || len(found) != 1 {
		w.t.Fatalf("got indexes %q, %v; want one", found, err)
	}
	return filepath.Dir(found[0])
}

// socket returns where the owner listens, "" without a listener.
func (w *tree) socket() string {
	w.t.Helper()
	data, err := os.ReadFile(filepath.Join(w.folder(), workspace.LockName))
	if err != nil {
		w.t.Fatal(err)
	}
	_, socket, _ := strings.Cut(string(data), "\n")
	return strings.TrimSpace(socket)
}

// dial connects to the owner and sends nothing.
func (w *tree) dial() net.Conn {
	w.t.Helper()
	conn, err := net.Dial("unix", w.socket())
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { conn.Close() })
	return conn
}

// frame is a message as it goes over the wire.
func frame(body string) []byte {
	return fmt.Appendf(nil, "Content-Length: %d\r\n\r\n%s", len(body), body)
}

// call is a frame with a call, tell one with a notification.
func call(id any, method, params string) []byte {
	return frame(fmt.Sprintf(`{"jsonrpc":"2.0","id":%v,"method":%q,"params":%s}`, id, method, params))
}

func tell(method, params string) []byte {
	return frame(fmt.Sprintf(`{"jsonrpc":"2.0","method":%q,"params":%s}`, method, params))
}

// hello is the hello of a process of the owner's build.
var hello = call(0, "hello", `{"build":"this","pid":1}`)

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
	greeted := func(frames ...[]byte) []byte { return slices.Concat(append([][]byte{hello}, frames...)...) }
	for name, data := range map[string][]byte{
		"a web browser":               []byte("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
		"zeroes":                      make([]byte, 10000),
		"a header without end":        bytes.Repeat([]byte("x"), 10000),
		"a hello that is no JSON":     frame("{{{"),
		"a hello of another build":    call(0, "hello", `{"build":"old"}`),
		"a hello that is none":        call(0, "hello", `7`),
		"a hello that is a tell":      tell("hello", `{"build":"this"}`),
		"a question before the hello": call(0, "search", `{"query":"Sail"}`),
		"a huge message":              greeted([]byte("Content-Length: 70000000\r\n\r\n")),
		"a message below 0":           greeted([]byte("Content-Length: -7\r\n\r\n")),
		"a frame that is no message":  greeted(frame("\xff\xff")),
		"a batch":                     greeted(frame(`[{"jsonrpc":"2.0","id":1,"method":"status","params":{}}]`)),
		"an answer":                   greeted(frame(`{"jsonrpc":"2.0","id":1,"result":{}}`)),
		"an unknown method":           greeted(call(1, "burn", `{}`)),
		"an unknown notification":     greeted(tell("burn", `{}`)),
		"a second hello":              greeted(hello),
		"a question that is none":     greeted(call(1, "search", `"\u0000"`)),
		"a question without number":   greeted(call(`"x"`, "search", `{"query":"Sail"}`)),
		"a position below 0":          greeted(call(1, "hover", `{"textDocument":{"path":"ship.go"},"position":{"line":-1,"character":0}}`)),
		"a document that is none":     greeted(tell("setDocument", `[]`)),
		"a cancellation of nothing":   greeted(tell("$/cancelRequest", `{"id":"x"}`)),
		"a call that has no answer":   greeted(call(1, "pause", `{}`)),
		"a tell that has an answer":   greeted(tell("run", `{}`)),
		"one call twice":              greeted(call(1, "run", `{}`), call(1, "run", `{}`)),
	} {
		conn := w.dial()
		write(conn, data)
		sentAway(t, name, conn)
	}
	for _, k := range []*client{own, attached} {
		if got := k.find("Sail"); !strings.Contains(got, "ship.go Sail") {
			t.Errorf("after the garbage a client finds %q", got)
		}
	}
	if n := own.status().Clients; n != 1 {
		t.Errorf("after the garbage %d are attached, want 1", n)
	}
}

func TestRandomMessagesHarmNoOtherConnection(t *testing.T) {
	w := newTree(t, harbour)
	own := w.open()
	own.index()
	random := rand.New(rand.NewPCG(5, 6))
	calls, tells := attach.Methods()
	slices.Sort(calls)
	slices.Sort(tells)
	names := append(calls, tells...)
	pieces := []string{`{`, `}`, `[`, `]`, `:`, `,`, `"`, `1`, `-1`, `1e99`, `null`, `true`, `"path"`, `"query"`, `"text"`, `"textDocument":{"path":"ship.go"}`, `"position"`, "\xff", "\x00"}
	for range 300 {
		conn := w.dial()
		data := hello
		for i := range 1 + random.IntN(4) {
			var params strings.Builder
			for range random.IntN(8) {
				params.WriteString(pieces[random.IntN(len(pieces))])
			}
			name, p := names[random.IntN(len(names))], []string{params.String(), "{" + params.String() + "}", `{"query":"wait"}`}[random.IntN(3)]
			if random.IntN(2) == 0 {
				data = slices.Concat(data, call(i, name, p))
			} else {
				data = slices.Concat(data, tell(name, p))
			}
		}
		write(conn, data)
		conn.Close()
	}
	if got := own.find("Sail"); !strings.Contains(got, "ship.go Sail") {
		t.Errorf("the owner finds %q", got)
	}
}

// nextResponse reads up to the next response.
func nextResponse(t *testing.T, in *rpc.Conn) *jsonrpc2.Response {
	t.Helper()
	for {
		body, err := in.Read()
		if err != nil {
			t.Fatal(err)
		}
		m, err := jsonrpc2.DecodeMessage(body)
		if err != nil {
			t.Fatal(err)
		}
		if r, ok := m.(*jsonrpc2.Response); ok {
			return r
		}
	}
}

// A process that asks without reading, or asks too much, harms no other process.
func TestTooManyCallsAreRefused(t *testing.T) {
	w := newTree(t, harbour)
	own := w.open()
	own.index()
	conn := w.dial()
	write(conn, hello)
	for id := range attach.MaxCalls {
		write(conn, call(id+1, "run", `{}`)) // has no end
	}
	write(conn, call(100_000, "status", `{}`))
	answers := rpc.NewConn(conn, rpc.Options{})
	r := nextResponse(t, answers)
	for r.ID() != jsonrpc2.NewNumberID(100_000) {
		r = nextResponse(t, answers)
	}
	if r.Err() == nil || !strings.Contains(r.Err().Error(), "too many questions at once") {
		t.Errorf("one call more is answered with %v", r.Err())
	}
	if got := own.find("Sail"); !strings.Contains(got, "ship.go Sail") {
		t.Errorf("the owner finds %q", got)
	}
}

func TestTooLargeCallsAreRefused(t *testing.T) {
	w := newTree(t, harbour)
	own := w.open()
	own.index()
	conn := w.dial()
	write(conn, hello)
	answers := rpc.NewConn(conn, rpc.Options{})
	go func() {
		for id := range 3 { // the first two have no end
			write(conn, call(id+1, "run", `{"padding":"`+strings.Repeat("x", attach.MaxCallBytes*2/5)+`"}`))
		}
	}()
	r := nextResponse(t, answers)
	for r.ID() == jsonrpc2.NewNumberID(0) { // of the hello
		r = nextResponse(t, answers)
	}
	if r.ID() != jsonrpc2.NewNumberID(3) || r.Err() == nil || !strings.Contains(r.Err().Error(), "too many questions at once") {
		t.Errorf("call %v is answered with %v", r.ID(), r.Err())
	}
}

func TestTooLargeDocumentsAreRefused(t *testing.T) {
	w := newTree(t, harbour)
	own := w.open()
	own.index()
	attached := w.open()
	attached.SetDocument(document("big.go", strings.Repeat("x", 70<<20), 1))
	_, err := attached.Search(t.Context(), api.SearchQuestion{Query: "Sail"})
	if err == nil || !strings.Contains(err.Error(), "big.go: message too large: 70 MB") {
		t.Errorf("with a document that is too large: %v", err)
	}
	attached.CloseDocument("big.go")
	if got := attached.find("Sail"); !strings.Contains(got, "ship.go Sail") {
		t.Errorf("without it the client finds %q", got)
	}
}

// keptDocuments are the documents that a workspace has, by path.
type keptDocuments struct {
	api.Workspace
	open map[record.Path]int
}

func (k keptDocuments) SetDocument(d *api.Document)    { k.open[d.Path] = len(d.Text) }
func (k keptDocuments) CloseDocument(path record.Path) { delete(k.open, path) }

func TestTheDocumentsOfAnAttachedProcessAreBounded(t *testing.T) {
	const n = 8
	text := strings.Repeat("x", attach.MaxOpenBytes/n) // one text for all documents
	kept := keptDocuments{open: map[record.Path]int{}}
	p := attach.NewAttached(kept)
	open := func(i int, text string) error {
		return p.Open(*document(fmt.Sprintf("d%d.go", i), text, 1))
	}
	for range 2 { // the second time each takes the place of itself
		for i := range n {
			if err := open(i, text); err != nil {
				t.Fatalf("document %d of %d, with which the bound is reached: %v", i, n, err)
			}
		}
	}
	if err := p.CloseDocument("d0.go"); err != nil {
		t.Fatal(err)
	}
	if err := open(n, text); err != nil {
		t.Fatalf("a document in the place of a closed one: %v", err)
	}
	if err := open(n+1, "x"); err == nil || !strings.Contains(err.Error(), "documents of 512 MB are open") {
		t.Errorf("a byte more than %d MB: %v", attach.MaxOpenBytes>>20, err)
	}
	if len(kept.open) != n || kept.open["d9.go"] != 0 {
		t.Errorf("the workspace has %d documents, want %d", len(kept.open), n)
	}
}

func TestAProcessThatConnectsAndIsSilentDelaysNoOther(t *testing.T) {
	w := newTree(t, harbour)
	own := w.open()
	own.index()
	for range 3 {
		w.dial()                                                           // says nothing
		write(w.dial(), hello[:5])                                         // stops in the middle
		write(w.dial(), hello)                                             // and reads no answer
		write(w.dial(), slices.Concat(hello, []byte("Content-Length: 9"))) // stops in the middle of a frame
	}
	attached := w.open()
	if got := attached.find("Sail"); !strings.Contains(got, "ship.go Sail") {
		t.Errorf("an attached client finds %q", got)
	}
	own.close() // does not wait for them
	if got := attached.find("Sail"); !strings.Contains(got, "ship.go Sail") {
		t.Errorf("as the next owner it finds %q", got)
	}
}

func TestTooManyConnectionsAreRefused(t *testing.T) {
	w := newTree(t, harbour)
	own := w.open()
	own.index()
	for range attach.MaxPeers {
		conn := w.dial()
		write(conn, hello)
		if _, err := conn.Read(make([]byte, 1)); err != nil {
			t.Fatalf("a connection among the first %d: %v", attach.MaxPeers, err)
		}
	}
	sentAway(t, "one more", w.dial())
	if got := own.find("Sail"); !strings.Contains(got, "ship.go Sail") {
		t.Errorf("the owner finds %q", got)
	}
}

func TestTheErrorOfAnotherBuildNamesTheOwner(t *testing.T) {
	w := newTree(t, harbour)
	w.open()
	o := w.options()
	o.Build = "older"
	_, err := attach.Open(t.Context(), w.dir, opener{root: w.dir}, o)
	if !errors.Is(err, attach.ErrOther) || !strings.Contains(err.Error(), fmt.Sprint("process ", os.Getpid())) || !strings.Contains(err.Error(), "end that process") {
		t.Errorf("got error %v, want %v with the process and the next step", err, attach.ErrOther)
	}
}

// settings sets a budget, which holds for this client alone, and the settings of an index.
func settings(budget int, exclude, maxTokens string) func(*attach.Options) {
	return func(o *attach.Options) {
		o.Budget, o.Settings = budget, map[string]string{"exclude": exclude, "maxTokens": maxTokens, "astChunking": "true"}
	}
}

func TestOtherSettingsAreNamedOnce(t *testing.T) {
	w := newTree(t, harbour)
	w.open(settings(0, "", "400"))
	same, other := w.open(settings(0, "", "400")), w.open(settings(17, "docs/", "500"))
	if got := same.Notice(); got != "" {
		t.Errorf("with the same settings: notice %q", got)
	}
	if got := other.Notice(); !strings.Contains(got, "(exclude, maxTokens)") || !strings.Contains(got, fmt.Sprint(os.Getpid())) {
		t.Errorf("with other settings: notice %q, want their names and the owner", got)
	}
}

func TestTheFilesAreTheUsersOwn(t *testing.T) {
	w := newTree(t, harbour)
	own := w.open()
	folder := w.folder()
	for path, want := range map[string]fs.FileMode{
		folder: fs.ModeDir | 0o700, w.socket(): fs.ModeSocket | 0o600, filepath.Join(folder, workspace.LockName): 0o600,
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
	if !strings.HasPrefix(socket, runtimeDir) || len(socket) > workspace.MaxSocketPath {
		t.Errorf("the socket is %s, want a short path in %s", socket, runtimeDir)
	}
	t.Setenv("XDG_RUNTIME_DIR", "") // in the environment of another process
	attached := w.open()
	if got := attached.find("Sail"); !strings.Contains(got, "ship.go Sail") || attached.owns() {
		t.Errorf("an attached client finds %q, and owns the index: %t", got, attached.owns())
	}
	own.close()
	attached.close()
	if _, err := os.Lstat(socket); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the socket %s stays behind: %v", socket, err)
	}
}

func TestTheSocketOfADeadOwnerIsRemoved(t *testing.T) {
	w := newTree(t, harbour)
	own := w.open()
	folder := w.folder()
	own.close()
	if _, err := os.Lstat(filepath.Join(folder, workspace.SocketName)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the socket of an owner that closed is there: %v", err)
	}
	stale := filepath.Join(t.TempDir(), "stale.sock")
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: stale, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	listener.SetUnlinkOnClose(false)
	listener.Close()
	lock := filepath.Join(folder, workspace.LockName)
	for _, left := range []string{stale, filepath.Join(w.dir, "ship.go"), w.dir, "\x00", ""} {
		if err := os.WriteFile(lock, []byte("1\n"+left+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		k := w.open()
		if !k.owns() {
			t.Errorf("left %q: the next does not own the index", left)
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
	synctest.Test(t, func(t *testing.T) {
		here, there := net.Pipe()
		r := attach.NewRemote(here)
		in, begun := rpc.NewConn(there, rpc.Options{}), time.Now()
		answering := true
		var silentAt time.Duration
		go func() { // the owner answers pings for a minute
			for {
				body, err := in.Read()
				if err != nil {
					return
				}
				m, _ := jsonrpc2.DecodeMessage(body)
				if c, ok := m.(*jsonrpc2.Call); ok && c.Method() == "ping" && answering {
					if time.Since(begun) > time.Minute {
						answering, silentAt = false, time.Since(begun)
						continue
					}
					in.Reply(c.ID(), nil, nil)
				}
			}
		}()
		go in.Write(there)
		err := r.Search(t.Context())
		if err == nil || !strings.Contains(err.Error(), "process 4711, which has the index of /w, does not answer; continue it (kill -CONT 4711) or end it") {
			t.Errorf("a call of a silent owner: %v", err)
		}
		took := time.Since(begun)
		there.Close()
		r.Close()
		in.Close()
		synctest.Wait()
		if took < time.Minute || took != silentAt+attach.Silence {
			t.Errorf("it took %v, want %v after the owner fell silent", took, attach.Silence)
		}
	})
}

package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ambit/server/lsp/lsptest"
	"ambit/vectors/store"
	"ambit/vectors/storetest"
)

// desk is a workspace that processes share.
type desk struct {
	t        testing.TB
	dir, uri string
	model    *lsptest.Model
}

func newDesk(t testing.TB, files map[string]string) *desk {
	t.Helper()
	for _, name := range []string{"XDG_CACHE_HOME", "XDG_CONFIG_HOME"} {
		t.Setenv(name, t.TempDir())
	}
	t.Setenv("GORACE", "atexit_sleep_ms=0")
	model, err := lsptest.LoadModel("../../testdata/protocol/metaModel.json")
	if err != nil {
		t.Fatal(err)
	}
	d := &desk{t: t, model: model}
	d.dir, d.uri = folder(t, files)
	return d
}

// killRounds is the number of killed owners; a round takes a quarter of a second.
const killRounds = 8

// worker is an editor whose server is another process.
type worker struct {
	*lsptest.Editor
	pid  int
	name string // of the function in its unsaved document
}

// worker starts an editor and opens an unsaved document in it, with a function of that
// name.
func (d *desk) worker(name string, uris ...string) *worker {
	d.t.Helper()
	if len(uris) == 0 {
		uris = []string{d.uri}
	}
	command := exec.Command("ambit", "lsp")
	var stderr strings.Builder
	command.Stderr = &stderr
	w := &worker{Editor: lsptest.Launch(d.t, d.model, command), pid: command.Process.Pid, name: name}
	d.t.Cleanup(func() {
		w.Close()
		if stderr.Len() > 0 {
			d.t.Errorf("the server of %s wrote to standard error:\n%s", name, &stderr)
		}
	})
	w.Begin(lsptest.Client{Folders: uris, Options: lsptest.Object{"statusNotifications": true}})
	for _, uri := range uris {
		w.Await("ambit/status", isReady(uri))
	}
	w.Open(uris[0]+"/"+name+".go", "go", "package shop\n\nfunc "+name+"() int { return priceOf(Item{}) }\n")
	return w
}

// ambit runs a command and returns its output.
func (d *desk) ambit(args ...string) string {
	d.t.Helper()
	command := exec.Command("ambit", args...)
	command.Dir = d.dir
	var stderr strings.Builder
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		d.t.Fatalf("ambit %q: %v\n%s", args, err, &stderr)
	}
	return string(out) + stderr.String()
}

// owner returns the process that owns the index, 0 for none, and the number of processes
// attached to it.
func (d *desk) owner() (pid, clients int) {
	d.t.Helper()
	var st struct {
		PID     int `json:"owner_pid"`
		Clients int `json:"clients"`
	}
	if err := json.Unmarshal([]byte(d.ambit("status", "--json")), &st); err != nil {
		d.t.Fatal(err)
	}
	return st.PID, st.Clients
}

// attached waits until that many processes are attached to the owner, and returns the
// owner, which notices the end of a command with a delay.
func (d *desk) attached(want int) (pid int) {
	d.t.Helper()
	for {
		pid, clients := d.owner()
		if clients == want {
			return pid
		}
		d.t.Logf("%d processes are attached to %d, not yet %d", clients, pid, want)
	}
}

// index returns the path of the one index.
func (d *desk) index() string {
	d.t.Helper()
	found, err := filepath.Glob(filepath.Join(os.Getenv("XDG_CACHE_HOME"), "ambit", "*", "index.db"))
	if err != nil || len(found) != 1 {
		d.t.Fatalf("got indexes %q, %v; want one", found, err)
	}
	return found[0]
}

// tidy checks the files of the index when no process has it open.
func (d *desk) tidy() {
	d.t.Helper()
	path := d.index()
	db, err := store.Open(path, store.Options{})
	if err != nil {
		d.t.Fatalf("open the index without an owner: %v", err)
	}
	defer db.Close()
	if err := storetest.Check(context.Background(), db); err != nil {
		d.t.Errorf("check the index: %v", err)
	}
	if lock, err := os.ReadFile(filepath.Join(filepath.Dir(path), "owner.lock")); err != nil || len(bytes.TrimSpace(lock)) > 0 {
		d.t.Errorf("the lock file says %q, %v", lock, err)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		d.t.Fatal(err)
	}
	for _, e := range entries {
		if e.Type() == fs.ModeSocket {
			d.t.Errorf("the socket %s stays behind", e.Name())
		}
	}
}

// search searches in an editor.
func (w *worker) search(t testing.TB, query string) string {
	t.Helper()
	return command(t, w.Editor, "ambit.search", lsptest.Object{"query": query})
}

func TestTheServerAndTheCommandLineReturnTheSameJSON(t *testing.T) {
	d := newDesk(t, shop)
	e := edit(t, d.uri)
	place := lsptest.At(d.uri+"/cart.go", 6, 15)
	with := func(o lsptest.Object, name, value string) lsptest.Object {
		o = maps.Clone(o)
		o[name] = value
		return o
	}
	for _, tt := range []struct {
		argument lsptest.Object
		args     []string
	}{
		{place, []string{"context", "--json", "cart.go:7:16"}},
		{with(place, "format", "json"), []string{"context", "--format", "json", "cart.go:7:16"}},
		{with(place, "format", "xml"), []string{"context", "--json", "--format", "xml", "cart.go:7:16"}},
		{lsptest.Object{"query": "how are prices summed up?"}, []string{"context", "--json", "--query", "how are prices summed up?"}},
	} {
		var wire, printed map[string]any
		if err := json.Unmarshal([]byte(command(t, e, "ambit.context", tt.argument)), &wire); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(d.ambit(tt.args...)), &printed); err != nil {
			t.Fatal(err)
		}
		delete(wire, "freshness") // depends on the process
		delete(printed, "freshness")
		if diff := cmp.Diff(printed, wire); diff != "" {
			t.Errorf("%q (-printed +wire):\n%s", tt.args, diff)
		}
		if text, _ := wire["text"].(string); tt.argument["format"] == "json" && !strings.HasPrefix(text, "=== CODEBASE CONTEXT ===") {
			t.Errorf("the text of an answer in JSON is %.40q, want the plain one", text)
		}
	}
}

func TestCommandsAnswerWhileAnEditorIsOpen(t *testing.T) {
	d := newDesk(t, shop)
	editor := d.worker("okapi")
	holds(t, "context", d.ambit("context", "--json", "cart.go:7:16"), `"identifier":"Cart.Total"`, `"identifier":"priceOf"`, `"pending":0`)
	holds(t, "context in colours", d.ambit("context", "--format", "human", "--query", "how are prices summed up?"), "Cart.Total")
	if err := os.WriteFile(filepath.Join(d.dir, "new.go"), []byte("package shop\n\nfunc walrus() {}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	holds(t, "search for what was just saved", d.ambit("search", "walrus"), "new.go:3-3  walrus")
	holds(t, "chunks of what was just saved", d.ambit("chunks", "new.go"), "walrus")
	lacks(t, "search for what another process has not saved", d.ambit("search", "okapi"), "okapi")
	holds(t, "the editor", editor.search(t, "okapi"), `"identifier":"okapi"`)
	holds(t, "index", d.ambit("index"), "is up to date")
	holds(t, "rebuild", d.ambit("index", "--rebuild"), fmt.Sprintf("process %d has it open and read 7 files again", editor.pid))
	d.attached(0)
	holds(t, "status", d.ambit("status"), fmt.Sprintf("open in    process %d, to which ", editor.pid))
	if err := editor.Finish(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
	if pid, _ := d.owner(); pid != 0 {
		t.Errorf("process %d has the index, want none", pid)
	}
	d.tidy()
}

func TestTwoEditorsOnFoldersOfOneRepository(t *testing.T) {
	files := map[string]string{".git/HEAD": "ref: refs/heads/main\n"}
	for name, text := range shop {
		files["web/"+name] = text
	}
	files["api/serve.go"] = "package api\n\nfunc serveOrders() {}\n"
	d := newDesk(t, files)
	web, api, both := d.worker("one", d.uri+"/web"), d.worker("two", d.uri+"/api"), d.worker("three", d.uri+"/web", d.uri+"/api")
	holds(t, "the editor of web", web.search(t, "priceOf"), "web/item.go")
	lacks(t, "the editor of web", web.search(t, "serveOrders"), "serve.go")
	holds(t, "the editor of api", api.search(t, "serveOrders"), "api/serve.go")
	holds(t, "the editor of both", both.search(t, "serveOrders priceOf"), "api/serve.go", "web/item.go")
	web.Kill()
	api.Kill()
	holds(t, "the editor of both, when the owners were killed", both.search(t, "serveOrders priceOf"), "api/serve.go", "web/item.go")
	holds(t, "a command", d.ambit("search", "--root", filepath.Join(d.dir, "web"), "priceOf"), "item.go")
}

// A round kills the owner, or ends it by a signal, while the other processes ask
// questions, which are answered as always. There are killRounds; AMBIT_SEEDS sets another
// number.
func TestKilledOwnersAreFollowed(t *testing.T) {
	d := newDesk(t, shop)
	var workers []*worker
	n := 0
	hire := func() {
		n++
		workers = append(workers, d.worker("animal"+strconv.Itoa(n)))
	}
	for range 3 {
		hire()
	}
	rounds := killRounds
	if text := os.Getenv("AMBIT_SEEDS"); text != "" {
		var err error
		if rounds, err = strconv.Atoi(text); err != nil {
			t.Fatalf("AMBIT_SEEDS: %v", err)
		}
	}
	for round := range rounds {
		pid := d.attached(2)
		var owner *worker
		var others []*worker
		for _, w := range workers {
			if w.pid == pid {
				owner = w
			} else {
				others = append(others, w)
			}
		}
		if owner == nil {
			t.Fatalf("round %d: the owner %d is none of the editors", round, pid)
		}
		var asked []*lsptest.Pending
		for i := range 10 {
			for _, w := range others {
				asked = append(asked, w.GoCommand("ambit.context", lsptest.Object{"query": "price of an item " + strconv.Itoa(i)}))
			}
		}
		if round%4 == 3 {
			if err := owner.Finish(); err != nil {
				t.Errorf("round %d: the owner ended with %v", round, err)
			}
		} else {
			owner.Kill()
		}
		for _, p := range asked {
			var answer json.RawMessage
			if err := p.Await(&answer); err != nil || !strings.Contains(string(answer), "priceOf") {
				t.Errorf("round %d: a question that was under way: %v, %s", round, err, answer)
			}
		}
		for _, w := range others {
			holds(t, w.name, w.search(t, w.name), `"identifier":"`+w.name+`"`)
			for _, other := range workers {
				if other != w {
					lacks(t, w.name, w.search(t, other.name), `"identifier":"`+other.name+`"`)
				}
			}
		}
		name := fmt.Sprintf("saved%d.go", round)
		if err := os.WriteFile(filepath.Join(d.dir, name), []byte("package shop\n\nfunc saved"+strconv.Itoa(round)+"() {}\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		holds(t, "a command", d.ambit("search", "saved"+strconv.Itoa(round)), name)
		workers = others
		hire()
	}
	for _, w := range workers {
		if err := w.Finish(); err != nil {
			t.Errorf("%s ended with %v", w.name, err)
		}
	}
	d.tidy()
}

func TestAnEditorTakesOverFromACommandThatIsKilled(t *testing.T) {
	files := map[string]string{".git/HEAD": "ref: refs/heads/main\n"}
	const nFiles = 1500
	for i := range nFiles {
		files[fmt.Sprintf("d%d/f%d.go", i%30, i)] = "package d\n" + strings.Repeat(fmt.Sprintf("\n// Work%d does the work.\nfunc Work%d() { Work%d() }\n", i, i, i+1), 20)
	}
	d := newDesk(t, files)
	index := exec.Command("ambit", "index", "--root", d.dir)
	if err := index.Start(); err != nil {
		t.Fatal(err)
	}
	w := &worker{Editor: lsptest.Launch(t, d.model, exec.Command("ambit", "lsp"))}
	w.Begin(lsptest.Client{Folders: []string{d.uri}, Options: lsptest.Object{"statusNotifications": true}})
	w.Await("ambit/status", func(raw json.RawMessage) bool { return !hasState("starting")(raw) }) // indexing, or ready after a quick command
	if err := index.Process.Kill(); err != nil {
		t.Logf("the command was done before: %v", err)
	}
	if err := index.Wait(); err == nil {
		t.Log("the command was done before it was killed")
	}
	w.Await("ambit/status", func(raw json.RawMessage) bool {
		var st struct {
			State string
			Files int
		}
		return json.Unmarshal(raw, &st) == nil && st.State == "ready" && st.Files == nFiles
	})
	holds(t, "the editor", w.search(t, "Work777"), "f777.go")
	if err := w.Finish(); err != nil {
		t.Errorf("the server ended with %v", err)
	}
	d.tidy()
}

// BenchmarkTakeOver kills the owner of the index of a tree and reports the time of the
// next answer to an attached editor, which includes opening the index. For comparison it
// reports the time of an answer of a living owner, and of a command that opens the index.
func BenchmarkTakeOver(b *testing.B) {
	tree := benchTree(b)
	d := newDesk(b, nil)
	d.dir, d.uri = tree, "file://"+tree
	run(b, "ambit", "index", "--root", tree)
	var gaps, answers []time.Duration
	next := d.worker("okapi")
	for b.Loop() {
		owner := next
		next = d.worker("okapi")
		ask := func() time.Duration {
			start := time.Now()
			next.search(b, "priceOf")
			return time.Since(start)
		}
		ask()
		answers = append(answers, ask())
		owner.Kill()
		gaps = append(gaps, ask())
	}
	if err := next.Finish(); err != nil {
		b.Errorf("the server ended with %v", err)
	}
	var commands []time.Duration
	for range 5 {
		commands = append(commands, run(b, "ambit", "search", "--root", tree, "priceOf").wall)
	}
	b.ReportMetric(median(commands), "command-ms")
	b.ReportMetric(median(gaps), "takeover-ms")
	b.ReportMetric(median(answers), "attached-answer-ms")
}

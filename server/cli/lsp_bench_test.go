package cli_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// BenchmarkLSP opens a tree in a server of its own, indexes a second folder over and
// over beside it, and reports the waits of an editor: for the context at a
// declaration, for a hover on a use, and for a search to find a name just typed into a
// file of 1,000 lines. A quiet context is one while nothing is indexed. It compares the
// server's memory, without the pages of the index
// file, after ten contexts with that after a thousand, once each open document has
// been looked at.
func BenchmarkLSP(b *testing.B) {
	tree := benchTree(b)
	b.Setenv("XDG_CACHE_HOME", b.TempDir())
	run(b, "ambit", "index", "--root", tree)
	other := filepath.Join(b.TempDir(), "other")
	if err := os.CopyFS(other, os.DirFS(filepath.Join(tree, "net"))); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		p := startServer(b, tree, other)
		places := openPlaces(b, p, tree)
		ask := func(i int) time.Duration {
			at := places[i%len(places)]
			return p.time("workspace/executeCommand", object{"command": "ambit.context", "arguments": []any{at}})
		}
		for i := range len(places) + 10 { // each document is parsed when it is first asked about
			ask(i)
		}
		after10 := p.memory(b)
		stop := p.keepIndexing("file://" + other)
		var contexts, hovers, edits []time.Duration
		for i := range 200 {
			contexts = append(contexts, ask(i))
			hovers = append(hovers, p.time("textDocument/hover", places[i%len(places)]))
		}
		edits = p.edits(b, tree, 50)
		stop()
		for i := range 100 {
			ask(i)
		}
		after100 := p.memory(b)
		var quiet []time.Duration
		for i := range 1000 {
			quiet = append(quiet, ask(i))
		}
		after1000 := p.memory(b)
		p.end()
		b.ReportMetric(quantile(contexts, 0.5), "context-p50-ms")
		b.ReportMetric(quantile(contexts, 0.95), "context-p95-ms")
		b.ReportMetric(quantile(quiet, 0.5), "quiet-context-p50-ms")
		b.ReportMetric(quantile(quiet, 0.95), "quiet-context-p95-ms")
		b.ReportMetric(quantile(hovers, 0.5), "hover-p50-ms")
		b.ReportMetric(quantile(hovers, 0.95), "hover-p95-ms")
		b.ReportMetric(quantile(edits, 0.5), "edit-p50-ms")
		b.ReportMetric(quantile(edits, 0.95), "edit-p95-ms")
		b.ReportMetric(after10, "MB-after-10")
		b.ReportMetric(after100, "MB-after-100")
		b.ReportMetric(after1000, "MB-after-1000")
	}
}

type object = map[string]any

// serverProcess is ambit lsp with a minimal client.
type serverProcess struct {
	b       *testing.B
	command *exec.Cmd
	in      io.WriteCloser

	mu      sync.Mutex // guards all fields below
	n       int
	pending map[int]chan json.RawMessage
	ready   chan struct{} // holds a value for each folder that became ready
	state   string        // the latest of any folder
	since   time.Time
}

// startServer starts a server with folders and waits until all are ready.
func startServer(b *testing.B, folders ...string) *serverProcess {
	b.Helper()
	p := &serverProcess{b: b, command: exec.Command("ambit", "lsp"), pending: map[int]chan json.RawMessage{}, ready: make(chan struct{}, 1000)}
	p.command.Stderr = os.Stderr
	in, err := p.command.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := p.command.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	p.in = in
	if err := p.command.Start(); err != nil {
		b.Fatal(err)
	}
	go p.read(bufio.NewReader(out))
	list := []object{}
	for _, f := range folders {
		list = append(list, object{"uri": "file://" + f, "name": filepath.Base(f)})
	}
	p.call("initialize", object{"processId": nil, "rootUri": nil, "capabilities": object{}, "workspaceFolders": list,
		"initializationOptions": object{"statusNotifications": true}})
	p.notify("initialized", object{})
	for range folders {
		<-p.ready
	}
	return p
}

// read reads the output of the server until it ends.
func (p *serverProcess) read(r *bufio.Reader) {
	for {
		length := 0
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			if line = strings.TrimSpace(line); line == "" {
				break
			}
			if rest, ok := strings.CutPrefix(line, "Content-Length: "); ok {
				length, _ = strconv.Atoi(rest)
			}
		}
		body := make([]byte, length)
		if _, err := io.ReadFull(r, body); err != nil {
			return
		}
		var m struct {
			ID     *int
			Method string
			Params struct{ State string }
			Result json.RawMessage
			Error  json.RawMessage
		}
		if err := json.Unmarshal(body, &m); err != nil {
			continue
		}
		if m.Method == "ambit/status" {
			p.mu.Lock()
			if p.state != m.Params.State {
				p.state, p.since = m.Params.State, time.Now()
			}
			p.mu.Unlock()
		}
		if m.Method == "ambit/status" && m.Params.State == "ready" {
			select {
			case p.ready <- struct{}{}:
			default: // the channel is no longer read
			}
		}
		if m.ID != nil && m.Method == "" {
			if m.Error != nil {
				p.b.Logf("%s", m.Error)
			}
			p.mu.Lock()
			done := p.pending[*m.ID]
			delete(p.pending, *m.ID)
			p.mu.Unlock()
			done <- m.Result
		}
	}
}

func (p *serverProcess) write(message object) {
	message["jsonrpc"] = "2.0"
	body, err := json.Marshal(message)
	if err != nil {
		panic(err)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	fmt.Fprintf(p.in, "Content-Length: %d\r\n\r\n%s", len(body), body)
}

func (p *serverProcess) notify(method string, params any) {
	p.write(object{"method": method, "params": params})
}

func (p *serverProcess) call(method string, params any) json.RawMessage {
	done := make(chan json.RawMessage, 1)
	p.mu.Lock()
	p.n++
	id := p.n
	p.pending[id] = done
	p.mu.Unlock()
	p.write(object{"id": id, "method": method, "params": params})
	return <-done
}

// time returns the time of a request.
func (p *serverProcess) time(method string, params any) time.Duration {
	start := time.Now()
	p.call(method, params)
	return time.Since(start)
}

// keepIndexing indexes a folder again and again until stop is called.
func (p *serverProcess) keepIndexing(folder string) (stop func()) {
	end, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for n := 0; ; n++ {
			select {
			case <-end:
				p.b.Logf("indexed the other folder %d times meanwhile", n)
				return
			default:
				p.call("workspace/executeCommand", object{"command": "ambit.reindex", "arguments": []any{object{"folder": folder}}})
			}
		}
	}()
	return func() {
		close(end)
		<-ended
	}
}

// edits types n new names into a file of 1,000 lines and returns the time until a search
// finds each.
func (p *serverProcess) edits(b *testing.B, tree string, n int) []time.Duration {
	var text strings.Builder
	text.WriteString("package edited\n")
	for i := range 200 {
		fmt.Fprintf(&text, "\n// Step%d does a part of the work.\nfunc Step%d(n int) int {\n\treturn Step%d(n) + %d\n}\n", i, i, (i+1)%200, i)
	}
	uri := "file://" + filepath.Join(tree, "edited.go")
	p.notify("textDocument/didOpen", object{"textDocument": object{"uri": uri, "languageId": "go", "version": 1, "text": text.String()}})
	var times []time.Duration
	for i := range n {
		name := fmt.Sprintf("Zyzzyva%d", i)
		start := time.Now()
		p.notify("textDocument/didChange", object{"textDocument": object{"uri": uri, "version": i + 2}, "contentChanges": []any{object{
			"range": object{"start": object{"line": 500, "character": 0}, "end": object{"line": 500, "character": 0}},
			"text":  "func " + name + "() {}\n",
		}}})
		found := p.call("workspace/executeCommand", object{"command": "ambit.search", "arguments": []any{object{"query": name, "folder": "file://" + tree}}})
		times = append(times, time.Since(start))
		if !strings.Contains(string(found), name) {
			b.Errorf("the search does not find %s", name)
		}
	}
	return times
}

// memory returns the memory of the server, in MB.
func (p *serverProcess) memory(b *testing.B) float64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.command.Process.Pid))
	if err != nil {
		b.Logf("memory: %v", err)
		return 0
	}
	_, rest, _ := strings.Cut(string(status), "RssAnon:") // without the pages of the index file
	kB, _ := strconv.Atoi(strings.Fields(rest)[0])
	return float64(kB) / 1000
}

// end ends the server with shutdown and exit.
func (p *serverProcess) end() {
	p.call("shutdown", nil)
	p.notify("exit", nil)
	if err := p.command.Wait(); err != nil {
		p.b.Errorf("the server ended with %v", err)
	}
}

// openPlaces opens files of the tree and returns places of declarations in them.
func openPlaces(b *testing.B, p *serverProcess, tree string) []object {
	var places []object
	for _, place := range somePlaces(b, tree) {
		name, rest, _ := strings.Cut(place, ":")
		line, err := strconv.Atoi(strings.TrimSuffix(rest, ":6"))
		if err != nil {
			b.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(tree, name))
		if err != nil {
			b.Fatal(err)
		}
		uri := "file://" + filepath.Join(tree, name)
		p.notify("textDocument/didOpen", object{"textDocument": object{"uri": uri, "languageId": "go", "version": 1, "text": string(text)}})
		places = append(places, object{"textDocument": object{"uri": uri}, "position": object{"line": line - 1, "character": 6}})
	}
	return places
}

// quantile returns a quantile in milliseconds.
func quantile(d []time.Duration, q float64) float64 {
	slices.Sort(d)
	return float64(d[int(q*float64(len(d)-1))].Microseconds()) / 1000
}

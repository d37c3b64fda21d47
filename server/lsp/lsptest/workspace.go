package lsptest

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"ambit/server/assemble"
	"ambit/server/format"
	"ambit/server/lsp"
	"ambit/server/retrieve"
	"ambit/vectors/record"
)

// Opener opens fake workspaces.
type Opener struct {
	// Before is called before a workspace is opened, if set; an error is Open's.
	Before func(ctx context.Context, root string) error
	// Files are the files on disk, by root and path.
	Files map[string]map[string]string
	// Hold is called in each answer, if set, with the name of the method.
	Hold func(ctx context.Context, method string) error
	// Set is called when a document is set, if set.
	Set func(b *lsp.Buffer)

	mu      sync.Mutex // guards all fields below
	changed *sync.Cond
	opened  []*Workspace
}

// Open implements [lsp.Opener].
func (o *Opener) Open(ctx context.Context, root string, oo lsp.OpenOptions) (lsp.Workspace, error) {
	if o.Before != nil {
		if err := o.Before(ctx, root); err != nil {
			return nil, err
		}
	}
	w := &Workspace{o: o, Root: root, Options: oo, files: maps.Clone(o.Files[root]), buffers: map[string]*lsp.Buffer{},
		Statuses: make(chan lsp.Status)}
	if w.files == nil {
		w.files = map[string]string{}
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	o.opened = append(o.opened, w)
	o.cond().Broadcast()
	return w, nil
}

func (o *Opener) cond() *sync.Cond {
	if o.changed == nil {
		o.changed = sync.NewCond(&o.mu)
	}
	return o.changed
}

// Opened waits until n workspaces have been opened, and returns the last.
func (o *Opener) Opened(n int) *Workspace {
	o.mu.Lock()
	defer o.mu.Unlock()
	for len(o.opened) < n {
		o.cond().Wait()
	}
	return o.opened[n-1]
}

// All returns the workspaces that have been opened.
func (o *Opener) All() []*Workspace {
	o.mu.Lock()
	defer o.mu.Unlock()
	return slices.Clone(o.opened)
}

// Workspace is a fake workspace: its search finds lines that hold the query, its
// context is the word at the cursor and the whole text.
type Workspace struct {
	o       *Opener
	Root    string
	Options lsp.OpenOptions
	// Statuses are observed as they are sent; one with the state "panic" is a panic of Run.
	Statuses chan lsp.Status

	mu      sync.Mutex // guards all fields below
	files   map[string]string
	buffers map[string]*lsp.Buffer
	calls   []string
	open    int // answers under way
	closed  bool
	misuse  []string
}

// Calls returns the calls that change something, in their order.
func (w *Workspace) Calls() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.calls)
}

// Misuse returns what the server should not have done.
func (w *Workspace) Misuse() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.misuse)
}

// Closed reports whether the workspace was closed.
func (w *Workspace) Closed() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.closed
}

func (w *Workspace) call(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		w.misuse = append(w.misuse, fmt.Sprintf(format, args...)+" after Close")
	}
	w.calls = append(w.calls, fmt.Sprintf(format, args...))
}

// enter begins an answer.
func (w *Workspace) enter(ctx context.Context, method string) (leave func(), err error) {
	w.mu.Lock()
	if w.closed {
		w.misuse = append(w.misuse, method+" after Close")
	}
	w.open++
	w.mu.Unlock()
	leave = func() {
		w.mu.Lock()
		w.open--
		w.mu.Unlock()
	}
	if w.o.Hold != nil {
		defer func() {
			if p := recover(); p != nil {
				leave()
				panic(p)
			}
		}()
		err = w.o.Hold(ctx, method)
	}
	if err != nil {
		leave()
	}
	return leave, err
}

// text returns a file as it stands.
func (w *Workspace) text(path string) (string, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if b, ok := w.buffers[path]; ok {
		return string(b.Text), true
	}
	text, ok := w.files[path]
	return text, ok
}

// Buffer returns the text of an open document.
func (w *Workspace) Buffer(path string) (string, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	b, ok := w.buffers[path]
	if !ok {
		return "", false
	}
	return string(b.Text), true
}

// SetFile changes a file on disk.
func (w *Workspace) SetFile(path, text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.files[path] = text
}

// paths returns the paths of all files, in order.
func (w *Workspace) paths() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := maps.Clone(w.files)
	for path := range w.buffers {
		all[path] = ""
	}
	return slices.Sorted(maps.Keys(all))
}

func wordAt(text string, offset int) string {
	start := strings.LastIndexFunc(text[:offset], notWord) + 1
	end := strings.IndexFunc(text[offset:], notWord)
	if end < 0 {
		end = len(text) - offset
	}
	return text[start : offset+end]
}

func notWord(r rune) bool {
	return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && r < 0x80
}

// Context implements [lsp.Answers].
func (w *Workspace) Context(ctx context.Context, q lsp.Question) (*assemble.Bundle, error) {
	leave, err := w.enter(ctx, "Context")
	if err != nil {
		return nil, err
	}
	defer leave()
	b := &assemble.Bundle{
		Query: q.Query, Format: q.Cost.Format, Budget: q.Budget, Encoding: q.Encoding, Scope: retrieve.Scope("focused"),
		Root: w.Root, Freshness: assemble.Freshness{Generation: 1, State: lsp.Ready},
	}
	for _, id := range q.Pin {
		b.Sources = append(b.Sources, assemble.Source{Identifier: "pinned " + id, Kind: "function", Section: "primary"})
	}
	for _, id := range q.Drop {
		b.Omitted = append(b.Omitted, assemble.Omission{Identifier: id, Reason: "dropped"})
	}
	if q.At != nil {
		text, ok := w.text(q.At.Path)
		if q.At.Buffer != nil {
			text, ok = string(q.At.Buffer.Text), true
		}
		if !ok {
			return nil, fmt.Errorf("no file %s", q.At.Path)
		}
		b.Query = wordAt(text, q.At.Offset)
		b.Sources = append(b.Sources, assemble.Source{
			Identifier: b.Query, Kind: "function", Path: record.Path(q.At.Path), Text: text,
			Start: assemble.Position{Line: 1}, End: assemble.Position{Line: 1, Before: strings.SplitN(text, "\n", 2)[0]},
			Lines: record.Lines{First: 1, Last: 1 + strings.Count(text, "\n")}, Section: "primary", Relevance: 1,
		})
	}
	b.Text = q.Cost.Render(b)
	return b, nil
}

// Search implements [lsp.Answers].
func (w *Workspace) Search(ctx context.Context, q lsp.Search) (lsp.Found, error) {
	leave, err := w.enter(ctx, "Search")
	if err != nil {
		return lsp.Found{}, err
	}
	defer leave()
	var matches []lsp.Match
	for _, path := range w.paths() {
		text, _ := w.text(path)
		for i, line := range strings.Split(text, "\n") {
			before, _, ok := strings.Cut(line, q.Query)
			if !ok || len(matches) == q.Limit {
				continue
			}
			matches = append(matches, lsp.Match{
				ID: fmt.Sprintf("%s:%d", path, i+1), Path: path, Identifier: q.Query, Kind: "line", StartLine: i + 1, EndLine: i + 1,
				Start: assemble.Position{Line: i + 1, Before: before}, End: assemble.Position{Line: i + 1, Before: before + q.Query},
				Score: 1 / float64(len(matches)+1), Why: []format.Signal{{Signal: "words", Score: 1}},
			})
		}
	}
	return lsp.Found{Matches: matches, Freshness: assemble.Freshness{Generation: 1, State: lsp.Ready}}, nil
}

// Related implements [lsp.Answers].
func (w *Workspace) Related(ctx context.Context, at lsp.Place, limit int) (lsp.Found, error) {
	text, _ := w.text(at.Path)
	if at.Buffer != nil {
		text = string(at.Buffer.Text)
	}
	found, err := w.Search(ctx, lsp.Search{Query: wordAt(text, at.Offset), Limit: limit})
	for i := range found.Matches {
		found.Matches[i].Role = "user"
	}
	return found, err
}

// Explain implements [lsp.Answers].
func (w *Workspace) Explain(ctx context.Context, q lsp.Question, t lsp.Target) (*lsp.Explanation, error) {
	leave, err := w.enter(ctx, "Explain")
	if err != nil {
		return nil, err
	}
	defer leave()
	if t.ID == "unknown" {
		return nil, nil
	}
	return &lsp.Explanation{Match: lsp.Match{ID: t.ID, Path: t.Path, Identifier: t.Identifier, StartLine: t.Line, EndLine: t.Line}, Rank: 1}, nil
}

// Chunks implements [lsp.Answers].
func (w *Workspace) Chunks(ctx context.Context, path string) ([]lsp.Chunk, error) {
	leave, err := w.enter(ctx, "Chunks")
	if err != nil {
		return nil, err
	}
	defer leave()
	text, ok := w.text(path)
	if !ok {
		return nil, fmt.Errorf("no file %s", path)
	}
	lines := strings.Split(text, "\n")
	return []lsp.Chunk{{
		ID: path, Identifier: path, Kind: "file", StartLine: 1, EndLine: len(lines), Start: assemble.Position{Line: 1},
		End: assemble.Position{Line: len(lines), Before: lines[len(lines)-1]}, Tokens: len(text) / 4,
	}}, nil
}

// Card implements [lsp.Answers]. It says nothing in lines that begin with "//".
func (w *Workspace) Card(ctx context.Context, at lsp.Place) (*lsp.Card, error) {
	leave, err := w.enter(ctx, "Card")
	if err != nil {
		return nil, err
	}
	defer leave()
	text := string(at.Buffer.Text)
	name := wordAt(text, at.Offset)
	line := text[strings.LastIndexByte(text[:at.Offset], '\n')+1:]
	if name == "" || strings.HasPrefix(line, "//") {
		return nil, nil
	}
	start := strings.LastIndexFunc(text[:at.Offset], notWord) + 1
	return &lsp.Card{
		Start: start, End: start + len(name), Unit: lsp.Link{Identifier: name, Kind: "function", Path: at.Path, Line: 1},
		Frequency: "hot", Dependents: 2, Related: []lsp.Link{{Identifier: "a`b", Path: "x (1).go", Line: 3, Role: "user"}},
		Tests: []lsp.Link{{Identifier: "Test" + name, Path: "x_test.go", Line: 9}},
	}, nil
}

// Text implements [lsp.Answers].
func (w *Workspace) Text(_ context.Context, path string) ([]byte, error) {
	text, ok := w.text(path)
	if !ok {
		return nil, fmt.Errorf("%s: %w", path, fs.ErrNotExist)
	}
	return []byte(text), nil
}

// Report implements [lsp.Answers].
func (w *Workspace) Report(ctx context.Context) (*lsp.Report, error) {
	leave, err := w.enter(ctx, "Report")
	if err != nil {
		return nil, err
	}
	defer leave()
	return &lsp.Report{
		Status: lsp.Status{State: lsp.Ready, Files: len(w.paths())},
		About:  lsp.About{Index: "/cache/index", Model: "fake", Languages: map[string]int{}, LeftOut: []lsp.LeftOut{}},
	}, nil
}

// SetBuffer implements [lsp.Buffers].
func (w *Workspace) SetBuffer(b *lsp.Buffer) {
	if w.o.Set != nil {
		w.o.Set(b)
	}
	w.call("SetBuffer %s %d", b.Path, b.Version)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.buffers[b.Path] = b
}

// CloseBuffer implements [lsp.Buffers].
func (w *Workspace) CloseBuffer(path string) {
	w.call("CloseBuffer %s", path)
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.buffers, path)
}

// Changed implements [lsp.Buffers].
func (w *Workspace) Changed(paths []string) { w.call("Changed %s", strings.Join(paths, " ")) }

// Run implements [lsp.Index].
func (w *Workspace) Run(ctx context.Context, observe func(lsp.Status)) error {
	observe(lsp.Status{State: lsp.Ready, Files: len(w.paths())})
	for {
		select {
		case st := <-w.Statuses:
			if st.State == "panic" {
				panic("Run")
			}
			observe(st)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Reindex implements [lsp.Index].
func (w *Workspace) Reindex(ctx context.Context, path string, progress func(lsp.Status)) (int, error) {
	leave, err := w.enter(ctx, "Reindex")
	if err != nil {
		return 0, err
	}
	defer leave()
	w.call("Reindex %s", path)
	progress(lsp.Status{State: lsp.Indexing, Done: 1, Total: 2})
	return len(w.paths()), nil
}

// Pause implements [lsp.Index].
func (w *Workspace) Pause() { w.call("Pause") }

// Resume implements [lsp.Index].
func (w *Workspace) Resume() { w.call("Resume") }

// Close implements [lsp.Workspace].
func (w *Workspace) Close() error {
	w.call("Close")
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.open > 0 {
		w.misuse = append(w.misuse, fmt.Sprintf("Close with %d answers under way", w.open))
	}
	w.closed = true
	return nil
}

package lsp_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"ambit/server/api"
	"ambit/server/location"
	"ambit/server/lsp"
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
	Set func(d *api.Document)

	mu      sync.Mutex // guards all fields below
	changed *sync.Cond
	opened  []*Workspace
}

// Open implements [lsp.Opener].
func (o *Opener) Open(ctx context.Context, root string, oo lsp.OpenOptions) (api.Workspace, error) {
	if o.Before != nil {
		if err := o.Before(ctx, root); err != nil {
			return nil, err
		}
	}
	w := &Workspace{o: o, root: root, Options: oo, files: map[string]string{}, documents: map[string]*api.Document{}, States: make(chan api.State)}
	maps.Copy(w.files, o.Files[root])
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

// Workspace is a fake workspace: its search finds the lines that hold the query, its
// context is the word at the cursor and the whole text.
type Workspace struct {
	o       *Opener
	root    string
	Options lsp.OpenOptions
	// States are observed as they are sent; one with the name "panic" makes Run panic.
	States chan api.State

	mu        sync.Mutex // guards all fields below
	files     map[string]string
	documents map[string]*api.Document
	calls     []string
	running   int // answers under way
	closed    bool
	misuse    []string
}

// UnknownID is an id that no answer has: [Workspace.Explain] does not find it.
var UnknownID = record.ChunkID{15: 1}

// Calls returns the calls that change the workspace, in their order.
func (w *Workspace) Calls() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.calls)
}

// Misuse returns the calls that the server must not make.
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

// answering runs an answer of a method.
func answering[T any](ctx context.Context, w *Workspace, method string, do func() (T, error)) (answer T, err error) {
	w.mu.Lock()
	if w.closed {
		w.misuse = append(w.misuse, method+" after Close")
	}
	w.running++
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		w.running--
		w.mu.Unlock()
	}()
	if w.o.Hold != nil {
		if err := w.o.Hold(ctx, method); err != nil {
			return answer, err
		}
	}
	return do()
}

// text returns the text of a file: that of the open document, or that on disk.
func (w *Workspace) text(path string) (string, error) {
	if text, ok := w.Document(path); ok {
		return text, nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	text, ok := w.files[path]
	if !ok {
		return "", fmt.Errorf("%w: no file %s", api.ErrQuestion, path)
	}
	return text, nil
}

// Document returns the text of an open document.
func (w *Workspace) Document(path string) (text string, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	d, ok := w.documents[path]
	if ok {
		text = d.Text
	}
	return text, ok
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
	all := slices.AppendSeq(slices.Collect(maps.Keys(w.files)), maps.Keys(w.documents))
	slices.Sort(all)
	return slices.Compact(all)
}

// word returns the word at a place, the text that it is in and the range of the word.
func (w *Workspace) word(p api.Place) (word, text string, span api.Range, err error) {
	if d := p.TextDocument.Document; d != nil {
		text = d.Text
	} else if text, err = w.text(string(p.TextDocument.Path)); err != nil {
		return "", "", span, err
	}
	at, err := location.Offset([]byte(text), p)
	if err != nil {
		return "", "", span, &api.FieldError{Field: "position", Reason: err.Error()}
	}
	s := record.Span{Start: strings.LastIndexFunc(text[:at], notWord) + 1, End: len(text)}
	if end := strings.IndexFunc(text[at:], notWord); end >= 0 {
		s.End = at + end
	}
	return text[s.Start:s.End], text, location.Range([]byte(text), s, p.PositionEncoding), nil
}

func notWord(r rune) bool {
	return r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && r < 0x80
}

// Context implements [api.Answers].
func (w *Workspace) Context(ctx context.Context, q api.Question) (*api.Answer, error) {
	return answering(ctx, w, "Context", func() (*api.Answer, error) {
		if d := q.TextDocument; d != nil && d.Outside != "" { // a dependency of the workspace has the files with absolute names
			if _, err := w.text(d.Outside); err != nil {
				return nil, fmt.Errorf("%w: %s is outside of %s", api.ErrOutside, d.Outside, w.root)
			}
			return &api.Answer{Text: w.root + " depends on " + d.Outside}, nil
		}
		a := &api.Answer{Format: q.Format, Budget: q.Budget, Encoding: q.Encoding, Scope: api.Focused, Freshness: fresh}
		for _, id := range q.Pin {
			a.Sources = append(a.Sources, api.Source{ID: id, Identifier: "pinned " + id.String(), Section: "primary"})
		}
		for _, id := range q.Drop {
			a.Omitted = append(a.Omitted, api.Omission{ID: id, Reason: "dropped"})
		}
		if p, ok := q.Place(); ok {
			word, text, _, err := w.word(p)
			if err != nil {
				return nil, err
			}
			a.Text = text
			a.Sources = append(a.Sources, api.Source{
				Identifier: word, Kind: record.KindFunction, Path: p.TextDocument.Path, URI: "file:///other",
				StartLine: 1, EndLine: 1 + strings.Count(text, "\n"), Section: "primary", Relevance: 1,
			})
		}
		for _, path := range w.paths() { // a symbol is a word of a file
			text, _ := w.text(path)
			if q.Symbol != "" && strings.HasPrefix(path, q.Path) && strings.Contains(text, q.Symbol) {
				a.Sources = append(a.Sources, api.Source{Identifier: q.Symbol, Path: record.Path(path), Section: "primary", Relevance: 1})
			}
		}
		if q.Symbol != "" && len(a.Sources) == 0 {
			return nil, fmt.Errorf("%w: no declaration is named %s", api.ErrQuestion, q.Symbol)
		}
		return a, nil
	})
}

var fresh = api.Freshness{Generation: 1, State: api.StateReady}

// Search implements [api.Answers].
func (w *Workspace) Search(ctx context.Context, q api.SearchQuestion) (*api.Matches, error) {
	return answering(ctx, w, "Search", func() (*api.Matches, error) {
		found := &api.Matches{Freshness: fresh}
		for _, path := range w.paths() {
			text, _ := w.text(path)
			start := 0
			for i, line := range strings.Split(text, "\n") {
				if at := strings.Index(line, q.Query); at >= 0 && len(found.Results) < q.Limit {
					score := 1 / float64(len(found.Results)+1)
					_, _ = fmt.Sscanf(line[at+len(q.Query):], " scores %g", &score)
					span := record.Span{Start: start + at, End: start + at + len(q.Query)}
					found.Results = append(found.Results, api.Match{
						Path: record.Path(path), URI: "file:///other", Identifier: q.Query, Kind: record.KindText, StartLine: i + 1, EndLine: i + 1,
						Range: location.Range([]byte(text), span, q.PositionEncoding),
						Score: score, Why: []api.Signal{{Name: "words", Score: 1}},
					})
				}
				start += len(line) + 1
			}
		}
		return found, nil
	})
}

// Related implements [api.Answers].
func (w *Workspace) Related(ctx context.Context, q api.RelatedQuestion) (*api.Matches, error) {
	word, _, _, err := w.word(q.Place)
	if err != nil {
		return nil, err
	}
	found, err := w.Search(ctx, api.SearchQuestion{Query: word, Limit: q.Limit, PositionEncoding: q.PositionEncoding})
	if err != nil {
		return nil, err
	}
	for i := range found.Results {
		found.Results[i].Role = "user"
	}
	return found, nil
}

// Explain implements [api.Answers].
func (w *Workspace) Explain(ctx context.Context, q api.ExplainQuestion) (*api.Explanation, error) {
	return answering(ctx, w, "Explain", func() (*api.Explanation, error) {
		if q.ID == UnknownID {
			return nil, nil
		}
		e := &api.Explanation{Match: api.Match{ID: q.ID}, Rank: 1}
		if s := q.Source; s != nil {
			e.Path, e.Identifier, e.StartLine = s.Path, s.Identifier, s.Line
		}
		return e, nil
	})
}

// Chunks implements [api.Answers].
func (w *Workspace) Chunks(ctx context.Context, q api.ChunksQuestion) (*api.Chunks, error) {
	return answering(ctx, w, "Chunks", func() (*api.Chunks, error) {
		text, err := w.text(string(q.TextDocument.Path))
		if err != nil {
			return nil, err
		}
		return &api.Chunks{Path: q.TextDocument.Path, Language: "go", Chunks: []api.Chunk{{
			Kind: record.KindFile, StartLine: 1, EndLine: 1 + strings.Count(text, "\n"), End: len(text), Content: text,
		}}}, nil
	})
}

// ChunkStats implements [api.Answers]. No editor asks for it.
func (w *Workspace) ChunkStats(context.Context, api.ChunkStatsQuestion) (*api.ChunkStats, error) {
	return nil, errors.ErrUnsupported
}

// SourceText implements [api.Answers].
func (w *Workspace) SourceText(_ context.Context, q api.SourceTextQuestion) (*api.SourceText, error) {
	if strings.HasSuffix(q.Name, "/a b-sources.jar!/com/a/A.java") {
		return &api.SourceText{Text: "class A {}\n"}, nil
	}
	return nil, &api.FieldError{Field: "name", Reason: "it is in no archive"}
}

// Read implements [api.Answers].
func (*Workspace) Read(context.Context, api.ReadQuestion) (*api.UnitText, error) {
	return nil, errors.New("no editor asks to read")
}

// Impact implements [api.Answers].
func (*Workspace) Impact(context.Context, api.ImpactQuestion) (*api.Impact, error) {
	return nil, errors.New("no editor asks for an impact")
}

// Hover implements [api.Answers]. It returns nil in lines that begin with "//".
func (w *Workspace) Hover(ctx context.Context, q api.HoverQuestion) (*api.Hover, error) {
	return answering(ctx, w, "Hover", func() (*api.Hover, error) {
		name, text, span, err := w.word(q.Place)
		if err != nil || name == "" || strings.HasPrefix(strings.Split(text, "\n")[q.Position.Line], "//") {
			return nil, err
		}
		return &api.Hover{
			Range: span, Unit: api.Link{Identifier: name, Kind: record.KindFunction, Path: q.TextDocument.Path, Line: 1},
			ChangeFrequency: record.Hot, Dependents: 2, Related: []api.Link{{Identifier: "a`b", Path: "x (1).go", Line: 3, Role: "user"}},
			Tests: []api.Link{{Identifier: "Test" + name, Path: "x_test.go", Line: 9}},
		}, nil
	})
}

// Status implements [api.Answers].
func (w *Workspace) Status(ctx context.Context, _ api.StatusQuestion) (*api.Status, error) {
	return answering(ctx, w, "Status", func() (*api.Status, error) {
		return &api.Status{State: api.State{State: api.StateReady, Files: len(w.paths())}, Layers: map[string]int{"api": 1, "guides": 2}, Index: "/cache/index", Model: "fake", OwnerPID: 1}, nil
	})
}

// SetDocument implements [api.Documents].
func (w *Workspace) SetDocument(d *api.Document) {
	if w.o.Set != nil {
		w.o.Set(d)
	}
	w.call("SetDocument %s %d", d.Path, d.Version)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.documents[string(d.Path)] = d
}

// CloseDocument implements [api.Documents].
func (w *Workspace) CloseDocument(path record.Path) {
	w.call("CloseDocument %s", path)
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.documents, string(path))
}

// Changed implements [api.Documents].
func (w *Workspace) Changed(paths []record.Path) {
	w.call("Changed %s", strings.Trim(fmt.Sprint(paths), "[]"))
}

// Run implements [api.Indexing].
func (w *Workspace) Run(ctx context.Context, observe func(api.State)) error {
	observe(api.State{State: api.StateReady, Files: len(w.paths())})
	for {
		select {
		case st := <-w.States:
			if st.State == "panic" {
				panic("Run")
			}
			observe(st)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// CatchUp implements [api.Indexing].
func (w *Workspace) CatchUp(ctx context.Context, progress func(api.Progress)) (api.Report, error) {
	return w.Index(ctx, progress)
}

// Index implements [api.Indexing].
func (w *Workspace) Index(context.Context, func(api.Progress)) (api.Report, error) {
	return api.Report{}, nil
}

// Reindex implements [api.Indexing].
func (w *Workspace) Reindex(ctx context.Context, q api.ReindexQuestion, progress func(api.Progress)) (api.Reindexed, error) {
	return answering(ctx, w, "Reindex", func() (api.Reindexed, error) {
		w.call("Reindex %s", q.Path)
		progress(api.Progress{Done: 1, Total: 2})
		return api.Reindexed{Files: len(w.paths())}, nil
	})
}

// Pause implements [api.Indexing].
func (w *Workspace) Pause() { w.call("Pause") }

// Resume implements [api.Indexing].
func (w *Workspace) Resume() { w.call("Resume") }

// Root implements [api.Workspace].
func (w *Workspace) Root() string { return w.root }

// Notice implements [api.Workspace].
func (w *Workspace) Notice() string { return "" }

// Close implements [api.Workspace].
func (w *Workspace) Close() error {
	w.call("Close")
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running > 0 {
		w.misuse = append(w.misuse, fmt.Sprintf("Close with %d answers under way", w.running))
	}
	w.closed = true
	return nil
}

package attach_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"ambit/server/api"
	"ambit/server/attach"
	"ambit/vectors/record"
)

const indexName = "index.db"

// opener opens fake indexes of a workspace.
type opener struct {
	root  string
	build string
	fail  error // of OpenIndex
}

func (o opener) IndexPath(cacheDir string) (string, error) {
	root, build := sha256.Sum256([]byte(o.root)), sha256.Sum256([]byte(o.build))
	dir := filepath.Join(cacheDir, "w-"+hex.EncodeToString(root[:6])+"-"+hex.EncodeToString(build[:3]))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("%w: make %s; set XDG_CACHE_HOME to a directory you can write", api.ErrUnwritable, dir)
	}
	return filepath.Join(dir, indexName), nil
}

func (o opener) OpenIndex(_ context.Context, path string) (attach.Index, error) {
	if o.fail != nil {
		return nil, o.fail
	}
	x := &fakeIndex{root: o.root, path: path, files: map[record.Path]string{}, damaged: make(chan struct{}), changed: make(chan struct{}), writing: make(chan struct{}, 1)}
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		x.save()
	case err != nil:
		return nil, err
	default:
		if err := json.Unmarshal(data, &x.files); err != nil {
			return nil, err
		}
	}
	return x, nil
}

// fakeIndex is an index in memory, a map of texts that it keeps in a file. It fails the
// test when it is closed before its clients are, or used afterwards.
type fakeIndex struct {
	root, path string
	damaged    chan struct{}
	writing    chan struct{} // holds a value while files are indexed

	mu         sync.Mutex    // guards all fields below
	changed    chan struct{} // closed and replaced when Run has something to look at
	files      map[record.Path]string
	generation uint64
	paused     bool
	spoiled    bool
	clients    int
	calls      int
	closed     bool
}

func (x *fakeIndex) NewClient() api.Workspace {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.clients++
	return &fakeClient{index: x, documents: map[record.Path]*api.Document{}}
}

func (x *fakeIndex) Damaged() <-chan struct{} { return x.damaged }
func (x *fakeIndex) Notice() string           { return "" }

func (x *fakeIndex) Close() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.closed = true
	if x.clients != 0 || x.calls != 0 {
		return fmt.Errorf("closed with %d clients and %d calls", x.clients, x.calls)
	}
	return nil
}

func (x *fakeIndex) save() {
	data, err := json.Marshal(x.files)
	if err == nil {
		err = os.WriteFile(x.path, data, 0o600)
	}
	if err != nil {
		panic(err)
	}
}

// enter counts a call, which ends when the caller calls leave.
func (x *fakeIndex) enter() (leave func(), err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.closed {
		panic("a call of a closed index")
	}
	if x.spoiled {
		select {
		case <-x.damaged:
		default:
			os.Rename(x.path, x.path+".bad-1")
			close(x.damaged)
		}
		return nil, fmt.Errorf("read the index: %w", api.ErrDamaged)
	}
	x.calls++
	return func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		x.calls--
	}, nil
}

func (x *fakeIndex) wakeUp() {
	x.mu.Lock()
	defer x.mu.Unlock()
	close(x.changed)
	x.changed = make(chan struct{})
}

// scan brings the index up to date with the files on disk. It reads the files with the
// prefix again even if they look unchanged, "-" for none.
func (x *fakeIndex) scan(ctx context.Context, again string, report func(done, total int)) (n int, err error) {
	select {
	case x.writing <- struct{}{}:
		defer func() { <-x.writing }()
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	}
	tree := map[record.Path]string{}
	err = filepath.WalkDir(x.root, func(path string, d fs.DirEntry, err error) error {
		if d != nil && d.Name() == ".git" {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		rel, _ := filepath.Rel(x.root, path)
		tree[record.Path(rel)] = string(text)
		return err
	})
	if err != nil {
		return 0, err
	}
	var changes []record.Path
	x.mu.Lock()
	maps.DeleteFunc(x.files, func(path record.Path, _ string) bool { _, ok := tree[path]; return !ok })
	for path, text := range tree {
		if old, ok := x.files[path]; !ok || old != text || strings.HasPrefix(string(path), again) {
			changes = append(changes, path)
		}
	}
	x.mu.Unlock()
	slices.Sort(changes)
	for i, path := range changes {
		x.mu.Lock()
		x.files[path] = tree[path]
		x.generation++
		x.mu.Unlock()
		report(i+1, len(changes))
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	x.save()
	return len(changes), nil
}

// fakeClient is a client of a fakeIndex.
type fakeClient struct {
	index *fakeIndex

	mu        sync.Mutex // guards documents
	documents map[record.Path]*api.Document
}

// text returns a file as the client sees it.
func (c *fakeClient) text(d *api.TextDocument) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.index.mu.Lock()
	defer c.index.mu.Unlock()
	if d.Document != nil {
		return d.Document.Text, nil
	}
	if open := c.documents[d.Path]; open != nil {
		return open.Text, nil
	}
	text, ok := c.index.files[d.Path]
	if !ok {
		return "", fmt.Errorf("%w: no file %s", api.ErrQuestion, d.Path)
	}
	return text, nil
}

// answer makes an answer of everything that a question says. The words of the question
// may ask for a failure.
func (c *fakeClient) answer(ctx context.Context, words string, d *api.TextDocument, q any) (*api.Answer, error) {
	leave, err := c.index.enter()
	if err != nil {
		return nil, err
	}
	defer leave()
	switch words {
	case "a question":
		return nil, fmt.Errorf("%w: of \xff", api.ErrQuestion)
	case "a file outside":
		return nil, fmt.Errorf("%w: elsewhere", api.ErrOutside)
	case "a field":
		return nil, &api.FieldError{Field: "budget", Reason: "use more"}
	case "a full disk":
		return nil, fmt.Errorf("index: %w", api.ErrFull)
	case "a read-only disk":
		return nil, fmt.Errorf("index: %w", api.ErrUnwritable)
	case "an error":
		return nil, errors.New("anything else")
	case "panic":
		panic("asked to")
	case "wait":
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
	text := ""
	if d != nil {
		if text, err = c.text(d); err != nil {
			return nil, err
		}
	}
	return &api.Answer{Text: fmt.Sprintf("%s of %q", text, fmt.Sprintf("%+v", q)), Sources: []api.Source{}, Format: api.XML}, nil
}

func (c *fakeClient) Context(ctx context.Context, q api.Question) (*api.Answer, error) {
	d := q.TextDocument
	q.TextDocument, q.Position = nil, nil // addresses differ
	return c.answer(ctx, q.Query, d, q)
}

func (c *fakeClient) Read(ctx context.Context, q api.ReadQuestion) (*api.UnitText, error) {
	a, err := c.answer(ctx, q.Symbol, nil, q)
	if err != nil {
		return nil, err
	}
	return &api.UnitText{Text: a.Text}, nil
}

func (c *fakeClient) Impact(ctx context.Context, q api.ImpactQuestion) (*api.Impact, error) {
	a, err := c.answer(ctx, q.Symbol, nil, q)
	if err != nil {
		return nil, err
	}
	return &api.Impact{Unit: api.Link{Identifier: a.Text}}, nil
}

// Search finds the files that hold a word, in the text that the client sees.
func (c *fakeClient) Search(ctx context.Context, q api.SearchQuestion) (*api.Matches, error) {
	if _, err := c.answer(ctx, q.Query, nil, q); err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.index.mu.Lock()
	defer c.index.mu.Unlock()
	all := maps.Clone(c.index.files)
	for path, d := range c.documents {
		all[path] = d.Text
	}
	m := &api.Matches{Freshness: api.Freshness{State: api.StateReady}}
	for _, path := range slices.Sorted(maps.Keys(all)) {
		if strings.Contains(all[path], q.Query) {
			m.Results = append(m.Results, api.Match{Path: path, Identifier: q.Query, Score: 1.0 / 3, URI: "file:///" + string(path)})
		}
	}
	return m, nil
}

func (c *fakeClient) Related(ctx context.Context, q api.RelatedQuestion) (*api.Matches, error) {
	d := q.TextDocument
	q.TextDocument.Document = nil
	a, err := c.answer(ctx, "", &d, q)
	if err != nil {
		return nil, err
	}
	return &api.Matches{Results: []api.Match{{Identifier: a.Text}}}, nil
}

func (c *fakeClient) Explain(ctx context.Context, q api.ExplainQuestion) (*api.Explanation, error) {
	d := q.TextDocument
	q.TextDocument, q.Position, q.Source = nil, nil, nil
	a, err := c.answer(ctx, q.Query, d, q)
	if err != nil || q.Query == "nothing" {
		return nil, err
	}
	return &api.Explanation{Match: api.Match{Identifier: a.Text}, Rank: 7}, nil
}

func (c *fakeClient) Hover(ctx context.Context, q api.HoverQuestion) (*api.Hover, error) {
	d := q.TextDocument
	q.TextDocument.Document = nil
	a, err := c.answer(ctx, "", &d, q)
	if err != nil || q.Position.Line == 0 {
		return nil, err
	}
	return &api.Hover{Unit: api.Link{Identifier: a.Text}, Tests: []api.Link{}}, nil
}

func (c *fakeClient) Chunks(ctx context.Context, q api.ChunksQuestion) (*api.Chunks, error) {
	d := q.TextDocument
	q.TextDocument.Document = nil
	a, err := c.answer(ctx, "", &d, q)
	if err != nil {
		return nil, err
	}
	return &api.Chunks{Path: d.Path, Chunks: []api.Chunk{{Content: a.Text, Hash: record.Hash(sha256.Sum256([]byte(a.Text))), ID: record.ChunkID{1, 2}}}}, nil
}

func (c *fakeClient) SourceText(ctx context.Context, q api.SourceTextQuestion) (*api.SourceText, error) {
	a, err := c.answer(ctx, "", nil, q)
	if err != nil {
		return nil, err
	}
	return &api.SourceText{Text: a.Text}, nil
}

func (c *fakeClient) ChunkStats(ctx context.Context, q api.ChunkStatsQuestion) (*api.ChunkStats, error) {
	a, err := c.answer(ctx, "", nil, q)
	if err != nil {
		return nil, err
	}
	return &api.ChunkStats{Path: q.Path, Languages: map[string]api.ChunkCounts{a.Text: {Chunks: 1}}}, nil
}

func (c *fakeClient) Status(ctx context.Context, q api.StatusQuestion) (*api.Status, error) {
	leave, err := c.index.enter()
	if err != nil {
		return nil, err
	}
	defer leave()
	c.index.mu.Lock()
	defer c.index.mu.Unlock()
	return &api.Status{Root: c.index.root, Index: c.index.path, State: api.State{Files: len(c.index.files)}, Languages: map[string]int{"go": 2},
		LeftOut: []api.LeftOut{{Path: "odd\xff.go", Reason: fmt.Sprint(q.Scan)}}}, nil
}

func (c *fakeClient) SetDocument(d *api.Document) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.documents[d.Path] = d
}

func (c *fakeClient) CloseDocument(path record.Path) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.documents, path)
}

func (c *fakeClient) Changed([]record.Path) { c.index.wakeUp() }

func (c *fakeClient) Run(ctx context.Context, observe func(api.State)) error {
	leave, err := c.index.enter()
	if err != nil {
		return err
	}
	defer leave()
	x := c.index
	state := func(name api.StateName, done, total int) {
		x.mu.Lock()
		st := api.State{State: name, Files: len(x.files), Generation: x.generation, Done: done, Total: total}
		x.mu.Unlock()
		observe(st)
	}
	state(api.StateStarting, 0, 0)
	for {
		x.mu.Lock()
		paused, changed := x.paused, x.changed
		x.mu.Unlock()
		if paused {
			state(api.StatePaused, 0, 0)
		} else {
			if _, err := x.scan(ctx, "-", func(done, total int) { state(api.StateIndexing, done, total) }); err != nil && ctx.Err() == nil {
				return err
			}
			state(api.StateReady, 0, 0)
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// reporting returns what reports progress, which may be nil.
func reporting(progress func(api.Progress)) func(done, total int) {
	return func(done, total int) {
		if progress != nil {
			progress(api.Progress{Phase: "indexing", Done: done, Total: total})
		}
	}
}

func (c *fakeClient) CatchUp(ctx context.Context, progress func(api.Progress)) (api.Report, error) {
	return c.Index(ctx, progress)
}

func (c *fakeClient) Index(ctx context.Context, progress func(api.Progress)) (api.Report, error) {
	leave, err := c.index.enter()
	if err != nil {
		return api.Report{}, err
	}
	defer leave()
	n, err := c.index.scan(ctx, "-", reporting(progress))
	c.index.wakeUp()
	return api.Report{Indexed: n}, err
}

func (c *fakeClient) Reindex(ctx context.Context, q api.ReindexQuestion, progress func(api.Progress)) (api.Reindexed, error) {
	leave, err := c.index.enter()
	if err != nil {
		return api.Reindexed{}, err
	}
	defer leave()
	n, err := c.index.scan(ctx, q.Path, reporting(progress))
	return api.Reindexed{Files: n}, err
}

func (c *fakeClient) Pause()  { c.setPaused(true) }
func (c *fakeClient) Resume() { c.setPaused(false) }

func (c *fakeClient) setPaused(paused bool) {
	c.index.mu.Lock()
	c.index.paused = paused
	c.index.mu.Unlock()
	c.index.wakeUp()
}

func (c *fakeClient) Root() string   { return c.index.root }
func (c *fakeClient) Notice() string { return "" }

func (c *fakeClient) Close() error {
	c.index.mu.Lock()
	defer c.index.mu.Unlock()
	c.index.clients--
	return nil
}

package pipeline_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"ambit/indexer/enrich"
	"ambit/indexer/pipeline"
	"ambit/indexer/watch"
	"ambit/vectors/record"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// workspace is a tree on disk with an index in memory, brought up to date by a
// pipeline. It is the sink, the known index, the embedder, the filter and the
// history of its own pipeline.
type workspace struct {
	t    *testing.T
	dir  string
	root *os.Root
	o    pipeline.Options

	mu       sync.Mutex // guards all fields below
	files    map[record.Path]record.FileRecord
	past     map[record.Path][]record.FileRecord // every earlier state of files
	codes    map[record.TextHash]record.Codes    // of embedding texts
	nextKey  record.Key
	batches  []record.Batch
	embedded []string
	panicAt  string // the filter panics at this path
	sinkErr  error  // from the second batch on
	embedErr error
	refuse   func(text string) error // returns the error of Embed for a text; nil refuses nothing
	history  *record.History
}

// newWorkspace returns a workspace with the files, by path. All are so old that the
// pipeline trusts their times.
func newWorkspace(t *testing.T, files map[string]string) *workspace {
	t.Helper()
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	w := &workspace{t: t, dir: dir, root: root, files: map[record.Path]record.FileRecord{}, nextKey: 1,
		past: map[record.Path][]record.FileRecord{}, codes: map[record.TextHash]record.Codes{}}
	w.o = pipeline.Options{Workers: 3, Enrich: enrich.NewIndex(nil)}
	for path, text := range files {
		w.write(path, text, time.Now().Add(-time.Hour))
	}
	return w
}

func (w *workspace) write(path, text string, at time.Time) {
	w.t.Helper()
	full := filepath.Join(w.dir, path)
	if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
	if err := os.Chtimes(full, at, at); err != nil {
		w.t.Fatal(err)
	}
}

// scan lists every file and link, as a scan that leaves nothing out.
func (w *workspace) scan() []watch.Entry {
	w.t.Helper()
	var entries []watch.Entry
	err := filepath.WalkDir(w.dir, func(full string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		path, err := filepath.Rel(w.dir, full)
		entries = append(entries, watch.Entry{Path: path, Size: info.Size(), ModTime: info.ModTime().UnixNano()})
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	sort.Slice(entries, func(i, j int) bool { return entries[i].Path < entries[j].Path })
	return entries
}

func (w *workspace) plan() []pipeline.Change {
	w.t.Helper()
	var known []record.Row
	for _, r := range w.files {
		known = append(known, record.RowOf(&r.File))
	}
	sort.Slice(known, func(i, j int) bool { return known[i].Path() < known[j].Path() })
	return pipeline.Plan(known, slices.Values(w.scan()))
}

func (w *workspace) pipeline() *pipeline.Pipeline {
	if w.history != nil {
		w.o.History = w
	}
	return pipeline.New(w.root, w, w, w, w, w.o)
}

// catchUp plans and applies the changes.
func (w *workspace) catchUp() pipeline.Report {
	w.t.Helper()
	report, err := w.pipeline().Apply(w.t.Context(), w.plan(), nil)
	if err != nil {
		w.t.Fatalf("Apply: %v", err)
	}
	return report
}

// state describes each file of the index: its language or why it is left out.
func (w *workspace) state() map[string]string {
	state := map[string]string{}
	for path, r := range w.files {
		state[string(path)] = r.File.Language
		if r.File.LeftOut != "" {
			state[string(path)] = "left out: " + r.File.LeftOut
		}
	}
	return state
}

func (w *workspace) Apply(_ context.Context, b *record.Batch) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.sinkErr != nil && len(w.batches) > 0 {
		return w.sinkErr
	}
	for i := range b.Files {
		r := &b.Files[i]
		r.File.Key = w.nextKey
		r.File.Chunks = record.KeyRange{First: w.nextKey, N: len(r.Chunks)}
		for j := range r.Chunks {
			r.Chunks[j].Key = w.nextKey
			w.nextKey++
		}
		w.files[r.File.Path] = *r
		w.remember(r)
	}
	for _, f := range b.Touched {
		r := w.files[f.Path]
		r.File = f
		w.files[f.Path] = r
	}
	for _, path := range b.Removed {
		delete(w.files, path)
	}
	b.Generation = uint64(len(w.batches) + 1)
	w.batches = append(w.batches, *b)
	return nil
}

// remember keeps the parts of r that a store would write.
func (w *workspace) remember(r *record.FileRecord) {
	if r.File.LeftOut != "" {
		return
	}
	kept := *r
	kept.Chunks = slices.Clone(r.Chunks)
	w.past[r.File.Path] = append(w.past[r.File.Path], kept)
	for i := range r.Chunks {
		if r.Codes[i].Code == nil {
			w.t.Errorf("chunk %d of %s has no vector", i, r.File.Path)
		}
		w.codes[r.Chunks[i].EmbedHash] = r.Codes[i]
	}
}

// Lookup returns the last record of path with the hash, among all that path ever had.
func (w *workspace) Lookup(_ context.Context, path record.Path, hash record.Hash) (record.FileRecord, bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range slices.Backward(w.past[path]) {
		if r.File.Hash == hash && w.files[path].File.Hash != hash {
			r = w.stored(r)
			r.Recalled = true
			return r, true, nil
		}
	}
	return record.FileRecord{}, false, nil
}

// Record returns the record that the index has of path.
func (w *workspace) Record(_ context.Context, path record.Path) (record.FileRecord, bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	r, ok := w.files[path]
	return w.stored(r), ok && r.File.LeftOut == "", nil
}

// stored returns r as a store gives it back.
func (w *workspace) stored(r record.FileRecord) record.FileRecord {
	r.Chunks = slices.Clone(r.Chunks)
	r.Codes, r.Embedded = make([]record.Codes, len(r.Chunks)), 0
	for i := range r.Chunks {
		r.Chunks[i].Key = 0
		r.Codes[i] = w.codes[r.Chunks[i].EmbedHash]
	}
	return r
}

// Codes returns the codes of chunks of the path only: other paths have other texts.
func (w *workspace) Codes(_ context.Context, path record.Path, hashes []record.TextHash) ([]record.Codes, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	codes := make([]record.Codes, len(hashes))
	for i, hash := range hashes {
		for _, r := range w.past[path] {
			if slices.ContainsFunc(r.Chunks, func(c record.Chunk) bool { return c.EmbedHash == hash }) {
				codes[i] = w.codes[hash]
			}
		}
	}
	return codes, nil
}

func (*workspace) Dim() int { return 1 }

func (w *workspace) Embed(_ context.Context, texts [][]byte, rows []float32) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	for i, text := range texts {
		w.embedded = append(w.embedded, string(text))
		if w.refuse != nil {
			if err := w.refuse(string(text)); err != nil {
				return err
			}
		}
		rows[i] = float32(len(text))
	}
	return w.embedErr
}

func (w *workspace) LeftOut(path string, content []byte) string {
	if path == w.panicAt {
		panic(fmt.Sprintf("a bug at %s", path))
	}
	if strings.Contains(string(content), "\x00") {
		return "binary"
	}
	return ""
}

func (w *workspace) Refresh() *record.History {
	h := w.history
	w.history = nil
	return h
}

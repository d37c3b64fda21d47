package snapshot

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"ambit/indexer/languages"
	"ambit/indexer/pipeline"
	"ambit/indexer/watch"
	"ambit/server/api"
	"ambit/server/retrieve"
	"ambit/server/workspace"
	"ambit/vectors/flat"
	"ambit/vectors/lexical"
	"ambit/vectors/record"
	"ambit/vectors/store"
)

// Source takes the snapshots of one workspace. All methods are safe for concurrent use.
type Source struct {
	index    *Index
	pipeline *pipeline.Pipeline
	filter   *watch.Filter
	dir      *workspace.Directory
	root     string
	outlines outlines

	mu   sync.Mutex // held while the next changes are made; guards all fields below
	last *changes
}

// NewSource returns the source of the workspace at root: its index, how its files are
// read and which of them are indexed.
func NewSource(ix *Index, p *pipeline.Pipeline, f *watch.Filter, dir *workspace.Directory, root string) *Source {
	return &Source{index: ix, pipeline: p, filter: f, dir: dir, root: root, last: &changes{}}
}

// Snapshot is the workspace as one request sees it. Content, graphs, chunks and names
// agree with one another. It is for one goroutine, but for
// the searches of [Snapshot.Index] and for Keys.
type Snapshot struct {
	source  *Source
	state   *state
	tx      *store.Reader
	over    *overlay
	reading *Reading // nil before the first use
}

// Snapshot returns the workspace with the documents of a client and the dirty files in
// place of the files of the index. The caller lists the dirty files before the call, the
// latest changes first. Asked, unless nil, is the document of the question. The caller
// releases the snapshot.
func (s *Source) Snapshot(ctx context.Context, docs *Documents, asked *api.Document, dirty []record.Path) (*Snapshot, error) {
	changes := s.changes(dirty)
	tx, state, err := s.index.begin(ctx)
	if err != nil {
		return nil, err
	}
	v := &Snapshot{source: s, state: state, tx: tx}
	defer func() {
		if v.over == nil { // a panic
			v.Release()
		}
	}()
	v.over = docs.overlay(state, docs.with(asked), changes)
	return v, nil
}

// Release ends the transaction. Releasing twice is no error.
func (v *Snapshot) Release() {
	v.tx.Close()
}

// Generation returns the generation of the index that the snapshot has.
func (v *Snapshot) Generation() uint64 { return v.state.generation }

// Unread returns how many of the dirty files the snapshot does not have.
func (v *Snapshot) Unread() int { return v.over.changes.unread }

// replaced returns the replacement of a file, nil when the index has the current file.
func (v *Snapshot) replaced(path record.Path) *analysis {
	if r := v.over.replaced[path]; r != nil {
		return r.analyze()
	}
	return nil
}

// File returns a file; ok is false when no answer shows it.
func (v *Snapshot) File(path record.Path) (f record.File, ok bool) {
	if r := v.replaced(path); r != nil {
		return r.File, r.File.LeftOut == ""
	}
	f, ok = v.state.files.find(path)
	return f, ok && f.LeftOut == ""
}

// Files yields the files that answers show, in no order.
func (v *Snapshot) Files() iter.Seq[record.Row] {
	return func(yield func(record.Row) bool) {
		for _, r := range v.over.replaced {
			if f := &r.analyze().File; f.LeftOut == "" && !yield(record.RowOf(f)) {
				return
			}
		}
		for _, f := range v.state.files.files {
			if f.Indexed() && v.over.replaced[f.Path()] == nil && !yield(f) {
				return
			}
		}
	}
}

// Generated yields the files that the index leaves out as generated, in order.
func (v *Snapshot) Generated() iter.Seq[record.Path] { return slices.Values(v.state.files.generated()) }

// Check returns why no answer shows a file, nil when answers do. The error wraps
// [api.ErrQuestion].
func (v *Snapshot) Check(path record.Path) error {
	f, ok := v.state.files.find(path)
	if r := v.replaced(path); r != nil {
		f, ok = r.File, r.File.LeftOut != gone
	}
	switch {
	case ok && f.LeftOut == "":
		return nil
	case ok:
		return fmt.Errorf("%w: %s is not indexed (%s); ambit status lists what is left out and why", api.ErrQuestion, path, f.LeftOut)
	}
	info, err := v.source.dir.Stat(string(path))
	switch {
	case err != nil:
		return fmt.Errorf("%w: no file %s in %s; check the name, which is relative to the working directory or the workspace",
			api.ErrQuestion, path, v.source.root)
	case info.IsDir():
		return fmt.Errorf("%w: %s is a directory; name a file in it", api.ErrQuestion, path)
	}
	switch entry, ok := v.source.filter.Entry(string(path)); {
	case ok && entry.LeftOut == "":
		return fmt.Errorf("%w: %s is not indexed yet; ask again when ambit status says that nothing is pending", api.ErrQuestion, path)
	case ok:
		return fmt.Errorf("%w: %s is not indexed (%s); ambit status lists what is left out and why", api.ErrQuestion, path, entry.LeftOut)
	}
	return fmt.Errorf("%w: %s is ignored (by git's rules, .ambitignore or the settings); add !%s to .ambitignore to index it",
		api.ErrQuestion, path, path)
}

// Listed reports whether a file is one that an index of the workspace has or would have
// now: no document that is open but ignored, no symbolic link and nothing that one leads to.
func (v *Snapshot) Listed(path record.Path) bool {
	if f, ok := v.state.files.find(path); ok {
		return f.LeftOut == ""
	}
	entry, ok := v.source.filter.Entry(string(path))
	return ok && entry.LeftOut == ""
}

// CheckListed is [Snapshot.Check] for a file that must also be [Snapshot.Listed].
func (v *Snapshot) CheckListed(path record.Path) error {
	if err := v.Check(path); err != nil || v.Listed(path) {
		return err
	}
	return fmt.Errorf("%w: %s is open, but no file of the workspace %s that is indexed; name one that is", api.ErrQuestion, path, v.source.root)
}

// Inside returns the path of a file or directory that a client names: relative to the
// workspace, or absolute and in it. Symbolic links in an absolute path are followed. The
// error for a path that leads elsewhere wraps [api.ErrQuestion].
func (v *Snapshot) Inside(name string) (record.Path, error) {
	if filepath.IsAbs(name) {
		path, err := workspace.Inside(v.source.root, filepath.Clean(name))
		return record.Path(path), err
	}
	clean := path.Clean(filepath.ToSlash(name))
	if strings.ContainsRune(name, 0) || clean != "." && !filepath.IsLocal(filepath.FromSlash(clean)) {
		return "", fmt.Errorf("%w: %s is outside of the workspace %s; name a file in it", api.ErrQuestion, strings.ToValidUTF8(name, "?"), v.source.root)
	}
	return record.Path(clean), nil
}

// Outline returns the outline of the text of a file.
func (v *Snapshot) Outline(ctx context.Context, path record.Path) (*languages.Outline, error) {
	if r := v.replaced(path); r != nil && r.outline != nil {
		return r.outline, nil
	}
	f, _ := v.File(path)
	if o := v.source.outlines.of(path, f.Hash); o != nil {
		return o, nil
	}
	content, err := v.Content(ctx, path)
	if err != nil {
		return nil, err
	}
	o := languages.Parse(path, content)
	v.source.outlines.keep(&o, f.Hash)
	return &o, nil
}

// Content returns the text of a file, with secrets masked. The caller does not change
// it.
func (v *Snapshot) Content(ctx context.Context, path record.Path) ([]byte, error) {
	r := v.replaced(path)
	switch {
	case r == nil:
		return v.tx.Content(ctx, path)
	case r.File.LeftOut != "":
		return nil, notShown(path)
	}
	return r.FileRecord.Content, nil
}

// Graph returns what a file defines and uses.
func (v *Snapshot) Graph(ctx context.Context, path record.Path) (record.FileGraph, error) {
	r := v.replaced(path)
	switch {
	case r == nil:
		return v.tx.Graph(ctx, path)
	case r.File.LeftOut != "":
		return record.FileGraph{}, notShown(path)
	}
	return r.FileRecord.Graph, nil
}

// GraphTo is like Graph, but may return only the edges to name.
func (v *Snapshot) GraphTo(ctx context.Context, path record.Path, name string) (record.FileGraph, error) {
	if v.over.replaced[path] == nil {
		return v.tx.GraphTo(ctx, path, name)
	}
	return v.Graph(ctx, path)
}

func notShown(path record.Path) error { return fmt.Errorf("%s: %w", path, fs.ErrNotExist) }

// FileChunks returns the chunks of a file, in order; none of a file that is not shown.
func (v *Snapshot) FileChunks(ctx context.Context, path record.Path) ([]record.Chunk, error) {
	if r := v.replaced(path); r != nil {
		return r.FileRecord.Chunks, nil
	}
	chunks, err := v.tx.FileChunks(ctx, path)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return chunks, err
}

// Chunks returns the chunks of keys, in their order; one that is gone is zero.
func (v *Snapshot) Chunks(ctx context.Context, keys []record.Key) ([]record.Chunk, error) {
	stored := slices.DeleteFunc(slices.Clone(keys), func(k record.Key) bool { return k >= firstOpenKey })
	chunks, err := v.tx.Chunks(ctx, stored)
	if err != nil || len(stored) == len(keys) {
		return chunks, err
	}
	s, err := v.over.search()
	if err != nil {
		return nil, err
	}
	all := make([]record.Chunk, 0, len(keys))
	for _, k := range keys {
		if k >= firstOpenKey {
			all = append(all, s.chunk(k))
			continue
		}
		all, chunks = append(all, chunks[0]), chunks[1:]
	}
	return all, nil
}

// Stats describes the index.
func (v *Snapshot) Stats(ctx context.Context) (store.Stats, error) { return v.tx.Stats(ctx) }

// Indexed returns the files of the index, sorted by path, without the documents and
// changes of the snapshot. The caller does not change them.
func (v *Snapshot) Indexed() []record.Row { return v.state.files.files }

// Index returns the index for package retrieve.
func (v *Snapshot) Index(e retrieve.Embedder) retrieve.Index {
	return retrieve.Index{Files: v.Reading(), Names: v.over.names, Text: wordSearch{v}, Vectors: vectorSearch{v}, Embed: e, History: v.state.history}
}

// History returns the git history of the workspace.
func (v *Snapshot) History() *History { return v.state.history }

// wordSearch and vectorSearch search a snapshot.
type (
	wordSearch   struct{ *Snapshot }
	vectorSearch struct{ *Snapshot }
)

// Search implements [retrieve.TextSearcher].
func (v wordSearch) Search(ctx context.Context, query []record.Word, k int, keep func(record.Key) bool) ([]record.Hit, error) {
	s, err := v.over.search()
	if err != nil {
		return nil, err
	}
	return s.words.SearchWords(ctx, query, k, lexical.Options{Keep: keep, Tie: s.compare})
}

// Files implements [retrieve.TextSearcher].
func (v wordSearch) Files(ctx context.Context, query []record.Word) (iter.Seq[retrieve.FileScore], error) {
	s, err := v.over.search()
	if err != nil {
		return nil, err
	}
	files := &keyed{}
	for _, c := range []*catalog{s.indexed, s.replaced} { // the keys of the second are the higher ones
		list := c.byKey()
		if files.Len() == 0 && (c == s.replaced || len(v.over.replaced) == 0) {
			files = &keyed{slices.Clip(list.files), slices.Clip(list.chunks)}
			continue
		}
		for i, f := range list.files {
			if c == s.replaced || v.over.replaced[f.Path()] == nil {
				files.add(f, list.chunks[i])
			}
		}
	}
	scores, err := s.words.SearchGroups(ctx, query, files.chunks)
	if err != nil {
		return nil, err
	}
	return func(yield func(retrieve.FileScore) bool) {
		for i, score := range scores {
			if score > 0 && !yield(retrieve.FileScore{Path: files.files[i].Path(), Score: score}) {
				return
			}
		}
	}, nil
}

// Search implements [retrieve.VectorSearcher].
func (v vectorSearch) Search(ctx context.Context, query []float32, k int, keep func(record.Key) bool) ([]record.Hit, error) {
	s, err := v.over.search()
	if err != nil {
		return nil, err
	}
	o := flat.Options{Keep: keep, Tie: s.compare}
	if s.vectors.Stored() {
		o.Stored = v.tx
	}
	return s.vectors.Search(ctx, floatReader{v.tx, s}, query, k, o)
}

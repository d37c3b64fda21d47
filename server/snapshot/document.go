package snapshot

import (
	"context"
	"crypto/sha256"
	"maps"
	"sync"
	"sync/atomic"

	"ambit/indexer/languages"
	"ambit/server/api"
	"ambit/vectors/record"
)

// replacement stands in place of a file of the index: an open document, or the file as
// it is on disk. It is immutable and computes each of its results once.
type replacement struct {
	path     record.Path
	document *api.Document // nil for a file on disk
	hash     func() record.Hash
	analyze  func() *analysis
	embed    func() ([]record.Codes, error)
}

// analysis has the records that the index would store for a text, without vectors and
// keys. The outline is nil when the file was read from disk or File.LeftOut is set.
type analysis struct {
	record.FileRecord
	outline *languages.Outline
}

// gone is the File.LeftOut of a deleted file.
const gone = "gone"

// newDocument returns the replacement for an open document.
func (s *Source) newDocument(d *api.Document) *replacement {
	r := &replacement{path: d.Path, document: d}
	text := []byte(d.Text)
	r.hash = sync.OnceValue(func() record.Hash { return sha256.Sum256(text) })
	r.analyze = sync.OnceValue(func() *analysis {
		if reason := s.filter.NamedOut(string(d.Path)); reason != "" {
			return &analysis{FileRecord: record.FileRecord{File: record.File{Path: d.Path, LeftOut: reason}}}
		}
		a := &analysis{}
		var o languages.Outline
		if a.FileRecord, o = s.pipeline.Analyze(d.Path, d.Language, text); a.File.LeftOut == "" {
			a.outline = &o
		}
		return a
	})
	r.embed = s.embedding(r)
	return r
}

// newFile returns the replacement for a file on disk.
func (s *Source) newFile(file record.FileRecord) *replacement {
	a := &analysis{FileRecord: file}
	r := &replacement{
		path:    file.File.Path,
		hash:    func() record.Hash { return file.File.Hash },
		analyze: func() *analysis { return a },
	}
	r.embed = s.embedding(r)
	return r
}

// embedding returns the function that returns the vectors of the chunks of r.
func (s *Source) embedding(r *replacement) func() ([]record.Codes, error) {
	return sync.OnceValues(func() ([]record.Codes, error) {
		file := r.analyze().FileRecord
		err := s.pipeline.Embed(context.Background(), &file) // the result outlives the request
		return file.Codes, err
	})
}

// Documents are the open documents of one client. The zero value is not ready for use,
// see [Source.Documents]. All methods are safe for concurrent use.
type Documents struct {
	source *Source
	set    atomic.Pointer[documentSet]
	change sync.Mutex // held while the next set is made
}

// documentSet is immutable.
type documentSet map[record.Path]*replacement

// Documents returns the empty documents of a new client.
func (s *Source) Documents() *Documents {
	d := &Documents{source: s}
	d.set.Store(&documentSet{})
	return d
}

// Set puts a document in place of the file with its path, or of its earlier version.
func (d *Documents) Set(document *api.Document) {
	d.edit(func(set documentSet) { set[document.Path] = d.source.newDocument(document) })
}

// Close removes a document, so that the file on disk counts again.
func (d *Documents) Close(path record.Path) {
	d.edit(func(set documentSet) { delete(set, path) })
}

// Empty reports whether no document is open.
func (d *Documents) Empty() bool { return len(*d.set.Load()) == 0 }

func (d *Documents) edit(f func(documentSet)) {
	d.change.Lock()
	defer d.change.Unlock()
	next := maps.Clone(*d.set.Load())
	f(next)
	d.set.Store(&next)
}

// with returns the set with the document of a question, unless nil, in place of its
// latest version.
func (d *Documents) with(asked *api.Document) *documentSet {
	set := d.set.Load()
	if asked == nil {
		return set
	}
	if r := (*set)[asked.Path]; r != nil && (r.document == asked || *r.document == *asked) {
		return set
	}
	next := maps.Clone(*set)
	next[asked.Path] = d.source.newDocument(asked)
	return &next
}

// Package enrich adds lines from other files to the embedding texts of a class: the
// methods and the text of the mixins that it includes, the associations that other
// classes have with it, and the columns of its table. Only classes of a framework that
// package languages knows are enriched.
//
// [Collect] reads one file. It returns the exports of the file, which other files may
// use, and its references, each of which names exports of other files and the chunk that
// they belong to. Both depend on the bytes of that file alone.
//
// [Index] holds the exports and references of all files. [Index.Enrich] resolves the
// references of one file and adds the exports that it finds to the texts of its chunks;
// another call replaces them. [Index.Stale] returns the files whose added lines differ
// from the lines that Enrich would add now. Exports do not depend on exports, so one pass
// over the stale files makes all texts those of a new index.
package enrich

import (
	"crypto/sha256"
	"maps"
	"slices"
	"strings"
	"sync"

	"ambit/indexer/chunk"
	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// maxCandidates bounds the exports of one name that resolve tries for a reference.
const maxCandidates = 64

// Index is the exports and references of the files of an index. It is safe for
// concurrent use.
type Index struct {
	mu      sync.Mutex // guards all fields below
	files   map[record.Path]*record.CrossFile
	exports map[name][]export    // by file
	changed map[name]bool        // names whose exports changed since the last call of Stale
	suspect map[record.Path]bool // files with references that may be stale
	// stored has the exports and references that the store has for the previewed files, nil
	// for those that it lacks.
	stored map[record.Path]*record.CrossFile
}

// name is the key by which references find exports: the last name of their path.
type name struct {
	kind record.ExportKind
	last string
}

func nameOf(kind record.ExportKind, path string) name {
	return name{kind, path[strings.LastIndexByte(path, '.')+1:]}
}

// export is an export with its file.
type export struct {
	file record.Path
	*record.Export
}

// NewIndex returns the Index of files. Each of them may be stale, as the process that
// wrote them may have stopped before the last batch.
func NewIndex(files []record.Row) *Index {
	x := &Index{files: map[record.Path]*record.CrossFile{}, exports: map[name][]export{}, changed: map[name]bool{}, suspect: map[record.Path]bool{}}
	for _, f := range files {
		if c := f.CrossFile(); c != nil { // nearly all have none
			x.replace(f.Path(), c)
		}
	}
	return x
}

// Apply replaces the files of a batch that was written.
func (x *Index) Apply(b *record.Batch) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for i := range b.Files {
		f := &b.Files[i].File
		delete(x.stored, f.Path)
		x.replace(f.Path, f.CrossFile)
	}
	for _, path := range b.Removed {
		delete(x.stored, path)
		x.replace(path, nil)
	}
}

// Preview replaces the files of a batch before they are written, so that their exports
// count already, and those of removed files no longer. The caller calls the returned
// function to undo the preview of the files that Apply has not received by then. There is
// one preview at a time.
func (x *Index) Preview(b *record.Batch) (end func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.stored = make(map[record.Path]*record.CrossFile, len(b.Files)+len(b.Removed))
	preview := func(path record.Path, c *record.CrossFile) {
		x.stored[path] = x.files[path]
		x.replace(path, c)
	}
	for i := range b.Files {
		preview(b.Files[i].File.Path, b.Files[i].File.CrossFile)
	}
	for _, path := range b.Removed {
		preview(path, nil)
	}
	return func() {
		x.mu.Lock()
		defer x.mu.Unlock()
		for path, c := range x.stored {
			x.replace(path, c)
		}
		x.stored = nil
	}
}

// replace sets the exports and references of a file, nil for none. The caller holds x.mu.
func (x *Index) replace(path record.Path, c *record.CrossFile) {
	var old, now []record.Export
	if before := x.files[path]; before != nil {
		old = before.Exports
	}
	delete(x.files, path)
	delete(x.suspect, path)
	if c != nil {
		now = c.Exports
		x.files[path] = c
		if len(c.References) > 0 {
			x.suspect[path] = true
		}
	}
	if slices.Equal(old, now) {
		return
	}
	for i := range old {
		n := nameOf(old[i].Kind, old[i].Path)
		x.changed[n] = true
		x.exports[n] = slices.DeleteFunc(x.exports[n], func(e export) bool { return e.file == path })
		if len(x.exports[n]) == 0 {
			delete(x.exports, n)
		}
	}
	for i := range now {
		n := nameOf(now[i].Kind, now[i].Path)
		x.changed[n] = true
		at, _ := slices.BinarySearchFunc(x.exports[n], path, func(e export, path record.Path) int {
			if e.file <= path { // after the exports of the file itself
				return -1
			}
			return 1
		})
		x.exports[n] = slices.Insert(x.exports[n], at, export{path, &now[i]})
	}
}

// Stale returns the files whose added lines differ from the lines that [Index.Enrich]
// would add now, by path.
func (x *Index) Stale() []record.Path {
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.changed) > 0 {
		for path, c := range x.files {
			if slices.ContainsFunc(c.References, func(r record.Reference) bool { return x.changed[nameOf(r.Kind, r.Path)] }) {
				x.suspect[path] = true
			}
		}
		clear(x.changed)
	}
	maps.DeleteFunc(x.suspect, func(path record.Path, _ bool) bool {
		_, sum := x.lines(path, x.files[path])
		return sum == x.files[path].Enriched
	})
	return slices.Sorted(maps.Keys(x.suspect))
}

// Enrich replaces the lines that other files added to the chunks of r with the present
// ones, and reports whether they differ. A chunk that changes loses its codes.
func (x *Index) Enrich(r *record.FileRecord) bool {
	if r.File.CrossFile == nil {
		return false
	}
	c := *r.File.CrossFile
	x.mu.Lock()
	lines, sum := x.lines(r.File.Path, &c)
	x.mu.Unlock()
	if sum == c.Enriched {
		return false
	}
	c.Enriched = sum
	r.File.CrossFile = &c
	for from, to := 0, 0; from < len(c.References); from = to {
		for to < len(c.References) && c.References[to].Chunk == c.References[from].Chunk {
			to++
		}
		rewrite(r, c.References[from:to], lines[from:to])
	}
	return true
}

// rewrite writes the lines of the references of one chunk.
func rewrite(r *record.FileRecord, references []record.Reference, lines []string) {
	at := references[0]
	c := &r.Chunks[at.Chunk]
	prefix, suffix := c.Prefix[:at.Prefix], c.Suffix[:at.Suffix]
	for i := range references {
		if references[i].TextBytes > 0 {
			suffix += lines[i]
		} else {
			prefix += lines[i]
		}
	}
	if prefix == c.Prefix && suffix == c.Suffix {
		return
	}
	c.Prefix, c.Suffix = prefix, suffix
	c.EmbedHash = record.HashText(c.AppendEmbeddingText(nil, r.Content))
	if r.Codes != nil {
		r.Codes[at.Chunk] = record.Codes{}
	}
}

// lines returns the lines that each reference of a file adds, "" for none, and their
// sum, zero for none at all. The caller holds x.mu.
func (x *Index) lines(path record.Path, c *record.CrossFile) (lines []string, sum record.Hash) {
	lines = make([]string, len(c.References))
	h, found := sha256.New(), false
	for i := range c.References {
		lines[i] = x.resolve(path, &c.References[i])
		found = found || lines[i] != ""
		h.Write([]byte(lines[i]))
		h.Write([]byte{0})
	}
	if found {
		h.Sum(sum[:0])
	}
	return lines, sum
}

// resolve returns the lines that a reference in the file at path adds. Of two tables, or
// two mixins of one path, the first by file counts. resolve skips the file itself.
func (x *Index) resolve(path record.Path, r *record.Reference) string {
	var associations []string
	var best export
	candidates := x.exports[nameOf(r.Kind, r.Path)]
	for _, e := range candidates[:min(len(candidates), maxCandidates)] {
		if e.file == path {
			continue
		}
		switch r.Kind {
		case record.ExportAssociation:
			if refersTo(e.From, e.Path, r.Path) {
				associations = append(associations, e.Brief)
			}
		case record.ExportTable:
			if best.Export == nil {
				best = e
			}
		case record.ExportMixin:
			if refersTo(r.From, r.Path, e.Path) && (best.Export == nil || len(e.Path) > len(best.Path)) {
				best = e
			}
		}
	}
	head := "# " + labels[r.Kind] + ": "
	switch {
	case len(associations) > 0:
		return head + chunk.JoinUpTo(associations, ", ", maxBriefBytes) + "\n"
	case best.Export == nil:
		return ""
	case r.Kind == record.ExportTable:
		return head + best.Brief + "\n"
	case r.TextBytes == 0:
		return head + strings.TrimSpace(best.Path+" "+best.Brief) + "\n"
	case best.Text == "":
		return ""
	}
	return head + best.Path + "\n" + upTo(best.Text, r.TextBytes) + "\n"
}

// labels start the lines of an export, as in "# Concern: Trackable (def track!(at))".
var labels = map[record.ExportKind]string{
	record.ExportMixin:       "Concern",
	record.ExportAssociation: "Associated from",
	record.ExportTable:       "Table",
}

// refersTo reports whether a path that is written in the class from can mean the class
// or mixin at path: it is looked up in from and in the types around it, from the inside
// out, unless it starts with ".", at the top.
func refersTo(from, written, path string) bool {
	if top, ok := strings.CutPrefix(written, "."); ok {
		return path == top
	}
	for {
		if path == written || from != "" && strings.HasPrefix(path, from) && path[len(from):] == "."+written {
			return true
		}
		if from == "" {
			return false
		}
		from, _ = languages.CutLast(from)
	}
}

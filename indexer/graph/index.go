package graph

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"ambit/vectors/record"
)

// View is one immutable state of the names of all files. The zero value is empty. All
// methods are safe for concurrent use.
type View struct {
	parts []*segment
	dead  [][]bool // by part and file

	ranking sync.Mutex            // held while ranked computes ranks
	ranks   atomic.Pointer[ranks] // nil before the first use: a question at a cursor does not need them
	below   *View                 // the view from whose ranks those of v follow: under an overlay, or as it was saved; nil for none
	asked   asked

	listed  sync.Once // guards modules
	modules []goModule

	leads map[Lead]record.Path // see WithOutside
	led   map[record.Path]bool // the files that leads lead to

	configs  sync.Map  // *scriptConfig by path, nil for none
	packaged sync.Once // guards packages
	packages map[string]*scriptConfig
}

// Apply returns v with the files of a batch, without the files that the batch removes, and
// with small parts merged.
func (v *View) Apply(b *record.Batch) *View {
	next := v.with(b.Files, b.Removed)
	if next.rankAfter(v); next != v && v.ranks.Load() == nil {
		next.below = v.below
	}
	return next.compacted()
}

// Encode returns the view as one blob for [Restore], in pieces: its large parts as they are,
// and one of the other files. The caller does not change them: they share the memory of the
// view. The ranks are part of it.
func (v *View) Encode() (pieces [][]byte) {
	ranks := v.ranked()
	v, ranks = v.settled(ranks)
	for i, s := range v.parts {
		pieces = append(pieces, s.encode(ranks.shares[i])...)
	}
	if len(v.parts) == 0 {
		return build(nil).encode(nil)
	}
	return pieces
}

// Restore returns the view in a blob of [View.Encode]. It leaves out files that are not
// live, which are sorted by path, or have another key; the caller applies the live files that the blob lacks. The view
// keeps data. A damaged blob is an error.
func Restore(data []byte, live []record.Row) (*View, error) {
	src := memory(data)
	return open(src, live, func(s *segment, from, to int) error {
		if err := checkSum(data[from:to]); err != nil || s.valid() {
			return err
		}
		return errSnapshot
	})
}

// Open is Restore for a view that reads of src what a question needs: the files now, and of
// the names those that are asked for. It does not compare sums.
func Open(src Source, live []record.Row) (*View, error) {
	return open(src, live, func(*segment, int, int) error { return nil })
}

// open returns the view in src. Check checks a segment that lies there from an offset to another.
func open(src Source, live []record.Row, check func(s *segment, from, to int) error) (*View, error) {
	v, r, outdated := &View{}, &ranks{}, false // as they were saved
	var dead [][]bool                          // those that are no longer live
	for at := 0; at == 0 || at < src.Len(); {
		s, list, end, err := openSegment(src, at, live)
		if err == nil {
			err = check(s, at, end)
		}
		if err != nil {
			return nil, err
		}
		at = end
		outdated = outdated || slices.Contains(list.gone, true)
		dead = append(dead, list.gone)
		v.parts, v.dead, r.shares = append(v.parts, s), append(v.dead, make([]bool, len(list.gone))), append(r.shares, list.shares)
	}
	r.count()
	v.ranks.Store(r)
	if !outdated {
		return v, nil
	}
	return &View{parts: v.parts, dead: dead, below: v}, nil
}

// With returns a view in which the given files replace their indexed state: an overlay of
// edited files. Its ranks are those of v, with the names of these files weighed again.
func (v *View) With(files ...record.FileRecord) *View {
	if len(files) == 0 {
		return v
	}
	next := v.with(files, nil)
	next.below = v
	return next
}

// Lead is an import of a file, as the file writes it.
type Lead struct {
	From   record.Path
	Module string
}

// WithOutside is [View.With] for files outside of the workspace. leads says which of them the
// imports mean for which the rules of the language do not find the file.
func (v *View) WithOutside(leads map[Lead]record.Path, files ...record.FileRecord) *View {
	next := v.With(files...)
	if next != v {
		next.leads, next.led = leads, make(map[record.Path]bool, len(leads))
		for _, p := range leads {
			next.led[p] = true
		}
	}
	return next
}

func (v *View) with(files []record.FileRecord, removed []record.Path) *View {
	if len(files) == 0 && len(removed) == 0 {
		return v
	}
	gone := make(map[record.Path]bool, len(files)+len(removed))
	for i := range files {
		gone[files[i].File.Path] = true
	}
	for _, p := range removed {
		gone[p] = true
	}
	next := &View{parts: slices.Clone(v.parts), dead: slices.Clone(v.dead)}
	for i, s := range next.parts {
		cloned := false
		for p := range gone {
			if f, ok := s.find(p); ok && !next.dead[i][f] {
				if !cloned {
					next.dead[i], cloned = slices.Clone(next.dead[i]), true
				}
				next.dead[i][f] = true
			}
		}
	}
	if s := build(files); len(s.files) > 0 {
		next.parts = append(next.parts, s)
		next.dead = append(next.dead, make([]bool, len(s.files)))
	}
	return next
}

// maxMergeUses is the size from which a part is not merged any more, some 40 MB: a merge
// takes as much memory as its result, for a moment, and the names of a Linux kernel took
// 220 MB. Each part costs a look-up a name.
const maxMergeUses = 1_000_000

func (s *segment) isLarge() bool { return s.uses.n >= maxMergeUses }

// compacted merges the newest parts as long as they are together at least as large as the
// part before them, and that one is not large. So there are few parts, and every name is
// merged O(log n) times.
func (v *View) compacted() *View {
	n := len(v.parts)
	size, from := 0, n
	for i := n - 1; i >= 0; i-- {
		if v.parts[i].isLarge() || i < n-1 && v.parts[i].uses.n > size {
			break
		}
		size += v.parts[i].uses.n
		from = i
	}
	if n-from < 2 {
		return v
	}
	if v.below != nil { // the files are about to have other numbers
		v.rankAfter(v.below)
	}
	return v.mergedBut(func(i int) bool { return i < from })
}

// settled returns the view without dead files and with one part that is not large, and its
// ranks. R are those of v.
func (v *View) settled(r *ranks) (*View, *ranks) {
	clean := func(i int) bool { return !slices.Contains(v.dead[i], true) }
	dirty, small := false, 0
	for i, s := range v.parts {
		dirty = dirty || !clean(i)
		if !s.isLarge() {
			small++
		}
	}
	if !dirty && small <= 1 {
		return v, r
	}
	next := v.mergedBut(func(i int) bool { return v.parts[i].isLarge() && clean(i) })
	return next, next.ranked()
}

// mergedBut returns the view with the parts that keep names first and one part of the others.
func (v *View) mergedBut(keep func(part int) bool) *View {
	next := &View{}
	var rest []*segment
	var at []int // in v.parts, of rest
	for i, s := range v.parts {
		if keep(i) {
			next.parts, next.dead = append(next.parts, s), append(next.dead, v.dead[i])
		} else {
			rest, at = append(rest, s), append(at, i)
		}
	}
	s, numbers := merge(rest, func(p, f int) bool { return v.dead[at[p]][f] })
	next.parts, next.dead = append(next.parts, s), append(next.dead, make([]bool, len(s.files)))
	if r := v.ranks.Load(); r != nil {
		next.ranks.Store(r.renumbered(keep, numbers, len(s.files)))
	}
	return next
}

// ref names a file of a view.
type ref struct{ part, file int }

func (v *View) file(r ref) *fileEntry { return &v.parts[r.part].files[r.file] }

// dirOf returns the directory of a path, "" for the root.
func dirOf(name string) string {
	if i := strings.LastIndexByte(name, '/'); i >= 0 {
		return name[:i]
	}
	return ""
}

// Files yields the paths of all files of the view, in no order.
func (v *View) Files() iter.Seq[record.Path] {
	return func(yield func(record.Path) bool) {
		for i, s := range v.parts {
			for f := range s.files {
				if !v.dead[i][f] && !yield(s.files[f].path) {
					return
				}
			}
		}
	}
}

// Has reports whether the view has a file.
func (v *View) Has(p record.Path) bool {
	_, ok := v.find(p)
	return ok
}

// Definition is a definition of a name anywhere in the workspace.
type Definition struct {
	Path     record.Path
	Symbol   int // index into FileGraph.Symbols
	Kind     record.Kind
	Exported bool
	Test     bool
}

// Definitions returns the definitions of a name by path, at most maxDefinitions of them.
func (v *View) Definitions(name string) []Definition {
	var out []Definition
	v.eachDef(name, func(r ref, d def) bool {
		out = append(out, Definition{v.file(r).path, int(d.symbol), kinds[d.kind], d.flags&flagExported != 0, d.flags&flagTest != 0 || v.file(r).test})
		return len(out) < maxDefinitions
	})
	return out
}

// maxDefinitions bounds the definitions of one name that a query examines. The most common
// method names of the Go standard library have some 600.
const maxDefinitions = 1000

// eachDef calls fn with the live definitions of a name until fn returns false. It orders
// them by path, so the result does not depend on the order of the batches.
func (v *View) eachDef(name string, fn func(ref, def) bool) { v.eachOf(v.runs(name), fn) }

// eachReached is eachDef for the files that r covers from a file. Of a directory it looks at
// the definitions in and below it alone: hundreds of files use a name that thousands define.
func (v *View) eachReached(r reach, from *fileEntry, name string, fn func(ref, def) bool) {
	runs := v.runs(name)
	if dir := dirOf(string(from.path)); r == ownDirectory && dir != "" {
		for i := range runs {
			first, end := v.parts[runs[i].part].below(dir)
			runs[i].defs = defsOfFiles(runs[i].defs, first, end)
		}
		runs = slices.DeleteFunc(runs, func(r run) bool { return len(r.defs) == 0 })
	}
	v.eachOf(runs, func(at ref, d def) bool { return !r.covers(from, v.file(at)) || fn(at, d) })
}

// runs returns the definitions of a name, by part.
func (v *View) runs(name string) []run {
	var runs []run
	for i, s := range v.parts {
		if n, ok := s.lookup(name); ok && len(s.defsOf(n)) > 0 {
			runs = append(runs, run{i, s.defsOf(n)})
		}
	}
	return runs
}

// eachOf calls fn with the live definitions of runs, by path, until fn returns false.
func (v *View) eachOf(runs []run, fn func(ref, def) bool) {
	for len(runs) > 0 {
		first := 0
		for i := 1; i < len(runs); i++ {
			if v.file(runs[i].head()).path < v.file(runs[first].head()).path {
				first = i
			}
		}
		r := &runs[first]
		at, d := r.head(), r.defs[0]
		if r.defs = r.defs[1:]; len(r.defs) == 0 {
			runs = slices.Delete(runs, first, first+1)
		}
		if !v.dead[at.part][at.file] && !fn(at, d) {
			return
		}
	}
}

// run is the definitions of a name in one part, by path.
type run struct {
	part int
	defs []def // at least one
}

func (r *run) head() ref { return ref{r.part, int(r.defs[0].file)} }

// declares reports whether a file has a definition of a name.
func (v *View) declares(name string) bool {
	found := false
	v.eachDef(name, func(ref, def) bool {
		found = true
		return false
	})
	return found
}

// defsIn returns the definitions of a name in one file, by symbol.
func (v *View) defsIn(r ref, name string) []def {
	s := v.parts[r.part]
	n, ok := s.lookup(name)
	if !ok {
		return nil
	}
	return defsOfFiles(s.defsOf(n), r.file, r.file+1)
}

// defsOfFiles returns those of defs, which are sorted by file and symbol, in the files from
// first up to end, end excluded.
func defsOfFiles(defs []def, first, end int) []def {
	byFile := func(d def, file int) int { return cmp.Compare(int(d.file), file) }
	from, _ := slices.BinarySearchFunc(defs, first, byFile)
	n, _ := slices.BinarySearchFunc(defs[from:], end, byFile)
	return defs[from : from+n]
}

// eachUser yields the live files that use a name. Of a view with files outside of the workspace these
// are also those that use the name in a standard library.
func (v *View) eachUser(name string) iter.Seq[ref] {
	return func(yield func(ref) bool) {
		for i, s := range v.parts {
			for f := range s.users(name, v.leads != nil) {
				if !v.dead[i][f] && !yield(ref{i, int(f)}) {
					return
				}
			}
		}
	}
}

// UserCount returns the number of files that use a name.
func (v *View) UserCount(name string) int {
	n := 0
	for range v.eachUser(name) {
		n++
	}
	return n
}

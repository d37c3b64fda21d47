package eval

import (
	"bytes"
	"cmp"
	"slices"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// gold is what a question expects, in the tree that is asked.
type gold struct {
	files     []goldFile // by path
	functions []function
	nLines    int
}

// goldFile is an expected file.
type goldFile struct {
	path  record.Path
	lines map[int]bool // expected ones, which may be none
	names []string     // of the functions in it
}

// function is a function or method of a file.
type function struct {
	path  record.Path
	name  string // qualified
	lines record.Lines
}

// add adds a file with its expected lines. It finds the innermost function of each line, or
// for an insertion the one that has the lines on both sides.
func (g *gold) add(path record.Path, content []byte, expected []lineRange) {
	f := goldFile{path: path, lines: map[int]bool{}}
	all := functionsOf(path, content)
	n := countLines(content)
	hit := map[int]bool{}
	for _, r := range expected {
		first, last := max(r.first, 1), min(r.last, n)
		for line := first; line <= last; line++ {
			f.lines[line] = true
			to := line
			if r.insertion {
				to = line + 1
			}
			if i := innermost(all, line, to); i >= 0 {
				hit[i] = true
			}
		}
	}
	for i, fn := range all {
		if hit[i] {
			g.functions = append(g.functions, fn)
			f.names = append(f.names, fn.name)
		}
	}
	g.nLines += len(f.lines)
	g.files = append(g.files, f)
	slices.SortFunc(g.files, func(a, b goldFile) int { return cmp.Compare(a.path, b.path) })
}

// lineRange is a run of lines, 1-based and inclusive.
type lineRange struct {
	first, last int
	insertion   bool // what is expected is inserted below the line
}

// functionsOf returns the functions of a file, outer before inner.
func functionsOf(path record.Path, content []byte) (list []function) {
	o := outlineOf(path, content)
	lines := newLineTable(content)
	for i := range o.Decls {
		d := &o.Decls[i]
		if languages.IsCallable(d.Kind) && d.Span.End > d.Span.Start {
			list = append(list, function{path, qualified(&o, i), lines.of(d.Span)})
		}
	}
	return list
}

// qualified returns the name of a declaration with those around it: "Command.Execute".
func qualified(o *languages.Outline, i int) string {
	d := &o.Decls[i]
	switch {
	case d.Container != "":
		return d.Container + "." + d.Name
	case d.Parent >= 0 && o.Decls[d.Parent].Name != "":
		return qualified(o, d.Parent) + "." + d.Name
	}
	return d.Name
}

// innermost returns the index of the smallest function with both lines, or -1.
func innermost(list []function, first, last int) int {
	best := -1
	for i, f := range list {
		if f.lines.First <= first && last <= f.lines.Last && (best < 0 || size(f.lines) <= size(list[best].lines)) {
			best = i
		}
	}
	return best
}

func size(l record.Lines) int { return l.Last - l.First + 1 }

// lineTable gives the lines of offsets.
type lineTable struct {
	starts []int // of each line
	end    int
}

func newLineTable(content []byte) lineTable {
	t := lineTable{starts: []int{0}, end: len(content)}
	for i, c := range content {
		if c == '\n' && i+1 < len(content) {
			t.starts = append(t.starts, i+1)
		}
	}
	return t
}

// line returns the line of an offset, from 1.
func (t *lineTable) line(offset int) int {
	i, found := slices.BinarySearch(t.starts, offset)
	if found {
		return i + 1
	}
	return i
}

// of returns the lines of a span that is not empty.
func (t *lineTable) of(s record.Span) record.Lines {
	return record.Lines{First: t.line(s.Start), Last: t.line(max(s.Start, s.End-1))}
}

// span returns the span of a run of lines.
func (t *lineTable) span(l record.Lines) record.Span {
	n := len(t.starts)
	s := record.Span{Start: t.end, End: t.end}
	if l.First >= 1 && l.First <= n {
		s.Start = t.starts[l.First-1]
	}
	if l.Last >= 0 && l.Last < n {
		s.End = t.starts[l.Last]
	}
	return s
}

// countLines returns the number of lines.
func countLines(content []byte) int {
	n := bytes.Count(content, []byte("\n"))
	if len(content) > 0 && content[len(content)-1] != '\n' {
		n++
	}
	return n
}

// piece is a part of a file that a method found.
type piece struct {
	path  record.Path
	lines []record.Lines // ascending
}

// fileRanks returns the rank of each expected file in the order of the first pieces.
func (g *gold) fileRanks(found []piece) []int {
	rank, seen := make([]int, len(g.files)), map[record.Path]bool{}
	for _, p := range found {
		if seen[p.path] {
			continue
		}
		seen[p.path] = true
		if i, ok := slices.BinarySearchFunc(g.files, p.path, func(f goldFile, path record.Path) int { return cmp.Compare(f.path, path) }); ok {
			rank[i] = len(seen)
		}
	}
	return rank
}

// maxUnit is the most lines of a piece that finds a function by holding all of it.
const maxUnit = 60

// functionRanks returns the rank of each expected function: that of the first piece of which
// it is at least half, or that holds it and is short.
func (g *gold) functionRanks(found []piece) []int {
	rank := make([]int, len(g.functions))
	for i, p := range found {
		total := 0
		for _, l := range p.lines {
			total += size(l)
		}
		for j, f := range g.functions {
			if rank[j] > 0 || f.path != p.path {
				continue
			}
			common := 0
			for _, l := range p.lines {
				common += max(0, min(l.Last, f.lines.Last)-max(l.First, f.lines.First)+1)
			}
			if common > 0 && (2*common >= total || common == size(f.lines) && total <= maxUnit) {
				rank[j] = i + 1
			}
		}
	}
	return rank
}

// shown is what a reader sees within a budget.
type shown struct {
	lines  map[record.Path]map[int]bool
	nLines int
	tokens int
}

// add shows a line and reports whether it is new.
func (s *shown) add(path record.Path, line int) bool {
	if s.lines == nil {
		s.lines = map[record.Path]map[int]bool{}
	}
	of := s.lines[path]
	if of == nil {
		of = map[int]bool{}
		s.lines[path] = of
	}
	if of[line] {
		return false
	}
	of[line] = true
	s.nLines++
	return true
}

// hits returns the number of expected lines that are shown.
func (s *shown) hits(g *gold) (n int) {
	for _, f := range g.files {
		of := s.lines[f.path]
		for line := range f.lines {
			if of[line] {
				n++
			}
		}
	}
	return n
}

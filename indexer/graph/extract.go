package graph

import (
	"bytes"
	"slices"
	"strings"
	"sync"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// Extract returns the symbols, edges and imports of one file.
func Extract(o *languages.Outline) record.FileGraph {
	x := extractor{o: o, lang: languageOf(o.Language), text: o.Text(), lines: lineStarts(o.Content)}
	g := record.FileGraph{Path: o.Path, Language: o.Language, Package: o.Package, Test: o.Test}
	x.bindings()
	x.symbols()
	x.results()
	g.Symbols = x.syms
	g.Imports = x.imports()
	g.Edges = x.edges()
	g.Filters = filtersOf(o)
	return g
}

// Resolve returns the edge of a reference. It expands the receiver with the local names of
// the file. ok is false for a local name and for a builtin. A name or a path in an import
// is an edge of kind EdgeImports.
func Resolve(o *languages.Outline, r *languages.Ref) (record.Edge, bool) {
	x := extractor{o: o, lang: languageOf(o.Language)}
	x.bindings()
	x.symbols()
	recv, ok := x.receiver(r)
	if !ok || rooted(recv, languages.Builtin) {
		return record.Edge{}, false
	}
	e := record.Edge{From: r.Decl, Name: x.imported(r, recv), Receiver: recv, Kind: r.Kind, Arguments: x.arguments(r), Count: 1}
	if r.Decl < 0 && recv == "" && r.Kind == record.EdgeReads && inImport(o, r) {
		e.Name, e.Kind = r.Name, record.EdgeImports
	}
	return e, true
}

// inImport reports whether a reference stands in an import of its name.
func inImport(o *languages.Outline, r *languages.Ref) bool {
	line := 0
	for i := range o.Imports {
		if imp := &o.Imports[i]; imp.Name == r.Name || imp.Local == r.Name {
			if line == 0 {
				line = 1 + bytes.Count(o.Content[:r.Span.Start], []byte{'\n'})
			}
			if imp.Line <= line && line <= imp.Line+maxImportLines {
				return true
			}
		}
	}
	return false
}

// maxImportLines bounds the lines of one import list, whose Line is the line of its path or
// of its first name.
const maxImportLines = 40

// extractor holds the state of one extraction.
type extractor struct {
	o      *languages.Outline
	lang   *language
	text   string
	lines  []int // offsets of line starts
	syms   []record.Symbol
	locals map[string][]int  // name → indexes into o.Bindings, by start
	rename map[string]string // local name of an import → its name in the module
	fields map[string]int    // qualified name of a field → its symbol, see boundField
}

// lineStarts returns the offsets at which the lines of content start.
func lineStarts(content []byte) []int {
	starts := make([]int, 1, len(content)/30+2)
	for i, c := range content {
		if c == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// line returns the 1-based line that holds offset.
func (x *extractor) line(offset int) int {
	i, found := slices.BinarySearch(x.lines, offset)
	if found {
		return i + 1
	}
	return i
}

func (x *extractor) symbols() {
	decls := x.o.Decls
	x.syms = make([]record.Symbol, len(decls))
	for i := range decls {
		d := &decls[i]
		s := record.Symbol{Name: d.Name, Qualified: d.Name, Kind: d.Kind, Role: record.Kind(d.Role), Parent: d.Parent, Container: d.Container, Span: d.Span, Header: d.Header, Body: d.Body,
			Doc: d.Doc, NameSpan: d.NameSpan, Type: x.boundType(i), Bases: d.Bases, Exported: d.Exported, Test: d.Test}
		switch {
		case d.Container != "":
			_, s.Container = languages.CutLast(d.Container)
			s.Qualified = s.Container + "." + d.Name
		case d.Parent >= 0 && decls[d.Parent].Kind != record.KindView:
			p := &x.syms[d.Parent]
			s.Qualified = p.Qualified + "." + d.Name
			if languages.IsType(p.Kind) || p.Kind == record.KindModule {
				s.Container = p.Qualified
			}
		}
		if s.Kind == record.KindImpl {
			s.Qualified = d.Name
		}
		if s.Container != "" {
			s.Type = x.lang.replaceSelf(s.Type, s.Container)
		}
		if x.lines != nil {
			s.Lines = record.Lines{First: x.line(d.Span.Start), Last: x.line(max(d.Span.Start, d.Span.End-1))}
			s.NameLine = x.line(d.NameSpan.Start)
			s.Signature = languages.Signature(x.text[d.Header.Start:d.Header.End])
			if d.NameSpan.Start >= d.Header.End && d.Body.End > d.Body.Start { // typedef struct { … } Name
				s.Signature += " … " + d.Name
			}
		}
		x.syms[i] = s
	}
}

// imports returns the imports of the file, with paths that start at the module of the file
// where the file writes a path from a module inside of it: `mod tests { use super::*; }`.
func (x *extractor) imports() []record.Import {
	if !x.lang.selfModule {
		return x.o.Imports
	}
	out := slices.Clone(x.o.Imports)
	for i := range out {
		imp := &out[i]
		if first, _, _ := strings.Cut(imp.Path, "."); first != "self" && first != superName {
			continue
		}
		decl := -1
		for j := range x.syms {
			if s := &x.syms[j]; s.Kind == record.KindModule && s.Lines.First <= imp.Line && imp.Line <= s.Lines.Last {
				decl = j
			}
		}
		imp.Path = x.fromFile(imp.Path, decl)
	}
	return out
}

// fromFile returns a path of modules, which starts with "self" or "super" and stands in a
// declaration, as the top of the file would write it.
func (x *extractor) fromFile(path string, decl int) string {
	var around []string // the modules of the file around the declaration, the outermost first
	for ; decl >= 0; decl = x.syms[decl].Parent {
		if s := &x.syms[decl]; s.Kind == record.KindModule && s.Body.End > s.Body.Start {
			around = append([]string{s.Name}, around...)
		}
	}
	segments := strings.Split(path, ".")
	ups := 0
	for ups < len(segments) && ups < len(around) && segments[ups] == superName {
		ups++
	}
	switch {
	case len(around) == 0:
		return path
	case segments[0] == "self":
		segments = segments[1:]
	default:
		segments = segments[ups:]
	}
	around = around[:len(around)-ups]
	if len(around) == 0 && len(segments) > 0 && segments[0] == superName {
		return strings.Join(segments, ".")
	}
	return strings.Join(slices.Concat([]string{"self"}, around, segments), ".")
}

// replaceSelf replaces "self" at the start of a path by the container.
func (l *language) replaceSelf(path, container string) string {
	first, rest, more := strings.Cut(path, ".")
	switch {
	case !l.isSelf(componentOf(first).name):
		return path
	case more:
		return container + "." + rest
	}
	return container
}

// superName stands for the bases of the type before it in a path.
const superName = "super"

// rooted reports whether a path starts with the given component.
func rooted(path, first string) bool {
	rest, ok := strings.CutPrefix(path, first)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// imported returns the name of a reference in the module that defines it.
func (x *extractor) imported(r *languages.Ref, receiver string) string {
	if receiver == "" {
		if n, ok := x.rename[r.Name]; ok {
			return n
		}
	}
	return r.Name
}

// edgeKey identifies an edge: uses with the same key are counted together.
type edgeKey struct {
	from           int
	name, receiver string
	arguments      string
}

// edges folds the references into edges, ordered by symbol and first use.
func (x *extractor) edges() []record.Edge {
	edges, giveBack := borrowEdges()
	var slab []int // memory for first lines, as most edges have one line
	seen := make(map[edgeKey]int, 16)
	line, next := 1, 0
	decl := -2
	for i := range x.o.Refs {
		r := &x.o.Refs[i]
		for next < len(x.lines) && x.lines[next] <= r.Span.Start {
			next++
			line = next
		}
		if r.Kind == record.EdgeImports {
			continue // stands in FileGraph.Imports
		}
		recv, ok := x.receiver(r)
		name := x.imported(r, recv)
		if n, of := x.constructor(r); n != "" {
			name, recv, ok = n, of, true
		}
		if !ok || isUnknown(recv) && r.Kind == record.EdgeReads || rooted(recv, languages.Builtin) {
			continue
		}
		if r.Decl != decl && len(seen) > 0 && !x.inside(r.Decl, decl) && !x.inside(decl, r.Decl) {
			clear(seen) // the declaration has ended
		}
		decl = r.Decl
		key := edgeKey{r.Decl, name, recv, x.arguments(r)}
		j, ok := seen[key]
		if !ok && r.Kind == record.EdgeCreates && key.arguments != "" { // A a = new A(b)
			if j, ok = seen[edgeKey{r.Decl, name, recv, ""}]; ok && edges[j].Kind == record.EdgeType {
				edges[j].Arguments = key.arguments
				seen[key] = j
			} else {
				ok = false
			}
		}
		if ok {
			e := &edges[j]
			e.Count++
			if stronger(r.Kind, e.Kind) {
				e.Kind = r.Kind
			}
			if n := len(e.Lines); n < record.MaxEdgeLines && e.Lines[n-1] != line {
				e.Lines = append(e.Lines, line)
			}
			continue
		}
		if len(slab) == 0 {
			slab = make([]int, min(len(x.o.Refs)-i, 256))
		}
		slab[0] = line
		seen[key] = len(edges)
		edges = append(edges, record.Edge{From: r.Decl, Name: key.name, Receiver: recv, Kind: r.Kind, Arguments: key.arguments, Count: 1, Lines: slab[:1:1]})
		slab = slab[1:]
	}
	edges = x.superclasses(x.filters(edges))
	slices.SortStableFunc(edges, func(a, b record.Edge) int { return a.From - b.From })
	return giveBack(edges)
}

// spareEdges has lists of edges without elements, as *[]record.Edge: how many edges the uses of
// a file make is known when all are folded.
var spareEdges sync.Pool

// maxSpareEdges bounds the lists that are kept, to 3 MB.
const maxSpareEdges = 1 << 15

// borrowEdges returns a list without elements. giveBack ends its use and returns a copy.
func borrowEdges() (list []record.Edge, giveBack func([]record.Edge) []record.Edge) {
	spare, ok := spareEdges.Get().(*[]record.Edge)
	if !ok {
		spare = new([]record.Edge)
	}
	return *spare, func(edges []record.Edge) []record.Edge {
		list := append(make([]record.Edge, 0, len(edges)), edges...)
		if clear(edges); cap(edges) <= maxSpareEdges {
			*spare = edges[:0]
		}
		spareEdges.Put(spare)
		return list
	}
}

// maxFilters bounds the filters of one file.
const maxFilters = 256

// filtersOf returns the filters of the classes of a file.
func filtersOf(o *languages.Outline) (filters []record.Filter) {
	for i := range o.Directives {
		d := &o.Directives[i]
		f := record.Filter{Class: d.Decl, Skip: d.Purpose == languages.PurposeSkip, Names: d.Args, Methods: d.Methods, Only: d.Only, Except: d.Except}
		isFilter := f.Skip || d.Purpose == languages.PurposeFilter && len(f.Methods) > 0
		if isFilter && len(f.Names) > 0 && len(filters) < maxFilters {
			filters = append(filters, f)
		}
	}
	return filters
}

// maxFilterEdges bounds the edges of one file from methods to the filters that run around them.
const maxFilterEdges = 4096

// filters adds an edge from each action of a class to each filter that runs around it,
// at the line of the filter's directive.
func (x *extractor) filters(edges []record.Edge) []record.Edge {
	if len(x.o.Directives) == 0 {
		return edges
	}
	limit := len(edges) + maxFilterEdges
	for k := range x.o.Decls {
		m := &x.o.Decls[k]
		if m.Role != languages.RoleAction {
			continue
		}
		for _, f := range x.o.Filters(m) {
			if len(f.Methods) == 0 || slices.Contains(f.Methods, m.Name) {
				continue
			}
			recv, _ := x.receiver(&languages.Ref{Receiver: "self", Kind: record.EdgeCalls, Span: f.Call, Decl: f.Decl})
			for _, name := range f.Methods {
				if len(edges) == limit {
					return edges
				}
				edges = append(edges, record.Edge{From: k, Name: name, Receiver: recv, Kind: record.EdgeCalls, Count: 1, Lines: []int{x.line(f.Call.Start)}})
			}
		}
	}
	return edges
}

// inside reports whether declaration a lies inside b.
func (x *extractor) inside(a, b int) bool {
	if b < 0 {
		return true
	}
	for ; a >= 0; a = x.syms[a].Parent {
		if a == b {
			return true
		}
	}
	return false
}

// stronger reports whether a says more about a use than b.
func stronger(a, b record.EdgeKind) bool { return strength[a] > strength[b] }

var strength = map[record.EdgeKind]int{record.EdgeReads: 1, record.EdgeType: 2, record.EdgeCalls: 3, record.EdgeCreates: 4, record.EdgeAssociates: 5, record.EdgeExtends: 6}

// Package graph owns symbols and edges: what a file defines and uses, and what a
// name means in a workspace.
//
// [Extract] looks at one outline and nothing else, so a file's records depend on
// that file alone; an edge goes from a symbol to a name. [Index] keeps a view of
// the names of all files and resolves edges when asked, by the scope, import and
// package rules of the language, then by uniqueness, then by nearness. The package
// reads no disk and knows no index file: records come through [Reader].
package graph

import (
	"bytes"
	"slices"
	"strings"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// Extract returns the symbols, edges and imports of one file.
func Extract(o *languages.Outline) record.FileGraph {
	x := extractor{o: o, lang: languageOf(o.Language), text: string(o.Content), lines: lineStarts(o.Content)}
	g := record.FileGraph{Path: o.Path, Language: o.Language, Package: o.Package, Imports: o.Imports, Test: o.Test}
	x.symbols()
	x.bindings()
	x.results()
	g.Symbols = x.syms
	g.Edges = x.edges()
	return g
}

// At returns the index of the innermost symbol around offset, and the reference
// under it when there is one. An offset right behind a name still is on it. The
// symbol is -1 outside of every declaration; ref is nil when the offset is not on
// a use of a name: on the name of a declaration, in a comment or in a string.
func At(o *languages.Outline, g *record.FileGraph, offset int) (symbol int, ref *languages.Ref) {
	symbol = symbolAt(g, offset)
	if symbol < 0 && offset > 0 {
		symbol = symbolAt(g, offset-1) // right behind a declaration
		if symbol >= 0 && g.Symbols[symbol].NameSpan.End != offset && offset < len(o.Content) && o.Content[offset] != '\n' {
			symbol = -1
		}
	}
	n, _ := slices.BinarySearchFunc(o.Refs, offset+1, func(r languages.Ref, at int) int { return r.Span.Start - at })
	// The reference that starts last before the offset, or the one that ends there.
	for n--; n >= 0; n-- {
		if r := &o.Refs[n]; r.Span.Start <= offset && offset <= r.Span.End {
			ref = r
			break
		} else if offset-r.Span.Start > maxNameBytes {
			break
		}
	}
	return symbol, ref
}

// maxNameBytes bounds the names that At looks for.
const maxNameBytes = 1000

func symbolAt(g *record.FileGraph, offset int) int {
	best := -1
	for i := range g.Symbols {
		s := &g.Symbols[i].Span
		if s.Start > offset {
			break
		}
		if offset < s.End && (best < 0 || s.End-s.Start <= g.Symbols[best].Span.End-g.Symbols[best].Span.Start) {
			best = i
		}
	}
	if best >= 0 {
		for i := range g.Symbols { // several names in one declaration: the one that is under the cursor
			if s := &g.Symbols[i]; s.Span == g.Symbols[best].Span && s.NameSpan.Start <= offset && offset <= s.NameSpan.End {
				return i
			}
		}
	}
	return best
}

// Resolve returns the edge that a reference makes, with its receiver as far as the
// file tells; ok is false for a local name and for what the language itself
// offers. A name or a path in an import is an edge of kind EdgeImports.
func Resolve(o *languages.Outline, r *languages.Ref) (record.Edge, bool) {
	x := extractor{o: o, lang: languageOf(o.Language)}
	x.symbols()
	x.bindings()
	recv, ok := x.receiver(r)
	if !ok || rooted(recv, languages.Builtin) {
		return record.Edge{}, false
	}
	e := record.Edge{From: r.Decl, Name: x.imported(r, recv), Receiver: recv, Kind: r.Kind, Count: 1}
	if r.Decl < 0 && recv == "" && r.Kind == record.EdgeReads && inImport(o, r) {
		e.Name, e.Kind = r.Name, record.EdgeImports
	}
	return e, true
}

// inImport reports whether a reference stands on the line of an import that it
// names.
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

// maxImportLines bounds the lines of one import list: its Line is that of its path
// or of its first name.
const maxImportLines = 40

// extractor holds what one extraction needs.
type extractor struct {
	o      *languages.Outline
	lang   *language
	text   string
	lines  []int // offsets of line starts
	syms   []record.Symbol
	locals map[string][]int  // name → indexes into o.Bindings, by start
	rename map[string]string // local name of an import → the name it has there
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
		s := record.Symbol{Name: d.Name, Qualified: d.Name, Kind: d.Kind, Parent: d.Parent, Container: d.Container, Span: d.Span, Header: d.Header, Body: d.Body,
			Doc: d.Doc, NameSpan: d.NameSpan, Type: d.Type, Bases: d.Bases, Exported: d.Exported, Test: d.Test}
		switch {
		case d.Container != "":
			_, s.Container = languages.CutLast(d.Container)
			s.Qualified = s.Container + "." + d.Name
		case d.Parent >= 0:
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
			s.Type = replaceSelf(s.Type, s.Container)
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

// replaceSelf spells a type that names its own container.
func replaceSelf(path, container string) string {
	first, rest, more := strings.Cut(path, ".")
	switch {
	case !isSelf(componentOf(first).name):
		return path
	case more:
		return container + "." + rest
	}
	return container
}

// bindings prepares the look-up of local names.
func (x *extractor) bindings() {
	x.locals = make(map[string][]int, len(x.o.Bindings)/2)
	for i := range x.o.Bindings {
		n := x.o.Bindings[i].Name
		x.locals[n] = append(x.locals[n], i)
	}
	for _, i := range x.o.Imports {
		if i.Local != i.Name && i.Local != "" && i.Name != "" && i.Name != "*" && i.Name != "default" {
			if x.rename == nil {
				x.rename = map[string]string{}
			}
			x.rename[i.Local] = i.Name
		}
	}
}

// local returns the binding of name that is meant at an offset, or -1: of those
// that are visible the innermost, and in one scope the last before the offset. The
// binding numbered except does not count.
func (x *extractor) local(name string, at, except int) int {
	found := -1
	list := x.locals[name]
	n, _ := slices.BinarySearchFunc(list, at+1, func(i, offset int) int { return x.o.Bindings[i].Scope.Start - offset })
	for i := n - 1; i >= max(0, n-maxLocals); i-- {
		b := &x.o.Bindings[list[i]]
		if at < b.Scope.Start || b.Scope.End <= at || list[i] == except {
			continue
		}
		if found >= 0 && x.o.Bindings[found].Scope != b.Scope {
			break
		}
		found = list[i]
		if b.At <= at {
			break
		}
	}
	return found
}

// maxLocals bounds the bindings of one name that are looked at for one use: those
// that end before it come between it and the one that holds.
const maxLocals = 256

// receiver returns the receiver of a reference with local names replaced by their
// types. It is false for a plain name that is local.
func (x *extractor) receiver(r *languages.Ref) (string, bool) {
	switch r.Receiver {
	case "":
		return "", x.local(r.Name, r.Span.Start, -1) < 0
	case unknown:
		return unknown, true
	}
	return x.expand(r.Receiver, r.Span.Start, r.Decl, -1, 0), true
}

// unknown is the receiver of which the file tells nothing.
const unknown = "?"

// maxExpand bounds how many locals are followed from one to the next.
const maxExpand = 5

// expand replaces the first name of a path when it is a local or stands for the
// type around it.
func (x *extractor) expand(path string, at, decl, except, depth int) string {
	first, rest, more := strings.Cut(path, ".")
	c := componentOf(first)
	root := ""
	switch b := x.local(c.name, at, except); {
	case isSelf(c.name):
		if root = x.container(decl); root == "" && x.lang.selfModule {
			return path // self::name
		}
	case c.name == superName && x.lang.selfModule:
		return path
	case c.name == superName:
		if root = x.container(decl); root != "" {
			root += "." + superName
		}
	case c.called && c.name != "" && c.name == x.lang.classOf: // type(self)
		root = x.container(decl)
	case b >= 0:
		l := &x.o.Bindings[b]
		if l.Type == "" || depth == maxExpand {
			return unknown
		}
		if root = x.expand(l.Type, max(l.At-1, 0), decl, b, depth+1); root != unknown {
			root += first[len(c.name):]
		}
	default:
		return path
	}
	switch {
	case root == "" || root == unknown:
		return unknown
	case !more:
		return root
	}
	return root + "." + rest
}

// isSelf reports whether a name stands for the type around it.
func isSelf(name string) bool {
	switch name {
	case "self", "this", "cls", "Self", "@", "$this":
		return true
	}
	return false
}

// component is one component of a path: "name", "name()" or "name()[1]".
type component struct {
	name   string
	called bool
	nth    int // of several values, the one that is meant
}

func componentOf(s string) component {
	c := component{name: s}
	if n := len(s); n > 3 && s[n-1] == ']' && s[n-3] == '[' {
		c.name, c.nth = s[:n-3], int(s[n-2]-'0')
	}
	for {
		name, ok := strings.CutSuffix(c.name, "()")
		if !ok {
			return c
		}
		c.name, c.called = name, true
	}
}

// results gives the functions without a written type what they return.
func (x *extractor) results() {
	for i := range x.o.Decls {
		if d := &x.o.Decls[i]; d.Type == "" && d.Result != "" {
			if t := x.expand(d.Result, max(d.Body.End-1, d.Body.Start), i, -1, 0); t != unknown {
				x.syms[i].Type = t
			}
		}
	}
}

// container returns the type that a declaration is a member of.
func (x *extractor) container(decl int) string {
	for ; decl >= 0; decl = x.syms[decl].Parent {
		s := &x.syms[decl]
		if languages.IsType(s.Kind) {
			return s.Qualified
		}
		if s.Container != "" {
			return s.Container
		}
	}
	return ""
}

// superName is the component of a path that stands for the bases of the type
// before it.
const superName = "super"

// rooted reports whether a path starts with the given component.
func rooted(path, first string) bool {
	rest, ok := strings.CutPrefix(path, first)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// imported returns the name that a reference has where it is defined.
func (x *extractor) imported(r *languages.Ref, receiver string) string {
	if receiver == "" {
		if n, ok := x.rename[r.Name]; ok {
			return n
		}
	}
	return r.Name
}

// edgeKey is what makes two uses one edge.
type edgeKey struct {
	from           int
	name, receiver string
}

// edges folds the references into edges, ordered by symbol and first use.
func (x *extractor) edges() []record.Edge {
	edges := make([]record.Edge, 0, len(x.o.Refs)/2)
	var slab []int // of first lines: most edges have one
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
			continue // FileGraph.Imports says it
		}
		recv, ok := x.receiver(r)
		if !ok || recv == unknown && r.Kind == record.EdgeReads || rooted(recv, languages.Builtin) {
			continue
		}
		if r.Decl != decl && len(seen) > 0 && !x.inside(r.Decl, decl) && !x.inside(decl, r.Decl) {
			clear(seen) // no later reference belongs to what has ended
		}
		decl = r.Decl
		key := edgeKey{r.Decl, x.imported(r, recv), recv}
		if j, ok := seen[key]; ok {
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
		edges = append(edges, record.Edge{From: r.Decl, Name: key.name, Receiver: recv, Kind: r.Kind, Count: 1, Lines: slab[:1:1]})
		slab = slab[1:]
	}
	slices.SortStableFunc(edges, func(a, b record.Edge) int { return a.From - b.From })
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

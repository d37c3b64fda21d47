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
	"slices"
	"strings"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// Extract returns the symbols, edges and imports of one file.
func Extract(o *languages.Outline) record.FileGraph {
	x := extractor{o: o, text: string(o.Content), lines: lineStarts(o.Content)}
	g := record.FileGraph{Path: o.Path, Language: o.Language, Package: o.Package, Imports: o.Imports, Test: o.Test}
	x.symbols()
	g.Symbols = x.syms
	x.bindings()
	g.Edges = x.edges()
	return g
}

// At returns the index of the innermost symbol around offset, and the reference
// under it when there is one. The symbol is -1 outside of every declaration; ref
// is nil when the offset is not on a use of a name.
func At(o *languages.Outline, g *record.FileGraph, offset int) (symbol int, ref *languages.Ref) {
	symbol = -1
	for i, s := range g.Symbols {
		if s.Span.Start <= offset && offset < s.Span.End && (symbol < 0 || s.Span.End-s.Span.Start <= g.Symbols[symbol].Span.End-g.Symbols[symbol].Span.Start) {
			symbol = i
		}
	}
	for i := range o.Refs {
		if r := &o.Refs[i]; r.Span.Start <= offset && offset <= r.Span.End {
			ref = r
			if offset < r.Span.End {
				break
			}
		}
	}
	return symbol, ref
}

// Resolve returns the edge that a reference makes, with its receiver as far as the
// file tells; ok is false for a local name.
func Resolve(o *languages.Outline, r *languages.Ref) (record.Edge, bool) {
	x := extractor{o: o}
	x.symbols()
	x.bindings()
	recv, ok := x.receiver(r)
	if !ok {
		return record.Edge{}, false
	}
	return record.Edge{From: r.Decl, Name: x.imported(r, recv), Receiver: recv, Kind: r.Kind, Count: 1}, true
}

// extractor holds what one extraction needs.
type extractor struct {
	o      *languages.Outline
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
			_, s.Container = cutLast(d.Container)
			s.Qualified = s.Container + "." + d.Name
		case d.Parent >= 0:
			p := &x.syms[d.Parent]
			s.Qualified = p.Qualified + "." + d.Name
			if IsType(p.Kind) || p.Kind == record.KindModule {
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
			s.Signature = fold(x.text[d.Header.Start:d.Header.End])
		}
		x.syms[i] = s
	}
}

// replaceSelf spells a type that names its own container.
func replaceSelf(path, container string) string {
	first, rest, _ := strings.Cut(path, ".")
	switch strings.TrimSuffix(first, "()") {
	case "Self", "self", "this", "cls":
		if rest == "" {
			return container
		}
		return container + "." + rest
	}
	return path
}

// maxSignature bounds a signature in bytes: enough for a long parameter list.
const maxSignature = 400

// fold puts a header on one line.
func fold(s string) string {
	clean := len(s) <= maxSignature
	for i := 0; clean && i < len(s); i++ {
		c := s[i]
		clean = c != '\n' && c != '\t' && c != '\r' && (c != ' ' || i+1 == len(s) || s[i+1] != ' ')
	}
	if clean {
		return s
	}
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > maxSignature {
		s = strings.ToValidUTF8(s[:maxSignature], "") + "…"
	}
	return s
}

// IsType reports whether a kind can have members.
func IsType(k record.Kind) bool {
	switch k {
	case record.KindClass, record.KindStruct, record.KindInterface, record.KindEnum, record.KindType, record.KindImpl:
		return true
	}
	return false
}

// IsCallable reports whether a kind is called.
func IsCallable(k record.Kind) bool {
	return k == record.KindFunction || k == record.KindMethod || k == record.KindMacro || k == record.KindTest
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

// local returns the binding of name that is visible at an offset, or -1. The
// binding numbered except does not count.
func (x *extractor) local(name string, at, except int) int {
	list := x.locals[name]
	for i := len(list) - 1; i >= 0; i-- {
		if b := &x.o.Bindings[list[i]]; b.Scope.Start <= at && at < b.Scope.End && list[i] != except {
			return list[i]
		}
	}
	return -1
}

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
	name, called := strings.CutSuffix(first, "()")
	var root string
	switch b := x.local(name, at, except); {
	case name == "self" || name == "this" || name == "cls" || name == "Self" || name == "@" || name == "$this":
		if root = x.container(decl); root == "" {
			return unknown
		}
	case name == "super":
		c := x.container(decl)
		if root = x.base(c); root == "" {
			return unknown
		}
	case b >= 0:
		l := &x.o.Bindings[b]
		if l.Type == "" || called || depth == maxExpand {
			return unknown
		}
		if root = x.expand(l.Type, max(l.Scope.Start-1, 0), decl, b, depth+1); root == unknown {
			return unknown
		}
	default:
		return path
	}
	if !more {
		return root
	}
	return root + "." + rest
}

// container returns the type that a declaration is a member of.
func (x *extractor) container(decl int) string {
	for ; decl >= 0; decl = x.syms[decl].Parent {
		s := &x.syms[decl]
		if IsType(s.Kind) {
			return s.Qualified
		}
		if s.Container != "" {
			return s.Container
		}
	}
	return ""
}

// base returns the first base of a type of this file.
func (x *extractor) base(qualified string) string {
	for i := range x.syms {
		if s := &x.syms[i]; s.Qualified == qualified && len(s.Bases) > 0 {
			return s.Bases[0]
		}
	}
	return ""
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
	seen := make(map[edgeKey]int, 16)
	line, next := 1, 0
	decl := -2
	for i := range x.o.Refs {
		r := &x.o.Refs[i]
		for next < len(x.lines) && x.lines[next] <= r.Span.Start {
			next++
			line = next
		}
		recv, ok := x.receiver(r)
		if !ok || recv == unknown && r.Kind == record.EdgeReads {
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
		seen[key] = len(edges)
		edges = append(edges, record.Edge{From: r.Decl, Name: key.name, Receiver: recv, Kind: r.Kind, Count: 1, Lines: []int{line}})
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

var strength = map[record.EdgeKind]int{record.EdgeReads: 1, record.EdgeType: 2, record.EdgeCalls: 3, record.EdgeCreates: 4, record.EdgeExtends: 5}

// cutLast cuts the last component off a path.
func cutLast(path string) (before, last string) {
	i := strings.LastIndexByte(path, '.')
	if i < 0 {
		return "", path
	}
	return path[:i], path[i+1:]
}

package store

import (
	"context"
	"fmt"

	"ambit/vectors/record"
)

// Graph returns what the file at path defines and uses. It returns [ErrNotFound]
// for a path that is not stored or left out. Empty lists come back nil.
func (r *Reader) Graph(ctx context.Context, path record.Path) (record.FileGraph, error) {
	return r.graphTo(ctx, path, allEdges)
}

// GraphTo is Graph with only the edges to one name. It takes less than half of the time
// and a third of the memory.
func (r *Reader) GraphTo(ctx context.Context, path record.Path, name string) (record.FileGraph, error) {
	return r.graphTo(ctx, path, edgesTo{name: name})
}

func (r *Reader) graphTo(ctx context.Context, path record.Path, to edgesTo) (g record.FileGraph, err error) {
	err = r.view(ctx, func(t *txn) error {
		f, err := t.indexed(path, false)
		if err != nil {
			return err
		}
		g, err = t.graph(&f, to)
		return err
	})
	if err != nil {
		return record.FileGraph{}, fmt.Errorf("graph of %q: %w", path, err)
	}
	return g, nil
}

// edgesTo selects the edges of a graph: all of them, or those to a name.
type edgesTo struct {
	all  bool
	name string
}

// allEdges selects every edge.
var allEdges = edgesTo{all: true}

// graph reads the graph of f with the edges that to selects.
func (t *txn) graph(f *record.File, to edgesTo) (record.FileGraph, error) {
	v, err := t.get(tableGraphs, keyBytes(f.Key))
	if err != nil {
		return record.FileGraph{}, err
	}
	g, ok := decodeGraph(v, to)
	if !ok {
		return record.FileGraph{}, corruptf("no graph of %q", f.Path)
	}
	g.Path = f.Path
	return g, nil
}

// Bits of a symbol.
const (
	symbolExported = 1 << iota
	symbolTest
	symbolHeader // the span is not empty
	symbolBody
	symbolDoc
	symbolNameSpan
	symbolQualified // Qualified is not Name
	symbolRole
)

// PackGraph returns the packed form of a graph, without its path, for another place than an index.
func PackGraph(g *record.FileGraph) []byte { return encodeGraph(newPacker(), nil, g) }

// UnpackGraph returns the graph of a packed form. ok is false for another value.
func UnpackGraph(b []byte) (g record.FileGraph, ok bool) { return decodeGraph(b, allEdges) }

// encodeGraph appends the packed form of g, without its path, to dst.
func encodeGraph(p *packer, dst []byte, g *record.FileGraph) []byte {
	p.reset()
	p.str(g.Language)
	p.str(g.Package)
	p.uint(bit(g.Test, 1))
	nBases, nLines := 0, 0
	for i := range g.Symbols {
		nBases += len(g.Symbols[i].Bases)
	}
	for i := range g.Edges {
		nLines += len(g.Edges[i].Lines)
	}
	p.uint(uint64(nBases))
	p.uint(uint64(nLines))

	p.uint(uint64(len(g.Symbols)))
	var prev record.Symbol
	for i := range g.Symbols {
		encodeSymbol(p, &g.Symbols[i], &prev)
		prev = g.Symbols[i]
	}
	p.uint(uint64(len(g.Edges)))
	from, line := 0, 0
	for i := range g.Edges {
		e := &g.Edges[i]
		p.int(e.From - from)
		p.str(e.Name)
		p.str(e.Receiver)
		p.str(string(e.Kind))
		p.int(e.Count - len(e.Lines))
		p.uint(uint64(len(e.Lines))<<1 | bit(e.Arguments != "", 1))
		if e.Arguments != "" {
			p.str(e.Arguments)
		}
		from = e.From
		for _, l := range e.Lines {
			p.int(l - line)
			line = l
		}
	}
	p.uint(uint64(len(g.Imports)))
	line = 0
	for i := range g.Imports {
		im := &g.Imports[i]
		p.uint(bit(im.Exported, 1))
		p.str(im.Path)
		p.str(im.Name)
		p.str(im.Local)
		p.int(im.Line - line)
		line = im.Line
	}
	encodeFilters(p, g.Filters)
	return p.finish(dst)
}

func encodeFilters(p *packer, filters []record.Filter) {
	p.uint(uint64(len(filters)))
	for i := range filters {
		f := &filters[i]
		p.uint(uint64(f.Class)<<1 | bit(f.Skip, 1))
		for _, list := range [...][]string{f.Names, f.Methods, f.Only, f.Except} {
			p.strs(list)
		}
	}
}

func encodeSymbol(p *packer, s, prev *record.Symbol) {
	var none record.Span
	p.uint(bit(s.Exported, symbolExported) | bit(s.Test, symbolTest) |
		bit(s.Header != none, symbolHeader) | bit(s.Body != none, symbolBody) |
		bit(s.Doc != none, symbolDoc) | bit(s.NameSpan != none, symbolNameSpan) |
		bit(s.Qualified != s.Name, symbolQualified) | bit(s.Role != "", symbolRole))
	p.str(s.Name)
	if s.Qualified != s.Name {
		p.str(s.Qualified)
	}
	p.str(string(s.Kind))
	if s.Role != "" {
		p.str(string(s.Role))
	}
	p.int(s.Parent)
	p.str(s.Container)
	p.str(s.Signature)
	p.str(s.Type)
	p.strs(s.Bases)
	p.span(s.Span, prev.Span.Start)
	if s.Header != none {
		p.span(s.Header, s.Span.Start)
	}
	if s.Body != none {
		p.span(s.Body, s.Header.End)
	}
	if s.Doc != none {
		p.span(s.Doc, s.Span.Start)
	}
	if s.NameSpan != none {
		p.span(s.NameSpan, s.Header.Start)
	}
	p.int(s.Lines.First - prev.Lines.First)
	p.int(s.Lines.Last - s.Lines.First)
	p.int(s.NameLine - s.Lines.First)
}

// Least bytes that one item takes, which bound the lists.
const (
	symbolBytes = 14
	edgeBytes   = 6
	importBytes = 5
	filterBytes = 5
)

// decodeGraph is the inverse of encodeGraph, without the edges that to does not select.
// It never panics; ok is false when encodeGraph did not write b.
func decodeGraph(b []byte, to edgesTo) (g record.FileGraph, ok bool) {
	u := unpack(b)
	defer u.release()
	g.Language, g.Package, g.Test = u.str(), u.str(), u.uint() == 1
	nBases, nLines := u.count(1), u.count(1)
	bases := make([]string, 0, nBases)

	if n := u.count(symbolBytes); n > 0 {
		g.Symbols = make([]record.Symbol, n)
		prev := new(record.Symbol)
		for i := range g.Symbols {
			bases = decodeSymbol(u, &g.Symbols[i], prev, bases)
			prev = &g.Symbols[i]
		}
	}
	if n := u.count(edgeBytes); to.all {
		g.Edges = decodeEdges(u, n, nLines)
	} else {
		g.Edges = decodeEdgesTo(u, n, nLines, to.name)
	}
	if n := u.count(importBytes); n > 0 {
		g.Imports = make([]record.Import, n)
		line := 0
		for i := range g.Imports {
			im := &g.Imports[i]
			im.Exported = u.uint() == 1
			im.Path, im.Name, im.Local = u.str(), u.str(), u.str()
			line += u.int()
			im.Line = line
		}
	}
	g.Filters = decodeFilters(u)
	if !u.done() || len(bases) != nBases {
		return record.FileGraph{}, false
	}
	return g, true
}

func decodeFilters(u *unpacker) []record.Filter {
	n := u.count(filterBytes)
	if n == 0 {
		return nil
	}
	filters := make([]record.Filter, n)
	for i := range filters {
		f := &filters[i]
		head := u.uint()
		f.Class, f.Skip = int(head>>1), head&1 != 0
		f.Names, f.Methods, f.Only, f.Except = u.strs(), u.strs(), u.strs(), u.strs()
	}
	return filters
}

func decodeSymbol(u *unpacker, s, prev *record.Symbol, bases []string) []string {
	flags := u.uint()
	s.Exported, s.Test = flags&symbolExported != 0, flags&symbolTest != 0
	s.Name = u.str()
	s.Qualified = s.Name
	if flags&symbolQualified != 0 {
		s.Qualified = u.str()
	}
	s.Kind = record.Kind(u.str())
	if flags&symbolRole != 0 {
		s.Role = record.Kind(u.str())
	}
	s.Parent = u.int()
	s.Container, s.Signature, s.Type = u.str(), u.str(), u.str()
	if n := u.count(1); n > 0 {
		if n > cap(bases)-len(bases) {
			u.fail()
			return bases
		}
		at := len(bases)
		for range n {
			bases = append(bases, u.str())
		}
		s.Bases = bases[at:len(bases):len(bases)]
	}
	s.Span = u.span(prev.Span.Start)
	if flags&symbolHeader != 0 {
		s.Header = u.span(s.Span.Start)
	}
	if flags&symbolBody != 0 {
		s.Body = u.span(s.Header.End)
	}
	if flags&symbolDoc != 0 {
		s.Doc = u.span(s.Span.Start)
	}
	if flags&symbolNameSpan != 0 {
		s.NameSpan = u.span(s.Header.Start)
	}
	s.Lines.First = prev.Lines.First + u.int()
	s.Lines.Last = s.Lines.First + u.int()
	s.NameLine = s.Lines.First + u.int()
	return bases
}

// decodeEdges reads n edges with nLines lines together.
func decodeEdges(u *unpacker, n, nLines int) []record.Edge {
	if n == 0 && nLines == 0 {
		return nil
	}
	edges, lines := make([]record.Edge, n), make([]int, 0, nLines)
	from, line := 0, 0
	for i := range edges {
		e := &edges[i]
		from += u.int()
		e.From = from
		e.Name, e.Receiver, e.Kind = u.str(), u.str(), record.EdgeKind(u.str())
		e.Count = u.int()
		n, arguments := u.lines()
		e.Arguments = u.string(arguments)
		if n == 0 {
			continue
		}
		if n > cap(lines)-len(lines) {
			u.fail()
			return nil
		}
		e.Count += n
		at := len(lines)
		for range n {
			line += u.int()
			lines = append(lines, line)
		}
		e.Lines = lines[at:len(lines):len(lines)]
	}
	if len(lines) != nLines {
		u.fail()
	}
	return edges
}

// lines reads the number of lines of an edge, and the number of the string of its arguments.
func (u *unpacker) lines() (n int, arguments uint64) {
	v := u.uint()
	if v>>1 > uint64(u.left()) {
		u.fail()
		return 0, 0
	}
	if v&1 != 0 {
		arguments = u.uint()
	}
	return int(v >> 1), arguments
}

// decodeEdgesTo reads n edges with nLines lines together and returns those to a name.
func decodeEdgesTo(u *unpacker, n, nLines int, name string) []record.Edge {
	var edges []record.Edge
	wanted, some := u.find(name)
	from, line := 0, 0
	for range n {
		from += u.int()
		id, receiver, kind := u.uint(), u.uint(), u.uint()
		count := u.int()
		n, arguments := u.lines()
		nLines -= n
		if !some || id != wanted {
			for range n {
				line += u.int()
			}
			continue
		}
		e := record.Edge{From: from, Name: name, Receiver: u.string(receiver), Kind: record.EdgeKind(u.string(kind)), Arguments: u.string(arguments), Count: count + n}
		for range n {
			line += u.int()
			e.Lines = append(e.Lines, line)
		}
		edges = append(edges, e)
	}
	if nLines != 0 {
		u.fail()
	}
	return edges
}

// bit returns mask when b holds, 0 otherwise.
func bit(b bool, mask uint64) uint64 {
	if b {
		return mask
	}
	return 0
}

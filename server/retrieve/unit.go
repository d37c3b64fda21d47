package retrieve

import (
	"bytes"
	"cmp"

	"ambit/indexer/graph"
	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// maxMembers bounds the members of a type that are shown one by one.
const maxMembers = 200

// unitOf makes a unit of a symbol.
func unitOf(g *record.FileGraph, i int) Unit {
	s := &g.Symbols[i]
	u := Unit{Path: g.Path, Language: g.Language, Kind: s.Kind, Identifier: s.Qualified, ID: graph.ID(g, i), Span: s.Span, Header: s.Header,
		Doc: s.Doc, Body: s.Body, Lines: s.Lines, NameLine: s.NameLine}
	if languages.IsType(s.Kind) || s.Kind == record.KindModule {
		for j := i + 1; j < len(g.Symbols) && g.Symbols[j].Span.Start < s.Span.End && len(u.Members) < maxMembers; j++ {
			if m := &g.Symbols[j]; m.Parent == i {
				u.Members = append(u.Members, Member{Kind: m.Kind, Span: m.Span, Header: m.Header})
			}
		}
	}
	return u
}

// fileUnit makes a unit of a whole file: its members are its top-level symbols.
func fileUnit(g *record.FileGraph, content []byte) Unit {
	u := Unit{Path: g.Path, Language: g.Language, Kind: record.KindFile, Identifier: string(g.Path), ID: graph.FileID(g.Path),
		Span: record.Span{End: len(content)}, Body: record.Span{End: len(content)}, Lines: record.Lines{First: 1, Last: max(1, countLines(content))}, NameLine: 1}
	for i := range g.Symbols {
		if s := &g.Symbols[i]; s.Parent < 0 && len(u.Members) < maxMembers {
			u.Members = append(u.Members, Member{Kind: s.Kind, Span: s.Span, Header: s.Header})
		}
	}
	return u
}

// textUnit makes a unit of a chunk between the symbols.
func textUnit(c *record.Chunk) Unit {
	return Unit{Path: c.Path, Language: c.Language, Kind: c.Kind, Identifier: cmp.Or(c.Unit, string(c.Path)), ID: c.ID, Span: c.Span, Header: record.Span{Start: c.Span.Start, End: c.Span.Start},
		Body: c.Span, Lines: c.Lines, NameLine: c.Lines.First}
}

// countLines returns the number of lines of content, with a last one that has no end.
func countLines(content []byte) int {
	n := bytes.Count(content, []byte{'\n'})
	if len(content) > 0 && content[len(content)-1] != '\n' {
		n++
	}
	return n
}

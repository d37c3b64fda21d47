package graph

import (
	"slices"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// SymbolAt returns the index of the innermost symbol around an offset of the text that the
// graph describes, -1 for none. An offset right behind a name belongs to the name.
func SymbolAt(g *record.FileGraph, content []byte, offset int) int {
	symbol := symbolAt(g, offset)
	if symbol < 0 && offset > 0 {
		symbol = symbolAt(g, offset-1) // right behind a declaration
		if symbol >= 0 && g.Symbols[symbol].NameSpan.End != offset && offset < len(content) && content[offset] != '\n' {
			symbol = -1
		}
	}
	return symbol
}

// ReferenceAt returns the reference at an offset, nil for none: on the name of a declaration,
// in a comment or in a string. An offset right behind a name belongs to the name.
func ReferenceAt(o *languages.Outline, offset int) *languages.Ref {
	n, _ := slices.BinarySearchFunc(o.Refs, offset+1, func(r languages.Ref, at int) int { return r.Span.Start - at })
	// Look for the last reference that starts before the offset and does not end before it.
	for n--; n >= 0; n-- {
		if r := &o.Refs[n]; r.Span.Start <= offset && offset <= r.Span.End {
			return r
		} else if offset-r.Span.Start > maxNameBytes {
			break
		}
	}
	return nil
}

// maxNameBytes bounds the names that ReferenceAt looks for.
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
		for i := range g.Symbols { // of several names in one declaration, prefer the name at the offset
			s, other := &g.Symbols[i], &g.Symbols[best]
			if s.Span.End == other.Span.End && s.Parent == other.Parent && s.NameSpan.Start <= offset && offset <= s.NameSpan.End {
				return i
			}
		}
	}
	return best
}

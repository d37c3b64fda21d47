package languages

import (
	"bytes"
	"cmp"
	"regexp"
	"slices"

	"ambit/vectors/record"
)

// sqlWord matches what statementEnd looks at: brackets, ends, quotes of a body, and the words
// that open and close blocks.
var sqlWord = regexp.MustCompile(`(?i)[();]|\$\w*\$|\b(?:begin|case|end(?:\s+(?:if|loop|while|repeat|for))?)\b`)

const (
	// maxStatement bounds a statement in bytes.
	maxStatement = 256 << 10
	// statementPasses bounds what statementEnd reads in a file, in sizes of the file.
	statementPasses = 8
)

// statementEnd returns the offset behind the semicolon that ends the statement at start.
// Semicolons in brackets, in a body between $$ and in a block do not end it.
func (s *patternScan) statementEnd(start int) int {
	text := s.masked[start:min(len(s.masked), start+maxStatement, start+s.left)]
	depth, body, at := 0, []byte(nil), 0
	defer func() { s.left -= at }()
	for {
		m := sqlWord.FindIndex(text[at:])
		if m == nil {
			at = len(text)
			return s.trimmed(start, start+len(text))
		}
		w := text[at+m[0] : at+m[1]]
		at += m[1]
		if body != nil {
			if bytes.Equal(w, body) {
				body = nil
			}
			continue
		}
		switch w[0] {
		case '$':
			body = w
		case '(', 'b', 'B', 'c', 'C':
			depth++
		case ')':
			depth = max(depth-1, 0)
		case ';':
			if depth == 0 {
				return start + at
			}
		default:
			if len(w) == len("end") {
				depth = max(depth-1, 0)
			}
		}
	}
}

// uses lists what the patterns for uses match, each with the declaration around it.
func (s *patternScan) uses() []Ref {
	var refs []Ref
	for _, u := range s.unused {
		blank(s.masked[u.Start:u.End])
	}
	for _, re := range s.p.uses {
		group := re.SubexpIndex("name")
		for _, m := range re.FindAllSubmatchIndex(s.masked, -1) {
			r := Ref{Span: record.Span{Start: m[2*group], End: m[2*group+1]}, Kind: record.EdgeReads, Decl: -1}
			r.Name = string(s.masked[r.Span.Start:r.Span.End])
			if r.Decl = innermost(s.decls, r.Span.Start); r.Decl < 0 || s.decls[r.Decl].NameSpan.Start != r.Span.Start {
				refs = append(refs, r)
			}
		}
	}
	slices.SortStableFunc(refs, func(x, y Ref) int { return cmp.Compare(x.Span.Start, y.Span.Start) })
	return slices.CompactFunc(refs, func(x, y Ref) bool { return x.Span.Start == y.Span.Start })
}

package chunk

import (
	"bytes"
	"slices"

	"ambit/vectors/record"
)

// remark is what a row of code has to do with comments.
type remark uint8

const (
	remarkNone      remark = iota // the row is code
	remarkFirst                   // it starts a comment
	remarkParagraph               // it follows a blank line of a comment
	remarkInside                  // it continues a paragraph of a comment
	remarkFence                   // it is inside a block of code in a comment
)

// remarkScores are added to the score of a cut before a row. A cut in a comment is worse than
// one at any statement, and a cut in a paragraph worse than one before a row of code that has
// a comment above it.
var remarkScores = [...]int{remarkParagraph: pieceIndent / 4, remarkInside: pieceIndent / 2, remarkFence: 3 * pieceIndent}

// remarksOf returns the remark of each row of the file.
func (s *splitter) remarksOf() []remark {
	if s.notes != nil {
		return s.notes
	}
	s.notes = make([]remark, s.rows.n()+1)
	comments := slices.Clone(s.o.Comments)
	for i := range s.o.Decls { // some languages document a unit in a string
		if d := s.o.Decls[i].Doc; d.End > d.Start {
			comments = append(comments, d)
		}
	}
	slices.SortFunc(comments, func(a, b record.Span) int { return a.Start - b.Start })
	next, fenced, paragraph := 0, false, false
	for _, c := range comments {
		first := s.rows.at(c.Start)
		if c.End <= c.Start || !isBlank(s.o.Content[s.rows.starts[first]:c.Start]) {
			continue
		}
		if first > next {
			fenced = false
		}
		for i := max(first, next); i <= min(s.rows.at(c.End-1), s.rows.n()-1); i++ {
			text := bytes.TrimLeft(s.rows.row(i), " \t/*#!-;%<")
			isFence := bytes.HasPrefix(text, []byte("```")) || bytes.HasPrefix(text, []byte("~~~"))
			switch {
			case i == 0 || s.notes[i-1] == remarkNone:
				s.notes[i] = remarkFirst
			case fenced:
				s.notes[i] = remarkFence
			case paragraph:
				s.notes[i] = remarkParagraph
			default:
				s.notes[i] = remarkInside
			}
			fenced = fenced != isFence
			paragraph = !hasWord(text) && !isFence && !fenced
			next = i + 1
		}
	}
	return s.notes
}

package eval

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"ambit/vectors/record"
)

const (
	minWord      = 3   // letters of a word worth a search
	maxWords     = 64  // of a question; grep takes a pattern for each
	aroundMatch  = 2   // lines shown before and after a match, as grep -C2 does
	maxGrepFiles = 200 // that are ranked
)

// grep finds the files that hold the most different words of the question, in any case, and
// of those with equally many the one with the most matching lines. Its pieces are the
// matching lines with the lines around them.
func (c *corpus) grep(question string) []piece {
	words := grepWords(question)
	type hit struct {
		path      record.Path
		words     int
		nMatching int
		lines     []record.Lines
	}
	var hits []hit
	var lower []byte
	found := make([]bool, len(words))
	for _, path := range c.paths {
		f := c.files[path]
		lower = appendLower(lower[:0], f.content)
		clear(found)
		h := hit{path: path}
		for i, w := range words {
			found[i] = bytes.Contains(lower, w)
			if found[i] {
				h.words++
			}
		}
		if h.words == 0 {
			continue
		}
		n := 0
		for line := range bytes.Lines(lower) {
			n++
			for i, w := range words {
				if found[i] && bytes.Contains(line, w) {
					h.nMatching++
					h.lines = appendAround(h.lines, n, len(f.lines.starts))
					break
				}
			}
		}
		hits = append(hits, h)
	}
	slices.SortFunc(hits, func(a, b hit) int {
		return cmp.Or(cmp.Compare(b.words, a.words), cmp.Compare(b.nMatching, a.nMatching), cmp.Compare(a.path, b.path))
	})
	pieces := make([]piece, 0, len(hits))
	for _, h := range hits[:min(len(hits), maxGrepFiles)] {
		pieces = append(pieces, piece{h.path, h.lines})
	}
	return pieces
}

// appendAround adds the lines around a match, merged with the last run when they touch.
func appendAround(runs []record.Lines, line, last int) []record.Lines {
	first, end := max(1, line-aroundMatch), min(last, line+aroundMatch)
	if n := len(runs); n > 0 && first <= runs[n-1].Last+1 {
		runs[n-1].Last = end
		return runs
	}
	return append(runs, record.Lines{First: first, Last: end})
}

// grepWords returns the words of a question that are worth a search, in lower case, each
// once.
func grepWords(question string) [][]byte {
	var words [][]byte
	seen := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(question), func(r rune) bool {
		return !(r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 0x80)
	}) {
		if len(w) < minWord || seen[w] || common[w] || len(words) == maxWords {
			continue
		}
		seen[w] = true
		words = append(words, []byte(w))
	}
	return words
}

// common are the words that nobody would search for.
var common = func() map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(`the and for are was were not but with from this that these those when where what which who how why
		into onto its you your they them their has have had does did done can could should would will may might must been being
		than then there here also only just some any all each more most other such use used uses using via per now new get set
		add added adds fix fixed fixes change changed changes update updated updates remove removed removes make makes made`) {
		m[w] = true
	}
	return m
}()

// appendLower appends ASCII in lower case.
func appendLower(b, text []byte) []byte {
	at := len(b)
	b = append(b, text...)
	for i := at; i < len(b); i++ {
		if c := b[i]; c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return b
}

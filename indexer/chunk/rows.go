package chunk

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"ambit/vectors/record"
)

// maxRowBytes is the length above which a line is several rows. A row stays below the
// smallest limit even if every byte is a token.
const maxRowBytes = 512

// rows measures spans of a text by sums over its rows. A row is a line, or a piece of a line
// that is longer than maxRowBytes.
type rows struct {
	content []byte
	cost    func([]byte) int
	starts  []int32 // n+1: where row i starts; the last is len(content)
	sums    []int32 // n+1: cost of all rows before row i
	pieces  []int32 // rows that do not start a line, ascending
}

func newRows(content []byte, cost func([]byte) int) *rows {
	n := bytes.Count(content, []byte("\n")) + 1 + len(content)/maxRowBytes*2
	r := &rows{content: content, cost: cost, starts: make([]int32, 0, n+1), sums: make([]int32, 0, n+1)}
	sum := 0
	for at := 0; at < len(content); {
		end := len(content)
		if i := bytes.IndexByte(content[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		for first := true; at < end; first = false {
			stop := end
			if end-at > maxRowBytes {
				stop = at + wordCut(content[at:at+maxRowBytes])
			}
			if !first {
				r.pieces = append(r.pieces, int32(len(r.starts)))
			}
			r.starts, r.sums = append(r.starts, int32(at)), append(r.sums, int32(sum))
			sum += cost(content[at:stop])
			at = stop
		}
	}
	r.starts, r.sums = append(r.starts, int32(len(content))), append(r.sums, int32(sum))
	return r
}

// wordCut returns the offset of the cut of a long line: behind a blank in its last quarter,
// else behind a comma or a bracket, else at the start of a character.
func wordCut(b []byte) int {
	tail := b[len(b)*3/4:]
	for _, marks := range []string{" \t", ",;>)}]"} {
		if i := bytes.LastIndexAny(tail, marks); i >= 0 {
			return len(b) - len(tail) + i + 1
		}
	}
	for n := len(b); n > len(b)-utf8.UTFMax; n-- {
		if utf8.RuneStart(b[n-1]) {
			return n - 1
		}
	}
	return len(b)
}

// n returns the number of rows.
func (r *rows) n() int { return len(r.starts) - 1 }

// at returns the row at an offset; the number of rows at the end of the text.
func (r *rows) at(offset int) int {
	i, found := slices.BinarySearch(r.starts, int32(offset))
	if !found {
		i--
	}
	return i
}

// sum returns the cost of the text before the offset.
func (r *rows) sum(offset int) int {
	i := r.at(offset)
	s := int(r.sums[i])
	if start := int(r.starts[i]); start < offset {
		s += r.cost(r.content[start:offset])
	}
	return s
}

// costOf returns the cost of a span.
func (r *rows) costOf(s record.Span) int {
	if s.End <= s.Start {
		return 0
	}
	return max(0, r.sum(s.End)-r.sum(s.Start))
}

// tokens returns the tokens of a span.
func (r *rows) tokens(s record.Span) int { return toTokens(r.costOf(s)) }

// row returns the bytes of row i.
func (r *rows) row(i int) []byte { return r.content[r.starts[i]:r.starts[i+1]] }

// isPiece reports whether row i starts inside a line.
func (r *rows) isPiece(i int) bool {
	_, found := slices.BinarySearch(r.pieces, int32(i))
	return found
}

// lines returns the number of lines of a span.
func (r *rows) lines(s record.Span) int {
	if s.End <= s.Start {
		return 0
	}
	return 1 + bytes.Count(r.content[s.Start:s.End-1], []byte("\n"))
}

// blank reports whether row i holds only blanks.
func (r *rows) blank(i int) bool { return isBlank(r.row(i)) }

func isBlank(b []byte) bool {
	for _, c := range b {
		if k := classes[c]; k != classBlank && k != classNewline {
			return false
		}
	}
	return true
}

// within returns the first row that starts behind offset at, and the last row for which the
// span [at, row) costs at most limit. last < first when the row at the offset costs more.
func (r *rows) within(at, limit int) (first, last int) {
	first = r.at(at) + 1
	last, _ = slices.BinarySearch(r.sums, int32(min(r.sum(at)+limit+1, 1<<31-1)))
	return first, last - 1
}

// lineNumbers counts lines for ascending offsets.
type lineNumbers struct {
	content []byte
	at      int
	line    int // of offset at, from 1
}

// of returns the line of an offset, which must not be less than in the previous call.
func (l *lineNumbers) of(offset int) int {
	if l.line == 0 {
		l.line = 1
	}
	l.line += bytes.Count(l.content[l.at:offset], []byte("\n"))
	l.at = offset
	return l.line
}

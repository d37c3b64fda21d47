package chunk

import (
	"bytes"
	"slices"

	"ambit/vectors/record"
)

// pieceIndent is the indentation of a row inside a line. It makes such a cut the last
// choice.
const pieceIndent = 1 << 10

// cutCode returns the offsets that cut a span of code into parts of lo to hi tokens. It
// prefers the statement with the least indentation, then one after a blank line, then the
// latest. It cuts a comment at its blank lines when the comment is longer than a part. breaks
// are the starts of statements, nil when they are unknown; remarks has the remark of each row.
func (r *rows) cutCode(span record.Span, lo, hi int, breaks []int, remarks []remark) []int {
	var cuts []int
	end := r.sum(span.End)
	for at := span.Start; ; {
		rest := end - r.sum(at)
		if rest <= hi*costOne {
			return cuts
		}
		limit := hi * costOne
		if rest-limit < lo*costOne {
			limit = max(rest-lo*costOne, lo*costOne)
		}
		cut := r.bestCut(at, span.End, lo*costOne, limit, breaks, remarks)
		if cut <= at || cut >= span.End {
			return cuts
		}
		cuts = append(cuts, cut)
		at = cut
	}
}

// bestCut returns the start of the best row for a cut, so that the text from at to it costs
// between lo and hi; less or more when no row starts there.
func (r *rows) bestCut(at, end, lo, hi int, breaks []int, remarks []remark) int {
	first, last := r.within(at, hi)
	last = min(last, r.at(end))
	low, _ := slices.BinarySearch(r.sums, int32(r.sum(at)+lo))
	low = max(low, first)
	if low > last {
		low = max(first, last)
		last = low
	}
	best, bestScore := low, 1<<30
	for i := low; i <= last && i < r.n(); i++ {
		if s := r.cutScore(i, breaks, remarks); s <= bestScore {
			best, bestScore = i, s
		}
	}
	return int(r.starts[min(outsideFence(remarks, best, first), r.n())])
}

// outsideFence returns the row for a cut at row i: the one that opens the block of code that
// row i is in, or the one behind it when it opens before row first.
func outsideFence(remarks []remark, i, first int) int {
	open := i
	for open >= first && remarks[open] == remarkFence {
		open--
	}
	if open >= first {
		return open
	}
	for remarks[i] == remarkFence { // the last remark is none
		i++
	}
	return i
}

// cutScore rates a cut before row i; a lower score is better.
func (r *rows) cutScore(i int, breaks []int, remarks []remark) int {
	if r.isPiece(i) {
		return 4 * pieceIndent
	}
	row := r.row(i)
	indent, n := 0, 0
	for ; n < len(row) && (row[n] == ' ' || row[n] == '\t'); n++ {
		if row[n] == '\t' {
			indent += 3
		}
		indent++
	}
	score := 4 * min(indent, 200)
	if isBlank(row) {
		score += 2 * pieceIndent
	} else if startsWithCloser(row[n:]) {
		score += 48
	}
	if i > 0 && r.blank(i-1) {
		score -= 6
	}
	at := remarks[i]
	score += remarkScores[at]
	if at == remarkNone && i > 0 && remarks[i-1] != remarkNone && !r.blank(i) {
		score += remarkScores[remarkInside] // the comment above belongs to this row
	}
	if len(breaks) > 0 && at == remarkNone {
		start := int(r.starts[i]) + n
		if _, found := slices.BinarySearch(breaks, start); !found {
			score += 64
		}
	}
	return score
}

// startsWithCloser reports whether a row continues or closes the block above it.
func startsWithCloser(row []byte) bool {
	if len(row) == 0 {
		return false
	}
	switch row[0] {
	case '}', ')', ']', '{':
		return true
	}
	for _, word := range []string{"end", "else", "elif", "elsif", "except", "rescue", "finally", "fi", "done", "esac", "then", "catch", "ensure", "when", "</"} {
		if bytes.HasPrefix(row, []byte(word)) && (len(row) == len(word) || word == "</" || classes[row[len(word)]] != classLower && classes[row[len(word)]] != classUpper && row[len(word)] != '_') {
			return true
		}
	}
	return false
}

// isComment reports whether a row looks like a comment or an attribute.
func isComment(row []byte) bool {
	row = bytes.TrimLeft(row, " \t")
	if len(row) == 0 {
		return false
	}
	switch row[0] {
	case '#', '@', '*':
		return true
	case '/':
		return len(row) > 1 && (row[1] == '/' || row[1] == '*')
	case '-':
		return len(row) > 1 && row[1] == '-'
	case ';', '%':
		return len(row) > 1 && row[1] == row[0]
	}
	return false
}

// cutProse returns the offsets that cut a span into parts of at most limit tokens: at blank
// lines, else at line ends, else at blanks. It never cuts inside one of the whole spans, even
// if a part then exceeds limit.
func (r *rows) cutProse(span record.Span, limit int, whole []record.Span) []int {
	var cuts []int
	end := r.sum(span.End)
	for at := span.Start; end-r.sum(at) > limit*costOne; {
		first, last := r.within(at, limit*costOne)
		last = max(first, min(last, r.at(span.End)))
		cut, line, blank := -1, -1, -1
		for i := last; i >= first && blank < 0; i-- {
			start := int(r.starts[i])
			if start <= at || start >= span.End || after(whole, start) != start {
				continue
			}
			cut = max(cut, start)
			if !r.isPiece(i) {
				line = max(line, start)
				if r.blank(i-1) && !r.blank(i) {
					blank = start
				}
			}
		}
		switch {
		case blank > 0:
			cut = blank
		case line > 0:
			cut = line
		}
		if cut < 0 { // all of it must stay whole
			if cut = after(whole, int(r.starts[last])); cut <= at || cut >= span.End {
				return cuts
			}
		}
		cuts = append(cuts, cut)
		at = cut
	}
	return cuts
}

// after returns the end of the span that starts before the offset and holds it, or the
// offset when there is none.
func after(spans []record.Span, at int) int {
	i, _ := slices.BinarySearchFunc(spans, at, func(s record.Span, at int) int { return s.End - at - 1 })
	if i < len(spans) && spans[i].Start < at {
		return spans[i].End
	}
	return at
}

package chunk

import (
	"bytes"
	"cmp"
	"slices"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// maxBeside bounds the text beside a declaration on its first and last line that belongs to
// it, in bytes.
const maxBeside = 200

// extent returns the text between from and to that belongs to the first of siblings, whose
// parent is given: whole lines as far as no other sibling stands on them, the comments above,
// and the separators and closing brackets below.
func (s *splitter) extent(siblings []int, parent, from, to int) record.Span {
	d := &s.o.Decls[siblings[0]]
	start, end := max(d.Span.Start, from), min(d.Span.End, to)
	if start >= end {
		return record.Span{}
	}
	for _, next := range siblings[1:] {
		if at := s.o.Decls[next].Span.Start; at >= end {
			to = min(to, at)
			break
		}
	}
	return record.Span{Start: s.lead(s.rowStart(start, parent, from), from), End: s.closersEnd(s.rowEnd(end, to), to)}
}

// wholeLines grows a span over the blanks around it on its lines and keeps it
// within [from, to).
func (s *splitter) wholeLines(span record.Span, from, to int) record.Span {
	c := s.o.Content
	start, end := max(span.Start, from), min(span.End, to)
	if start >= end {
		return record.Span{}
	}
	for start > from && classes[c[start-1]] == classBlank {
		start--
	}
	for end < to && classes[c[end]] == classBlank {
		end++
	}
	if end < to && c[end] == '\n' && c[end-1] != '\n' {
		end++
	}
	return record.Span{Start: start, End: end}
}

// rowStart returns the start of the line of a declaration at offset at. It is at itself,
// without the blanks before it, if the line starts before from or in the header of parent,
// or closes another block.
func (s *splitter) rowStart(at, parent, from int) int {
	c := s.o.Content
	for at > from && classes[c[at-1]] == classBlank {
		at--
	}
	low := max(from, at-maxBeside)
	start := low + 1 + bytes.LastIndexByte(c[low:at], '\n')
	switch {
	case start == low && low > 0 && c[low-1] != '\n',
		parent >= 0 && start < s.o.Decls[parent].Header.End,
		startsWithCloser(bytes.TrimLeft(c[start:at], " \t")):
		return at
	}
	return start
}

// rowEnd returns the end of the line of a declaration that ends at offset at, if it is not
// behind to; else the end of the blanks and separators behind the declaration.
func (s *splitter) rowEnd(at, to int) int {
	c := s.o.Content
	if c[at-1] == '\n' {
		return at
	}
	if n := bytes.IndexByte(c[at:min(to, at+maxBeside)], '\n'); n >= 0 {
		return at + n + 1
	}
	if to == len(c) && to-at <= maxBeside {
		return to
	}
	for at < to && (classes[c[at]] == classBlank || c[at] == ';' || c[at] == ',') {
		at++
	}
	return at
}

// closersEnd returns the end of the lines from offset at on that hold only closing brackets
// and separators, with the blank lines between them.
func (s *splitter) closersEnd(at, to int) int {
	end, c := at, s.o.Content
	for at < to && c[at-1] == '\n' {
		n := bytes.IndexByte(c[at:to], '\n') + 1
		if n == 0 {
			n = to - at
		}
		row := bytes.TrimSpace(c[at : at+n])
		if at += n; len(row) > 0 {
			if bytes.IndexByte([]byte(")]};,>"), row[0]) < 0 || hasWord(row) {
				break
			}
			end = at
		}
	}
	return end
}

// lead returns the start of the comments right before offset at, which the blank lines may
// separate from it. A long comment, and one at the start of the file, stands alone.
func (s *splitter) lead(at, from int) int {
	comments := s.o.Comments
	i, _ := slices.BinarySearchFunc(comments, at, func(c record.Span, at int) int { return cmp.Compare(c.Start, at) })
	start := at
	for i--; i >= 0 && comments[i].Start >= from; i-- {
		c := comments[i]
		if c.End > start || !isBlank(s.o.Content[c.End:start]) {
			break
		}
		row := s.wholeLines(c, from, at)
		if row.Start > from && s.o.Content[row.Start-1] != '\n' {
			break // behind code
		}
		start = row.Start
	}
	if isBlank(s.o.Content[:start]) && bytes.Contains(s.o.Content[start:at], []byte("\n\n")) || s.rows.tokens(record.Span{Start: start, End: at}) > maxMerged {
		return at
	}
	return start
}

// hasWord reports whether text has a letter or a digit.
func hasWord(text []byte) bool {
	for _, c := range text {
		switch classes[c] {
		case classLower, classUpper, classDigit, classHigh:
			return true
		}
	}
	return false
}

// group returns the number of siblings, from the first on, that are one unit, the
// declaration that names it, and its span. They are the overloads of one function, as far as
// they fit in limit tokens.
func (s *splitter) group(siblings []int, parent, from, to, limit int) (n, decl int, unit record.Span) {
	n, decl, unit = 1, siblings[0], s.extent(siblings, parent, from, to)
	first := &s.o.Decls[decl]
	if !languages.IsCallable(first.Kind) || first.Kind == record.KindTest {
		return n, decl, unit
	}
	for ; n < len(siblings); n++ {
		d := &s.o.Decls[siblings[n]]
		if d.Name != first.Name || d.Kind != first.Kind || d.Container != first.Container {
			break
		}
		next := s.extent(siblings[n:], parent, unit.End, to)
		if next.Start >= next.End || !isBlank(s.o.Content[unit.End:next.Start]) || s.rows.tokens(record.Span{Start: unit.Start, End: next.End}) > limit {
			break
		}
		unit.End = next.End
		if d.Body.Start < d.Body.End {
			decl = siblings[n]
		}
	}
	return n, decl, unit
}

// innermost returns the only type or module of module i, and of that one, when there is
// hardly any other text in it; else i. So a class inside modules has its qualified name.
func (s *splitter) innermost(i int) int {
	for s.o.Decls[i].Kind == record.KindModule {
		kids := s.children(i)
		if len(kids) != 1 {
			break
		}
		d := &s.o.Decls[kids[0]]
		if d.Kind != record.KindModule && !languages.IsType(d.Kind) || s.rows.tokens(s.o.Decls[i].Span)-s.rows.tokens(d.Span) >= small {
			break
		}
		i = kids[0]
	}
	return i
}

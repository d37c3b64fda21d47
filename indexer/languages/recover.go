package languages

import (
	"bytes"
	"slices"

	"ambit/vectors/record"
)

const (
	// maxRetries bounds how often a broken file is read again.
	maxRetries = 3
	// maxRecoverBytes is the size up to which a broken file is read again; it is
	// often a buffer in the middle of an edit.
	maxRecoverBytes = 256 << 10
)

// reading is a file as the grammar is given it: the whole, and the units that are
// read apart from it because they broke what stands behind them. Each source is as
// long as the file, blank where it has no part.
type reading struct {
	sources [][]byte
	starts  []int // offsets of the lines that look like the start of a unit
	tried   int   // units that start before this were looked at
}

// recovered reads a broken file again, one unit after the other apart from the
// rest, as long as that brings back units that the grammar lost. A syntax error
// costs the unit that it is in: the grammar's own recovery can lose all that
// stands behind.
func (r *row) recovered(c *compiled, b *builder, readable []byte) *builder {
	if r.starts == nil || len(b.text) > maxRecoverBytes {
		return b
	}
	rd := reading{sources: [][]byte{readable}}
	for _, m := range r.starts.FindAllStringIndex(b.text, -1) {
		rd.starts = append(rd.starts, m[0])
	}
	for range maxRetries {
		cut, ok := rd.cut(b)
		if !ok {
			break
		}
		next := append([][]byte{without(rd.sources[0], cut)}, rd.sources[1:]...)
		next = append(next, only(rd.sources[0], cut))
		again := builder{row: r, text: b.text}
		if !again.read(c, next) {
			break
		}
		if rd.found(&again) > rd.found(b) {
			again.broken = max(again.broken, 1)
			b, rd.sources = &again, next
		}
	}
	return b
}

// cut returns the unit before the first lost one: the one that is likely broken.
func (rd *reading) cut(b *builder) (record.Span, bool) {
	named := rd.named(b)
	for i := 1; i < len(rd.starts); i++ {
		if named[i] || rd.starts[i] <= rd.tried {
			continue
		}
		rd.tried = rd.starts[i]
		return record.Span{Start: rd.starts[i-1], End: rd.starts[i]}, true
	}
	return record.Span{}, false
}

// named tells which of the starts have a declaration on their line.
func (rd *reading) named(b *builder) []bool {
	named := make([]bool, len(rd.starts))
	for i := range b.decls {
		at := b.decls[i].NameSpan.Start
		k, found := slices.BinarySearch(rd.starts, at)
		if !found {
			k--
		}
		if k >= 0 && bytes.IndexByte([]byte(b.text[rd.starts[k]:at]), '\n') < 0 {
			named[k] = true
		}
	}
	return named
}

// found returns how many of the starts have a declaration.
func (rd *reading) found(b *builder) int {
	n := 0
	for _, ok := range rd.named(b) {
		if ok {
			n++
		}
	}
	return n
}

// without returns a copy of src that is blank in a span.
func without(src []byte, cut record.Span) []byte {
	out := bytes.Clone(src)
	blankOut(out[cut.Start:cut.End])
	return out
}

// only returns a copy of src that is blank outside of a span.
func only(src []byte, cut record.Span) []byte {
	out := bytes.Clone(src)
	blankOut(out[:cut.Start])
	blankOut(out[cut.End:])
	return out
}

func blankOut(b []byte) {
	for i, c := range b {
		if c != '\n' && c != '\r' {
			b[i] = ' '
		}
	}
}

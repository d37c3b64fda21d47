package languages

import (
	"bytes"
	"slices"
	"strings"

	"ambit/vectors/record"
)

const (
	// maxRetries bounds how often recovered parses a broken file again.
	maxRetries = 3
	// maxRecoverBytes is the size up to which recovered parses a broken file again.
	maxRecoverBytes = 256 << 10
)

// reading is the text of a broken file in several sources: the file, and the units that the
// grammar reads separately because they break the text behind them. Each source is as long
// as the file, with blanks in place of the other sources.
type reading struct {
	sources [][]byte
	starts  []int // offsets of the lines that look like the start of a unit
	tried   int   // cut has tried the units that start before this offset
}

// recovered parses a broken file again, each time with one more unit in a source of its
// own. It keeps a result if more units have declarations. So a syntax error affects one
// unit, whereas the recovery of the grammar can lose all units behind it.
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
		rest, unit := bytes.Clone(rd.sources[0]), bytes.Clone(rd.sources[0])
		blank(rest[cut.Start:cut.End])
		blank(unit[:cut.Start])
		blank(unit[cut.End:])
		next := append([][]byte{rest}, rd.sources[1:]...)
		next = append(next, unit)
		again := builder{row: r, text: b.text, work: b.work}
		if !again.read(c, next) {
			break
		}
		b.work = again.work
		if rd.found(&again) > rd.found(b) {
			again.broken = max(again.broken, 1)
			b, rd.sources = &again, next
		}
	}
	return b
}

// cut returns the unit before the next unit without a declaration. It is likely broken.
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

// named reports for each start whether its line has a declaration.
func (rd *reading) named(b *builder) []bool {
	named := make([]bool, len(rd.starts))
	for i := range b.decls {
		at := b.decls[i].NameSpan.Start
		k, found := slices.BinarySearch(rd.starts, at)
		if !found {
			k--
		}
		if k >= 0 && !strings.Contains(b.text[rd.starts[k]:at], "\n") {
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

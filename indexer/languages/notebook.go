package languages

import (
	"bytes"
	"encoding/json"
	"strings"

	"ambit/vectors/record"
)

// parseNotebook returns the cells of a Jupyter notebook: the headings of its Markdown cells as
// sections, its code cells and their outputs as fences. The lines are those of the file, so a
// notebook that has several cells on one line is read as text.
//
// Source: the notebook format, version 4, of Jupyter (nbformat).
func parseNotebook(path record.Path, content []byte) Outline {
	cells, ok := readCells(content)
	if !ok {
		return parseText(path, content)
	}
	o := Outline{Path: path, Content: content, Language: languageNotebook, Doc: &Document{}}
	n := notebook{o: &o}
	for i := range cells {
		end := len(content)
		if i+1 < len(cells) {
			end = cells[i+1].start
		}
		n.cell(&cells[i], end)
	}
	finishDocument(&o, nil)
	return o
}

// cell is one cell of a notebook.
type cell struct {
	kind    string      // "markdown", "code" or "raw"
	start   int         // offset of its first line
	source  []line      // the lines of its source
	outputs record.Span // the lines of its outputs, empty when they share a line with others
}

// line is one line of the source of a cell: its text, and the offset of the line of the file.
type line struct {
	text string
	at   int
}

type notebook struct{ o *Outline }

// cell adds the blocks of a cell that ends at end.
func (n *notebook) cell(c *cell, end int) {
	if c.kind != "markdown" {
		n.fence(c, end)
		return
	}
	at, fenced := c.start, false
	for i, l := range c.source {
		text, _, _ := strings.Cut(l.text, "\n")
		if strings.HasPrefix(strings.TrimSpace(text), "```") {
			fenced = !fenced
		}
		level := len(text) - len(strings.TrimLeft(text, "#"))
		if fenced || level == 0 || level > 6 || !strings.HasPrefix(text[level:], " ") {
			continue
		}
		next := end
		if i+1 < len(c.source) {
			next = c.source[i+1].at
		}
		if i > 0 { // the first heading of a cell starts with the cell
			n.add(Block{Kind: BlockParagraph}, at, l.at)
			at = l.at
		}
		n.add(Block{Kind: BlockHeading, Level: level, Text: plainText(text[level:])}, at, next)
		at = next
	}
	n.add(Block{Kind: BlockParagraph}, at, end)
}

// fence adds a code cell, and its outputs as a fence of their own.
func (n *notebook) fence(c *cell, end int) {
	at := c.start
	if o := c.outputs; o.Start > at && o.Start < o.End {
		n.add(Block{Kind: BlockFence, Text: c.kind}, at, o.Start)
		n.add(Block{Kind: BlockFence, Text: "output"}, o.Start, o.End)
		at = o.End
	}
	n.add(Block{Kind: BlockFence, Text: c.kind}, at, end)
}

func (n *notebook) add(b Block, start, end int) {
	if start >= end {
		return
	}
	b.Span = record.Span{Start: start, End: end}
	n.o.Doc.Blocks = append(n.o.Doc.Blocks, b)
	if b.Kind == BlockFence {
		n.o.Doc.Fences = append(n.o.Doc.Fences, b.Span)
	}
}

// cellReader reads the cells of a notebook with their offsets.
type cellReader struct {
	content []byte
	*json.Decoder
}

// readCells returns the cells of a notebook. It returns false for other text, and when two
// cells share a line.
func readCells(content []byte) ([]cell, bool) {
	r := cellReader{content, json.NewDecoder(bytes.NewReader(content))}
	var cells []cell
	ok := r.object(func(key string) bool {
		if key != "cells" {
			return r.skip()
		}
		return r.array(func() bool {
			c := cell{start: r.lineOfNext()}
			if len(cells) > 0 && c.start <= cells[len(cells)-1].start || !r.cell(&c) {
				return false
			}
			cells = append(cells, c)
			return true
		})
	})
	return cells, ok && len(cells) > 0
}

// cell reads one cell.
func (r *cellReader) cell(c *cell) bool {
	return r.object(func(key string) bool {
		switch key {
		case "cell_type":
			return r.Decode(&c.kind) == nil
		case "outputs":
			c.outputs.Start = lineStart(r.content, int(r.InputOffset()))
			ok := r.skip()
			c.outputs.End = lineStart(r.content, int(r.InputOffset()))
			if ok && c.outputs.End > c.outputs.Start {
				c.outputs.End = lineEnd(r.content, c.outputs.End)
			}
			return ok
		case "source":
			if r.next() != '[' {
				at, s := r.lineOfNext(), ""
				ok := r.Decode(&s) == nil
				c.source = append(c.source, line{text: s, at: at})
				return ok
			}
			return r.array(func() bool {
				l := line{at: r.lineOfNext()}
				ok := r.Decode(&l.text) == nil
				c.source = append(c.source, l)
				return ok
			})
		}
		return r.skip()
	})
}

// next returns the first byte of the next value, 0 at the end.
func (r *cellReader) next() byte {
	at := int(r.InputOffset())
	if rest := bytes.TrimLeft(r.content[at:], " \t\r\n:,"); len(rest) > 0 {
		return rest[0]
	}
	return 0
}

// lineOfNext returns the offset of the line on which the next value starts.
func (r *cellReader) lineOfNext() int {
	at := int(r.InputOffset())
	rest := bytes.TrimLeft(r.content[at:], " \t\r\n:,")
	return lineStart(r.content, len(r.content)-len(rest))
}

func (r *cellReader) delim(d json.Delim) bool {
	t, err := r.Token()
	return err == nil && t == d
}

// object calls fn for each key of the next value, an object. fn reads the value.
func (r *cellReader) object(fn func(key string) bool) bool {
	if !r.delim('{') {
		return false
	}
	for r.More() {
		t, err := r.Token()
		key, ok := t.(string)
		if err != nil || !ok || !fn(key) {
			return false
		}
	}
	return r.delim('}')
}

// array calls fn before each element of the next value, an array. fn reads the element.
func (r *cellReader) array(fn func() bool) bool {
	if !r.delim('[') {
		return false
	}
	for r.More() {
		if !fn() {
			return false
		}
	}
	return r.delim(']')
}

// skip reads the next value.
func (r *cellReader) skip() bool {
	var v json.RawMessage
	return r.Decode(&v) == nil
}

package languages

import (
	"bytes"
	"path"
	"strings"
	"unicode/utf8"

	"ambit/vectors/record"
)

// parseProse reads a file that neither a grammar nor Markdown covers: as code if its
// language has a row in the pattern table, else as paragraphs.
func parseProse(p record.Path, content []byte) Outline {
	base := path.Base(string(p))
	if r := patternRowOf(base, strings.ToLower(path.Ext(base)), interpreter(content)); r != nil {
		return parsePatterns(r, p, content)
	}
	return parseText(p, content)
}

// parseText returns the paragraphs of a text, which blank lines separate. It also finds the
// headings of reStructuredText and AsciiDoc, and mentions in their inline code.
func parseText(path record.Path, content []byte) Outline {
	o := Outline{Path: path, Content: content, Language: languageText, Doc: &Document{}}
	markup := markupOf(path)
	p := prose{o: &o, markup: markup}
	p.blocks()
	if markup != plainMarkup {
		finishDocument(&o)
	} else {
		o.Doc.CodeRefs = codeRefs(content)
	}
	return o
}

// markup is the mark-up language of a text.
type markup uint8

const (
	plainMarkup markup = iota
	restMarkup         // reStructuredText
	asciiMarkup        // AsciiDoc
)

func markupOf(p record.Path) markup {
	switch strings.ToLower(path.Ext(string(p))) {
	case ".rst", ".rest":
		return restMarkup
	case ".adoc", ".asciidoc":
		return asciiMarkup
	}
	return plainMarkup
}

type prose struct {
	o      *Outline
	markup markup
	styles []byte // adornments of reStructuredText headings by level, in order of appearance
}

// blocks cuts the text at blank lines; a heading is a block of its own.
func (p *prose) blocks() {
	doc, content := p.o.Doc, p.o.Content
	open := -1 // start of the paragraph
	closeAt := func(end int) {
		if open >= 0 {
			doc.Blocks = append(doc.Blocks, Block{Kind: BlockParagraph, Span: record.Span{Start: open, End: end}})
			open = -1
		}
	}
	for at := 0; at < len(content); {
		end := lineEnd(content, at)
		if len(bytes.TrimSpace(content[at:end])) == 0 {
			closeAt(at)
			at = end
			continue
		}
		if p.markup != plainMarkup && open < 0 {
			if b, ok := p.heading(at, end); ok {
				doc.Blocks = append(doc.Blocks, b)
				at = b.Span.End
				continue
			}
		}
		if open < 0 {
			open = at
		}
		at = end
	}
	closeAt(len(content))
}

// heading reads the heading whose first line is [at, end).
func (p *prose) heading(at, end int) (Block, bool) {
	content := p.o.Content
	line := bytes.TrimRight(content[at:end], " \t\r\n")
	if p.markup == asciiMarkup {
		level := len(line) - len(bytes.TrimLeft(line, "="))
		if level == 0 || level > 6 || len(line) <= level+1 || line[level] != ' ' {
			return Block{}, false
		}
		return Block{Kind: BlockHeading, Span: record.Span{Start: at, End: end}, Level: level, Text: string(bytes.TrimSpace(line[level:]))}, true
	}
	style, over := adornment(line), 0
	if style != 0 { // an overline: the title is the next line
		over = len(line)
		end2 := lineEnd(content, end)
		line, end = bytes.TrimRight(content[end:end2], " \t\r\n"), end2
	}
	title := bytes.TrimSpace(line)
	under := bytes.TrimRight(content[end:lineEnd(content, end)], " \t\r\n")
	if len(title) == 0 || adornment(line) != 0 || over == 0 && line[0] == ' ' {
		return Block{}, false
	}
	if s := adornment(under); s == 0 || over > 0 && (s != style || over != len(under)) || len(under) < min(utf8.RuneCount(title), 4) {
		return Block{}, false
	} else if style = s; over > 0 {
		style |= 0x80 // an overline makes another style
	}
	level := bytes.IndexByte(p.styles, style)
	if level < 0 {
		level = len(p.styles)
		p.styles = append(p.styles, style)
	}
	return Block{Kind: BlockHeading, Span: record.Span{Start: at, End: lineEnd(content, end)}, Level: min(level+1, 6),
		Text: strings.ReplaceAll(string(title), "`", "")}, true
}

// adornment returns the punctuation character that a line repeats at least three times, or
// 0.
func adornment(line []byte) byte {
	if len(line) < 3 || strings.IndexByte("=-~^\"'`#*+.:_<>", line[0]) < 0 {
		return 0
	}
	for _, c := range line {
		if c != line[0] {
			return 0
		}
	}
	return line[0]
}

// finishDocument derives the rest of a document from its blocks: the title, the sections
// as declarations, mentions, links and code references.
func finishDocument(o *Outline) {
	sections(o)
	if o.Doc.Title == "" && len(o.Decls) > 0 {
		o.Doc.Title = o.Decls[topHeading(o)].Name
	}
	s := inline{o: o, content: o.Content}
	s.definitions()
	s.scan()
	o.Doc.CodeRefs = codeRefs(o.Content)
}

// topHeading returns the index of the first heading of level 1, or 0 when there is none.
// Declaration i is the i-th heading.
func topHeading(o *Outline) int {
	i := 0
	for _, b := range o.Doc.Blocks {
		if b.Kind != BlockHeading {
			continue
		}
		if b.Level == 1 {
			return i
		}
		i++
	}
	return 0
}

// sections declares one section per heading, nested by level.
func sections(o *Outline) {
	var open, levels []int // indices of the sections around, and their levels
	for _, b := range o.Doc.Blocks {
		if b.Kind != BlockHeading {
			continue
		}
		for len(open) > 0 && levels[len(open)-1] >= b.Level {
			o.Decls[open[len(open)-1]].setEnd(b.Span.Start)
			open, levels = open[:len(open)-1], levels[:len(open)-1]
		}
		parent := -1
		if len(open) > 0 {
			parent = open[len(open)-1]
		}
		name := b.Text
		if name == "" {
			name = "#"
		}
		header := record.Span{Start: b.Span.Start, End: b.Span.Start + len(bytes.TrimRight(o.Content[b.Span.Start:b.Span.End], "\r\n"))}
		open, levels = append(open, len(o.Decls)), append(levels, b.Level)
		o.Decls = append(o.Decls, Decl{Name: name, Kind: record.KindSection, Parent: parent, Span: b.Span,
			Header: header, NameSpan: header, Body: record.Span{Start: b.Span.End}, Exported: true})
	}
	for _, i := range open {
		o.Decls[i].setEnd(len(o.Content))
	}
}

// setEnd ends a section and its body.
func (d *Decl) setEnd(end int) {
	d.Span.End = end
	d.Body.End = end
}

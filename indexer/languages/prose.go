package languages

import (
	"bytes"
	"path"
	"strings"

	"ambit/vectors/record"
)

// parseProse reads a file that neither a grammar nor Markdown covers: as code if its
// language has a row in the pattern table, else as paragraphs.
func parseProse(p record.Path, content []byte) Outline {
	base := path.Base(string(p))
	if r := patternRowOf(base, strings.ToLower(path.Ext(base)), interpreter(content)); r != nil && r.read != nil {
		return r.read(r, p, content)
	} else if r != nil {
		return parsePatterns(r, p, content)
	}
	return parseText(p, content)
}

// parseText returns the paragraphs of a text, which blank lines separate. In a mark-up
// language it also finds the headings, the code, the links, and mentions in inline code.
func parseText(path record.Path, content []byte) Outline {
	o := Outline{Path: path, Content: content, Language: languageText, Doc: &Document{}}
	p := prose{o: &o, markup: markupOf(path), literal: -1}
	if p.markup == nil {
		p.blocks(0)
		o.Doc.CodeRefs = codeRefs(content)
		return o
	}
	o.Language = p.markup.language
	p.blocks(frontMatter(o.Doc, content))
	finishDocument(&o, p.markup)
	return o
}

type prose struct {
	o      *Outline
	markup *markup // nil for plain text
	open   int     // start of the paragraph, -1 outside of one
	styles []byte  // adornments of reStructuredText headings by level, in order of appearance
	// literal is the indentation of a paragraph of reStructuredText that announces a literal
	// block, while that can follow; else -1.
	literal int
}

// blocks cuts the text from at on at blank lines; a heading and a fence are blocks of their own.
func (p *prose) blocks(at int) {
	doc, content := p.o.Doc, p.o.Content
	p.open = -1
	for at < len(content) {
		line, end := p.line(at)
		if len(bytes.TrimSpace(line)) == 0 {
			p.close(at)
			at = end
			continue
		}
		if b, ok := p.marked(at, end); ok {
			p.close(at)
			p.literal = -1
			doc.Blocks = append(doc.Blocks, b)
			if b.Kind == BlockFence {
				doc.Fences = append(doc.Fences, b.Span)
			}
			at = b.Span.End
			continue
		}
		if p.open < 0 {
			p.open = at
		}
		p.literal = -1
		if bytes.HasSuffix(line, []byte("::")) && p.markup != nil {
			p.literal = indentation(line)
		}
		at = end
	}
	p.close(len(content))
}

// close ends the open paragraph.
func (p *prose) close(end int) {
	if p.open >= 0 {
		p.o.Doc.Blocks = append(p.o.Doc.Blocks, Block{Kind: BlockParagraph, Span: record.Span{Start: p.open, End: end}})
		p.open = -1
	}
}

// marked returns the heading or the fence that starts with the line [at, end).
func (p *prose) marked(at, end int) (Block, bool) {
	if p.markup == nil {
		return Block{}, false
	}
	if p.open < 0 || p.markup.inParagraph {
		if b, ok := p.markup.heading(p, at, end); ok {
			return b, true
		}
	}
	return p.markup.fence(p, at, end)
}

// finishDocument derives the rest of a document from its blocks: the title, the sections
// as declarations, mentions, links and code references. m is nil for Markdown.
func finishDocument(o *Outline, m *markup) {
	sections(o)
	if o.Doc.Title == "" && len(o.Decls) > 0 {
		o.Doc.Title = o.Decls[topHeading(o)].Name
	}
	s := inline{o: o, content: o.Content, decl: -1, line: 1}
	switch {
	case m == nil:
		s.definitions()
		s.scan("`[]<\\")
	case m.code == nil:
		s.scan("`\\")
		s.match(m)
	default:
		s.match(m)
	}
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

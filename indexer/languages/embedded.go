package languages

import (
	"bytes"

	"ambit/vectors/record"
)

// readEmbedded reads the scripts and styles of a page with the grammars of their languages.
// Each kind is one source as long as the page, with blanks in place of the rest, so that all
// offsets are those of the page. The expressions of templates are a source of their own: not
// all of them are code that the grammar of scripts can read alone.
func (b *builder) readEmbedded(content []byte) {
	page := b.row
	for _, in := range []struct {
		what      roleKind
		extension string
	}{{roleScript, page.script}, {roleTemplate, page.template}, {roleStyle, page.style}} {
		r := byExtension[in.extension]
		src := b.embeddedSource(content, in.what)
		if r == nil || r.compiled() == nil || src == nil {
			continue
		}
		broken := b.broken
		b.row = r
		rec := recovery{c: r.compiled(), b: b, text: src}
		rec.read()
		b.row = page
		if in.what == roleTemplate {
			b.broken = broken
		}
	}
}

// embeddedSource returns the parts of a page of one kind; nil for none.
func (b *builder) embeddedSource(content []byte, what roleKind) []byte {
	var src []byte
	for _, e := range b.embedded {
		if e.what != what {
			continue
		}
		if src == nil {
			src = bytes.Repeat([]byte{' '}, len(content))
		}
		expression := content[e.span.Start:e.span.End]
		copy(src[e.span.Start:], expression)
		if what != roleTemplate || e.span.End == len(src) {
			continue
		}
		// In place of the brackets or the quotes around the expression. An object of its own
		// would be a block.
		src[e.span.End] = ';'
		if b.row.component && e.span.End+1 < len(src) && bytes.HasPrefix(bytes.TrimSpace(expression), []byte("{")) {
			src[e.span.Start-1], src[e.span.End], src[e.span.End+1] = '(', ')', ';'
		}
	}
	return src
}

// insertion is a place of a page that its grammar does not know, such as a tag of ERB, and the
// code in it, an empty span for a comment.
type insertion struct{ span, code record.Span }

// takeOut keeps the code of the insertions of a page as expressions of its template, and
// returns the page with blanks in place of the insertions.
func (b *builder) takeOut(all []insertion, page []byte) []byte {
	if len(all) == 0 {
		return page
	}
	rest := bytes.Clone(page)
	for _, in := range all {
		blank(rest[in.span.Start:in.span.End])
		if in.code.Start < in.code.End {
			b.embedded = append(b.embedded, embedded{in.code, roleTemplate})
		} else {
			b.comments = append(b.comments, in.span)
		}
	}
	return rest
}

// declarePage declares a whole page as a view, unless name is empty.
func (b *builder) declarePage(name string) {
	if name != "" && b.text != "" {
		page := Decl{Name: name, Kind: record.KindView, Span: record.Span{End: len(b.text)}, Exported: true}
		b.decls = append(b.decls, rawDecl{Decl: page})
	}
}

// embedded is a part of a page in another language.
type embedded struct {
	span record.Span
	what roleKind // roleScript, roleTemplate or roleStyle
}

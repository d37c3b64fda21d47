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
		if what != roleTemplate || e.span.End+1 >= len(src) {
			continue
		}
		// In place of the brackets or the quotes around the expression. An object of its own
		// would be a block.
		src[e.span.End] = ';'
		if b.row.component && bytes.HasPrefix(bytes.TrimSpace(expression), []byte("{")) {
			src[e.span.Start-1], src[e.span.End], src[e.span.End+1] = '(', ')', ';'
		}
	}
	return src
}

// embedded is a part of a page in another language.
type embedded struct {
	span record.Span
	what roleKind // roleScript, roleTemplate or roleStyle
}

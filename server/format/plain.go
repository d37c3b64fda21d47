package format

import (
	"slices"
	"strconv"

	"ambit/server/assemble"
)

// plain separates the parts by lines such as "--- identifier (kind) ---".
func (p *page) plain(b *assemble.Bundle) {
	outlines, arrows := outlines(b), arrows(b)
	texts := append(slices.Clip(b.Texts), outlines, arrows)
	dashes, equals := ruler('-', texts), ruler('=', texts)
	block := func(title, text string) { p.WriteString(dashes + " " + title + " " + dashes + "\n" + text) }

	p.WriteString(equals + " CODEBASE CONTEXT " + equals + "\n")
	p.WriteString("query: " + query(b) + "\n")
	p.WriteString("sources: " + strconv.Itoa(len(b.Sources)) + ", tokens: " + strconv.Itoa(b.Tokens) + "\n")
	p.heading = func(title string) { block(title, "") }
	p.parts(b, outlines, arrows, "\n", block, func(i int) {
		if bare(b) {
			block("unit", b.Texts[i])
			return
		}
		s := &b.Sources[i]
		block(identifier(s.Identifier)+" ("+kind(s)+")", location(s)+details(b, s)+"\n"+b.Texts[i])
	})
	p.WriteString("\n" + equals + " END " + equals + "\n")
}

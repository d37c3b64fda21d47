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
	for _, n := range notes(b) {
		p.WriteString(n.label + ": " + n.text + "\n")
	}
	p.heading = func(title string) { block(title, "") }
	p.parts(b, outlines, arrows, "\n", block, func(i, end int, text string) {
		if bare(b) {
			block("unit", text)
			return
		}
		s := &b.Sources[i]
		block(named(b.Sources[i:end])+" ("+kind(s)+")", location(b.Sources[i:end]...)+details(b, s)+"\n"+text)
	})
	p.WriteString("\n" + equals + " END " + equals + "\n")
}

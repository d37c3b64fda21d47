package format

import (
	"strconv"
	"strings"

	"ambit/server/assemble"
)

// renderPlain separates units by lines such as "--- identifier (kind) ---".
func renderPlain(b *assemble.Bundle, p *places) string {
	outline, arrows := structure(b), dependencies(b)
	texts := []string{outline, arrows}
	for i := range b.Sources {
		texts = append(texts, b.Sources[i].Text)
	}
	dashes, equals := ruler('-', texts...), ruler('=', texts...)

	var t strings.Builder
	part := func(title string) { t.WriteString(dashes + " " + title + " " + dashes + "\n") }
	t.WriteString(equals + " CODEBASE CONTEXT " + equals + "\n")
	t.WriteString("query: " + query(b) + "\n")
	t.WriteString("sources: " + strconv.Itoa(len(b.Sources)) + ", tokens: " + strconv.Itoa(b.Tokens) + "\n")
	addStructure := func() {
		if outline != "" {
			t.WriteByte('\n')
			part("structure")
			t.WriteString(outline)
		}
	}
	if b.StructureFirst {
		addStructure()
	}
	for i := range b.Sources {
		s := &b.Sources[i]
		t.WriteByte('\n')
		p.begin(&t)
		if bare(b) {
			part("unit")
		} else {
			part(identifier(s.Identifier) + " (" + kind(s) + ")")
			t.WriteString(location(s) + details(b, s) + "\n")
		}
		t.WriteString(s.Text)
		p.finish(&t)
	}
	if !b.StructureFirst {
		addStructure()
	}
	if arrows != "" {
		t.WriteByte('\n')
		part("dependencies")
		t.WriteString(arrows)
	}
	t.WriteString("\n" + equals + " END " + equals + "\n")
	return t.String()
}

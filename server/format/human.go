package format

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"ambit/server/assemble"
)

// boxColumns is the width of the box, narrow enough for half a screen.
const boxColumns = 72

// What a terminal takes for a colour; empty without colour.
type palette struct{ title, label, off string }

// renderHuman is for people at a terminal. Control characters of the source are
// shown as pictures, so that it can neither forge colours nor move the cursor.
func renderHuman(b *assemble.Bundle, colour bool, at *places) string {
	var p palette
	if colour {
		p = palette{title: "\x1b[1;36m", label: "\x1b[2m", off: "\x1b[0m"}
	}
	outline, arrows := pictures(structure(b)), dependencies(b)
	texts := make([]string, 0, len(b.Sources)+2)
	for i := range b.Sources {
		texts = append(texts, pictures(b.Sources[i].Text))
	}
	rule := ruler('─', append(texts, outline, arrows)...)

	var t strings.Builder
	part := func(title string) {
		t.WriteString(p.title + rule + " " + title + p.off + "\n")
	}
	box(&t, query(b), count(len(b.Sources), "source")+" · "+
		assemble.Thousands(b.Tokens)+" of "+count(b.Budget, "token"))
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
		at.begin(&t)
		switch {
		case bare(b):
			part("unit")
		case full(b):
			part(identifier(s.Identifier) + " · " + kind(s) + " · " + relevance(s))
			t.WriteString(p.label + about(s) + p.off + "\n")
		default:
			part(identifier(s.Identifier) + " · " + kind(s))
			t.WriteString(p.label + location(s) + p.off + "\n")
		}
		t.WriteString(texts[i])
		at.finish(&t)
	}
	if !b.StructureFirst {
		addStructure()
	}
	if arrows != "" {
		t.WriteByte('\n')
		part("dependencies")
		t.WriteString(arrows)
	}
	if n := len(b.Omitted); n > 0 {
		t.WriteString("\n" + p.label + "left out: " + count(n, "unit") + p.off + "\n")
	}
	return t.String()
}

// about returns where s is, how often it changes, who needs it and why it is shown.
func about(s *assemble.Source) string {
	parts := []string{location(s)}
	if f := frequency(s); f != "unknown" {
		parts = append(parts, f)
	}
	if s.Dependents > 0 {
		parts = append(parts, count(s.Dependents, "dependent"))
	}
	return strings.Join(append(parts, identifier(string(s.Role))), " · ")
}

// box draws lines in a box of boxColumns.
func box(t *strings.Builder, lines ...string) {
	edge := strings.Repeat("─", boxColumns-2)
	t.WriteString("╭" + edge + "╮\n")
	for _, l := range lines {
		n := utf8.RuneCountInString(l)
		if n > boxColumns-4 {
			l, n = string([]rune(l)[:boxColumns-5])+"…", boxColumns-4
		}
		t.WriteString("│ " + l + strings.Repeat(" ", boxColumns-4-n) + " │\n")
	}
	t.WriteString("╰" + edge + "╯\n")
}

// pictures returns s with its control characters, but for tabs and line feeds, as
// the symbols that stand for them.
func pictures(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n' || !unicode.IsControl(r):
			return r
		case r < ' ':
			return '\u2400' + r
		case r == '\x7f':
			return '\u2421'
		}
		return utf8.RuneError
	}, s)
}

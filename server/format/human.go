package format

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"ambit/server/api"
	"ambit/server/assemble"
	"ambit/vectors/record"
)

// boxColumns is the width of the box, narrow enough for half a screen.
const boxColumns = 72

// palette has the escape sequences of a terminal; they are empty without colors.
type palette struct{ title, label, off string }

var terminalColors = palette{title: "\x1b[1;36m", label: "\x1b[2m", off: "\x1b[0m"}

// human writes for a terminal. It replaces control characters of the source by pictures,
// so that the source can neither forge colors nor move the cursor.
func (p *page) human(b *assemble.Bundle, colors palette) {
	outlines, arrows := pictures(outlines(b)), arrows(b)
	texts := []string{outlines, arrows}
	for _, text := range b.Texts {
		texts = append(texts, pictures(text))
	}
	rule := ruler('─', texts)
	block := func(title, text string) {
		p.WriteString(colors.title + rule + " " + title + colors.off + "\n" + text)
	}
	label := func(text string) { p.WriteString(colors.label + text + colors.off + "\n") }

	p.box(query(b), assemble.Counted(len(b.Sources), "source")+" · "+assemble.Thousands(b.Tokens)+" of "+assemble.Counted(b.Budget, "token"))
	for _, n := range notes(b) {
		label(n.label + ": " + n.text)
	}
	p.heading = func(title string) { p.WriteString(colors.title + strings.ToUpper(title) + colors.off + "\n") }
	p.parts(alone(b), outlines, arrows, "\n", block, func(i, _ int, _ string) {
		s := &b.Sources[i]
		switch {
		case bare(b):
			block("unit", "")
		case full(b):
			block(identifier(s.Identifier)+" · "+kind(s)+" · "+relevance(s), "")
			label(about(s))
		default:
			block(identifier(s.Identifier)+" · "+kind(s), "")
			label(location(*s))
		}
		p.WriteString(texts[2+i])
	})
	if len(b.Omitted) > 0 {
		p.WriteByte('\n')
		label("left out: " + leftOut(b.Omitted))
	}
}

// leftOut says how many units are omitted, what a larger budget would add, and how many
// are not worth their tokens.
func leftOut(omitted []api.Omission) string {
	room, tokens, poor := 0, 0, 0
	for i := range omitted {
		switch o := &omitted[i]; o.Reason {
		case assemble.NoRoom:
			room, tokens = room+1, tokens+o.Tokens
		case assemble.NotWorth:
			poor++
		}
	}
	text := assemble.Counted(len(omitted), "unit")
	if room > 0 {
		text += " · a larger budget adds " + assemble.Thousands(room) + " (" + assemble.Counted(tokens, "token") + ")"
	}
	if poor > 0 {
		text += " · not worth their tokens: " + assemble.Thousands(poor) + " (--fill shows them)"
	}
	return text
}

// about returns the location of s, its change frequency, dependents and reason.
func about(s *api.Source) string {
	parts := []string{location(*s)}
	if s.ChangeFrequency != record.Unknown {
		parts = append(parts, string(s.ChangeFrequency))
	}
	if s.Dependents > 0 {
		parts = append(parts, assemble.Counted(s.Dependents, "dependent"))
	}
	return strings.Join(append(parts, cmp.Or(identifier(s.Reason), identifier(s.Role))), " · ")
}

// box draws lines in a box of boxColumns.
func (p *page) box(lines ...string) {
	edge := strings.Repeat("─", boxColumns-2)
	p.WriteString("╭" + edge + "╮\n")
	for _, l := range lines {
		n := utf8.RuneCountInString(l)
		if n > boxColumns-4 {
			l, n = string([]rune(l)[:boxColumns-5])+"…", boxColumns-4
		}
		p.WriteString("│ " + l + strings.Repeat(" ", boxColumns-4-n) + " │\n")
	}
	p.WriteString("╰" + edge + "╯\n")
}

// pictures replaces the control characters of s, except tabs and line feeds, by the
// symbols for them.
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

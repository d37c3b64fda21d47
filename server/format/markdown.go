package format

import (
	"strings"

	"ambit/server/assemble"
)

// markdown gives each source a heading and a fence.
func (p *page) markdown(b *assemble.Bundle) {
	p.WriteString("# Codebase context: " + code(query(b)) + "\n\n")
	p.WriteString(assemble.Counted(len(b.Sources), "source") + ", " + assemble.Counted(b.Tokens, "token") + "\n")
	for _, n := range notes(b) {
		p.WriteString("\n" + strings.ToUpper(n.label[:1]) + n.label[1:] + ": " + n.text + "\n")
	}
	p.heading = func(title string) { p.WriteString("# " + strings.ToUpper(title[:1]) + title[1:] + "\n") }
	p.parts(b, outlines(b), arrows(b), "\n", func(title, text string) {
		p.WriteString("## " + strings.ToUpper(title[:1]) + title[1:] + "\n\n" + fenced("text", text))
	}, func(i, end int, text string) {
		s := &b.Sources[i]
		if !bare(b) {
			p.WriteString("## " + code(named(b.Sources[i:end])) + " (" + kind(s) + ")\n\n")
			p.WriteString(code(location(b.Sources[i:end]...)) + details(b, s) + "\n\n")
		}
		p.WriteString(fenced(s.Language, text))
	})
}

// fenced returns text, which ends in "\n" or is empty, in a fence longer than any
// run of backticks in it.
func fenced(language, text string) string {
	fence := strings.Repeat("`", max(3, backticks(text)+1))
	return fence + info(language) + "\n" + text + fence + "\n"
}

// info returns language as the info string of a fence.
func info(language string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', strings.ContainsRune("+#-_.", r):
			return r
		}
		return -1
	}, language)
}

// code returns s, which is one line, as a code span.
func code(s string) string {
	ticks := strings.Repeat("`", backticks(s)+1)
	if s == "" || s[0] == '`' || s[len(s)-1] == '`' {
		s = " " + s + " "
	}
	return ticks + s + ticks
}

// backticks returns the length of the longest run of backticks in s.
func backticks(s string) int {
	longest, run := 0, 0
	for i := range len(s) {
		if s[i] == '`' {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	return longest
}

package format

import (
	"strings"

	"ambit/server/assemble"
)

// renderMarkdown gives each unit a heading and a fence.
func renderMarkdown(b *assemble.Bundle, p *places) string {
	var t strings.Builder
	t.WriteString("# Codebase context: " + code(query(b)) + "\n\n")
	t.WriteString(count(len(b.Sources), "source") + ", " + count(b.Tokens, "token") + "\n")
	block := func(title, text string) {
		if text != "" {
			t.WriteString("\n## " + title + "\n\n" + fenced("text", text))
		}
	}
	if b.StructureFirst {
		block("Structure", structure(b))
	}
	for i := range b.Sources {
		s := &b.Sources[i]
		t.WriteByte('\n')
		p.begin(&t)
		if !bare(b) {
			t.WriteString("## " + code(identifier(s.Identifier)) + " (" + kind(s) + ")\n\n")
			t.WriteString(code(location(s)) + details(b, s) + "\n\n")
		}
		t.WriteString(fenced(s.Language, s.Text))
		p.finish(&t)
	}
	if !b.StructureFirst {
		block("Structure", structure(b))
	}
	block("Dependencies", dependencies(b))
	return t.String()
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

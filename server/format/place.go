package format

import (
	"strings"

	"ambit/server/assemble"
)

// places are where the units of a bundle stand in its text, as half-open ranges of
// bytes. Nil remembers nothing.
type places struct {
	start, end []int
}

// begin says that the next unit begins here.
func (p *places) begin(t *strings.Builder) {
	if p != nil {
		p.start = append(p.start, t.Len())
	}
}

// finish says that it ends here.
func (p *places) finish(t *strings.Builder) {
	if p != nil {
		p.end = append(p.end, t.Len())
	}
}

// shift says that the text came to stand so many bytes further on.
func (p *places) shift(bytes int) {
	if p == nil {
		return
	}
	for i := range p.start {
		p.start[i] += bytes
		p.end[i] += bytes
	}
}

// textLines returns the lines of each source of b in its text, heading and mark-up
// included, 1-based and inclusive; nil when b has no text.
func textLines(b *assemble.Bundle) [][2]int {
	style, err := Parse(b.Format)
	if err != nil || b.Text == "" {
		return nil
	}
	var p places
	t := text(b, style, &p)
	lines := make([][2]int, len(p.start))
	line, at := 1, 0
	move := func(to int) int { // the units stand in order
		line += strings.Count(t[at:to], "\n")
		at = to
		return line
	}
	for i := range p.start {
		lines[i] = [2]int{move(p.start[i]), move(p.end[i]) - 1}
	}
	return lines
}

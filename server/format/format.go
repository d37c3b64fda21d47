// Package format spells a bundle: as XML, Markdown, plain text, a page for people
// or JSON.
//
// Source stands in a text as the bundle has it, unescaped, and cannot forge the
// boundaries around it: a fence is longer than any in the source, a tag or a
// separator that occurs in it is replaced by one that does not. Everything else,
// identifiers, paths, the question, is brought onto one line and escaped. The texts
// are data only.
//
// The package never chooses, drops or reorders, and reads nothing but the bundle.
package format

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"ambit/server/assemble"
)

// Style is a spelling.
type Style int

// The styles. The zero value is what agents get that ask for nothing.
const (
	Plain Style = iota
	XML
	Markdown
	Human
	HumanColour // Human for a terminal; chosen by the caller, without a name of its own
	JSON
)

// names lists what Parse knows, the first name of a style being its own.
var names = []struct {
	name  string
	style Style
}{
	{"plain", Plain}, {"generic", Plain},
	{"xml", XML}, {"claude", XML},
	{"markdown", Markdown}, {"gpt", Markdown},
	{"human", Human},
	{"json", JSON},
}

// Parse returns the style of that name or alias. An unknown name is an error that
// lists the known ones.
func Parse(name string) (Style, error) {
	known := make([]string, 0, len(names))
	for _, n := range names {
		if n.name == name {
			return n.style, nil
		}
		known = append(known, n.name)
	}
	return 0, fmt.Errorf("unknown format %q; use one of %s", name, strings.Join(known, ", "))
}

// String returns the name of the style.
func (s Style) String() string {
	if s == HumanColour {
		s = Human
	}
	for _, n := range names {
		if n.style == s {
			return n.name
		}
	}
	return "Style(" + strconv.Itoa(int(s)) + ")"
}

// colourStyle is what [assemble.Cost] calls HumanColour.
const colourStyle = "human-colour"

// Cost returns how a style spells a bundle, for [assemble.Request]. The text that
// JSON carries, and to which the budget applies, is the plain one.
func Cost(s Style) assemble.Cost {
	if s == JSON {
		s = Plain
	}
	name := s.String()
	if s == HumanColour {
		name = colourStyle
	}
	return assemble.Cost{Format: s.String(), Style: name, Render: func(b *assemble.Bundle) string { return text(b, s, nil) }}
}

// CostOf returns the Cost that has a name for its Style, in this process or another of
// the same build.
func CostOf(style string) (assemble.Cost, error) {
	if style == colourStyle {
		return Cost(HumanColour), nil
	}
	s, err := Parse(style)
	return Cost(s), err
}

// Render writes b as style s spells it. JSON is one line and counts columns in
// UTF-16; see [NewAnswer] for other encodings. It returns the errors of w.
func Render(w io.Writer, b *assemble.Bundle, s Style) error {
	if s == JSON {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		return e.Encode(NewAnswer(b, nil))
	}
	_, err := io.WriteString(w, text(b, s, nil))
	return err
}

// text returns b as s spells it, and tells p where the units stand.
func text(b *assemble.Bundle, s Style, p *places) string {
	switch s {
	case XML:
		return renderXML(b, p)
	case Markdown:
		return renderMarkdown(b, p)
	case Human, HumanColour:
		return renderHuman(b, s == HumanColour, p)
	default:
		return renderPlain(b, p)
	}
}

// What a label may take in a text, in bytes.
const (
	maxQuery      = 240
	maxIdentifier = 160
)

func query(b *assemble.Bundle) string { return assemble.OneLine(b.Query, maxQuery) }

func identifier(s string) string { return assemble.OneLine(s, maxIdentifier) }

// kind returns the kind of s as a word.
func kind(s *assemble.Source) string { return identifier(string(s.Kind)) }

// lines returns the lines of the whole unit, "12-40" or "12".
func lines(s *assemble.Source) string {
	if s.Lines.First == s.Lines.Last {
		return strconv.Itoa(s.Lines.First)
	}
	return strconv.Itoa(s.Lines.First) + "-" + strconv.Itoa(s.Lines.Last)
}

func location(s *assemble.Source) string { return assemble.SafePath(s.Path) + ":" + lines(s) }

func relevance(s *assemble.Source) string { return strconv.FormatFloat(s.Relevance, 'f', 2, 64) }

// details returns what stands behind the location of s when there is room for all
// that is known of it, "" else: ", relevance 0.50, hot".
func details(b *assemble.Bundle, s *assemble.Source) string {
	if !full(b) {
		return ""
	}
	text := ", relevance " + relevance(s)
	if f := frequency(s); f != "unknown" {
		text += ", " + f
	}
	return text
}

// full reports whether all that is known of a unit stands beside it.
func full(b *assemble.Bundle) bool { return b.Context == assemble.ContextFull || b.Context == "" }

// bare reports whether nothing stands beside the code.
func bare(b *assemble.Bundle) bool { return b.Context == assemble.ContextNone }

// frequency returns how often the file of s changes, "unknown" without a history.
func frequency(s *assemble.Source) string {
	if s.Frequency == "" {
		return "unknown"
	}
	return identifier(string(s.Frequency))
}

// count returns n with its unit, "1 source" or "1,200 tokens".
func count(n int, unit string) string {
	if n != 1 {
		unit += "s"
	}
	return assemble.Thousands(n) + " " + unit
}

// structure returns the outlines, a file on a line and its units indented.
func structure(b *assemble.Bundle) string {
	var t strings.Builder
	for i := range b.Structure {
		o := &b.Structure[i]
		t.WriteString(assemble.SafePath(o.Path) + " (" + count(o.Lines, "line") + ")\n")
		for _, u := range o.Units {
			t.WriteString("  " + u + "\n")
		}
		if o.More > 0 {
			t.WriteString("  … " + assemble.Thousands(o.More) + " more\n")
		}
	}
	return t.String()
}

// dependencies returns the arrows, one line for each unit they start from, in the
// order of its first: "CheckoutService → Order (creates), PaymentGateway (calls)".
func dependencies(b *assemble.Bundle) string {
	var order []string
	to := make(map[string][]string)
	for i := range b.Dependencies {
		d := &b.Dependencies[i]
		from := identifier(d.From)
		if to[from] == nil {
			order = append(order, from)
		}
		to[from] = append(to[from], identifier(d.To)+" ("+string(d.Kind)+")")
	}
	var t strings.Builder
	for _, from := range order {
		t.WriteString(from + " → " + strings.Join(to[from], ", ") + "\n")
	}
	return t.String()
}

// ruler returns a run of c, three or more, that is longer than any with which a line
// of the texts starts as a separator does, a run of three or more and a blank.
func ruler(c rune, texts ...string) string {
	n := 3
	for _, t := range texts {
		start, run := true, 0
		for _, r := range t {
			switch {
			case r == c && start:
				run++
				continue
			case r == ' ' && run >= n:
				n = run + 1
			}
			run = 0
			start = lineEnd(r) || start && (r == ' ' || r == '\t')
		}
	}
	return strings.Repeat(string(c), n)
}

// lineEnd reports whether a reader might begin a new line after r.
func lineEnd(r rune) bool {
	switch r {
	case '\n', '\r', '\v', '\f', '\u0085', '\u2028', '\u2029':
		return true
	}
	return false
}

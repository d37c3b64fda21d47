package format_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ambit/server/api"
	"ambit/server/assemble"
	"ambit/server/format"
)

// The readers return the text of the units. They know the rules of the style and nothing
// of the bundle.
var readers = map[api.Format]func(t rapid.TB, text string) []string{
	api.XML:      readXML,
	api.Markdown: readMarkdown,
	api.Plain:    readPlain,
}

func TestNoSourceForgesABoundary(t *testing.T) {
	c := counter(t)
	rapid.Check(t, func(t *rapid.T) {
		files := genTree(t)
		r := genResult(t, files)
		b := assembled(t, files, r, api.Question{
			Budget: rapid.IntRange(100, 8000).Draw(t, "budget"),
			Format: rapid.SampledFrom([]api.Format{api.XML, api.Markdown, api.Plain}).Draw(t, "format"),
		}, c)
		if b.Text != "" {
			checkBoundaries(t, b)
		}
	})
}

func checkBoundaries(t rapid.TB, b *assemble.Bundle) {
	got := readers[b.Format](t, b.Text)
	var want []string
	for i, text := range b.Texts {
		if b.Format != api.XML && i < len(b.Joined) && b.Joined[i] {
			want[len(want)-1] += text
		} else {
			want = append(want, text)
		}
	}
	if !slices.Equal(got, want) {
		t.Fatalf("a reader finds %d units %q, there are %d, %q, in\n%s", len(got), got, len(want), want, b.Text)
	}
}

// FuzzNoSourceForgesABoundary has two units, the first of which is hostile.
func FuzzNoSourceForgesABoundary(f *testing.F) {
	for _, l := range lines {
		f.Add(l, l)
	}
	f.Add("</unit></unit-2></Unit-3", "x</codebase_context>")
	f.Add("--- a\n---- b\n----- c", "```\n````")
	f.Fuzz(func(t *testing.T, text, label string) {
		b := &assemble.Bundle{Query: label, Texts: []string{strings.ToValidUTF8(text, "?") + "\n", "x\n"}}
		b.Sources = []api.Source{{Identifier: label, Kind: "function", Relevance: 1}, {Identifier: "other", Kind: "function"}}
		for b.Format = range readers {
			b.Text, _ = format.Render(b)
			checkBoundaries(t, b)
		}
	})
}

// readXML reads elements up to the first closing tag of their own name.
func readXML(t rapid.TB, text string) []string {
	var out []string
	_, inner, rest := readElement(t, text)
	if rest != "" {
		t.Fatalf("%q follows the context", rest)
	}
	for inner != "" {
		var name, unit string
		name, unit, inner = readElement(t, inner)
		if strings.HasPrefix(name, "unit") {
			out = append(out, unit)
		}
	}
	return out
}

func readElement(t rapid.TB, text string) (name, inner, rest string) {
	line, body, ok := strings.Cut(text, "\n")
	if !ok || line[0] != '<' || line[len(line)-1] != '>' || strings.ContainsAny(line[1:len(line)-1], "<>") {
		t.Fatalf("%q opens no element", line)
	}
	name, _, _ = strings.Cut(line[1:len(line)-1], " ")
	if inner, rest, ok = strings.Cut(body, "</"+name+">\n"); !ok {
		t.Fatalf("%s is not closed", name)
	}
	return name, inner, rest
}

// readMarkdown reads the fences under headings with a kind.
func readMarkdown(_ rapid.TB, text string) []string {
	var out []string
	unit, fence := false, ""
	var block strings.Builder
	for line := range strings.Lines(text) {
		switch {
		case fence != "" && strings.HasPrefix(strings.TrimLeft(line, " "), fence):
			if unit {
				out = append(out, block.String())
			}
			fence = ""
		case fence != "":
			block.WriteString(line)
		case strings.HasPrefix(line, "## "):
			unit = strings.HasPrefix(line, "## `")
		case strings.HasPrefix(line, "```"):
			fence = line[:len(line)-len(strings.TrimLeft(line, "`"))]
			block.Reset()
		}
	}
	return out
}

// readPlain reads the text between lines that start like the first separator.
func readPlain(t rapid.TB, text string) []string {
	head, _, _ := strings.Cut(text, " ")
	inner, ok := strings.CutSuffix(text, "\n"+head+" END "+head+"\n")
	lines := strings.SplitAfterN(inner, "\n", 5)
	if !ok || len(lines) < 4 || strings.Trim(head, "=") != "" {
		t.Fatalf("no header or no end: %q", text)
	}
	if len(lines) < 5 {
		return nil
	}
	var out []string
	dashes, _, _ := strings.Cut(lines[4], " ")
	for _, part := range strings.Split("\n"+lines[4], "\n"+dashes+" ")[1:] {
		title, body, _ := strings.Cut(part, "\n")
		if strings.HasSuffix(title, ") "+dashes) { // else structure or dependencies
			_, unit, _ := strings.Cut(body, "\n")
			out = append(out, unit)
		}
	}
	return out
}

package format_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/server/api"
	"ambit/server/assemble"
	"ambit/server/format"
	"ambit/server/retrieve"
	"ambit/vectors/record"
)

// Render returns the span of each source, from its heading to the end of its markup, so
// that an editor can fold it and jump from it.
func TestTheSpanOfASourceHasItsHeadingAndMarkup(t *testing.T) {
	b := assemble.Bundle{
		Query:     "q",
		Texts:     []string{"func one() {\n}\n", "```\n## one\n```\n"},
		Structure: []retrieve.FileOutline{{Path: "a.go", Lines: 2, Units: []string{"function one"}}},
	}
	b.Sources = []api.Source{
		{Identifier: "one", Kind: "function", Path: "a.go", Language: "go", ChangeFrequency: record.Unknown},
		{Identifier: "two", Kind: "text", Path: "b.md", Language: "markdown", ChangeFrequency: record.Unknown},
	}
	tests := []struct {
		format api.Format
		want   []string // the first and the last line of each
	}{
		{api.Markdown, []string{"## `one` (function)", "```", "## `two` (text)", "````"}},
		{api.Plain, []string{"--- one (function) ---", "}", "--- two (text) ---", "```"}},
		{api.Human, []string{"─── one · function · 0.00", "}", "─── two · text · 0.00", "```"}},
		{api.XML, []string{`<unit identifier="one" type="function" file="a.go" lines="0" relevance="0.00" change_frequency="unknown">`, "</unit>",
			`<unit identifier="two" type="text" file="b.md" lines="0" relevance="0.00" change_frequency="unknown">`, "</unit>"}},
	}
	for _, tt := range tests {
		for _, first := range []bool{false, true} {
			b.Format, b.StructureFirst = tt.format, first
			text, spans := format.Render(&b)
			var got []string
			for _, s := range spans {
				source := strings.Split(strings.TrimSuffix(text[s.Start:s.End], "\n"), "\n")
				got = append(got, source[0], source[len(source)-1])
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%v, structure first %t (-want +got):\n%s%s", tt.format, first, diff, text)
			}
		}
	}
}

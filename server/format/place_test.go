package format_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/server/assemble"
	"ambit/server/format"
)

// An answer says where each source stands in its text: from its heading to the end of
// its mark-up, so that an editor can fold it and jump from it.
func TestAnAnswerSaysWhereItsSourcesStandInItsText(t *testing.T) {
	sources := []assemble.Source{
		{Identifier: "one", Kind: "function", Path: "a.go", Language: "go", Text: "func one() {\n}\n"},
		{Identifier: "two", Kind: "text", Path: "b.md", Language: "markdown", Text: "```\n## one\n```\n"},
	}
	tests := []struct {
		style format.Style
		want  []string // the first and the last line of each
	}{
		{format.Markdown, []string{"## `one` (function)", "```", "## `two` (text)", "````"}},
		{format.Plain, []string{"--- one (function) ---", "}", "--- two (text) ---", "```"}},
		{format.Human, []string{"─── one · function · 0.00", "}", "─── two · text · 0.00", "```"}},
		{format.XML, []string{`<unit identifier="one" type="function" file="a.go" lines="0" relevance="0.00" change_frequency="unknown">`, "</unit>",
			`<unit identifier="two" type="text" file="b.md" lines="0" relevance="0.00" change_frequency="unknown">`, "</unit>"}},
	}
	for _, tt := range tests {
		for _, first := range []bool{false, true} {
			b := &assemble.Bundle{
				Query: "q", Format: tt.style.String(), Sources: sources, StructureFirst: first,
				Structure: []assemble.Outline{{Path: "a.go", Lines: 2, Units: []string{"function one"}}},
			}
			b.Text = format.Cost(tt.style).Render(b)
			lines := strings.Split(b.Text, "\n")
			var got []string
			for _, s := range format.NewAnswer(b, nil).Sources {
				got = append(got, lines[s.TextLines[0]-1], lines[s.TextLines[1]-1])
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%v, structure first %t (-want +got):\n%s%s", tt.style, first, diff, b.Text)
			}
		}
	}
}

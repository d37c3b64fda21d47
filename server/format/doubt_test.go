package format_test

import (
	"strings"
	"testing"

	"ambit/server/api"
	"ambit/server/assemble"
	"ambit/server/format"
)

// An answer to a question in words says so when no source of it is likely to be right.
func TestAnAnswerWithoutALikelySourceSaysSo(t *testing.T) {
	const note = "the workspace may not answer this: the best source has relevance 0.17"
	for _, f := range []api.Format{api.Plain, api.XML, api.Markdown, api.Human} {
		b := assemble.Bundle{Query: "okapi", Texts: []string{"x\n", "y\n"}}
		b.Format = f
		b.Sources = []api.Source{{Identifier: "a", Kind: "function", Relevance: 0.17}, {Identifier: "b", Kind: "function", Relevance: 0.04}}
		if text, _ := format.Render(&b); strings.Count(text, note) != 1 {
			t.Errorf("%s lacks the note:\n%s", f, text)
		}
		b.Sources[0].Relevance = 0.8
		likely, _ := format.Render(&b)
		b.Sources[0].Relevance, b.Symbol = 0.17, &api.Symbol{Name: "a"}
		if cursor, _ := format.Render(&b); strings.Contains(likely+cursor, "may not answer") {
			t.Errorf("%s has the note also for a likely source or at a cursor:\n%s\n%s", f, likely, cursor)
		}
	}
}

package languages_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

func TestProseBlocksAreParagraphsAndHeadings(t *testing.T) {
	for _, tt := range []struct {
		name, path, text string
		want             []string
	}{
		{"text", "a.txt", "a\nb\n \t\nc", []string{`paragraph "a\nb\n"`, `paragraph "c"`}},
		{"text has no headings", "a.txt", "A\n===\n", []string{`paragraph "A\n===\n"`}},
		{"reStructuredText", "a.rst", "===\nTop\n===\n\nPart\n====\ntext\n\nSub\n---\n\nPart 2\n======\n", []string{
			`heading 1 (Top) "===\nTop\n===\n"`, `heading 2 (Part) "Part\n====\n"`, `paragraph "text\n"`, `heading 3 (Sub) "Sub\n---\n"`, `heading 2 (Part 2) "Part 2\n======\n"`}},
		{"a rule is no heading", "a.rst", "a\n\n----\n\nb\n", []string{`paragraph "a\n"`, `paragraph "----\n"`, `paragraph "b\n"`}},
		{"AsciiDoc", "a.adoc", "= A\n\n== B\ntext\n", []string{`heading 1 (A) "= A\n"`, `heading 2 (B) "== B\n"`, `paragraph "text\n"`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, blocks(languages.Parse(record.Path(tt.path), []byte(tt.text)))); diff != "" {
				t.Errorf("blocks (-want +got):\n%s", diff)
			}
		})
	}
}

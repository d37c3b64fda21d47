package languages_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// blocks spells the blocks of a document, one a line: kind, level and text.
func blocks(o languages.Outline) []string {
	names := map[languages.BlockKind]string{
		languages.BlockParagraph: "paragraph", languages.BlockHeading: "heading", languages.BlockFence: "fence", languages.BlockTable: "table",
		languages.BlockList: "list", languages.BlockQuote: "quote", languages.BlockHTML: "html", languages.BlockRule: "rule", languages.BlockFrontMatter: "front matter",
	}
	var out []string
	for _, b := range o.Doc.Blocks {
		s := names[b.Kind]
		if b.Level > 0 {
			s += fmt.Sprint(" ", b.Level)
		}
		if b.Text != "" {
			s += fmt.Sprintf(" (%s)", b.Text)
		}
		s += fmt.Sprintf(" %q", o.Content[b.Span.Start:b.Span.End])
		for _, p := range b.Parts {
			s += fmt.Sprintf(" + %q", o.Content[p.Start:p.End])
		}
		out = append(out, s)
	}
	return out
}

func TestMarkdownBlocksAreWholeLines(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"headings of both kinds", "# A `b` *c* #\n\nText\n====\n", []string{`heading 1 (A b c) "# A ` + "`b`" + ` *c* #\n"`, `heading 1 (Text) "Text\n====\n"`}},
		{"a heading with a link and an id", "## See [the page](x.md) {#id}\n", []string{`heading 2 (See the page) "## See [the page](x.md) {#id}\n"`}},
		{"a fence with blank lines", "a\n\n```go x\n\nb\n\n```\n\nc", []string{`paragraph "a\n"`, `fence (go x) "` + "```go x" + `\n\nb\n\n` + "```" + `\n"`, `paragraph "c"`}},
		{"an open fence", "~~~\nb\n", []string{`fence "~~~\nb\n"`}},
		{"indented code", "a\n\n    b\n\n    c\n", []string{`paragraph "a\n"`, `fence "    b\n\n    c\n"`}},
		{"a list with its items", "- a\n  - b\n- c\n\n  d\n\ne\n", []string{`list "- a\n  - b\n- c\n\n  d\n" + "- a\n  - b\n" + "- c\n\n  d\n"`, `paragraph "e\n"`}},
		{"a table after a line of text", "a\n| b | c |\n|---|:-:|\n| 1 | 2 |\n\nd\n", []string{`paragraph "a\n"`, `table "| b | c |\n|---|:-:|\n| 1 | 2 |\n" + "| b | c |\n|---|:-:|\n" + "| 1 | 2 |\n"`, `paragraph "d\n"`}},
		{"what is no table", "a | b\n---|---|---\n", []string{`paragraph "a | b\n---|---|---\n"`}},
		{"a quote, a rule and HTML", "> a\n\n---\n\n<div>\nb\n</div>\n", []string{`quote "> a\n"`, `rule "---\n"`, `html "<div>\nb\n</div>\n"`}},
		{"front matter", "---\ntitle: A\n---\nb\n", []string{`front matter "---\ntitle: A\n---\n"`, `paragraph "b\n"`}},
		{"line ends of Windows", "# A\r\n\r\nb\r\n", []string{`heading 1 (A) "# A\r\n"`, `paragraph "b\r\n"`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, blocks(languages.Parse("a.md", []byte(tt.text)))); diff != "" {
				t.Errorf("blocks (-want +got):\n%s", diff)
			}
		})
	}
}

func TestMarkdownFencesAreFoundAtAnyDepth(t *testing.T) {
	text := "- a\n\n  ```\n  b\n  ```\n\n> ~~~\n> c\n> ~~~\n"
	o := languages.Parse("a.md", []byte(text))
	var got []string
	for _, f := range o.Doc.Fences {
		got = append(got, text[f.Start:f.End])
	}
	if diff := cmp.Diff([]string{"  ```\n  b\n  ```\n", "> ~~~\n> c\n> ~~~\n"}, got); diff != "" {
		t.Errorf("fences (-want +got):\n%s", diff)
	}
}

func TestMarkdownHeadingsAreNestedSections(t *testing.T) {
	text := "# A\n\n## B\nb\n\n### C\n\n## D\nd\n"
	o := languages.Parse("a.md", []byte(text))
	var got []string
	for _, d := range o.Decls {
		got = append(got, fmt.Sprintf("%s in %d: %q, header %q", d.Name, d.Parent, text[d.Span.Start:d.Span.End], text[d.Header.Start:d.Header.End]))
	}
	want := []string{
		`A in -1: "# A\n\n## B\nb\n\n### C\n\n## D\nd\n", header "# A"`,
		`B in 0: "## B\nb\n\n### C\n\n", header "## B"`,
		`C in 1: "### C\n\n", header "### C"`,
		`D in 0: "## D\nd\n", header "## D"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sections (-want +got):\n%s", diff)
	}
	if o.Doc.Title != "A" {
		t.Errorf("Title = %q, want A", o.Doc.Title)
	}
}

func TestMarkdownInlineCodeMentionsNames(t *testing.T) {
	text := "# A\n\n`Command.Execute`, `foo()`, ``a::b->call(1)``, `x`, `--flag`, `two words`, `&Type`, `a.b.`, `pkg#Method`.\n\n```\n`Inside`\n```\n"
	o := languages.Parse("a.md", []byte(text))
	var got []string
	for _, r := range o.Refs {
		if r.Kind != record.EdgeMentions || r.Decl != 0 || text[r.Span.Start:r.Span.End] != r.Name {
			t.Errorf("ref %+v is no mention of %q in the section", r, r.Name)
		}
		got = append(got, r.Receiver+"|"+r.Name)
	}
	if diff := cmp.Diff([]string{"Command|Execute", "|foo", "a.b|call", "|Type", "pkg|Method"}, got); diff != "" {
		t.Errorf("mentions (-want +got):\n%s", diff)
	}
}

func TestMarkdownLinksAreResolved(t *testing.T) {
	text := "[a](../x.go#L3) [b](<y z.md> \"title\") [c][Ref] [ref] ![d](/img/e.png) <https://f.org/x> [g](#here) [h](../../out.md) [i](mailto:j@k)\n\n[ref]: ./sub/k.md 'title'\n"
	o := languages.Parse("docs/a.md", []byte(text))
	var got []string
	for _, l := range o.Doc.Links {
		got = append(got, fmt.Sprintf("%s → %s#%s", l.Target, l.Path, l.Anchor))
	}
	want := []string{
		"../x.go#L3 → x.go#L3", "y z.md → docs/y z.md#", "./sub/k.md → docs/sub/k.md#", "./sub/k.md → docs/sub/k.md#", "/img/e.png → img/e.png#",
		"https://f.org/x → #", "#here → docs/a.md#here", "../../out.md → #", "mailto:j@k → #",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
	if len(o.Imports) != 5 || o.Imports[0] != (record.Import{Path: "x.go", Name: "L3", Line: 1}) {
		t.Errorf("Imports = %+v, want the five links into other files", o.Imports)
	}
}

func TestMarkdownCodeRefsArePlacesInCode(t *testing.T) {
	text := "See cmd/main.go:12-20, main.go:7, at 12:30, localhost:8080, https://h.org:80 and a/b:3.\n"
	var got []string
	for _, r := range languages.Parse("a.md", []byte(text)).Doc.CodeRefs {
		got = append(got, r.Text)
	}
	if diff := cmp.Diff([]string{"cmd/main.go:12-20", "main.go:7", "a/b:3"}, got); diff != "" {
		t.Errorf("code references (-want +got):\n%s", diff)
	}
}

func TestFrontMatterIsReadAsFarAsItIsKnown(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       languages.Document
	}{
		{"YAML", "---\ntitle: \"A: b\"\ntags:\n  - x\n  - 2\nlayer: core\nupdated_at: 2024-05-06\nother: {a: [b]}\n---\n", languages.Document{Title: "A: b", Tags: []string{"x", "2"}, Layer: "core", UpdatedAt: "2024-05-06"}},
		{"YAML with one key", "---\ntags: x, y\n...\n", languages.Document{Tags: []string{"x", "y"}}},
		{"TOML", "+++\ntitle = 'A'\ntags = ['x']\nupdated_at = 2024-05-06T07:08:09Z\n+++\n", languages.Document{Title: "A", Tags: []string{"x"}, UpdatedAt: "2024-05-06T07:08:09Z"}},
		{"aliases are not followed", "---\na: &a A\ntitle: *a\n---\n", languages.Document{}},
		{"broken", "---\ntitle: [\n---\n", languages.Document{}},
		{"a list", "---\n- a\n---\n", languages.Document{}},
		{"never closed", "---\ntitle: A\n", languages.Document{}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			doc := languages.Parse("a.md", []byte(tt.text)).Doc
			got := languages.Document{Title: doc.Title, Tags: doc.Tags, Layer: doc.Layer, UpdatedAt: doc.UpdatedAt}
			if tt.name == "never closed" || tt.name == "a list" {
				got.Title = "" // Markdown reads a heading
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("front matter (-want +got):\n%s", diff)
			}
		})
	}
}

func FuzzDocumentsAreInOrder(f *testing.F) {
	f.Add("a.md", "---\ntitle: x\n---\n# A\n- a\n  - b\n\n| a |\n|---|\n| b |\n\n> ```go\n> x\n> ```\n[a]: b\n`C.d()` [x][a] a.go:1\n")
	f.Add("a.rst", "===\nA\n===\n\nB\n---\n`c`\n")
	f.Add("a.adoc", "= A\n\n== B\n")
	f.Fuzz(func(t *testing.T, path, text string) {
		o := languages.Parse(record.Path(path), []byte(text))
		if o.Doc == nil {
			return
		}
		end := 0
		for _, b := range o.Doc.Blocks {
			if b.Span.Start < end || b.Span.End <= b.Span.Start || b.Span.End > len(text) {
				t.Fatalf("block %v does not follow byte %d of %d", b.Span, end, len(text))
			}
			end = b.Span.Start
			for _, p := range b.Parts {
				if p.Start < end || p.End <= p.Start || p.End > b.Span.End {
					t.Fatalf("part %v of block %v does not follow byte %d", p, b.Span, end)
				}
				end = p.End
			}
			end = b.Span.End
		}
		end = 0
		for _, s := range o.Doc.Fences {
			if s.Start < end || s.End <= s.Start || s.End > len(text) {
				t.Fatalf("fence %v does not follow byte %d", s, end)
			}
			end = s.End
		}
		for i, d := range o.Decls {
			if d.Parent >= i || d.Span.End > len(text) || d.Span.Start > d.Span.End || i > 0 && d.Span.Start < o.Decls[i-1].Span.Start {
				t.Fatalf("section %d is out of order: %+v", i, d)
			}
		}
		for _, r := range o.Refs {
			if text[r.Span.Start:r.Span.End] != r.Name {
				t.Fatalf("mention of %q stands on %q", r.Name, text[r.Span.Start:r.Span.End])
			}
		}
	})
}

func BenchmarkParseMarkdown(b *testing.B) {
	content := []byte(strings.Repeat("## Part\n\nSome words with `Code.span()` and a [link](x.md), see a.go:12.\n\n- one\n- two\n\n```go\nfunc F() {}\n```\n\n", 10000))
	b.SetBytes(int64(len(content)))
	b.ReportAllocs()
	for b.Loop() {
		languages.Parse("a.md", content)
	}
}

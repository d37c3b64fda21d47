package chunk_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"ambit/indexer/chunk"
	"ambit/indexer/golden"
	"ambit/vectors/record"
	"ambit/vectors/storetest"
)

// TestGoldenCases runs the cases of testdata/chunk. Flags: "embedding" shows prefixes
// and suffixes, "meta" the metadata of documents, "text" the first and the last line of
// each chunk, "textonly", "mode=…", "max=…" and "overlap=…" set options.
func TestGoldenCases(t *testing.T) {
	golden.Run(t, "../../testdata/chunk", func(t *testing.T, in golden.Input) string {
		opt, show := options(t, in.Flags)
		var b strings.Builder
		for _, f := range in.Files {
			chunks := split(f.Path, string(f.Content), opt)
			checkCover(t, f.Content, chunks)
			for i := range chunks {
				write(&b, &chunks[i], f.Content, show)
			}
		}
		return b.String()
	})
}

func options(t *testing.T, flags string) (opt chunk.Options, show map[string]bool) {
	show = map[string]bool{}
	for _, f := range strings.Fields(flags) {
		key, value, _ := strings.Cut(f, "=")
		n, _ := strconv.Atoi(value)
		switch key {
		case "mode":
			opt.ContextMode = chunk.ContextMode(value)
		case "max":
			opt.MaxTokens = n
		case "overlap":
			opt.OverlapTokens = n
		case "textonly":
			opt.TextOnly = true
		case "embedding", "meta", "text":
			show[key] = true
		default:
			t.Fatalf("unknown flag %q", f)
		}
	}
	return opt, show
}

func write(b *strings.Builder, c *record.Chunk, content []byte, show map[string]bool) {
	fmt.Fprintf(b, "%d-%d", c.Lines.First, c.Lines.Last)
	for _, p := range c.Also {
		fmt.Fprintf(b, ",%d-%d", p.Lines.First, p.Lines.Last)
	}
	fmt.Fprintf(b, " %s", c.Kind)
	if c.Unit != "" {
		fmt.Fprintf(b, " %s", c.Unit)
	}
	if c.Section != "" {
		fmt.Fprintf(b, "#%s", c.Section)
	}
	if c.IsSummary {
		b.WriteString(" (beside)")
	}
	fmt.Fprintf(b, ", %d tokens", c.Tokens)
	if len(c.Defines) > 0 && (len(c.Defines) > 1 || c.Defines[0] != c.Unit) {
		fmt.Fprintf(b, ", defines %s", strings.Join(c.Defines, " "))
	}
	b.WriteByte('\n')
	if show["embedding"] {
		indented(b, "prefix", c.Prefix)
		indented(b, "suffix", c.Suffix)
	}
	if d := c.Doc; d != nil && show["meta"] {
		fmt.Fprintf(b, "  meta %d of %d, title %q, level %d, headings %q, tags %q, layer %q, updated %q, code %q, links %q\n",
			d.Index, d.Total, d.Title, d.Level, d.Headings, d.Tags, d.Layer, d.UpdatedAt, d.CodeRefs, d.Links)
	}
	if show["text"] {
		lines := strings.Split(strings.TrimRight(string(c.Text(content)), "\n"), "\n")
		fmt.Fprintf(b, "  from %q\n", lines[0])
		if n := len(lines) - 1; n > 0 {
			fmt.Fprintf(b, "  to   %q\n", lines[n])
		}
	}
}

func indented(b *strings.Builder, name, text string) {
	for line := range strings.Lines(text) {
		fmt.Fprintf(b, "  %s %s\n", name, strings.TrimRight(line, "\n"))
	}
}

// checkCover checks the promise of the package.
func checkCover(t *testing.T, content []byte, chunks []record.Chunk) {
	t.Helper()
	for _, c := range chunks {
		if c.IsSummary && (c.Span.Start < 0 || c.Span.End > len(content) || c.Span.Start >= c.Span.End) {
			t.Fatalf("summary %v lies outside of %d bytes", c.Span, len(content))
		}
	}
	if err := storetest.CheckCover(chunks, len(content)); err != nil {
		t.Fatal(err)
	}
}

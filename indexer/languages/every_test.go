package languages_test

import (
	"path"
	"testing"

	"ambit/indexer/chunk"
	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// FuzzEveryLanguage holds for all languages: any bytes give an outline and chunks inside of
// the file, and the parses do not do more work than the size of the file allows.
func FuzzEveryLanguage(f *testing.F) {
	for p, text := range wellFormed(f) {
		if len(text) <= maxFuzzed {
			f.Add(path.Base(string(p)), text)
		}
	}
	f.Fuzz(func(t *testing.T, name string, content []byte) {
		if len(content) > maxFuzzed {
			t.Skip() // the benchmark of hostile input has large files
		}
		p := record.Path(name)
		// A parse ends at the first step beyond the bound.
		const step = 1_000_000
		if done, most := languages.Work(p, content); done > most+step {
			t.Fatalf("work %d, want %d at most", done, most)
		}
		o := languages.Parse(p, content)
		if err := checkOutline(&o); err != nil {
			t.Fatal(err)
		}
		end := 0
		for _, c := range chunk.Split(&o, chunk.Options{}) {
			switch {
			case c.Span.Start < 0 || c.Span.End < c.Span.Start || c.Span.End > len(content):
				t.Fatalf("chunk %v is outside of %d bytes", c.Span, len(content))
			case c.IsSummary:
			case c.Span.Start != end:
				t.Fatalf("chunk %v does not continue at byte %d", c.Span, end)
			default:
				end = c.Span.End
			}
		}
		if end != len(content) {
			t.Fatalf("the chunks end at byte %d of %d", end, len(content))
		}
	})
}

// maxFuzzed is the largest text that a fuzz target parses.
const maxFuzzed = 1 << 14

package chunk_test

import (
	"fmt"
	"strings"
	"testing"

	"ambit/indexer/chunk"
	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// source returns about a megabyte of code or Markdown.
func source(path string) []byte {
	var b strings.Builder
	for i := 0; b.Len() < 1<<20; i++ {
		if strings.HasSuffix(path, ".md") {
			fmt.Fprintf(&b, "## Part %d\n\nThe words of part %d, see `Name%d`.\n\n```go\n%s```\n\n", i, i, i, function("F", 100))
		} else {
			b.WriteString(function(fmt.Sprintf("F%d", i), 40+i%7*150))
		}
	}
	return []byte(b.String())
}

func BenchmarkSplit(b *testing.B) {
	for _, path := range []string{"a.go", "a.md", "a.txt"} {
		b.Run(fmt.Sprintf("%s/size=1MB", path), func(b *testing.B) {
			content := source(path)
			o := languages.Parse(record.Path(path), content)
			var nChunks, extra int
			b.SetBytes(int64(len(content)))
			b.ReportAllocs()
			for b.Loop() {
				nChunks, extra = 0, 0
				for _, c := range chunk.Split(&o, chunk.Options{}) {
					nChunks++
					extra += len(c.Prefix) + len(c.Suffix)
					if c.IsSummary {
						extra += c.Span.End - c.Span.Start
					}
				}
			}
			b.ReportMetric(float64(nChunks)*float64(b.N)/b.Elapsed().Seconds(), "chunks/s")
			b.ReportMetric(100*float64(extra)/float64(len(content)), "%growth")
		})
	}
}

func BenchmarkEstimateTokens(b *testing.B) {
	text := string(source("a.go"))
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		chunk.EstimateTokens(text)
	}
}

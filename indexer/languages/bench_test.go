package languages

import (
	"context"
	"os"
	"testing"
	"time"

	sitter "github.com/smacker/go-tree-sitter"
	"github.com/smacker/go-tree-sitter/golang"
)

// BenchmarkParse reads a Go file of this package. The metric "x-plain" is the time
// over that of tree-sitter's parse of the same bytes, measured in turns with it:
// the machine's mood is in both.
func BenchmarkParse(b *testing.B) {
	content, err := os.ReadFile("decls.go")
	if err != nil {
		b.Fatal(err)
	}
	parser := sitter.NewParser()
	parser.SetLanguage(golang.GetLanguage())
	var plain, whole time.Duration
	b.ReportAllocs()
	for b.Loop() {
		start := time.Now()
		tree, err := parser.ParseCtx(context.Background(), nil, content)
		if err != nil {
			b.Fatal(err)
		}
		tree.Close()
		middle := time.Now()
		Parse("decls.go", content)
		plain += middle.Sub(start)
		whole += time.Since(middle)
	}
	b.ReportMetric(float64(len(content))*float64(b.N)/whole.Seconds()/1e6, "MB/s")
	b.ReportMetric(whole.Seconds()/plain.Seconds(), "x-plain")
}

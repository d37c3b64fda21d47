package format_test

import (
	"context"
	"fmt"
	"testing"

	"ambit/server/api"
	"ambit/server/assemble"
	"ambit/server/format"
)

// BenchmarkAssemble chooses, counts exactly and renders.
func BenchmarkAssemble(b *testing.B) {
	c := counter(b)
	for _, n := range []int{10, 60, 200} {
		for _, style := range []api.Format{api.Plain, api.XML} {
			b.Run(fmt.Sprintf("candidates=%d/budget=8000/%v", n, style), func(b *testing.B) {
				files, r := sample(n)
				request := assemble.Request{Question: api.Question{Budget: 8000, Format: style}, Result: r, Render: format.Render}
				tokens := 0
				b.ReportAllocs()
				for b.Loop() {
					bundle, err := assemble.Assemble(context.Background(), files, c, request)
					if err != nil {
						b.Fatal(err)
					}
					tokens += bundle.Tokens
				}
				b.ReportMetric(float64(tokens)/b.Elapsed().Seconds(), "tokens/s")
				b.ReportMetric(float64(tokens)/float64(b.N), "tokens/answer")
			})
		}
	}
}

func BenchmarkRender(b *testing.B) {
	files, r := sample(60)
	for _, style := range formats {
		bundle := assembled(b, files, r, api.Question{Budget: 8000, Format: style}, counter(b))
		b.Run(fmt.Sprintf("tokens=8000/%v", style), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				format.Render(bundle)
			}
			b.ReportMetric(float64(bundle.Tokens)*float64(b.N)/b.Elapsed().Seconds(), "tokens/s")
		})
	}
}

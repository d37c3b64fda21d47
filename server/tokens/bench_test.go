package tokens_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	tiktoken "github.com/pkoukk/tiktoken-go"
	loader "github.com/pkoukk/tiktoken-go-loader"

	"ambit/server/tokens"
)

// goSource returns about n bytes of the standard library, or of one line when the
// Go installation has no source.
func goSource(b *testing.B, n int) string {
	files := standardLibrary(b)
	if len(files) == 0 {
		return strings.Repeat("func (c *Counter) Count(text string) int {\n\treturn 0\n}\n", n/55)
	}
	var text strings.Builder
	for i := 0; text.Len() < n; i = (i + 7) % len(files) {
		content, err := os.ReadFile(files[i])
		if err != nil {
			b.Fatal(err)
		}
		text.Write(content)
	}
	return text.String()
}

func BenchmarkCount(b *testing.B) {
	for _, name := range exact {
		c := newCounter(b, name)
		c.Load()
		benchmarkBytes(b, name+"/go", goSource(b, 4<<20), func(s string) { c.Count(s) })
		cache := c.Cache()
		benchmarkBytes(b, name+"/go/cache", goSource(b, 4<<20), func(s string) { cache.Count(s) })
		benchmarkBytes(b, name+"/go/tiktoken-go", goSource(b, 1<<20), func(s string) { oracles()[name].EncodeOrdinary(s) })
		benchmarkBytes(b, name+"/run=1MB", strings.Repeat("a", 1<<20), func(s string) { c.Count(s) })
		benchmarkBytes(b, name+"/han=1MB", strings.Repeat("中文字符，", 70_000), func(s string) { c.Count(s) })
		benchmarkBytes(b, name+"/invalid=1MB", strings.Repeat("\xff\xfe\x00\x01", 1<<18), func(s string) { c.Count(s) })
	}
}

func benchmarkBytes(b *testing.B, name, text string, count func(string)) {
	b.Run(name, func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			count(text)
		}
		b.ReportMetric(float64(len(text))*float64(b.N)/1e6/b.Elapsed().Seconds(), "MB/s")
	})
}

func BenchmarkLoad(b *testing.B) {
	oracles() // sets the offline loader
	for _, name := range exact {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			var nTokens, bytes int
			for b.Loop() {
				nTokens, bytes = tokens.LoadAgain(name)
			}
			b.ReportMetric(float64(bytes)/float64(nTokens), "B/token")
			b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(b.N), "ms/load")
		})
		b.Run(fmt.Sprintf("%s/tiktoken-go", name), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				// GetEncoding reads the vocabulary only once in a process.
				if _, err := loader.NewOfflineLoader().LoadTiktokenBpe(name + ".tiktoken"); err != nil {
					b.Fatal(err)
				}
				if _, err := tiktoken.GetEncoding(name); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(b.Elapsed().Seconds()*1e3/float64(b.N), "ms/load")
		})
	}
}

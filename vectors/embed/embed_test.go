package embed_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/vectors/embed"
)

var update = flag.Bool("update", false, "rewrite golden files")

func TestFormsOfAWordAreNearAndOthersFar(t *testing.T) {
	e := embed.NewBuiltin()
	tests := []struct {
		name       string
		a, b       string
		least, top float64 // bounds of the cosine
	}{
		{"a verb and its noun", "authenticate", "authentication", 0.5, 1},
		{"an abbreviation and the word", "auth", "authentication", 0.2, 1},
		{"singular and plural", "query", "queries", 0.4, 1},
		{"verb forms", "parse", "parsing", 0.4, 1},
		{"doubled consonants", "running", "run", 0.35, 1},
		{"a typo", "authentcation", "authentication", 0.15, 1},
		{"words and the identifier", "is token expired", "isTokenExpired", 0.6, 1},
		{"question and identifier", "auth token expiry", "isTokenExpired", 0.35, 1},
		{"camel and snake", "parseHttpHeader", "parse_http_header", 0.999, 1},
		{"acronyms", "HTTPServer", "http server", 0.6, 1},
		{"kin", "config", "settings", 0.12, 1},
		{"case does not matter", "TOKEN", "token", 0.999, 1},
		{"other words", "matrix multiplication", "tokenExpired", -0.2, 0.2},
		{"one word of another script", "数据", "数据", 0.999, 1},
		{"other words of that script", "数据", "查找", -0.2, 0.3},
		{"other words of as many letters", "печать", "сервер", -0.2, 0.3},
		{"words of a script without blanks", "删除过期条目", "删除过期的条目，释放内存", 0.4, 1},
		{"its punctuation is no letter", "。数据，", "数据", 0.999, 1},
		{"kana", "タイムアウト", "タイムアウトの値", 0.5, 1},
		{"capitals of other scripts", "Настройка", "настройка", 0.999, 1},
		{"forms of other scripts", "сервера", "сервер", 0.2, 1},
		{"function words hardly count", "how does the parser work", "parser", 0.5, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := dot(query(t, e, tt.a), query(t, e, tt.b))
			if got < tt.least || got > tt.top+1e-6 {
				t.Errorf("cosine of %q and %q is %.3f, want %.3f to %.3f", tt.a, tt.b, got, tt.least, tt.top)
			}
		})
	}
}

func TestTheNameOfAUnitWeighsMoreThanItsBody(t *testing.T) {
	e := embed.NewBuiltin()
	body := "{ open the archive, verify checksum, walk entries, copy blocks, rotate journal }"
	named := one(t, e, "# Unit: flushCache (function)\n# File: a/b.go\n"+body)
	mentioned := one(t, e, "# Unit: other (function)\n# File: a/b.go\n"+body+" flush cache")
	q := query(t, e, "flush cache")
	if a, b := dot(q, named), dot(q, mentioned); a < b+0.1 {
		t.Errorf("cosine with the named unit %.3f, with the one that mentions it %.3f", a, b)
	}
}

func TestAQuestionHasNoLeadingLines(t *testing.T) {
	e := embed.NewBuiltin()
	if dot(query(t, e, "# Dependents: token"), query(t, e, "token")) < 0.5 {
		t.Error("the words of a line like a leading one do not count in a question")
	}
}

func TestTextWithoutWordsGivesTheZeroVector(t *testing.T) {
	e := embed.NewBuiltin()
	for _, text := range []string{"", " \n\t", "{}();", "___", "# Dependents: 12\n"} {
		if diff := cmp.Diff(make([]float32, e.Dim()), one(t, e, text)); diff != "" {
			t.Errorf("vector of %q (-want +got):\n%s", text, diff)
		}
	}
}

func TestADoneContextEndsABatch(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	e := embed.NewBuiltin()
	if err := e.Embed(ctx, [][]byte{{'a'}}, make([]float32, e.Dim())); !errors.Is(err, context.Canceled) {
		t.Errorf("Embed: error %v, want context.Canceled", err)
	}
	if _, err := e.EmbedQuery(ctx, "a"); !errors.Is(err, context.Canceled) {
		t.Errorf("EmbedQuery: error %v, want context.Canceled", err)
	}
}

// TestAVectorDependsOnItsTextAlone embeds from many goroutines, in other orders and
// in other batches.
func TestAVectorDependsOnItsTextAlone(t *testing.T) {
	texts := corpusTexts(t)
	want := vectorsOf(t, embed.NewBuiltin(), texts)
	shared := embed.NewBuiltin()
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range texts {
				i = (i*7 + g*13) % len(texts)
				got := slices.Repeat([]float32{1}, shared.Dim())
				err := shared.Embed(t.Context(), texts[i:i+1], got)
				if err != nil || !slices.Equal(want[i], got) {
					t.Errorf("text %d: another vector (error %v)", i, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// TestVectorsAreThoseOfTheirName holds a few components of one vector. When they
// change, Name changes too.
func TestVectorsAreThoseOfTheirName(t *testing.T) {
	e := embed.NewBuiltin()
	v := one(t, e, "# Unit: Cart.Total (method)\n# File: shop/cart.go\nfunc (c Cart) Total() int { return c.sum(2024) } // größe")
	var b strings.Builder
	for j := range v {
		if j%8 == 0 {
			fmt.Fprintf(&b, "\n%3d:", j)
		}
		fmt.Fprintf(&b, " %+.4f", v[j])
	}
	golden(t, "vector.txt", e.Name()+b.String()+"\n")
}

// TestRetrievalQuality asks the questions of testdata/pairs.txt for their
// identifiers among all identifiers of the file.
func TestRetrievalQuality(t *testing.T) {
	e := embed.NewBuiltin()
	pairs := readPairs(t)
	texts := make([][]byte, len(pairs))
	for i, p := range pairs {
		texts[i] = []byte(p.text)
	}
	vectors := vectorsOf(t, e, texts)
	var report strings.Builder
	questions, first, mrr := 0, 0, 0.0
	for i, p := range pairs {
		for _, q := range p.questions {
			qv := query(t, e, q)
			score, rank, above := dot(qv, vectors[i]), 1, ""
			best := score
			for j := range vectors {
				if s := dot(qv, vectors[j]); j != i && s >= score {
					rank++
					if s > best {
						best, above = s, pairs[j].name
					}
				}
			}
			questions++
			mrr += 1 / float64(rank)
			if rank == 1 {
				first++
				continue
			}
			fmt.Fprintf(&report, "rank %d: %q -> %s, behind %s\n", rank, q, p.name, above)
		}
	}
	golden(t, "quality.txt", fmt.Sprintf("%s: %d questions, %d units, recall@1 %.3f, MRR %.3f\n%s",
		e.Name(), questions, len(pairs), float64(first)/float64(questions), mrr/float64(questions), report.String()))
}

func FuzzAnyBytesGiveAFiniteUnitVector(f *testing.F) {
	for _, seed := range []string{"", "# Unit: a (b)\n", "# File:", "isHTTPServer2 größe 漢字 \x00\xff", strings.Repeat("aB", 300), "# Unit: \n# Unit",
		"a" + strings.Repeat("é", 40), strings.Repeat("Ⱥ", 40), strings.Repeat("数", 100) + "a", "。数é\xff\xe6x"} {
		f.Add([]byte(seed))
	}
	e := embed.NewBuiltin()
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, v := range [][]float32{one(t, e, string(text)), query(t, e, string(text))} {
			if len(v) != e.Dim() {
				t.Fatalf("%d components, want %d", len(v), e.Dim())
			}
			n := dot(v, v)
			if n != 0 && !(math.Abs(n-1) < 1e-5) {
				t.Fatalf("square of the length is %g, want 1 or, without words, 0", n)
			}
		}
	})
}

func BenchmarkEmbed(b *testing.B) {
	texts := corpusTexts(b)
	bytes := 0
	for _, t := range texts {
		bytes += len(t)
	}
	e := embed.NewBuiltin()
	rows := make([]float32, len(texts)*e.Dim())
	b.SetBytes(int64(bytes))
	b.ReportAllocs()
	for b.Loop() {
		if err := e.Embed(b.Context(), texts, rows); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(texts)*b.N)/b.Elapsed().Seconds(), "texts/s")
}

func BenchmarkNewBuiltin(b *testing.B) {
	for b.Loop() {
		embed.NewBuiltin()
	}
}

// corpusTexts returns texts as the pipeline makes them, of about 1 KB each, from
// the sources of this package.
func corpusTexts(tb testing.TB) [][]byte {
	tb.Helper()
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		tb.Fatalf("no sources: %v", err)
	}
	var texts [][]byte
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			tb.Fatal(err)
		}
		for piece := range slices.Chunk(data, 1000) {
			texts = append(texts, fmt.Appendf(nil, "# Unit: %s (file)\n# File: vectors/embed/%s\n%s", f, f, piece))
		}
	}
	return texts
}

// pair is one unit of testdata/pairs.txt.
type pair struct {
	name, text string
	questions  []string
}

// readPairs reads blocks "== name (kind) path", the unit's text, and a line
// "? question" for each question.
func readPairs(t *testing.T) []pair {
	t.Helper()
	data, err := os.ReadFile("testdata/pairs.txt")
	if err != nil {
		t.Fatal(err)
	}
	var pairs []pair
	for block := range strings.SplitSeq("\n"+string(data), "\n== ") {
		head, body, _ := strings.Cut(block, "\n")
		fields := strings.Fields(head)
		if len(fields) != 3 {
			continue
		}
		p := pair{name: fields[0], text: fmt.Sprintf("# Unit: %s %s\n# File: %s\n", fields[0], fields[1], fields[2])}
		for line := range strings.Lines(body) {
			if q, ok := strings.CutPrefix(line, "? "); ok {
				p.questions = append(p.questions, strings.TrimSpace(q))
				continue
			}
			p.text += line
		}
		pairs = append(pairs, p)
	}
	return pairs
}

// golden compares got with a file of testdata, or writes it.
func golden(t *testing.T, file, got string) {
	t.Helper()
	path := filepath.Join("testdata", file)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}

func one(t testing.TB, e *embed.Builtin, text string) []float32 {
	t.Helper()
	return vectorsOf(t, e, [][]byte{[]byte(text)})[0]
}

func vectorsOf(t testing.TB, e *embed.Builtin, texts [][]byte) [][]float32 {
	t.Helper()
	rows := make([]float32, len(texts)*e.Dim())
	if err := e.Embed(t.Context(), texts, rows); err != nil {
		t.Fatal(err)
	}
	return slices.Collect(slices.Chunk(rows, e.Dim()))
}

func query(t testing.TB, e *embed.Builtin, text string) []float32 {
	t.Helper()
	v, err := e.EmbedQuery(t.Context(), text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func dot(a, b []float32) float64 {
	var s float64
	for j := range a {
		s += float64(a[j]) * float64(b[j])
	}
	return s
}

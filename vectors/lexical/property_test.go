package lexical_test

import (
	"bytes"
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"ambit/vectors/lexical"
	"ambit/vectors/record"
)

var (
	words = []string{"parseHTTPHeader", "parse_header", "http", "headers", "Order", "order_total", "x", "42", "größe", "the", "connection", "connects"}
	paths = []record.Path{"http/header.go", "order.rb", "src/order/total_test.go", "README.md", ".env", "größe/x"}
)

// drawFile draws a file of one chunk, sometimes with a summary.
func drawFile(t *rapid.T, key record.Key) record.FileRecord {
	text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 30).Draw(t, "text"), " ")
	f := file(key, rapid.SampledFrom(paths).Draw(t, "path"), rapid.SampledFrom(append(words, "")).Draw(t, "name"), text)
	if rapid.Bool().Draw(t, "document") {
		f.Chunks[0].Doc = &record.DocMeta{Title: "Order of headers", Headings: []string{"http"}}
	}
	if rapid.Bool().Draw(t, "summary") {
		f.Chunks = append(f.Chunks, record.Chunk{Key: key + 1, IsSummary: true, Span: f.Chunks[0].Span})
	}
	return f
}

// fresh returns an index over rows alone.
func fresh(t *rapid.T, rows map[record.Key]record.FileRecord) *lexical.View {
	b := &record.Batch{}
	for _, k := range slices.Sorted(maps.Keys(rows)) {
		b.Files = append(b.Files, rows[k])
	}
	return apply(t, lexical.New(), b)
}

// drawRanges draws key ranges below end.
func drawRanges(t *rapid.T, end record.Key) []record.KeyRange {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) record.KeyRange {
		return record.KeyRange{First: record.Key(rapid.Uint32Range(1, uint32(end)).Draw(t, "first")), N: rapid.IntRange(0, 9).Draw(t, "n")}
	}), 0, 4).Draw(t, "ranges")
}

func inAny(k record.Key, ranges []record.KeyRange) bool {
	return slices.ContainsFunc(ranges, func(r record.KeyRange) bool { return r.Contains(k) })
}

func TestAnySequenceOfBatchesEqualsAFreshIndex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, rows, next := lexical.New(), map[record.Key]record.FileRecord{}, record.Key(1)
		for range rapid.IntRange(1, 30).Draw(t, "batches") {
			b := &record.Batch{Dropped: drawRanges(t, next)}
			for range rapid.IntRange(0, 3).Draw(t, "files") {
				b.Files = append(b.Files, drawFile(t, next))
				next += 2
			}
			b.Files = rapid.Permutation(b.Files).Draw(t, "order")
			n := v.Len()
			over, err := v.With(t.Context(), b)
			if err != nil {
				t.Fatal(err)
			}
			v = apply(t, v, b)
			query := rapid.SampledFrom(words).Draw(t, "word")
			if diff := gocmp.Diff(search(t, v, query, 20), search(t, over, query, 20)); diff != "" {
				t.Fatalf("Search(%q) of %d rows and a batch (-applied +laid over):\n%s", query, n, diff)
			}
			if rapid.IntRange(0, 9).Draw(t, "go on") == 0 { // with the overlay and its many segments
				v = over
			}
			maps.DeleteFunc(rows, func(k record.Key, _ record.FileRecord) bool { return inAny(k, b.Dropped) })
			for _, f := range b.Files {
				rows[f.Chunks[0].Key] = f
			}
			switch rapid.IntRange(0, 9).Draw(t, "then") {
			case 0: // the process ends and another starts
				live := drawRanges(t, next)
				saved := slices.Concat(v.Encode()...)
				if rapid.Bool().Draw(t, "in parts") {
					v, err = lexical.Open(source(saved), live)
				} else {
					v, err = lexical.Restore(saved, live)
				}
				if err != nil {
					t.Fatal(err)
				}
				maps.DeleteFunc(rows, func(k record.Key, _ record.FileRecord) bool { return !inAny(k, live) })
			case 1: // older batches are applied a second time
				for _, f := range rows {
					v = apply(t, v, &record.Batch{Files: []record.FileRecord{f}})
				}
			}
		}
		want := fresh(t, rows)
		if v.Len() != len(rows) {
			t.Fatalf("%d rows, want %d", v.Len(), len(rows))
		}
		for range 5 {
			query := strings.Join(rapid.SliceOfN(rapid.SampledFrom(append(words, "unknown")), 1, 6).Draw(t, "query"), " ")
			k := rapid.IntRange(1, 20).Draw(t, "k")
			if diff := gocmp.Diff(search(t, want, query, k), search(t, v, query, k)); diff != "" {
				t.Fatalf("Search(%q) (-fresh +incremental):\n%s", query, diff)
			}
		}
	})
}

type fataler interface{ Fatal(...any) }

func search(t fataler, v *lexical.View, query string, k int) []record.Hit {
	hits, err := v.Search(background, query, k, lexical.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return hits
}

func TestSearchEqualsTheFormulaOverAllRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := map[record.Key]record.FileRecord{}
		for k := range record.Key(rapid.IntRange(1, 40).Draw(t, "rows")) {
			rows[k+1] = drawFile(t, k+1)
			rows[k+1].Chunks[0].Doc = nil
		}
		v := fresh(t, rows)
		query := strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 1, 6).Draw(t, "query"), " ")
		want := formula(rows, query)
		got := search(t, v, query, len(rows))
		if len(got) != len(want) {
			t.Fatalf("Search(%q): %d hits, want %d", query, len(got), len(want))
		}
		if !slices.IsSortedFunc(got, func(a, b record.Hit) int {
			return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Key, b.Key))
		}) {
			t.Fatalf("Search(%q) is not in order: %v", query, got)
		}
		keep := func(k record.Key) bool { return k%3 != 0 }
		kept, err := v.Search(background, query, 5, lexical.Options{Keep: keep})
		if err != nil {
			t.Fatal(err)
		}
		left := slices.DeleteFunc(slices.Clone(got), func(h record.Hit) bool { return !keep(h.Key) })
		if diff := gocmp.Diff(left[:min(5, len(left))], kept, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("Search(%q) of two thirds (-want +got):\n%s", query, diff)
		}
		for _, h := range got {
			if math.Abs(h.Score-want[h.Key]) > 1e-5*want[h.Key] {
				t.Fatalf("Search(%q): row %d has %g, want %g", query, h.Key, h.Score, want[h.Key])
			}
		}
		if few := search(t, v, query, 3); len(few) > 0 {
			if diff := gocmp.Diff(got[:min(3, len(got))], few); diff != "" {
				t.Fatalf("the best 3 (-of all +alone):\n%s", diff)
			}
		}
	})
}

// formula scores rows without documents in the plainest way there is.
func formula(rows map[record.Key]record.FileRecord, query string) map[record.Key]float64 {
	counts, df, total := map[record.Key]map[string]float64{}, map[string]float64{}, 0.0
	length := map[record.Key]float64{}
	for k, f := range rows {
		counts[k] = map[string]float64{}
		c := f.Chunks[0]
		dir, name := "", string(c.Path)
		if i := strings.LastIndex(name, "/"); i >= 0 {
			dir, name = name[:i], name[i+1:]
			dir = dir[strings.LastIndex(dir, "/")+1:]
		}
		if i := strings.LastIndex(name, "."); i > 0 {
			name = name[:i]
		}
		for _, field := range []struct {
			text   string
			weight float64
		}{{string(f.Content), 1}, {c.Name, lexical.WeightName}, {c.Unit, lexical.WeightUnit}, {name, lexical.WeightStem}, {dir, lexical.WeightDirectory}} {
			for _, term := range lexical.Terms(field.text) {
				counts[k][term] += field.weight
				length[k] += field.weight
			}
		}
		total += length[k]
		for term := range counts[k] {
			df[term]++
		}
	}
	n, scores := float64(len(rows)), map[record.Key]float64{}
	for _, term := range lexical.Terms(query) { // a repeated term counts again
		for k := range rows {
			if tf := scale(counts[k][term]); tf > 0 {
				idf := math.Log(1 + (n-df[term]+0.5)/(df[term]+0.5))
				scores[k] += idf * tf * 2.5 / (tf + 1.5*(0.25+0.75*length[k]/(total/n)))
			}
		}
	}
	return scores
}

// scale returns the number of occurrences that the code of a posting stands for.
func scale(tf float64) float64 {
	for _, level := range []float64{255, 192, 160, 128, 112, 96, 80, 64, 56, 48, 40, 32, 28, 24, 20, 18} {
		if tf >= level {
			return level
		}
	}
	return min(tf, 16)
}

// source is a saved view that is read in parts.
type source []byte

func (s source) Len() int { return len(s) }

func (s source) ReadAt(p []byte, from int64) (int, error) { return bytes.NewReader(s).ReadAt(p, from) }

func (s source) Bytes(from, to int) []byte { return slices.Clone(s[from:to]) }

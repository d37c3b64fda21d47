package lexical_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"ambit/vectors/lexical"
	"ambit/vectors/record"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var background = context.Background()

// file returns a file of one chunk.
func file(key record.Key, path record.Path, name, text string) record.FileRecord {
	return record.FileRecord{
		File:    record.File{Path: path},
		Content: []byte(text),
		Chunks:  []record.Chunk{{Key: key, Path: path, Name: name, Unit: name, Span: record.Span{End: len(text)}}},
	}
}

// view returns a view of files.
func view(t testing.TB, files ...record.FileRecord) *lexical.View {
	t.Helper()
	return apply(t, lexical.New(), &record.Batch{Files: files})
}

// apply returns the view after a batch.
func apply(t fataler, v *lexical.View, b *record.Batch) *lexical.View {
	next, err := v.Apply(background, b)
	if err != nil {
		t.Fatal(err)
	}
	return next
}

func TestTieOrdersRowsOfOneScore(t *testing.T) {
	v := lexical.New()
	for k := range record.Key(9) { // each batch is a segment of its own at first
		f := file(k+1, record.Path(fmt.Sprintf("%c.txt", 'a'+k)), "", "same words")
		v = apply(t, v, &record.Batch{Files: []record.FileRecord{f}})
	}
	o := lexical.Options{Tie: func(a, b record.Key) int { return int(b) - int(a) }}
	hits, err := v.Search(t.Context(), "words", 4, o)
	if diff := cmp.Diff([]record.Key{9, 8, 7, 6}, keys(hits)); diff != "" || err != nil {
		t.Errorf("Search (-want +got), %v:\n%s", err, diff)
	}
}

func keys(hits []record.Hit) []record.Key {
	var keys []record.Key
	for _, h := range hits {
		keys = append(keys, h.Key)
	}
	return keys
}

func TestSearch(t *testing.T) {
	v := view(t,
		file(1, "http/header.go", "parseHTTPHeader", "func parseHTTPHeader(b []byte) Header { return nil }"),
		file(2, "cart.go", "Total", "func (c Cart) Total() int { return c.sum() }"),
		file(3, "doc.md", "", "Parsing of the headers"),
		file(4, "lib/total.go", "", "package lib"),
		file(5, "a.txt", "", "same words"),
		file(6, "b.txt", "", "same words"),
	)
	tests := []struct {
		name, query string
		want        []record.Key
	}{
		{"a name in its own spelling", "parseHTTPHeader", []record.Key{1, 3}},
		{"a name in another style", "parse_http_header", []record.Key{1, 3}},
		{"words in another form", "parsed HTTP headers", []record.Key{1, 3}},
		{"the name of a file", "total", []record.Key{4, 2}},
		{"rows of one score by key", "same words", []record.Key{5, 6}},
		{"unknown words cost nothing", "zebra same zebra", []record.Key{5, 6}},
		{"nothing known", "zebra", nil},
		{"no words", " ?! x", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, keys(search(t, v, tt.query, 10))); diff != "" {
				t.Errorf("Search(%q) (-want +got):\n%s", tt.query, diff)
			}
		})
	}
	if hits := search(t, v, "same", 0); len(hits) > 0 {
		t.Errorf("the best 0 are %v", hits)
	}
}

func TestFieldsCountByTheirWeights(t *testing.T) {
	f := file(7, "http/header.go", "parseHeader", "func parseHeader() { header() }")
	f.Chunks[0].Doc = &record.DocMeta{Headings: []string{"Headers"}}
	v := view(t, f)
	for term, want := range map[string]int{
		"headers": 13, // text 2, name 3+1, stem 5, heading 2
		"func":    1,
		"http":    1, // directory
		"zebra":   0,
	} {
		if got := v.Occurrences(term, 7); got != want {
			t.Errorf("%q counts %d times, want %d", term, got, want)
		}
	}
}

func TestApplyRefusesAChunkThatDoesNotFitAndKeepsTheView(t *testing.T) {
	v := view(t, file(1, "a.go", "", "alpha"))
	for _, span := range []record.Span{{Start: -1, End: 2}, {Start: 3, End: 2}, {Start: 0, End: 6}} {
		f := file(2, "b.go", "", "bravo")
		f.Chunks[0].Span = span
		if _, err := v.Apply(t.Context(), &record.Batch{Files: []record.FileRecord{f}, Dropped: []record.KeyRange{{First: 1, N: 1}}}); err == nil {
			t.Errorf("span %v is taken", span)
		}
	}
	if diff := cmp.Diff([]record.Key{1}, keys(search(t, v, "alpha bravo", 9))); diff != "" {
		t.Errorf("after refused batches (-want +got):\n%s", diff)
	}
}

func TestACancelledContextEndsTheWork(t *testing.T) {
	v := view(t, file(1, "a.go", "", "alpha"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := v.Search(ctx, "alpha", 1, lexical.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("Search: %v", err)
	}
	if _, err := v.Apply(ctx, &record.Batch{Files: []record.FileRecord{file(2, "b.go", "", "bravo")}}); !errors.Is(err, context.Canceled) {
		t.Errorf("Apply: %v", err)
	}
	if hits := search(t, v, "alpha bravo", 9); len(hits) != 1 || hits[0].Key != 1 {
		t.Errorf("after cancelled work: %v", hits)
	}
}

func TestSummariesAreLeftOut(t *testing.T) {
	v := view(t, file(1, "a.go", "", "alpha"))
	summary := file(9, "a.go", "", "alpha")
	summary.Chunks[0].IsSummary = true
	v = apply(t, v, &record.Batch{Files: []record.FileRecord{summary}})
	if diff := cmp.Diff([]record.Key{1}, keys(search(t, v, "alpha", 9))); diff != "" {
		t.Errorf("Search (-want +got):\n%s", diff)
	}
}

func TestRestoreRefusesABlobThatEncodeDidNotMake(t *testing.T) {
	good := slices.Concat(view(t, file(1, "a.go", "", "alpha"), file(2, "b.go", "", "bravo")).Encode()...)
	other := seal(append([]byte(nil), good...))
	if _, err := lexical.Restore(other, nil); err != nil {
		t.Fatal(err)
	}
	other[12]++ // the recipe
	if _, err := lexical.Restore(seal(other), nil); !errors.Is(err, lexical.ErrFormat) {
		t.Errorf("a blob of other weights: %v", err)
	}
	for i := range good {
		bad := append([]byte(nil), good...)
		bad[i] ^= 1
		if _, err := lexical.Restore(bad, nil); !errors.Is(err, lexical.ErrFormat) {
			t.Fatalf("byte %d changed: %v", i, err)
		}
		if _, err := lexical.Restore(good[:i], nil); !errors.Is(err, lexical.ErrFormat) {
			t.Fatalf("cut at byte %d: %v", i, err)
		}
	}
}

// unreadable is a saved view whose rows cannot be read.
type unreadable struct {
	source
	err error
}

func (u unreadable) ReadAt([]byte, int64) (int, error) { return 0, u.err }

func TestOpenReturnsTheErrorOfASourceThatCannotBeRead(t *testing.T) {
	saved := slices.Concat(view(t, file(1, "a.go", "", "alpha")).Encode()...)
	if _, err := lexical.Open(source(saved), nil); err != nil {
		t.Fatal(err)
	}
	lost := errors.New("lost")
	if _, err := lexical.Open(unreadable{source(saved), lost}, nil); !errors.Is(err, lost) {
		t.Errorf("Open: %v, want that of the source", err)
	}
}

// seal gives a blob the right sum.
func seal(blob []byte) []byte {
	if len(blob) > 12 {
		binary.LittleEndian.PutUint32(blob[8:], crc32.Checksum(blob[12:], crc32.MakeTable(crc32.Castagnoli)))
	}
	return blob
}

func FuzzABrokenBlobNeverPanics(f *testing.F) {
	f.Add(slices.Concat(lexical.New().Encode()...))
	f.Add(slices.Concat(view(f, file(1, "a.go", "", "alpha")).Encode()...))
	f.Add(slices.Concat(view(f, file(1, "a/b.go", "alphaBeta", strings.Repeat("alpha beta gamma_delta ", 9)), file(300, "c.go", "", "alpha x12")).Encode()...))
	f.Fuzz(func(t *testing.T, blob []byte) {
		v, err := lexical.Restore(seal(blob), []record.KeyRange{{First: 1, N: 1 << 20}}) // or the sum would keep the fuzzer out
		if err != nil {
			return
		}
		for _, q := range []string{"alpha", "beta go delta", "zulu", "alphaBeta x12"} {
			search(t, v, q, 5)
		}
		next, err := v.Apply(t.Context(), &record.Batch{Files: []record.FileRecord{file(2, "d.go", "", "alpha")}})
		if err == nil {
			next.Encode()
			search(t, next, "alpha", 5)
		}
	})
}

func TestSearchesSeeWholeBatches(t *testing.T) {
	var latest atomic.Pointer[lexical.View]
	latest.Store(lexical.New())
	var readers sync.WaitGroup
	done := make(chan struct{})
	for range 4 {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				if hits := search(t, latest.Load(), "alpha", 99); len(hits)%2 != 0 {
					t.Errorf("a batch of two is seen as %v", hits)
					return
				}
			}
		})
	}
	for k := record.Key(1); k < 200; k += 2 {
		b := &record.Batch{Files: []record.FileRecord{file(k, "a.go", "", "alpha"), file(k+1, "b.go", "", "alpha")}}
		if k > 20 {
			b.Dropped = []record.KeyRange{{First: k - 20, N: 2}}
		}
		next := apply(t, latest.Load(), b)
		latest.Store(next)
		if k%50 == 1 {
			next.Encode()
		}
	}
	close(done)
	readers.Wait()
}

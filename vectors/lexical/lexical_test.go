package lexical_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"
	"sync"
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

// index returns an index of files.
func index(t testing.TB, files ...record.FileRecord) *lexical.Index {
	t.Helper()
	ix := lexical.New(lexical.Options{})
	if err := ix.Apply(t.Context(), &record.Batch{Files: files}); err != nil {
		t.Fatal(err)
	}
	return ix
}

func TestRowsOfOneScoreComeAsTieHasThem(t *testing.T) {
	ix := lexical.New(lexical.Options{Tie: func(a, b record.Key) int { return int(b) - int(a) }})
	for k := range record.Key(9) { // each batch is a segment of its own at first
		f := file(k+1, record.Path(fmt.Sprintf("%c.txt", 'a'+k)), "", "same words")
		if err := ix.Apply(t.Context(), &record.Batch{Files: []record.FileRecord{f}}); err != nil {
			t.Fatal(err)
		}
	}
	hits, err := ix.Search(t.Context(), "words", 4, nil)
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
	ix := index(t,
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
			if diff := cmp.Diff(tt.want, keys(search(t, ix, tt.query, 10))); diff != "" {
				t.Errorf("Search(%q) (-want +got):\n%s", tt.query, diff)
			}
		})
	}
	if hits := search(t, ix, "same", 0); len(hits) > 0 {
		t.Errorf("the best 0 are %v", hits)
	}
}

func TestAFieldLeftOutFindsNothing(t *testing.T) {
	ix := lexical.New(lexical.Options{Weights: lexical.Weights{Stem: -1}})
	if err := ix.Apply(t.Context(), &record.Batch{Files: []record.FileRecord{file(1, "lib/total.go", "", "text")}}); err != nil {
		t.Fatal(err)
	}
	if hits := search(t, ix, "total", 1); len(hits) > 0 {
		t.Errorf("found %v by the stem of its file", hits)
	}
	if hits := search(t, ix, "lib", 1); len(hits) != 1 {
		t.Error("not found by its directory")
	}
}

func TestWhyNamesTermsAndFields(t *testing.T) {
	f := file(7, "http/header.go", "parseHeader", "func parseHeader() { header() }")
	f.Chunks[0].Doc = &record.DocMeta{Headings: []string{"Headers"}}
	ix := index(t, f)
	got := map[string]string{}
	for _, s := range ix.Why("headers func http zebra", 7) {
		got[s.Term] = fmt.Sprintf("%s tf %d df %d", s.Field, s.TF, s.DF)
	}
	want := map[string]string{
		"headers": "name+path+heading tf 13 df 1", // text 2, name 3+1, stem 5, heading 2
		"func":    "text tf 1 df 1",
		"http":    "path tf 1 df 1",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Why (-want +got):\n%s", diff)
	}
	if why := ix.Why("headers", 8); why != nil {
		t.Errorf("a row that is not there is explained by %v", why)
	}
}

func TestApplyRefusesAChunkThatDoesNotFitAndKeepsTheView(t *testing.T) {
	ix := index(t, file(1, "a.go", "", "alpha"))
	for _, span := range []record.Span{{Start: -1, End: 2}, {Start: 3, End: 2}, {Start: 0, End: 6}} {
		f := file(2, "b.go", "", "bravo")
		f.Chunks[0].Span = span
		if err := ix.Apply(t.Context(), &record.Batch{Files: []record.FileRecord{f}, Dropped: []record.KeyRange{{First: 1, N: 1}}}); err == nil {
			t.Errorf("span %v is taken", span)
		}
	}
	if diff := cmp.Diff([]record.Key{1}, keys(search(t, ix, "alpha bravo", 9))); diff != "" {
		t.Errorf("after refused batches (-want +got):\n%s", diff)
	}
}

func TestACancelledContextEndsTheWork(t *testing.T) {
	ix := index(t, file(1, "a.go", "", "alpha"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := ix.Search(ctx, "alpha", 1, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("Search: %v", err)
	}
	if err := ix.Apply(ctx, &record.Batch{Files: []record.FileRecord{file(2, "b.go", "", "bravo")}}); !errors.Is(err, context.Canceled) {
		t.Errorf("Apply: %v", err)
	}
	if hits := search(t, ix, "alpha bravo", 9); len(hits) != 1 || hits[0].Key != 1 {
		t.Errorf("after cancelled work: %v", hits)
	}
}

func TestLastIsTheHighestKeySeen(t *testing.T) {
	ix := index(t, file(1, "a.go", "", "alpha"))
	beside := file(9, "a.go", "", "alpha")
	beside.Chunks[0].Beside = true
	if err := ix.Apply(t.Context(), &record.Batch{Files: []record.FileRecord{beside}}); err != nil {
		t.Fatal(err)
	}
	other := lexical.New(lexical.Options{})
	if err := other.Restore(ix.Snapshot(), []record.KeyRange{{First: 1, N: 1}}); err != nil {
		t.Fatal(err)
	}
	if ix.Last() != 9 || other.Last() != 9 || other.Len() != 1 {
		t.Errorf("last %d, restored %d with %d rows; want 9, 9, 1", ix.Last(), other.Last(), other.Len())
	}
}

func TestRestoreRefusesWhatSnapshotDidNotMake(t *testing.T) {
	good := index(t, file(1, "a.go", "", "alpha"), file(2, "b.go", "", "bravo")).Snapshot()
	other := lexical.New(lexical.Options{Weights: lexical.Weights{Name: 9}})
	if err := other.Restore(good, nil); !errors.Is(err, lexical.ErrFormat) {
		t.Errorf("a blob of other weights: %v", err)
	}
	ix := index(t, file(3, "c.go", "", "charlie"))
	for i := range good {
		bad := append([]byte(nil), good...)
		bad[i] ^= 1
		if err := ix.Restore(bad, nil); !errors.Is(err, lexical.ErrFormat) {
			t.Fatalf("byte %d changed: %v", i, err)
		}
		if err := ix.Restore(good[:i], nil); !errors.Is(err, lexical.ErrFormat) {
			t.Fatalf("cut at byte %d: %v", i, err)
		}
	}
	if hits := search(t, ix, "charlie", 1); len(hits) != 1 {
		t.Error("a refused blob changed the index")
	}
}

func FuzzABrokenBlobNeverPanics(f *testing.F) {
	f.Add(lexical.New(lexical.Options{}).Snapshot())
	f.Add(index(f, file(1, "a.go", "", "alpha")).Snapshot())
	f.Add(index(f, file(1, "a/b.go", "alphaBeta", strings.Repeat("alpha beta gamma_delta ", 9)), file(300, "c.go", "", "alpha x12")).Snapshot())
	f.Fuzz(func(t *testing.T, blob []byte) {
		if len(blob) > 12 { // or the sum would keep the fuzzer out
			binary.LittleEndian.PutUint32(blob[8:], crc32.Checksum(blob[12:], crc32.MakeTable(crc32.Castagnoli)))
		}
		ix := lexical.New(lexical.Options{})
		if err := ix.Restore(blob, []record.KeyRange{{First: 1, N: 1 << 20}}); err != nil {
			return
		}
		for _, q := range []string{"alpha", "beta go delta", "zulu", "alphaBeta x12"} {
			for _, h := range search(t, ix, q, 5) {
				ix.Why(q, h.Key)
			}
		}
		if err := ix.Apply(t.Context(), &record.Batch{Files: []record.FileRecord{file(2, "d.go", "", "alpha")}}); err == nil {
			ix.Snapshot()
			search(t, ix, "alpha", 5)
		}
	})
}

func TestSearchesSeeWholeBatches(t *testing.T) {
	ix := lexical.New(lexical.Options{})
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
				if hits := search(t, ix, "alpha", 99); len(hits)%2 != 0 {
					t.Errorf("a batch of two is seen as %v", hits)
					return
				}
				ix.Why("alpha", 1)
			}
		})
	}
	for k := record.Key(1); k < 200; k += 2 {
		b := &record.Batch{Files: []record.FileRecord{file(k, "a.go", "", "alpha"), file(k+1, "b.go", "", "alpha")}}
		if k > 20 {
			b.Dropped = []record.KeyRange{{First: k - 20, N: 2}}
		}
		if err := ix.Apply(t.Context(), b); err != nil {
			t.Error(err)
		}
		if k%50 == 1 {
			ix.Snapshot()
		}
	}
	close(done)
	readers.Wait()
}

package store_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/vectors/record"
	"ambit/vectors/store"
	"ambit/vectors/storetest"
)

// openCache opens an index whose cache holds limit bytes.
func openCache(t testing.TB, limit int64) *store.DB {
	t.Helper()
	db, err := store.Open(t.TempDir()+"/index.db", store.Options{CacheBytes: limit})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { storetest.Close(t, db) })
	return db
}

// put stores a version of a file, as recalled when it can be, and reports whether
// that was so.
func put(t testing.TB, db *store.DB, path record.Path, version int) bool {
	t.Helper()
	r := storetest.Record(path, storetest.Text(version, 10), 10)
	old, ok, err := db.Lookup(t.Context(), path, r.File.Hash)
	if err != nil {
		t.Fatal(err)
	}
	if ok {
		r = old
	}
	if err := db.Apply(t.Context(), &record.Batch{Files: []record.FileRecord{r}}, nil); err != nil {
		t.Fatal(err)
	}
	return ok
}

func stats(t testing.TB, db *store.DB) store.Stats {
	t.Helper()
	st, err := storetest.Stats(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

func TestAnEditThatIsUndoneComesBackFromTheCache(t *testing.T) {
	db := openCache(t, 0)
	var got []bool
	for _, version := range []int{1, 2, 1, 2, 3, 1} {
		got = append(got, put(t, db, "a.go", version))
	}
	if diff := cmp.Diff([]bool{false, false, true, true, false, true}, got); diff != "" {
		t.Errorf("recalled (-want +got):\n%s", diff)
	}
	want := store.Stats{Embedded: 30, Kept: 30, Recalled: 3, Revisions: 2}
	st := stats(t, db)
	if diff := cmp.Diff(want, store.Stats{Embedded: st.Embedded, Kept: st.Kept, Recalled: st.Recalled, Revisions: st.Revisions}); diff != "" {
		t.Errorf("counted (-want +got):\n%s", diff)
	}
}

func TestARemovedFileComesBackFromTheCache(t *testing.T) {
	db := openCache(t, 0)
	put(t, db, "a.go", 1)
	if err := db.Apply(t.Context(), &record.Batch{Removed: []record.Path{"a.go"}}, nil); err != nil {
		t.Fatal(err)
	}
	if !put(t, db, "a.go", 1) {
		t.Error("the file is not in the cache")
	}
	if put(t, db, "b.go", 1) {
		t.Error("the cache gave what another path held")
	}
}

func TestForgottenAndLeftOutFilesLeaveNoRevisions(t *testing.T) {
	for name, b := range map[string]record.Batch{
		"forgotten": {Removed: []record.Path{"a.go"}, Forget: []record.Path{"a.go"}},
		"left out":  {Files: []record.FileRecord{{File: record.File{Path: "a.go", LeftOut: "secret"}}}},
	} {
		t.Run(name, func(t *testing.T) {
			db := openCache(t, 0)
			put(t, db, "a.go", 1)
			put(t, db, "a.go", 2)
			put(t, db, "a.go2", 1)
			put(t, db, "a.go2", 2)
			if err := db.Apply(t.Context(), &b, nil); err != nil {
				t.Fatal(err)
			}
			if got := stats(t, db).Revisions; got != 1 {
				t.Errorf("got %d revisions in the cache, want that of a.go2 alone", got)
			}
		})
	}
}

func TestTheCacheGivesUpItsOldest(t *testing.T) {
	db := openCache(t, 0)
	for version := range 2 {
		put(t, db, "a.go", version)
	}
	one := stats(t, db).RevisionBytes
	const room = 4
	db = openCache(t, room*one+one/2)
	for version := range 10 {
		put(t, db, "a.go", version)
	}
	var got []int
	for version := range 9 {
		r := storetest.Record("a.go", storetest.Text(version, 10), 10)
		if _, ok, err := db.Lookup(t.Context(), "a.go", r.File.Hash); err != nil {
			t.Fatal(err)
		} else if ok {
			got = append(got, version)
		}
	}
	if diff := cmp.Diff([]int{5, 6, 7, 8}, got); diff != "" {
		t.Errorf("versions in the cache (-want +got):\n%s", diff)
	}
}

func TestAFileThatIsLargerThanTheCacheLeavesTheOthersThere(t *testing.T) {
	db := openCache(t, 20_000)
	put(t, db, "a.go", 1)
	put(t, db, "a.go", 2)
	large := func(seed int) record.FileRecord { return storetest.Record("large.go", storetest.Text(seed, 900), 60) }
	for seed := range 2 {
		if err := db.Apply(t.Context(), &record.Batch{Files: []record.FileRecord{large(seed)}}, nil); err != nil {
			t.Fatal(err)
		}
	}
	if !put(t, db, "a.go", 1) {
		t.Error("a large file emptied the cache")
	}
}

// A reader may have recalled what a later batch forgets.
func TestARecordThatLeftTheCacheSinceItWasRecalledIsWrittenAnew(t *testing.T) {
	db := openCache(t, 0)
	put(t, db, "a.go", 1)
	put(t, db, "a.go", 2)
	want := storetest.Record("a.go", storetest.Text(1, 10), 10)
	recalled, ok, err := db.Lookup(t.Context(), "a.go", want.File.Hash)
	if !ok || err != nil {
		t.Fatalf("Lookup: %t, %v", ok, err)
	}
	put(t, db, "a.go", 1)
	put(t, db, "a.go", 1)
	if got := stats(t, db); got.Revisions != 1 {
		t.Fatalf("got %d revisions in the cache, want that of version 2", got.Revisions)
	}
	for range 2 {
		if err := db.Apply(t.Context(), &record.Batch{Files: []record.FileRecord{recalled}}, nil); err != nil {
			t.Fatal(err)
		}
	}
	content, err := begin(t, db).Content(t.Context(), "a.go")
	if diff := cmp.Diff(string(want.Content), string(content)); diff != "" || err != nil {
		t.Errorf("content (-want +got): %v\n%s", err, diff)
	}
	got, err := db.Codes(t.Context(), "a.go", []record.TextHash{want.Chunks[3].EmbedHash})
	if diff := cmp.Diff(want.Codes[3:4], got); diff != "" || err != nil {
		t.Errorf("codes (-want +got): %v\n%s", err, diff)
	}
}

func TestCodesAreFoundInEarlierRevisions(t *testing.T) {
	db := openCache(t, 0)
	var hashes []record.TextHash
	var want []record.Codes
	for version := range 4 {
		put(t, db, "a.go", version)
		r := storetest.Record("a.go", storetest.Text(version, 10), 10)
		hashes = append(hashes, r.Chunks[version].EmbedHash, record.TextHash{9}, r.Chunks[version].EmbedHash)
		codes := r.Codes[version]
		want = append(want, codes, record.Codes{}, codes)
	}
	got, err := db.Codes(t.Context(), "a.go", hashes)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("codes (-want +got): %v\n%s", err, diff)
	}
	got, err = db.Codes(t.Context(), "b.go", hashes[:1])
	if diff := cmp.Diff([]record.Codes{{}}, got); diff != "" || err != nil {
		t.Errorf("codes of a file that never was (-want +got): %v\n%s", err, diff)
	}
}

// BenchmarkSwitch puts 500 files in place of 500 others and back, and reports how
// long going back takes as a share of going there for the first time, and what a
// save costs with and without a cache.
func BenchmarkSwitch(b *testing.B) {
	batch := func(version int) *record.Batch {
		batch := new(record.Batch)
		for i := range 500 {
			path := record.Path(fmt.Sprintf("dir%d/file%d.go", i%20, i))
			batch.Files = append(batch.Files, storetest.Record(path, storetest.Text(version*500+i, 30), 12))
		}
		return batch
	}
	for _, cache := range []struct {
		name  string
		limit int64
	}{{"cache", 0}, {"no cache", -1}} {
		b.Run(cache.name, func(b *testing.B) {
			db := openCache(b, cache.limit)
			apply(b, db, batch(0))
			b.ResetTimer()
			for i := range b.N {
				b.StopTimer()
				next := batch(i + 1)
				b.StartTimer()
				apply(b, db, next)
			}
			b.ReportMetric(float64(500*b.N)/b.Elapsed().Seconds(), "files/s")
		})
	}
	b.Run("back", func(b *testing.B) {
		db := openCache(b, 0)
		apply(b, db, batch(0))
		apply(b, db, batch(1))
		b.ResetTimer()
		for i := range b.N {
			b.StopTimer()
			next := batch(i % 2)
			b.StartTimer()
			for j := range next.Files {
				r, ok, err := db.Lookup(b.Context(), next.Files[j].File.Path, next.Files[j].File.Hash)
				if !ok || err != nil {
					b.Fatalf("Lookup: %t, %v", ok, err)
				}
				next.Files[j] = r
			}
			apply(b, db, next)
		}
		b.ReportMetric(float64(500*b.N)/b.Elapsed().Seconds(), "files/s")
	})
}

// BenchmarkSave writes one file of an index anew, in ever other versions, with and
// without a cache for what it held; the cache is full, so that each save trims it.
func BenchmarkSave(b *testing.B) {
	for _, cache := range []struct {
		name  string
		limit int64
	}{{"full cache", 100_000}, {"no cache", -1}} {
		b.Run(cache.name, func(b *testing.B) {
			db := openCache(b, cache.limit)
			list, _ := benchRecords()
			apply(b, db, &record.Batch{Files: list[:500]})
			i := 0
			for b.Loop() {
				i++
				b.StopTimer()
				path := list[i%500].File.Path
				r := widen(storetest.Record(path, storetest.Text(5000+i, benchUnits), benchChunks), benchDim)
				b.StartTimer()
				apply(b, db, &record.Batch{Files: []record.FileRecord{r}})
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "saves/s")
		})
	}
}

func apply(b testing.TB, db *store.DB, batch *record.Batch) {
	b.Helper()
	if err := db.Apply(b.Context(), batch, nil); err != nil {
		b.Fatal(err)
	}
}

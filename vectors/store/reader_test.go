package store_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/vectors/record"
	"ambit/vectors/store"
	"ambit/vectors/storetest"
)

// begin returns a Reader that is closed when the test ends.
func begin(t testing.TB, db *store.DB) *store.Reader {
	t.Helper()
	r, err := db.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	return r
}

// mustRead is readState without an error.
func mustRead(t testing.TB, r *store.Reader) []any {
	t.Helper()
	all, err := readState(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestAReaderStaysAtItsGeneration(t *testing.T) {
	db := storetest.Open(t)
	if err := db.Apply(t.Context(), numberedBatch(1), nil); err != nil {
		t.Fatal(err)
	}
	r := begin(t, db)
	want := mustRead(t, r)
	for g := range uint64(5) {
		if err := db.Apply(t.Context(), numberedBatch(g+2), nil); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, mustRead(t, r)); diff != "" {
			t.Fatalf("after %d batches (-want +got):\n%s", g+1, diff)
		}
	}
	if r.Generation() != 1 || begin(t, db).Generation() != 6 {
		t.Errorf("got generation %d, and %d for a new Reader; want 1 and 6", r.Generation(), begin(t, db).Generation())
	}
}

func TestAReaderServesSeveralGoroutines(t *testing.T) {
	db := storetest.Open(t)
	if err := db.Apply(t.Context(), numberedBatch(1), nil); err != nil {
		t.Fatal(err)
	}
	r := begin(t, db)
	want := mustRead(t, r)
	var readers sync.WaitGroup
	for range 8 {
		readers.Go(func() {
			for range 20 {
				got, err := readState(context.Background(), r)
				if err != nil || !reflect.DeepEqual(want, got) {
					t.Errorf("read something else, error %v", err)
					return
				}
			}
		})
	}
	for g := range uint64(20) {
		if err := db.Apply(t.Context(), numberedBatch(g+2), nil); err != nil {
			t.Error(err)
		}
	}
	readers.Wait()
}

// openReaders returns how many Readers are open, but for the one that counts.
func openReaders(t testing.TB, db *store.DB) int { return stats(t, db).Readers - 1 }

func TestNoTransactionOutlivesItsReader(t *testing.T) {
	db := storetest.Open(t)
	if err := db.Apply(t.Context(), numberedBatch(1), nil); err != nil {
		t.Fatal(err)
	}
	a, b := begin(t, db), begin(t, db)
	if got := openReaders(t, db); got != 2 {
		t.Errorf("got %d open readers, want 2", got)
	}
	a.Close()
	a.Close()
	b.Close()
	if got := openReaders(t, db); got != 0 {
		t.Errorf("got %d open readers after Close, want 0", got)
	}
	if _, err := a.Files(t.Context()); !errors.Is(err, store.ErrClosed) {
		t.Errorf("a closed Reader gave %v, want %v", err, store.ErrClosed)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := db.Begin(cancelled); !errors.Is(err, context.Canceled) {
		t.Errorf("Begin with a done context gave %v", err)
	}
	if got := openReaders(t, db); got != 0 {
		t.Errorf("got %d open readers after a refused Begin, want 0", got)
	}
}

func TestReadersThatAreClosedDoNotMakeTheFileGrow(t *testing.T) {
	if testing.Short() {
		t.Skip("hundreds of commits")
	}
	size := func(reading bool) int64 {
		path := filepath.Join(t.TempDir(), "index.db")
		db, err := store.Open(path, store.Options{CacheBytes: -1})
		if err != nil {
			t.Fatal(err)
		}
		defer storetest.Close(t, db)
		for version := range 300 {
			var r *store.Reader
			if reading {
				r = begin(t, db)
			}
			batch := &record.Batch{Files: []record.FileRecord{storetest.Record("a.go", storetest.Text(version, 200), 200)}}
			if err := db.Apply(t.Context(), batch, nil); err != nil {
				t.Fatal(err)
			}
			if reading {
				mustRead(t, r)
				r.Close()
			}
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	// A state that is read while the next is written needs room beside it.
	if without, with := size(false), size(true); with > 2*without {
		t.Errorf("the file has %d bytes when each batch is read meanwhile, and %d otherwise", with, without)
	}
}

func TestADamagedFileEndsReadersWithErrCorrupt(t *testing.T) {
	data, _ := smallIndex(t)
	db := openBytes(t, data)
	readers := []*store.Reader{begin(t, db), begin(t, db), begin(t, db)}
	if err := os.Truncate(db.Path(), 8192); err != nil {
		t.Fatal(err)
	}
	var calls sync.WaitGroup
	for _, r := range readers {
		calls.Go(func() {
			if _, err := readState(context.Background(), r); !errors.Is(err, store.ErrCorrupt) {
				t.Errorf("got %v, want %v", err, store.ErrCorrupt)
			}
		})
	}
	calls.Wait()
	select {
	case <-db.Damaged():
	default:
		t.Error("Damaged is not closed")
	}
	for _, r := range readers {
		r.Close()
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

func TestABatchIsPreparedBeforeItIsStored(t *testing.T) {
	db := storetest.Open(t)
	b := numberedBatch(1)
	err := db.Apply(t.Context(), b, func() error {
		if b.Generation != 1 || b.Files[0].File.Key == 0 || b.Files[0].Chunks[0].Key == 0 {
			t.Errorf("the batch has generation %d and file %+v", b.Generation, b.Files[0].File)
		}
		if db.Generation() != 0 {
			t.Error("the batch is stored before it is prepared")
		}
		return nil
	})
	if err != nil || db.Generation() != 1 {
		t.Errorf("Apply gave %v at generation %d", err, db.Generation())
	}
}

func TestAnErrorOfPrepareLeavesTheBatchAndTheIndex(t *testing.T) {
	db := storetest.Open(t)
	if err := db.Apply(t.Context(), numberedBatch(1), nil); err != nil {
		t.Fatal(err)
	}
	before := mustRead(t, begin(t, db))
	b, want := numberedBatch(2), numberedBatch(2)
	b.Touched, want.Touched = []record.File{{Path: "f1.go", Size: 7}}, []record.File{{Path: "f1.go", Size: 7}}
	boom := errors.New("boom")
	if err := db.Apply(t.Context(), b, func() error { return boom }); !errors.Is(err, boom) {
		t.Errorf("Apply gave %v, want %v", err, boom)
	}
	if diff := cmp.Diff(want, b); diff != "" {
		t.Errorf("the batch afterwards (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before, mustRead(t, begin(t, db))); diff != "" {
		t.Errorf("the index afterwards (-want +got):\n%s", diff)
	}
	func() {
		defer func() {
			if r := recover(); r != boom {
				t.Errorf("prepare panicked with %v, and Apply with %v", boom, r)
			}
		}()
		_ = db.Apply(t.Context(), b, func() error { panic(boom) })
	}()
	if diff := cmp.Diff(want, b); diff != "" {
		t.Errorf("the batch after a panic (-want +got):\n%s", diff)
	}
	if err := db.Apply(t.Context(), b, nil); err != nil || db.Generation() != 2 {
		t.Errorf("the batch without prepare: %v at generation %d", err, db.Generation())
	}
}

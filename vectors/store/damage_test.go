package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"ambit/vectors/record"
	"ambit/vectors/store"
	"ambit/vectors/storetest"
)

// smallIndex returns the bytes of an index and what reading all of it gives, after
// the last transaction and before: with one of its two meta pages damaged, a file
// is as it was one transaction ago.
func smallIndex(t *testing.T) (data []byte, want [][]any) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "index.db")
	db, err := store.Open(path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	read := func() {
		all, err := readAll(t.Context(), db)
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, all)
	}
	for g := range uint64(4) {
		b := numberedBatch(g + 1)
		b.History = &record.History{Head: fmt.Sprint(g)}
		// Long paths make the file table so large that it has branch pages.
		for i := range 5 {
			path := record.Path(fmt.Sprintf("%d/%d/%s", g, i, strings.Repeat("x", 600)))
			b.Files = append(b.Files, storetest.Record(path, storetest.Text(i, 3), 3))
		}
		if err := db.Apply(t.Context(), b, nil); err != nil {
			t.Fatal(err)
		}
	}
	read()
	if err := db.SaveView(t.Context(), "view", 4, bytes.Repeat([]byte("view"), 2000)); err != nil {
		t.Fatal(err)
	}
	read()
	storetest.Close(t, db)
	if data, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	return data, want
}

// readAll reads the latest state in every way there is.
func readAll(ctx context.Context, db *store.DB) ([]any, error) {
	r, err := db.Begin(ctx)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return readState(ctx, r)
}

// readState reads the index in every way there is.
func readState(ctx context.Context, r *store.Reader) (all []any, err error) {
	rows, err := r.Files(ctx)
	if err != nil {
		return nil, err
	}
	files := storetest.Decode(rows)
	all = append(all, files, r.Generation())
	var keys []record.Key
	for _, f := range files {
		for i := range f.Chunks.N {
			keys = append(keys, f.Chunks.First+record.Key(i))
		}
		content, err := r.Content(ctx, f.Path)
		if err != nil {
			return nil, err
		}
		graph, err := r.Graph(ctx, f.Path)
		if err != nil {
			return nil, err
		}
		all = append(all, string(content), graph)
	}
	chunks, err := r.Chunks(ctx, keys)
	if err != nil {
		return nil, err
	}
	vectors, err := r.Vectors(ctx, keys)
	if err != nil {
		return nil, err
	}
	var codes []byte
	err = r.EachCodes(ctx, func(_ record.Key, c []byte, _ []float32) error {
		codes = append(codes, c...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	view, _, err := r.LoadView(ctx, "view")
	if err != nil {
		return nil, err
	}
	history, err := r.History(ctx)
	if err != nil {
		return nil, err
	}
	return append(all, chunks, vectors, codes, string(view), history), nil
}

// damage is one way to spoil the bytes of a file.
type damage struct {
	name  string
	spoil func(data []byte) []byte
}

// damages spoils every page in several ways: its header, its elements, its data.
func damages(size int) (list []damage) {
	const page = 4096
	rng := rand.New(rand.NewPCG(1, 2))
	edit := func(name string, f func([]byte)) {
		list = append(list, damage{name, func(data []byte) []byte {
			f(data)
			return data
		}})
	}
	for at := 0; at < size; at += page {
		offsets := []int{0, 8, 9, 10, 12, 16, 20, 24, 28, 40, 44, 48, 56, 72, 100 + rng.IntN(page-100)}
		for _, i := range rng.Perm(len(offsets))[:5] {
			o := offsets[i]
			bit := byte(1) << rng.IntN(8)
			edit(fmt.Sprintf("bit %#x at %d", bit, at+o), func(data []byte) { data[at+o] ^= bit })
		}
		if at%(5*page) == 0 {
			edit(fmt.Sprintf("zeros at %d", at), func(data []byte) { clear(data[at:min(at+page, size)]) })
			edit(fmt.Sprintf("noise at %d", at), func(data []byte) {
				for i := range page {
					data[at+i] = byte(rng.Uint32())
				}
			})
			to := (at + 7*page) % size
			edit(fmt.Sprintf("page %d is page %d", to/page, at/page), func(data []byte) { copy(data[to:to+page], data[at:at+page]) })
			for _, n := range []int{at, at + 1, at + 2000} {
				list = append(list, damage{fmt.Sprintf("cut at %d", n), func(data []byte) []byte { return data[:n] }})
			}
		}
	}
	return list
}

func TestADamagedFileIsReadRightOrIsErrCorrupt(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of damaged files")
	}
	data, want := smallIndex(t)
	used := len(data)
	for used > 4096 && bytes.Count(data[used-4096:used], []byte{0}) == 4096 {
		used -= 4096 // room that is not used yet
	}
	dir := t.TempDir()
	right, corrupt := 0, 0
	for _, d := range damages(used) {
		path := filepath.Join(dir, "index.db")
		if err := os.WriteFile(path, d.spoil(slices.Clone(data)), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := openAndRead(t, path)
		switch {
		case err == nil && slices.ContainsFunc(want, func(w []any) bool { return reflect.DeepEqual(w, got) }),
			err == nil && len(got) == 0: // an empty file is a new index
			right++
		case errors.Is(err, store.ErrCorrupt), errors.Is(err, store.ErrFormat):
			corrupt++
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: more than a line: %v", d.name, err)
			}
		default:
			t.Errorf("%s: wrong data or error %v", d.name, err)
		}
	}
	if right < 50 || corrupt < 50 {
		t.Errorf("%d damages did not matter and %d were found; both should be many", right, corrupt)
	}
}

// openAndRead opens the index at path, reads all, writes a batch, and reads again.
func openAndRead(t *testing.T, path string) ([]any, error) {
	db, err := store.Open(path, store.Options{})
	if err != nil {
		return nil, err
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}()
	all, err := readAll(t.Context(), db)
	if err != nil {
		return nil, err
	}
	if db.Generation() == 0 {
		return nil, nil
	}
	if err := db.Apply(t.Context(), numberedBatch(9), nil); err != nil {
		return nil, err
	}
	if _, err := readAll(t.Context(), db); err != nil {
		return nil, err
	}
	return all, storetest.Check(t.Context(), db)
}

func TestAFileThatIsCutWhileOpenIsErrCorrupt(t *testing.T) {
	data, _ := smallIndex(t)
	calls := map[string]func(*store.DB) error{
		"reading": func(db *store.DB) error {
			_, err := readAll(t.Context(), db)
			return err
		},
		"Apply": func(db *store.DB) error { return db.Apply(t.Context(), numberedBatch(1), nil) },
		"Check": func(db *store.DB) error { return db.Check(t.Context()) },
	}
	for name, call := range calls {
		for _, size := range []int64{0, 4096, 8192, 50_000} {
			db := openBytes(t, data)
			if err := os.Truncate(db.Path(), size); err != nil {
				t.Fatal(err)
			}
			for range 2 { // once found, it stays so
				if err := call(db); !errors.Is(err, store.ErrCorrupt) {
					t.Errorf("%s after a cut at %d gave %v, want ErrCorrupt", name, size, err)
				}
			}
			if err := db.Close(); err != nil {
				t.Error(err)
			}
			rebuilt, _, err := store.OpenOrRebuild(db.Path(), store.Options{})
			if err != nil {
				t.Fatalf("%s after a cut at %d: %v", name, size, err)
			}
			storetest.Close(t, rebuilt)
		}
	}
}

// An index of as many batches or more, such as an older one that a backup puts back, is
// whole: only its identity tells that it is not the one that was opened.
func TestAnotherIndexInPlaceOfTheOpenOneIsErrCorrupt(t *testing.T) {
	data, _ := smallIndex(t)
	for name, call := range map[string]func(db *store.DB) error{
		"a read":  func(db *store.DB) error { _, err := db.Begin(t.Context()); return err },
		"a batch": func(db *store.DB) error { return db.Apply(t.Context(), numberedBatch(2), nil) },
	} {
		path := filepath.Join(t.TempDir(), "index.db")
		db, err := store.Open(path, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := db.Apply(t.Context(), numberedBatch(1), nil); err != nil {
			t.Fatal(err)
		}
		file, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := file.WriteAt(data, 0); err != nil {
			t.Fatal(err)
		}
		file.Close()
		if err := call(db); !errors.Is(err, store.ErrCorrupt) || !isClosed(db.Damaged()) {
			t.Errorf("%s: got %v, want ErrCorrupt and the index given up", name, err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}

// openBytes opens an index with these bytes. The caller closes it.
func openBytes(t *testing.T, data []byte) *store.DB {
	t.Helper()
	path := filepath.Join(t.TempDir(), "index.db")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// openToSpoil opens an index with these bytes, and its file for writing. The caller closes both.
func openToSpoil(t *testing.T, data []byte) (*store.DB, *os.File) {
	t.Helper()
	db := openBytes(t, data)
	file, err := os.OpenFile(db.Path(), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	return db, file
}

// Many calls are under way when the pages are overwritten that each of them begins with.
// Each ends, and then the file can be closed and opened again.
func TestCallsOnMetaPagesThatAreOverwrittenEnd(t *testing.T) {
	data, _ := smallIndex(t)
	for round := range 40 {
		db, file := openToSpoil(t, data)
		var calls sync.WaitGroup
		begun := make(chan struct{}, 1)
		repeat := func(call func() error) {
			calls.Go(func() {
				var err error
				for err == nil {
					err = call()
					select {
					case begun <- struct{}{}:
					default:
					}
				}
				if !errors.Is(err, store.ErrCorrupt) {
					t.Errorf("round %d: %v, want %v", round, err, store.ErrCorrupt)
				}
			})
		}
		for range 6 {
			repeat(func() error {
				r, err := db.Begin(t.Context())
				if err == nil {
					r.Close()
				}
				return err
			})
		}
		if round%2 == 0 {
			repeat(func() error { return db.Apply(t.Context(), numberedBatch(9), nil) })
		}
		<-begun
		overwritten := make(chan struct{})
		go func() { // also the meta pages that Apply writes meanwhile
			defer close(overwritten)
			for !isClosed(db.Damaged()) {
				if _, err := file.WriteAt(bytes.Repeat([]byte{0xa5}, 2*4096), 0); err != nil {
					t.Error(err)
					return
				}
			}
		}()
		calls.Wait()
		<-overwritten
		if err := errors.Join(db.Close(), file.Close()); err != nil {
			t.Error(err)
		}
		rebuilt, _, err := store.OpenOrRebuild(db.Path(), store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		storetest.Close(t, rebuilt)
	}
}

// isClosed reports whether a channel that never holds a value is closed.
func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func TestPagesThatGoInCirclesAreErrCorrupt(t *testing.T) {
	data, _ := smallIndex(t)
	circles := 0
	for at := 2 * 4096; at < len(data); at += 4096 {
		if data[at+8] != 1 || data[at+10] == 0 || data[at+9] != 0 || !bytes.Equal(data[at:at+8], pageID(at/4096)) {
			continue
		}
		spoilt := slices.Clone(data)
		copy(spoilt[at+16+8:], spoilt[at:at+8]) // the first child of a branch is itself
		path := filepath.Join(t.TempDir(), "index.db")
		if err := os.WriteFile(path, spoilt, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := openAndRead(t, path); errors.Is(err, store.ErrCorrupt) {
			circles++
		} else if err != nil {
			t.Errorf("page %d: %v", at/4096, err)
		}
	}
	if circles == 0 {
		t.Error("no branch page was found")
	}
}

func pageID(id int) []byte { return []byte{byte(id), byte(id >> 8), 0, 0, 0, 0, 0, 0} }

// bbolt would free as many pages as the header claims, one by one.
func TestAListOfFreePagesThatIsSpoiltWhileOpenIsErrCorrupt(t *testing.T) {
	data, _ := smallIndex(t)
	db, file := openToSpoil(t, data)
	defer db.Close()
	defer file.Close()
	lists := 0
	for at := 2 * 4096; at < len(data); at += 4096 {
		if data[at+8] == 0x10 && data[at+9] == 0 && bytes.Equal(data[at:at+8], pageID(at/4096)) { // also former ones
			if _, err := file.WriteAt([]byte{0xff, 0xff, 0xff, 0xff}, int64(at+12)); err != nil { // the overflow
				t.Fatal(err)
			}
			lists++
		}
	}
	if err := db.Apply(t.Context(), numberedBatch(9), nil); !errors.Is(err, store.ErrCorrupt) || lists == 0 {
		t.Errorf("Apply with %d spoilt lists gave %v, want %v", lists, err, store.ErrCorrupt)
	}
}

// bbolt would free as many pages as the header of a page claims that it writes again, up to one that
// is free already: if none is behind it, until the memory is full.
func TestAPageThatIsSpoiltWhileOpenFreesNoOthers(t *testing.T) {
	first := storetest.Open(t)
	if err := first.Apply(t.Context(), numberedBatch(1), nil); err != nil {
		t.Fatal(err)
	}
	storetest.Close(t, first)
	data, err := os.ReadFile(first.Path())
	if err != nil {
		t.Fatal(err)
	}
	refused := 0
	for at := 2 * 4096; at < len(data); at += 4096 {
		if data[at+8] > 2 || data[at+9] != 0 || !bytes.Equal(data[at:at+8], pageID(at/4096)) { // branches and leaves, also former ones
			continue
		}
		db, file := openToSpoil(t, data)
		if _, err := file.WriteAt([]byte{0, 0, 1, 0}, int64(at+12)); err != nil { // the overflow: more pages than there are
			t.Fatal(err)
		}
		switch err := db.Apply(t.Context(), numberedBatch(9), nil); {
		case err == nil: // it does not write this page
		case !errors.Is(err, store.ErrCorrupt):
			t.Errorf("page %d: %v", at/4096, err)
		case strings.Contains(err.Error(), "does not say how long it is"):
			refused++ // before anything was freed
		}
		if err := errors.Join(db.Close(), file.Close()); err != nil {
			t.Error(err)
		}
	}
	if refused < 3 {
		t.Errorf("Apply found %d of the spoilt pages before it freed any", refused)
	}
}

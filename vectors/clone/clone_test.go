package clone_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ambit/vectors/clone"
	"ambit/vectors/record"
	"ambit/vectors/store"
	"ambit/vectors/storetest"
)

// filled opens an index with some files, some of them changed once.
func filled(t testing.TB, n int) *store.DB {
	t.Helper()
	db := storetest.Open(t)
	for _, version := range []int{1, 2} {
		b := &record.Batch{History: &record.History{Head: "abc"}}
		for i := range n {
			b.Files = append(b.Files, storetest.Record(record.Path(fmt.Sprintf("f%03d.go", i)), storetest.Text(version*1000+i, 4), 4))
		}
		if err := db.Apply(t.Context(), b, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.SaveView(t.Context(), "view", db.Generation(), []byte("view")); err != nil {
		t.Fatal(err)
	}
	return db
}

func stats(t testing.TB, db *store.DB) store.Stats {
	t.Helper()
	st, err := storetest.Stats(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	return st
}

func TestACopyHoldsWhatTheOpenOriginalHolds(t *testing.T) {
	db := filled(t, 300)
	files, err := store.ReadFiles(db.Path(), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want, err := storetest.Files(t.Context(), db)
	if diff := cmp.Diff(want, storetest.Decode(files)); diff != "" || err != nil {
		t.Fatalf("files without the lock (-want +got): %v\n%s", err, diff)
	}
	path := filepath.Join(t.TempDir(), "index.db")
	if err := clone.Make(t.Context(), path, db.Path(), store.Options{}); err != nil {
		t.Fatal(err)
	}
	copied := storetest.OpenAt(t, path)
	for i := range want {
		want[i].ModTime = -1 // not known to be in the workspace of the copy
	}
	got, err := storetest.Files(t.Context(), copied)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("files of the copy (-want +got): %v\n%s", err, diff)
	}
	old := storetest.Record("f007.go", storetest.Text(1007, 4), 4)
	if _, ok, err := copied.Lookup(t.Context(), "f007.go", old.File.Hash); !ok || err != nil {
		t.Errorf("the copy has no earlier revisions: %t, %v", ok, err)
	}
	r, err := copied.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	if view, _, err := r.LoadView(t.Context(), "view"); string(view) != "view" || err != nil {
		t.Errorf("view %q of the copy, %v", view, err)
	}
	if h, err := r.History(t.Context()); h.Head != "" || err != nil {
		t.Errorf("the copy has the history of %q, %v", h.Head, err)
	}
	if st := stats(t, copied); st.ClonedFrom != db.Path() || st.Embedded != 0 {
		t.Errorf("got %+v, want the copy to say where it is from and that it embedded nothing", st)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the copy has mode %v, %v", info.Mode(), err)
	}
	left, err := filepath.Glob(path + "?*")
	if len(left) != 0 || err != nil {
		t.Errorf("left behind: %q, %v", left, err)
	}
}

func TestACopyIsRefused(t *testing.T) {
	db := filled(t, 3)
	data, err := os.ReadFile(db.Path())
	if err != nil {
		t.Fatal(err)
	}
	write := func(t *testing.T, data []byte) string {
		path := filepath.Join(t.TempDir(), "bad.db")
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	tests := []struct {
		name string
		from func(t *testing.T) string
		o    store.Options
		want error
	}{
		{"of nothing", func(t *testing.T) string { return filepath.Join(t.TempDir(), "none") }, store.Options{}, os.ErrNotExist},
		{"of an empty file", func(t *testing.T) string { return write(t, nil) }, store.Options{}, store.ErrCorrupt},
		{"of other bytes", func(t *testing.T) string { return write(t, []byte(strings.Repeat("x", 1<<16))) }, store.Options{}, store.ErrCorrupt},
		{"of half a file", func(t *testing.T) string { return write(t, data[:len(data)/64]) }, store.Options{}, store.ErrCorrupt},
		{"of another model", func(*testing.T) string { return db.Path() }, store.Options{Model: "other"}, store.ErrModel},
		{"of another recipe", func(*testing.T) string { return db.Path() }, store.Options{Recipe: "other"}, store.ErrRecipe},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			from := tt.from(t)
			if _, err := store.ReadFiles(from, tt.o); !errors.Is(err, tt.want) {
				t.Errorf("ReadFiles: got %v, want %v", err, tt.want)
			}
			path := filepath.Join(t.TempDir(), "index.db")
			if err := clone.Make(t.Context(), path, from, tt.o); !errors.Is(err, tt.want) {
				t.Errorf("Make: got %v, want %v", err, tt.want)
			}
			if left, err := filepath.Glob(path + "*"); len(left) != 0 || err != nil {
				t.Errorf("left behind: %q, %v", left, err)
			}
		})
	}
	t.Run("over another index", func(t *testing.T) {
		other := filled(t, 2)
		if err := clone.Make(t.Context(), other.Path(), db.Path(), store.Options{}); !errors.Is(err, os.ErrExist) {
			t.Errorf("got %v, want %v", err, os.ErrExist)
		}
		if got := stats(t, other).Files; got != 2 {
			t.Errorf("the other index has %d files, want 2", got)
		}
	})
}

func TestACopyOfAnIndexThatIsWrittenToIsWholeOrRefused(t *testing.T) {
	db := filled(t, 40)
	ctx, cancel := context.WithCancel(t.Context())
	written := make(chan error, 1)
	go func() {
		var err error
		for i := 0; ctx.Err() == nil && err == nil; i++ {
			b := &record.Batch{}
			for j := range 1 + i%5 {
				b.Files = append(b.Files, storetest.Record(record.Path(fmt.Sprintf("f%03d.go", (i+j)%40)), storetest.Text(i, 3), 3))
			}
			err = db.Apply(context.Background(), b, nil)
		}
		written <- err
	}()
	var copied, refused int
	for i := 0; i < 2000 && copied < 20; i++ {
		path := filepath.Join(t.TempDir(), "index.db")
		switch err := clone.Make(t.Context(), path, db.Path(), store.Options{}); {
		case errors.Is(err, store.ErrChanged):
			refused++
			continue
		case err != nil:
			t.Fatal(err)
		}
		copied++
		c, err := store.Open(path, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		storetest.Close(t, c)
	}
	cancel()
	if err := <-written; err != nil {
		t.Fatal(err)
	}
	if copied == 0 {
		t.Errorf("no copy was made in %d tries", refused)
	}
	t.Logf("%d copies made, %d refused", copied, refused)
}

func TestTheHalfCopyOfAKilledProcessIsRemovedInTime(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	long := time.Now().Add(-2 * time.Hour)
	for name, at := range map[string]time.Time{"index.db.clone-1": long, "index.db.clone-2": time.Now(), "other.db.clone-3": long} {
		full := filepath.Join(filepath.Dir(path), name)
		if err := os.WriteFile(full, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(full, at, at); err != nil {
			t.Fatal(err)
		}
	}
	clone.RemoveStale(path)
	var left []string
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if want := []string{"index.db.clone-2", "other.db.clone-3"}; !slices.Equal(want, left) {
		t.Errorf("%q are left, want %q", left, want)
	}
}

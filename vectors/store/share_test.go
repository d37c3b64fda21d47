package store_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/vectors/record"
	"ambit/vectors/store"
	"ambit/vectors/storetest"
)

// share shares the index at path, which is closed.
func share(t *testing.T, path string) {
	t.Helper()
	temporary := path + ".new"
	if err := os.WriteFile(temporary, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := store.Share(t.Context(), path, temporary, store.Options{}); err != nil {
		t.Fatal(err)
	}
}

// layersBeside returns the layers in the folder of an index.
func layersBeside(t *testing.T, path string) []string {
	t.Helper()
	layers, err := filepath.Glob(filepath.Join(filepath.Dir(path), "layer-*.db"))
	if err != nil {
		t.Fatal(err)
	}
	return layers
}

// wholeOf reads an index in every way there is.
func wholeOf(t *testing.T, db *store.DB) []any {
	t.Helper()
	all, err := readAll(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func TestAnIndexOnLayersHoldsWhatOneWithoutHolds(t *testing.T) {
	plain := storetest.Open(t)
	path := filepath.Join(t.TempDir(), "index.db")
	layered := storetest.OpenAt(t, path)
	for g := range uint64(12) {
		b := numberedBatch(g + 1)
		b.History = &record.History{Head: fmt.Sprint(g)}
		if g%3 == 1 {
			b.Files, b.Removed = nil, []record.Path{"f0.go", "f7.go"}
		}
		again := *b
		again.Files = append([]record.FileRecord(nil), b.Files...)
		apply(t, plain, b)
		apply(t, layered, &again)
		for _, db := range []*store.DB{plain, layered} {
			if err := db.SaveView(t.Context(), "view", g+1, bytes.Repeat([]byte{byte(g)}, int(g%4)*100)); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(wholeOf(t, plain), wholeOf(t, layered)); diff != "" {
			t.Fatalf("after batch %d (-without layers +with):\n%s", g, diff)
		}
		if g%2 == 0 {
			storetest.Close(t, layered)
			share(t, path)
			layered = storetest.OpenAt(t, path)
			if diff := cmp.Diff(wholeOf(t, plain), wholeOf(t, layered)); diff != "" {
				t.Fatalf("shared after batch %d (-without layers +with):\n%s", g, diff)
			}
		}
	}
	files, err := store.ReadFiles(path, store.Options{})
	want, wantErr := storetest.Files(t.Context(), plain)
	if diff := cmp.Diff(want, storetest.Decode(files)); diff != "" || err != nil || wantErr != nil {
		t.Errorf("files without the lock: %v, %v (-want +got):\n%s", err, wantErr, diff)
	}
	if n := len(layersBeside(t, path)); n < 2 {
		t.Errorf("%d layers, want several", n)
	}
}

func TestALayerIsPrivateAndNotWrittenToAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	db := storetest.OpenAt(t, path)
	apply(t, db, numberedBatch(1))
	storetest.Close(t, db)
	share(t, path)
	layer := layersBeside(t, path)[0]
	before, err := os.ReadFile(layer)
	if err != nil {
		t.Fatal(err)
	}
	db = storetest.OpenAt(t, path)
	for g := uint64(2); g < 6; g++ {
		apply(t, db, numberedBatch(g))
	}
	storetest.Close(t, db)
	after, err := os.ReadFile(layer)
	if err != nil || !bytes.Equal(before, after) {
		t.Errorf("the layer was written to: %v", err)
	}
	for _, name := range []string{path, layer} {
		if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v, %v; want 0600", name, info.Mode(), err)
		}
	}
}

func TestAnIndexWithoutItsLayerIsRebuilt(t *testing.T) {
	for _, tt := range []struct {
		name  string
		spoil func(layer string) error
	}{
		{"absent", os.Remove},
		{"cut off", func(layer string) error { return os.Truncate(layer, 8192) }},
		{"empty", func(layer string) error { return os.Truncate(layer, 0) }},
		{"another index", func(layer string) error {
			db, err := store.Open(layer+".other", store.Options{})
			if err != nil {
				return err
			}
			if err := errors.Join(db.Apply(t.Context(), numberedBatch(3), nil), db.Close()); err != nil {
				return err
			}
			return os.Rename(layer+".other", layer)
		}},
		{"written to", func(layer string) error {
			db, err := store.Open(layer, store.Options{})
			if err != nil {
				return err
			}
			return errors.Join(db.Apply(t.Context(), numberedBatch(3), nil), db.Close())
		}},
		{"a link", func(layer string) error {
			return errors.Join(os.Rename(layer, layer+".real"), os.Symlink(layer+".real", layer))
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "index.db")
			db := storetest.OpenAt(t, path)
			apply(t, db, numberedBatch(1))
			storetest.Close(t, db)
			share(t, path)
			if err := tt.spoil(layersBeside(t, path)[0]); err != nil {
				t.Fatal(err)
			}
			if _, err := store.ReadFiles(path, store.Options{}); !errors.Is(err, store.ErrCorrupt) {
				t.Errorf("read without the lock: %v, want %v", err, store.ErrCorrupt)
			}
			if _, err := store.Open(path, store.Options{}); !errors.Is(err, store.ErrCorrupt) {
				t.Errorf("opened: %v, want %v", err, store.ErrCorrupt)
			}
			db, notice, err := store.OpenOrRebuild(path, store.Options{})
			if err != nil || notice == "" {
				t.Fatalf("OpenOrRebuild: notice %q, %v; want a new index", notice, err)
			}
			defer storetest.Close(t, db)
			if files, err := storetest.Files(t.Context(), db); len(files) != 0 || err != nil {
				t.Errorf("the new index holds %d files, %v", len(files), err)
			}
			if left := layersBeside(t, path); len(left) != 0 || !store.MovedAside(path) {
				t.Errorf("left beside the new index: %q", left)
			}
		})
	}
}

// A layer is spoilt at many places in turn. Whatever is still read is what was written.
func TestADamagedLayerNeverAnswersWrong(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	db := storetest.OpenAt(t, path)
	apply(t, db, numberedBatch(1))
	storetest.Close(t, db)
	share(t, path)
	db = storetest.OpenAt(t, path)
	apply(t, db, numberedBatch(2))
	want := wholeOf(t, db)
	storetest.Close(t, db)
	layer := layersBeside(t, path)[0]
	sound, err := os.ReadFile(layer)
	if err != nil {
		t.Fatal(err)
	}
	index, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const places = 60
	refused := 0
	for at := 0; at < len(sound); at += len(sound)/places | 1 { // odd, to meet all parts of pages
		spoilt := bytes.Clone(sound)
		for i := at; i < min(at+40, len(sound)); i++ {
			spoilt[i] ^= 0xA5
		}
		if err := errors.Join(os.WriteFile(layer, spoilt, 0o600), os.WriteFile(path, index, 0o600)); err != nil {
			t.Fatal(err)
		}
		db, err := store.Open(path, store.Options{})
		if err == nil {
			var got []any
			if got, err = readAll(t.Context(), db); err == nil {
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("damage at byte %d (-want +got):\n%s", at, diff)
				}
			}
			_ = db.Close() // of a file that may be damaged
		}
		if err != nil {
			refused++
			if !errors.Is(err, store.ErrCorrupt) {
				t.Errorf("damage at byte %d: %v, want %v", at, err, store.ErrCorrupt)
			}
		}
	}
	if refused == 0 {
		t.Error("no damage was found")
	}
}

func TestWhatAKilledShareLeavesDoesNoHarm(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	db := storetest.OpenAt(t, path)
	apply(t, db, numberedBatch(1))
	want := wholeOf(t, db)
	storetest.Close(t, db)
	if err := os.Link(path, filepath.Join(filepath.Dir(path), "layer-0123456789abcdef.db")); err != nil {
		t.Fatal(err)
	}
	db, notice, err := store.OpenOrRebuild(path, store.Options{})
	if err != nil || notice != "" {
		t.Fatalf("OpenOrRebuild: %q, %v", notice, err)
	}
	defer storetest.Close(t, db)
	if diff := cmp.Diff(want, wholeOf(t, db)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if left := layersBeside(t, path); len(left) != 0 {
		t.Errorf("left: %q", left)
	}
}

package store_test

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ambit/vectors/record"
	"ambit/vectors/store"
	"ambit/vectors/storetest"
)

// written returns the path of an index of one file, and of options o.
func written(t *testing.T, o store.Options) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "cache", "index.db")
	db, err := store.Open(path, o)
	if err != nil {
		t.Fatal(err)
	}
	b := &record.Batch{Files: []record.FileRecord{storetest.Record("a.go", storetest.Text(1, 3), 3)}}
	if err := db.Apply(t.Context(), b, nil); err != nil {
		t.Fatal(err)
	}
	storetest.Close(t, db)
	return path
}

func TestTheFileIsPrivate(t *testing.T) {
	path := written(t, store.Options{})
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	storetest.OpenAt(t, path)
	for p, want := range map[string]fs.FileMode{path: 0o600, filepath.Dir(path): 0o700} {
		info, err := os.Stat(p)
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s has mode %v (%v), want %v", filepath.Base(p), info.Mode().Perm(), err, want)
		}
	}
}

func TestAFileOfAnotherKindIsRefusedAndThenRebuilt(t *testing.T) {
	made := store.Options{Model: "m", Dim: storetest.Dim, Recipe: "r"}
	tests := []struct {
		name   string
		spoil  func(t *testing.T, path string)
		open   store.Options
		want   error
		notice string
	}{
		{"nothing changed", nil, made, nil, ""},
		{"no options", nil, store.Options{}, nil, ""},
		{"another model", nil, store.Options{Model: "n"}, store.ErrModel, "embedding model"},
		{"another dimension", nil, store.Options{Dim: 7}, store.ErrModel, "embedding model"},
		{"another recipe", nil, store.Options{Recipe: "s"}, store.ErrRecipe, "other settings"},
		{"another version", func(t *testing.T, path string) {
			db, err := store.Open(path, store.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(db.SetVersion(99), db.Close()); err != nil {
				t.Fatal(err)
			}
		}, made, store.ErrFormat, "another version of ambit"},
		{"text", func(t *testing.T, path string) { write(t, path, strings.Repeat("not an index", 1000)) }, made, store.ErrCorrupt, "damaged"},
		{"a single byte", func(t *testing.T, path string) { write(t, path, "x") }, made, store.ErrCorrupt, "damaged"},
		{"nothing inside", func(t *testing.T, path string) { write(t, path, "") }, made, nil, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := written(t, made)
			if tt.spoil != nil {
				tt.spoil(t, path)
			}
			before, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			db, err := store.Open(path, tt.open)
			if !errors.Is(err, tt.want) {
				t.Fatalf("Open gave %v, want %v", err, tt.want)
			}
			if err == nil {
				storetest.Close(t, db)
			} else if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
				t.Errorf("the refused file is not as it was (%v)", err)
			}

			db, notice, err := store.OpenOrRebuild(path, tt.open)
			if err != nil {
				t.Fatal(err)
			}
			defer storetest.Close(t, db)
			if (notice == "") != (tt.notice == "") || !strings.Contains(notice, tt.notice) || strings.Contains(notice, "\n") {
				t.Errorf("notice %q, want one line with %q", notice, tt.notice)
			}
			if kept, err := os.ReadFile(path + ".bad-1"); (tt.notice != "") != (err == nil) || err == nil && string(kept) != string(before) {
				t.Errorf("the file that was moved aside: %v", err)
			}
		})
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestFewBadFilesAreKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	for _, text := range []string{"first", "second", "third", "fourth"} {
		write(t, path, text)
		db, notice, err := store.OpenOrRebuild(path, store.Options{})
		if err != nil || notice == "" {
			t.Fatalf("notice %q, %v", notice, err)
		}
		storetest.Close(t, db)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, e := range entries {
		if e.Name() != "index.db" {
			b, err := os.ReadFile(filepath.Join(filepath.Dir(path), e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			got[e.Name()] = string(b)
		}
	}
	if len(got) != store.KeptBad || got["index.db.bad-1"] != "fourth" || got["index.db.bad-2"] != "third" {
		t.Errorf("kept %v", got)
	}
}

func TestAPlaceThatCannotHoldTheIndexNamesTheNextStep(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "x")
	for name, path := range map[string]string{"below a file": filepath.Join(file, "ambit", "index.db"), "a folder": filepath.Dir(file)} {
		_, notice, err := store.OpenOrRebuild(path, store.Options{})
		if err == nil || notice != "" || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got notice %q and %v, want an error of one line", name, notice, err)
		}
		if _, err := os.Stat(filepath.Dir(file)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, cause := range []error{syscall.EACCES, syscall.EPERM, syscall.EROFS, syscall.ENOTDIR, syscall.ENOSPC, syscall.EDQUOT} {
		err := store.Explain(&fs.PathError{Op: "open", Path: "/x", Err: cause})
		if !errors.Is(err, cause) || !strings.Contains(err.Error(), "XDG_CACHE_HOME") {
			t.Errorf("%v is explained as %q", cause, err)
		}
	}
}

// Tables that are inside of the page of tables share it: with some hundred bytes in
// each there is a size at which they need two.
func TestSmallIndexesOfEverySizeOpenAgain(t *testing.T) {
	dir := t.TempDir()
	noise := rand.New(rand.NewPCG(1, 2))
	for n := 100; n <= 900; n += 50 {
		path := filepath.Join(dir, fmt.Sprint(n))
		text := make([]byte, n)
		for i := range text {
			text[i] = byte(noise.Uint32())
		}
		db, err := store.Open(path, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for _, content := range [][]byte{text, text[n/2:]} { // the first goes to the cache
			b := &record.Batch{Files: []record.FileRecord{storetest.Record("a.go", content, 2)}, History: &record.History{Head: string(text)}}
			if err := db.Apply(t.Context(), b, nil); err != nil {
				t.Fatal(err)
			}
		}
		if err := db.SaveView(t.Context(), "view", 2, text); err != nil {
			t.Fatal(err)
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		storetest.OpenAt(t, path)
	}
}

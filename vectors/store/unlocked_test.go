package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

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

// A damaged page leads ReadFiles to an error or to the files of the index, never
// to a panic.
func TestReadFilesOfADamagedFileNeverPanics(t *testing.T) {
	db := filled(t, 40)
	data, err := os.ReadFile(db.Path())
	if err != nil {
		t.Fatal(err)
	}
	want, err := storetest.Files(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "bad.db")
	refused := 0
	for i, d := range damages(len(data)) {
		if i%5 != 0 { // all of them take 8 s
			continue
		}
		if err := os.WriteFile(path, d.spoil(slices.Clone(data)), 0o600); err != nil {
			t.Fatal(err)
		}
		rows, err := store.ReadFiles(path, store.Options{})
		got := storetest.Decode(rows)
		if err != nil {
			refused++
			continue
		}
		// A damaged meta page leads to the state before.
		if len(got) != len(want) || got[0].Generation == want[0].Generation && !slices.Equal(want, got) {
			t.Errorf("%s: other files were read", d.name)
		}
	}
	if refused == 0 {
		t.Error("no damage was noticed")
	}
}

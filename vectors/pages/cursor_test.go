package pages_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"

	"ambit/vectors/pages"
)

// newFile returns a file of bbolt with two tables that were written side by side, one in order and
// one in no order, with short and long values, and the seed of its contents.
func newFile(t *testing.T, seed uint64) *bbolt.DB {
	t.Helper()
	db, err := bbolt.Open(filepath.Join(t.TempDir(), "index.db"), 0o600, &bbolt.Options{NoSync: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	r := rand.New(rand.NewPCG(seed, 1))
	for batch := range 12 {
		err := db.Update(func(tx *bbolt.Tx) error {
			for _, name := range []string{"ordered", "mixed"} {
				b, err := tx.CreateBucketIfNotExists([]byte(name))
				if err != nil {
					return err
				}
				for i := range 150 {
					n := batch*150 + i
					if name == "mixed" {
						n = r.IntN(1 << 20)
					}
					value := make([]byte, r.IntN(300))
					if r.IntN(10) == 0 {
						value = make([]byte, r.IntN(40_000))
					}
					for i := range value {
						value[i] = byte(r.Uint32())
					}
					if err := b.Put(binary.BigEndian.AppendUint32(nil, uint32(n)), value); err != nil {
						return err
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return db
}

// treeOf returns the tree of a table that is not empty.
func treeOf(tx *bbolt.Tx, table string, file *os.File) pages.Tree {
	size := tx.DB().Info().PageSize
	return pages.Tree{File: file, PageSize: size, Pages: uint64(tx.Size() / int64(size)), Root: uint64(tx.Bucket([]byte(table)).Root())}
}

func open(t *testing.T, path string) *os.File {
	t.Helper()
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return file
}

func TestACursorReadsWhatBboltReads(t *testing.T) {
	for seed := range uint64(4) {
		db := newFile(t, seed)
		file := open(t, db.Path())
		r := rand.New(rand.NewPCG(seed, 2))
		err := db.View(func(tx *bbolt.Tx) error {
			for _, table := range []string{"ordered", "mixed"} {
				got, want := pages.NewCursor(treeOf(tx, table, file)), tx.Bucket([]byte(table)).Cursor()
				for try := range 50 {
					from, steps := binary.BigEndian.AppendUint32(nil, r.Uint32N(1<<20)), 20
					switch try {
					case 0:
						from, steps = nil, 5000
					case 1:
						from = []byte{0xff}
					}
					key, value := got.Seek(from)
					wantKey, wantValue := want.Seek(from)
					for range steps {
						if !bytes.Equal(key, wantKey) || !bytes.Equal(value, wantValue) || (key == nil) != (wantKey == nil) || got.Err() != nil {
							return fmt.Errorf("seed %d, %s from %x: pair %x with %d bytes, want %x with %d; %v", seed, table, from, key, len(value), wantKey, len(wantValue), got.Err())
						}
						if key == nil {
							break
						}
						key, value = got.Next()
						wantKey, wantValue = want.Next()
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// A damaged page ends a cursor with an error or gives other bytes, which their checksums tell. It never panics
// and never goes on for ever.
func TestACursorEndsInADamagedFile(t *testing.T) {
	db := newFile(t, 7)
	data, err := os.ReadFile(db.Path())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "damaged.db")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	file := open(t, path)
	r := rand.New(rand.NewPCG(7, 3))
	size, found := db.Info().PageSize, 0
	err = db.View(func(tx *bbolt.Tx) error {
		tree := treeOf(tx, "mixed", file)
		for range 800 {
			at := r.IntN(len(data)/size)*size + r.IntN(64) // headers and the first elements
			spoilt := bytes.Clone(data[at : at+4])
			binary.LittleEndian.PutUint32(spoilt, []uint32{0, 1, 0xffffffff, uint32(tree.Root), r.Uint32()}[r.IntN(5)])
			if _, err := file.WriteAt(spoilt, int64(at)); err != nil {
				return err
			}
			c, n := pages.NewCursor(tree), 0
			for key, _ := c.Seek(nil); key != nil; key, _ = c.Next() {
				n++
			}
			switch err := c.Err(); {
			case errors.Is(err, pages.ErrDamaged):
				found++
			case err != nil:
				return err
			case n > len(data)/size*1000:
				return fmt.Errorf("%d pairs in %d bytes", n, len(data))
			}
			if _, err := file.WriteAt(data[at:at+4], int64(at)); err != nil {
				return err
			}
		}
		if err := file.Truncate(int64(len(data) / 2)); err != nil {
			return err
		}
		c := pages.NewCursor(tree)
		for key, _ := c.Seek(nil); key != nil; key, _ = c.Next() {
		}
		if !errors.Is(c.Err(), pages.ErrDamaged) {
			t.Errorf("half of a file gave %v, want %v", c.Err(), pages.ErrDamaged)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
	if found < 30 {
		t.Errorf("%d of 800 damages were found", found)
	}
}

// A search in a page looks at several of its pairs.
func TestManyBadPairsAreOneError(t *testing.T) {
	db := newFile(t, 7)
	file, size := open(t, db.Path()), db.Info().PageSize
	bad := bytes.Repeat([]byte{0xff}, size-32)
	err := db.View(func(tx *bbolt.Tx) error {
		tree := treeOf(tx, "mixed", file)
		for page := uint64(2); page < tree.Pages; page++ {
			if page == tree.Root {
				continue // else nothing leads to a leaf
			}
			if _, err := file.WriteAt(bad, int64(page)*int64(size)+16); err != nil { // behind the header
				return err
			}
		}
		for n := range 100 {
			c := pages.NewCursor(tree)
			c.Seek(binary.BigEndian.AppendUint32(nil, uint32(n)<<13))
			if err := c.Err(); !errors.Is(err, pages.ErrDamaged) || strings.Contains(err.Error(), "\n") {
				t.Errorf("Seek gave %v, want one line with %v", err, pages.ErrDamaged)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

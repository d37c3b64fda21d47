package store_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"ambit/vectors/store"
	"ambit/vectors/storetest"
)

func TestAViewIsReadInPartsAndStaysAsItWasOpened(t *testing.T) {
	db := storetest.Open(t)
	if v, err := db.OpenView(t.Context(), "view", 0); v != nil || err != nil {
		t.Errorf("OpenView of none: %v, %v", v, err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	data := make([]byte, 1<<20+17)
	for i := range data {
		data[i] = byte(rng.IntN(4))
	}
	if err := db.SaveView(t.Context(), "view", 7, data[:300_000], data[300_000:]); err != nil {
		t.Fatal(err)
	}
	v, err := db.OpenView(t.Context(), "view", 0)
	if err != nil || v == nil {
		t.Fatal(v, err)
	}
	check := func() {
		t.Helper()
		if v.Len() != len(data) || v.Generation() != 7 {
			t.Fatalf("%d bytes of generation %d, want %d of 7", v.Len(), v.Generation(), len(data))
		}
		for range 200 {
			from := rng.IntN(len(data) + 1)
			to := from + rng.IntN(min(len(data)-from, 1<<rng.IntN(21))+1)
			if got := v.Bytes(from, to); !bytes.Equal(got, data[from:to]) {
				t.Fatalf("Bytes(%d, %d) differ", from, to)
			}
			got := make([]byte, to-from)
			if n, err := v.ReadAt(got, int64(from)); n != to-from || err != nil || !bytes.Equal(got, data[from:to]) {
				t.Fatalf("ReadAt(%d, %d) differs: %d bytes, error %v", from, to, n, err)
			}
		}
		if n, err := v.ReadAt(make([]byte, 10), int64(len(data)-3)); n != 3 || err != io.EOF {
			t.Fatalf("ReadAt beyond the end: %d bytes, error %v", n, err)
		}
		if got := v.Bytes(0, v.Len()); !bytes.Equal(got, data) {
			t.Fatal("all bytes differ")
		}
	}
	v.Bytes(5, 6)
	for _, next := range [][]byte{{1}, {2}, nil, {3}} { // both slots, and none
		if err := db.SaveView(t.Context(), "view", 8, next); err != nil {
			t.Fatal(err)
		}
		check()
	}
}

func TestAViewKeepsABoundedShareOfItsParts(t *testing.T) {
	const part, keep = 64 << 10, 8 * 64 << 10
	db := storetest.Open(t)
	data := make([]byte, 40*part-5)
	for i := range data {
		data[i] = byte(i / part)
	}
	if err := db.SaveView(t.Context(), "view", 1, data); err != nil {
		t.Fatal(err)
	}
	v, err := db.OpenView(t.Context(), "view", keep)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		from := rng.IntN(len(data))
		to := min(len(data), from+1+rng.IntN(3*part))
		if got := v.Bytes(from, to); !bytes.Equal(got, data[from:to]) {
			t.Fatalf("Bytes(%d, %d) differ", from, to)
		}
		if held := v.Held(); held > keep {
			t.Fatalf("%d bytes are in memory, want at most %d", held, keep)
		}
	}
	if held := v.Held(); held < keep/2 {
		t.Errorf("%d bytes are in memory, want nearly %d", held, keep)
	}
	if err := db.LoadOpen(t.Context(), "view"); err != nil {
		t.Fatal(err)
	}
	if err := db.SaveView(t.Context(), "view", 2, []byte("another")); err != nil {
		t.Fatal(err)
	}
	if got := v.Bytes(0, v.Len()); !bytes.Equal(got, data) {
		t.Error("the view is not as it was opened")
	}
}

// A Reader that waits for a writer that waits for the Reader would wait for good.
func TestAViewIsReadWhileAWriterWaitsForTheReader(t *testing.T) {
	db := storetest.Open(t)
	data := bytes.Repeat([]byte("view"), 100_000)
	if err := db.SaveView(t.Context(), "view", 1, data); err != nil {
		t.Fatal(err)
	}
	v, err := db.OpenView(t.Context(), "view", 0)
	if err != nil {
		t.Fatal(err)
	}
	r := begin(t, db)
	grown := make(chan struct{})
	go func() {
		db.Grow()
		close(grown)
	}()
	for !db.WaitsToGrow() {
		runtime.Gosched()
	}
	if got := v.Bytes(0, v.Len()); !bytes.Equal(got, data) {
		t.Error("the view differs")
	}
	r.Close()
	<-grown
}

func TestADamagedViewGivesZerosAndIsFound(t *testing.T) {
	path := filepath.Join(t.TempDir(), "index.db")
	db, err := store.Open(path, store.Options{Dim: 4})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.SaveView(t.Context(), "view", 1, bytes.Repeat([]byte("abcdefgh"), 32<<10)); err != nil {
		t.Fatal(err)
	}
	v, err := db.OpenView(t.Context(), "view", 0)
	if err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	at := bytes.LastIndex(file, []byte("abcdefgh"))
	if at < 0 {
		t.Fatal("the view is not in the file")
	}
	out, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	for i := at; i >= 0; i = bytes.LastIndex(file[:i], []byte("abcdefgh")) { // in every part
		if _, err := out.WriteAt([]byte("x"), int64(i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	if got := v.Bytes(0, v.Len()); !bytes.Equal(got, make([]byte, v.Len())) {
		t.Errorf("the bytes begin with %q", got[:8])
	}
	select {
	case <-db.Damaged():
	default:
		t.Error("the damage was not found")
	}
}

package store_test

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"ambit/vectors/record"
	"ambit/vectors/storetest"
)

// resident returns how much of the mapping of a file is memory of this process.
func resident(t *testing.T, path string) (n int) {
	t.Helper()
	text, err := os.ReadFile("/proc/self/smaps")
	if err != nil {
		t.Skipf("no figures of the memory: %v", err)
	}
	of := false
	for line := range bytes.Lines(text) {
		name, value, _ := strings.Cut(string(line), ":")
		switch {
		case strings.Contains(name, "-"): // the range of a mapping
			of = strings.HasSuffix(strings.TrimSpace(string(line)), path)
		case of && name == "Rss":
			kB, err := strconv.Atoi(strings.Fields(value)[0])
			if err != nil {
				t.Fatal(err)
			}
			n += kB << 10
		}
	}
	return n
}

// TestAScanLetsGoOfTheMemoryOfTheFile reads an index of 50 MB.
func TestAScanLetsGoOfTheMemoryOfTheFile(t *testing.T) {
	const files, chunks, dim, most = 500, 32, 2048, 16 << 20
	db := storetest.Open(t)
	for i := 0; i < files; i += 50 {
		b := &record.Batch{}
		for j := range 50 {
			r := storetest.Record(record.Path(fmt.Sprintf("f%04d.go", i+j)), storetest.Text(i+j, chunks), chunks)
			b.Files = append(b.Files, widen(r, dim))
		}
		if err := db.Apply(t.Context(), b, nil); err != nil {
			t.Fatal(err)
		}
	}
	r := begin(t, db)
	bytes, blocks, largest := 0, 0, 0
	err := r.EachCodes(t.Context(), func(_ record.Key, codes []byte, _ []float32) error {
		bytes, blocks = bytes+len(codes), blocks+1
		if blocks%100 == 1 {
			largest = max(largest, resident(t, db.Path()))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if bytes < 15<<20 || largest > most {
		t.Errorf("a scan of %d MB of codes has %d MB of the file in memory, want at most %d", bytes>>20, largest>>20, most>>20)
	}
}

// TestAScanLetsGoOfNothingBehindTheFile compares the mapping with that of the system.
func TestAScanLetsGoOfNothingBehindTheFile(t *testing.T) {
	db := storetest.Open(t)
	text, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Skipf("no list of mappings: %v", err)
	}
	var got []string
	for line := range bytes.Lines(text) {
		if fields := strings.Fields(string(line)); fields[len(fields)-1] == db.Path() {
			got = append(got, fields[0])
		}
	}
	at, size := db.Mapping()
	if want := fmt.Sprintf("%x-%x", at, at+uintptr(size)); len(got) != 1 || got[0] != want {
		t.Errorf("the file is mapped at %v, and let go of at %s", got, want)
	}
}

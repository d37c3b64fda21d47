package shelf_test

import (
	"bytes"
	"crypto/sha256"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"testing"
	"time"

	"ambit/vectors/record"
	"ambit/vectors/shelf"
)

func key(n int) record.Hash { return sha256.Sum256([]byte(strconv.Itoa(n))) }

// files returns the files of the values below a directory.
func files(t *testing.T, dir string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestAnotherProcessHasTheValue(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "shelf")
	shelf.Open(dir, 1<<20).Put(key(1), []byte("one"))
	again := shelf.Open(dir, 1<<20)
	if got := again.Get(key(1)); string(got) != "one" {
		t.Errorf("Get = %q, want one", got)
	}
	if got := again.Get(key(2)); got != nil {
		t.Errorf("Get of a value that was never put = %q", got)
	}
	info, err := os.Stat(files(t, dir)[0])
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the file has the mode %v", info.Mode())
	}
	if again.Bytes() != info.Size() {
		t.Errorf("Bytes = %d, want %d", again.Bytes(), info.Size())
	}
}

func TestADamagedValueIsMissing(t *testing.T) {
	for name, damage := range map[string]func([]byte) []byte{
		"cut":     func(b []byte) []byte { return b[:len(b)-1] },
		"empty":   func([]byte) []byte { return nil },
		"changed": func(b []byte) []byte { return append(b[:len(b)-1], b[len(b)-1]^1) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := shelf.Open(dir, 1<<20)
			s.Put(key(1), []byte("a value"))
			file := files(t, dir)[0]
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, damage(data), 0o600); err != nil {
				t.Fatal(err)
			}
			if got := s.Get(key(1)); got != nil {
				t.Errorf("Get = %q", got)
			}
			if n := len(files(t, dir)); n != 0 {
				t.Errorf("%d files are left", n)
			}
			s.Put(key(1), []byte("a value"))
			if got := s.Get(key(1)); string(got) != "a value" {
				t.Errorf("Get after a second Put = %q", got)
			}
		})
	}
}

func TestTheValuesThatWereUsedLongestAgoAreRemoved(t *testing.T) {
	dir := t.TempDir()
	s := shelf.Open(dir, 16<<10)
	value := bytes.Repeat([]byte{'x'}, 1000)
	for n := range 16 {
		s.Put(key(n), value)
	}
	old := time.Now().Add(-48 * time.Hour)
	for _, file := range files(t, dir) {
		if err := os.Chtimes(file, old, old); err != nil {
			t.Fatal(err)
		}
	}
	s.Get(key(3))
	s.Put(key(100), value)
	s.Put(key(101), value)
	s.Sweep()
	if s.Bytes() > 16<<10 {
		t.Errorf("the values take %d bytes", s.Bytes())
	}
	for _, n := range []int{3, 100, 101} {
		if s.Get(key(n)) == nil {
			t.Errorf("value %d was removed, which was used last", n)
		}
	}
	if s.Put(key(200), make([]byte, 16<<10)); s.Get(key(200)) != nil {
		t.Error("a value is kept that is as large as the limit")
	}
}

func TestManyWritersShareAShelf(t *testing.T) {
	dir := t.TempDir()
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			s := shelf.Open(dir, 64<<10)
			for n := range 100 {
				value := bytes.Repeat([]byte{byte(n)}, 1000)
				s.Put(key(n), value)
				if got := s.Get(key(n)); got != nil && !bytes.Equal(got, value) {
					t.Errorf("value %d is another one", n)
				}
			}
		})
	}
	all.Wait()
}

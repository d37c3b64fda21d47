package watch_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"ambit/indexer/watch"
)

// many makes a workspace of n files, ten in a directory.
func many(b *testing.B, n int) string {
	b.Helper()
	root := b.TempDir()
	for i := range n {
		dir := filepath.Join(root, fmt.Sprintf("d%02d", i/1000), fmt.Sprintf("e%02d", i/10%100))
		if i%10 == 0 {
			if err := os.MkdirAll(dir, 0o755); err != nil {
				b.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("f%d.go", i)), []byte("package p\n"), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	return root
}

// BenchmarkWatch compares a scan that watches 2,000 directories with 20,000 files to a
// scan that watches none.
func BenchmarkWatch(b *testing.B) {
	root := many(b, 20_000)
	f, err := watch.NewFilter(root, watch.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("scan", func(b *testing.B) {
		for b.Loop() {
			if _, err := watch.Scan(b.Context(), f); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("watch", func(b *testing.B) {
		for b.Loop() {
			m := newMirror(b, root, watch.Options{})
			m.w = watch.NewWatcher(m.filter, m.report, watch.WatcherOptions{})
			stop := m.start()
			m.scan()
			b.StopTimer()
			stop()
			b.StartTimer()
		}
	})
	b.Run("again", func(b *testing.B) { // as when an ignore file has changed
		m := newMirror(b, root, watch.Options{})
		m.w = watch.NewWatcher(m.filter, m.report, watch.WatcherOptions{})
		defer m.start()()
		for b.Loop() {
			m.scan()
		}
	})
}

// BenchmarkSync measures Sync without changes, and the rename that Sync makes.
func BenchmarkSync(b *testing.B) {
	b.Run("sync", func(b *testing.B) {
		m := mirrored(b, many(b, 1000), watch.Options{})
		for b.Loop() {
			m.w.Sync(b.Context(), nil)
		}
	})
	b.Run("rename", func(b *testing.B) {
		dir, n := b.TempDir(), 0
		name := func() string { return filepath.Join(dir, fmt.Sprint(n)) }
		if err := os.WriteFile(name(), nil, 0o600); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			old := name()
			n++
			if err := os.Rename(old, name()); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkCheckout removes and writes 5,000 files, as git does, with and without a watcher.
func BenchmarkCheckout(b *testing.B) {
	const n = 5000
	if _, err := os.Stat("/dev/shm"); err == nil {
		b.Setenv("TMPDIR", "/dev/shm") // in memory, as a disk would take most of the time
	}
	root := many(b, n)
	checkout := func() {
		for i := range n {
			path := filepath.Join(root, fmt.Sprintf("d%02d", i/1000), fmt.Sprintf("e%02d", i/10%100), fmt.Sprintf("f%d.go", i))
			if err := os.Remove(path); err != nil {
				b.Fatal(err)
			}
			if err := os.WriteFile(path, []byte("package q\n"), 0o644); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.Run("watched", func(b *testing.B) {
		m := mirrored(b, root, watch.Options{})
		m.reported()
		for b.Loop() {
			checkout()
			if reported := m.reported(); len(reported) != n {
				b.Fatalf("the watcher reported %d paths, want %d", len(reported), n)
			}
		}
		b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "files/s")
	})
	b.Run("unwatched", func(b *testing.B) {
		for b.Loop() {
			checkout()
		}
		b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "files/s")
	})
}

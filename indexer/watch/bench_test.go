package watch_test

import (
	"io/fs"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ambit/indexer/watch"
)

// BenchmarkScan compares Scan of the Go standard library to filepath.WalkDir over the
// same tree, without and with a call of lstat for each file. Scan needs that call for
// the size and the time.
func BenchmarkScan(b *testing.B) {
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		b.Fatal(err)
	}
	root := filepath.Join(strings.TrimSpace(string(goroot)), "src")
	f, err := watch.NewFilter(root, watch.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Run("scan", func(b *testing.B) {
		b.ReportAllocs()
		n := 0
		for b.Loop() {
			entries, err := watch.Scan(b.Context(), f)
			if err != nil {
				b.Fatal(err)
			}
			n = len(entries)
		}
		b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "files/s")
	})
	for name, lstat := range map[string]bool{"plain": false, "plain+lstat": true} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			n := 0
			for b.Loop() {
				n = 0
				filepath.WalkDir(root, func(_ string, d fs.DirEntry, _ error) error {
					if !d.Type().IsRegular() {
						return nil
					}
					if n++; lstat {
						d.Info()
					}
					return nil
				})
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "files/s")
		})
	}
}

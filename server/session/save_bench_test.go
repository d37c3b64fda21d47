package session_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ambit/server/api"
	"ambit/server/config"
	"ambit/server/session"
)

// BenchmarkSave writes a new word into a file of a tree and reports three times: of a
// search right after the write, which must find the word; of a search without a write;
// and from the write until the word is indexed. The tree is a copy of the packages net
// and below of the Go standard library, or of $AMBIT_BENCH_TREE.
func BenchmarkSave(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "tree")
	if err := os.CopyFS(dir, os.DirFS(saveTree(b))); err != nil {
		b.Fatal(err)
	}
	s := indexedSession(b, dir)
	defer s.Close()
	ctx, cancel := context.WithCancel(b.Context())
	ready, ended := make(chan api.State, 10_000), make(chan error)
	go func() {
		ended <- s.Run(ctx, func(st api.State) {
			if st.State == api.StateReady {
				ready <- st
			}
		})
	}()
	defer func() {
		cancel()
		<-ended
	}()
	<-ready
	search := func(word string) (time.Duration, bool) {
		start := time.Now()
		results, err := s.Search(b.Context(), api.SearchQuestion{Query: word})
		if err != nil {
			b.Fatal(err)
		}
		took := time.Since(start)
		return took, slices.ContainsFunc(results.Results, func(r api.Match) bool { return r.Identifier == word })
	}
	var quiet, fresh, indexed []time.Duration
	file, missed, n := filepath.Join(dir, "zz_save.go"), 0, 0
	for b.Loop() {
		took, _ := search("Marsupial0")
		quiet = append(quiet, took)
		n++
		word := fmt.Sprintf("Marsupial%d", n)
		start := time.Now()
		if err := os.WriteFile(file, []byte("package p\n\n// "+word+" hops.\nfunc "+word+"() {}\n"), 0o600); err != nil {
			b.Fatal(err)
		}
		took, found := search(word)
		if fresh = append(fresh, took); !found {
			missed++
		}
		<-ready
		indexed = append(indexed, time.Since(start))
	}
	ms := func(list []time.Duration, q float64) float64 {
		slices.Sort(list)
		return float64(list[int(q*float64(len(list)-1))].Microseconds()) / 1000
	}
	b.ReportMetric(ms(quiet, 0.5), "search-p50-ms")
	b.ReportMetric(ms(fresh, 0.5), "search-after-save-p50-ms")
	b.ReportMetric(ms(fresh, 0.95), "search-after-save-p95-ms")
	b.ReportMetric(ms(indexed, 0.5), "indexed-p50-ms")
	b.ReportMetric(ms(indexed, 0.95), "indexed-p95-ms")
	b.ReportMetric(float64(missed), "missed")
}

// saveTree returns the directory that BenchmarkSave copies.
func saveTree(b *testing.B) string {
	if tree := os.Getenv("AMBIT_BENCH_TREE"); tree != "" {
		return tree
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		b.Fatal(err)
	}
	return filepath.Join(strings.TrimSpace(string(goroot)), "src", "net")
}

// indexedSession opens the tree at dir and indexes it.
func indexedSession(b *testing.B, dir string) *opened {
	set := config.Defaults()
	set.CacheDir = b.TempDir()
	s, err := openSession(b.Context(), dir, session.Options{Settings: &set, LongLived: true})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := s.Index(b.Context(), nil); err != nil {
		s.Close()
		b.Fatal(err)
	}
	return s
}

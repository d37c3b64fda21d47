package session_test

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"

	"ambit/indexer/graph"
	"ambit/indexer/languages"
	"ambit/server/api"
	"ambit/vectors/record"
)

// BenchmarkEveryFunction asks for the context of every function of a tree, once, and reports
// the CPU time of the process for a question: the median, the 95th and the 99th percentile
// and the worst.
// It logs the five worst functions. The tree is that of BenchmarkSave. With
// AMBIT_BENCH_FUNCTIONS=n it asks about n functions from all over the tree.
func BenchmarkEveryFunction(b *testing.B) {
	dir := saveTree(b)
	s := indexedSession(b, dir)
	defer s.Close()
	type asked struct {
		place string
		took  time.Duration
	}
	var all []asked
	for b.Loop() {
		all = all[:0]
		for _, f := range spread(functionsOf(b, dir), os.Getenv("AMBIT_BENCH_FUNCTIONS")) {
			before := cpuTime(b)
			_, err := s.Context(b.Context(), api.Question{TextDocument: &api.TextDocument{Path: f.path}, Position: &f.at, PositionEncoding: api.UTF8, Budget: 8000})
			if err != nil {
				b.Logf("%s:%d: %v", f.path, f.at.Line+1, err)
				continue
			}
			all = append(all, asked{fmt.Sprintf("%s:%d:%d", f.path, f.at.Line+1, f.at.Character+1), cpuTime(b) - before})
		}
	}
	slices.SortFunc(all, func(x, y asked) int { return cmp.Compare(x.took, y.took) })
	if len(all) == 0 {
		b.Fatalf("%s has no function", dir)
	}
	ms := func(i int) float64 { return float64(all[i].took.Microseconds()) / 1000 }
	b.ReportMetric(float64(len(all)), "functions")
	b.ReportMetric(ms(len(all)/2), "cpu-p50-ms")
	b.ReportMetric(ms(len(all)*95/100), "cpu-p95-ms")
	b.ReportMetric(ms(len(all)*99/100), "cpu-p99-ms")
	b.ReportMetric(ms(len(all)-1), "cpu-worst-ms")
	for _, a := range all[max(0, len(all)-5):] {
		b.Logf("%v %s", a.took, a.place)
	}
}

// BenchmarkEverySymbol asks for every declaration of a tree by its name, with its path and
// without, and reports how many answers are about another declaration: it must be none. It
// also reports the share that is answered at once; for the others the answer lists
// candidates. The tree and AMBIT_BENCH_FUNCTIONS are those of BenchmarkEveryFunction.
func BenchmarkEverySymbol(b *testing.B) {
	dir := saveTree(b)
	s := indexedSession(b, dir)
	defer s.Close()
	all := spread(symbolsOf(b, dir, func(record.Kind) bool { return true }), os.Getenv("AMBIT_BENCH_FUNCTIONS"))
	var wrong, direct, asked int
	for b.Loop() {
		wrong, direct, asked = 0, 0, 0
		for _, f := range all {
			for _, path := range []string{"", string(f.path)} {
				a, err := s.Context(b.Context(), api.Question{Symbol: f.name, Path: path, Budget: 200})
				if err != nil {
					if path != "" && !errors.Is(err, api.ErrQuestion) {
						b.Errorf("%s in %s: %v", f.name, f.path, err)
					}
					continue
				}
				asked++
				switch {
				case a.Symbol == nil:
				case a.Symbol.Identifier == f.name && (a.Symbol.Path == f.path || path == ""):
					direct++
				default:
					wrong++
					b.Logf("%s in %s:%d: answered about %s in %s:%d", f.name, f.path, f.at.Line+1, a.Symbol.Identifier, a.Symbol.Path, a.Symbol.StartLine)
				}
			}
		}
	}
	b.ReportMetric(float64(asked), "asked")
	b.ReportMetric(float64(wrong), "wrong")
	b.ReportMetric(100*float64(direct)/float64(max(1, asked)), "answered-%")
}

// spread returns n of all, as far apart as they can be, or all of them.
func spread(all []cursor, n string) []cursor {
	want, err := strconv.Atoi(n)
	if err != nil || want <= 0 || want >= len(all) {
		return all
	}
	some := make([]cursor, want)
	for i := range some {
		some[i] = all[i*len(all)/want]
	}
	return some
}

// cursor is a place of a file.
type cursor struct {
	path record.Path
	at   api.Position
	name string // qualified, of the symbol there
}

// functionsOf returns the names of the functions of a tree.
func functionsOf(b *testing.B, dir string) []cursor { return symbolsOf(b, dir, languages.IsCallable) }

// symbolsOf returns the names of the declarations of a tree. Parsing finds them, so that the
// declarations of files which the index leaves out are among them.
func symbolsOf(b *testing.B, dir string, wanted func(record.Kind) bool) []cursor {
	var out []cursor
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(p)
		if err != nil || len(content) > 1<<20 {
			return err
		}
		rel, err := filepath.Rel(dir, p)
		o := languages.Parse(record.Path(filepath.ToSlash(rel)), content)
		g := graph.Extract(&o)
		for i := range g.Symbols {
			sym := &g.Symbols[i]
			if !wanted(sym.Kind) {
				continue
			}
			line := sym.NameSpan.Start
			for line > 0 && content[line-1] != '\n' {
				line--
			}
			out = append(out, cursor{o.Path, api.Position{Line: sym.NameLine - 1, Character: sym.NameSpan.Start - line}, sym.Qualified})
		}
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
	return out
}

// cpuTime returns the CPU time that the process has used.
func cpuTime(b *testing.B) time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		b.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

package cli_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	sitter "github.com/smacker/go-tree-sitter"
	"github.com/smacker/go-tree-sitter/c"
	"github.com/smacker/go-tree-sitter/cpp"
	"github.com/smacker/go-tree-sitter/golang"
	"github.com/smacker/go-tree-sitter/java"
	"github.com/smacker/go-tree-sitter/javascript"
	"github.com/smacker/go-tree-sitter/python"
	"github.com/smacker/go-tree-sitter/ruby"
	"github.com/smacker/go-tree-sitter/rust"
	"github.com/smacker/go-tree-sitter/typescript/tsx"
	"github.com/smacker/go-tree-sitter/typescript/typescript"

	"ambit/indexer/watch"
)

// benchTree is the workspace that the benchmarks use: $AMBIT_BENCH_TREE, or the Go
// standard library with nine thousand files.
func benchTree(b *testing.B) string {
	b.Helper()
	if tree := os.Getenv("AMBIT_BENCH_TREE"); tree != "" {
		return tree
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		b.Fatalf("find the Go installation: %v", err)
	}
	return filepath.Join(strings.TrimSpace(string(goroot)), "src")
}

// BenchmarkColdIndex indexes a tree in a process of its own, parses the same files
// with the same grammars and nothing else in another, indexes again with nothing
// changed, and reports what each took of the processors and at most of the memory.
func BenchmarkColdIndex(b *testing.B) {
	tree := benchTree(b)
	var index, again, parse usage
	for b.Loop() {
		b.Setenv("XDG_CACHE_HOME", b.TempDir())
		index = run(b, "ambit", "index", "--root", tree)
		again = run(b, "ambit", "index", "--root", tree)
		parse = run(b, "parse-tree", tree)
	}
	b.ReportMetric(index.cpu.Seconds(), "index-cpu-s")
	b.ReportMetric(parse.cpu.Seconds(), "parse-cpu-s")
	b.ReportMetric(index.cpu.Seconds()/parse.cpu.Seconds(), "index/parse")
	b.ReportMetric(index.wall.Seconds(), "index-wall-s")
	b.ReportMetric(float64(index.peak)/1e6, "peak-MB")
	b.ReportMetric(100*again.cpu.Seconds()/index.cpu.Seconds(), "again-%")
}

// BenchmarkContext asks an up-to-date index at a few places, one process each, and
// reports the median time of a process and of what it does once all is open.
func BenchmarkContext(b *testing.B) {
	tree := benchTree(b)
	b.Setenv("XDG_CACHE_HOME", b.TempDir())
	run(b, "ambit", "index", "--root", tree)
	places := somePlaces(b, tree)
	var walls, answers []time.Duration
	for i := 0; b.Loop(); i++ {
		u := run(b, "ambit", "context", "--timing", "--root", tree, places[i%len(places)])
		walls = append(walls, u.wall)
		answers = append(answers, u.answer)
	}
	b.ReportMetric(median(walls), "process-ms")
	b.ReportMetric(median(answers), "answer-ms")
	b.ReportMetric(float64(len(walls)), "processes")
}

// usage is what a process took.
type usage struct {
	wall, cpu time.Duration
	peak      int64         // bytes
	answer    time.Duration // as --timing tells
}

// run runs one of the commands of TestMain.
func run(b *testing.B, name string, args ...string) usage {
	b.Helper()
	command := exec.Command(name, args...)
	var stderr strings.Builder
	command.Stderr = &stderr
	start := time.Now()
	if err := command.Run(); err != nil {
		b.Fatalf("%s %q: %v\n%s", name, args, err, &stderr)
	}
	u := usage{wall: time.Since(start), cpu: command.ProcessState.UserTime() + command.ProcessState.SystemTime()}
	if r, ok := command.ProcessState.SysUsage().(*syscall.Rusage); ok {
		u.peak = int64(r.Maxrss) << 10
	}
	for line := range strings.Lines(stderr.String()) {
		var ms float64
		if _, err := fmt.Sscanf(line, "timing: answer %f ms", &ms); err == nil {
			u.answer = time.Duration(ms * float64(time.Millisecond))
		}
	}
	return u
}

// median returns the median in milliseconds.
func median(d []time.Duration) float64 {
	slices.Sort(d)
	return float64(d[len(d)/2].Microseconds()) / 1000
}

// somePlaces returns places of declarations all over a tree, the same every time.
func somePlaces(b *testing.B, tree string) []string {
	b.Helper()
	const nPlaces = 40
	var places []string
	filter, entries := scan(b.Context(), tree)
	for i := range nPlaces {
		for _, e := range entries[i*len(entries)/nPlaces:] {
			if e.LeftOut != "" || filepath.Ext(e.Path) != ".go" {
				continue
			}
			content, err := os.ReadFile(filepath.Join(tree, e.Path))
			if err != nil {
				b.Fatal(err)
			}
			before, _, found := strings.Cut(string(content), "\nfunc ")
			if found && filter.LeftOut(e.Path, content) == "" {
				places = append(places, e.Path+":"+strconv.Itoa(strings.Count(before, "\n")+2)+":6")
				break
			}
		}
	}
	if len(places) == 0 {
		b.Fatalf("no Go function in %s", tree)
	}
	return places
}

// grammars are those of package languages, by the extension of a file.
var grammars = map[string]func() *sitter.Language{
	".go": golang.GetLanguage, ".c": c.GetLanguage, ".h": cpp.GetLanguage, ".cc": cpp.GetLanguage, ".cpp": cpp.GetLanguage,
	".hpp": cpp.GetLanguage, ".java": java.GetLanguage, ".js": javascript.GetLanguage, ".jsx": javascript.GetLanguage,
	".py": python.GetLanguage, ".rb": ruby.GetLanguage, ".rs": rust.GetLanguage, ".ts": typescript.GetLanguage, ".tsx": tsx.GetLanguage,
}

// parseTree parses, with tree-sitter and nothing around it, each file of a tree that
// an index of it would parse. It uses all processors, as the index does: what one of
// them gets done depends on whether the others are busy.
func parseTree(tree string) {
	filter, entries := scan(context.Background(), tree)
	var next atomic.Int64
	var wait sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			parser := sitter.NewParser()
			for i := next.Add(1) - 1; i < int64(len(entries)); i = next.Add(1) - 1 {
				e := entries[i]
				grammar := grammars[filepath.Ext(e.Path)]
				if grammar == nil || e.LeftOut != "" {
					continue
				}
				content, err := os.ReadFile(filepath.Join(tree, e.Path))
				if err != nil || filter.LeftOut(e.Path, content) != "" {
					continue
				}
				parser.SetLanguage(grammar())
				parsed, err := parser.ParseCtx(context.Background(), nil, content)
				if err != nil {
					panic(err)
				}
				parsed.Close()
			}
		})
	}
	wait.Wait()
}

// scan lists a tree as an index of it does.
func scan(ctx context.Context, tree string) (*watch.Filter, []watch.Entry) {
	filter, err := watch.NewFilter(tree, watch.Options{})
	if err != nil {
		panic(err)
	}
	entries, err := watch.Scan(ctx, filter)
	if err != nil {
		panic(err)
	}
	return filter, entries
}

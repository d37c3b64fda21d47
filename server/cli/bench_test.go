package cli_test

import (
	"bytes"
	"context"
	"errors"
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

	swift "github.com/alex-pinkus/tree-sitter-swift/bindings/go"
	sitter "github.com/smacker/go-tree-sitter"
	"github.com/smacker/go-tree-sitter/c"
	"github.com/smacker/go-tree-sitter/cpp"
	"github.com/smacker/go-tree-sitter/csharp"
	"github.com/smacker/go-tree-sitter/golang"
	"github.com/smacker/go-tree-sitter/java"
	"github.com/smacker/go-tree-sitter/javascript"
	"github.com/smacker/go-tree-sitter/python"
	"github.com/smacker/go-tree-sitter/ruby"
	"github.com/smacker/go-tree-sitter/rust"
	kotlin "github.com/tree-sitter-grammars/tree-sitter-kotlin/bindings/go"
	php "github.com/tree-sitter/tree-sitter-php/bindings/go"
	scala "github.com/tree-sitter/tree-sitter-scala/bindings/go"
	typescript "github.com/tree-sitter/tree-sitter-typescript/bindings/go"

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

// BenchmarkColdIndex indexes a tree in one process, only parses the same files with the
// same grammars in another, and indexes the unchanged tree again. It reports the CPU time
// and the peak memory of each.
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

// BenchmarkSwitch edits 5,000 files of a tree as a branch switch would, switches back,
// and then indexes a second copy of the tree, each in a process of its own. It reports
// the time of the switch as a multiple of parsing the edited files, and the times of the
// switch back and of the second copy as shares of the switch and of a cold index.
func BenchmarkSwitch(b *testing.B) {
	const nFiles = 5000
	tree := benchTree(b)
	var there, back, parse, cold, second usage
	for b.Loop() {
		b.Setenv("XDG_CACHE_HOME", b.TempDir())
		dir, clone, edited := b.TempDir(), b.TempDir(), b.TempDir()
		for _, to := range []string{dir, clone} {
			if err := os.CopyFS(to, os.DirFS(tree)); err != nil {
				b.Fatal(err)
			}
		}
		cold = run(b, "ambit", "index", "--root", dir)
		undo := editFiles(b, dir, edited, nFiles)
		there = run(b, "ambit", "index", "--root", dir)
		undo()
		back = run(b, "ambit", "index", "--root", dir)
		second = run(b, "ambit", "index", "--root", clone)
		parse = run(b, "parse-tree", edited)
	}
	share := func(name string, of, to usage) {
		b.ReportMetric(100*of.wall.Seconds()/to.wall.Seconds(), name+"-wall-%")
		b.ReportMetric(100*of.cpu.Seconds()/to.cpu.Seconds(), name+"-cpu-%")
	}
	share("back/there", back, there)
	share("clone/cold", second, cold)
	b.ReportMetric(there.cpu.Seconds()/parse.cpu.Seconds(), "there/parse")
	b.ReportMetric(there.wall.Seconds(), "there-wall-s")
	b.ReportMetric(back.wall.Seconds(), "back-wall-s")
	b.ReportMetric(second.wall.Seconds(), "clone-wall-s")
}

// editFiles changes the first n Go files of a tree, puts a copy of each into the directory
// edited as well, and returns a function that restores the old files.
func editFiles(b *testing.B, dir, edited string, n int) (undo func()) {
	b.Helper()
	old := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || len(old) == n {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		old[path] = content
		changed := append(bytes.Replace(content, []byte("return"), []byte("return "), 1), "\n// Added is new.\nfunc Added(x int) int { return x + 1 }\n"...)
		copied := filepath.Join(edited, strconv.Itoa(len(old))+".go")
		return errors.Join(os.WriteFile(path, changed, 0o600), os.WriteFile(copied, changed, 0o600))
	})
	if err != nil {
		b.Fatal(err)
	}
	return func() {
		for path, content := range old {
			if err := os.WriteFile(path, content, 0o600); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkContext asks an up-to-date index at a few places, one process each, and
// reports the median time of a process and of its part after opening the index.
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

// usage is the resource usage of a process.
type usage struct {
	wall, cpu time.Duration
	peak      int64         // bytes
	answer    time.Duration // from --timing
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

// somePlaces returns places of declarations from all over a tree, always the same ones.
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
	".py": python.GetLanguage, ".rb": ruby.GetLanguage, ".rs": rust.GetLanguage,
	".cs":    csharp.GetLanguage,
	".kt":    func() *sitter.Language { return sitter.NewLanguage(kotlin.Language()) },
	".php":   func() *sitter.Language { return sitter.NewLanguage(php.LanguagePHP()) },
	".scala": func() *sitter.Language { return sitter.NewLanguage(scala.Language()) },
	".swift": func() *sitter.Language { return sitter.NewLanguage(swift.Language()) },
	".ts":    func() *sitter.Language { return sitter.NewLanguage(typescript.LanguageTypescript()) },
	".tsx":   func() *sitter.Language { return sitter.NewLanguage(typescript.LanguageTSX()) },
}

// parseTree parses each file of a tree that an index would parse, with tree-sitter alone.
// It uses all processors, as the index does: the speed of one depends on the load of the
// others.
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

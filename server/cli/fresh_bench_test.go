package cli_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"ambit/indexer/watch"
)

const (
	freshFiles    = 20_000 // about: some are left out for their content
	freshBranch   = 5_000  // files that differ between the branches
	freshStarts   = 5
	freshSaves    = 40
	freshSwitches = 2 // of the branch and back
	idleSettle    = 3 * time.Second
	idleWindow    = 10 * time.Second
)

// BenchmarkFresh keeps a workspace of 20,000 files, copies of the standard library,
// up to date in a server of its own. It reports
//
//   - the size of the index: files, chunks, bytes of the index file and of those per
//     byte of source;
//   - how long a start takes until the unchanged workspace is ready;
//   - the activity of an idle server in ten seconds: CPU time and wake-ups of its threads;
//   - how long a file that another program saves takes to be in the index and to be
//     found, the debounce included;
//   - how long the first switch to a branch with 5,000 other files takes, beside the
//     plain parse of those files, and how long switching back takes.
func BenchmarkFresh(b *testing.B) {
	tree := freshTree(b)
	b.Setenv("XDG_CACHE_HOME", b.TempDir())
	run(b, "ambit", "index", "--root", tree)
	for b.Loop() {
		reportSize(b, tree)
		var starts []time.Duration
		for range freshStarts {
			start := time.Now()
			p := startServer(b, tree)
			starts = append(starts, time.Since(start))
			p.end()
		}
		b.ReportMetric(median(starts), "start-ms")
		p := startServer(b, tree)
		b.ReportMetric(p.memory(b), "MB-open")
		p.reportIdle(b)
		p.reportSaves(b, tree)
		p.reportSwitches(b, tree)
		p.settle(b)
		b.ReportMetric(p.memory(b), "MB-end")
		p.end()
	}
}

// freshTree makes a repository of copies of the standard library with two branches,
// main and other, and has main checked out.
func freshTree(b *testing.B) string {
	b.Helper()
	tree := b.TempDir()
	source := benchTree(b)
	for n, i := 0, 0; n < freshFiles; i++ {
		part := filepath.Join(tree, fmt.Sprintf("part%d", i))
		if err := os.CopyFS(part, os.DirFS(source)); err != nil {
			b.Fatal(err)
		}
		for _, e := range entriesOf(b, part) {
			if e.LeftOut == "" {
				n++
			}
		}
	}
	git(b, tree, "init", "-q", "-b", "main")
	git(b, tree, "add", "-A")
	git(b, tree, "commit", "-q", "-m", "copies")
	git(b, tree, "checkout", "-q", "-b", "other")
	for _, path := range branchFiles(b, tree) {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			b.Fatal(err)
		}
		fmt.Fprintf(f, "\n// %s is on the other branch alone.\nfunc onTheOtherBranch() string { return %q }\n", filepath.Base(path), path)
		if err := f.Close(); err != nil {
			b.Fatal(err)
		}
	}
	git(b, tree, "commit", "-q", "-a", "-m", "other")
	git(b, tree, "checkout", "-q", "main")
	return tree
}

// entriesOf lists the files below a directory as an index of it does.
func entriesOf(b *testing.B, dir string) []watch.Entry {
	_, entries := scan(b.Context(), dir)
	return entries
}

// branchFiles returns the files that differ between the branches: Go files all over
// the tree.
func branchFiles(b *testing.B, tree string) []string {
	var files []string
	filter, entries := scan(b.Context(), tree)
	for _, e := range entries {
		if len(files) == freshBranch {
			break
		}
		path := filepath.Join(tree, e.Path)
		if e.LeftOut != "" || filepath.Ext(path) != ".go" {
			continue
		}
		if content, err := os.ReadFile(path); err == nil && filter.LeftOut(e.Path, content) == "" {
			files = append(files, path)
		}
	}
	return files
}

// git runs git without the user's configuration.
func git(b *testing.B, dir string, args ...string) {
	b.Helper()
	command := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "core.autocrlf=false", "-c", "gc.auto=0"}, args...)...)
	command.Dir = dir
	command.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	if out, err := command.CombinedOutput(); err != nil {
		b.Fatalf("git %q: %v\n%s", args, err, out)
	}
}

// reportSize reports the size of the index of a tree.
func reportSize(b *testing.B, tree string) {
	out, err := exec.Command("ambit", "status", "--json", "--root", tree).Output()
	if err != nil {
		b.Fatal(err)
	}
	var s struct {
		Files, Chunks int
		Bytes         float64
		IndexBytes    float64 `json:"index_bytes"`
	}
	if err := json.Unmarshal(out, &s); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(float64(s.Files), "files")
	b.ReportMetric(float64(s.Chunks), "chunks")
	b.ReportMetric(s.IndexBytes/1e6, "index-MB")
	b.ReportMetric(s.IndexBytes/s.Bytes, "index-B/source-B")
}

// settle waits until the server has used no CPU for idleSettle: it saves its views and
// returns memory to the system after it says that it is ready.
func (p *serverProcess) settle(b *testing.B) {
	for last := time.Duration(-1); ; time.Sleep(idleSettle) {
		cpu, _ := p.activity(b)
		if cpu == last {
			return
		}
		last = cpu
	}
}

// reportIdle reports the activity of the idle server.
func (p *serverProcess) reportIdle(b *testing.B) {
	p.settle(b)
	cpu, wakes := p.activity(b)
	time.Sleep(idleWindow)
	cpuThen, wakesThen := p.activity(b)
	b.ReportMetric(float64((cpuThen - cpu).Milliseconds()), "idle-cpu-ms")
	b.ReportMetric(float64(wakesThen-wakes), "idle-wakeups")
}

// activity returns the CPU time of the server and the number of times its threads slept.
func (p *serverProcess) activity(b *testing.B) (cpu time.Duration, switches int) {
	proc := fmt.Sprintf("/proc/%d", p.command.Process.Pid)
	stat, err := os.ReadFile(proc + "/stat")
	if err != nil {
		b.Logf("idle: %v", err)
		return 0, 0
	}
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	const ticks = 100 // per second, on every Linux
	cpu = time.Duration(user+system) * time.Second / ticks
	threads, _ := filepath.Glob(proc + "/task/*/status")
	for _, thread := range threads {
		status, err := os.ReadFile(thread)
		if err != nil {
			continue // the thread has ended
		}
		_, rest, _ := strings.Cut(string(status), "\nvoluntary_ctxt_switches:")
		n, _ := strconv.Atoi(strings.Fields(rest)[0])
		switches += n
	}
	return cpu, switches
}

// reportSaves saves files with a new name in each and reports the time until the server
// is ready again and finds the name.
func (p *serverProcess) reportSaves(b *testing.B, tree string) {
	files := branchFiles(b, tree)
	var times []time.Duration
	for i := range freshSaves {
		path := files[i*len(files)/freshSaves]
		content, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		name := fmt.Sprintf("Xylophagous%d", i)
		content = fmt.Appendf(content, "\nfunc %s() {}\n", name)
		start := time.Now()
		if err := os.WriteFile(path, content, 0o600); err != nil {
			b.Fatal(err)
		}
		ready := p.awaitReady(b, start)
		asked := time.Now()
		if found := p.search(tree, name); !strings.Contains(found, name) {
			b.Errorf("the search does not find %s", name)
		}
		times = append(times, ready.Sub(start)+time.Since(asked))
	}
	b.ReportMetric(quantile(times, 0.5), "save-p50-ms")
	b.ReportMetric(quantile(times, 0.95), "save-p95-ms")
	start := time.Now()
	git(b, tree, "checkout", "-q", "--", ".")
	p.awaitReady(b, start)
}

// reportSwitches checks out the other branch and main again and reports the time from the
// end of git until the server is ready.
func (p *serverProcess) reportSwitches(b *testing.B, tree string) {
	var firsts, backs []time.Duration
	for range freshSwitches {
		for _, to := range []struct {
			branch string
			times  *[]time.Duration
		}{{"other", &firsts}, {"main", &backs}} {
			start := time.Now()
			git(b, tree, "checkout", "-q", to.branch)
			written := time.Now()
			*to.times = append(*to.times, p.awaitReady(b, start).Sub(written))
		}
	}
	git(b, tree, "checkout", "-q", "other")
	changed := filepath.Join(b.TempDir(), "changed")
	for _, path := range branchFiles(b, tree) {
		rel, _ := filepath.Rel(tree, path)
		content, err := os.ReadFile(path)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(filepath.Join(changed, rel)), 0o700)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(changed, rel), content, 0o600)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	parse := run(b, "parse-tree", changed)
	start := time.Now()
	git(b, tree, "checkout", "-q", "main")
	p.awaitReady(b, start)
	b.ReportMetric(firsts[0].Seconds(), "switch-first-s")
	b.ReportMetric(backs[0].Seconds(), "switch-back-s")
	b.ReportMetric(firsts[1].Seconds(), "switch-again-s")
	b.ReportMetric(parse.cpu.Seconds(), "switch-parse-cpu-s")
	b.ReportMetric(firsts[0].Seconds()/parse.cpu.Seconds(), "first/parse-cpu")
	b.ReportMetric(firsts[0].Seconds()/parse.wall.Seconds(), fmt.Sprintf("first/parse-wall-on-%d", runtime.GOMAXPROCS(0)))
	b.ReportMetric(100*backs[0].Seconds()/firsts[0].Seconds(), "back-%-of-first")
}

// awaitReady waits until the server is ready after start and stays so, because a storm
// may arrive in parts. It returns the time at which the server became ready.
func (p *serverProcess) awaitReady(b *testing.B, start time.Time) time.Time {
	const limit, quiet = 3 * time.Minute, 700 * time.Millisecond
	for time.Since(start) < limit {
		p.mu.Lock()
		state, since := p.state, p.since
		p.mu.Unlock()
		if state == "ready" && since.After(start) && time.Since(since) > quiet {
			return since
		}
		time.Sleep(5 * time.Millisecond)
	}
	b.Fatalf("the server is not ready after %v", limit)
	return time.Time{}
}

// search returns the answer to a search.
func (p *serverProcess) search(folder, query string) string {
	return string(p.call("workspace/executeCommand", object{"command": "ambit.search", "arguments": []any{object{"query": query, "folder": "file://" + folder}}}))
}

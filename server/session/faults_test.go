package session_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"ambit/indexer/watch/treetest"
	"ambit/server/api"
	"ambit/server/config"
	"ambit/server/session"
	"ambit/vectors/storetest"
)

// childRole, childTree and childCache make this test binary run as a child process
// instead of running tests.
const (
	childRole  = "AMBIT_SESSION_TEST_CHILD"
	childTree  = "AMBIT_SESSION_TEST_TREE"
	childCache = "AMBIT_SESSION_TEST_CACHE"
)

func TestMain(m *testing.M) {
	if role := os.Getenv(childRole); role != "" {
		os.Exit(runChild(role))
	}
	goleak.VerifyTestMain(m)
}

// runChild indexes until it finishes or is killed, and prints a line for each step.
func runChild(role string) int {
	set := config.Defaults()
	set.CacheDir, set.MaxFileBytes = os.Getenv(childCache), maxBytes
	ctx := context.Background()
	s, err := openSession(ctx, os.Getenv(childTree), session.Options{Settings: &set})
	if err != nil {
		fmt.Println("error:", err)
		return 1
	}
	fmt.Println("opened", s.Notice())
	if role == "full" {
		if err := limitFileSize(); err != nil {
			fmt.Println("error:", err)
			return 1
		}
	}
	step := func(p api.Progress) { fmt.Println(p.Phase, p.Done, p.Path) }
	if _, err := s.Index(ctx, step); err != nil {
		fmt.Println("error:", err)
		return 1
	}
	fmt.Println("indexed")
	if err := s.Close(); err != nil {
		fmt.Println("error:", err)
		return 1
	}
	fmt.Println("closed")
	return 0
}

// limitFileSize simulates a full disk: it limits the files of this process to the size
// of an index of a few files.
func limitFileSize() error {
	limit := syscall.Rlimit{Cur: 1 << 18, Max: 1 << 18}
	return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit)
}

// child returns a command that runs this binary in a role, and its output.
func child(t *testing.T, role, dir, cache string) (*exec.Cmd, io.Reader) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), childRole+"="+role, childTree+"="+dir, childCache+"="+cache)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	return cmd, out
}

// killed is an index that several processes bring up to date in each step. The test
// kills each of them after a random time.
type killed struct {
	scanned
	kills, whole int           // processes killed, and processes that finished first
	took         time.Duration // time of the last finished process; the next is killed within it
}

func (d *killed) catchUp(t *testing.T) {
	t.Helper()
	closeSession(t, d.s)
	for range 1 + d.a.IntN(3) {
		cmd, out := child(t, "index", d.dir, d.cache)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		lines.Scan() // the process has opened the index or failed to
		kill := time.AfterFunc(time.Duration(d.a.IntN(int(d.took)+1)), func() { _ = cmd.Process.Kill() })
		started := time.Now()
		for more := true; more; more = lines.Scan() {
			if text, bad := strings.CutPrefix(lines.Text(), "error: "); bad {
				t.Errorf("the process after a killed one reports: %s", text)
			}
		}
		kill.Stop()
		if cmd.Wait() == nil {
			d.whole++
			d.took = time.Since(started)
		} else {
			d.kills++
		}
	}
	d.s = openAt(t, d.dir, d.cache, false)
	if notice := d.s.Notice(); notice != "" {
		t.Errorf("the next session discards the index of a killed process: %s", notice)
	}
	if err := storetest.Check(t.Context(), session.Stored(d.s.session)); err != nil {
		t.Errorf("the index of a killed process: %v", err)
	}
	if _, err := d.s.Search(t.Context(), api.SearchQuestion{Query: "cart"}); err != nil {
		t.Errorf("a question on the index of a killed process: %v", err)
	}
	index(t, d.s)
}

// grove is the number of files that the first killed process indexes. Open would rebuild
// the views of fewer files instead of restoring saved ones.
const grove = 150

// firstTook is the estimated run time of a process after it has opened the index.
const firstTook = 60 * time.Millisecond

func TestAnIndexWhoseProcessesAreKilledEqualsAFreshOne(t *testing.T) {
	n, first := seeds(t, killSeeds)
	kills, whole := 0, 0
	for seed := first; seed < first+uint64(n); seed++ {
		base := t.TempDir()
		dir := filepath.Join(base, "tree")
		g := treetest.New(t, dir)
		a := treetest.NewAuthor(seed)
		for i := range grove {
			g.Write(fmt.Sprintf("grove/%d/%s", i%7, fmt.Sprintf("f%03d%s", i, a.Pick(treetest.Extensions))), a.Text(".go"))
		}
		d := &killed{scanned: scanned{dir: dir, cache: base + "/grown", a: treetest.NewAuthor(^seed)}, took: firstTook}
		d.s = openAt(t, dir, d.cache, false)
		for _, steps := range treetest.Plan(seed, 3) {
			for _, s := range steps {
				g.Do(s)
			}
			if a.IntN(2) == 0 {
				g.Rename("grove", fmt.Sprintf("grove%d", a.IntN(9))) // changes many files at once
			} else {
				g.Rename(fmt.Sprintf("grove%d", a.IntN(9)), "grove")
			}
			d.catchUp(t)
		}
		asked := a.Uint64()
		if diff := difference(freshKnowledge(t, dir, base+"/fresh", asked), know(t, d.s, treetest.NewAuthor(asked))); diff != "" {
			t.Fatalf("AMBIT_SEED=%d (-fresh +grown):\n%s", seed, diff)
		}
		d.close(t)
		kills, whole = kills+d.kills, whole+d.whole
	}
	t.Logf("%d kills, %d processes finished before the kill", kills, whole)
	if kills < n {
		t.Errorf("only %d kills in %d seeds", kills, n)
	}
}

// corrupt damages the bytes of an index file in one way and describes the damage.
func corrupt(a treetest.Author, file []byte) (corrupted []byte, how string) {
	const page = 4096
	data := file[:len(bytes.TrimRight(file, "\x00"))] // the rest is free space
	at := a.IntN(len(data))
	switch a.IntN(5) {
	case 0:
		return file[:at], fmt.Sprintf("cut at %d", at)
	case 1:
		clear(data[at:min(len(data), at+1+a.IntN(3*page))])
		return file, fmt.Sprintf("zeros from %d", at)
	case 2:
		for i := at; i < min(len(data), at+1+a.IntN(page)); i++ {
			data[i] = byte(a.Uint32())
		}
		return file, fmt.Sprintf("noise from %d", at)
	case 3:
		from := a.IntN(len(data)/page) * page
		to := a.IntN(len(data)/page) * page
		copy(data[to:to+page], data[from:from+page])
		return file, fmt.Sprintf("page %d is page %d", to/page, from/page)
	}
	for range 1 + a.IntN(3) {
		data[at] ^= 1 << a.IntN(8)
		at = a.IntN(len(data))
	}
	return file, fmt.Sprintf("some bits, the last before %d", at)
}

func TestAnIndexThatIsDamagedIsBuiltAnew(t *testing.T) {
	n, first := seeds(t, damageSeeds)
	base := t.TempDir()
	dir, cache := filepath.Join(base, "tree"), filepath.Join(base, "grown")
	g := treetest.New(t, dir)
	a := treetest.NewAuthor(first)
	for i := range grove {
		g.Write(fmt.Sprintf("%d/f%03d%s", i%7, i, a.Pick(treetest.Extensions)), a.Text(".go"))
	}
	s := openAt(t, dir, cache, false)
	path := session.Stored(s.session).Path()
	index(t, s)
	closeSession(t, s)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	fresh := freshKnowledge(t, dir, base+"/fresh", 1)
	atOnce, later, never := 0, 0, 0
	for seed := first; seed < first+uint64(n); seed++ {
		a := treetest.NewAuthor(seed)
		data, how := corrupt(a, slices.Clone(whole))
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		s := openAt(t, dir, cache, false)
		notice := s.Notice()
		if strings.Contains(notice, "\n") || notice != "" && !strings.HasSuffix(notice, "building a new index") {
			t.Errorf("seed %d, %s: the notice is %q, want one line", seed, how, notice)
		}
		_, indexErr := s.Index(t.Context(), nil)
		checkErr := storetest.Check(t.Context(), session.Stored(s.session))
		select {
		case <-s.Damaged(): // the session found the damage in use
			later++
			closeSession(t, s)
			s = openAt(t, dir, cache, false)
			index(t, s)
		default:
			if notice != "" {
				atOnce++
			} else {
				never++ // the damage hit free pages or one of the two meta pages
			}
			if indexErr != nil || checkErr != nil {
				t.Errorf("seed %d, %s: Index: %v, Check: %v", seed, how, indexErr, checkErr)
			}
		}
		if diff := difference(fresh, know(t, s, treetest.NewAuthor(1))); diff != "" {
			t.Fatalf("AMBIT_SEED=%d, %s (-fresh +rebuilt):\n%s", seed, how, diff)
		}
		closeSession(t, s)
	}
	t.Logf("%d damaged files: %d found by Open, %d later, %d without effect", n, atOnce, later, never)
}

func TestFullDiskIsReportedInOneLineAndKeepsTheIndex(t *testing.T) {
	base := t.TempDir()
	dir, cache := base+"/tree", base+"/grown"
	g := treetest.New(t, dir)
	a := treetest.NewAuthor(1)
	g.Write("a.go", a.Text("a.go"))
	s := openAt(t, dir, cache, false)
	index(t, s)
	closeSession(t, s)
	for i := range 60 { // more than fits on the disk
		g.Write(fmt.Sprintf("%d.go", i), strings.Repeat(a.Text("a.go"), 20))
	}
	cmd, out := child(t, "full", dir, cache)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	said, err := io.ReadAll(out)
	if err != nil {
		t.Fatal(err)
	}
	_, problem, _ := strings.Cut(string(said), "error: ")
	if cmd.Wait() == nil || strings.Count(problem, "\n") != 1 || !strings.HasSuffix(problem, "free some space or choose another cache folder with XDG_CACHE_HOME\n") {
		t.Errorf("a process with a full disk reports %q, want one line with the next step", problem)
	}
	s = openAt(t, dir, cache, false)
	defer func() { closeSession(t, s) }()
	if s.Notice() != "" {
		t.Errorf("after a full disk: %s", s.Notice())
	}
	if err := storetest.Check(t.Context(), session.Stored(s.session)); err != nil {
		t.Errorf("after a full disk: %v", err)
	}
	index(t, s)
	if diff := difference(freshKnowledge(t, dir, base+"/fresh", 1), know(t, s, treetest.NewAuthor(1))); diff != "" {
		t.Errorf("after a full disk (-fresh +grown):\n%s", diff)
	}
}

func TestUnwritableCacheIsReportedInOneLine(t *testing.T) {
	base := t.TempDir()
	g := treetest.New(t, base+"/tree")
	g.Write("a.go", "package a\n")
	if err := os.WriteFile(base+"/file", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	set := config.Defaults()
	set.CacheDir = base + "/file/cache"
	_, err := openSession(t.Context(), g.Dir, session.Options{Settings: &set})
	if err == nil || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "set XDG_CACHE_HOME") {
		t.Errorf("got %v, want one line with the next step", err)
	}
}

func TestSessionAnswersAfterItsIndexFileIsDeleted(t *testing.T) {
	base := t.TempDir()
	dir, cache := base+"/tree", base+"/grown"
	g := treetest.New(t, dir)
	a := treetest.NewAuthor(2)
	for range 12 {
		p := a.Path()
		g.Write(p, a.Text(p))
	}
	s := openAt(t, dir, cache, false)
	index(t, s)
	if err := os.Remove(session.Stored(s.session).Path()); err != nil {
		t.Fatal(err)
	}
	p := a.Path()
	g.Write(p, a.Text(p))
	index(t, s)
	fresh := freshKnowledge(t, dir, base+"/fresh", 1)
	if diff := difference(fresh, know(t, s, treetest.NewAuthor(1))); diff != "" {
		t.Errorf("after the index file is deleted (-fresh +grown):\n%s", diff)
	}
	closeSession(t, s)
	s = openAt(t, dir, cache, false)
	defer func() { closeSession(t, s) }()
	index(t, s)
	if diff := difference(fresh, know(t, s, treetest.NewAuthor(1))); diff != "" {
		t.Errorf("opened again (-fresh +grown):\n%s", diff)
	}
}

func TestFilesWrittenDuringIndexingEndUpCorrect(t *testing.T) {
	base := t.TempDir()
	dir := base + "/tree"
	g := treetest.New(t, dir)
	a := treetest.NewAuthor(3)
	for i := range 30 {
		g.Write(fmt.Sprintf("%02d.go", i), a.Text("a.go"))
	}
	s := openAt(t, dir, base+"/grown", false)
	defer func() { closeSession(t, s) }()
	stop, stopped := make(chan struct{}), make(chan error, 1)
	go func() { // like an endless build: it sets no modification times
		w := treetest.NewAuthor(4)
		for {
			select {
			case <-stop:
				stopped <- nil
				return
			default:
			}
			if err := os.WriteFile(fmt.Sprintf("%s/%02d.go", dir, w.IntN(30)), []byte(w.Text("a.go")), 0o600); err != nil {
				stopped <- err
				return
			}
		}
	}()
	for range 20 {
		index(t, s)
		if _, err := s.Context(t.Context(), api.Question{Query: a.Word()}); err != nil {
			t.Errorf("a question during the writes: %v", err)
		}
	}
	close(stop)
	if err := <-stopped; err != nil {
		t.Fatal(err)
	}
	index(t, s)
	if diff := difference(freshKnowledge(t, dir, base+"/fresh", 1), know(t, s, treetest.NewAuthor(1))); diff != "" {
		t.Errorf("after the writes (-fresh +grown):\n%s", diff)
	}
}

func TestUnusualEntriesDoNotStopIndexing(t *testing.T) {
	base := t.TempDir()
	g := treetest.New(t, base+"/tree")
	g.Write("a.go", "package a\n\nfunc Alpha() {}\n")
	g.Write("huge.js", strings.Repeat("x", 19_000)) // one line
	deep := strings.Repeat("d/", 400)
	g.Write(deep+"b.go", "package b\n\nfunc Beta() {}\n")
	g.Write("vast.js", "x")
	g.Must(os.Truncate(g.Full("vast.js"), 100<<20))
	for name, to := range map[string]string{"self": "self", "one": "two", "two": "one", "up": "..", deep + "top": g.Dir} {
		g.Must(os.Symlink(to, g.Full(name)))
	}
	g.Must(syscall.Mkfifo(g.Full("pipe.go"), 0o600))
	socket, err := net.Listen("unix", filepath.Join(base, "tree", "socket.go"))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	s := openAt(t, g.Dir, base+"/cache", false)
	defer func() { closeSession(t, s) }()
	index(t, s)
	status, err := s.Status(t.Context(), api.StatusQuestion{})
	if err != nil {
		t.Fatal(err)
	}
	if status.Files != 2 {
		t.Errorf("%d files are indexed, want 2", status.Files)
	}
	want := []api.LeftOut{{Path: "huge.js", Reason: "minified"}, {Path: "vast.js", Reason: "too large"}}
	if diff := cmp.Diff(want, status.LeftOut); diff != "" {
		t.Errorf("left out (-want +got):\n%s", diff)
	}
}

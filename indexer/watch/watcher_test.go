package watch_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/indexer/gitignore/gittest"
	"ambit/indexer/watch"
)

// mirror keeps a list of the workspace from the reports of a watcher, as a session does.
type mirror struct {
	t      testing.TB
	root   string
	filter *watch.Filter
	w      *watch.Watcher
	known  map[string]watch.Entry
	scans  int // since the first

	mu      sync.Mutex      // guards all fields below
	pending map[string]bool // reported and not yet taken
	lost    func()          // called when a scan is due, unless nil
}

// mirrored returns a mirror that watches a workspace until the test ends.
func mirrored(t testing.TB, root string, o watch.Options) *mirror {
	t.Helper()
	m := newMirror(t, root, o)
	m.w = watch.NewWatcher(m.filter, m.report, watch.WatcherOptions{SyncDir: filepath.Join(t.TempDir(), "sync")})
	t.Cleanup(m.start())
	m.scan()
	return m
}

func newMirror(t testing.TB, root string, o watch.Options) *mirror {
	t.Helper()
	f, err := watch.NewFilter(root, o)
	if err != nil {
		t.Fatal(err)
	}
	return &mirror{t: t, root: f.Root(), filter: f, pending: map[string]bool{}, scans: -1}
}

func (m *mirror) report(path string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.pending[path] = true
	if path == "" && m.lost != nil && !m.w.Live() {
		m.lost()
	}
}

// start runs the watcher until the caller calls stop.
func (m *mirror) start() (stop func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	over, ended := errors.New("the test is over"), make(chan error)
	go func() { ended <- m.w.Run(ctx) }()
	return func() {
		cancel(over)
		if err := <-ended; err != over {
			m.t.Errorf("Run returned %v, want %v", err, over)
		}
	}
}

func (m *mirror) scan() {
	m.t.Helper()
	tree, err := m.w.Scan(m.t.Context())
	if err != nil {
		m.t.Fatal(err)
	}
	m.scans++
	m.known = map[string]watch.Entry{}
	for e := range tree.All() {
		m.known[e.Path] = e
	}
}

// reported waits until the watcher has reported every change before the call, or until it
// needs a scan for that. It returns the paths reported since the last call, sorted.
func (m *mirror) reported() []string {
	m.t.Helper()
	ctx, cancel := context.WithCancel(m.t.Context())
	defer cancel()
	m.mu.Lock()
	m.lost = cancel
	lost := m.pending[""] && !m.w.Live()
	m.mu.Unlock()
	if !lost && !m.w.Sync(ctx, nil) && ctx.Err() == nil {
		m.t.Fatal("Sync failed: the watcher reports nothing")
	}
	if err := m.t.Context().Err(); err != nil {
		m.t.Fatal(err)
	}
	return m.take()
}

// take returns the paths reported since the last call, sorted.
func (m *mirror) take() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	reported := m.pending
	m.pending = map[string]bool{}
	return slices.Sorted(maps.Keys(reported))
}

// catchUp updates the list until the watcher reports nothing more.
func (m *mirror) catchUp() {
	m.t.Helper()
	for reported := m.reported(); len(reported) > 0; reported = m.reported() {
		if reported[0] == "" {
			m.scan()
			continue
		}
		for _, path := range reported {
			delete(m.known, path)
			maps.DeleteFunc(m.known, func(p string, _ watch.Entry) bool { return strings.HasPrefix(p, path+"/") })
			if e, ok := m.filter.Entry(path); ok {
				m.known[path] = e
			}
		}
	}
}

// check catches up and compares the list with that of a scan.
func (m *mirror) check() {
	m.t.Helper()
	m.catchUp()
	want, err := watch.Scan(m.t.Context(), m.filter)
	if err != nil {
		m.t.Fatal(err)
	}
	var got []watch.Entry
	for _, path := range slices.Sorted(maps.Keys(m.known)) {
		got = append(got, m.known[path])
	}
	if diff := cmp.Diff(want, got); diff != "" {
		m.t.Errorf("files by the reports of the watcher (-scan +got):\n%s", diff)
	}
}

// shell runs a script in the workspace, one command a line: "write PATH TEXT",
// "mkdir PATH", "remove PATH", "move FROM TO", "link TARGET NAME", "git ARGS".
func (m *mirror) shell(script string) {
	m.t.Helper()
	for line := range strings.Lines(script) {
		args := strings.SplitN(strings.TrimSpace(line), " ", 3)
		if args[0] == "" {
			continue
		}
		path := m.path(args[1])
		var err error
		switch args[0] {
		case "write":
			if err = os.MkdirAll(filepath.Dir(path), 0o755); err == nil {
				err = os.WriteFile(path, []byte(strings.Join(args[2:], "")), 0o644)
			}
		case "mkdir":
			err = os.MkdirAll(path, 0o755)
		case "remove":
			err = os.RemoveAll(path)
		case "move":
			err = os.Rename(path, m.path(args[2]))
		case "link":
			err = os.Symlink(args[1], m.path(args[2]))
		case "git":
			gittest.Run(m.t, m.root, strings.Fields(strings.Join(args[1:], " "))...)
		default:
			err = errors.New("unknown command")
		}
		if err != nil {
			m.t.Fatalf("%s: %v", line, err)
		}
	}
}

// path returns the absolute path of a file of the workspace; "OUT/x" is outside of it.
func (m *mirror) path(p string) string {
	if out, ok := strings.CutPrefix(p, "OUT/"); ok {
		return filepath.Join(filepath.Dir(m.root), out)
	}
	return filepath.Join(m.root, filepath.FromSlash(p))
}

// inside makes a workspace inside a directory that the test may write to.
func inside(t testing.TB, files ...string) string {
	t.Helper()
	for i := range files {
		files[i] = "work/" + files[i]
	}
	return filepath.Join(tree(t, append(files, "work/")...), "work")
}

func TestSyncWaitsForTheFirstScanAndForEarlierChanges(t *testing.T) {
	m := newMirror(t, tree(t, "a/b.go"), watch.Options{})
	m.w = watch.NewWatcher(m.filter, m.report, watch.WatcherOptions{SyncDir: filepath.Join(t.TempDir(), "sync")})
	defer m.start()()
	synced := make(chan bool)
	go func() { synced <- m.w.Sync(t.Context(), nil) }()
	m.scan()
	if !<-synced {
		t.Error("Sync returned before the first Scan")
	}
	for i := range 100 {
		before, after := fmt.Sprintf("before%d.go", i), fmt.Sprintf("after%d.go", i)
		m.shell("write a/" + before + " x")
		var reported []string
		later := make(chan bool)
		go func() {
			m.shell("write a/" + after + " x")
			close(later)
		}()
		if !m.w.Sync(t.Context(), func() { reported = m.take() }) || !slices.Contains(reported, "a/"+before) {
			t.Errorf("reported %q, want a/%s", reported, before)
		}
		<-later
	}
}

func TestTheWatcherReportsACommitWithoutFiles(t *testing.T) {
	gittest.Home(t)
	root := inside(t, "a.go")
	gittest.Run(t, root, "init", "-q", ".")
	commit := []string{"-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "--allow-empty", "-m", "x"}
	gittest.Run(t, root, commit...)
	m := mirrored(t, root, watch.Options{})
	gittest.Run(t, root, commit...) // git writes no index, and the watcher does not watch the directory of the reference
	if reported := m.reported(); !slices.Contains(reported, ".git") {
		t.Errorf("reported %q, want .git", reported)
	}
}

func TestTheWatcherReportsChangedPaths(t *testing.T) {
	tests := []struct {
		name   string
		files  []string
		script string
		want   []string // reported paths; nil when only the resulting list counts
	}{
		{"nothing", []string{"a"}, "", []string{}},
		{"a new file", nil, "write a.go x", []string{"a.go"}},
		{"a written file", []string{"d/a.go"}, "write d/a.go x", []string{"d/a.go"}},
		{"a removed file", []string{"a.go"}, "remove a.go", []string{"a.go"}},
		{"a renamed file", []string{"a.go"}, "move a.go b.go", []string{"a.go", "b.go"}},
		{"a file appears and vanishes", nil, "write a.go x\nremove a.go", []string{"a.go"}},
		{"a file in a new directory", nil, "write d/e/f/a.go x", []string{"d/e/f/a.go"}},
		{"a file moves in", []string{"a"}, "write OUT/x.go x\nmove OUT/x.go b.go", []string{"b.go"}},
		{"a file moves out", []string{"a.go"}, "move a.go OUT/a.go", []string{"a.go"}},
		{"a directory moves in", nil, "write OUT/in/x/y.go x\nwrite OUT/in/z.go\nmove OUT/in d", []string{"d/x/y.go", "d/z.go"}},
		{"a directory moves out", []string{"d/x/y.go", "a"}, "move d OUT/d", []string{"d"}},
		{"a renamed directory", []string{"d/x/y.go"}, "move d e", []string{"d", "e/x/y.go"}},
		{"a file in a renamed directory", []string{"d/x/y.go"}, "move d e\nwrite e/x/z.go z", []string{"d", "e/x/y.go", "e/x/z.go"}},
		{"a directory takes the name of another", []string{"d/a.go", "e/b.go"}, "move d OUT/old\nmove e d\nwrite d/c.go c", nil},
		{"two directories change places", []string{"d/x/a.go", "e/x/b.go"}, "move d t\nmove e d\nmove t e\nwrite d/x/new.go\nwrite e/x/new.go", nil},
		{"a directory moves into another", []string{"d/x/a.go", "e/b.go"}, "move d e/d\nmove e/d/x e/x\nwrite e/x/new.go", nil},
		{"a directory moves into a new one", []string{"d/x/a.go"}, "mkdir e\nmove d e/d\nwrite e/d/x/b.go", nil},
		{"a directory moves several times", []string{"d/x/a.go"}, "move d e\nmove e f\nmove f d\nwrite d/x/b.go\nmove d g\nwrite g/x/c.go", nil},
		{"a directory is removed and made again", []string{"d/x/a.go"}, "remove d\nwrite d/x/b.go\nremove d\nwrite d/x/c.go", nil},
		{"a directory replaces a file", []string{"a"}, "remove a\nwrite a/b.go x", nil},
		{"a file replaces a directory", []string{"a/b.go"}, "remove a\nwrite a x", nil},
		{"a link replaces a file", []string{"a", "b"}, "remove a\nlink b a", nil},
		{"a link replaces a directory", []string{"d/a", "e/b"}, "remove d\nlink e d\nwrite e/c", nil},
		{"a file behind a link is not reported", []string{"a"}, "mkdir OUT/o\nlink ../o d\nwrite OUT/o/x", []string{"d"}},
		{"an ignored file is not reported", []string{".gitignore: *.o\nbuild/\n"}, "write a.o\nwrite build/x/a.go", []string{}},
		{"a file of an excluded directory is not reported", []string{"a"}, "write node_modules/p/i.js\nwrite .git/objects/ab/cdef\nwrite .git/refs/heads/main", nil},
		{"the save of vim", []string{"a.go: old"}, "write .a.go.swp\nwrite 4913\nremove 4913\nmove a.go a.go~\nwrite a.go new\nremove a.go~\nremove .a.go.swp", []string{"4913", "a.go"}},
		{"the save of JetBrains", []string{"a.go: old"}, "write a.go___jb_tmp___ new\nmove a.go a.go___jb_old___\nmove a.go___jb_tmp___ a.go\nremove a.go___jb_old___", []string{"a.go"}},
		{"the save of Emacs", []string{"a.go: old"}, "link someone@host.1:2 .#a.go\nmove a.go a.go~\nwrite a.go new\nremove .#a.go", []string{"a.go"}},
		{"an ignore file", []string{"a.o", "d/b.o", "d/c.go"}, "write .gitignore *.o\n", []string{"", ".gitignore"}},
		{"an ignore file is removed", []string{".gitignore: gen/\n", "gen/x/a.go"}, "remove .gitignore\nwrite gen/x/b.go", nil},
		{"an .ambitignore file", []string{"node_modules/p/a.js"}, "write .ambitignore !node_modules/p/*.js\nwrite node_modules/p/b.js", nil},
		{"a virtual environment", []string{"env/lib/a.py"}, "write env/pyvenv.cfg", nil},
		{"a repository below the root", []string{"d/a.go", "d/x.o", "d/sub/b.go"}, "git init -q d\nwrite d/.git/info/exclude *.o\n", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			gittest.Home(t)
			m := mirrored(t, inside(t, tt.files...), watch.Options{})
			m.shell(tt.script)
			if tt.want != nil {
				reported := slices.DeleteFunc(m.reported(), func(p string) bool { // the watcher may report a directory, too
					info, err := os.Lstat(m.path(p))
					return p != "" && err == nil && info.IsDir()
				})
				if diff := cmp.Diff(tt.want, append([]string{}, reported...)); diff != "" {
					t.Errorf("reported (-want +got):\n%s", diff)
				}
				m.scan()
			}
			m.check()
			m.shell("write after/wards.go x\nwrite top.go") // the watcher still reports
			m.check()
		})
	}
}

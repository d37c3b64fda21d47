package watch_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/indexer/gitignore/gittest"
	"ambit/indexer/watch"
)

func TestTheWatcherReportsChangesOfARepository(t *testing.T) {
	const commit = "git -c user.name=t -c user.email=t@t commit -q -m x"
	tests := []struct {
		name   string
		before string
		script string
		want   []string // the reported paths contain these
		not    []string // and none of these
	}{
		{"git commit moves the history", "write a.go\ngit add .", commit, []string{".git"}, []string{""}},
		{"git reset moves the history", "write a.go\ngit add .\n" + commit + "\nwrite a.go b\ngit add .\n" + commit, "git reset -q --soft HEAD~", []string{".git"}, []string{""}},
		{"git checkout switches the branch", "write a.go\ngit add .\n" + commit + "\ngit checkout -q -b b\nwrite a.go b\ngit add .\n" + commit, "git checkout -q -", []string{".git", "a.go"}, []string{""}},
		{"git add of a tracked file changes no rule", "write a.go\ngit add .\n" + commit, "write a.go b\ngit add .\ngit status", []string{"a.go"}, []string{""}},
		{"objects and references are not watched", "write a.go", "write .git/objects/ab/cd\nwrite .git/refs/heads/x\nwrite .git/logs/HEAD\nwrite .git/FETCH_HEAD", nil, []string{"", ".git"}},
		{"git add tracks an ignored file", "write .gitignore *.o\nwrite a.o", "git add -f a.o", []string{""}, nil},
		{"git rm makes a tracked file an ignored one", "write .gitignore *.o\nwrite a.o\ngit add -f a.o", "git rm -q --cached a.o", []string{""}, nil},
		{"info/exclude", "write a.o", "write .git/info/exclude *.o", []string{""}, nil},
		{"info/exclude in a new directory info", "write a.o\nremove .git/info", "write .git/info/exclude *.o", []string{""}, nil},
		{"a setting", "write x.O\nwrite .gitignore *.o", "git config core.ignoreCase true", []string{""}, nil},
		{"a repository is removed", "write .git/info/exclude *.o\nwrite a.o", "remove .git", []string{""}, nil},
		{"a repository is made again", "write .git/info/exclude *.o\nwrite a.o\nremove .git", "git init -q", []string{""}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			gittest.Home(t)
			root := inside(t)
			gittest.Run(t, root, "init", "-q")
			newMirror(t, root, watch.Options{}).shell(tt.before)
			m := mirrored(t, root, watch.Options{})
			m.shell(tt.script)
			reported := m.reported()
			for _, p := range tt.want {
				if !slices.Contains(reported, p) {
					t.Errorf("reported %q, want %q in it", reported, p)
				}
			}
			for _, p := range tt.not {
				if slices.Contains(reported, p) {
					t.Errorf("reported %q, want no %q", reported, p)
				}
			}
			m.scan()
			m.shell("write .git/info/exclude *.x\nwrite b.x") // the watcher still reports
			m.check()
		})
	}
}

func TestTheWatcherReportsRulesOfARepositoryAroundTheRoot(t *testing.T) {
	gittest.Home(t)
	top := tree(t, "a/b/work/x.o", "a/b/work/y.go", "a/b/z.o")
	gittest.Run(t, top, "init", "-q")
	m := mirrored(t, filepath.Join(top, "a", "b", "work"), watch.Options{})
	m.shell("write OUT/z.o changed\nwrite OUT/other.go x")
	if reported := m.reported(); len(reported) > 0 {
		t.Errorf("reported %q for changes outside the root", reported)
	}
	for i, file := range []string{"a/b/.gitignore", "a/.gitignore", ".gitignore", ".git/info/exclude"} {
		for _, text := range []string{"*.o\n", ""} {
			if err := os.WriteFile(filepath.Join(top, file), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			m.check()
			if got := len(m.known); got == 1 != (text != "") {
				t.Errorf("%s with %q (%d): %d files", file, text, i, got)
			}
		}
	}
}

func TestTheWatcherReportsTheIndexAndSharedRulesOfALinkedWorktree(t *testing.T) {
	gittest.Home(t)
	main := tree(t, "a.go", ".gitignore: *.o\n")
	gittest.Run(t, main, "init", "-q")
	gittest.Run(t, main, "add", ".")
	gittest.Run(t, main, "-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "-m", "x")
	linked := filepath.Join(t.TempDir(), "linked")
	gittest.Run(t, main, "worktree", "add", "-q", linked)
	m := mirrored(t, linked, watch.Options{})
	for _, file := range []string{"b.o", "c.x"} {
		m.shell("write " + file)
	}
	gittest.Run(t, linked, "add", "-f", "b.o")
	m.check()
	if _, ok := m.known["b.o"]; !ok {
		t.Errorf("a file that git tracks now is not listed: %v", m.known)
	}
	if err := os.WriteFile(filepath.Join(main, ".git", "info", "exclude"), []byte("*.x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	m.check()
	if _, ok := m.known["c.x"]; ok {
		t.Error("a file that the shared rules exclude now is listed")
	}
	scans := m.scans
	gittest.Run(t, main, "add", "-A")
	if m.catchUp(); m.scans != scans {
		t.Error("a change of the main worktree's index caused a scan of the linked one")
	}
}

func TestTheWatcherReportsEveryFileOfACheckout(t *testing.T) {
	gittest.Home(t)
	m := newMirror(t, inside(t), watch.Options{})
	gittest.Run(t, m.root, "init", "-q", "-b", "one")
	for _, branch := range []string{"one", "two"} {
		gittest.Run(t, m.root, "checkout", "-q", "-B", branch)
		for i := range 150 {
			m.shell(fmt.Sprintf("write d%d/%s%d/f%d.go %s", i%7, branch, i%5, i, branch))
		}
		gittest.Run(t, m.root, "add", "-A")
		gittest.Run(t, m.root, "-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "-m", branch)
		if branch == "one" {
			m.shell("remove d0\nremove d1\nremove d2")
		}
	}
	w := mirrored(t, m.root, watch.Options{})
	for range 3 {
		for _, branch := range []string{"one", "two"} {
			gittest.Run(t, w.root, "checkout", "-q", branch)
			w.check()
		}
	}
}

// TestTheWatcherRecoversFromAKernelOverflow fills the queue of inotify while changed
// blocks the watcher.
func TestTheWatcherRecoversFromAKernelOverflow(t *testing.T) {
	text, err := os.ReadFile("/proc/sys/fs/inotify/max_queued_events")
	limit, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil || limit == 0 || limit > 100_000 {
		t.Skipf("the test cannot fill the event queue of this system: %d events, %v", limit, err)
	}
	m := newMirror(t, inside(t, "a.go", "b.go"), watch.Options{})
	first, release := make(chan string, 1), make(chan struct{})
	m.w = watch.NewWatcher(m.filter, func(path string) {
		select {
		case first <- path:
		default:
		}
		<-release
		m.report(path)
	}, watch.WatcherOptions{SyncDir: filepath.Join(t.TempDir(), "sync")})
	defer m.start()()
	m.scan()
	m.shell("write a.go held")
	<-first
	for i := range 2 * limit { // the source has taken some out already
		if err := os.Chmod(m.path([]string{"a.go", "b.go"}[i%2]), 0o600); err != nil { // alternating files, as the kernel merges equal events
			t.Fatal(err)
		}
	}
	m.shell("remove b.go\nwrite d/c.go late")
	close(release)
	m.check()
	if m.scans == 0 {
		t.Error("the watcher asked for no scan")
	}
	if diff := cmp.Diff("", m.w.Message()); diff != "" {
		t.Errorf("Message (-want +got):\n%s", diff)
	}
}

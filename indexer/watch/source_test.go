package watch_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/google/go-cmp/cmp"

	"ambit/indexer/watch"
)

// system is a fake of the notifications of an operating system with a limited number of
// watches.
type system struct {
	root string

	mu     sync.Mutex // guards all fields below
	limit  int        // watches, of all sources
	full   error      // the error of Add beyond limit
	opens  int
	open   []*fakeSource
	failed func(error)
}

type fakeSource struct {
	sys    *system
	events chan fsnotify.Event
	dirs   map[string]bool
}

func (s *system) openSource(failed func(error)) (watch.Source, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.limit < 0 {
		return nil, os.NewSyscallError("inotify_init1", syscall.EMFILE)
	}
	src := &fakeSource{sys: s, events: make(chan fsnotify.Event), dirs: map[string]bool{}}
	s.opens, s.failed, s.open = s.opens+1, failed, append(s.open, src)
	return src, nil
}

func (s *system) raise(limit int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.limit = limit
}

// watched returns the directories that are watched, relative to the root.
func (s *system) watched() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	dirs := []string{}
	for _, src := range s.open {
		for dir := range src.dirs {
			rel, _ := filepath.Rel(s.root, dir)
			dirs = append(dirs, rel)
		}
	}
	slices.Sort(dirs)
	return dirs
}

func (f *fakeSource) Add(dir string) error {
	f.sys.mu.Lock()
	defer f.sys.mu.Unlock()
	used := 0
	for _, src := range f.sys.open {
		used += len(src.dirs)
	}
	if !f.dirs[dir] && used >= f.sys.limit {
		return f.sys.full
	}
	f.dirs[dir] = true
	return nil
}

func (f *fakeSource) Remove(dir string) error {
	f.sys.mu.Lock()
	defer f.sys.mu.Unlock()
	delete(f.dirs, dir)
	return nil
}

func (f *fakeSource) Events() <-chan fsnotify.Event { return f.events }

func (f *fakeSource) Close() error {
	f.sys.mu.Lock()
	defer f.sys.mu.Unlock()
	f.sys.open = slices.DeleteFunc(f.sys.open, func(o *fakeSource) bool { return o == f })
	close(f.events)
	return nil
}

// faked returns a mirror whose watcher uses a fake system. The caller starts and scans.
func faked(t *testing.T, root string, limit int, full error) (*mirror, *system) {
	m := newMirror(t, root, watch.Options{})
	sys := &system{root: m.root, limit: limit, full: full}
	m.w = watch.NewWatcher(m.filter, m.report, watch.WatcherOptions{})
	m.w.SetSource(sys.openSource)
	return m, sys
}

// waits waits for the next report and returns the time that it took and the paths.
func (m *mirror) waits() (time.Duration, []string) {
	start := time.Now()
	for {
		if reported := m.take(); len(reported) > 0 {
			return time.Since(start), reported
		}
		time.Sleep(10 * time.Millisecond) // in the time of the bubble
	}
}

func TestAnOverflowStartsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, sys := faked(t, tree(t, "a/b/c.go", "d.go", "old/e.go"), 100, syscall.ENOSPC)
		defer m.start()()
		m.scan()
		if diff := cmp.Diff([]string{".", "a", "a/b", "old"}, sys.watched()); diff != "" {
			t.Errorf("watched (-want +got):\n%s", diff)
		}
		m.shell("move a moved\nremove old") // the source sends no event for it
		sys.failed(fsnotify.ErrEventOverflow)
		if diff := cmp.Diff([]string{""}, m.take()); diff != "" {
			t.Errorf("reported (-want +got):\n%s", diff)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if m.w.Sync(ctx, nil) || ctx.Err() == nil {
			t.Error("Sync did not wait for the Scan that is due")
		}
		m.scan()
		if diff := cmp.Diff([]string{".", "moved", "moved/b"}, sys.watched()); diff != "" || sys.opens != 2 || len(sys.open) != 1 {
			t.Errorf("opened %d sources, %d are open, want 2 and 1; watched (-want +got):\n%s", sys.opens, len(sys.open), diff)
		}
		if _, ok := m.known["moved/b/c.go"]; !ok || m.w.Message() != "" {
			t.Errorf("listed %v with message %q", m.known, m.w.Message())
		}
	})
}

func TestAWatcherWithoutEventsReportsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, sys := faked(t, tree(t, "a/b.go"), 100, syscall.ENOSPC)
		defer m.start()()
		m.scan()
		time.Sleep(24 * time.Hour)
		if reported := m.take(); len(reported) > 0 || sys.opens != 1 {
			t.Errorf("reported %q and opened %d sources in a day without events", reported, sys.opens)
		}
	})
}

func TestWithoutFreeWatchesTheWatcherPolls(t *testing.T) {
	for _, tt := range []struct {
		name  string
		limit int
		full  error
		want  string
	}{
		{"watches", 2, syscall.ENOSPC, "fs.inotify.max_user_watches"},
		{"instances", -1, nil, "fs.inotify.max_user_instances"},
		{"a file system without events", 0, errors.ErrUnsupported, "unsupported operation"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m, sys := faked(t, tree(t, "a/b/c.go", "d/e.go"), tt.limit, tt.full)
				defer m.start()()
				m.scan()
				if got := m.w.Message(); !strings.Contains(got, tt.want) || strings.Contains(got, "\n") {
					t.Errorf("Message() = %q, want one line with %q", got, tt.want)
				}
				if got := sys.watched(); len(got) > 0 || len(sys.open) > 0 {
					t.Errorf("%q stay watched, %d sources open: other programs need the watches", got, len(sys.open))
				}
				var waits []time.Duration
				for range 7 {
					wait, _ := m.waits()
					waits = append(waits, wait.Round(time.Second))
					m.scan()
				}
				s := time.Second
				if diff := cmp.Diff([]time.Duration{2 * s, 4 * s, 8 * s, 16 * s, 32 * s, 60 * s, 60 * s}, waits); diff != "" {
					t.Errorf("waits without a change (-want +got):\n%s", diff)
				}
				m.shell("write new.go x")
				m.waits()
				m.scan()
				if wait, _ := m.waits(); wait.Round(s) != 2*s || m.known["new.go"].Path == "" {
					t.Errorf("waits %v after a change, want 2 s", wait)
				}
			})
		})
	}
}

func TestThePollingWatcherTakesWatchesThatBecomeFree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, sys := faked(t, tree(t, "a/b/c.go", "d/e.go"), 2, syscall.ENOSPC)
		defer m.start()()
		m.scan()
		sys.raise(100)
		for m.w.Message() != "" {
			m.waits()
			m.scan()
		}
		if diff := cmp.Diff([]string{".", "a", "a/b", "d"}, sys.watched()); diff != "" {
			t.Errorf("watched (-want +got):\n%s", diff)
		}
		time.Sleep(time.Hour)
		if reported := m.take(); len(reported) > 0 {
			t.Errorf("reported %q: the watcher still polls", reported)
		}
	})
}

func TestAWatcherThatRunsOutOfWatchesPolls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, sys := faked(t, tree(t, "a/b.go"), 3, syscall.ENOSPC)
		defer m.start()()
		m.scan()
		m.shell("write new/x/y/z.go x")
		sys.open[0].events <- fsnotify.Event{Name: filepath.Join(m.root, "new"), Op: fsnotify.Create}
		if _, reported := m.waits(); !slices.Contains(reported, "") || !slices.Contains(reported, "new/x/y/z.go") {
			t.Errorf("reported %q, want the file and an empty path", reported)
		}
		m.scan()
		if !strings.Contains(m.w.Message(), "max_user_watches") {
			t.Errorf("Message() = %q", m.w.Message())
		}
	})
}

func TestTheWatcherReportsThatTheRootIsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, sys := faked(t, inside(t, "a/b.go"), 100, syscall.ENOSPC)
		defer m.start()()
		m.scan()
		m.shell("move . OUT/away")
		sys.open[0].events <- fsnotify.Event{Name: m.root, Op: fsnotify.Rename}
		m.waits()
		if _, err := m.w.Scan(t.Context()); !errors.Is(err, watch.ErrRoot) || !strings.Contains(err.Error(), "no such file or directory; check") {
			t.Errorf("Scan returned %v, want %v", err, watch.ErrRoot)
		}
		time.Sleep(time.Hour)
		if reported := m.take(); len(reported) > 0 || len(sys.open) > 0 {
			t.Errorf("reported %q while the root is gone, %d sources are open", reported, len(sys.open))
		}
		if err := os.Rename(m.path("OUT/away"), m.root); err != nil {
			t.Fatal(err)
		}
		if wait, reported := m.waits(); wait > time.Minute || !slices.Equal(reported, []string{""}) {
			t.Errorf("reported %q after %v", reported, wait)
		}
		m.scan()
		if diff := cmp.Diff([]string{".", "a"}, sys.watched()); diff != "" {
			t.Errorf("watched (-want +got):\n%s", diff)
		}
	})
}

func TestSyncReportsThatTheRootIsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, _ := faked(t, inside(t, "a/b.go"), 100, syscall.ENOSPC)
		defer m.start()()
		m.scan()
		m.shell("move . OUT/away")
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if m.w.Sync(ctx, nil) { // Sync notices that the root is gone
			t.Error("Sync returns true for a root that is gone")
		}
		if _, err := m.w.Scan(t.Context()); !errors.Is(err, watch.ErrRoot) {
			t.Errorf("Scan returned %v, want %v", err, watch.ErrRoot)
		}
		m.take()
		start := time.Now()
		if m.w.Sync(t.Context(), nil) || time.Since(start) > 0 || len(m.take()) > 0 {
			t.Error("Sync waits or reports a change while the root is gone")
		}
		if err := os.Rename(m.path("OUT/away"), m.root); err != nil {
			t.Fatal(err)
		}
		ctx, cancel = context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if m.w.Sync(ctx, nil) || !slices.Equal(m.take(), []string{""}) {
			t.Error("Sync does not report a root that is back")
		}
	})
}

func TestACancelledScanStartsOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m, sys := faked(t, tree(t, "a/b.go"), 100, syscall.ENOSPC)
		defer m.start()()
		m.scan()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := m.w.Scan(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("Scan returned %v, want %v", err, context.Canceled)
		}
		if got := sys.watched(); len(got) > 0 {
			t.Errorf("%q stay watched", got)
		}
		m.scan()
		if diff := cmp.Diff([]string{".", "a"}, sys.watched()); diff != "" {
			t.Errorf("watched (-want +got):\n%s", diff)
		}
	})
}

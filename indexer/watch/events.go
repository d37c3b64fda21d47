package watch

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"

	"github.com/fsnotify/fsnotify"
)

// handle tells what an event means.
//
// fsnotify names a directory by the path under which it was added. A renamed one and
// those below it would keep their old names, so they are let go when the old name is
// told and added when the new one is. The order holds: the source gives the next
// event only when this one is handled.
func (w *Watcher) handle(ctx context.Context, src source, ev fsnotify.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if src != w.src || w.top == nil {
		return // of a tree that has been walked anew since
	}
	if w.cookies.hear(ev) {
		return
	}
	if ev.Name == w.cookies.dir {
		if err := w.cookies.prepare(); err == nil {
			w.watch(w.cookies.dir)
		}
		return
	}
	if ev.Name == w.f.root {
		if ev.Has(fsnotify.Remove | fsnotify.Rename) {
			w.lose()
		} else {
			w.changed("")
		}
		return
	}
	if meaning, ok := w.gitNews[ev.Name]; ok {
		w.gitChanged(meaning)
	}
	dir, name := filepath.Split(ev.Name)
	if n := w.find(filepath.Clean(dir)); n != nil {
		w.entryChanged(ctx, n, name, ev)
	}
}

// entryChanged tells what an event means that concerns one entry of a directory.
func (w *Watcher) entryChanged(ctx context.Context, n *node, name string, ev fsnotify.Event) {
	path := n.place.path + name
	var m marks
	if m.note(name); m != (marks{}) && (name != ".git" || ev.Op != fsnotify.Chmod) {
		w.changed("") // other files are in or out now
	}
	sub := n.dirs[name]
	if sub != nil && ev.Has(fsnotify.Remove|fsnotify.Rename|fsnotify.Create|fsnotify.Chmod) {
		w.drop(sub)
		delete(n.dirs, name)
		w.changed(path)
		if ev.Has(fsnotify.Rename) && w.nested {
			w.changed("")
		}
	}
	if ev.Has(fsnotify.Create) || sub != nil {
		if fi, err := os.Lstat(ev.Name); err == nil && fi.IsDir() {
			w.adopt(ctx, n, name)
			return
		}
	}
	if w.f.takes(n.place, name) {
		w.changed(path)
	}
}

// adopt watches a directory and all below it and tells every file: those that were
// there before the watch would be told by nobody.
func (w *Watcher) adopt(ctx context.Context, n *node, name string) {
	place, ok := w.f.descend(n.place, name)
	if !ok {
		return
	}
	s := w.newScan(ctx)
	d := &folder{place: place}
	s.read(d)
	s.readers.Wait()
	if n.dirs == nil {
		n.dirs = map[string]*node{}
	}
	n.dirs[name] = newNode(d)
	w.nested = w.nested || len(d.folders) > 0
	for _, e := range d.appendTo(nil) {
		w.changed(e.Path)
	}
	if w.failure.Load() != nil {
		w.lose() // the Scan that follows says so
	}
}

// gitMeaning is what it means that a file of a repository has changed.
type gitMeaning struct {
	rules bool  // other files are in or out
	head  bool  // the history may have moved
	index *repo // other files are tracked
}

// headLock is there while HEAD, or the branch that it names, is moved.
const headLock = "HEAD.lock"

// watchRepo watches what a repository says of the workspace, before it is read.
// Objects and references lie in directories that are not watched; whoever moves the
// branch that HEAD is on holds its lock meanwhile, before or after rewriting the index.
//
// Source: gitrepository-layout(5).
func (w *Watcher) watchRepo(r *repo) {
	w.gitMu.Lock()
	defer w.gitMu.Unlock()
	add := func(dir string, meaning gitMeaning, names ...string) {
		if !w.outside[dir] {
			w.outside[dir] = true
			w.watch(dir)
		}
		for _, name := range names {
			m := w.gitNews[filepath.Join(dir, name)]
			m.rules, m.head = m.rules || meaning.rules, m.head || meaning.head
			if meaning.index != nil {
				m.index = meaning.index
			}
			w.gitNews[filepath.Join(dir, name)] = m
		}
	}
	dir, common := filepath.Clean(r.dir), filepath.Clean(r.common)
	add(dir, gitMeaning{head: true}, "HEAD", headLock, "ORIG_HEAD", "MERGE_HEAD")
	add(dir, gitMeaning{head: true, index: r}, "index")
	add(dir, gitMeaning{rules: true}, "config.worktree")
	add(common, gitMeaning{head: true}, "packed-refs")
	add(common, gitMeaning{rules: true}, "config", "info", "objects") // the last is new when a repository is made
	add(filepath.Join(common, "info"), gitMeaning{rules: true}, "exclude")
	if len(r.top) < len(w.f.root) { // the root lies in it: what is above may ignore, too
		for at := filepath.Dir(w.f.root); len(at) >= len(r.top); at = filepath.Dir(at) {
			add(at, gitMeaning{rules: true}, gitIgnoreName)
			if at == filepath.Dir(at) {
				break
			}
		}
	}
}

// gitChanged tells what it means that a file of a repository has changed. An index
// that names the same files, as after most commands, changes nothing.
func (w *Watcher) gitChanged(m gitMeaning) {
	if m.rules || m.index != nil && !m.index.names().equal(readIndex(m.index.dir, m.index.config.sha256)) {
		w.changed("")
	}
	if m.head {
		w.changed(".git")
	}
}

// equal reports whether both name the same files.
func (t *trackedNames) equal(o *trackedNames) bool {
	return bytes.Equal(t.text, o.text) && slices.Equal(t.ends, o.ends)
}

package watch

import (
	"context"
	"os"
	"path/filepath"

	"github.com/fsnotify/fsnotify"

	"ambit/indexer/gitignore"
)

// handle reports the changes that an event stands for.
//
// fsnotify names a directory by the path under which it was added. A renamed directory
// and those below it would keep their old names, so handle removes their watches at the
// event of the old name and adds them at the event of the new one. No event comes in
// between, as the source delivers the next event only after this call.
func (w *Watcher) handle(ctx context.Context, src source, ev fsnotify.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if src != w.src || w.top == nil {
		return // the event comes from a source that a Scan has replaced
	}
	if w.cookies.take(ev) {
		return
	}
	switch ev.Name {
	case w.cookies.dir:
		if err := w.cookies.prepare(); err == nil {
			w.watch(w.cookies.dir)
		}
		return
	case w.f.root:
		if ev.Has(fsnotify.Remove | fsnotify.Rename) {
			w.startOver()
		} else {
			w.changed("")
		}
		return
	}
	if meaning, ok := w.gitFiles[ev.Name]; ok {
		w.gitChanged(meaning)
	}
	dir, name := filepath.Split(ev.Name)
	if n := w.find(filepath.Clean(dir)); n != nil {
		w.entryChanged(ctx, n, name, ev)
	}
}

// entryChanged reports the changes that an event of one entry of a directory stands for.
func (w *Watcher) entryChanged(ctx context.Context, n *node, name string, ev fsnotify.Event) {
	path := n.place.path + name
	var m marks
	if m.note(name); m != (marks{}) && (name != ".git" || ev.Op != fsnotify.Chmod) {
		w.changed("") // the rules take in other files now
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

// adopt watches a new directory and all directories below it. It reports every file,
// because the source sends no event for a file that is older than the watch.
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
	for e := range (&Tree{d}).All() {
		w.changed(e.Path)
	}
	if w.failure != nil {
		w.startOver() // the Scan sets the message
	}
}

// gitMeaning is the effect of a change of a file of a repository.
type gitMeaning struct {
	rules bool            // git may ignore other files
	head  bool            // the history may have moved
	index *gitignore.Repo // the file is the index of this Repo, so git may track other files; nil for no index
}

// headLock exists while git moves HEAD, or the branch that HEAD names.
const headLock = "HEAD.lock"

// watchRepo watches the files of a repository that affect the workspace, before the Scan
// reads them. It does not watch the directories of objects and references: a program
// that moves the branch of HEAD holds headLock meanwhile, before or after it writes the
// index.
//
// Source: gitrepository-layout(5).
func (w *Watcher) watchRepo(r *gitignore.Repo) {
	w.scanMu.Lock()
	defer w.scanMu.Unlock()
	add := func(dir string, meaning gitMeaning, names ...string) {
		if !w.outside[dir] {
			w.outside[dir] = true
			w.watchLocked(dir)
		}
		for _, name := range names {
			file := filepath.Join(dir, name)
			m := w.gitFiles[file]
			m.rules, m.head = m.rules || meaning.rules, m.head || meaning.head
			if meaning.index != nil {
				m.index = meaning.index
			}
			w.gitFiles[file] = m
		}
	}
	dir, common := filepath.Clean(r.Dir), filepath.Clean(r.Common)
	add(dir, gitMeaning{head: true}, "HEAD", headLock, "ORIG_HEAD", "MERGE_HEAD")
	add(dir, gitMeaning{head: true, index: r}, "index")
	add(dir, gitMeaning{rules: true}, "config.worktree")
	add(common, gitMeaning{head: true}, "packed-refs")
	add(common, gitMeaning{rules: true}, "config", "info", "objects") // git init makes objects last
	add(filepath.Join(common, "info"), gitMeaning{rules: true}, "exclude")
	if len(r.Top) < len(w.f.root) { // the ignore files between Top and the root hold, too
		for at := filepath.Dir(w.f.root); len(at) >= len(r.Top); at = filepath.Dir(at) {
			add(at, gitMeaning{rules: true}, gitignore.FileName)
			if at == filepath.Dir(at) {
				break
			}
		}
	}
}

// gitChanged reports the effect of a change of a file of a repository. Most git commands
// write an index with the same names, which has no effect.
func (w *Watcher) gitChanged(m gitMeaning) {
	if m.rules || m.index != nil && m.index.IndexChanged() {
		w.changed("")
	}
	if m.head {
		w.changed(".git")
	}
}

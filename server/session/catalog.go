package session

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"ambit/vectors/record"
)

// catalog is the view of the files: what the index knows of each, by path. Like
// the other views it is replaced as a whole, so readers never wait.
type catalog struct {
	files   atomic.Pointer[[]record.File]
	byKey   atomic.Pointer[[]keyed] // of files, by key
	indexed atomic.Int64            // files that are not left out
	write   sync.Mutex              // held while the next view is made
}

// load sets the files, which are sorted by path.
func (c *catalog) load(files []record.File) {
	rows := make([]keyed, 0, len(files))
	for i := range files {
		if files[i].Chunks.N > 0 {
			rows = append(rows, keyed{files[i].Chunks, files[i].Path})
		}
	}
	slices.SortFunc(rows, byFirst)
	c.store(files, rows)
}

func byFirst(a, b keyed) int { return cmp.Compare(a.keys.First, b.keys.First) }

func (c *catalog) store(files []record.File, rows []keyed) {
	n := 0
	for i := range files {
		if files[i].LeftOut == "" {
			n++
		}
	}
	c.files.Store(&files)
	c.byKey.Store(&rows)
	c.indexed.Store(int64(n))
}

// keyed is the chunks of a file.
type keyed struct {
	keys record.KeyRange
	path record.Path
}

// compare orders chunks by their place in the workspace: by path, then as they stand
// in the file. Keys tell the order in which files were written, which no answer is to
// depend on. What the index does not have comes last, by key.
func (c *catalog) compare(a, b record.Key) int {
	rows := *c.byKey.Load()
	x, y := fileOf(rows, a), fileOf(rows, b)
	switch {
	case x == y:
		return cmp.Compare(a, b)
	case x < 0:
		return 1
	case y < 0:
		return -1
	}
	return cmp.Compare(rows[x].path, rows[y].path)
}

// path returns the path of the file that has a chunk.
func (c *catalog) path(key record.Key) (record.Path, bool) {
	rows := *c.byKey.Load()
	i := fileOf(rows, key)
	if i < 0 {
		return "", false
	}
	return rows[i].path, true
}

// fileOf returns the place in rows of the file that has a chunk, or -1.
func fileOf(rows []keyed, key record.Key) int {
	i, found := slices.BinarySearchFunc(rows, key, func(r keyed, k record.Key) int { return cmp.Compare(r.keys.First, k) })
	if !found {
		i--
	}
	if i < 0 || !rows[i].keys.Contains(key) {
		return -1
	}
	return i
}

// all returns the files by path; the caller does not change them.
func (c *catalog) all() []record.File { return *c.files.Load() }

// find returns what the index knows of a path.
func (c *catalog) find(path record.Path) (record.File, bool) {
	files := c.all()
	i, found := slices.BinarySearchFunc(files, path, comparePath)
	if !found {
		return record.File{}, false
	}
	return files[i], true
}

// Apply makes the next view of a batch that the store has written. What it does not
// change is copied and not sorted again.
func (c *catalog) Apply(_ context.Context, b *record.Batch) error {
	c.write.Lock()
	defer c.write.Unlock()
	type news struct {
		file record.File
		gone bool
	}
	changed := make([]news, 0, len(b.Files)+len(b.Touched)+len(b.Removed))
	for i := range b.Files {
		changed = append(changed, news{file: b.Files[i].File})
	}
	for _, f := range b.Touched {
		changed = append(changed, news{file: f})
	}
	for _, path := range b.Removed {
		changed = append(changed, news{file: record.File{Path: path}, gone: true})
	}
	slices.SortFunc(changed, func(a, b news) int { return strings.Compare(string(a.file.Path), string(b.file.Path)) })

	old := c.all()
	next := make([]record.File, 0, len(old)+len(changed))
	var rows []keyed                  // of what is new
	replaced := map[record.Key]bool{} // the first keys of what is old
	for _, n := range changed {
		i, found := slices.BinarySearchFunc(old, n.file.Path, comparePath)
		next = append(next, old[:i]...)
		if !n.gone {
			next = append(next, n.file)
			if n.file.Chunks.N > 0 {
				rows = append(rows, keyed{n.file.Chunks, n.file.Path})
			}
		}
		if found {
			if old[i].Chunks.N > 0 {
				replaced[old[i].Chunks.First] = true
			}
			i++
		}
		old = old[i:]
	}
	slices.SortFunc(rows, byFirst)
	c.store(append(next, old...), merged(*c.byKey.Load(), rows, replaced))
	return nil
}

// merged returns old without what is replaced, and rows, by key.
func merged(old, rows []keyed, replaced map[record.Key]bool) []keyed {
	all := make([]keyed, 0, len(old)+len(rows))
	for _, r := range old {
		for len(rows) > 0 && rows[0].keys.First < r.keys.First {
			all, rows = append(all, rows[0]), rows[1:]
		}
		if !replaced[r.keys.First] {
			all = append(all, r)
		}
	}
	return append(all, rows...)
}

func comparePath(f record.File, path record.Path) int {
	return strings.Compare(string(f.Path), string(path))
}

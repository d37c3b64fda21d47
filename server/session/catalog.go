package session

import (
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
	indexed atomic.Int64 // files that are not left out
	write   sync.Mutex   // held while the next view is made
}

// load sets the files, which are sorted by path.
func (c *catalog) load(files []record.File) {
	n := 0
	for i := range files {
		if files[i].LeftOut == "" {
			n++
		}
	}
	c.files.Store(&files)
	c.indexed.Store(int64(n))
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

// Apply makes the next view of a batch that the store has written.
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
	for _, n := range changed {
		i, found := slices.BinarySearchFunc(old, n.file.Path, comparePath)
		next = append(next, old[:i]...)
		if !n.gone {
			next = append(next, n.file)
		}
		if found {
			i++
		}
		old = old[i:]
	}
	c.load(append(next, old...))
	return nil
}

func comparePath(f record.File, path record.Path) int {
	return strings.Compare(string(f.Path), string(path))
}

package snapshot

import (
	"cmp"
	"slices"
	"sync"

	"ambit/vectors/record"
)

// catalog is a list of files. It is immutable.
type catalog struct {
	files   []record.File // by path
	indexed int           // files that are not left out
	byKey   func() []int  // indexes of the files that have chunks, by key; the first search makes it
}

// newCatalog returns the catalog of files, which are sorted by path.
func newCatalog(files []record.File) *catalog {
	c := &catalog{files: files}
	for i := range files {
		if files[i].LeftOut == "" {
			c.indexed++
		}
	}
	c.byKey = sync.OnceValue(func() []int {
		list := make([]int, 0, len(files))
		for i := range files {
			if files[i].Chunks.N > 0 {
				list = append(list, i)
			}
		}
		slices.SortFunc(list, func(a, b int) int { return cmp.Compare(files[a].Chunks.First, files[b].Chunks.First) })
		return list
	})
	return c
}

func byPath(f record.File, path record.Path) int { return cmp.Compare(f.Path, path) }

// find returns the file with a path.
func (c *catalog) find(path record.Path) (record.File, bool) {
	i, found := slices.BinarySearchFunc(c.files, path, byPath)
	if !found {
		return record.File{}, false
	}
	return c.files[i], true
}

// fileOf returns the index of the file that has a chunk, or -1.
func (c *catalog) fileOf(key record.Key) int {
	list := c.byKey()
	i, found := slices.BinarySearchFunc(list, key, func(f int, k record.Key) int { return cmp.Compare(c.files[f].Chunks.First, k) })
	if !found {
		i--
	}
	if i < 0 || !c.files[list[i]].Chunks.Contains(key) {
		return -1
	}
	return list[i]
}

// with returns the catalog after a batch whose keys the store has set.
func (c *catalog) with(b *record.Batch) *catalog {
	next := slices.Clone(c.files)
	put := func(f record.File) {
		if i, found := slices.BinarySearchFunc(c.files, f.Path, byPath); found {
			next[i] = f
		} else {
			next = append(next, f)
		}
	}
	for i := range b.Files {
		put(b.Files[i].File)
	}
	for _, f := range b.Touched {
		put(f)
	}
	if len(b.Removed) > 0 {
		removed := make(map[record.Path]bool, len(b.Removed))
		for _, path := range b.Removed {
			removed[path] = true
		}
		next = slices.DeleteFunc(next, func(f record.File) bool { return removed[f.Path] })
	}
	slices.SortFunc(next, func(a, b record.File) int { return cmp.Compare(a.Path, b.Path) })
	return newCatalog(next)
}

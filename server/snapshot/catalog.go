package snapshot

import (
	"cmp"
	"maps"
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

// with returns the catalog after a batch whose keys the store has set. It is one pass over the
// files: sorting all of them again for each batch is slow in a tree of 50,000.
func (c *catalog) with(b *record.Batch) *catalog {
	changed := make(map[record.Path]*record.File, len(b.Files)+len(b.Touched)+len(b.Removed)) // nil for a removed file
	for i := range b.Files {
		changed[b.Files[i].File.Path] = &b.Files[i].File
	}
	for i := range b.Touched {
		changed[b.Touched[i].Path] = &b.Touched[i]
	}
	for _, path := range b.Removed {
		changed[path] = nil
	}
	next := make([]record.File, 0, len(c.files)+len(changed))
	rest := c.files
	for _, path := range slices.Sorted(maps.Keys(changed)) {
		n, found := slices.BinarySearchFunc(rest, path, byPath)
		next = append(next, rest[:n]...)
		if f := changed[path]; f != nil {
			next = append(next, *f)
		}
		if found {
			n++
		}
		rest = rest[n:]
	}
	return newCatalog(append(next, rest...))
}

package snapshot

import (
	"cmp"
	"slices"
	"strings"

	"ambit/vectors/record"
)

// catalog is the list of the files of the index. It is immutable.
type catalog struct {
	files   []record.File // by path
	byKey   []keyedFile   // of files, by key
	indexed int           // files that are not left out
}

// keyedFile is the chunks of a file.
type keyedFile struct {
	keys record.KeyRange
	path record.Path
}

// newCatalog returns the catalog of files, which are sorted by path.
func newCatalog(files []record.File) *catalog {
	rows := make([]keyedFile, 0, len(files))
	for i := range files {
		if files[i].Chunks.N > 0 {
			rows = append(rows, keyedFile{files[i].Chunks, files[i].Path})
		}
	}
	slices.SortFunc(rows, byFirstKey)
	return makeCatalog(files, rows)
}

func makeCatalog(files []record.File, rows []keyedFile) *catalog {
	c := &catalog{files: files, byKey: rows}
	for i := range files {
		if files[i].LeftOut == "" {
			c.indexed++
		}
	}
	return c
}

func byFirstKey(a, b keyedFile) int { return cmp.Compare(a.keys.First, b.keys.First) }

// find returns what the index knows of a path.
func (c *catalog) find(path record.Path) (record.File, bool) {
	i, found := slices.BinarySearchFunc(c.files, path, comparePath)
	if !found {
		return record.File{}, false
	}
	return c.files[i], true
}

// below returns the files of a directory and of those in it; "" is the root.
func (c *catalog) below(dir record.Path) []record.File {
	if dir == "" {
		return c.files
	}
	prefix := string(dir) + "/"
	from, _ := slices.BinarySearchFunc(c.files, record.Path(prefix), comparePath)
	to := from
	for to < len(c.files) && strings.HasPrefix(string(c.files[to].Path), prefix) {
		to++
	}
	return c.files[from:to]
}

// fileOf returns the file that has a chunk, nil for none.
func (c *catalog) fileOf(key record.Key) *keyedFile {
	i, found := slices.BinarySearchFunc(c.byKey, key, func(r keyedFile, k record.Key) int { return cmp.Compare(r.keys.First, k) })
	if !found {
		i--
	}
	if i < 0 || !c.byKey[i].keys.Contains(key) {
		return nil
	}
	return &c.byKey[i]
}

// compare orders chunks by path, then as they stand in the file. Keys tell in which
// order the files were written, and no answer may depend on that. Chunks that the index
// does not have come last, by key.
func (c *catalog) compare(a, b record.Key) int {
	x, y := c.fileOf(a), c.fileOf(b)
	switch {
	case x == y:
		return cmp.Compare(a, b)
	case x == nil:
		return 1
	case y == nil:
		return -1
	}
	return cmp.Compare(x.path, y.path)
}

// with returns the catalog after a batch that the store has given its keys. Files that
// stay are copied and not sorted again.
func (c *catalog) with(b *record.Batch) *catalog {
	type change struct {
		file record.File
		gone bool
	}
	changes := make([]change, 0, len(b.Files)+len(b.Touched)+len(b.Removed))
	for i := range b.Files {
		changes = append(changes, change{file: b.Files[i].File})
	}
	for _, f := range b.Touched {
		changes = append(changes, change{file: f})
	}
	for _, path := range b.Removed {
		changes = append(changes, change{file: record.File{Path: path}, gone: true})
	}
	slices.SortFunc(changes, func(a, b change) int { return cmp.Compare(a.file.Path, b.file.Path) })

	old := c.files
	next := make([]record.File, 0, len(old)+len(changes))
	var added []keyedFile
	replaced := map[record.Key]bool{} // first keys
	for _, n := range changes {
		i, found := slices.BinarySearchFunc(old, n.file.Path, comparePath)
		next = append(next, old[:i]...)
		if !n.gone {
			next = append(next, n.file)
			if n.file.Chunks.N > 0 {
				added = append(added, keyedFile{n.file.Chunks, n.file.Path})
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
	slices.SortFunc(added, byFirstKey)
	return makeCatalog(append(next, old...), merge(c.byKey, added, replaced))
}

// merge returns the rows of old that are not replaced, and those of added, by key.
func merge(old, added []keyedFile, replaced map[record.Key]bool) []keyedFile {
	all := make([]keyedFile, 0, len(old)+len(added))
	for _, r := range old {
		for len(added) > 0 && added[0].keys.First < r.keys.First {
			all, added = append(all, added[0]), added[1:]
		}
		if !replaced[r.keys.First] {
			all = append(all, r)
		}
	}
	return append(all, added...)
}

func comparePath(f record.File, path record.Path) int { return cmp.Compare(f.Path, path) }

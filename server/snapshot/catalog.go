package snapshot

import (
	"cmp"
	"maps"
	"slices"
	"sort"
	"sync/atomic"

	"ambit/indexer/watch"
	"ambit/vectors/record"
)

// catalog is a list of files. It is immutable, and shares the rows with the catalogs
// before and after it: a batch in a tree of 200,000 copies no row.
type catalog struct {
	files   []record.Row // by path
	indexed int          // files that are not left out
	keyed   atomic.Pointer[keyed]
	written atomic.Pointer[[]record.Path] // see generated
}

// newCatalog returns the catalog of files, which are sorted by path.
func newCatalog(files []record.Row) *catalog {
	m := newCataloger(len(files))
	for _, f := range files {
		m.add(f)
	}
	return m.catalog()
}

// cataloger makes a catalog of files that come one by one, sorted by path. It looks at each of them
// while the processor has it at hand: to look at 200,000 again takes 8 ms each time.
type cataloger struct {
	c    *catalog
	list *keyed
}

// newCataloger returns one for n files.
func newCataloger(n int) *cataloger {
	return &cataloger{&catalog{files: make([]record.Row, 0, n)}, newKeyed(n)}
}

func (m *cataloger) add(f record.Row) {
	m.c.files = append(m.c.files, f)
	if f.Indexed() {
		m.c.indexed++
	}
	m.list.take(f)
}

func (m *cataloger) catalog() *catalog {
	m.c.keep(m.list)
	return m.c
}

func byPath(f record.Row, path record.Path) int { return cmp.Compare(f.Path(), path) }

// find returns the file with a path.
func (c *catalog) find(path record.Path) (record.File, bool) {
	i, found := slices.BinarySearchFunc(c.files, path, byPath)
	if !found {
		return record.File{}, false
	}
	return c.files[i].File(), true
}

// keyed are the files that have chunks, by key, and the chunks of each.
type keyed struct {
	files  []record.Row
	chunks []record.KeyRange
}

// newKeyed returns an empty list with room for n files.
func newKeyed(n int) *keyed {
	return &keyed{make([]record.Row, 0, n), make([]record.KeyRange, 0, n)}
}

// take adds a file if it has chunks.
func (k *keyed) take(f record.Row) {
	if chunks := f.Chunks(); chunks.N > 0 {
		k.add(f, chunks)
	}
}

func (k *keyed) add(f record.Row, chunks record.KeyRange) {
	k.files, k.chunks = append(k.files, f), append(k.chunks, chunks)
}

// Len, Less and Swap implement [sort.Interface].
func (k *keyed) Len() int           { return len(k.chunks) }
func (k *keyed) Less(i, j int) bool { return k.chunks[i].First < k.chunks[j].First }
func (k *keyed) Swap(i, j int) {
	k.files[i], k.files[j] = k.files[j], k.files[i]
	k.chunks[i], k.chunks[j] = k.chunks[j], k.chunks[i]
}

// byKey returns the files that have chunks, by key. The first call makes the list.
func (c *catalog) byKey() *keyed {
	if list := c.keyed.Load(); list != nil {
		return list
	}
	list := newKeyed(len(c.files))
	for _, f := range c.files {
		list.take(f)
	}
	c.keep(list)
	return list
}

// keep sorts the files that have chunks, and keeps them.
func (c *catalog) keep(list *keyed) {
	if !sort.IsSorted(list) { // as it is when the files were written in the order of their paths
		sort.Sort(list)
	}
	if list.Len() > 0 {
		c.keyed.Store(list) // two calls may keep equal ones
	}
}

// chunks returns the keys of the chunks of the files. Files that were written one after
// another, as those of a new index are, have one range.
func (c *catalog) chunks() []record.KeyRange {
	var keys []record.KeyRange
	for _, r := range c.byKey().chunks {
		last := len(keys) - 1
		switch {
		case last >= 0 && int64(keys[last].First)+int64(keys[last].N) == int64(r.First):
			keys[last].N += r.N
		default:
			keys = append(keys, r)
		}
	}
	return keys
}

// generated returns the files that are left out as generated, by path. The first question makes the
// list.
func (c *catalog) generated() []record.Path {
	if list := c.written.Load(); list != nil {
		return *list
	}
	list := []record.Path{}
	for _, f := range c.files {
		if f.LeftOut() == watch.Generated {
			list = append(list, f.Path())
		}
	}
	c.written.Store(&list) // two questions may make equal ones
	return list
}

// placeOf returns the place in byKey of the file that has a chunk, or -1.
func (c *catalog) placeOf(key record.Key) int {
	list := c.byKey().chunks
	i, found := slices.BinarySearchFunc(list, key, func(r record.KeyRange, k record.Key) int { return cmp.Compare(r.First, k) })
	if !found {
		i--
	}
	if i < 0 || !list[i].Contains(key) {
		return -1
	}
	return i
}

// pathOf returns the path of the file that has a chunk, or "".
func (c *catalog) pathOf(key record.Key) record.Path {
	if i := c.placeOf(key); i >= 0 {
		return c.byKey().files[i].Path()
	}
	return ""
}

// with returns the catalog after a batch whose keys the store has set.
func (c *catalog) with(b *record.Batch) *catalog {
	changed := make(map[record.Path]*record.Row, len(b.Files)+len(b.Touched)+len(b.Removed)) // nil for a removed file
	for i := range b.Files {
		f := record.RowOf(&b.Files[i].File)
		changed[f.Path()] = &f
	}
	for i := range b.Touched {
		f := record.RowOf(&b.Touched[i])
		changed[f.Path()] = &f
	}
	for _, path := range b.Removed {
		changed[path] = nil
	}
	next := &catalog{files: make([]record.Row, 0, len(c.files)+len(changed)), indexed: c.indexed}
	count := func(f record.Row, n int) {
		if f.Indexed() {
			next.indexed += n
		}
	}
	rest := c.files
	for _, path := range slices.Sorted(maps.Keys(changed)) {
		n, found := slices.BinarySearchFunc(rest, path, byPath)
		next.files = append(next.files, rest[:n]...)
		if f := changed[path]; f != nil {
			next.files = append(next.files, *f)
			count(*f, 1)
		}
		if found {
			count(rest[n], -1)
			n++
		}
		rest = rest[n:]
	}
	next.files = append(next.files, rest...)
	next.follow(c, changed)
	return next
}

// follow makes the list by key from that of the catalog before, if a search has made it:
// sorting a list of 200,000 takes longer than the search.
func (c *catalog) follow(before *catalog, changed map[record.Path]*record.Row) {
	old := before.keyed.Load()
	if old == nil {
		return
	}
	list := newKeyed(old.Len() + len(changed))
	for i, f := range old.files {
		if _, gone := changed[f.Path()]; !gone {
			list.add(f, old.chunks[i])
		}
	}
	last := list.Len() - 1
	added := &keyed{}
	for _, f := range changed {
		if f != nil {
			added.take(*f)
		}
	}
	sort.Sort(added)
	for i, f := range added.files {
		list.add(f, added.chunks[i])
	}
	if last >= 0 && last+1 < list.Len() && list.Less(last+1, last) { // a file that was only touched keeps its keys
		sort.Sort(list)
	}
	c.keyed.Store(list)
}

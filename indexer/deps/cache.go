package deps

import (
	"container/list"
	"slices"
	"sync"
	"time"

	"ambit/vectors/record"
)

// DefaultCacheBytes bounds the memory of a cache. The files that the questions about a project
// need are some hundreds of 20 kB; their symbols take as much again.
const DefaultCacheBytes = 64 << 20

// Parsed is what parsing made of the text of a file.
type Parsed struct {
	Graph record.FileGraph // without its path
	Text  []byte           // with secrets masked; nil when it has none
}

// Shelf keeps parsed files for other processes, by a hash of the path of their record and their text. It
// is safe for concurrent use.
type Shelf interface {
	Get(key record.Hash) (*Parsed, bool)
	Put(key record.Hash, p *Parsed)
}

// Cache keeps what is known of files of dependencies in memory, by path, size and time. It is safe for
// concurrent use.
type Cache struct {
	limit int
	shelf Shelf // nil for none

	mu    sync.Mutex // guards all fields below
	at    map[string]*list.Element
	order *list.List // of *entry, the latest used first
	bytes int
}

// NewCache returns a cache of at most limit bytes; 0 means [DefaultCacheBytes]. What is parsed for it is
// kept on the shelf, too, unless that is nil.
func NewCache(limit int, shelf Shelf) *Cache {
	if limit == 0 {
		limit = DefaultCacheBytes
	}
	return &Cache{limit: limit, shelf: shelf, at: map[string]*list.Element{}, order: list.New()}
}

// entry is a file in the cache. The fields are those of one state of the file.
type entry struct {
	key     string // see source.key
	size    int64
	modTime time.Time
	names   []string // that it declares, sorted
	passes  []pass   // the names that it has from other files
	all     bool     // it can declare any name
	part    int      // the bytes of a file that is a part of a shared text; 0 for the whole text
	file    *File    // nil until it is parsed; guarded by the mutex of the cache
}

// declares reports whether the file may declare a name.
func (e *entry) declares(name string) bool {
	_, found := slices.BinarySearch(e.names, name)
	return found
}

// entryBytes is the memory of an entry beside its strings.
const entryBytes = 256

// cost returns the memory of an entry: a symbol takes about as much as its text.
func (e *entry) cost() int {
	n := entryBytes + len(e.key)
	for _, s := range e.names {
		n += len(s) + 16
	}
	for _, p := range e.passes {
		n += len(p.local) + len(p.module) + len(p.name) + 48
	}
	if e.file != nil {
		size := len(e.file.Text)
		if e.part > 0 {
			size = e.part
		}
		n += 3 * size
	}
	return n
}

// entry returns what is known of a file in a state, nil for nothing.
func (c *Cache) entry(key string, size int64, modTime time.Time) *entry {
	c.mu.Lock()
	defer c.mu.Unlock()
	l, ok := c.at[key]
	if !ok {
		return nil
	}
	e := l.Value.(*entry)
	if e.size != size || !e.modTime.Equal(modTime) {
		c.remove(l)
		return nil
	}
	c.order.MoveToFront(l)
	return e
}

// keep adds an entry in place of the one with its name.
func (c *Cache) keep(e *entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if l, ok := c.at[e.key]; ok {
		c.remove(l)
	}
	c.at[e.key] = c.order.PushFront(e)
	c.bytes += e.cost()
	c.shrink()
}

// parsed returns the file of an entry. It calls parse when the cache does not have it.
func (c *Cache) parsed(e *entry, parse func() *File) *File {
	c.mu.Lock()
	file := e.file
	c.mu.Unlock()
	if file != nil {
		return file
	}
	if file = parse(); file == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if l, ok := c.at[e.key]; ok && l.Value == e && e.file == nil {
		c.bytes -= e.cost()
		e.file = file
		c.bytes += e.cost()
		c.shrink()
	}
	return file
}

// shrink removes the entries that were used longest ago until the rest fits.
func (c *Cache) shrink() {
	for c.bytes > c.limit && c.order.Len() > 1 {
		c.remove(c.order.Back())
	}
}

func (c *Cache) remove(l *list.Element) {
	e := c.order.Remove(l).(*entry)
	delete(c.at, e.key)
	c.bytes -= e.cost()
}

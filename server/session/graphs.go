package session

import (
	"sync"
	"unsafe"

	"ambit/vectors/record"
)

// maxGraphBytes bounds the graphs that are kept decoded: decoding those of the users
// of one common name takes longer than the rest of an answer, and a question about
// such a name reads some 300 files, about 15 MB. An editor asks of one place after the
// other that names much the same.
const maxGraphBytes = 96 << 20

// graphs keeps what files define and use, as the store has it. What it returns is
// shared and never changed.
type graphs struct {
	mu    sync.Mutex // guards all fields below
	known map[record.Path]knownGraph
	bytes int
}

// knownGraph is the graph of a file as one batch wrote it.
type knownGraph struct {
	generation uint64
	graph      record.FileGraph
}

// find returns the graph of a file, if it is kept.
func (c *graphs) find(f record.File) (record.FileGraph, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	k, ok := c.known[f.Path]
	return k.graph, ok && k.generation == f.Generation
}

// keep keeps the graph of a file. What goes for it is any other: the next question
// costs a little more then, and nobody counts what is used when.
func (c *graphs) keep(f record.File, g record.FileGraph) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil {
		c.known = map[record.Path]knownGraph{}
	}
	c.forget(f.Path)
	c.known[f.Path] = knownGraph{f.Generation, g}
	c.bytes += graphBytes(&g)
	for path := range c.known {
		if c.bytes <= maxGraphBytes {
			break
		}
		c.forget(path)
	}
}

// forget lets a graph go. The caller holds c.mu.
func (c *graphs) forget(path record.Path) {
	if old, ok := c.known[path]; ok {
		c.bytes -= graphBytes(&old.graph)
		delete(c.known, path)
	}
}

// graphBytes is about what a graph takes.
func graphBytes(g *record.FileGraph) int {
	const texts = 48 // bytes of the names and lines of one symbol or edge
	return len(g.Symbols)*(int(unsafe.Sizeof(record.Symbol{}))+2*texts) + len(g.Edges)*(int(unsafe.Sizeof(record.Edge{}))+texts) +
		len(g.Imports)*(int(unsafe.Sizeof(record.Import{}))+texts)
}

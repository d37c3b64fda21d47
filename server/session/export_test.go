package session

import (
	"ambit/indexer/watch"
	"ambit/vectors/record"
)

// Watcher returns what Run hears by; nil before Run.
func (s *Session) Watcher() *watch.Watcher { return s.watcher.Load() }

// MaxGraphBytes and Graphs are maxGraphBytes and graphs.
const MaxGraphBytes = maxGraphBytes

type Graphs struct{ graphs }

func (g *Graphs) Keep(f record.File, graph record.FileGraph)  { g.keep(f, graph) }
func (g *Graphs) Find(f record.File) (record.FileGraph, bool) { return g.find(f) }
func (g *Graphs) Bytes() int                                  { return g.bytes }

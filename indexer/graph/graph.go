// Package graph owns symbols and edges: what a file defines and uses, and what a
// name means in a workspace. It has three families of files:
//
//   - extract_*.go look at one outline and nothing else, so the records of a file
//     depend on that file alone; an edge goes from a symbol to a name.
//   - index*.go and segment.go keep a [View] of the names of all files.
//   - resolve*.go find what an edge means when a [Query] asks: by the scope, import
//     and package rules of the language, then by uniqueness, then by nearness.
//
// The rules of the languages stand in lang_<name>.go; no other file names a language.
// The package reads no disk and knows no index file: records come through [Reader].
package graph

import "ambit/vectors/record"

// IDs returns the ids of the symbols of a file. That of a symbol is the one of its chunk
// when it has a chunk of its own; of several that share a qualified name, such as
// overloads, each has another.
func IDs(g *record.FileGraph) []record.ChunkID {
	ids := make([]record.ChunkID, len(g.Symbols))
	ordinals := make(map[string]uint32, len(g.Symbols))
	for i := range g.Symbols {
		name := g.Symbols[i].Qualified
		ids[i] = record.NewChunkID(g.Path, name, "", ordinals[name])
		ordinals[name]++
	}
	return ids
}

// ID returns the id of one symbol of a file.
func ID(g *record.FileGraph, i int) record.ChunkID {
	n := uint32(0)
	for j := range g.Symbols[:i] {
		if g.Symbols[j].Qualified == g.Symbols[i].Qualified {
			n++
		}
	}
	return record.NewChunkID(g.Path, g.Symbols[i].Qualified, "", n)
}

// FileID returns the id of a whole file, which is none of its chunks'.
func FileID(path record.Path) record.ChunkID { return record.NewChunkID(path, "", "file", 0) }

// Package graph owns symbols and edges: the definitions and uses of a file, and the
// meaning of a name in a workspace. It has three families of files:
//
//   - extract_*.go read one outline and nothing else, so the records of a file depend on
//     that file alone. An edge leads from a symbol to a name.
//   - index*.go and segment.go keep a [View] of the names of all files.
//   - resolve*.go find the targets of an edge when a [Query] needs them: by the scope,
//     import and package rules of the language, then by uniqueness, then by nearness.
//
// The rules of the languages stand in lang_<name>.go; no other file names a language.
// The package does not read the disk or the index file: records come through [Reader].
package graph

import "ambit/vectors/record"

// IDs returns the ids of the symbols of a file. A symbol with a chunk of its own has the id
// of the chunk. Symbols that share a qualified name, such as overloads, have different ids.
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

// FileID returns the id of a whole file. None of its chunks has it.
func FileID(path record.Path) record.ChunkID { return record.NewChunkID(path, "", "file", 0) }

package graph_test

import (
	"fmt"
	"runtime"
	"testing"

	"ambit/indexer/graph"
	"ambit/vectors/record"
)

// TestAMergeTakesLittleMemoryBesideItsResult guards the peak of a cold index: a table of all
// names and lists of all uses took twice as much as the views of a Linux kernel.
func TestAMergeTakesLittleMemoryBesideItsResult(t *testing.T) {
	v := &graph.View{}
	for part, n := range []int{800, 400} { // the second is too small to be merged at once
		var b record.Batch
		for i := range n {
			path := record.Path(fmt.Sprintf("%d/%d.go", part, i))
			g := record.FileGraph{Path: path}
			for s := range 100 {
				name := fmt.Sprintf("symbol_%d_%d", i, s+50*part)
				g.Symbols = append(g.Symbols, record.Symbol{Name: name, Parent: -1, Kind: record.KindFunction})
				g.Edges = append(g.Edges, record.Edge{Name: name, Kind: record.EdgeCalls})
			}
			b.Files = append(b.Files, record.FileRecord{File: record.File{Path: path, Key: record.Key(1000*part + i + 1)}, Graph: g})
		}
		v = v.Apply(&b)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	blob := v.Encode()
	runtime.ReadMemStats(&after)
	size := 0
	for _, piece := range blob {
		size += len(piece)
	}
	if took := int(after.TotalAlloc - before.TotalAlloc); took > 2*size {
		t.Errorf("merging and encoding took %d bytes for a blob of %d", took, size)
	}
}

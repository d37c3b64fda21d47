package graph_test

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
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

// TestLargePartsStayAsTheyAre guards the peak of a cold index: merging the names of a Linux
// kernel took as much memory as they do, while they are saved and before.
func TestLargePartsStayAsTheyAre(t *testing.T) {
	var g record.FileGraph
	for i := range 1000 {
		g.Edges = append(g.Edges, record.Edge{Name: fmt.Sprint("used", i), Kind: record.EdgeCalls})
	}
	v, live := &graph.View{}, []record.Row(nil)
	add := func(dir string, first, n int) {
		var b record.Batch
		for i := range n {
			own := g
			own.Path = record.Path(fmt.Sprintf("%s/%04d.go", dir, i))
			own.Symbols = []record.Symbol{{Name: fmt.Sprint("used", i+first), Parent: -1, Kind: record.KindFunction}}
			f := record.File{Path: own.Path, Key: record.Key(len(live) + 1)}
			live = append(live, record.RowOf(&f))
			b.Files = append(b.Files, record.FileRecord{File: f, Graph: own})
		}
		v = v.Apply(&b)
	}
	add("a", 0, 1000)
	add("b", 0, 1000)
	large := v.Encode()
	for i := range 5 { // with so few definitions of a name it counts
		add(fmt.Sprint("c", i), i, 1)
	}
	pieces := v.Encode()
	if 2*len(pieces) != 3*len(large) {
		t.Fatalf("%d pieces, then %d, want those of two and three parts", len(large), len(pieces))
	}
	for i, piece := range large {
		if len(piece) > 1<<20 && &pieces[i][0] != &piece[0] {
			t.Errorf("array %d of a large part is another one", i)
		}
	}
	slices.SortFunc(live, func(a, b record.Row) int { return cmp.Compare(a.Path(), b.Path()) })
	saved := slices.Concat(pieces...)
	restored, err := graph.Restore(saved, live)
	if err != nil {
		t.Fatal(err)
	}
	opened, err := graph.Open(&source{data: saved}, live)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range []*graph.View{restored, opened} {
		for _, name := range []string{"used0", "used999", "none"} {
			if got, want := x.UserCount(name), v.UserCount(name); got != want {
				t.Errorf("%d users of %s, want %d", got, name, want)
			}
			if got, want := fmt.Sprint(x.Definitions(name)), fmt.Sprint(v.Definitions(name)); got != want {
				t.Errorf("definitions of %s: %s, want %s", name, got, want)
			}
		}
		for _, p := range []record.Path{"a/0000.go", "b/0999.go", "c4/0000.go"} {
			if got, want := x.Centrality(p), v.Centrality(p); got != want || got == 0 {
				t.Errorf("centrality of %s is %v, want %v", p, got, want)
			}
		}
	}
}

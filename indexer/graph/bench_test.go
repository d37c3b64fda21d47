package graph_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ambit/indexer/golden"
	"ambit/indexer/graph"
)

// ownFiles are the Go files of this directory and its neighbour.
func ownFiles(b *testing.B) []golden.File {
	b.Helper()
	files := []golden.File{{Path: "go.mod", Content: []byte("module ambit\n")}}
	for _, dir := range []string{".", "../languages"} {
		names, err := filepath.Glob(dir + "/*.go")
		if err != nil {
			b.Fatal(err)
		}
		for _, name := range names {
			content, err := os.ReadFile(name)
			if err != nil {
				b.Fatal(err)
			}
			files = append(files, golden.File{Path: "indexer/" + strings.TrimPrefix(filepath.ToSlash(filepath.Join("graph", name)), "../"), Content: content})
		}
	}
	return files
}

func BenchmarkExtract(b *testing.B) {
	w := newWorkspace(b, ownFiles(b))
	size := 0
	for _, o := range w.outlines {
		size += len(o.Content)
	}
	b.ReportAllocs()
	for b.Loop() {
		for _, o := range w.outlines {
			graph.Extract(&o)
		}
	}
	b.ReportMetric(float64(size)*float64(b.N)/b.Elapsed().Seconds()/1e6, "MB/s")
}

// BenchmarkResolve resolves every edge of the files in one query.
func BenchmarkResolve(b *testing.B) {
	w := newWorkspace(b, ownFiles(b))
	v := w.index
	nEdges := 0
	b.ReportAllocs()
	for b.Loop() {
		q := v.Query(b.Context(), w)
		nEdges = 0
		for _, p := range w.order {
			edges := q.Edges(p)
			g := q.Graph(p)
			nEdges += len(edges)
			for i := range edges {
				q.Resolve(g, &edges[i])
			}
		}
	}
	b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/float64(nEdges), "ns/edge")
}

// BenchmarkUsers finds the users of each symbol of the files.
func BenchmarkUsers(b *testing.B) {
	w := newWorkspace(b, ownFiles(b))
	v := w.index
	symbols := 0
	b.ReportAllocs()
	for b.Loop() {
		q := v.Query(b.Context(), w)
		symbols = 0
		for _, p := range w.order {
			for i := range q.Graph(p).Symbols {
				q.Users(p, i)
				symbols++
			}
		}
	}
	b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/float64(symbols), "ns/symbol")
}

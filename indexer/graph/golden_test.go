package graph_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ambit/indexer/golden"
	"ambit/indexer/graph"
	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// workspace is a set of files with their outlines, records and index.
type workspace struct {
	outlines map[record.Path]languages.Outline
	graphs   map[record.Path]record.FileGraph
	order    []record.Path
	index    *graph.View
}

// Graph implements graph.Reader.
func (w *workspace) Graph(_ context.Context, p record.Path) (record.FileGraph, error) {
	g, ok := w.graphs[p]
	if !ok {
		return record.FileGraph{}, errors.New("no such file")
	}
	return g, nil
}

// GraphTo returns only the edges to name.
func (w *workspace) GraphTo(ctx context.Context, p record.Path, name string) (record.FileGraph, error) {
	g, err := w.Graph(ctx, p)
	g.Edges = slices.DeleteFunc(slices.Clone(g.Edges), func(e record.Edge) bool { return e.Name != name })
	return g, err
}

func (w *workspace) add(path string, content []byte) record.FileRecord {
	o := languages.Parse(record.Path(path), content)
	g := graph.Extract(&o)
	w.outlines[o.Path], w.graphs[o.Path] = o, g
	w.order = append(w.order, o.Path)
	return record.FileRecord{File: record.File{Path: o.Path, Language: o.Language, Key: record.Key(len(w.order))}, Graph: g}
}

func newWorkspace(t testing.TB, files []golden.File) *workspace {
	t.Helper()
	w := &workspace{outlines: map[record.Path]languages.Outline{}, graphs: map[record.Path]record.FileGraph{}, index: &graph.View{}}
	var b record.Batch
	for _, f := range files {
		b.Files = append(b.Files, w.add(f.Path, f.Content))
	}
	w.index = w.index.Apply(&b)
	return w
}

// TestResolve writes the targets of the edges of all files; with a cursor, the symbol at the
// cursor, its targets and its users.
func TestResolve(t *testing.T) {
	golden.Run(t, "../../testdata/graph/resolve", func(t *testing.T, in golden.Input) string {
		w := newWorkspace(t, in.Files)
		q := w.index.Query(t.Context(), w)
		var b strings.Builder
		if in.Cursor.Path != "" {
			w.describeCursor(&b, q, record.Path(in.Cursor.Path), in.Cursor.Offset)
			return b.String()
		}
		for _, p := range w.order {
			edges := q.Edges(p)
			g := q.Graph(p)
			for i := range g.Symbols {
				for _, in := range append(q.InheritedFilters(g, i), q.InheritedAssociations(g, i)...) {
					fmt.Fprintf(&b, "%s %s inherits %s %s ->%s\n", p, symbolName(g, i), in.Edge.Kind, edgeName(&in.Edge), describeTargets(q, q.Resolve(in.Graph, &in.Edge)))
				}
			}
			for i := range edges {
				e := &edges[i]
				targets := q.Resolve(g, e)
				if len(targets) == 0 {
					continue
				}
				fmt.Fprintf(&b, "%s %s %s %s ->%s\n", p, symbolName(g, e.From), e.Kind, edgeName(e), describeTargets(q, targets))
			}
		}
		return b.String()
	})
}

func (w *workspace) describeCursor(b *strings.Builder, q *graph.Query, p record.Path, offset int) {
	o, g := w.outlines[p], w.graphs[p]
	symbol, ref := graph.SymbolAt(&g, o.Content, offset), graph.ReferenceAt(&o, offset)
	fmt.Fprintf(b, "in %s\n", symbolName(&g, symbol))
	if ref != nil {
		e, ok := graph.Resolve(&o, ref)
		if !ok {
			fmt.Fprintf(b, "on %s, which is local or built in\n", ref.Name)
			return
		}
		fmt.Fprintf(b, "on %s ->%s\n", edgeName(&e), describeTargets(q, q.Resolve(&g, &e)))
		for _, m := range q.Modules(&g, &e) {
			fmt.Fprintf(b, "file %s\n", m)
		}
		return
	}
	if symbol < 0 {
		return
	}
	if targets := q.Overridden(p, symbol); len(targets) > 0 {
		fmt.Fprintf(b, "overrides%s\n", describeTargets(q, targets))
	}
	if targets := q.Overriding(p, symbol); len(targets) > 0 {
		fmt.Fprintf(b, "overridden by%s\n", describeTargets(q, targets))
	}
	for _, u := range q.Users(p, symbol) {
		fmt.Fprintf(b, "used by %s %s %s lines %v%s\n", u.Path, symbolName(q.Graph(u.Path), u.Symbol), u.Kind, u.Lines, probability(u.Probability))
	}
}

func edgeName(e *record.Edge) string {
	if e.Receiver == "" {
		return e.Name
	}
	return e.Receiver + " . " + e.Name
}

func symbolName(g *record.FileGraph, i int) string {
	if i < 0 {
		return "-"
	}
	return g.Symbols[i].Qualified
}

func describeTargets(q *graph.Query, targets []graph.Target) string {
	s := ""
	for i, t := range targets {
		if i > 0 {
			s += ","
		}
		y := q.Graph(t.Path).Symbols[t.Symbol]
		s += fmt.Sprintf(" %s:%d %s%s", t.Path, y.NameLine, y.Qualified, probability(t.Probability))
	}
	return s
}

func probability(p float64) string {
	if p == 1 {
		return ""
	}
	return fmt.Sprintf(" (%.2f)", p)
}

package graph_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ambit/indexer/golden"
	"ambit/indexer/graph"
	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// anyFile draws a small Go file of a package that defines and uses a few names.
func anyFile(t *rapid.T) string {
	name := rapid.SampledFrom([]string{"alpha", "beta", "gamma", "Delta"})
	var b strings.Builder
	b.WriteString("package p\n\ntype T struct{}\n")
	for i := range rapid.IntRange(0, 4).Draw(t, "functions") {
		receiver := rapid.SampledFrom([]string{"", "(t T) "}).Draw(t, "receiver")
		fmt.Fprintf(&b, "func %s%s() { %s(); t.%s(); x%d := T{}; x%d.%s() }\n", receiver, name.Draw(t, "def"), name.Draw(t, "use"), name.Draw(t, "member"), i, i, name.Draw(t, "method"))
	}
	return b.String()
}

// answers returns the results of all queries of a view, in a form that does not depend on
// the order of its batches.
func answers(v *graph.View, w *workspace) []string {
	var out []string
	q := v.Query(context.Background(), w)
	for _, name := range []string{"alpha", "beta", "gamma", "Delta", "T", "x0", "missing"} {
		var defs []string
		for _, d := range v.Definitions(name) {
			defs = append(defs, fmt.Sprint(d))
		}
		out = append(out, fmt.Sprintf("%s %v users %d", name, defs, v.UserCount(name)))
	}
	paths := slices.Sorted(v.Files())
	for _, p := range paths {
		edges := q.Edges(p)
		g := q.Graph(p)
		out = append(out, fmt.Sprintf("%s %v", p, v.Centrality(p)))
		for i := range g.Symbols {
			var users []string
			for _, u := range q.Users(p, i) {
				users = append(users, fmt.Sprint(u))
			}
			out = append(out, fmt.Sprintf("%s %d used by %v", p, i, users))
		}
		for i := range edges {
			targets := q.Resolve(g, &edges[i])
			out = append(out, fmt.Sprintf("%s %d leads to %v", p, i, targets))
		}
	}
	return out
}

func rowOf(p record.Path, key record.Key) record.Row {
	return record.RowOf(&record.File{Path: p, Key: key})
}

// TestAnySequenceOfBatchesEqualsAFreshIndex checks the promise of the index: after any
// batches, snapshots and restores the answers are those of an index of one batch, and so
// are those of an overlay.
func TestAnySequenceOfBatchesEqualsAFreshIndex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &workspace{outlines: map[record.Path]languages.Outline{}, graphs: map[record.Path]record.FileGraph{}, index: &graph.View{}}
		files := map[record.Path]record.FileRecord{}
		var saved []byte
		path := rapid.SampledFrom([]string{"a.go", "b.go", "sub/c.go", "sub/d_test.go", "z/e.go"})
		for range rapid.IntRange(1, 8).Draw(t, "steps") {
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0: // restore a snapshot, which may be an older one, as after a restart
				var live []record.Row
				for _, p := range slices.Sorted(maps.Keys(files)) {
					live = append(live, rowOf(p, files[p].File.Key))
				}
				if saved == nil || rapid.Bool().Draw(t, "saved") {
					saved = slices.Concat(w.index.Encode()...)
				}
				restored, err := graph.Restore(saved, live)
				if rapid.Bool().Draw(t, "in parts") {
					restored, err = graph.Open(&source{data: saved}, live)
				}
				if err != nil {
					t.Fatal(err)
				}
				var later record.Batch
				for _, f := range live {
					if p := record.Path(f.Path()); !restored.Has(p) {
						later.Files = append(later.Files, files[p])
					}
				}
				w.index = restored.Apply(&later)
			case 1:
				p := record.Path(path.Draw(t, "gone"))
				delete(files, p)
				delete(w.graphs, p)
				w.index = w.index.Apply(&record.Batch{Removed: []record.Path{p}})
			case 2: // the next batches update existing ranks
				w.index.Centrality("a.go")
			default:
				var b record.Batch
				for _, p := range rapid.SliceOfNDistinct(path, 1, 3, rapid.ID).Draw(t, "paths") {
					r := w.add(p, []byte(anyFile(t)))
					files[r.File.Path] = r
					b.Files = append(b.Files, r)
				}
				w.index = w.index.Apply(&b)
			}
		}
		fresh := &graph.View{}
		var all record.Batch
		for _, p := range slices.Sorted(maps.Keys(files)) {
			all.Files = append(all.Files, files[p])
		}
		fresh = fresh.Apply(&all)
		if diff := cmp.Diff(answers(fresh, w), answers(w.index, w)); diff != "" {
			t.Fatalf("incremental differs from fresh (-fresh +incremental):\n%s", diff)
		}
		overlay := w.add("a.go", []byte(anyFile(t)))
		over := w.index.With(overlay)
		all.Files = slices.DeleteFunc(all.Files, func(r record.FileRecord) bool { return r.File.Path == "a.go" })
		all.Files = append(all.Files, overlay)
		again := &graph.View{}
		again = again.Apply(&all)
		if diff := cmp.Diff(answers(again, w), answers(over, w)); diff != "" {
			t.Fatalf("an overlay differs from a fresh index (-fresh +overlay):\n%s", diff)
		}
	})
}

// source is a snapshot that is read in parts.
type source struct {
	data []byte
	kept int // bytes that Bytes has returned, which may stay in memory
}

func (s *source) Len() int { return len(s.data) }

func (s *source) Bytes(from, to int) []byte {
	s.kept += to - from
	return slices.Clone(s.data[from:to])
}

func (s *source) ReadAt(p []byte, from int64) (int, error) {
	return bytes.NewReader(s.data).ReadAt(p, from)
}

// TestChangedFilesLeaveASavedViewWhereItIs guards the memory of a search while the latest files
// are not in the saved view: to compute all ranks anew it read all of the view.
func TestChangedFilesLeaveASavedViewWhereItIs(t *testing.T) {
	const nFiles = 1000
	var all record.Batch
	var live []record.Row
	write := func(i, version int) record.FileRecord {
		path := record.Path(fmt.Sprintf("%04d.go", i))
		g := record.FileGraph{Path: path}
		for k := range 50 {
			g.Symbols = append(g.Symbols, record.Symbol{Name: fmt.Sprintf("symbol_%d_%d", i, k+version), Parent: -1, Kind: record.KindFunction})
			g.Edges = append(g.Edges, record.Edge{Name: fmt.Sprintf("symbol_%d_%d", (7*i+k*k+version)%nFiles, k), Kind: record.EdgeCalls})
		}
		return record.FileRecord{File: record.File{Path: path, Key: record.Key(version*nFiles + i + 1)}, Graph: g}
	}
	for i := range nFiles {
		all.Files = append(all.Files, write(i, 0))
	}
	saved := slices.Concat((&graph.View{}).Apply(&all).Encode()...)
	var later record.Batch
	for i := 5; i < nFiles; i += nFiles / 10 {
		all.Files[i] = write(i, 1)
		later.Files = append(later.Files, all.Files[i])
	}
	all.Files = all.Files[:nFiles-10] // removed
	for i := range all.Files {
		live = append(live, rowOf(all.Files[i].File.Path, all.Files[i].File.Key))
	}
	src := &source{data: saved}
	v, err := graph.Open(src, live)
	if err != nil {
		t.Fatal(err)
	}
	v = v.Apply(&later)
	before := src.kept
	fresh := (&graph.View{}).Apply(&all)
	for i := range all.Files {
		if p := all.Files[i].File.Path; v.Centrality(p) != fresh.Centrality(p) {
			t.Fatalf("centrality of %s is %v, want %v", p, v.Centrality(p), fresh.Centrality(p))
		}
	}
	if read := src.kept - before; read > len(saved)/100 {
		t.Errorf("the ranks keep %d of %d bytes in memory", read, len(saved))
	}
}

func TestRestoreLeavesOutFilesThatAreNotLive(t *testing.T) {
	w := newWorkspace(t, []golden.File{{Path: "a.go", Content: []byte("package a\n\nfunc F() {}\n")}, {Path: "b.go", Content: []byte("package a\n\nfunc F() {}\n")}})
	v, err := graph.Restore(slices.Concat(w.index.Encode()...), []record.Row{rowOf("a.go", 1), rowOf("b.go", 7)})
	if err != nil {
		t.Fatal(err)
	}
	got := slices.Collect(v.Files())
	if diff := cmp.Diff([]record.Path{"a.go"}, got); diff != "" {
		t.Errorf("Files (-want +got):\n%s", diff)
	}
	if defs := v.Definitions("F"); len(defs) != 1 || defs[0].Path != "a.go" {
		t.Errorf("Definitions = %v, want the one of a.go", defs)
	}
}

// FuzzRestore checks that Restore of any bytes returns an error or a view that answers
// queries, and never panics.
func FuzzRestore(f *testing.F) {
	w := newWorkspace(f, []golden.File{{Path: "a.go", Content: []byte("package a\n\nfunc F() { G() }\n\ntype T struct{ x int }\n")}, {Path: "go.mod", Content: []byte("module m\n")}})
	whole := slices.Concat(w.index.Encode()...)
	f.Add(whole[:len(whole)-4])
	f.Add(whole[:40])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := graph.Restore(graph.Seal(data), []record.Row{rowOf("a.go", 1), rowOf("go.mod", 2)})
		if err != nil {
			return
		}
		for _, name := range []string{"F", "G", "T", "x", ""} {
			v.Definitions(name)
			v.UserCount(name)
		}
		q := v.Query(t.Context(), w)
		for p := range v.Files() {
			v.Centrality(p)
			edges := q.Edges(p)
			g := q.Graph(p)
			for i := range edges {
				q.Resolve(g, &edges[i])
			}
			for i := range g.Symbols {
				q.Users(p, i)
			}
		}
		if _, err := graph.Restore(slices.Concat(v.Encode()...), nil); err != nil {
			t.Error("Restore refuses a snapshot of a restored view")
		}
	})
}

func TestADamagedSnapshotIsAnError(t *testing.T) {
	w := newWorkspace(t, []golden.File{{Path: "a.go", Content: []byte("package a\n\nfunc F() { G() }\n")}})
	data := slices.Concat(w.index.Encode()...)
	for i := range data {
		damaged := slices.Clone(data)
		damaged[i] ^= 0x40
		if _, err := graph.Restore(damaged, nil); err == nil {
			t.Fatalf("Restore accepts a snapshot with byte %d of %d changed", i, len(data))
		}
	}
}

// FuzzExtract checks that the records of any file have symbols and edges in range.
func FuzzExtract(f *testing.F) {
	f.Add("a.go", []byte("package a\n\nfunc (t *T) F(x int) { t.g(x).h(); y := z; y.k() }\n"))
	f.Add("a.py", []byte("class A(B):\n    def f(self): return super().f()[0].g(self.h)\n"))
	f.Add("a.ts", []byte("const {a} = this.b; class C extends D { e = () => super.f(this) }"))
	f.Add("a.rb", []byte("class A; def b; @c = D.new; super; end; end"))
	f.Fuzz(func(t *testing.T, path string, content []byte) {
		o := languages.Parse(record.Path(path), content)
		g := graph.Extract(&o)
		for i, s := range g.Symbols {
			if s.Parent >= i || s.Qualified == "" || s.Lines.First < 1 || s.Lines.Last < s.Lines.First || s.NameLine < s.Lines.First || s.NameLine > s.Lines.Last {
				t.Fatalf("symbol %d: %+v", i, s)
			}
		}
		from := -1
		for _, e := range g.Edges {
			if e.From < from || e.From >= len(g.Symbols) || e.Name == "" || e.Count < 1 || len(e.Lines) == 0 || len(e.Lines) > record.MaxEdgeLines || !slices.IsSorted(e.Lines) {
				t.Fatalf("edge %+v after symbol %d", e, from)
			}
			from = e.From
		}
		for _, offset := range []int{0, len(content) / 2, len(content)} {
			if symbol, ref := graph.SymbolAt(&g, o.Content, offset), graph.ReferenceAt(&o, offset); symbol >= len(g.Symbols) || ref != nil && (ref.Span.Start > offset || ref.Span.End < offset) {
				t.Fatalf("at %d: symbol %d, reference %+v", offset, symbol, ref)
			} else if ref != nil {
				graph.Resolve(&o, ref)
			}
		}
	})
}

// hasty reads a workspace until it has read left files.
type hasty struct {
	*workspace
	left   int
	reads  int
	absent bool // the further ones are not there
}

func (h *hasty) GraphTo(ctx context.Context, p record.Path, name string) (record.FileGraph, error) {
	h.reads++
	if h.left--; h.left < 0 {
		if h.absent {
			return record.FileGraph{}, fs.ErrNotExist
		}
		return record.FileGraph{}, errors.New("no time")
	}
	return h.workspace.GraphTo(ctx, p, name)
}

func TestAViewRemembersUsersAfterReadingAllFiles(t *testing.T) {
	w := newWorkspace(t, []golden.File{
		{Path: "a.go", Content: []byte("package a\n\nfunc F() {}\n")},
		{Path: "b.go", Content: []byte("package a\n\nfunc G() { F() }\n")},
		{Path: "c.go", Content: []byte("package a\n\nfunc H() { F() }\n")},
	})
	v := w.index
	for i, step := range []struct {
		left, users, reads int
		fails, absent      bool
	}{
		{left: 2, reads: 3, fails: true},            // the view remembers nothing
		{left: 2, absent: true, users: 1, reads: 3}, // likewise
		{left: 9, users: 2, reads: 3},
		{left: 0, users: 2, reads: 0},
	} {
		h := &hasty{workspace: w, left: step.left, absent: step.absent}
		users, err := func() (users []graph.Use, err error) {
			defer graph.Catch(&err)
			return v.Query(t.Context(), h).Users("a.go", 0), nil
		}()
		if len(users) != step.users || h.reads != step.reads || (err != nil) != step.fails {
			t.Errorf("step %d: got %d users by %d reads and %v, want %d by %d", i, len(users), h.reads, err, step.users, step.reads)
		}
	}
}

// sick is a reader that cannot read.
type sick struct{ err error }

func (r sick) Graph(context.Context, record.Path) (record.FileGraph, error) {
	return record.FileGraph{}, r.err
}

func (r sick) GraphTo(context.Context, record.Path, string) (record.FileGraph, error) {
	return record.FileGraph{}, r.err
}

func TestAFileThatCannotBeReadEndsTheQuery(t *testing.T) {
	read := func(r graph.Reader) (g *record.FileGraph, err error) {
		defer graph.Catch(&err)
		return (&graph.View{}).Query(t.Context(), r).Graph("a.go"), nil
	}
	damaged := errors.New("damaged")
	if _, err := read(sick{damaged}); err != damaged {
		t.Errorf("got %v, want the error of the reader", err)
	}
	if g, err := read(sick{fs.ErrNotExist}); err != nil || g.Path != "a.go" || len(g.Symbols) > 0 {
		t.Errorf("a file that is not there: %+v, %v", g, err)
	}
}

// The directories sort around the one in question, before and after what is below it.
func TestANameOfAPackageIsInItsOwnDirectoryAlone(t *testing.T) {
	var files []golden.File
	for _, dir := range []string{"a-b/", "a.b/", "a/", "a/b/", "a0/", "ab/", "", "z/"} {
		files = append(files, golden.File{Path: dir + "run.go", Content: []byte("package a\n\nfunc Run() {}\n\ntype T struct{}\n")},
			golden.File{Path: dir + "use.go", Content: []byte("package a\n\nfunc use(t T) {\n\tRun()\n\tt.Do()\n}\n")},
			golden.File{Path: dir + "zz.go", Content: []byte("package a\n\nfunc (T) Do() {}\n")})
	}
	for _, parts := range []int{1, 2, len(files)} {
		w := newWorkspace(t, files[:len(files)/parts])
		for i := len(files) / parts; i < len(files); i++ {
			w.index = w.index.Apply(&record.Batch{Files: []record.FileRecord{w.add(files[i].Path, files[i].Content)}})
		}
		q := w.index.Query(t.Context(), w)
		for _, f := range files {
			if path.Base(f.Path) != "use.go" {
				continue
			}
			for _, e := range q.Edges(record.Path(f.Path)) {
				want := map[string]string{"Run": "run.go", "Do": "zz.go", "T": "run.go"}[e.Name]
				got := q.Resolve(q.Graph(record.Path(f.Path)), &e)
				if len(got) != 1 || string(got[0].Path) != path.Join(path.Dir(f.Path), want) {
					t.Errorf("%d parts: %s in %s is %v", parts, e.Name, f.Path, got)
				}
			}
		}
	}
}

package pipeline_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ambit/indexer/pipeline"
	"ambit/indexer/watch"
	"ambit/vectors/record"
)

const (
	goText   = "package a\n\n// F adds.\nfunc F(x int) int { return x + 1 }\n"
	goEdited = "package a\n\n// F adds.\nfunc F(x int) int { return x + 2 }\n"
)

func TestAFreshTreeIsIndexedInOrder(t *testing.T) {
	files := map[string]string{"empty.go": "", "bin.dat": "\x00\x01", "z.txt": "words\n"}
	for i := range 100 {
		files[fmt.Sprintf("pkg%02d/a.go", i)] = goText
	}
	w := newWorkspace(t, files)
	w.o.BatchFiles = 7
	report := w.catchUp()
	if report.Indexed != 102 || report.LeftOut != 1 || report.Embedded == 0 {
		t.Errorf("got report %+v, want 102 files indexed and 1 left out", report)
	}
	last := record.Path("")
	for _, b := range w.batches {
		if len(b.Files) > 7 {
			t.Errorf("got a batch of %d files, want at most 7", len(b.Files))
		}
		for _, r := range b.Files {
			if r.File.Path <= last {
				t.Errorf("got %s after %s, want the order of the changes", r.File.Path, last)
			}
			last = r.File.Path
			if len(r.Codes) != len(r.Chunks) {
				t.Errorf("%s: got %d vectors for %d chunks", last, len(r.Codes), len(r.Chunks))
			}
		}
	}
	if got := w.catchUp(); got != (pipeline.Report{}) {
		t.Errorf("a second run over the same tree: got %+v, want no change", got)
	}
}

func TestApplyStoresEachKindOfChange(t *testing.T) {
	old := time.Now().Add(-time.Hour)
	tests := []struct {
		name string
		edit func(t *testing.T, w *workspace)
		want map[string]string // besides "a.go": "go"
		rep  pipeline.Report   // Bytes, Embedded and Kept are not compared
	}{
		{"nothing", func(*testing.T, *workspace) {}, nil, pipeline.Report{}},
		{"a new time alone is a touch", func(_ *testing.T, w *workspace) { w.write("a.go", goText, old.Add(time.Minute)) },
			nil, pipeline.Report{Touched: 1}},
		{"new bytes of the same size", func(_ *testing.T, w *workspace) { w.write("a.go", goEdited, old.Add(time.Minute)) },
			nil, pipeline.Report{Indexed: 1}},
		{"a removed file", func(t *testing.T, w *workspace) { remove(t, w, "a.go") },
			map[string]string{"a.go": ""}, pipeline.Report{Removed: 1}},
		{"a file that became binary", func(_ *testing.T, w *workspace) { w.write("a.go", "\x00", old) },
			map[string]string{"a.go": "left out: binary"}, pipeline.Report{LeftOut: 1}},
		{"a file that grew too large", func(_ *testing.T, w *workspace) { w.write("a.go", strings.Repeat("x\n", 1<<19+1), old) },
			map[string]string{"a.go": "left out: too large"}, pipeline.Report{LeftOut: 1}},
		{"a name that is not UTF-8", func(_ *testing.T, w *workspace) { w.write("\xff.go", goText, old) },
			map[string]string{"\xff.go": "go"}, pipeline.Report{Indexed: 1}},
		{"a pipe does not block", func(t *testing.T, w *workspace) {
			if err := syscall.Mkfifo(filepath.Join(w.dir, "pipe"), 0o600); err != nil {
				t.Fatal(err)
			}
		}, map[string]string{"pipe": "left out: unreadable"}, pipeline.Report{LeftOut: 1}},
		{"a link out of the root is not followed", func(t *testing.T, w *workspace) {
			if err := os.Symlink("/etc/passwd", filepath.Join(w.dir, "link")); err != nil {
				t.Fatal(err)
			}
		}, map[string]string{"link": "left out: unreadable"}, pipeline.Report{LeftOut: 1}},
		{"a panic costs the file", func(_ *testing.T, w *workspace) {
			w.panicAt = "b.go"
			w.write("b.go", goText, old)
			w.write("c.go", goText, old)
		}, map[string]string{"b.go": "left out: internal error", "c.go": "go"}, pipeline.Report{Indexed: 1, LeftOut: 1}},
		{"a panic of the embedder costs the file", func(_ *testing.T, w *workspace) {
			w.refuse = func(text string) error {
				if strings.Contains(text, "b.go") {
					panic("a bug at b.go")
				}
				return nil
			}
			w.write("b.go", goText, old)
			w.write("c.go", goText, old)
		}, map[string]string{"b.go": "left out: internal error", "c.go": "go"}, pipeline.Report{Indexed: 1, LeftOut: 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorkspace(t, nil)
			w.write("a.go", goText, old)
			w.catchUp()
			tt.edit(t, w)
			got := w.catchUp()
			got.Bytes, got.Embedded, got.Kept = 0, 0, 0
			if diff := cmp.Diff(tt.rep, got); diff != "" {
				t.Errorf("report (-want +got):\n%s", diff)
			}
			want := map[string]string{"a.go": "go"}
			maps.Copy(want, tt.want)
			maps.DeleteFunc(want, func(_, state string) bool { return state == "" })
			if diff := cmp.Diff(want, w.state()); diff != "" {
				t.Errorf("index (-want +got):\n%s", diff)
			}
			if again := w.catchUp(); again != (pipeline.Report{}) {
				t.Errorf("a second run: got %+v, want no change", again)
			}
		})
	}
}

func remove(t *testing.T, w *workspace, path string) {
	t.Helper()
	if err := os.Remove(filepath.Join(w.dir, path)); err != nil {
		t.Fatal(err)
	}
}

func TestApplyRemovesAFileThatVanishesAfterTheScan(t *testing.T) {
	w := newWorkspace(t, map[string]string{"a.go": goText, "b.go": goText})
	w.catchUp()
	w.write("a.go", goEdited, time.Now().Add(-time.Minute))
	w.write("new.go", goText, time.Now().Add(-time.Minute))
	changes := w.plan()
	remove(t, w, "a.go")
	remove(t, w, "new.go")
	report, err := w.pipeline().Apply(t.Context(), changes, nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(pipeline.Report{Removed: 1}, report); diff != "" {
		t.Errorf("report (-want +got):\n%s", diff)
	}
}

func TestAYoungFileIsReadAgain(t *testing.T) {
	const young = 20 * time.Millisecond
	w := newWorkspace(t, nil)
	for tries := 0; ; tries++ { // until the pipeline reads it while it is young; a busy machine may be too slow
		written := time.Now()
		w.write("a.go", goText+strings.Repeat("\n", tries), written)
		if w.catchUp(); time.Since(written) < young {
			break
		}
	}
	if got := w.files["a.go"].File.ModTime; got != 0 {
		t.Errorf("got time %d for a file written just now, want 0", got)
	}
	old := time.Now().Add(-time.Minute)
	if err := os.Chtimes(filepath.Join(w.dir, "a.go"), old, old); err != nil {
		t.Fatal(err)
	}
	if got := w.catchUp(); got.Touched != 1 {
		t.Errorf("got %+v, want the file touched", got)
	}
}

func TestAChunkWithTheSameTextKeepsItsVector(t *testing.T) {
	body := func(n int) string {
		var b strings.Builder
		b.WriteString("package a\n")
		for i := range 3 {
			fmt.Fprintf(&b, "\n// F%d counts.\nfunc F%d() int {\n", i, i)
			for j := range 60 {
				fmt.Fprintf(&b, "\tx%d := %d * len(names%d)\n", j, j, j)
			}
			if i == 1 {
				fmt.Fprintf(&b, "\tx0 = %d\n", n)
			}
			b.WriteString("\treturn x0\n}\n")
		}
		return b.String()
	}
	w := newWorkspace(t, map[string]string{"a.go": body(1)})
	first := w.catchUp()
	if first.Kept != 0 || first.Embedded < 3 {
		t.Fatalf("first run: got %+v, want at least 3 chunks embedded and none kept", first)
	}
	w.embedded = nil
	w.write("a.go", body(2), time.Now().Add(-time.Minute))
	second := w.catchUp()
	if second.Kept == 0 || second.Embedded >= first.Embedded {
		t.Errorf("after an edit in one function: got %+v, want the other chunks' vectors kept", second)
	}
	if len(w.embedded) != second.Embedded {
		t.Errorf("got %d texts embedded, report says %d", len(w.embedded), second.Embedded)
	}
	if got := w.files["a.go"].Embedded; got != second.Embedded {
		t.Errorf("the record says %d chunks embedded, the report %d", got, second.Embedded)
	}
}

func TestAHistoryIsWrittenOnceAlsoWithoutFiles(t *testing.T) {
	w := newWorkspace(t, map[string]string{"a.go": goText, "b.go": goText, "c.go": goText})
	w.o.BatchFiles = 2
	w.history = &record.History{Head: "1"}
	w.catchUp()
	w.history = &record.History{Head: "2"}
	w.catchUp()
	var heads []string
	for _, b := range w.batches {
		head := "-"
		if b.History != nil {
			head = b.History.Head
		}
		heads = append(heads, fmt.Sprint(len(b.Files), " ", head))
	}
	if diff := cmp.Diff([]string{"2 1", "1 -", "0 2"}, heads); diff != "" {
		t.Errorf("files and history of each batch (-want +got):\n%s", diff)
	}
}

func TestBatchesAreBoundedInBytes(t *testing.T) {
	files := map[string]string{}
	for i := range 10 {
		files[fmt.Sprintf("%d.txt", i)] = strings.Repeat("word ", 200)
	}
	w := newWorkspace(t, files)
	w.o.BatchBytes = 2500
	w.catchUp()
	if len(w.batches) != 4 {
		t.Errorf("10 files of 1000 bytes in batches that end at 2500: got %d batches, want 4", len(w.batches))
	}
}

func TestACheckoutOfManySmallFilesIsOneBatch(t *testing.T) {
	const n = 8000
	name := func(i int) string { return fmt.Sprintf("d%02d/%04d.txt", i/200, i) }
	w := newWorkspace(t, map[string]string{"kept.txt": "stays"})
	for i := range n {
		w.write(name(i), fmt.Sprintf("old %d", i), time.Now().Add(-time.Hour))
	}
	w.catchUp()
	for _, tt := range []struct {
		name string
		edit func(i int)
		want int // files written
	}{
		{"all change", func(i int) { w.write(name(i), fmt.Sprintf("new %d", i), time.Now().Add(-time.Minute)) }, n},
		{"all go", func(i int) { remove(t, w, name(i)) }, 0},
	} {
		w.batches = nil
		for i := range n {
			tt.edit(i)
		}
		w.catchUp()
		if len(w.batches) != 1 || len(w.batches[0].Files) != tt.want || len(w.batches[0].Removed) != n-tt.want {
			t.Errorf("%s: got %d batches, want one with %d files written and %d removed", tt.name, len(w.batches), tt.want, n-tt.want)
		}
	}
}

// A batch of a checkout holds more bytes than one of new files.
func TestACheckoutIsOneBatch(t *testing.T) {
	text := func(i int) string { return strings.Repeat(fmt.Sprintf("line %d\n", i), 100) }
	files := map[string]string{"old.txt": text(0)}
	for i := range 10 {
		files[fmt.Sprintf("%d.txt", i)] = text(1)
	}
	w := newWorkspace(t, files)
	w.o.BatchBytes = 3000
	w.catchUp()
	if len(w.batches) < 2 {
		t.Errorf("new files: got %d batches, want several", len(w.batches))
	}
	w.batches = nil
	remove(t, w, "old.txt")
	for i := range 10 {
		w.write(fmt.Sprintf("%d.txt", i), text(2), time.Now().Add(-time.Minute))
		w.write(fmt.Sprintf("new%d.txt", i), "new", time.Now().Add(-time.Minute))
	}
	w.catchUp()
	if len(w.batches) != 1 || len(w.batches[0].Files) != 20 || len(w.batches[0].Removed) != 1 {
		t.Errorf("a checkout: got %d batches, want one with 20 files written and one removed", len(w.batches))
	}
}

func TestBatchesAreBoundedInFiles(t *testing.T) {
	files := map[string]string{}
	for i := range 100 {
		files[fmt.Sprintf("%d.txt", i)] = "goes"
	}
	w := newWorkspace(t, files)
	w.o.BatchFiles = 40
	w.catchUp()
	if len(w.batches) != 3 {
		t.Errorf("100 files in batches of 40: got %d batches, want 3", len(w.batches))
	}
	w.batches = nil
	for path := range files {
		remove(t, w, path)
	}
	w.catchUp()
	if len(w.batches) != 3 {
		t.Errorf("100 removed files in batches of 40: got %d batches, want 3", len(w.batches))
	}
}

func TestProgressCountsEveryFile(t *testing.T) {
	w := newWorkspace(t, map[string]string{"a.go": goText, "b.go": goText, "c.go": goText})
	var got []pipeline.Progress
	if _, err := w.pipeline().Apply(t.Context(), w.plan(), func(p pipeline.Progress) { got = append(got, p) }); err != nil {
		t.Fatal(err)
	}
	n := int64(len(goText))
	want := []pipeline.Progress{
		{Done: 1, Total: 3, Bytes: n, TotalBytes: 3 * n, Path: "a.go"},
		{Done: 2, Total: 3, Bytes: 2 * n, TotalBytes: 3 * n, Path: "b.go"},
		{Done: 3, Total: 3, Bytes: 3 * n, TotalBytes: 3 * n, Path: "c.go"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("progress (-want +got):\n%s", diff)
	}
}

func TestAnErrorStopsTheWork(t *testing.T) {
	boom := errors.New("boom")
	files := map[string]string{}
	for i := range 200 {
		files[fmt.Sprintf("%03d.go", i)] = goText
	}
	tests := []struct {
		name        string
		edit        func(w *workspace, cancel context.CancelCauseFunc)
		wantBatches int // at most
	}{
		{"the sink fails", func(w *workspace, _ context.CancelCauseFunc) { w.sinkErr = boom }, 1},
		{"the embedder fails", func(w *workspace, _ context.CancelCauseFunc) { w.embedErr = boom }, 0},
		{"the caller cancels", func(_ *workspace, cancel context.CancelCauseFunc) { cancel(boom) }, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorkspace(t, files)
			w.o.BatchFiles = 10
			changes := w.plan()
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			tt.edit(w, cancel)
			if _, err := w.pipeline().Apply(ctx, changes, nil); !errors.Is(err, boom) {
				t.Errorf("got error %v, want %v", err, boom)
			}
			if len(w.batches) > tt.wantBatches {
				t.Errorf("got %d batches, want at most %d", len(w.batches), tt.wantBatches)
			}
			w.sinkErr, w.embedErr = nil, nil
			w.catchUp()
			if len(w.files) != len(files) {
				t.Errorf("after another run: got %d files, want %d", len(w.files), len(files))
			}
		})
	}
}

func TestFreshReturnsTheRecordThatApplyStores(t *testing.T) {
	w := newWorkspace(t, map[string]string{"a.go": goText, "b.go": goText})
	w.catchUp()
	known := []record.File{w.files["a.go"].File, w.files["b.go"].File}
	for _, old := range known {
		if r, ok, err := w.pipeline().Fresh(old); ok || err != nil {
			t.Errorf("Fresh(%s) of an unchanged file: got %+v, %t, %v", old.Path, r.File, ok, err)
		}
	}
	w.write("a.go", goEdited, time.Now().Add(-time.Minute))
	w.write("b.go", "\x00", time.Now().Add(-time.Minute))
	var got []record.FileRecord
	for _, old := range known {
		r, ok, err := w.pipeline().Fresh(old)
		if !ok || err != nil {
			t.Fatalf("Fresh(%s) of a changed file: got %t, %v", old.Path, ok, err)
		}
		got = append(got, r)
	}
	w.catchUp()
	for i, old := range known {
		want := w.files[old.Path]
		want.Codes, want.Embedded, want.Chunks = nil, 0, append([]record.Chunk(nil), want.Chunks...)
		want.File.Key, want.File.Chunks = 0, record.KeyRange{}
		for j := range want.Chunks {
			want.Chunks[j].Key = 0
		}
		if want.File.LeftOut != "" {
			want.Graph = record.FileGraph{}
		}
		if diff := cmp.Diff(want, got[i]); diff != "" {
			t.Errorf("Fresh(%s) (-stored +got):\n%s", old.Path, diff)
		}
	}
	remove(t, w, "a.go")
	if _, _, err := w.pipeline().Fresh(known[0]); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got error %v for a file that is gone, want %v", err, os.ErrNotExist)
	}
}

func TestPlan(t *testing.T) {
	hash := record.Hash{1}
	file := func(path string, size, at int64, leftOut string) record.Row {
		return record.RowOf(&record.File{Path: record.Path(path), Size: size, ModTime: at, LeftOut: leftOut, Hash: hash})
	}
	unread := func(path, leftOut string) record.Row {
		return record.RowOf(&record.File{Path: record.Path(path), Size: 1, ModTime: 1, LeftOut: leftOut})
	}
	tests := []struct {
		name  string
		known []record.Row
		tree  []watch.Entry
		want  []string
	}{
		{"nothing", nil, nil, nil},
		{"same size and time", []record.Row{file("a", 1, 1, "")}, []watch.Entry{{Path: "a", Size: 1, ModTime: 1}}, nil},
		{"another size", []record.Row{file("a", 1, 1, "")}, []watch.Entry{{Path: "a", Size: 2, ModTime: 1}}, []string{"a"}},
		{"another time", []record.Row{file("a", 1, 1, "")}, []watch.Entry{{Path: "a", Size: 1, ModTime: 2}}, []string{"a"}},
		{"new before, between and after", []record.Row{file("b", 1, 1, "")},
			[]watch.Entry{{Path: "a"}, {Path: "b", Size: 1, ModTime: 1}, {Path: "c"}}, []string{"a", "c"}},
		{"gone before, between and after", []record.Row{file("a", 1, 1, ""), file("b", 1, 1, ""), file("c", 1, 1, "")},
			[]watch.Entry{{Path: "b", Size: 1, ModTime: 1}}, []string{"-a", "-c"}},
		{"a file left out for its content is not read again", []record.Row{file("a", 1, 1, "generated")},
			[]watch.Entry{{Path: "a", Size: 1, ModTime: 1}}, nil},
		{"a file left out by the scan is not read again", []record.Row{unread("a", "too large")},
			[]watch.Entry{{Path: "a", Size: 1, ModTime: 1, LeftOut: "too large"}}, nil},
		{"no longer left out by the scan", []record.Row{unread("a", "too large")},
			[]watch.Entry{{Path: "a", Size: 1, ModTime: 1}}, []string{"a"}},
		{"now left out by the scan", []record.Row{file("a", 1, 1, "")},
			[]watch.Entry{{Path: "a", Size: 1, ModTime: 1, LeftOut: "secret"}}, []string{"a"}},
		{"an unreadable file is read again", []record.Row{unread("a", "unreadable")},
			[]watch.Entry{{Path: "a", Size: 1, ModTime: 1}}, []string{"a"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			for _, c := range pipeline.Plan(tt.known, slices.Values(tt.tree)) {
				path := string(c.Path)
				if c.Gone {
					path = "-" + path
				}
				got = append(got, path)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Plan (-want +got):\n%s", diff)
			}
		})
	}
}

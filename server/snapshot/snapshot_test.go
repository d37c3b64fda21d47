package snapshot_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"ambit/indexer/languages"
	"ambit/indexer/pipeline"
	"ambit/indexer/watch"
	"ambit/server/api"
	"ambit/server/retrieve"
	"ambit/server/snapshot"
	"ambit/server/workspace"
	"ambit/vectors/embed"
	"ambit/vectors/record"
	"ambit/vectors/store"
	"ambit/vectors/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// place is a workspace on disk with its index and the source of its snapshots.
type place struct {
	*testing.T
	dir    string
	db     *store.DB
	index  *snapshot.Index
	pipe   *pipeline.Pipeline
	filter *watch.Filter
	source *snapshot.Source
	docs   *snapshot.Documents
	embed  *embed.Builtin
}

func newPlace(t *testing.T) *place {
	t.Helper()
	p := &place{T: t, dir: t.TempDir(), embed: embed.NewBuiltin()}
	var err error
	p.db, err = store.Open(filepath.Join(t.TempDir(), "index.db"), store.Options{Model: p.embed.Name(), Dim: p.embed.Dim()})
	p.must(err)
	p.index, _, err = snapshot.Load(t.Context(), p.db, p.embed.Dim(), false, slog.New(slog.DiscardHandler))
	p.must(err)
	p.filter, err = watch.NewFilter(p.dir, watch.Options{})
	p.must(err)
	dir, err := workspace.OpenDirectory(p.dir)
	p.must(err)
	p.pipe = pipeline.New(dir, p.filter, p.embed, p.db, p.index, pipeline.Options{})
	p.source = snapshot.NewSource(p.index, p.pipe, p.filter, dir, p.dir)
	p.docs = p.source.Documents()
	t.Cleanup(func() {
		stats, err := storetest.Stats(context.Background(), p.db)
		p.must(err)
		if stats.Readers != 1 {
			t.Errorf("%d snapshots are not released", stats.Readers-1)
		}
		p.must(errors.Join(p.db.Close(), dir.Close()))
	})
	return p
}

func (p *place) must(err error) {
	p.Helper()
	if err != nil {
		p.Fatal(err)
	}
}

// write writes a file with a modification time in the past, which the index trusts.
func (p *place) write(path, text string) {
	p.Helper()
	full := filepath.Join(p.dir, path)
	p.must(os.MkdirAll(filepath.Dir(full), 0o700))
	p.must(os.WriteFile(full, []byte(text), 0o600))
	at := time.Now().Add(-time.Hour)
	p.must(os.Chtimes(full, at, at))
}

// apply indexes what has changed on disk.
func (p *place) apply(ctx context.Context) error {
	p.Helper()
	tree, err := watch.Look(context.Background(), p.filter)
	p.must(err)
	_, err = p.pipe.Apply(ctx, pipeline.Plan(p.index.Files(), tree.All()), nil)
	return err
}

func (p *place) take(dirty ...record.Path) *snapshot.Snapshot {
	p.Helper()
	v, err := p.source.Snapshot(p.Context(), p.docs, nil, dirty)
	p.must(err)
	return v
}

// contents describes each part of a snapshot, the generation first.
func (p *place) contents(v *snapshot.Snapshot, query string, paths ...record.Path) []string {
	p.Helper()
	ctx := p.Context()
	var out []string
	for _, path := range paths {
		text, err := v.Content(ctx, path)
		out = append(out, fmt.Sprintf("%s: %q, %t", path, text, err == nil))
		g, _ := v.Graph(ctx, path)
		for _, s := range g.Symbols {
			out = append(out, string(path)+" defines "+s.Name)
		}
		chunks, err := v.FileChunks(ctx, path)
		p.must(err)
		for _, c := range chunks {
			out = append(out, fmt.Sprintf("%s %v", c.ID, c.Span))
		}
	}
	ix := v.Index(p.embed)
	for _, d := range ix.Names.Definitions(query) {
		out = append(out, query+" is defined in "+string(d.Path))
	}
	vector, err := p.embed.EmbedQuery(ctx, query)
	p.must(err)
	words, err := ix.Text.Search(ctx, []record.Word{{Text: query, Weight: 1}}, 9, nil)
	p.must(err)
	near, err := ix.Vectors.Search(ctx, vector, 9, nil)
	p.must(err)
	for name, hits := range map[string][]record.Hit{"words": words, "vectors": near} {
		var keys []record.Key
		for _, h := range hits {
			keys = append(keys, h.Key)
		}
		chunks, err := v.Chunks(ctx, keys)
		p.must(err)
		for i, c := range chunks {
			out = append(out, fmt.Sprintf("%s: %s %s %.6f", name, c.Path, c.Name, hits[i].Score))
		}
	}
	matches, err := retrieve.Search(ctx, ix, retrieve.Question{Query: query})
	p.must(err)
	for _, m := range matches {
		out = append(out, fmt.Sprintf("%s %s %v", m.Path, m.Identifier, m.Score))
	}
	slices.Sort(out)
	return append([]string{fmt.Sprint("generation ", v.Generation())}, out...)
}

func TestSnapshotDoesNotChangeWithLaterBatches(t *testing.T) {
	p := newPlace(t)
	p.write("a.go", "package p\n\n// Quokka hops.\nfunc Quokka() {}\n")
	p.write("b.go", "package p\n\nfunc Beta() { Quokka() }\n")
	p.must(p.apply(t.Context()))
	p.docs.Set(&api.Document{Path: "open.go", Text: "package p\n\nfunc Open() { Quokka() }\n"})
	v := p.take()
	defer v.Release()
	paths := []record.Path{"a.go", "b.go", "c.go", "open.go"}
	want := p.contents(v, "Quokka", paths...)
	p.write("a.go", "package p\n\n// Wombat digs.\nfunc Wombat() {}\n")
	p.must(os.Remove(filepath.Join(p.dir, "b.go")))
	p.write("c.go", "package p\n\n// Quokka hops elsewhere.\nfunc Quokka() {}\n")
	for i := range 3 { // more batches, so that pages would be used again
		p.write("d.go", fmt.Sprintf("package p\n\nvar n = %d\n", i))
		p.must(p.apply(t.Context()))
	}
	p.docs.Close("open.go")
	if diff := cmp.Diff(want, p.contents(v, "Quokka", paths...)); diff != "" {
		t.Errorf("the snapshot changed (-before +after):\n%s", diff)
	}
	now := p.take()
	defer now.Release()
	if got := strings.Join(p.contents(now, "Quokka", paths...), "\n"); !strings.Contains(got, "Quokka is defined in c.go") || strings.Contains(got, "open.go defines") {
		t.Errorf("a new snapshot has\n%s", got)
	}
}

// A server lets go of the words that it saved, and reads them in parts.
func TestSavedWordsAreReadInParts(t *testing.T) {
	t.Cleanup(snapshot.SetLargeWords(1))
	p := newPlace(t)
	paths := []record.Path{"a.go", "b.go", "c.go"}
	contents := func() []string {
		v := p.take()
		defer v.Release()
		return p.contents(v, "Quokka", paths...)
	}
	p.write("a.go", "package p\n\n// Quokka hops.\nfunc Quokka() {}\n")
	p.write("b.go", "package p\n\nfunc Beta() { Quokka() }\n")
	for i := range 3 {
		p.write("c.go", fmt.Sprintf("package p\n\n// Quokka has %d young.\nvar n = %d\n", i, i))
		p.must(p.apply(t.Context()))
		inMemory, want := snapshot.Words(p.index), contents()
		p.must(p.index.SaveViews(t.Context()))
		if snapshot.Words(p.index) == inMemory {
			t.Errorf("batch %d: the words are still in memory", i)
		}
		if diff := cmp.Diff(want, contents()); diff != "" {
			t.Errorf("batch %d (-before +saved):\n%s", i, diff)
		}
	}
}

// A process that is killed while it saves the views leaves those of words newer than those of names.
func TestAViewThatCannotBeReadIsMadeAnew(t *testing.T) {
	p := newPlace(t)
	paths := []record.Path{"a.go", "b.go"}
	p.write("a.go", "package p\n\n// Quokka hops.\nfunc Quokka() {}\n")
	p.must(p.apply(t.Context()))
	p.must(p.index.SaveViews(t.Context()))
	p.write("b.go", "package p\n\nfunc Beta() { Quokka() }\n")
	p.must(p.apply(t.Context()))
	before := p.take()
	defer before.Release()
	want := p.contents(before, "Quokka", paths...)
	p.must(snapshot.SpoilNames(t.Context(), p.index))
	for range 2 {
		loaded, unsaved, err := snapshot.Load(t.Context(), p.db, p.embed.Dim(), false, slog.New(slog.DiscardHandler))
		p.must(err)
		p.index = loaded
		dir, err := workspace.OpenDirectory(p.dir)
		p.must(err)
		p.source = snapshot.NewSource(loaded, p.pipe, p.filter, dir, p.dir)
		v := p.take()
		if diff := cmp.Diff(want, p.contents(v, "Quokka", paths...)); diff != "" {
			t.Errorf("%d files unsaved (-before +loaded):\n%s", unsaved, diff)
		}
		v.Release()
		p.must(dir.Close())
		p.must(loaded.SaveViews(t.Context()))
	}
}

func TestFailedBatchKeepsTheState(t *testing.T) {
	p := newPlace(t)
	p.write("a.go", "package p\n\n// Quokka hops.\nfunc Quokka() {}\n")
	p.must(p.apply(t.Context()))
	before := p.take()
	want := p.contents(before, "Quokka", "a.go")
	before.Release()
	p.write("a.go", "package p\n\n// Wombat digs.\nfunc Wombat() {}\n")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for name, err := range map[string]error{
		"cancelled":        p.apply(ctx),
		"no file to touch": p.index.Apply(t.Context(), &record.Batch{Touched: []record.File{{Path: "never.go"}}}),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	after := p.take()
	if diff := cmp.Diff(want, p.contents(after, "Quokka", "a.go")); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
	after.Release()
	p.must(p.apply(t.Context()))
	next := p.take()
	defer next.Release()
	if text, err := next.Content(t.Context(), "a.go"); err != nil || !bytes.Contains(text, []byte("Wombat")) || next.Generation() != 2 {
		t.Errorf("the next batch left %q, %v at generation %d", text, err, next.Generation())
	}
}

// Every batch writes its number into a file, so that text, names and words of one
// generation have one number.
func TestSnapshotDuringACommitHasOneGeneration(t *testing.T) {
	p := newPlace(t)
	write := func(n int) {
		p.write("a.go", fmt.Sprintf("package p\n\n// Generation%d is here.\nfunc Generation%d() {}\n", n, n))
	}
	write(1)
	p.must(p.apply(t.Context()))
	done := make(chan struct{})
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			docs := p.source.Documents()
			for {
				select {
				case <-done:
					return
				default:
				}
				v, err := p.source.Snapshot(context.Background(), docs, nil, nil)
				if err != nil {
					t.Error(err)
					return
				}
				name := fmt.Sprintf("Generation%d", v.Generation())
				text, err := v.Content(context.Background(), "a.go")
				hits, searchErr := v.Index(nil).Text.Search(context.Background(), []record.Word{{Text: name, Weight: 1}}, 1, nil)
				if err != nil || searchErr != nil || !bytes.Contains(text, []byte(name)) || len(hits) != 1 || len(v.Index(nil).Names.Definitions(name)) != 1 {
					t.Errorf("%s: %q, %v, %v, %v", name, text, err, hits, searchErr)
				}
				v.Release()
			}
		})
	}
	for n := range 60 {
		write(n + 2)
		p.must(p.apply(t.Context()))
	}
	close(done)
	all.Wait()
}

func TestAFileThatIsNotIndexedYetIsNotCalledIgnored(t *testing.T) {
	p := newPlace(t)
	p.write("a.go", "package p\n")
	p.must(p.apply(t.Context()))
	p.write("late.go", "package p\n")
	p.write(".ambitignore", "ignored.go\n")
	p.write("ignored.go", "package p\n")
	v := p.take()
	defer v.Release()
	for path, want := range map[record.Path]string{"late.go": "is not indexed yet", "ignored.go": "is ignored", "nosuch.go": "no file nosuch.go"} {
		if err := v.Check(path); !errors.Is(err, api.ErrQuestion) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}

func TestDocumentsAndDirtyFilesReplaceFilesAlike(t *testing.T) {
	p := newPlace(t)
	const quokka, wombat = "package p\n\n// Quokka hops.\nfunc Quokka() {}\n", "package p\n\n// Quokka digs.\nfunc Quokka() { Wombat() }\n"
	for i := range 5 {
		p.write(fmt.Sprintf("f%d.go", i), strings.ReplaceAll(quokka, "Quokka", fmt.Sprint("Other", i)))
	}
	p.write("a.go", quokka)
	p.write("gone.go", quokka)
	p.must(p.apply(t.Context()))
	p.write("a.go", wombat)
	p.write("new/b.go", wombat)
	p.must(os.Remove(filepath.Join(p.dir, "gone.go")))
	paths := []record.Path{"a.go", "new/b.go"}
	dirty := p.take("a.go", "new/b.go", "gone.go")
	defer dirty.Release()
	want := p.contents(dirty, "Quokka", paths...)
	if err := dirty.Check("gone.go"); !errors.Is(err, api.ErrQuestion) || !strings.Contains(err.Error(), "no file gone.go") {
		t.Errorf("a file that has gone: %v", err)
	}
	for _, path := range paths {
		p.docs.Set(&api.Document{Path: path, Text: wombat})
	}
	open := p.take("gone.go", "a.go") // open documents override dirty files
	defer open.Release()
	if diff := cmp.Diff(want, p.contents(open, "Quokka", paths...)); diff != "" {
		t.Errorf("(-dirty +open):\n%s", diff)
	}
	for _, v := range []*snapshot.Snapshot{open, dirty} {
		o, err := v.Outline(t.Context(), "a.go")
		if err != nil || len(o.Decls) == 0 || string(o.Content) != wombat {
			t.Errorf("the outline of a.go is %+v, %v", o, err)
		}
	}
	for _, path := range paths {
		p.docs.Close(path)
	}
	p.must(p.apply(t.Context()))
	indexed := p.take(paths...)
	defer indexed.Release()
	got := p.contents(indexed, "Quokka", paths...)
	if diff := cmp.Diff(want[1:], got[1:]); diff != "" { // the generation is another one
		t.Errorf("(-dirty +indexed):\n%s", diff)
	}
}

func TestDirtyFilesAreReadUpToALimit(t *testing.T) {
	p := newPlace(t)
	var dirty []record.Path
	for i := range 50 {
		path := fmt.Sprintf("f%02d.go", i)
		p.write(path, fmt.Sprintf("package p\n\nfunc F%d() {}\n", i))
		dirty = append(dirty, record.Path(path))
	}
	v := p.take(dirty...)
	v.Release()
	if v.Unread() != 50-32 {
		t.Errorf("%d files are unread, want 18", v.Unread())
	}
	big := "package p\n" + strings.Repeat("// many words\n", 30_000)
	p.write("big1.go", big)
	p.write("big2.go", big)
	v = p.take("big1.go", "big2.go", "f00.go")
	v.Release()
	if v.Unread() != 1 {
		t.Errorf("%d files are unread after 840 kB, want 1", v.Unread())
	}
}

// The views of a generation end with the last request that reads them, also when documents are
// open whose text the index does not have, and their clients ask nothing more.
func TestOldStatesAreForgotten(t *testing.T) {
	p := newPlace(t)
	const batches = 4
	gone := make(chan uint64, batches)
	var clients []*snapshot.Documents
	for i := range batches {
		p.write("a.go", fmt.Sprintf("package p\n\nfunc Quokka() int { return %d }\n", i))
		p.must(p.apply(t.Context()))
		snapshot.WatchState(p.index, func(generation uint64) { gone <- generation })
		p.docs = p.source.Documents()
		p.docs.Set(&api.Document{Path: "open.go", Text: "package p\n\nfunc Open() { Quokka() }\n"})
		clients = append(clients, p.docs)
		for range 2 {
			v := p.take()
			p.contents(v, "Quokka", "a.go", "open.go")
			v.Release()
		}
	}
	var left []uint64
	for range batches - 1 {
		left = append(left, awaitGone(t, gone))
	}
	slices.Sort(left)
	if want := []uint64{1, 2, 3}; !slices.Equal(left, want) {
		t.Errorf("the states of the generations %d are gone, want %d", left, want)
	}
	runtime.KeepAlive(clients)
}

// awaitGone returns the generation of the next state that is gone.
func awaitGone(t *testing.T, gone <-chan uint64) uint64 {
	t.Helper()
	for range 100 {
		runtime.GC()
		select {
		case generation := <-gone:
			return generation
		case <-time.After(20 * time.Millisecond): // the runtime calls cleanups after the collection
		}
	}
	t.Fatal("something refers to the state of an old generation")
	return 0
}

// A client that asks again without an edit or a batch gets the overlay that was made for its
// last question, whatever the others do.
func TestClientsReuseTheirOverlays(t *testing.T) {
	p := newPlace(t)
	p.write("a.go", "package p\n\nfunc Quokka() {}\n")
	p.must(p.apply(t.Context()))
	var clients []*snapshot.Documents
	var first []any
	for round := range 2 {
		for i := range 5 {
			if round == 0 {
				clients = append(clients, p.source.Documents())
				clients[i].Set(&api.Document{Path: "open.go", Text: fmt.Sprintf("package p\n\nfunc Open%d() {}\n", i)})
			}
			p.docs = clients[i]
			v := p.take()
			overlay := snapshot.OverlayOf(v)
			v.Release()
			if round == 0 {
				first = append(first, overlay)
			} else if overlay != first[i] {
				t.Errorf("client %d gets another overlay", i)
			}
		}
	}
}

func TestOutlinesOfTheFilesAskedAboutLastAreKept(t *testing.T) {
	p := newPlace(t)
	const lines = 6000 // three files of 360 KB exceed the bound, two do not
	for _, name := range []string{"a.txt", "b.txt", "c.txt"} {
		p.write(name, strings.Repeat(strings.Repeat("word ", 12)+"\n", lines))
	}
	p.write("code.go", "package a\n\nfunc Quokka() {}\n")
	p.must(p.apply(t.Context()))
	outline := func(path record.Path) *languages.Outline {
		t.Helper()
		v := p.take()
		defer v.Release()
		o, err := v.Outline(t.Context(), path)
		p.must(err)
		return o
	}
	a, b := outline("a.txt"), outline("b.txt")
	if outline("a.txt") != a || outline("b.txt") != b {
		t.Error("two outlines of 700 KB are not kept")
	}
	outline("a.txt")
	if outline("c.txt"); outline("a.txt") != a || outline("b.txt") == b {
		t.Error("the third does not replace the one that was asked for least recently")
	}
	code := outline("code.go")
	p.write("code.go", "package a\n\nfunc Wombat() {}\n")
	p.must(p.apply(t.Context()))
	if got := outline("code.go"); got == code || got.Decls[0].Name != "Wombat" {
		t.Errorf("a change keeps the old outline: %+v", got.Decls)
	}
}

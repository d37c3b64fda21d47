package store_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"ambit/vectors/quantize"
	"ambit/vectors/record"
	"ambit/vectors/store"
	"ambit/vectors/storetest"
)

func TestMain(m *testing.M) {
	if role := os.Getenv(childRole); role != "" {
		os.Exit(runChild(role))
	}
	storetest.CheckTables = func(ctx context.Context, db *store.DB) error { return db.Check(ctx) }
	goleak.VerifyTestMain(m)
}

// wide is a dimension whose rows take several pages.
const wide = 500

// widen gives the vectors of r another dimension.
func widen(r record.FileRecord, dim int) record.FileRecord {
	for i, c := range r.Codes {
		v, w := make([]float32, len(c.Residual)), make([]float32, dim)
		quantize.Row(c).Float(v)
		for j := range w {
			w[j] = v[j%len(v)] * float32(j%7)
		}
		r.Codes[i] = storetest.Codes(w)[0]
	}
	return r
}

// model is what an index should hold, in plain maps.
type model struct {
	files    map[record.Path]record.FileRecord
	dropped  []record.Key
	views    map[string][]byte
	history  record.History
	cache    map[state]record.FileRecord // the earlier revisions, without keys
	order    map[state]int               // the number by which it came to the cache
	cachings int
	bounded  bool // not all of cache need be kept
}

// state is a file at one time.
type state struct {
	path           record.Path
	hash, enriched record.Hash
}

func stateOf(f *record.File) state {
	at := state{path: f.Path, hash: f.Hash}
	if f.CrossFile != nil {
		at.enriched = f.CrossFile.Enriched
	}
	return at
}

// later reports whether another state with the bytes of at came to the cache after it.
func (m *model) later(at state) bool {
	for other := range m.cache {
		if other.path == at.path && other.hash == at.hash && m.order[other] > m.order[at] {
			return true
		}
	}
	return false
}

// retire moves the record of path to the cache, unless next is the same; without keep it
// deletes all revisions of path.
func (m *model) retire(path record.Path, next state, keep bool) {
	if !keep {
		maps.DeleteFunc(m.cache, func(at state, _ record.FileRecord) bool { return at.path == path })
	}
	r, ok := m.files[path]
	if ok && keep && m.cache != nil && stateOf(&r.File) != next && len(r.Chunks) > 0 {
		at := stateOf(&r.File)
		r.File.Key, r.File.Chunks, r.File.Generation = 0, record.KeyRange{}, 0
		r.Chunks = slices.Clone(r.Chunks)
		for i := range r.Chunks {
			r.Chunks[i].Key = 0
		}
		m.cache[at] = r
		m.cachings++
		m.order[at] = m.cachings
	}
	delete(m.files, path)
	delete(m.cache, next)
}

// apply sends b to db and to the model.
func (m *model) apply(t rapid.TB, db *store.DB, b *record.Batch) {
	t.Helper()
	var want []record.Key // dropped
	for _, p := range b.Removed {
		want = append(want, keys(m.files[p].File.Chunks)...)
		m.retire(p, state{}, !slices.Contains(b.Forget, p))
	}
	for i := range b.Files {
		want = append(want, keys(m.files[b.Files[i].File.Path].File.Chunks)...)
	}
	generation := db.Generation() + 1
	if err := db.Apply(context.Background(), b, nil); err != nil {
		t.Fatal(err)
	}
	if b.Generation != generation || db.Generation() != generation {
		t.Fatalf("generation %d in the batch and %d in the index, want %d", b.Generation, db.Generation(), generation)
	}
	for _, r := range b.Files {
		m.retire(r.File.Path, stateOf(&r.File), r.File.LeftOut == "")
		r.Embedded, r.Recalled = 0, false
		m.files[r.File.Path] = r
	}
	for _, f := range b.Touched {
		r := m.files[f.Path]
		r.File.Size, r.File.ModTime = f.Size, f.ModTime
		if diff := cmp.Diff(r.File, f); diff != "" {
			t.Fatalf("touched (-want +got):\n%s", diff)
		}
		m.files[f.Path] = r
	}
	var got []record.Key
	for _, r := range b.Dropped {
		got = append(got, keys(r)...)
	}
	slices.Sort(want)
	if !slices.Equal(want, got) {
		t.Fatalf("dropped %v, want %v", got, want)
	}
	m.dropped = append(m.dropped, got...)
	if b.History != nil {
		m.history = *b.History
	}
}

func keys(r record.KeyRange) (list []record.Key) {
	for i := range r.N {
		list = append(list, r.First+record.Key(i))
	}
	return list
}

// check compares db with the model through every way of reading.
func (m *model) check(t rapid.TB, db *store.DB) {
	t.Helper()
	ctx := context.Background()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	equal := func(name string, want, got any) {
		t.Helper()
		if diff := difference(want, got); diff != "" {
			t.Fatalf("%s (-want +got):\n%s", name, diff)
		}
	}
	must(db.Check(ctx))
	reader, err := db.Begin(ctx)
	must(err)
	defer reader.Close()
	var paths []record.Path
	for p := range m.files {
		paths = append(paths, p)
	}
	slices.Sort(paths)

	var files []record.File
	var all []record.Chunk
	var vectors [][]float32
	codes := map[record.Key]quantize.Row{}
	for _, p := range paths {
		r := m.files[p]
		files = append(files, r.File)
		if r.File.LeftOut != "" {
			_, err := reader.Content(ctx, p)
			if !errors.Is(err, store.ErrNotFound) {
				t.Fatalf("content of a left out file: %v", err)
			}
			continue
		}
		content, err := reader.Content(ctx, p)
		must(err)
		equal("content", string(r.Content), string(content))
		graph, err := reader.Graph(ctx, p)
		must(err)
		equal("graph", r.Graph, graph)
		chunks, err := reader.FileChunks(ctx, p)
		must(err)
		equal("chunks of "+string(p), r.Chunks, chunks)
		all = append(all, r.Chunks...)
		for i, c := range r.Codes {
			codes[r.Chunks[i].Key] = quantize.Row(c)
			v := make([]float32, len(c.Residual))
			quantize.Row(c).Float(v)
			vectors = append(vectors, v)
		}
	}
	got, err := reader.Files(ctx)
	must(err)
	equal("files", files, storetest.Decode(got))

	// Every key and every dropped one, in an order that is not theirs, some twice.
	ask := slices.Clone(m.dropped)
	want, wantVectors := make([]record.Chunk, len(ask)), make([][]float32, len(ask))
	for i := range all {
		at := len(all) - 1 - i
		ask, want, wantVectors = append(ask, all[at].Key), append(want, all[at]), append(wantVectors, vectors[at])
		if i%5 == 0 {
			ask, want, wantVectors = append(ask, all[at].Key), append(want, all[at]), append(wantVectors, vectors[at])
		}
	}
	gotChunks, err := reader.Chunks(ctx, ask)
	must(err)
	equal("chunks", want, gotChunks)
	gotVectors, err := reader.Vectors(ctx, ask)
	must(err)
	for i, v := range gotVectors {
		if !slices.Equal(v, wantVectors[i]) || (v == nil) != (wantVectors[i] == nil) {
			t.Fatalf("vector of key %d: got %v, want %v", ask[i], v, wantVectors[i])
		}
	}

	seen := 0
	withWords := 0
	for _, row := range codes {
		if row.Scale != 0 {
			withWords++
		}
	}
	each := func(seen *int, first record.Key, c []byte, scales []float32) error {
		n := len(c) / len(scales)
		for i, s := range scales {
			row := codes[first+record.Key(i)]
			if s != row.Scale || s != 0 && !slices.Equal(c[i*n:(i+1)*n], row.Code) {
				return fmt.Errorf("wrong codes for key %d", int(first)+i)
			}
			if s != 0 {
				*seen++
			}
		}
		return nil
	}
	must(reader.EachCodes(ctx, func(first record.Key, c []byte, scales []float32) error {
		return each(&seen, first, c, scales)
	}))
	equal("codes", withWords, seen)
	byThread := make([]int, 3)
	must(reader.EachCodesBy(ctx, len(byThread), func(thread int, first record.Key, c []byte, scales []float32) error {
		return each(&byThread[thread], first, c, scales)
	}))
	equal("codes by threads", withWords, byThread[0]+byThread[1]+byThread[2])
	for name, want := range m.views {
		data, _, err := reader.LoadView(ctx, name)
		must(err)
		equal("view", string(want), string(data))
	}
	h, err := reader.History(ctx)
	must(err)
	equal("history", m.history, h)
}

// difference is that of cmp, which takes a hundred times as long as to see that there is none.
func difference(want, got any) string {
	if reflect.DeepEqual(want, got) {
		return ""
	}
	return cmp.Diff(want, got, cmpopts.EquateEmpty())
}

// checkRecord reads the whole of a file.
func (m *model) checkRecord(t rapid.TB, db *store.DB, want record.FileRecord) {
	t.Helper()
	got, ok, err := db.Record(context.Background(), want.File.Path)
	if ok != (want.File.LeftOut == "") || err != nil {
		t.Fatalf("record of %q: %t, %v", want.File.Path, ok, err)
	}
	if !ok {
		return
	}
	want.File.Key, want.File.Chunks, want.File.Generation = 0, record.KeyRange{}, 0
	want.Chunks = slices.Clone(want.Chunks)
	for i := range want.Chunks {
		want.Chunks[i].Key = 0
	}
	if diff := difference(want, got); diff != "" {
		t.Fatalf("record (-want +got):\n%s", diff)
	}
}

// checkRevisions looks up every record that was replaced.
func (m *model) checkRevisions(t rapid.TB, db *store.DB, limit int64) {
	t.Helper()
	hidden := 0 // states with the bytes of a later one: they may be gone when m is bounded
	for at, want := range m.cache {
		if m.later(at) {
			hidden++
			continue
		}
		got, ok, err := db.Lookup(context.Background(), at.path, at.hash)
		if err != nil {
			t.Fatal(err)
		}
		if !ok && m.bounded {
			delete(m.cache, at)
			continue
		}
		if !ok {
			t.Fatalf("%q is not in the cache", at.path)
		}
		want.Recalled = true
		if diff := difference(want, got); diff != "" {
			t.Fatalf("looked up (-want +got):\n%s", diff)
		}
	}
	for path, r := range m.files {
		other := false // enriched otherwise
		for at := range m.cache {
			other = other || at.path == path && at.hash == r.File.Hash
		}
		if _, ok, err := db.Lookup(context.Background(), path, r.File.Hash); ok != other && !m.bounded || err != nil {
			t.Fatalf("Lookup of the bytes that %q holds: %t, %v", path, ok, err)
		}
		m.checkRecord(t, db, r)
		var hashes []record.TextHash
		for i := range r.Chunks {
			hashes = append(hashes, r.Chunks[i].EmbedHash)
		}
		got, err := db.Codes(context.Background(), path, append(hashes, record.TextHash{1}))
		if err != nil {
			t.Fatal(err)
		}
		if diff := difference(append(slices.Clone(r.Codes), record.Codes{}), got); diff != "" {
			t.Fatalf("codes of %q (-want +got):\n%s", path, diff)
		}
	}
	st, err := storetest.Stats(context.Background(), db)
	if err != nil {
		t.Fatal(err)
	}
	if !m.bounded {
		hidden = 0
	}
	if st.Revisions > len(m.cache) || st.Revisions < len(m.cache)-hidden || m.bounded && st.RevisionBytes > max(limit, 0) {
		t.Fatalf("%d revisions in %d bytes in the cache, want %d in at most %d", st.Revisions, st.RevisionBytes, len(m.cache), limit)
	}
}

func TestAnySequenceOfBatchesEqualsAPlainMap(t *testing.T) {
	dir := t.TempDir()
	run := 0
	rapid.Check(t, func(t *rapid.T) {
		run++
		path := filepath.Join(dir, fmt.Sprint(run), "index.db")
		o := store.Options{CacheBytes: rapid.SampledFrom([]int64{0, -1, 15_000, 100_000}).Draw(t, "cache")}
		db, err := store.Open(path, o)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = db.Close() }()
		m := model{files: map[record.Path]record.FileRecord{}, views: map[string][]byte{}, cache: map[state]record.FileRecord{}, order: map[state]int{}, bounded: o.CacheBytes != 0}
		steps := rapid.IntRange(1, 8).Draw(t, "steps")
		for range steps {
			switch rapid.IntRange(0, 9).Draw(t, "action") {
			case 0:
				if err := db.Close(); err != nil {
					t.Fatal(err)
				}
				if db, err = store.Open(path, o); err != nil {
					t.Fatal(err)
				}
			case 1:
				name := rapid.SampledFrom([]string{"lexical", "lex", "graph"}).Draw(t, "view")
				data := slices.Repeat([]byte(name), rapid.SampledFrom([]int{0, 1, 700_000}).Draw(t, "repeat"))
				if err := db.SaveView(t.Context(), name, db.Generation(), data); err != nil {
					t.Fatal(err)
				}
				m.views[name] = data
			default:
				m.apply(t, db, drawBatch(t, db, m.files))
			}
		}
		m.check(t, db)
		m.checkRevisions(t, db, o.CacheBytes)
	})
}

// drawBatch makes a batch over few paths, so that they meet often.
func drawBatch(t *rapid.T, db *store.DB, stored map[record.Path]record.FileRecord) *record.Batch {
	b := &record.Batch{}
	for i := range 6 {
		path := record.Path(fmt.Sprintf("dir%d/f\xff%d.go", i%2, i))
		old, known := stored[path]
		switch rapid.IntRange(0, 6).Draw(t, "change") {
		case 0, 1, 2:
			n := rapid.SampledFrom([]int{1, 2, 5, 20, 50}).Draw(t, "chunks")
			r := widen(storetest.Record(path, storetest.Text(rapid.IntRange(0, 3).Draw(t, "seed"), n), n), wide)
			if rapid.Bool().Draw(t, "recall") {
				old, ok, err := db.Lookup(t.Context(), path, r.File.Hash)
				if err != nil {
					t.Fatal(err)
				}
				if ok {
					r = old
				}
			}
			drawCrossFile(t, &r)
			b.Files = append(b.Files, r)
		case 3:
			b.Removed = append(b.Removed, path)
			if rapid.IntRange(0, 3).Draw(t, "forget") == 0 {
				b.Forget = append(b.Forget, path)
			}
		case 4:
			if known {
				b.Touched = append(b.Touched, record.File{Path: path, Size: old.File.Size + 1, ModTime: -7})
			}
		case 5:
			r := record.FileRecord{File: record.File{Path: path, LeftOut: "binary", Size: 3}}
			if rapid.Bool().Draw(t, "empty") {
				r = storetest.Record(path, nil, 0)
			}
			b.Files = append(b.Files, r)
		}
	}
	if rapid.IntRange(0, 5).Draw(t, "history") == 0 {
		b.History = &record.History{
			Head:     "abc",
			Files:    []record.FileHistory{{Path: "a", Frequency: record.Hot, Commits90: 11, Commits: 40}},
			Pairs:    []record.CoChange{{A: "a", B: "b", Weight: 1 / rapid.Float64Range(1, 9).Draw(t, "weight")}},
			Subjects: []record.Subject{{Text: "begin", Files: []record.Path{"a", "b"}}, {Text: "", Files: []record.Path{}}},
		}
	}
	return b
}

// drawCrossFile enriches a record with something, or with what it has already.
func drawCrossFile(t *rapid.T, r *record.FileRecord) {
	enriched := record.Hash{byte(rapid.IntRange(0, 2).Draw(t, "enriched"))}
	if rapid.Bool().Draw(t, "as it was") {
		return
	}
	r.File.CrossFile = &record.CrossFile{Exports: []record.Export{{Kind: record.ExportMixin, Path: "A", Text: "text"}}, Enriched: enriched}
	if len(r.Chunks) > 0 {
		r.File.CrossFile.References = []record.Reference{{Kind: record.ExportAssociation, Path: "B", Prefix: len(r.Chunks[0].Prefix)}}
	}
	r.Recalled = false
}

func TestABatchThatBreaksTheRulesChangesNothing(t *testing.T) {
	good := func() record.FileRecord { return storetest.Record("a.go", storetest.Text(1, 3), 3) }
	edit := func(f func(*record.FileRecord)) *record.Batch {
		r := good()
		f(&r)
		return &record.Batch{Files: []record.FileRecord{storetest.Record("b.go", storetest.Text(2, 3), 3), r}}
	}
	tests := []struct {
		name string
		give *record.Batch
		want string
	}{
		{"a path twice", &record.Batch{Files: []record.FileRecord{good()}, Removed: []record.Path{"a.go"}}, "stands twice"},
		{"no path", edit(func(r *record.FileRecord) { r.File.Path = "" }), "a path has 0 bytes"},
		{"a long path", edit(func(r *record.FileRecord) { r.File.Path = record.Path(strings.Repeat("x", 40000)) }), "a path has 40000 bytes"},
		{"a vector is missing", edit(func(r *record.FileRecord) { r.Codes = r.Codes[1:] }), "3 chunks and 2 vectors"},
		{"a short vector", edit(func(r *record.FileRecord) { r.Codes[1].Residual = r.Codes[1].Residual[1:] }), "a vector of 31 instead of 32"},
		{"a chunk outside", edit(func(r *record.FileRecord) { r.Chunks[2].Span.End++ }), "outside"},
		{"left out with chunks", edit(func(r *record.FileRecord) { r.File.LeftOut = "binary" }), "left out, but has chunks"},
		{"an unknown file is touched", &record.Batch{Touched: []record.File{{Path: "x"}}}, "not in the index"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			db := storetest.Open(t)
			err := db.Apply(t.Context(), tt.give, nil)
			if err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want one line with %q", err, tt.want)
			}
			files, err := storetest.Files(t.Context(), db)
			if err != nil || len(files) != 0 || db.Generation() != 0 || tt.give.Generation != 0 {
				t.Errorf("got %v, %v and generation %d, want an untouched index", files, err, db.Generation())
			}
		})
	}
}

func TestACancelledBatchChangesNothing(t *testing.T) {
	db := storetest.Open(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	b := &record.Batch{Files: []record.FileRecord{storetest.Record("a.go", storetest.Text(1, 3), 3)}}
	if err := db.Apply(ctx, b, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	if db.Generation() != 0 {
		t.Errorf("generation %d, want 0", db.Generation())
	}
}

func TestAMissingPathGivesErrNotFound(t *testing.T) {
	db := storetest.Open(t)
	reader := begin(t, db)
	for _, path := range []record.Path{"", "a.go", record.Path(strings.Repeat("x", 40000))} {
		_, err := reader.Content(t.Context(), path)
		_, err2 := reader.Graph(t.Context(), path)
		_, err3 := reader.FileChunks(t.Context(), path)
		for _, err := range []error{err, err2, err3} {
			if !errors.Is(err, store.ErrNotFound) {
				t.Errorf("got %v, want ErrNotFound", err)
			}
		}
	}
	if data, _, err := reader.LoadView(t.Context(), "none"); data != nil || err != nil {
		t.Errorf("LoadView gave %v, %v", data, err)
	}
	reader.Close()
	if err := db.SaveView(t.Context(), "a\x00b", 1, []byte("x")); err == nil {
		t.Error("a name with NUL was taken")
	}
}

func TestAPanicOfTheCallerIsNotADamagedFile(t *testing.T) {
	db := storetest.Open(t)
	b := &record.Batch{Files: []record.FileRecord{storetest.Record("a.go", storetest.Text(1, 3), 3)}}
	if err := db.Apply(t.Context(), b, nil); err != nil {
		t.Fatal(err)
	}
	defer func() {
		if r := recover(); r != "mine" {
			t.Errorf("recovered %v, want the panic of the function", r)
		}
	}()
	_ = begin(t, db).EachCodes(t.Context(), func(record.Key, []byte, []float32) error { panic("mine") })
}

func TestAnErrorOfTheCallerEndsTheWalk(t *testing.T) {
	db := storetest.Open(t)
	b := &record.Batch{Files: []record.FileRecord{storetest.Record("a.go", storetest.Text(1, 3), 3), storetest.Record("b.go", storetest.Text(1, 3), 3)}}
	if err := db.Apply(t.Context(), b, nil); err != nil {
		t.Fatal(err)
	}
	mine, calls := errors.New("mine"), 0
	err := begin(t, db).EachCodes(t.Context(), func(record.Key, []byte, []float32) error {
		calls++
		return mine
	})
	if !errors.Is(err, mine) || calls != 1 {
		t.Errorf("got %v after %d calls", err, calls)
	}
}

func TestEveryMethodOfAClosedIndexGivesErrClosed(t *testing.T) {
	db := storetest.Open(t)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := db.Begin(t.Context())
	_, _, err2 := db.Record(t.Context(), "a.go")
	for _, err := range []error{err, err2, db.Apply(t.Context(), &record.Batch{}, nil), db.SaveView(t.Context(), "v", 1, []byte("x"))} {
		if !errors.Is(err, store.ErrClosed) {
			t.Errorf("got %v, want ErrClosed", err)
		}
	}
}

func TestReadersSeeWholeBatches(t *testing.T) {
	db := storetest.Open(t)
	done := make(chan error, 2)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	for range cap(done) {
		go func() {
			for ctx.Err() == nil {
				files, err := storetest.Files(context.Background(), db)
				for _, f := range files {
					if f.Generation != files[0].Generation {
						err = fmt.Errorf("generations %d and %d at once", f.Generation, files[0].Generation)
					}
				}
				if err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for i := range 30 {
		b := &record.Batch{}
		for j := range 5 {
			b.Files = append(b.Files, storetest.Record(record.Path(fmt.Sprint(j)), storetest.Text(i, 4), 4))
		}
		if err := db.Apply(t.Context(), b, nil); err != nil {
			t.Fatal(err)
		}
	}
	cancel()
	for range cap(done) {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}

func TestABatchThatReachedTheFileIsStoredDespiteAnErrorOfTheSync(t *testing.T) {
	db := storetest.Open(t)
	if err := db.Apply(t.Context(), numberedBatch(1), nil); err != nil {
		t.Fatal(err)
	}
	b := numberedBatch(2)
	if err := db.ApplyUnsynced(t.Context(), b); err != nil {
		t.Fatalf("Apply of a batch that reached the file: %v", err)
	}
	same := storetest.Open(t)
	for g := range uint64(2) {
		if err := same.Apply(t.Context(), numberedBatch(g+1), nil); err != nil {
			t.Fatal(err)
		}
	}
	got, err := readAll(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	want, err := readAll(t.Context(), same)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" || b.Generation != 2 || len(b.Dropped) == 0 {
		t.Errorf("generation %d, dropped %v (-want +got):\n%s", b.Generation, b.Dropped, diff)
	}
}

package session_test

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/indexer/watch/treetest"
	"ambit/server/api"
	"ambit/server/config"
	"ambit/server/session"
	"ambit/server/tokens"
	"ambit/vectors/record"
	"ambit/vectors/store"
	"ambit/vectors/storetest"
)

// equalSteps is the number of steps of a seed.
const equalSteps = 6

// seeds returns the number of seeds that a test runs, and the first seed. `make soak`
// sets them with AMBIT_SEEDS and AMBIT_SEED; without these the number is otherwise, and
// an eighth of that in a short run.
func seeds(t *testing.T, otherwise int) (n int, first uint64) {
	t.Helper()
	if testing.Short() {
		otherwise = (otherwise + 7) / 8
	}
	for name, to := range map[string]func(uint64){
		"AMBIT_SEEDS": func(v uint64) { otherwise = int(v) },
		"AMBIT_SEED":  func(v uint64) { first = v },
	} {
		if s := os.Getenv(name); s != "" {
			v, err := strconv.ParseUint(s, 0, 64)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			to(v)
		}
	}
	return otherwise, first
}

// file is the content of an index about one file, without the fields that depend on the
// order of writes.
type file struct {
	Path              record.Path
	Language, LeftOut string
	Size              int64
	Hash              record.Hash
	Masked            int
	Traits            *record.Traits
	Content           string
	Chunks            []record.Chunk
	Vectors           [][]float32
	Graph             record.FileGraph
	CrossFile         *record.CrossFile
}

// knowledge is the content of an index and some answers, in a form that does not depend
// on the order of writes.
type knowledge struct {
	Indexed, Chunks, Masked int
	Bytes                   int64
	Languages               map[string]int
	History                 record.History
	Files                   []file
	Answers                 map[string]any
}

// know returns the knowledge of a session, with its answers at some places of the tree
// and to some queries.
func know(t *testing.T, s *opened, a treetest.Author) knowledge {
	t.Helper()
	ctx := t.Context()
	status, err := s.Status(ctx, api.StatusQuestion{})
	if err != nil {
		t.Fatalf("Stored: %v", err)
	}
	db := session.Stored(s.session)
	if err := storetest.Check(ctx, db); err != nil {
		t.Fatalf("Check: %v", err)
	}
	k := knowledge{Indexed: status.Files, Chunks: status.Chunks, Masked: status.Masked, Bytes: status.Bytes, Languages: status.Languages, Answers: map[string]any{}}
	r, err := db.Begin(ctx)
	if err != nil {
		t.Fatalf("Begin: %v", err)
	}
	defer r.Close()
	if k.History, err = r.History(ctx); err != nil {
		t.Fatalf("History: %v", err)
	}
	files, err := r.Files(ctx)
	if err != nil {
		t.Fatalf("Files: %v", err)
	}
	for _, f := range files {
		k.Files = append(k.Files, knownFile(t, r, f.File()))
	}
	answers(t, s, a, &k)
	return k
}

func knownFile(t *testing.T, r *store.Reader, f record.File) file {
	t.Helper()
	out := file{Path: f.Path, Language: f.Language, LeftOut: f.LeftOut, Size: f.Size, Hash: f.Hash, Masked: f.Masked, CrossFile: f.CrossFile, Traits: f.Traits}
	if f.LeftOut != "" {
		return out
	}
	content, err := r.Content(t.Context(), f.Path)
	if err != nil {
		t.Fatal(err)
	}
	out.Content = string(content)
	if out.Graph, err = r.Graph(t.Context(), f.Path); err != nil {
		t.Fatal(err)
	}
	if out.Chunks, err = r.FileChunks(t.Context(), f.Path); err != nil {
		t.Fatal(err)
	}
	var keys []record.Key
	for i := range out.Chunks {
		keys = append(keys, out.Chunks[i].Key)
		out.Chunks[i].Key = 0
	}
	if out.Vectors, err = r.Vectors(t.Context(), keys); err != nil {
		t.Fatal(err)
	}
	return out
}

// indexNote is what the text of an answer says of an index that lacks files.
var indexNote = regexp.MustCompile(` index="[^"]*"`)

// answers adds the answers to queries and at places of files.
func answers(t *testing.T, s *opened, a treetest.Author, k *knowledge) {
	t.Helper()
	note := func(question string, answer any, err error) {
		if m, ok := answer.(*api.Matches); ok && err == nil {
			answer = m.Results
		}
		k.Answers[question] = answer
		if err != nil {
			k.Answers[question] = err.Error()
		}
	}
	counter, err := tokens.New("")
	if err != nil {
		t.Fatal(err)
	}
	context := func(name string, q api.Question) {
		q.Format, q.Budget = api.XML, 1500
		answer, err := s.Context(t.Context(), q)
		if err == nil {
			if note := indexNote.FindString(answer.Text); note != "" { // a fresh index has no note
				extra := counter.Count(answer.Text) - counter.Count(strings.Replace(answer.Text, note, "", 1))
				q.Budget += extra
				if answer, err = s.Context(t.Context(), q); err != nil {
					t.Fatal(err)
				}
				counted := func(n int) string { return fmt.Sprintf(` tokens="%d"`, n) }
				answer.Text = strings.Replace(indexNote.ReplaceAllLiteralString(answer.Text, ""), counted(answer.Tokens), counted(answer.Tokens-extra), 1)
				answer.Budget, answer.Tokens, answer.Markup = answer.Budget-extra, answer.Tokens-extra, answer.Markup-extra
			}
			answer.Freshness = api.Freshness{}
			note(name, *answer, nil)
			return
		}
		note(name, nil, err)
	}
	for range 3 {
		query := a.Pick([]string{a.Word(), a.Lower(), "how is the " + a.Lower() + " kept?", a.Word() + "." + a.Word(), a.Lower() + " " + a.Lower()})
		found, err := s.Search(t.Context(), api.SearchQuestion{Query: query, Limit: 30})
		note("search "+query, found, err)
		context("words "+query, api.Question{Query: query})
		kind := record.Kind(a.Pick([]string{"function", "method", "struct", "class", "field", "section", "file"}))
		found, err = s.Search(t.Context(), api.SearchQuestion{Query: query, Kind: kind, Limit: 30})
		note("search "+query+" of kind "+string(kind), found, err)
	}
	var indexed []file
	for _, f := range k.Files {
		if f.LeftOut == "" && f.Content != "" {
			indexed = append(indexed, f)
		}
	}
	for range min(4, len(indexed)) {
		f := indexed[a.IntN(len(indexed))]
		offset := a.IntN(len(f.Content))
		if n := len(f.Graph.Symbols); n > 0 && a.IntN(2) == 0 {
			offset = f.Graph.Symbols[a.IntN(n)].NameSpan.Start
		}
		q := atOffset(f.Path, f.Content, offset)
		context(fmt.Sprintf("at %s:%d", f.Path, offset), q)
		related, err := s.Related(t.Context(), api.RelatedQuestion{Place: placeOf(t, q), Limit: 30})
		note(fmt.Sprintf("related to %s:%d", f.Path, offset), related, err)
	}
}

// difference returns the diff of two sessions, "" when they are equal.
func difference(fresh, grown knowledge) string {
	if reflect.DeepEqual(fresh, grown) {
		return ""
	}
	diff := cmp.Diff(fresh, grown)
	if lines := strings.Split(diff, "\n"); len(lines) > 120 {
		diff = strings.Join(lines[:120], "\n") + "\n…"
	}
	return diff
}

// driver is one way to bring an index up to date.
type driver interface {
	// catchUp brings the index up to date with the tree.
	catchUp(t *testing.T)
	session() *opened
	close(t *testing.T)
}

// freshKnowledge returns the knowledge of a new index of the tree.
func freshKnowledge(t *testing.T, dir, cache string, asked uint64) knowledge {
	t.Helper()
	s := openAt(t, dir, cache, false)
	defer closeSession(t, s)
	index(t, s)
	return know(t, s, treetest.NewAuthor(asked))
}

// openAt opens the index of a tree. A process that is not long-lived asks its questions of
// vectors that stay in the file.
func openAt(t *testing.T, dir, cache string, longLived bool) *opened {
	t.Helper()
	set := config.Defaults()
	set.CacheDir, set.MaxFileBytes = cache, maxBytes
	s, err := openSession(t.Context(), dir, session.Options{Settings: &set, LongLived: longLived, OneQuestion: !longLived})
	if err != nil {
		t.Fatalf("Open: %v", err)
	}
	return s
}

func closeSession(t *testing.T, s *opened) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}

// maxBytes is the limit of an indexed file. It is small, so that a file over the limit
// is small too.
const maxBytes = 20_000

// scanned is an index that one process after the other brings up to date by a scan.
// Some processes finish, some are killed, some are interrupted.
type scanned struct {
	dir, cache string
	a          treetest.Author
	s          *opened
}

func (d *scanned) session() *opened { return d.s }

func (d *scanned) close(t *testing.T) { closeSession(t, d.s) }

func (d *scanned) catchUp(t *testing.T) {
	t.Helper()
	switch d.a.IntN(6) {
	case 0:
		closeSession(t, d.s)
		d.s = openAt(t, d.dir, d.cache, false)
	case 1:
		d.interrupted(t)
		if err := session.Abandon(d.s.session); err != nil {
			t.Fatal(err)
		}
		d.s = openAt(t, d.dir, d.cache, false)
	case 2:
		d.interrupted(t)
	}
	index(t, d.s)
}

// interrupted indexes some files and cancels the rest.
func (d *scanned) interrupted(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	left := d.a.IntN(8)
	_, err := d.s.Index(ctx, func(p api.Progress) {
		if p.Phase == "indexing" && p.Done >= left {
			cancel()
		}
	})
	if err != nil && ctx.Err() == nil {
		t.Fatalf("Index: %v", err)
	}
}

// watched is an index that [session.Session.Run] keeps up to date with its watcher.
type watched struct {
	s      *opened
	states chan api.StateName
	end    func() error
}

func newWatched(t *testing.T, dir, cache string) *watched {
	t.Helper()
	d := &watched{s: openAt(t, dir, cache, true), states: make(chan api.StateName, 100_000)}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- d.s.Run(ctx, func(st api.State) { d.states <- st.State }) }()
	d.end = func() error {
		cancel()
		return <-ended
	}
	d.await(api.StateReady)
	return d
}

func (d *watched) session() *opened { return d.s }

func (d *watched) close(t *testing.T) {
	t.Helper()
	if err := d.end(); err != context.Canceled {
		t.Errorf("Run: %v", err)
	}
	closeSession(t, d.s)
}

// catchUp waits until the watcher has reported every change, and then until Run has
// indexed them: after a pause, Run is ready when no work is left.
func (d *watched) catchUp(t *testing.T) {
	t.Helper()
	synced(t, d.s)
	d.s.Pause()
	d.await(api.StatePaused)
	d.s.Resume()
	d.await(api.StateReady)
}

func (d *watched) await(state api.StateName) {
	for s := range d.states {
		if s == state {
			return
		}
	}
}

// prove does the steps of a plan and compares the index of a driver with a fresh one, at
// some steps and at the end. It returns the difference.
func prove(t *testing.T, steps [][]treetest.Step, seed uint64, open func(dir, cache string) driver) string {
	t.Helper()
	base, err := os.MkdirTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	dir := base + "/tree"
	g := treetest.New(t, dir)
	a := treetest.NewAuthor(seed)
	for range 12 {
		p := a.Path()
		g.Write(p, a.Text(p))
	}
	for range 3 {
		g.Write(a.ModelPath(), a.Model())
	}
	g.Write(a.ConcernPath(), a.Concern())
	g.Write("db/schema.rb", a.Schema())
	d := open(dir, base+"/grown")
	defer func() { d.close(t) }()
	d.catchUp(t)
	compared := treetest.NewAuthor(seed)
	for i, changes := range steps {
		for _, c := range changes {
			g.Do(c)
		}
		d.catchUp(t)
		if asked := compared.Uint64(); asked%3 == 0 || i == len(steps)-1 {
			fresh := freshKnowledge(t, dir, fmt.Sprintf("%s/fresh%d", base, i), asked)
			if diff := difference(fresh, know(t, d.session(), treetest.NewAuthor(asked))); diff != "" {
				return fmt.Sprintf("after step %d (-fresh +grown):\n%s", i, diff)
			}
		}
	}
	return ""
}

// shrink removes the steps of a plan without which the indexes still differ.
func shrink(steps [][]treetest.Step, differs func([][]treetest.Step) bool) [][]treetest.Step {
	for i := len(steps) - 1; i >= 0; i-- {
		for j := len(steps[i]) - 1; j >= 0; j-- {
			fewer := slices.Clone(steps)
			fewer[i] = slices.Delete(slices.Clone(steps[i]), j, j+1)
			if differs(fewer) {
				steps = fewer
			}
		}
	}
	return steps
}

// proveAll proves one in every seeds, several in parallel.
func proveAll(t *testing.T, every int, open func(t *testing.T, seed uint64, dir, cache string) driver) {
	n, first := seeds(t, equalSeeds)
	n /= every
	var next, failed atomic.Int64
	t.Run("seeds", func(t *testing.T) {
		for worker := range runtime.GOMAXPROCS(0) {
			t.Run(fmt.Sprint(worker), func(t *testing.T) {
				t.Parallel()
				for {
					i := next.Add(1) - 1
					if i >= int64(n) || failed.Load() > 0 {
						return
					}
					seed := first + uint64(i)
					try := func(steps [][]treetest.Step) (diff string) {
						return prove(t, steps, seed, func(dir, cache string) driver { return open(t, seed, dir, cache) })
					}
					steps := treetest.Plan(seed, equalSteps)
					diff := try(steps)
					if diff == "" {
						continue
					}
					failed.Add(1)
					steps = shrink(steps, func(s [][]treetest.Step) bool { return try(s) != "" })
					if small := try(steps); small != "" {
						diff = small
					}
					t.Errorf("AMBIT_SEED=%d AMBIT_SEEDS=2 and these steps:\n%v\n%s", seed, steps, diff)
				}
			})
		}
	})
	t.Logf("%d seeds from %d", min(int64(n), next.Load()), first)
}

func TestAScannedIndexEqualsAFreshOne(t *testing.T) {
	proveAll(t, 1, func(t *testing.T, seed uint64, dir, cache string) driver {
		return &scanned{dir: dir, cache: cache, a: treetest.NewAuthor(^seed), s: openAt(t, dir, cache, false)}
	})
}

func TestAWatchedIndexEqualsAFreshOne(t *testing.T) {
	const quiet = 2 // each step waits for a quiet period
	proveAll(t, quiet, func(t *testing.T, _ uint64, dir, cache string) driver { return newWatched(t, dir, cache) })
}

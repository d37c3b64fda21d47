package attach_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"ambit/server/api"
	"ambit/server/attach"
	"ambit/vectors/record"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tree is a workspace on disk and where its index is kept.
type tree struct {
	t     testing.TB
	dir   string
	cache string
}

func newTree(t testing.TB, files map[string]string) *tree {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := &tree{t, dir, t.TempDir()}
	for path, text := range files {
		w.write(path, text)
	}
	return w
}

// write writes a file with a time that can be trusted, as it is not new.
func (w *tree) write(path, text string) {
	w.t.Helper()
	full := filepath.Join(w.dir, path)
	if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
	at := time.Now().Add(-time.Hour)
	if err := os.Chtimes(full, at, at); err != nil {
		w.t.Fatal(err)
	}
}

// options are those of every client of the tree.
func (w *tree) options() attach.Options { return attach.Options{CacheDir: w.cache, Build: "this"} }

// open opens a client of a fake index.
func (w *tree) open(edit ...func(*attach.Options)) *client {
	w.t.Helper()
	return w.openWith(opener{root: w.dir}, edit...)
}

// openWith opens a client, which is closed when the test ends unless it is before.
func (w *tree) openWith(opener attach.Opener, edit ...func(*attach.Options)) *client {
	w.t.Helper()
	o := w.options()
	for _, e := range edit {
		e(&o)
	}
	c, err := attach.Open(w.t.Context(), w.dir, opener, o)
	if err != nil {
		w.t.Fatalf("Open: %v", err)
	}
	k := &client{Client: c, t: w.t}
	w.t.Cleanup(k.close)
	return k
}

// client is a client that is closed once.
type client struct {
	*attach.Client
	t      testing.TB
	closed bool
}

func (k *client) close() {
	k.t.Helper()
	if k.closed {
		return
	}
	k.closed = true
	if err := k.Close(); err != nil {
		k.t.Errorf("Close: %v", err)
	}
}

// index brings the index up to date.
func (k *client) index() {
	k.t.Helper()
	if _, err := k.Index(k.t.Context(), nil); err != nil {
		k.t.Fatalf("Index: %v", err)
	}
}

// find returns what a search finds.
func (k *client) find(query string) string {
	k.t.Helper()
	matches, err := k.Search(k.t.Context(), api.SearchQuestion{Query: query})
	if err != nil {
		k.t.Fatalf("Search(%q): %v", query, err)
	}
	var names []string
	for _, m := range matches.Results {
		names = append(names, string(m.Path)+" "+m.Identifier)
	}
	return strings.Join(names, ", ")
}

// status returns the status of the index.
func (k *client) status() *api.Status {
	k.t.Helper()
	st, err := k.Status(k.t.Context(), api.StatusQuestion{})
	if err != nil {
		k.t.Fatalf("Status: %v", err)
	}
	return st
}

// owns reports whether the index is that of this client.
func (k *client) owns() bool { return attach.Owns(k.Client) }

// harbour is a workspace with names, a line and a file that are not UTF-8.
var harbour = map[string]string{
	".git/HEAD":     "ref: refs/heads/main\n",
	"ship.go":       "package harbour\n\n// Ship floats.\ntype Ship struct{ crew []Sailor }\n\n// Sail sails.\nfunc (s *Ship) Sail() int { return pull(s.crew) }\n",
	"crew.go":       "package harbour\n\n// Sailor sails a \xff ship.\ntype Sailor struct{}\n\nfunc pull(crew []Sailor) int { return len(crew) } // \xfe\n",
	"ship_test.go":  "package harbour\n\nimport \"testing\"\n\nfunc TestSail(t *testing.T) { (&Ship{}).Sail() }\n",
	"docs/ships.md": "---\ntags: [sea]\n---\n# Ships\n\nCall `Ship.Sail` to sail.\n",
	"odd\xff.go":    "package harbour\n\nfunc odd() int { return pull(nil) }\n",
	"big.bin":       "\x00",
	".env":          "A=1\n",
}

// sailing is a document that differs from its file.
const sailing = "package harbour\n\n// Ship floats.\ntype Ship struct{ crew []Sailor }\n\n// Row rows, as pull does.\nfunc (s *Ship) Row() int { return pull(s.crew) + 1 }\n"

// document returns a version of a document.
func document(path, text string, version int32) *api.Document {
	return &api.Document{Path: record.Path(path), Language: "go", Version: version, Text: text}
}

// answers asks every kind of question and returns the answers by name.
func answers(t *testing.T, w api.Workspace) map[string]any {
	t.Helper()
	ctx := t.Context()
	all := map[string]any{}
	note := func(name string) func(answer any, err error) {
		return func(answer any, err error) {
			text := ""
			if err != nil {
				text = err.Error()
			}
			all[name] = []any{answer, text}
		}
	}
	open := document("ship.go", sailing, 2)
	w.SetDocument(open)
	w.SetDocument(document("untitled:1", "package p\n\nfunc Drift() {}\n", 1))
	for _, format := range []api.Format{api.Plain, api.XML, api.Markdown, api.Human, api.HumanColor, api.JSON} {
		answer, err := w.Context(ctx, api.Question{Query: "how does a ship sail?", Budget: 900, Format: format})
		note("words as "+string(format))(answer, err)
	}
	place := func(path string, line, character int, d *api.Document) api.Place {
		return api.Place{TextDocument: api.TextDocument{Path: record.Path(path), Document: d}, Position: api.Position{Line: line, Character: character}}
	}
	places := map[string]api.Place{
		"the open version": place("ship.go", 6, 17, open),
		"the latest":       place("ship.go", 6, 17, nil),
		"another text":     place("ship.go", 2, 6, document("ship.go", "package harbour\n\nfunc Anchor() int { return pull(nil) }\n", 1)),
		"an empty text":    place("ship.go", 0, 0, document("ship.go", "", 2)),
		"a file":           place("crew.go", 5, 6, nil),
		"an odd name":      place("odd\xff.go", 2, 6, nil),
		"no such file":     place("gone\xfe.go", 1, 1, nil),
		"nothing":          place("crew.go", 0, 0, nil),
	}
	for name, at := range places {
		for _, q := range []api.Question{
			{Include: []string{"*.go"}, Exclude: []string{"docs/"}}, {Budget: 220, Encoding: "cl100k_base"}, {Format: api.XML, Pin: []record.ChunkID{{7}}},
		} {
			q.TextDocument, q.Position = &at.TextDocument, &at.Position
			answer, err := w.Context(ctx, q)
			note(fmt.Sprint("context of ", name, q.Budget, q.Format))(answer, err)
			e, err := w.Explain(ctx, api.ExplainQuestion{Question: q, Source: &api.SourceName{Identifier: "pull"}})
			note(fmt.Sprint("explain ", name, q.Budget, q.Format))(e, err)
		}
		matches, err := w.Related(ctx, api.RelatedQuestion{Place: at, Limit: 5})
		note("related of "+name)(matches, err)
		hover, err := w.Hover(ctx, api.HoverQuestion{Place: at})
		note("hover of "+name)(hover, err)
	}
	for name, q := range map[string]api.SearchQuestion{
		"words": {Query: "pull sail drift"}, "documents": {Query: "sail", Tags: []string{"sea"}, Limit: 2}, "nothing": {Query: "sail", Path: "nowhere"},
	} {
		matches, err := w.Search(ctx, q)
		note("search of "+name)(matches, err)
	}
	for _, path := range []record.Path{"ship.go", "crew.go", "odd\xff.go", "docs/ships.md", "big.bin", "gone.go", "untitled:1"} {
		chunks, err := w.Chunks(ctx, api.ChunksQuestion{TextDocument: api.TextDocument{Path: path}})
		note("chunks of "+string(path))(chunks, err)
	}
	for _, symbol := range []string{"pull", "nosuch"} {
		text, err := w.Read(ctx, api.ReadQuestion{Symbol: symbol})
		note("text of "+symbol)(text, err)
		impact, err := w.Impact(ctx, api.ImpactQuestion{Symbol: symbol})
		note("impact of "+symbol)(impact, err)
	}
	counts, err := w.ChunkStats(ctx, api.ChunkStatsQuestion{Path: "docs"})
	note("chunks of docs")(counts, err)
	for _, scan := range []bool{false, true} {
		st, err := w.Status(ctx, api.StatusQuestion{Scan: scan})
		note(fmt.Sprint("status ", scan))(st, err)
	}
	return all
}

func TestAnAnswerIsTheSameFromHereAndFromTheOwner(t *testing.T) {
	w := newTree(t, harbour)
	own, attached := w.open(), w.open()
	own.index()
	if st := attached.status(); attached.owns() || st.OwnerPID != os.Getpid() || st.Clients != 1 {
		t.Fatalf("the second client says %+v, want it to be attached to the first", st)
	}
	if diff := gocmp.Diff(answers(t, own), answers(t, attached)); diff != "" {
		t.Errorf("of the owner, over the wire (-local +attached):\n%s", diff)
	}
}

func TestEachClientSeesItsOwnDocumentsAlsoWhenTheOwnerHasEnded(t *testing.T) {
	w := newTree(t, harbour)
	clients := []*client{w.open(), w.open(), w.open()}
	clients[0].index()
	names := []string{"Albatross", "Barnacle", "Cuttlefish"}
	for i, c := range clients {
		c.SetDocument(document("ship.go", "package harbour\n\nfunc "+names[i]+"() {}\n", 1))
		c.SetDocument(document("closed.go", "package harbour\n\nfunc Closed"+names[i]+"() {}\n", 1))
		if got := c.find("Closed" + names[i]); got == "" {
			t.Errorf("client %d does not find its document", i)
		}
		c.CloseDocument("closed.go")
	}
	for gone := range clients {
		for i, c := range clients[gone:] {
			for j, name := range names {
				if got := c.find(name); strings.Contains(got, name) != (gone+i == j) {
					t.Errorf("%d gone: client %d finds %s in %q", gone, gone+i, name, got)
				}
			}
			if got := c.find("Closed"); got != "" {
				t.Errorf("%d gone: client %d finds %q in a closed document", gone, gone+i, got)
			}
		}
		clients[gone].close()
	}
	w.open(func(o *attach.Options) { o.LockTimeout = time.Nanosecond }) // the lock is free
}

// A question counts in the version that was the latest when it was asked, whatever the
// client types meanwhile.
func TestAQuestionCountsInTheVersionOfItsMoment(t *testing.T) {
	w := newTree(t, harbour)
	w.open().index()
	attached := w.open()
	var asking sync.WaitGroup
	for version := range int32(200) {
		text := fmt.Sprintf("version %d", version)
		d := document("ship.go", text, version)
		attached.SetDocument(d)
		asking.Go(func() {
			q := api.ChunksQuestion{TextDocument: api.TextDocument{Path: "ship.go", Document: d}}
			chunks, err := attached.Chunks(t.Context(), q)
			if err != nil || !strings.HasPrefix(chunks.Chunks[0].Content, text+" of") {
				t.Errorf("asked of version %d: %+v, %v", version, chunks, err)
			}
			if q.TextDocument.Document != d {
				t.Error("the caller's question has changed")
			}
		})
	}
	asking.Wait()
}

func TestErrorsKeepTheirIdentityOverTheWire(t *testing.T) {
	w := newTree(t, harbour)
	own, attached := w.open(), w.open()
	own.index()
	for query, want := range map[string]error{
		"a question": api.ErrQuestion, "a full disk": api.ErrFull, "a read-only disk": api.ErrUnwritable, "an error": nil,
	} {
		_, here := own.Search(t.Context(), api.SearchQuestion{Query: query})
		_, err := attached.Search(t.Context(), api.SearchQuestion{Query: query})
		if err == nil || err.Error() != here.Error() {
			t.Errorf("%s: %v, want the text of %v", query, err, here)
		}
		for _, is := range []error{api.ErrQuestion, api.ErrFull, api.ErrUnwritable, api.ErrDamaged, context.Canceled} {
			if errors.Is(err, is) != (is == want) {
				t.Errorf("%s: %v is %v: %t", query, err, is, errors.Is(err, is))
			}
		}
	}
	_, err := attached.Search(t.Context(), api.SearchQuestion{Query: "a file outside"})
	if !errors.Is(err, api.ErrOutside) || !errors.Is(err, api.ErrQuestion) {
		t.Errorf("a file outside: %v, want %v", err, api.ErrOutside)
	}
	_, err = attached.Search(t.Context(), api.SearchQuestion{Query: "a field"})
	if field, ok := errors.AsType[*api.FieldError](err); !ok || *field != (api.FieldError{Field: "budget", Reason: "use more"}) || !errors.Is(err, api.ErrQuestion) {
		t.Errorf("a field: %v, want the field and %v", err, api.ErrQuestion)
	}
	over := errors.New("over")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(over)
	if _, err = attached.Search(ctx, api.SearchQuestion{Query: "sail"}); !errors.Is(err, over) {
		t.Errorf("a cancelled search: %v, want %v", err, over)
	}
	if _, err = attached.Search(t.Context(), api.SearchQuestion{Query: "panic"}); err == nil || !strings.Contains(err.Error(), "panicked in search") {
		t.Errorf("a panic: %v, want the method", err)
	}
	for _, is := range []error{api.ErrDamaged, context.Canceled, context.DeadlineExceeded} {
		if _, back := attach.WireError(fmt.Errorf("what: %w", is)); !errors.Is(back, is) || back.Error() != "what: "+is.Error() {
			t.Errorf("%v comes back as %v", is, back)
		}
	}
}

func TestTheBudgetIsTheClientsOwn(t *testing.T) {
	w := newTree(t, harbour)
	w.open(func(o *attach.Options) { o.Budget, o.DocumentsBudget = 1111, 2222 })
	attached := w.open(func(o *attach.Options) { o.Budget, o.DocumentsBudget = 3333, 4444 })
	for _, tt := range []struct {
		q    api.Question
		want string
	}{
		{api.Question{Query: "sail"}, "Budget:3333 DocumentsBudget:4444"},
		{api.Question{Query: "sail", Budget: 5}, "Budget:5 DocumentsBudget:0"},
	} {
		if a, err := attached.Context(t.Context(), tt.q); err != nil || !strings.Contains(a.Text, tt.want) {
			t.Errorf("Context answers %+v, %v; want %s", a, err, tt.want)
		}
		if e, err := attached.Explain(t.Context(), api.ExplainQuestion{Question: tt.q}); err != nil || !strings.Contains(e.Identifier, tt.want) {
			t.Errorf("Explain answers %+v, %v; want %s", e, err, tt.want)
		}
	}
}

func TestQuestionsOfTheMomentTheOwnerEndsAreAnswered(t *testing.T) {
	if testing.Short() {
		t.Skip("eight rounds of takeovers")
	}
	for round := range 8 {
		w := newTree(t, harbour)
		own, attached := w.open(), w.open()
		own.index()
		gone := make(chan struct{})
		var asking sync.WaitGroup
		for range 8 {
			asking.Go(func() {
				for last := false; !last; {
					select {
					case <-gone:
						last = true
					default:
					}
					if _, err := attached.Search(t.Context(), api.SearchQuestion{Query: "Sail"}); err != nil {
						t.Errorf("round %d: %v", round, err)
						return
					}
				}
			})
		}
		own.close()
		close(gone)
		asking.Wait()
		attached.close()
	}
}

func TestAnIndexThatCannotBeOpenedIsReported(t *testing.T) {
	w := newTree(t, harbour)
	broken := errors.New("broken")
	o := w.options()
	if _, err := attach.Open(t.Context(), w.dir, opener{root: w.dir, fail: broken}, o); !errors.Is(err, broken) {
		t.Errorf("Open = %v, want %v", err, broken)
	}
	w.open(func(o *attach.Options) { o.LockTimeout = time.Nanosecond }) // the lock is free
}

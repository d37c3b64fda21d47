package attach_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"ambit/server/assemble"
	"ambit/server/attach"
	"ambit/server/config"
	"ambit/server/format"
	"ambit/server/session"
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
	w := &tree{t, t.TempDir(), t.TempDir()}
	for path, text := range files {
		w.write(path, text)
	}
	return w
}

// write writes a file as if it were some time ago, so that its time can be trusted.
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
func (w *tree) options() attach.Options {
	set := config.Defaults()
	set.CacheDir = w.cache
	return attach.Options{Session: session.Options{Settings: &set, LongLived: true}, Build: "this", Cost: format.CostOf}
}

// open opens a client, which is closed when the test ends unless it is before.
func (w *tree) open(edit ...func(*attach.Options)) *client {
	w.t.Helper()
	o := w.options()
	for _, e := range edit {
		e(&o)
	}
	c, err := attach.Open(w.t.Context(), w.dir, o)
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
	results, err := k.Search(k.t.Context(), session.Search{Query: query})
	if err != nil {
		k.t.Fatalf("Search(%q): %v", query, err)
	}
	var names []string
	for _, r := range results.Results {
		names = append(names, r.Path+" "+r.Identifier)
	}
	return strings.Join(names, ", ")
}

// owner returns who owns the index.
func (k *client) owner() attach.Owner {
	k.t.Helper()
	o, err := k.Owner(k.t.Context())
	if err != nil {
		k.t.Fatalf("Owner: %v", err)
	}
	return o
}

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

// answers asks everything there is to ask.
func answers(t *testing.T, w attach.Workspace) map[string]any {
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
	open := session.NewBuffer("ship.go", "go", []byte(sailing))
	w.SetBuffer(open)
	w.SetBuffer(session.NewBuffer("untitled:1", "go", []byte("package p\n\nfunc Drift() {}\n")))
	inBuffer := session.Place{File: "ship.go", Offset: strings.Index(sailing, "Row()"), Buffer: open}
	other := session.Place{File: "ship.go", Offset: 20, Buffer: session.NewBuffer("ship.go", "go", []byte("package harbour\n\nfunc Anchor() int { return pull(nil) }\n"))}
	onDisk := session.Place{File: "crew.go", Offset: strings.Index(harbour["crew.go"], "pull")}
	for _, style := range []format.Style{format.Plain, format.XML, format.Markdown, format.Human, format.HumanColour, format.JSON} {
		q := session.Question{Query: "how does a ship sail?", Budget: 900, Cost: format.Cost(style)}
		bundle, err := w.Context(ctx, q)
		note(fmt.Sprint("words as ", style, q.Cost.Style))(bundle, err)
	}
	for name, q := range map[string]session.Question{
		"a buffer":       {At: &inBuffer},
		"another text":   {At: &other},
		"a file":         {File: "crew.go", Line: 6, Column: 6, Include: []string{"*.go"}, Exclude: []string{"docs/"}},
		"an odd name":    {File: "odd\xff.go", Line: 3, Column: 6},
		"a small budget": {At: &onDisk, Budget: 120, Encoding: "cl100k_base"},
		"no such file":   {File: "gone.go", Line: 1, Column: 1},
		"a bad budget":   {Query: "sail", Budget: -1},
		"a bad encoding": {Query: "sail", Encoding: "morse"},
	} {
		q.Cost = format.Cost(format.XML)
		bundle, err := w.Context(ctx, q)
		note("context of "+name)(bundle, err)
		e, err := w.Explain(ctx, q, session.Target{Identifier: "pull"})
		note("explain "+name)(e, err)
	}
	results, err := w.Search(ctx, session.Search{Query: "pull sail drift"})
	note("search")(results, err)
	results, err = w.Search(ctx, session.Search{Query: "sail", Tags: []string{"sea"}, Limit: 2})
	note("search of documents")(results, err)
	results, err = w.Search(ctx, session.Search{Query: "sail", Path: "nowhere"})
	note("search of nothing")(results, err)
	for name, at := range map[string]session.Place{"a buffer": inBuffer, "another text": other, "a file": onDisk, "nothing": {File: "crew.go"}} {
		results, err := w.Related(ctx, at, 5)
		note("related of "+name)(results, err)
		card, err := w.Card(ctx, at)
		note("card of "+name)(card, err)
	}
	for _, path := range []string{"ship.go", "crew.go", "odd\xff.go", "docs/ships.md", "big.bin", "gone.go", "untitled:1"} {
		chunks, content, err := w.Chunks(ctx, path)
		note("chunks of "+path)([]any{chunks, content}, err)
		pieces, err := w.Pieces(ctx, path)
		note("pieces of "+path)(pieces, err)
		text, err := w.Text(ctx, path)
		note("text of "+path)(text, err)
	}
	st, err := w.Status(ctx)
	note("status")(st, err)
	st, err = w.Stored(ctx)
	note("stored")(st, err)
	return all
}

func TestAnAnswerIsTheSameFromHereAndFromTheOwner(t *testing.T) {
	w := newTree(t, harbour)
	own, attached := w.open(), w.open()
	own.index()
	if o := attached.owner(); o.Self || o.PID != os.Getpid() || o.Clients != 1 {
		t.Fatalf("the second client says %+v, want it to be attached to the first", o)
	}
	set := config.Defaults()
	set.CacheDir = t.TempDir()
	alone, err := session.Open(t.Context(), w.dir, session.Options{Settings: &set, LongLived: true})
	if err != nil {
		t.Fatal(err)
	}
	defer alone.Close()
	if _, err := alone.Index(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	want := answers(t, own)
	if diff := cmp.Diff(want, answers(t, attached)); diff != "" {
		t.Errorf("of the owner, over the wire (-local +attached):\n%s", diff)
	}
	got := answers(t, alone)
	for _, all := range []map[string]any{got, want} { // where the index lies
		delete(all, "status")
		delete(all, "stored")
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("of a session without owner (-alone +local):\n%s", diff)
	}
}

func TestEachClientSeesItsOwnBuffersAlsoWhenTheOwnerHasGone(t *testing.T) {
	w := newTree(t, harbour)
	clients := []*client{w.open(), w.open(), w.open()}
	clients[0].index()
	names := []string{"Albatross", "Barnacle", "Cuttlefish"}
	for i, c := range clients {
		c.SetBuffer(session.NewBuffer("ship.go", "go", []byte("package harbour\n\nfunc "+names[i]+"() {}\n")))
	}
	for gone := range clients {
		for i, c := range clients[gone:] {
			for j, name := range names {
				if got := c.find(name); strings.Contains(got, name) != (gone+i == j) {
					t.Errorf("%d gone: client %d finds %s in %q", gone, gone+i, name, got)
				}
			}
		}
		clients[gone].close()
	}
	w.open(func(o *attach.Options) { o.Session.LockTimeout = time.Nanosecond }) // the lock is free
}

func TestErrorsAreToldApartOverTheWire(t *testing.T) {
	w := newTree(t, harbour)
	w.open().index()
	attached := w.open()
	_, err := attached.Text(t.Context(), "gone.go")
	if !errors.Is(err, session.ErrQuestion) || errors.Is(err, assemble.ErrBudget) {
		t.Errorf("the text of no file: %v, want %v", err, session.ErrQuestion)
	}
	_, err = attached.Context(t.Context(), session.Question{Query: "sail", Budget: -1, Cost: format.Cost(format.Plain)})
	if !errors.Is(err, assemble.ErrBudget) || errors.Is(err, session.ErrQuestion) {
		t.Errorf("a budget below 1: %v, want %v", err, assemble.ErrBudget)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err = attached.Search(ctx, session.Search{Query: "sail"}); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled search: %v, want %v", err, context.Canceled)
	}
}

// Every field that a question, an answer or a setting gets is sent, or refused here.
func TestEveryMessageCanBeSpelled(t *testing.T) {
	for name, types := range attach.Methods() {
		for _, typ := range types {
			if _, err := attach.Spelling(typ); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if p := attach.Protocol(); p != attach.Protocol() || len(p) < 10 {
		t.Errorf("got protocol %q, want the same name each time", p)
	}
	interfaces := reflect.TypeFor[attach.Workspace]()
	here := map[string]bool{"Root": true, "Notice": true, "Close": true}
	for i := range interfaces.NumMethod() {
		name := interfaces.Method(i).Name
		if _, ok := attach.Methods()[name]; !ok && !here[name] {
			t.Errorf("%s of a workspace cannot be asked over the wire", name)
		}
	}
}

func TestQuestionsOfTheMomentTheOwnerGoesAreAnswered(t *testing.T) {
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
					if _, err := attached.Search(t.Context(), session.Search{Query: "Sail"}); err != nil {
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

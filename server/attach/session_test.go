package attach_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"ambit/server/api"
	"ambit/server/attach"
	"ambit/server/config"
	"ambit/server/session"
	"ambit/server/workspace"
	"ambit/vectors/record"
)

// sessions opens the indexes of a tree as the program does.
type sessions struct {
	w       *tree
	rebuild bool
}

func (s sessions) IndexPath(cacheDir string) (string, error) {
	return workspace.IndexPath(s.w.dir, cacheDir, "this")
}

func (s sessions) OpenIndex(ctx context.Context, path string) (attach.Index, error) {
	return session.Open(ctx, s.w.dir, s.options(path))
}

func (s sessions) options(path string) session.Options {
	set := config.Defaults()
	set.CacheDir = s.w.cache
	return session.Options{Settings: &set, LongLived: true, Index: path, Build: "this", Rebuild: s.rebuild}
}

// openSession opens a client of a session.
func (w *tree) openSession(edit ...func(*attach.Options)) *client {
	w.t.Helper()
	return w.openWith(sessions{w: w}, edit...)
}

func TestAnAnswerOfASessionIsTheSameFromHereAndFromTheOwner(t *testing.T) {
	w := newTree(t, harbour)
	own, attached := w.openSession(), w.openSession()
	own.index()
	if st := attached.status(); attached.owns() || st.OwnerPID != os.Getpid() || st.Clients != 1 {
		t.Fatalf("the second client says %+v, want it to be attached to the first", st)
	}
	alone, err := session.Open(t.Context(), w.dir, sessions{w: &tree{t, w.dir, t.TempDir()}}.options(""))
	if err != nil {
		t.Fatal(err)
	}
	defer alone.Close()
	only := alone.NewClient()
	defer only.Close()
	if _, err := only.Index(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	want := answers(t, own)
	if diff := gocmp.Diff(want, answers(t, attached)); diff != "" {
		t.Errorf("of the owner, over the wire (-local +attached):\n%s", diff)
	}
	got := answers(t, only)
	for _, all := range []map[string]any{got, want} { // where the index lies
		delete(all, "status false")
		delete(all, "status true")
	}
	if diff := gocmp.Diff(got, want); diff != "" {
		t.Errorf("of a session without owner (-alone +local):\n%s", diff)
	}
}

func TestErrorsOfASessionAreToldApartOverTheWire(t *testing.T) {
	w := newTree(t, harbour)
	w.openSession().index()
	attached := w.openSession()
	_, err := attached.Chunks(t.Context(), api.ChunksQuestion{TextDocument: api.TextDocument{Path: "gone.go"}})
	if _, field := errors.AsType[*api.FieldError](err); !errors.Is(err, api.ErrQuestion) || field {
		t.Errorf("the chunks of no file: %v, want %v", err, api.ErrQuestion)
	}
	_, err = attached.Context(t.Context(), api.Question{Query: "sail", Budget: -1})
	if _, field := errors.AsType[*api.FieldError](err); !field {
		t.Errorf("a budget below 1: %v, want the field", err)
	}
}

func TestAllClientsOfASessionSeeOneRunAndItGoesOnWithTheNextOwner(t *testing.T) {
	w := newTree(t, harbour)
	clients := []*client{w.openSession(), w.openSession(), w.openSession()}
	var await []func(string, func(api.State) bool)
	var stop []func()
	for _, k := range clients {
		a, s := k.follow()
		await, stop = append(await, a), append(stop, s)
	}
	n := 0
	for _, a := range await {
		a("ready", func(st api.State) bool { n = st.Files; return st.State == api.StateReady })
	}
	for gone := range clients[1:] {
		stop[gone]()
		clients[gone].close()
		name := fmt.Sprintf("new%d.go", gone)
		w.write(name, "package harbour\n\nfunc Wharf() {}\n")
		clients[len(clients)-1].Changed([]record.Path{record.Path(name)})
		n++
		for _, a := range await[gone+1:] {
			a("ready with a new file", func(st api.State) bool { return st.State == api.StateReady && st.Files == n })
		}
	}
	if k := clients[len(clients)-1]; !k.owns() || k.status().Clients != 0 {
		t.Errorf("the last client says %+v, want it to own the index alone", k.status())
	}
}

func TestAClientThatWaitsForASessionSeesHowFarItIs(t *testing.T) {
	files := map[string]string{".git/HEAD": "ref: refs/heads/main\n"}
	for i := range 40 {
		files[fmt.Sprintf("f%02d.go", i)] = fmt.Sprintf("package p\n\nfunc Work%d() {}\n", i)
	}
	w := newTree(t, files)
	own, second, third := w.openSession(), w.openSession(), w.openSession()
	working, goOn := make(chan bool), make(chan bool)
	done := make(chan error, 2)
	go func() {
		_, err := own.Index(t.Context(), func(p api.Progress) {
			if p.Done == 10 {
				working <- true
				<-goOn
			}
		})
		done <- err
	}()
	<-working
	await, _ := second.follow()
	await("indexing", func(st api.State) bool { return st.State == api.StateIndexing && st.Done == 10 && st.Total == 40 })
	seen := make(chan api.Progress, 1000)
	go func() {
		_, err := third.Index(t.Context(), func(p api.Progress) { seen <- p })
		done <- err
	}()
	if p := <-seen; p.Phase != "indexing" || p.Done < 10 || p.Total != 40 {
		t.Errorf("the waiting client sees %+v, want that 10 of 40 files are done", p)
	}
	close(goOn)
	for range 2 {
		if err := <-done; err != nil {
			t.Errorf("Index: %v", err)
		}
	}
	await("ready", func(st api.State) bool { return st.State == api.StateReady && st.Files == 40 })
	var progress []api.Progress
	again, err := third.Reindex(t.Context(), api.ReindexQuestion{Path: "f07.go"}, func(p api.Progress) { progress = append(progress, p) })
	if again.Files != 1 || err != nil || len(progress) == 0 {
		t.Errorf("Reindex: %d files, %v, progress %+v; want 1", again.Files, err, progress)
	}
}

func TestAPauseOfASessionIsForAllClientsAndOutlastsTheOwner(t *testing.T) {
	w := newTree(t, harbour)
	own, second, third := w.openSession(), w.openSession(), w.openSession()
	await, stop := own.follow()
	await("ready", named(api.StateReady))
	second.Pause()
	await("paused", named(api.StatePaused))
	third.Resume()
	await("resumed by another", named(api.StateReady))
	second.Pause()
	await("paused again", named(api.StatePaused))
	second.close()
	await("resumed when its maker has closed", named(api.StateReady))
	stop()
	await, _ = third.follow()
	third.Pause()
	await("paused", named(api.StatePaused))
	own.close()
	await("paused by the next owner", func(st api.State) bool { return st.State == api.StatePaused && third.owns() })
}

func TestRebuildingForgetsOnceOnly(t *testing.T) {
	w := newTree(t, harbour)
	w.openSession().index()
	attached := w.openWith(sessions{w: w, rebuild: true})
	if attached.owns() {
		t.Error("the client owns the index, want it attached")
	}
	if got := attached.find("Sail"); !strings.Contains(got, "Ship.Sail") {
		t.Errorf("the index of another process was forgotten: %q", got)
	}
}

// spoil damages the index while it is open, and returns its path.
func (k *client) spoil() string {
	k.t.Helper()
	path := k.status().Index
	data, err := os.ReadFile(path)
	if err != nil {
		k.t.Fatal(err)
	}
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		k.t.Fatal(err)
	}
	const page = 4096 // two of them say where the others are
	used := len(bytes.TrimRight(data, "\x00"))
	if _, err := file.WriteAt(bytes.Repeat([]byte{0xa5}, used-2*page), 2*page); err != nil {
		k.t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		k.t.Fatal(err)
	}
	return path
}

// text returns the text of the chunks of a file.
func (k *client) text(path record.Path) (string, error) {
	chunks, err := k.Chunks(k.t.Context(), api.ChunksQuestion{TextDocument: api.TextDocument{Path: path}})
	if err != nil {
		return "", err
	}
	var text strings.Builder
	for _, c := range chunks.Chunks {
		text.WriteString(c.Content)
	}
	return text.String(), nil
}

func TestCallersNoticeNothingOfASessionThatIsDamaged(t *testing.T) {
	w := newTree(t, harbour)
	notes := make(chan string, 10)
	noting := func(o *attach.Options) { o.Notify = func(line string) { notes <- line } }
	owner, other := w.openSession(noting), w.openSession(noting)
	owner.index()
	other.index()
	want := other.find("sail the ship")
	index := owner.spoil()
	for range 2 {
		for _, k := range []*client{other, owner} {
			if got := k.find("sail the ship"); got != want {
				t.Errorf("found %q, want %q", got, want)
			}
			if text, err := k.text("ship.go"); err != nil || !strings.Contains(text, "Ship floats") {
				t.Errorf("Chunks: %q, %v", text, err)
			}
		}
	}
	if len(notes) != 1 {
		t.Errorf("%d notes, want one", len(notes))
	} else if note := <-notes; !strings.Contains(note, "was damaged") {
		t.Errorf("the note is %q", note)
	}
	kept, err := filepath.Glob(filepath.Join(filepath.Dir(index), "index.db.bad-*"))
	if len(kept) != 1 || err != nil {
		t.Errorf("kept %q, %v; want the damaged index once", kept, err)
	}
}

func TestASessionThatIsDamagedAgainIsRebuiltAfterAWait(t *testing.T) {
	w := newTree(t, harbour)
	notes := make(chan string, 10)
	own := w.openSession(func(o *attach.Options) { o.Notify = func(line string) { notes <- line } })
	own.index()
	found := own.find("sail the ship")
	own.spoil()
	if got := own.find("sail the ship"); got != found {
		t.Errorf("damaged once, it finds %q, want %q", got, found)
	}
	own.spoil()
	// Unless the machine takes a second over it, the error asks to wait.
	text, err := own.text("ship.go")
	if err == nil && !strings.Contains(text, "Ship floats") ||
		err != nil && !strings.Contains(err.Error(), "was damaged 2 times in a row, the next is begun in 1s; check the disk or choose another cache directory") {
		t.Errorf("damaged twice, it says %q, %v, want what to do", text, err)
	}
	for err != nil { // until the second is over
		_, err = own.Search(t.Context(), api.SearchQuestion{Query: "sail the ship"})
	}
	if got := own.find("sail the ship"); got != found {
		t.Errorf("damaged twice, it finds %q in the end, want %q", got, found)
	}
	if len(notes) != 1 {
		t.Errorf("%d notes, want one", len(notes))
	}
}

func TestAnEditAmidAStormIsInTheAnswerOfAnAttachedClientOrItSaysThatMoreWaits(t *testing.T) {
	const nFiles = 1200 // more than wait one by one
	w := newTree(t, harbour)
	owner, guest := w.openSession(), w.openSession()
	await, _ := owner.follow()
	await("ready", named(api.StateReady))
	for round := range 5 {
		for i := range nFiles {
			w.write(fmt.Sprintf("out/d%d/f%d.txt", i%20, i), fmt.Sprintf("round %d of file %d\n", round, i))
		}
		word := "Quokka" + string(rune('a'+round))
		w.write("edited.go", "package harbour\n\n// "+word+" hops.\nfunc "+word+"() {}\n")
		a, err := guest.Context(t.Context(), api.Question{Query: word})
		if err != nil {
			t.Fatal(err)
		}
		says := a.Freshness.State == api.StateIndexing && a.Freshness.Pending > 0
		if !says && !strings.Contains(a.Text, "func "+word) {
			t.Errorf("round %d: an edit is not in the answer, which says %+v:\n%s", round, a.Freshness, a.Text)
		}
	}
}

// median returns the median in microseconds.
func median(d []time.Duration) float64 {
	slices.Sort(d)
	return float64(d[len(d)/2].Nanoseconds()) / 1000
}

// took returns how long f takes.
func took(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

// BenchmarkOpen opens and closes the index of a small workspace, in turn as a session
// and as the owner that others could attach to, and reports what the latter adds; and
// how long it takes to attach.
func BenchmarkOpen(b *testing.B) {
	w := newTree(b, harbour)
	own := w.openSession()
	own.index()
	path := own.status().Index
	own.close()
	var alone, owning, attaching []time.Duration
	open := func() {
		c, err := attach.Open(b.Context(), w.dir, sessions{w: w}, w.options())
		if err != nil {
			b.Fatal(err)
		}
		c.Close()
	}
	for b.Loop() {
		alone = append(alone, took(func() {
			s, err := session.Open(b.Context(), w.dir, sessions{w: w}.options(path))
			if err != nil {
				b.Fatal(err)
			}
			s.Close()
		}))
		owning = append(owning, took(open))
	}
	own = w.openSession()
	for range len(alone) {
		attaching = append(attaching, took(open))
	}
	b.ReportMetric(median(alone), "session-µs")
	b.ReportMetric(median(owning)-median(alone), "owner-adds-µs")
	b.ReportMetric(median(attaching), "attach-µs")
	own.close()
}

// BenchmarkAnswer asks the same of the owner and over the wire, in turn, and reports
// what the wire adds.
func BenchmarkAnswer(b *testing.B) {
	w := newTree(b, harbour)
	own, attached := w.openSession(), w.openSession()
	own.index()
	q := api.Question{Query: "how does a ship sail?", Format: api.XML}
	var here, there []time.Duration
	for b.Loop() {
		for _, from := range []struct {
			*client
			took *[]time.Duration
		}{{own, &here}, {attached, &there}} {
			*from.took = append(*from.took, took(func() {
				if _, err := from.Context(b.Context(), q); err != nil {
					b.Fatal(err)
				}
			}))
		}
	}
	b.ReportMetric(median(here), "here-µs")
	b.ReportMetric(median(there)-median(here), "wire-adds-µs")
}

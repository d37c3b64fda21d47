package cli_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"ambit/indexer/watch/treetest"
	"ambit/server/lsp/lsptest"
)

const (
	soakSeeds = 2                // without AMBIT_SOAK
	soakDeeds = 40               // of a seed
	soakHangs = 10 * time.Minute // after which a seed counts as hanging; it takes seconds
)

// soak is a workspace that changes at random while servers share its index, questions are
// asked, servers are killed, clients leave in bad ways and the index is damaged. A seed
// determines the tree and what is done; how the processes interleave differs.
type soak struct {
	treetest.Author
	t       *testing.T
	d       *desk
	tree    *treetest.Tree
	editors []*resident
	spoiled bool
	before  []byte         // the index as it was earlier
	counts  map[string]int // of what happened in all seeds
}

// resident is an editor whose server is another process.
type resident struct {
	*lsptest.Editor
	process *exec.Cmd
	stderr  *bytes.Buffer
	open    map[string]int // the versions of the open documents
}

// AMBIT_SOAK sets for how long seeds are run, AMBIT_SEEDS the number of seeds, and
// AMBIT_SEED the first one.
func TestASoakEndsWithTheAnswersOfAFreshIndex(t *testing.T) {
	n, first, long := soakSeeds, uint64(1), time.Duration(0)
	for name, set := range map[string]func(text string) error{
		"AMBIT_SEEDS": func(text string) (err error) { n, err = strconv.Atoi(text); return err },
		"AMBIT_SEED":  func(text string) (err error) { first, err = strconv.ParseUint(text, 0, 64); return err },
		"AMBIT_SOAK":  func(text string) (err error) { long, err = time.ParseDuration(text); return err },
	} {
		if text := os.Getenv(name); text != "" {
			if err := set(text); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
	}
	counts := map[string]int{}
	start, seed := time.Now(), first
	for ; long > 0 && time.Since(start) < long || long == 0 && seed-first < uint64(n); seed++ {
		if !t.Run(strconv.FormatUint(seed, 10), func(t *testing.T) { runSoak(t, seed, counts) }) {
			t.Errorf("repeat it with AMBIT_SEED=%d AMBIT_SEEDS=1", seed)
		}
	}
	t.Logf("%d seeds from %d in %v", seed-first, first, time.Since(start).Round(time.Second))
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		t.Logf("%6d %s", counts[name], name)
	}
}

// deeds are what happens to the workspace, each as often as it is listed.
var deeds = []struct {
	name string
	do   func(s *soak)
}{
	{"changes of files", (*soak).change}, {"changes of files", (*soak).change}, {"changes of files", (*soak).change}, {"changes of files", (*soak).change},
	{"edits of documents", (*soak).edit}, {"edits of documents", (*soak).edit}, {"edits of documents", (*soak).edit},
	{"rounds of questions", (*soak).ask}, {"rounds of questions", (*soak).ask}, {"rounds of questions", (*soak).ask},
	{"commands", (*soak).command}, {"commands killed", (*soak).killCommand},
	{"directories of 200 files", (*soak).storm},
	{"servers killed", (*soak).kill}, {"clients gone", (*soak).leave},
	{"clients that do not read", (*soak).clog}, {"clients that die in a message", (*soak).die},
	{"indexes damaged", (*soak).spoil},
}

func runSoak(t *testing.T, seed uint64, counts map[string]int) {
	s := &soak{Author: treetest.NewAuthor(seed), t: t, d: newDesk(t, nil), counts: counts}
	s.d.dir += "/tree"
	s.d.uri += "/tree"
	s.tree = treetest.New(t, s.d.dir)
	s.tree.Git("init", "-q", "-b", "main")
	for range 20 {
		p := s.Path()
		s.tree.Write(p, s.Text(p))
	}
	hangs := time.AfterFunc(soakHangs, func() {
		t.Errorf("the seed hangs; the servers write their stacks")
		for _, e := range s.editors {
			_ = e.process.Process.Signal(syscall.SIGQUIT)
		}
	})
	defer hangs.Stop()
	if s.IntN(4) == 0 {
		defer s.load(2 + s.IntN(6))()
	}
	for range 1 + s.IntN(3) {
		s.hire()
	}
	for range soakDeeds {
		deed := deeds[s.IntN(len(deeds))]
		counts[deed.name]++
		deed.do(s)
		if t.Failed() {
			t.Logf("during %s", deed.name)
			break
		}
	}
	s.compare()
	s.end()
}

// load keeps processors busy until the caller calls stop.
func (s *soak) load(n int) (stop func()) {
	s.counts["seeds on a busy machine"]++
	var busy []*exec.Cmd
	for range n {
		c := exec.Command("sh", "-c", "while :; do :; done")
		must(s.t, c.Start())
		busy = append(busy, c)
	}
	return func() {
		for _, c := range busy {
			must(s.t, c.Process.Kill())
			_ = c.Wait() // reports the kill
		}
	}
}

// start starts an editor with a cache directory, "" for the one of the soak.
func (s *soak) start(cache string) *resident {
	e := &resident{process: exec.Command("ambit", "lsp"), stderr: &bytes.Buffer{}, open: map[string]int{}}
	e.process.Stderr = e.stderr
	if cache != "" {
		e.process.Env = append(os.Environ(), "XDG_CACHE_HOME="+cache)
	}
	e.Editor = lsptest.Launch(s.t, s.d.model, e.process)
	e.Begin(lsptest.Client{Folders: []string{s.d.uri}, Options: lsptest.Object{"statusNotifications": true}})
	return e
}

func (s *soak) hire() { s.editors = append(s.editors, s.start("")) }

// anyone returns the place of an editor.
func (s *soak) anyone() int { return s.IntN(len(s.editors)) }

// fire takes an editor that has ended from the list, and starts another one.
func (s *soak) fire(i int) {
	s.silent(s.editors[i])
	s.editors = slices.Delete(s.editors, i, i+1)
	s.hire()
}

// silent fails if a server that has ended wrote of a crash.
func (s *soak) silent(e *resident) {
	for _, sign := range []string{"panic", "fatal error", "goroutine "} {
		if strings.Contains(e.stderr.String(), sign) {
			s.t.Errorf("a server wrote to standard error:\n%s", e.stderr)
			return
		}
	}
}

// change changes files at random.
func (s *soak) change() {
	for _, step := range treetest.Plan(s.Uint64(), 1)[0] {
		s.tree.Do(step)
	}
}

// storm writes many files, or moves or removes a directory of many.
func (s *soak) storm() {
	dir := s.Pick([]string{"grove", "grove2"})
	switch s.IntN(3) {
	case 0:
		for i := range 200 {
			s.tree.Write(fmt.Sprintf("%s/%d/f%03d%s", dir, i%7, i, s.Pick(treetest.Extensions)), s.Text(".go"))
		}
	case 1:
		s.tree.Rename(dir, "grove3")
	default:
		must(s.t, os.RemoveAll(s.tree.Full(dir)))
	}
}

// file returns the path of a file, and its URI.
func (s *soak) file() (p, uri string) {
	for p = s.tree.Any(s.Author); strings.ContainsAny(p, " #%") || !utf8.ValidString(p); { // a URI has other bytes for these
		p = s.Path()
	}
	return p, s.d.uri + "/" + p
}

// edit opens, changes or closes documents of an editor.
func (s *soak) edit() {
	e := s.editors[s.anyone()]
	for range 1 + s.IntN(5) {
		p, uri := s.file()
		version, open := e.open[uri]
		switch {
		case !open:
			e.Open(uri, strings.TrimPrefix(filepath.Ext(p), "."), s.Text(p))
		case s.IntN(3) == 0:
			e.CloseDocument(uri)
			delete(e.open, uri)
			continue
		case s.IntN(2) == 0:
			e.Change(uri, version+1, lsptest.Whole(s.Text(p)))
		default:
			var edits []lsptest.Object
			for range 1 + s.IntN(30) {
				line := s.IntN(12)
				edits = append(edits, lsptest.Edit(line, s.IntN(9), line+s.IntN(2), s.IntN(9), s.Word()+"\n"))
			}
			e.Change(uri, version+1, edits...)
		}
		e.open[uri] = version + 1
	}
}

// question returns a question of any kind.
func (s *soak) question() (name string, argument lsptest.Object) {
	_, uri := s.file()
	place := lsptest.At(uri, s.IntN(15), s.IntN(12))
	switch s.IntN(6) {
	case 0:
		return "ambit.search", lsptest.Object{"query": s.Word()}
	case 1:
		return "ambit.context", lsptest.Object{"query": "how is the " + s.Lower() + " kept?"}
	case 2:
		return "ambit.related", place
	case 3:
		return "ambit.chunks", lsptest.Object{"textDocument": lsptest.Object{"uri": uri}}
	}
	return "ambit.context", place
}

// ask asks an editor some questions at once and cancels some of them. Each gets an answer.
func (s *soak) ask() {
	e := s.editors[s.anyone()]
	var asked []*lsptest.Pending
	for range 1 + s.IntN(8) {
		name, argument := s.question()
		asked = append(asked, e.GoCommand(name, argument))
		s.counts["questions"]++
	}
	for _, p := range asked {
		if s.IntN(6) == 0 {
			p.Cancel()
		}
	}
	for _, p := range asked {
		s.sane(e, p.Await(nil))
	}
}

// internalError is the code of errors that no client can explain.
const internalError = -32603

// sane fails on an error that a user could not understand. The end of the server ends the
// seed.
func (s *soak) sane(e *resident, err error) {
	wire, ok := errors.AsType[*lsptest.Error](err)
	switch {
	case err == nil:
		return
	case !ok:
		s.t.Fatalf("a question failed with %v; the server ended with %v and wrote:\n%s", err, e.Wait(), e.stderr)
	case wire.Code == internalError:
		s.t.Errorf("a question failed with %v", err)
	}
	s.counts["questions refused or cancelled"]++
}

// startCommand starts a command of the command line that any user could give.
func (s *soak) startCommand() (c *exec.Cmd, out *bytes.Buffer) {
	p, _ := s.file()
	args := [][]string{
		{"index"}, {"status", "--json"}, {"search", "--json", s.Word()}, {"context", "--json", "--query", "what is a " + s.Lower() + "?"},
		{"overview", "--json"}, {"chunks", "--json", p}, {"context", "--json", fmt.Sprintf("%s:%d", p, 1+s.IntN(9))},
	}[s.IntN(7)]
	c, out = exec.Command("ambit", append(args, "--root", s.d.dir)...), &bytes.Buffer{}
	c.Dir, c.Stdout, c.Stderr = s.d.dir, out, out
	must(s.t, c.Start())
	return c, out
}

// command runs a command to its end. It may fail, with a message.
func (s *soak) command() {
	c, out := s.startCommand()
	err := c.Wait()
	if err != nil && (c.ProcessState.ExitCode() > 2 || c.ProcessState.ExitCode() < 0 || !strings.HasPrefix(out.String(), "ambit")) || strings.Contains(out.String(), "goroutine ") {
		s.t.Errorf("%q: %v\n%s", c.Args, err, out)
	}
}

func (s *soak) killCommand() {
	c, _ := s.startCommand()
	kill := time.AfterFunc(time.Duration(s.Int64N(int64(200*time.Millisecond))), func() { _ = c.Process.Kill() })
	_ = c.Wait() // the command may have ended before
	kill.Stop()
}

func (s *soak) kill() {
	i := s.anyone()
	s.editors[i].Kill()
	s.fire(i)
}

// leave ends an editor in one of the ways in which editors end.
func (s *soak) leave() {
	i := s.anyone()
	e := s.editors[i]
	ended := make(chan error, 1)
	switch s.IntN(3) {
	case 0:
		go func() { ended <- e.Finish() }()
	case 1:
		e.Hangup()
		go func() { _ = e.Wait(); ended <- nil }()
	default:
		must(s.t, e.process.Process.Signal(syscall.SIGTERM))
		go func() { _ = e.Wait(); ended <- nil }()
	}
	select {
	case err := <-ended:
		if err != nil {
			s.t.Errorf("a server ended with %v", err)
		}
		s.fire(i)
	case <-time.After(soakEnds):
		s.t.Errorf("a server has not ended %v after its client", soakEnds)
	}
}

// soakEnds is far above the 2 s in which a server ends, as a seed can load the machine.
const soakEnds = time.Minute

// rude starts a server with a client that lets do send messages and then leaves.
func (s *soak) rude(do func(h *hanging)) {
	h := launch(s.t, "ambit", s.d.uri)
	do(h)
	h.endsBy(endings[s.Pick(slices.Sorted(maps.Keys(endings)))], soakEnds)
}

// clog lets a client ask a lot and read nothing.
func (s *soak) clog() {
	n := 1 + s.IntN(2000)
	s.rude(func(h *hanging) {
		for id := range n {
			body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"workspace/executeCommand","params":{"command":"ambit.search","arguments":[{"query":%q}]}}`, id+2, s.Word())
			h.send(body)
		}
	})
}

// die lets a client end in the middle of a message.
func (s *soak) die() {
	s.rude(func(h *hanging) {
		_, err := fmt.Fprintf(h.in, "Content-Length: %d\r\n\r\n{\"jsonrpc\":", 20+s.IntN(1<<20))
		must(s.t, err)
	})
}

// spoil damages the index that the servers use.
func (s *soak) spoil() {
	found, err := filepath.Glob(filepath.Join(os.Getenv("XDG_CACHE_HOME"), "ambit", "*", "index.db"))
	must(s.t, err)
	if len(found) == 0 {
		return // the server has just moved a damaged one aside
	}
	whole, err := os.ReadFile(found[0])
	if err != nil || len(whole) < 4*pageBytes {
		return // likewise, or a new one has just begun
	}
	before := s.before
	if len(before) < 4*pageBytes {
		before = whole
	}
	s.before, s.spoiled = whole, true
	damages[s.IntN(len(damages))].spoil(s.t, s.Rand, found[0], whole, before)
}

// compare compares the answers of all editors with those of a fresh index.
func (s *soak) compare() {
	for _, e := range s.editors {
		for uri := range e.open {
			e.CloseDocument(uri)
		}
	}
	before := s.listing()
	fresh := s.start(s.t.TempDir())
	fresh.Await("ambit/status", isReady(s.d.uri))
	s.d.ambit("index")
	for range 12 {
		name, argument := s.question()
		want := s.answer(fresh, name, argument)
		for i, e := range s.editors {
			got := s.answer(e, name, argument)
			for start := time.Now(); got != want && time.Since(start) < soakEnds; got = s.answer(e, name, argument) {
				s.counts["answers asked for again"]++ // until the server has seen what changed
			}
			if got != want {
				s.t.Errorf("editor %d, %s %v:\ngot  %s\nwant %s", i, name, argument, got, want)
			}
			s.counts["answers equal to those of a fresh index"]++
		}
	}
	if err := fresh.Finish(); err != nil {
		s.t.Errorf("the fresh server ended with %v", err)
	}
	s.silent(fresh)
	if after := s.listing(); after != before {
		s.t.Errorf("the servers changed the workspace:\n%s\nwas\n%s", after, before)
	}
}

// answer returns an answer, or an error, without what depends on the state of the index.
func (s *soak) answer(e *resident, name string, argument lsptest.Object) string {
	var answer json.RawMessage
	if err := e.Command(name, argument, &answer); err != nil {
		s.sane(e, err)
		return err.Error()
	}
	if !bytes.HasPrefix(answer, []byte("{")) {
		return string(answer)
	}
	return sound(s.t, string(answer))
}

// listing lists the tree with sizes, modes and times.
func (s *soak) listing() string {
	var b strings.Builder
	must(s.t, filepath.WalkDir(s.d.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err == nil {
			fmt.Fprintln(&b, path, info.Mode(), info.Size(), info.ModTime())
		}
		return err
	}))
	return b.String()
}

// end ends the editors and looks at what is left.
func (s *soak) end() {
	for _, e := range s.editors {
		files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", e.process.Process.Pid))
		must(s.t, err)
		s.counts["most open files of a server"] = max(s.counts["most open files of a server"], len(files))
		s.counts["most MB in memory of a server"] = max(s.counts["most MB in memory of a server"], memoryOf(s.t, e.process.Process.Pid))
		if err := e.Finish(); err != nil {
			s.t.Errorf("a server ended with %v", err)
		}
		s.silent(e)
	}
	if !s.spoiled { // otherwise it can have damage that nobody has met
		s.d.tidy()
	}
}

// memoryOf returns the resident memory of a process.
func memoryOf(t *testing.T, pid int) (mb int) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	must(t, err)
	_, rest, _ := strings.Cut(string(data), "VmRSS:")
	kb, err := strconv.Atoi(strings.Fields(rest)[0])
	must(t, err)
	return kb / 1024
}

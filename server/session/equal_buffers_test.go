package session_test

import (
	"fmt"
	"os"
	"path"
	"strings"
	"testing"
	"unicode/utf8"

	"ambit/indexer/watch"
	"ambit/indexer/watch/treetest"
	"ambit/vectors/record"
)

// buffers are the unsaved documents of an editor.
type buffers struct {
	g    *treetest.Tree
	s    *opened
	open map[string]string
}

// shuffle opens, edits and closes documents at random. It skips Ruby files, because the
// files that quote a concern or a schema follow only its saved text, and ignore files,
// because their rules apply only when saved.
func (d *buffers) shuffle(a treetest.Author) {
	for range 1 + a.IntN(4) {
		p := d.g.Any(a)
		if a.IntN(3) == 0 {
			p = a.Path()
		}
		if _, open := d.open[p]; open && a.IntN(2) == 0 {
			d.close(p)
			continue
		}
		text := a.Text(p)
		if data, err := os.ReadFile(d.g.Full(a.Pick(append(d.g.Files(), p)))); err == nil && a.IntN(3) == 0 {
			text = string(data) // the text of this file or of another
		}
		if path.Ext(p) == ".rb" || strings.HasPrefix(path.Base(p), ".") || !utf8.ValidString(text) || len(text) > maxBytes {
			continue
		}
		d.open[p] = text
		d.s.SetDocument(document(p, "", text))
	}
}

func (d *buffers) close(p string) {
	delete(d.open, p)
	d.s.CloseDocument(record.Path(p))
}

// saved closes the documents that no index contains, saves the others, calls f, and
// restores the tree.
func (d *buffers) saved(t *testing.T, f func()) {
	t.Helper()
	filter, err := watch.NewFilter(d.g.Dir, watch.Options{MaxBytes: maxBytes})
	if err != nil {
		t.Fatal(err)
	}
	for p, text := range d.open {
		info, err := os.Lstat(d.g.Full(p))
		old, readErr := os.ReadFile(d.g.Full(p))
		if err != nil || readErr != nil || !info.Mode().IsRegular() || os.WriteFile(d.g.Full(p), []byte(text), 0o644) != nil {
			d.close(p)
			continue
		}
		defer func() {
			d.g.Must(os.WriteFile(d.g.Full(p), old, 0o644))
			d.g.Must(os.Chtimes(d.g.Full(p), info.ModTime(), info.ModTime()))
		}()
	}
	for p := range d.open {
		if e, ok := filter.Entry(p); !ok || e.LeftOut != "" {
			d.close(p)
		}
	}
	f()
}

// proveOpen does the steps of a plan while it edits documents, and compares the answers
// with those of a new index of the tree in which all documents are saved.
func proveOpen(t *testing.T, steps [][]treetest.Step, seed uint64) string {
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
	s := openAt(t, dir, base+"/grown", false)
	defer func() { closeSession(t, s) }()
	index(t, s) // with the tree that Open scanned
	d := &buffers{g: g, s: s, open: map[string]string{}}
	for i, changes := range steps {
		for _, c := range changes {
			g.Do(c)
		}
		index(t, s)
		d.shuffle(a)
		var diff string
		asked := a.Uint64()
		d.saved(t, func() {
			fresh := openAt(t, dir, fmt.Sprintf("%s/fresh%d", base, i), false)
			defer closeSession(t, fresh)
			index(t, fresh)
			want := know(t, fresh, treetest.NewAuthor(asked))
			got := want
			got.Answers = map[string]any{}
			answers(t, s, treetest.NewAuthor(asked), &got)
			diff = difference(want, got)
		})
		if diff != "" {
			return fmt.Sprintf("after step %d with these documents open: %q (-saved +open):\n%s", i, d.open, diff)
		}
	}
	return ""
}

func TestOpenDocumentsAnswerLikeSavedFiles(t *testing.T) {
	const slow = 4 // each step builds an index
	n, first := seeds(t, equalSeeds)
	for i := range n / slow {
		seed := first + uint64(i)
		if diff := proveOpen(t, treetest.Plan(seed, equalSteps), seed); diff != "" {
			t.Fatalf("AMBIT_SEED=%d AMBIT_SEEDS=4: %s", seed, diff)
		}
	}
}

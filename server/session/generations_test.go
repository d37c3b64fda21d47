package session_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/indexer/watch/treetest"
	"ambit/server/api"
)

// changing are the kinds of changes after which the test can copy the tree.
var changing = []string{"write", "write", "edit", "edit", "copy", "rename", "remove", "move", "clear", "left", "ignore", "model", "concern"}

// asked is one question of a client and its answer.
type asked struct {
	seed       uint64 // of the question
	generation uint64 // of the answer, 0 for none
	answer     string // as JSON, without the root of the workspace
}

// openTexts are the open documents of the clients: the first client has none, the second
// a new file, the third another text of a file that some generations have.
var openTexts = []*api.Document{
	nil,
	document("cart/new.go", "go", "package cart\n\nimport \"example.com/shop/web\"\n\n// Cart is open.\ntype Cart struct{ Order }\n\nfunc (c Cart) Total() int { return Apply(c.Token) }\n"),
	document("main.go", "go", "package main\n\nfunc Render(s Session) Store { return s.Flush().Parse() }\n\nfunc Token() { Render(Order{}) }\n"),
}

// askRandom asks a client one question, which follows from the seed.
func askRandom(t *testing.T, s api.Workspace, open *api.Document, root string, seed uint64) asked {
	a := treetest.NewAuthor(seed)
	var answer any
	var generation uint64
	var err error
	query := a.Pick([]string{a.Word(), a.Lower() + " " + a.Lower(), "how is the " + a.Lower() + " kept?"})
	at := api.Question{Query: query}
	if open != nil && a.IntN(2) == 0 {
		lines := strings.Split(open.Text, "\n")
		line := a.IntN(len(lines))
		at = api.Question{TextDocument: &api.TextDocument{Path: open.Path}, Position: &api.Position{Line: line, Character: a.IntN(len(lines[line]) + 1)}}
	}
	place, isPlace := at.Place()
	switch kind := a.IntN(4); {
	case kind == 0:
		var m *api.Matches
		if m, err = s.Search(t.Context(), api.SearchQuestion{Query: query, Limit: 30}); err == nil {
			generation, answer = m.Freshness.Generation, m.Results
		}
	case kind == 1 && isPlace:
		var m *api.Matches
		if m, err = s.Related(t.Context(), api.RelatedQuestion{Place: place}); err == nil {
			generation, answer = m.Freshness.Generation, m.Results
		}
	default:
		at.Format, at.Budget = api.XML, 2000
		var c *api.Answer
		if c, err = s.Context(t.Context(), at); err == nil {
			generation, c.Freshness = c.Freshness.Generation, api.Freshness{}
			answer = c
		}
	}
	if err != nil {
		t.Errorf("seed %d: %v", seed, err)
	}
	text, err := json.Marshal(answer)
	if err != nil {
		t.Error(err)
	}
	return asked{seed, generation, strings.ReplaceAll(string(text), root, "")}
}

// texts returns the files of a tree.
func texts(g *treetest.Tree) map[string]string {
	texts := map[string]string{}
	for _, p := range g.Files() {
		data, err := os.ReadFile(g.Full(p))
		g.Must(err)
		texts[p] = string(data)
	}
	return texts
}

// TestAnswersBetweenBatchesEqualThoseOfAFreshIndex lets clients ask while batches are
// indexed. It compares each answer, to the byte, with the answer of a new index of the
// tree at the same generation.
func TestAnswersBetweenBatchesEqualThoseOfAFreshIndex(t *testing.T) {
	const (
		batches    = 12
		questions  = 60 // maximum for a client
		seedsShort = 3
	)
	n, first := seeds(t, seedsShort)
	compared, named := 0, map[uint64]bool{}
	for seed := first; seed < first+uint64(n); seed++ {
		base := t.TempDir()
		g := treetest.New(t, filepath.Join(base, "tree"))
		a := treetest.NewAuthor(seed)
		for range 30 {
			p := a.Path()
			g.Write(p, a.Text(p))
		}
		s := openAt(t, g.Dir, base+"/cache", false)
		index(t, s)
		trees := map[uint64]map[string]string{generationOf(t, s): texts(g)}
		answers := make([][]asked, len(openTexts))
		done := make(chan struct{})
		var all sync.WaitGroup
		for i, open := range openTexts {
			client := s.session.NewClient()
			if open != nil {
				client.SetDocument(open)
			}
			all.Go(func() {
				b := treetest.NewAuthor(seed ^ uint64(i)<<32)
				for range questions {
					select {
					case <-done:
						return
					default:
						answers[i] = append(answers[i], askRandom(t, client, open, g.Dir, b.Uint64()))
					}
				}
			})
		}
		for range batches {
			for range 1 + a.IntN(4) {
				g.Do(treetest.Step{Kind: a.Pick(changing), Seed: a.Uint64()})
			}
			index(t, s)
			trees[generationOf(t, s)] = texts(g)
		}
		close(done)
		all.Wait()
		closeSession(t, s)
		for generation, files := range trees {
			compared += compareWithFresh(t, fmt.Sprintf("%s/%d", base, generation), files, seed, generation, answers)
			named[generation] = true
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("%d answers of %d generations compared", compared, len(named))
	if compared < n*len(openTexts) {
		t.Error("too few answers were compared")
	}
}

func generationOf(t *testing.T, s *opened) uint64 {
	t.Helper()
	st, err := s.Status(t.Context(), api.StatusQuestion{})
	if err != nil {
		t.Fatal(err)
	}
	return st.Generation
}

// compareWithFresh compares the answers of a generation with those of a new index of its
// files, and returns the number of answers.
func compareWithFresh(t *testing.T, base string, files map[string]string, seed, generation uint64, answers [][]asked) (n int) {
	t.Helper()
	g := treetest.New(t, base)
	for p, text := range files {
		g.Write(p, text)
	}
	s := openAt(t, g.Dir, base+".cache", false)
	defer closeSession(t, s)
	index(t, s)
	for i, open := range openTexts {
		client := s.session.NewClient()
		if open != nil {
			client.SetDocument(open)
		}
		for _, x := range answers[i] {
			if x.generation != generation {
				continue
			}
			n++
			if fresh := askRandom(t, client, open, g.Dir, x.seed); fresh.answer != x.answer {
				t.Errorf("AMBIT_SEED=%d AMBIT_SEEDS=1: question %d of client %d at generation %d (-fresh +amid):\n%s",
					seed, x.seed, i, generation, cmp.Diff(indented(fresh.answer), indented(x.answer)))
				return n
			}
		}
	}
	return n
}

// indented returns JSON in indented lines.
func indented(text string) string {
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		return text
	}
	out, _ := json.MarshalIndent(v, "", " ")
	return string(out)
}

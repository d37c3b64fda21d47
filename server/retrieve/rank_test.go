package retrieve_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/server/api"
	"ambit/server/retrieve"
	"ambit/vectors/record"
)

const (
	moduleRoot    = "../.."
	questionsFile = moduleRoot + "/testdata/rank/questions.json"
	rankFile      = moduleRoot + "/testdata/rank/want.txt"
)

// rankedModules are the modules over whose sources the questions are. They change only
// with go.mod and are on disk once ambit's tests are built.
var rankedModules = []string{"go.etcd.io/bbolt", "github.com/yuin/goldmark"}

// rankQuestion is one question over the sources of the ranked modules.
type rankQuestion struct {
	Kind     string // symbol, behaviour or architecture
	Question string
	Answers  []string // files, any of which answers
}

// TestTheRankOfAnswersIsTheGoldenOne asks questions over the sources of two modules.
// The golden file holds the class, one of four, of the first right answer; a commit that
// moves one gives the reason. The flag -update rewrites the file.
func TestTheRankOfAnswersIsTheGoldenOne(t *testing.T) {
	data, err := os.ReadFile(questionsFile)
	if err != nil {
		t.Fatal(err)
	}
	var questions []rankQuestion
	if err := json.Unmarshal(data, &questions); err != nil {
		t.Fatal(err)
	}
	sources := moduleSources(t)
	ix := newWorkspace(t, sources).index()
	var b strings.Builder
	figures := map[string]*figure{}
	for _, q := range questions {
		for _, answer := range q.Answers {
			if !slices.ContainsFunc(sources, func(f file) bool { return f.path == answer }) {
				t.Errorf("%q: there is no %s", q.Question, answer)
			}
		}
		matches, err := retrieve.Search(t.Context(), ix, retrieve.Question{Query: q.Question})
		if err != nil {
			t.Fatal(err)
		}
		ranks := ranksOf(q.Answers, matches)
		fmt.Fprintf(&b, "%-4s %s: %s\n", class(ranks), q.Kind, q.Question)
		for _, kind := range []string{q.Kind, "all"} {
			if figures[kind] == nil {
				figures[kind] = &figure{}
			}
			figures[kind].add(ranks, len(q.Answers))
		}
	}
	for _, kind := range []string{"symbol", "behaviour", "architecture", "all"} {
		t.Logf("%s: %s", kind, figures[kind])
	}
	got := b.String()
	if flag.Lookup("update").Value.String() == "true" {
		if err := os.WriteFile(rankFile, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(rankFile)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
		t.Errorf("answers moved; is it meant, use -update and say why (-want +got):\n%s", diff)
	}
	const leastNDCG = 0.82 // reveals a slow decline
	if got := figures["all"].ndcg(); got < leastNDCG {
		t.Errorf("NDCG@10 = %.2f, want at least %.2f", got, leastNDCG)
	}
}

// moduleSources reads the Go files of the ranked modules, without tests: a question
// over tests would match itself. Their paths start with the last name of the module.
func moduleSources(t testing.TB) []file {
	out, err := exec.Command("go", append([]string{"list", "-m", "-f", "{{.Dir}}"}, rankedModules...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	var files []file
	for i, dir := range strings.Fields(string(out)) {
		module := path.Base(rankedModules[i])
		err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if name != "." && (strings.HasPrefix(d.Name(), ".") || strings.HasPrefix(d.Name(), "_")) {
				if d.IsDir() {
					return fs.SkipDir
				}
				return nil
			}
			if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
				return nil
			}
			content, err := os.ReadFile(filepath.Join(dir, name))
			files = append(files, file{path.Join(module, name), content})
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// ranksOf returns the ranks, from 1, of the first match in each answer that is
// among the first ten.
func ranksOf(answers []string, matches []api.Match) []int {
	var ranks []int
	for _, a := range answers {
		for i, m := range matches {
			if m.Path == record.Path(a) {
				ranks = append(ranks, i+1)
				break
			}
		}
	}
	return ranks
}

// first returns the best of ranks, 0 when there is none.
func first(ranks []int) int {
	best := 0
	for _, r := range ranks {
		if best == 0 || r < best {
			best = r
		}
	}
	return best
}

// classes name the ranges of the first rank, best first.
var classes = []string{"1", "2-3", "4-10", "miss"}

func class(ranks []int) string {
	switch r := first(ranks); {
	case r == 0:
		return classes[3]
	case r == 1:
		return classes[0]
	case r <= 3:
		return classes[1]
	}
	return classes[2]
}

// figure sums up questions.
type figure struct {
	n                     int
	reciprocal, gain      float64
	recall1, recall3, all int
}

func (f *figure) add(ranks []int, nAnswers int) {
	f.n++
	if r := first(ranks); r > 0 {
		f.reciprocal += 1 / float64(r)
		f.all++
		if r <= 3 {
			f.recall3++
		}
		if r == 1 {
			f.recall1++
		}
	}
	ideal, gain := 0.0, 0.0
	for i := range min(nAnswers, 10) {
		ideal += 1 / math.Log2(float64(i+2))
	}
	for _, r := range ranks {
		gain += 1 / math.Log2(float64(r+1))
	}
	f.gain += gain / ideal
}

func (f *figure) ndcg() float64 { return f.gain / float64(f.n) }

func (f *figure) String() string {
	n := float64(f.n)
	return fmt.Sprintf("%d questions, recall@1 %.2f, recall@3 %.2f, recall@10 %.2f, MRR %.2f, NDCG@10 %.2f", f.n,
		float64(f.recall1)/n, float64(f.recall3)/n, float64(f.all)/n, f.reciprocal/n, f.ndcg())
}

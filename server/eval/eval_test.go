package eval_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/server/api"
	"ambit/server/eval"
	"ambit/vectors/record"
)

func TestRanksAreStrict(t *testing.T) {
	got := eval.Ranks([]int{1}, []int{2, 6}, []int{0})
	want := api.Ranks{
		Acc1: api.Figure{N: 3, Mean: 0.3333}, Acc5: api.Figure{N: 3, Mean: 0.3333}, Acc10: api.Figure{N: 3, Mean: 0.6667}, Rec10: api.Figure{N: 3, Mean: 0.6667},
		MRR: api.Figure{N: 3, Mean: 0.5}, NDCG10: api.Figure{N: 3, Mean: 0.5351},
	}
	for _, f := range []*api.Figure{&got.Acc1, &got.Acc5, &got.Acc10, &got.Rec10, &got.MRR, &got.NDCG10} {
		if f.Low > f.Mean || f.High < f.Mean || f.Low == f.High {
			t.Errorf("the interval %v does not hold its mean", *f)
		}
		f.Low, f.High = 0, 0
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTheIntervalIsThatOfTheMean(t *testing.T) {
	var values []float64
	for i := range 100 {
		values = append(values, float64(i%2))
	}
	got := eval.FigureOf(values...)
	if got.Mean != .5 || got.Low < .38 || got.Low > .42 || got.High < .58 || got.High > .62 { // .5 ± 1.96·.05
		t.Errorf("got %v, want .5 from about .4 to about .6", got)
	}
	if again := eval.FigureOf(values...); again != got {
		t.Errorf("got %v and then %v", got, again)
	}
	if got := eval.FigureOf(); got != (api.Figure{}) {
		t.Errorf("without a question: got %v", got)
	}
}

func TestAMessageIsAskedWithoutItsTrailers(t *testing.T) {
	for _, tt := range []struct{ name, message, want string }{
		{"subject", "Fix the parser (#123)\n", "Fix the parser"},
		{"body", "Fix it\n\nNote: keep this.\n\nSigned-off-by: A <a@b>\nCo-authored-by: B <b@b>\n", "Fix it\n\nNote: keep this."},
		{"cherry-pick", "Fix it\n\n(cherry picked from commit 12)", "Fix it"},
		{"empty", "\n", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := eval.MessageQuestion(tt.message); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

const twoFunctions = `func outer() {
	inner := func() {}
	inner()
}

var x = 1

func after() {
}
`

func TestLinesBelongToTheInnermostFunction(t *testing.T) {
	content := "package p\n\n" + twoFunctions
	for _, tt := range []struct {
		name        string
		first, last int
		insertion   bool
		want        []string
	}{
		{"a body", 5, 5, false, []string{"outer"}},
		{"between functions", 8, 8, false, nil},
		{"two functions", 3, 10, false, []string{"outer", "after"}},
		{"inserted in a body", 5, 5, true, []string{"outer"}},
		{"inserted below a function", 6, 6, true, nil},
		{"beyond the end", 90, 99, false, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := eval.ExpectedFunctions("p.go", content, tt.first, tt.last, tt.insertion)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAPieceFindsAFunctionThatIsMostOfIt(t *testing.T) {
	content := twoFunctions + strings.Repeat("\n", 100) // outer has lines 1 to 4
	for _, tt := range []struct {
		name   string
		pieces []record.Lines
		want   int
	}{
		{"itself", []record.Lines{{First: 8, Last: 9}, {First: 1, Last: 4}}, 2},
		{"a part of it", []record.Lines{{First: 2, Last: 3}}, 1},
		{"a short piece with all of it", []record.Lines{{First: 1, Last: 50}}, 1},
		{"a long piece with all of it", []record.Lines{{First: 1, Last: 100}}, 0},
		{"a piece with little of it", []record.Lines{{First: 4, Last: 9}}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := eval.FunctionRank("p.go", content, tt.pieces...); got != tt.want {
				t.Errorf("got rank %d, want %d", got, tt.want)
			}
		})
	}
}

// Every way to cut has all the text once, apart from ambit's summaries.
func TestEveryStrategyHasAllTheText(t *testing.T) {
	long := "package p\n\nimport \"fmt\"\n\n" + twoFunctions + "type T struct {\n" + strings.Repeat("\tField int // with some words\n", 200) + "}\n\n" +
		"func (t T) Long() {\n" + strings.Repeat("\tfmt.Println(t.Field)\n", 300) + "}\n"
	for path, content := range map[record.Path]string{
		"p.go":     long,
		"empty.go": "",
		"p.py":     "import a\n\nclass A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n\nx = 1\n",
		"line.js":  strings.Repeat("f(1);", 1000),
	} {
		for name, chunks := range eval.Cut(path, []byte(content)) {
			var b strings.Builder
			for i := range chunks {
				c := &chunks[i]
				if c.IsSummary {
					continue
				}
				b.Write(c.Text([]byte(content)))
				if n := c.Span.End - c.Span.Start; n > 2000 && (name == "500 tokens" || name == "plain AST") {
					t.Errorf("%s, %s: a chunk of %d bytes", path, name, n)
				}
			}
			if got, want := strings.Fields(b.String()), strings.Fields(content); !cmp.Equal(strings.Join(got, ""), strings.Join(want, "")) {
				t.Errorf("%s, %s: got %d words of %d", path, name, len(got), len(want))
			}
		}
	}
}

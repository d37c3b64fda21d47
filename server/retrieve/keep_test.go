package retrieve_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ambit/server/retrieve"
	"ambit/vectors/record"
)

// crowd is a workspace in which 2,500 functions answer better than the chunks that a
// filter keeps, and 400 files use a symbol that one document names.
func crowd(t *testing.T) *workspace {
	files := []file{
		{"docs/guide.md", []byte("---\nlayer: guides\ntags: [money, start]\n---\n# Guide\n\nSomewhere in here a cart is paid, says `Settle`.\n")},
		{"docs/other.md", []byte("---\nlayer: guides\ntags: [start]\n---\n# Other\n\nCarts are paid elsewhere.\n")},
		{"src/settle.go", []byte("package src\n\n// Settle settles.\nfunc Settle() {}\n")},
		{"src/cart.go", []byte("package src\n\n// CartPaid is about carts that are paid.\ntype CartPaid struct{ n int }\n")},
	}
	for i := range 250 {
		var text strings.Builder
		text.WriteString("package src\n")
		for j := range 10 {
			fmt.Fprintf(&text, "\n// PaidCart%d_%d pays the cart: a cart paid is a paid cart.\nfunc PaidCart%d_%d(cart int) int {\n%s\treturn cart\n}\n",
				i, j, i, j, strings.Repeat("\tSettle() // the cart is paid, the paid cart is a cart that was paid\n", 12))
		}
		files = append(files, file{fmt.Sprintf("src/paid%d.go", i), []byte(text.String())})
	}
	return newWorkspace(t, files)
}

func TestFilteredChunksRankAsIfThereWereNoOthers(t *testing.T) {
	w := crowd(t)
	below := func(dir string) func(record.Path) bool {
		return func(p record.Path) bool { return strings.HasPrefix(string(p), dir) }
	}
	const words = "where is a cart paid"
	tests := []struct {
		name     string
		question retrieve.Question
		want     []record.Path
	}{
		{"a directory", retrieve.Question{Query: words, Filter: retrieve.Filter{Path: below("docs/")}}, []record.Path{"docs/guide.md", "docs/other.md"}},
		{"a language", retrieve.Question{Query: words, Filter: retrieve.Filter{Language: "markdown"}}, []record.Path{"docs/guide.md", "docs/other.md"}},
		{"a kind", retrieve.Question{Query: words, Filter: retrieve.Filter{Kind: record.KindStruct}}, []record.Path{"src/cart.go"}},
		{"a kind that there is not", retrieve.Question{Query: words, Filter: retrieve.Filter{Kind: "gadget"}}, nil},
		{"a layer", retrieve.Question{Query: words, Filter: retrieve.Filter{Layer: "guides"}}, []record.Path{"docs/guide.md", "docs/other.md"}},
		{"tags", retrieve.Question{Query: words, Filter: retrieve.Filter{Tags: []string{"start", "money"}}}, []record.Path{"docs/guide.md"}},
		{"tags elsewhere", retrieve.Question{Query: words, Filter: retrieve.Filter{Tags: []string{"start"}, Path: below("src/")}}, nil},
		{"nothing", retrieve.Question{Query: words, Filter: retrieve.Filter{Path: below("gone/")}}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			matches, err := retrieve.Search(t.Context(), w.index(), tt.question)
			if err != nil {
				t.Fatal(err)
			}
			var got []record.Path
			best := 0.0
			seen := map[record.Path]bool{}
			for _, m := range matches {
				if !seen[m.Path] {
					seen[m.Path] = true
					got = append(got, m.Path)
				}
				for _, s := range m.Why {
					if s.Name == "lexical" {
						best = max(best, s.Score)
					}
				}
			}
			sort := func(a, b record.Path) bool { return a < b }
			if diff := cmp.Diff(tt.want, got, cmpopts.SortSlices(sort)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if tt.want != nil && best != 1 { // weights.Lexical: the score of the best hit
				t.Errorf("the best of the kept chunks has %g by words", best)
			}
		})
	}
}

func TestACursorFiltersFilesBeforeItCountsThem(t *testing.T) {
	w := crowd(t)
	settle := "src/settle.go"
	cur := retrieve.Cursor{Path: record.Path(settle), Offset: strings.Index("package src\n\n// Settle settles.\nfunc Settle() {}\n", "Settle()"),
		Keep: func(p record.Path) bool { return strings.HasPrefix(string(p), "docs/") }}
	r, err := retrieve.At(t.Context(), w.index(), cur)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range r.Candidates {
		if !strings.HasPrefix(string(c.Unit.Path), "docs/") {
			t.Errorf("%s %s is not to be kept", c.Role, c.Unit.Path)
		}
		got = append(got, fmt.Sprint(c.Role, " ", c.Unit.Path))
	}
	if len(got) == 0 || got[0] != "doc docs/guide.md" {
		t.Errorf("got %q, want the document that names it first", got)
	}
	if r.Symbol == nil || r.Symbol.Identifier != "Settle" {
		t.Errorf("the symbol is %+v", r.Symbol)
	}
}

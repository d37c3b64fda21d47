package answer_test

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"ambit/server/api"
	"ambit/server/config"
	"ambit/server/session"
	"ambit/vectors/record"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open indexes files and returns a client. The session is open until the test ends.
func open(t *testing.T, files map[string]string) api.Workspace {
	t.Helper()
	dir := t.TempDir()
	for path, text := range files {
		full := filepath.Join(dir, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(full), 0o700), os.WriteFile(full, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	set := config.Defaults()
	set.CacheDir = t.TempDir()
	s, err := session.Open(t.Context(), dir, session.Options{Settings: &set})
	if err != nil {
		t.Fatal(err)
	}
	client := s.NewClient()
	t.Cleanup(func() {
		if err := errors.Join(client.Close(), s.Close()); err != nil {
			t.Error(err)
		}
	})
	if _, err := client.Index(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	return client
}

// at returns a question about a line and a byte in it, both counted from 1.
func at(path record.Path, line, column int) api.Question {
	return api.Question{
		TextDocument:     &api.TextDocument{Path: path},
		Position:         &api.Position{Line: line - 1, Character: column - 1},
		PositionEncoding: api.UTF8,
		Strict:           true,
	}
}

// placeOf returns the place of a question.
func placeOf(q api.Question) api.Place {
	p, _ := q.Place()
	return p
}

// sources returns the identifiers of the sources of an answer.
func sources(t *testing.T, s api.Workspace, q api.Question) ([]string, *api.Answer) {
	t.Helper()
	answer, err := s.Context(t.Context(), q)
	if err != nil {
		t.Fatalf("Context(%+v): %v", q, err)
	}
	var names []string
	for _, x := range answer.Sources {
		names = append(names, x.Identifier)
	}
	return names, answer
}

// shop is a workspace with a symbol that other files use, test and document.
var shop = map[string]string{
	"pay.go":      "package shop\n\n// Pay pays.\nfunc Pay(n int) int { return n }\n\n// Order is paid.\ntype Order struct{ Total int }\n",
	"cart.go":     "package shop\n\nfunc Checkout(o Order) int { return Pay(o.Total) }\n",
	"pay_test.go": "package shop\n\nimport \"testing\"\n\nfunc TestPay(t *testing.T) { Pay(1) }\n",
	"guide.md":    "# Guide\n\nA cart is paid by `Pay`.\n",
	"alone.go":    "package shop\n\nfunc alone() {}\n",
}

func TestHoverDescribesANameAndItsRelations(t *testing.T) {
	s := open(t, shop)
	hover := func(path record.Path, line, column int) *api.Hover {
		t.Helper()
		h, err := s.Hover(t.Context(), api.HoverQuestion{Place: placeOf(at(path, line, column))})
		if err != nil {
			t.Fatalf("Hover(%s:%d:%d): %v", path, line, column, err)
		}
		return h
	}
	names := func(links []api.Link) (list []string) {
		for _, l := range links {
			list = append(list, l.Identifier+" "+l.Role)
		}
		return list
	}
	h := hover("cart.go", 3, 40) // Pay
	if h == nil {
		t.Fatal("the hover of a function is nil")
	}
	want := api.Range{Start: api.Position{Line: 2, Character: 36}, End: api.Position{Line: 2, Character: 39}}
	if h.Range != want || h.Unit.Identifier != "Pay" || h.Unit.Path != "pay.go" || h.Unit.Line != 4 || h.Unit.Role != "" || !strings.HasSuffix(h.Unit.URI, "/pay.go") {
		t.Errorf("got %+v, want Pay of pay.go at %+v", h, want)
	}
	if diff := cmp.Diff([]string{"TestPay test"}, names(h.Tests)); diff != "" {
		t.Errorf("tests (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"Guide doc"}, names(h.Documents)); diff != "" {
		t.Errorf("documents (-want +got):\n%s", diff)
	}
	if h := hover("cart.go", 3, 46); h == nil || h.Unit.Identifier != "Order.Total" || h.Unit.Line != 7 {
		t.Errorf("a field: got %+v, want Order.Total in line 7", h)
	}
	for name, h := range map[string]*api.Hover{
		"a keyword": hover("cart.go", 3, 2), "a number": hover("pay_test.go", 5, 35),
		"a file that is not there": hover("never.go", 1, 1),
	} {
		if h != nil {
			t.Errorf("%s: got %+v, want nothing", name, h)
		}
	}
	if h := hover("alone.go", 3, 7); h == nil || h.Unit.Identifier != "alone" || len(h.Related) > 0 {
		t.Errorf("a name that nothing belongs with: got %+v, want alone and nothing related", h)
	}
}

func TestRelatedLeavesOutTheUnitAtThePlace(t *testing.T) {
	s := open(t, shop)
	found, err := s.Related(t.Context(), api.RelatedQuestion{Place: placeOf(at("pay.go", 4, 7))})
	if err != nil {
		t.Fatal(err)
	}
	roles := map[string]string{}
	for i, m := range found.Results {
		roles[m.Identifier] = m.Role
		if i > 0 && m.Score > found.Results[i-1].Score {
			t.Errorf("%s comes after a less relevant match", m.Identifier)
		}
	}
	if roles["Checkout"] != "used by" || roles["TestPay"] != "test" || roles["Guide"] != "doc" || roles["Pay"] != "" {
		t.Errorf("got %v", roles)
	}
	if few, err := s.Related(t.Context(), api.RelatedQuestion{Place: placeOf(at("pay.go", 4, 7)), Limit: 1}); err != nil || len(few.Results) != 1 {
		t.Errorf("with a limit of 1: %+v, %v", few, err)
	}
}

func TestExplainReportsRankAndSection(t *testing.T) {
	s := open(t, shop)
	q := at("pay.go", 4, 7)
	_, answer := sources(t, s, q)
	for _, tt := range []api.ExplainQuestion{
		{ID: answer.Sources[0].ID}, {Source: &api.SourceName{Path: "pay.go", Line: 4}}, {Source: &api.SourceName{Identifier: "Pay"}},
	} {
		tt.Question = q
		e, err := s.Explain(t.Context(), tt)
		if err != nil || e == nil || e.Identifier != "Pay" || e.Rank != 1 || e.Section != "primary" || e.Omitted != "" || len(e.Why) == 0 {
			t.Errorf("got %+v, %v; want the first source", e, err)
		}
	}
	q.Drop = []record.ChunkID{answer.Sources[0].ID}
	if e, err := s.Explain(t.Context(), api.ExplainQuestion{Question: q, ID: q.Drop[0]}); err != nil || e.Section != "" || e.Omitted != "dropped" {
		t.Errorf("a dropped source: %+v, %v", e, err)
	}
	if e, err := s.Explain(t.Context(), api.ExplainQuestion{Question: q, Source: &api.SourceName{Identifier: "Never"}}); err != nil || e != nil {
		t.Errorf("what is not found: %+v, %v", e, err)
	}
}

func TestChunksCoverTheFileOrReportWhyNot(t *testing.T) {
	files := maps.Clone(shop)
	files[".gitignore"], files["out.gen"], files["dir/a.bin"] = "*.gen\n", "1\n", "\x00"
	s := open(t, files)
	chunks, err := s.Chunks(t.Context(), api.ChunksQuestion{TextDocument: api.TextDocument{Path: "pay.go"}})
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	for _, c := range chunks.Chunks {
		if !c.Summary {
			text.WriteString(c.Content)
		}
	}
	if diff := cmp.Diff(shop["pay.go"], text.String()); diff != "" || chunks.Language != "go" || chunks.Path != "pay.go" {
		t.Errorf("%+v (-want +got):\n%s", chunks, diff)
	}
	for path, want := range map[record.Path]string{
		"never.go": "no file never.go", "dir": "dir is a directory", "out.gen": "out.gen is ignored", "dir/a.bin": "dir/a.bin is not indexed (binary)",
	} {
		_, err := s.Chunks(t.Context(), api.ChunksQuestion{TextDocument: api.TextDocument{Path: path}})
		if !errors.Is(err, api.ErrQuestion) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}

func TestSearchFiltersByFileDirectoryOrPattern(t *testing.T) {
	s := open(t, map[string]string{
		"docs/carts.md":     "---\nlayer: guides\ntags: [money]\n---\n# Carts\n\nHow carts are paid.\n",
		"src/cart.go":       "package src\n\n// Cart is paid.\ntype Cart struct{}\n",
		"src/docs/paid.md":  "# Paid\n\nCarts are paid here too.\n",
		"src/cart_test.go":  "package src\n\n// TestCart pays a cart.\nfunc TestCart() {}\n",
		"src/docs/paid.txt": "paid carts\n",
	})
	s.SetDocument(&api.Document{Path: "docs/open.md", Language: "markdown", Text: "# Open\n\nCarts are paid in a document.\n"})
	tests := []struct {
		q    api.SearchQuestion
		want string
	}{
		{api.SearchQuestion{Path: "docs"}, "docs/carts.md docs/open.md"},
		{api.SearchQuestion{Path: "./docs/"}, "docs/carts.md docs/open.md"},
		{api.SearchQuestion{Path: "src/cart.go"}, "src/cart.go"},
		{api.SearchQuestion{Path: "*.md"}, "docs/carts.md docs/open.md src/docs/paid.md"},
		{api.SearchQuestion{Path: "src/**/*.md"}, "src/docs/paid.md"},
		{api.SearchQuestion{Path: "/"}, "docs/carts.md docs/open.md src/cart.go src/cart_test.go src/docs/paid.md src/docs/paid.txt"},
		{api.SearchQuestion{Layer: "guides"}, "docs/carts.md"},
		{api.SearchQuestion{Tags: []string{"money"}}, "docs/carts.md"},
		{api.SearchQuestion{Tags: []string{"money", "none"}}, ""},
		{api.SearchQuestion{Language: "go", Kind: "struct"}, "src/cart.go"},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprintf("%+v", tt.q), func(t *testing.T) {
			tt.q.Query = "paid carts"
			results, err := s.Search(t.Context(), tt.q)
			if err != nil {
				t.Fatal(err)
			}
			found := map[string]bool{}
			for _, r := range results.Results {
				found[string(r.Path)] = true
			}
			if diff := cmp.Diff(tt.want, strings.Join(slices.Sorted(maps.Keys(found)), " ")); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestContextUsesOnlyIncludedFiles(t *testing.T) {
	files := map[string]string{
		"docs/guide.md": "# Guide\n\nSomewhere the cart is paid with `Pay`.\n",
		"shop/pay.go":   "package shop\n\n// Pay pays the cart.\nfunc Pay(n int) int { return n }\n",
	}
	for i := range 60 {
		files[fmt.Sprintf("shop/user%d.go", i)] = fmt.Sprintf("package shop\n\n// Cart%d is paid, the cart is paid.\nfunc Cart%d() int { return Pay(%d) }\n", i, i, i)
	}
	s := open(t, files)
	for name, q := range map[string]api.Question{
		"at a cursor": at("shop/pay.go", 4, 7),
		"in words":    {Query: "where is the cart paid"},
	} {
		q.Include = []string{"docs/**"}
		shown, b := sources(t, s, q)
		if diff := cmp.Diff([]string{"Guide"}, shown); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if strings.Contains(b.Text, "shop/") {
			t.Errorf("%s: the text mentions other files:\n%s", name, b.Text)
		}
		q.Include, q.Exclude = nil, []string{"*.md", "user?.go", "pay.go"}
		shown, b = sources(t, s, q)
		for _, x := range b.Sources {
			if !strings.HasPrefix(string(x.Path), "shop/user") || len(x.Path) != len("shop/user10.go") {
				t.Errorf("%s: %s is shown", name, x.Path)
			}
		}
		if len(shown) == 0 {
			t.Errorf("%s: nothing is shown", name)
		}
	}
}

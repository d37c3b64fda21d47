package session_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ambit/server/api"
	"ambit/vectors/record"
)

// shopFiles has names that one, several and no declaration have.
func shopFiles() map[string]string {
	return map[string]string{
		"cart/cart.go":     "package cart\n\n// Cart holds lines.\ntype Cart struct{ lines []int }\n\n// Total adds.\nfunc (c *Cart) Total() int { return len(c.lines) }\n\n// Run runs.\nfunc Run() {}\n",
		"order/order.go":   "package order\n\n// Order is placed.\ntype Order struct{}\n\n// Total adds.\nfunc (o *Order) Total() int { return 2 }\n\n// Runner runs.\ntype Runner struct{}\n\n// Run runs.\nfunc (Runner) Run() {}\n",
		"web/total.ts":     "export function pick(a: string): string;\nexport function pick(a: number): number;\nexport function pick(a: any): any {\n  return a;\n}\n\nexport class Order {\n  send(): void {}\n}\n",
		"web/box.ts":       "export class Box {\n  #error = 1;\n\n  error() {\n    return this.#error;\n  }\n}\n",
		"lib/count.h":      "int count(int a);\n",
		"lib/count.c":      "#include \"count.h\"\nint count(int a) { return a; }\n",
		"secret.key":       "k\n",
		".gitignore":       "hidden/\n",
		"hidden/hidden.go": "package hidden\n\nfunc Hidden() {}\n",
	}
}

func TestASymbolIsFoundByNameAndNeverGuessed(t *testing.T) {
	w := newTree(t, shopFiles())
	s := w.open()
	index(t, s)
	tests := []struct {
		symbol, path string
		line         int
		want         string // identifier and path, or the candidates, or the error
	}{
		{"Cart.Total", "", 0, "Cart.Total cart/cart.go"},
		{"(*Cart).Total()", "", 0, "Cart.Total cart/cart.go"},
		{"Cart#Total", "", 0, "Cart.Total cart/cart.go"},
		{"cart.Cart.Total", "", 0, "Cart.Total cart/cart.go"},
		{"order::Order", "", 0, "Order order/order.go"},
		{"Total", "", 0, "one of cart/cart.go:7 order/order.go:7"},
		{"Total", "order", 0, "Order.Total order/order.go"},
		{"Total", "order/order.go", 0, "Order.Total order/order.go"},
		{"Total", "./order/../cart/cart.go", 0, "Cart.Total cart/cart.go"},
		{"Total", "*.go", 0, "one of cart/cart.go:7 order/order.go:7"},
		{"Total", "*.go", 7, "one of cart/cart.go:7 order/order.go:7"},
		{"Run", "", 0, "Run cart/cart.go"}, // the qualified name is exact
		{"Runner.Run", "", 0, "Runner.Run order/order.go"},
		{"Order", "", 0, "one of order/order.go:4 web/total.ts:7"},
		{"Order.Missing", "", 0, "no declaration"},
		{"Nothing.Total", "", 0, "one of cart/cart.go:7 order/order.go:7"},
		{"Nothing.Runner", "", 0, "one of order/order.go:10"},
		{"pick", "", 0, "pick web/total.ts"},
		{"Box.error", "", 0, "Box.error web/box.ts"},
		{"Box#error", "", 0, "Box.error web/box.ts"},
		{"Box.#error", "", 0, "Box.#error web/box.ts"},
		{"#error", "", 0, "Box.#error web/box.ts"},
		{"#pick", "", 0, "one of web/total.ts:"},
		{"count", "", 0, "count lib/count.c"},
		{"Hidden", "", 0, "no declaration"},
		{"Cart", "../other", 0, "outside of the workspace"},
		{"Cart", "missing.go", 0, "no declaration"},
		{"len", "cart/cart.go", 7, "Cart.Total cart/cart.go"}, // a word of the line
		{"Cart", "order/order.go", 7, "no declaration"},
		{"", "order/order.go", 7, "Order.Total order/order.go"},
		{"", "order/order.go", 700, "there is no line 700"},
		{"", "order", 1, "is a directory"},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.symbol, " ", tt.path, " ", tt.line), func(t *testing.T) {
			answer, err := s.Context(t.Context(), api.Question{Symbol: tt.symbol, Path: tt.path, Line: tt.line, Budget: 2000})
			if got := meaning(t, answer, err); !strings.Contains(got, tt.want) {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// meaning says which declaration an answer is about, or which it may be about.
func meaning(t *testing.T, a *api.Answer, err error) string {
	t.Helper()
	switch {
	case err != nil:
		if !errors.Is(err, api.ErrQuestion) {
			t.Errorf("%v is not an error of the question", err)
		}
		return err.Error()
	case a.Symbol != nil:
		return a.Symbol.Identifier + " " + string(a.Symbol.Path)
	}
	got := "one of"
	for _, c := range a.Candidates {
		place := fmt.Sprintf(" %s:%d", c.Path, c.Line)
		if got += place; !strings.Contains(a.Text, place) {
			t.Errorf("the text does not name%s:\n%s", place, a.Text)
		}
	}
	if len(a.Sources) > 0 || a.Tokens == 0 {
		t.Errorf("%d sources in %d tokens for an ambiguous name", len(a.Sources), a.Tokens)
	}
	return got
}

func TestManyCandidatesStayWithinTheBudget(t *testing.T) {
	files := map[string]string{}
	for i := range 60 {
		files[fmt.Sprintf("a/very/long/directory/name/part%02d.go", i)] = fmt.Sprintf("package p\n\ntype T%d struct{}\n\nfunc (T%d) Same() {}\n", i, i)
	}
	s := newTree(t, files).open()
	index(t, s)
	a, err := s.Context(t.Context(), api.Question{Symbol: "Same", Budget: 200})
	if err != nil {
		t.Fatal(err)
	}
	if a.Tokens > 200 || len(a.Candidates) == 0 || !strings.Contains(a.Text, fmt.Sprintf("and %d more", 60-len(a.Candidates))) {
		t.Errorf("%d tokens, %d candidates:\n%s", a.Tokens, len(a.Candidates), a.Text)
	}
}

// An agent reaches nothing but the files of the workspace that are indexed.
func TestAnAgentReachesNothingElse(t *testing.T) {
	outside := t.TempDir()
	private := filepath.Join(outside, "private.go")
	write := func(file, text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(private, "package private\n\nfunc Private() {}\n")
	w := newTree(t, shopFiles())
	for _, l := range [][2]string{{private, "link.go"}, {outside, "linked"}} {
		if err := os.Symlink(l[0], filepath.Join(w.dir, l[1])); err != nil {
			t.Skip("cannot make links here: " + err.Error())
		}
	}
	s := w.open()
	index(t, s)
	home := "~/" + filepath.Base(outside) + "/private.go"
	for _, path := range []string{"/etc/passwd", private, "../" + filepath.Base(outside) + "/private.go", "a/../../x", home, "~",
		"link.go", "linked/private.go", "cart/../linked/private.go", "file://" + private, "FILE://localhost" + private, `\\host\share\x`, "//host/share/x",
		"hidden/hidden.go", "secret.key", ".git/config", "cart.go\x00", filepath.Join(w.dir, "linked", "private.go")} {
		for _, q := range []api.Question{{Path: path, Line: 1}, {Path: path, Symbol: "Private"}, {Path: path, Symbol: "Hidden"}} {
			q.Agent = true
			if a, err := s.Context(t.Context(), q); err == nil {
				t.Errorf("%q was answered: %s", path, a.Text)
			}
		}
	}

	// What the editor has open under such a name is refused too.
	for _, path := range []string{"link.go", "linked/private.go", "hidden/hidden.go", "unsaved.go"} {
		s.SetDocument(&api.Document{Path: record.Path(path), Language: "go", Version: 1, Text: "package private\n\nfunc Private() {}\n"})
		q := at(path, 3, 7)
		q.Agent = true
		if a, err := s.Context(t.Context(), q); err == nil {
			t.Errorf("the open document %s was answered: %s", path, a.Text)
		}
		q = api.Question{Path: path, Line: 3, Agent: true}
		if a, err := s.Context(t.Context(), q); err == nil {
			t.Errorf("the path of the open document %s was answered: %s", path, a.Text)
		}
	}
	for _, q := range []api.Question{{Symbol: "Private"}, {Query: "Private"}} {
		q.Agent = true
		if a, err := s.Context(t.Context(), q); err == nil && strings.Contains(a.Text, "func Private") {
			t.Errorf("%+v shows what only the editor has: %s", q, a.Text)
		}
	}
	found, err := s.Search(t.Context(), api.SearchQuestion{Query: "Private", Agent: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range found.Results {
		if strings.Contains("link.go linked/private.go hidden/hidden.go unsaved.go", string(m.Path)) {
			t.Errorf("a search of an agent finds %s", m.Path)
		}
	}
	s.SetDocument(&api.Document{Path: "cart/cart.go", Language: "go", Version: 1, Text: "package cart\n\nfunc Unsaved() {}\n"})
	if got, err := s.Context(t.Context(), api.Question{Symbol: "Unsaved", Agent: true}); meaning(t, got, err) != "Unsaved cart/cart.go" {
		t.Errorf("the unsaved text of a file of the workspace: %s", meaning(t, got, err))
	}
}

// What the user types in an editor counts for an agent that asks through a client of its own.
func TestAnAgentSeesWhatIsNotSaved(t *testing.T) {
	w := newTree(t, shopFiles())
	s := w.open()
	index(t, s)
	other, agent := s.next(), s.next()
	typed := func(name string) *api.Document {
		return &api.Document{Path: "cart/cart.go", Language: "go", Version: 1, Text: "package cart\n\nfunc " + name + "() {}\n"}
	}
	sees := func(want string) {
		t.Helper()
		for _, name := range []string{"First", "Second", "Cart"} {
			a, err := agent.Context(t.Context(), api.Question{Symbol: name, Path: "cart", Agent: true})
			if got := err == nil && a.Symbol != nil; got != (name == want) {
				t.Errorf("%s: seen %t, %v; want %s alone", name, got, err, want)
			}
		}
	}
	s.SetDocument(typed("First"))
	sees("First")
	if a, err := agent.Context(t.Context(), api.Question{Symbol: "First"}); err == nil {
		t.Errorf("a person at another client sees it: %s", a.Text)
	}
	other.SetDocument(typed("Second"))
	sees("Second")
	found, err := agent.Search(t.Context(), api.SearchQuestion{Query: "Second", Agent: true, Limit: 1})
	if err != nil || len(found.Results) == 0 || found.Results[0].Path != "cart/cart.go" {
		t.Errorf("a search: %+v, %v", found, err)
	}
	if err := other.Workspace.Close(); err != nil { // an editor ends
		t.Fatal(err)
	}
	sees("First")
	s.CloseDocument("cart/cart.go")
	sees("Cart")
}

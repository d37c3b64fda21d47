package session_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/server/api"
	"ambit/vectors/record"
)

func TestASearchKeepsAFileADirectoryOrAPattern(t *testing.T) {
	w := newTree(t, map[string]string{
		"docs/carts.md":     "---\nlayer: guides\ntags: [money]\n---\n# Carts\n\nHow carts are paid.\n",
		"src/cart.go":       "package src\n\n// Cart is paid.\ntype Cart struct{}\n",
		"src/docs/paid.md":  "# Paid\n\nCarts are paid here too.\n",
		"src/cart_test.go":  "package src\n\n// TestCart pays a cart.\nfunc TestCart() {}\n",
		"src/docs/paid.txt": "paid carts\n",
	})
	s := w.open()
	index(t, s)
	s.SetDocument(document("docs/open.md", "markdown", "# Open\n\nCarts are paid in a buffer.\n"))
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

func TestASearchKeepsTheKindsThatFilesHaveNow(t *testing.T) {
	w := newTree(t, map[string]string{
		"a.go":    "package a\n\n// Pay pays.\nfunc Pay() {}\n",
		"disk.go": "package a\n\n// PayLater pays later.\nfunc PayLater() {}\n",
		"open.go": "package a\n\n// PayNow pays now.\nfunc PayNow() {}\n",
		"many.go": "package a\n\nconst (\n\tPayOne = 1\n\tPayTwo = 2\n)\n\nvar PayThree = 3\n",
		"pay.md":  "# Pay\n\nHow to pay.\n",
	})
	s := w.open()
	await := follow(t, s)
	await(api.StateReady)
	s.Pause()
	await(api.StatePaused)
	w.write("disk.go", "package a\n\n// PayLater pays later.\ntype PayLater struct{}\n")
	s.SetDocument(document("open.go", "go", "package a\n\n// PayNow pays now.\ntype PayNow interface{}\n"))
	s.SetDocument(document("new.go", "go", "package a\n\n// PayNever pays never.\nfunc PayNever() {}\n"))
	for kind, want := range map[string]string{ // disk.go was a function when the index last looked
		"function": "a.go new.go", "interface": "open.go", "constant": "many.go", "variable": "many.go", "section": "pay.md",
		"method": "", "unheard of": "",
	} {
		results, err := s.Search(t.Context(), api.SearchQuestion{Query: "pay", Kind: record.Kind(kind)})
		if err != nil {
			t.Fatal(err)
		}
		found := map[string]bool{}
		for _, r := range results.Results {
			found[string(r.Path)] = true
		}
		if diff := cmp.Diff(want, strings.Join(slices.Sorted(maps.Keys(found)), " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", kind, diff)
		}
	}
}

func TestAnAnswerIsMadeOfWhatAQuestionIncludes(t *testing.T) {
	files := map[string]string{
		"docs/guide.md": "# Guide\n\nSomewhere the cart is paid with `Pay`.\n",
		"shop/pay.go":   "package shop\n\n// Pay pays the cart.\nfunc Pay(n int) int { return n }\n",
	}
	for i := range 60 {
		files[fmt.Sprintf("shop/user%d.go", i)] = fmt.Sprintf("package shop\n\n// Cart%d is paid, the cart is paid.\nfunc Cart%d() int { return Pay(%d) }\n", i, i, i)
	}
	w := newTree(t, files)
	s := w.open()
	index(t, s)
	for name, q := range map[string]api.Question{
		"at a cursor": at("shop/pay.go", 4, 7),
		"in words":    {Query: "where is the cart paid"},
	} {
		q.Include = []string{"docs/**"}
		b, shown, _ := bundleOf(t, s, q)
		if diff := cmp.Diff([]string{"Guide"}, shown); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if strings.Contains(b.Text, "shop/") {
			t.Errorf("%s: the text tells of other files:\n%s", name, b.Text)
		}
		q.Include, q.Exclude = nil, []string{"*.md", "user?.go", "pay.go"}
		b, shown, _ = bundleOf(t, s, q)
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

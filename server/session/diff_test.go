package session_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"ambit/server/api"
)

// shop returns a repository with a change of one function, a deleted and a renamed file, and
// an index of it.
func shop(t *testing.T) (*tree, *opened) {
	t.Helper()
	w := newTree(t, map[string]string{
		"cart.go":      "package shop\n\n// Total sums.\nfunc Total() int {\n\treturn 1\n}\n\n// Other is not changed.\nfunc Other() int { return 2 }\n",
		"till.go":      "package shop\n\nfunc Pay() int {\n\treturn Total()\n}\n",
		"cart_test.go": "package shop\n\nimport \"testing\"\n\nfunc TestTotal(t *testing.T) { Total() }\n",
		"README.md":    "# Shop\n\nThe sum is made by `Total`.\n",
		"gone.go":      "package shop\n\nfunc Gone() {}\n",
		"old.go":       "package shop\n\nfunc Moved() {}\n",
	})
	w.git("init", "-q")
	w.git("add", ".")
	w.git("commit", "-q", "-m", "one")
	s := w.open()
	indexed(t, s)
	return w, s
}

func indexed(t *testing.T, s *opened) {
	t.Helper()
	if _, err := s.Index(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
}

func rolesOf(a *api.Answer) (out []string) {
	for i := range a.Sources {
		out = append(out, a.Sources[i].Role+" "+a.Sources[i].Identifier)
	}
	return out
}

func TestADiffIsAnsweredWithWhatItTouchesAndWhatFollows(t *testing.T) {
	w, s := shop(t)
	_, err := s.Context(t.Context(), api.Question{WorkingTree: true, Budget: 4000})
	if !errors.Is(err, api.ErrQuestion) || !strings.Contains(err.Error(), "no changes") {
		t.Errorf("a clean tree: %v", err)
	}
	w.write("cart.go", "package shop\n\n// Total sums.\nfunc Total() int {\n\treturn 42\n}\n\n// Other is not changed.\nfunc Other() int { return 2 }\n")
	w.git("mv", "old.go", "new.go")
	w.git("rm", "-q", "gone.go")
	indexed(t, s)
	a, err := s.Context(t.Context(), api.Question{WorkingTree: true, Budget: 4000})
	if err != nil {
		t.Fatal(err)
	}
	got := rolesOf(a)
	for _, want := range []string{"changed Total", "used by Pay", "test TestTotal", "doc Shop"} {
		if !slices.Contains(got, want) {
			t.Errorf("no source %q among %q", want, got)
		}
	}
	if slices.ContainsFunc(got, func(s string) bool { return strings.HasSuffix(s, "Other") }) {
		t.Errorf("an untouched function is shown: %q", got)
	}
	reasons := map[string]string{}
	for _, o := range a.Omitted {
		reasons[o.Identifier] = o.Reason
	}
	if got := reasons["gone.go"]; got != "deleted by the diff" {
		t.Errorf("the deleted file is omitted as %q", got)
	}
	if got := reasons["new.go"]; got != "renamed from old.go, no line is changed" {
		t.Errorf("the renamed file is omitted as %q", got)
	}
	if a.Tokens > 4000 {
		t.Errorf("%d tokens", a.Tokens)
	}
}

func TestADiffThatIsNotAppliedIsAboutTheLinesThatItWouldChange(t *testing.T) {
	_, s := shop(t)
	hunk := "@@ -3,4 +3,4 @@\n // Total sums.\n func Total() int {\n-\treturn 1\n+\treturn 42\n }\n"
	a, err := s.Context(t.Context(), api.Question{Diff: "--- a/cart.go\n+++ b/cart.go\n" + hunk + "--- a/../x.go\n+++ b/../x.go\n" + hunk, Budget: 4000})
	if err != nil {
		t.Fatal(err)
	}
	if got := rolesOf(a); len(got) == 0 || got[0] != "changed Total" {
		t.Errorf("sources %q", got)
	}
	if i := slices.IndexFunc(a.Omitted, func(o api.Omission) bool { return o.Identifier == "../x.go" }); i < 0 || a.Omitted[i].Reason != "outside of the workspace" {
		t.Errorf("omitted %+v", a.Omitted)
	}
}

func TestAWrongDiffIsAnErrorThatSaysWhy(t *testing.T) {
	_, s := shop(t)
	for _, tt := range []struct{ diff, want string }{
		{"hello", "is no diff"},
		{"--- a/nosuch.go\n+++ b/nosuch.go\n@@ -1 +1 @@\n-a\n+b\n", "no file nosuch.go"},
		{"--- a/cart.go\n+++ b/cart.go\n@@ -1 +1 @@\n-a\n+b\n", "another state"},
		{"--- a/gone2.go\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n", "deleted by the diff"},
	} {
		_, err := s.Context(t.Context(), api.Question{Diff: tt.diff, Budget: 4000})
		if !errors.Is(err, api.ErrQuestion) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: %v, want %q", tt.diff, err, tt.want)
		}
	}
	outside := newTree(t, map[string]string{"a.go": "package a\n"}).open()
	if _, err := outside.Context(t.Context(), api.Question{WorkingTree: true}); !errors.Is(err, api.ErrQuestion) || !strings.Contains(err.Error(), "no git repository") {
		t.Errorf("outside of a repository: %v", err)
	}
}

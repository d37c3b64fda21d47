package tests

import (
	"strings"
	"testing"
)

// step is one step of a journey: keys, and what the screen then shows.
type step struct {
	does  string
	keys  []string
	shows string
	gone  string // what the screen no longer shows
}

// A person asks, changes the answer, goes to code, edits, makes mistakes and is told, in one
// Neovim. Each screen is what the person waits for before the next step.
func TestAJourney(t *testing.T) {
	steps := []step{
		{"the context opens with Neovim", nil, "of 8000 tokens", ""},
		{"the cursor goes to the first source", []string{"]]"}, "# In question", ""},
		{"the budget grows", []string{"3+"}, "of 11000 tokens", ""},
		{"the budget shrinks", []string{"-"}, "of 10000 tokens", ""},
		{"the budget shrinks by a count", []string{"9-"}, "of 1000 tokens", ""},
		{"the budget stops at the least", []string{"9-"}, "of 200 tokens", ""},
		{"the budget grows from there", []string{"8+"}, "of 8200 tokens", ""},
		{"the cursor goes to another source", []string{"/^## `priceOf", "Enter"}, "## `priceOf`", ""},
		{"the source is pinned", []string{"p"}, "1 pinned", ""},
		{"the source is dropped", []string{"/^## `priceOf", "Enter", "x"}, "1 dropped", ""},
		{"the drop is undone", []string{"u"}, "## `priceOf`", "dropped"},
		{"the score is explained", []string{"/^## `priceOf", "Enter", "e"}, "ambit: why", ""},
		{"the explanation closes", []string{"q"}, "## `priceOf`", "ambit: why"},
		{"the keys are listed", []string{"?"}, "ambit: keys", ""},
		{"the list closes", []string{"q"}, "## `priceOf`", "ambit: keys"},
		{"the sources fold", []string{"zM"}, "priceOf  item.go:", ""},
		{"the sources unfold", []string{"zR"}, "func (c *Cart) Total", "priceOf  item.go:"},
		{"the text is copied", []string{"y"}, "sources in", ""},
		{"the source under the cursor is asked about", []string{"/^## `priceOf", "Enter", ":Ambit", "Enter"}, "ambit  priceOf", ""},
		{"the code of the source opens", []string{"gg", "]]", "gf"}, "item.go", ""},
		{"an edit makes the answer out of date", []string{"/func priceOf", "Enter", "O// What it costs.", "Escape"}, "out of date, press r", ""},
		{"the answer is asked for again", []string{":wincmd p", "Enter", "r"}, "// What it costs.", "out of date"},
		{"the sources are a quickfix list", []string{"Q"}, "[Quickfix List]", ""},
		{"a window without code is refused", []string{":Ambit", "Enter"}, "this window shows no code", ""},
		{"the quickfix list closes", []string{":cclose", "Enter"}, "// What it costs.", "[Quickfix List]"},
		{"a subcommand is misspelt", []string{":Ambit contxt", "Enter"}, "there is no :Ambit contxt", ""},
		{"an option is misspelt", []string{"Escape", ":Ambit context bugdet=1", "Enter"}, "there is no option bugdet", ""},
		{"a language is unknown", []string{"Escape", ":Ambit search language=nosuch zzz", "Enter"}, "no file is nosuch", ""},
		{"the index is described", []string{"Escape", ":Ambit status", "Enter"}, "ambit: status", ""},
		{"a question in words takes the same window", []string{"q", ":Ambit context how are prices summed up?", "Enter"}, "ambit  how are prices summed up?", "ambit: status"},
	}
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			nvim := editor(t, version)
			m := freshMachine(t, true)
			s := newScreen(m, 160, 140)
			s.start("shop", nvim, "-n", "+/) Total", "+Ambit context", "cart.go")
			for n, step := range steps {
				s.keys(step.keys...)
				if text, ok := s.until(func(text string) bool {
					return strings.Contains(text, step.shows) && (step.gone == "" || !strings.Contains(text, step.gone))
				}); !ok {
					t.Fatalf("step %d, %s: want %q and not %q on\n%s", n+1, step.does, step.shows, step.gone, text)
				}
			}
			s.keys(":only", "Enter") // the versions share out the lines differently
			s.matches("journey")
			s.keys(":quitall!", "Enter")
			s.ends()
			m.checkTraffic()
		})
	}
}

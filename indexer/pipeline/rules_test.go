package pipeline_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ambit/indexer/pipeline"
	"ambit/vectors/record"
)

// These tests check which chunks a change embeds again. The tests of exports and
// references are in enrich_test.go.

// shop is a Python file: a class that is so large that it is cut into a summary and its
// methods, a function that they use, and one that uses the class.
func shop() string {
	var b strings.Builder
	b.WriteString("import db\n\n\nclass Cart:\n    \"\"\"A cart holds lines.\"\"\"\n\n")
	for _, name := range []string{"add", "total", "clear"} {
		fmt.Fprintf(&b, "    def %s(self, line):\n        \"\"\"Do %s.\"\"\"\n", name, name)
		for i := range 28 {
			fmt.Fprintf(&b, "        value%d = price(line.part%d, self.rate%d)\n", i, i, i)
		}
		fmt.Fprintf(&b, "        return value0  # of %s\n\n", name)
	}
	b.WriteString("\ndef price(part, rate):\n    \"\"\"One line's worth.\"\"\"\n")
	for i := range 30 {
		fmt.Fprintf(&b, "    part = part + rate * %d - db.tax(part)\n", i)
	}
	b.WriteString("    return part\n\n\ndef report(cart):\n    \"\"\"Print what is in a cart.\"\"\"\n")
	for i := range 30 {
		fmt.Fprintf(&b, "    print(cart.lines[%d].name, cart.lines[%d].size)\n", i, i)
	}
	return b.String()
}

// user is another file, which uses the declarations of shop.
const user = `from shop import Cart, price


def checkout(lines):
    """Sell."""
    cart = Cart()
    for line in lines:
        cart.add(line)
    return price(cart, 1)
`

// unitLines match the lines of an embedding text that name its unit, file and section.
var unitLines = regexp.MustCompile(`(?s)^# Unit: (\S+) .*?\n# File: (\S+)\n(?:# Section: ([^\n]*)\n)?`)

// units spells the embedded texts as file:unit#section, in their order.
func (w *workspace) units() []string {
	units := []string{}
	for _, text := range w.embedded {
		m := unitLines.FindStringSubmatch(text)
		if m == nil {
			w.t.Fatalf("no unit in the embedded text %.80q", text)
		}
		name := m[2] + ":" + m[1]
		if m[3] != "" {
			name += "#" + m[3]
		}
		units = append(units, name)
	}
	return units
}

func TestAChangeEmbedsOnlyAffectedChunks(t *testing.T) {
	replace := func(from, to string) func(string) string {
		return func(text string) string { return strings.ReplaceAll(text, from, to) }
	}
	tests := []struct {
		name string
		edit func(shop string) string
		want []string
	}{
		{"a new time embeds nothing", func(s string) string { return s }, []string{}},
		{"an edit in a method, its chunk alone: not the users of the method",
			replace("return value0  # of total", "return value1  # of total"),
			[]string{"shop.py:Cart.total"}},
		{"an edit in a function, its chunk alone: not the users of the function",
			replace("part = part + rate * 7 ", "part = part + rate * 77 "),
			[]string{"shop.py:price"}},
		{"a new signature of a method, also the summary that quotes it",
			replace("def total(self, line)", "def total(self, line, rate)"),
			[]string{"shop.py:Cart#summary", "shop.py:Cart.total"}},
		{"a new doc comment of the class, the summary of the class and that of the file, which quotes its head",
			replace("A cart holds lines.", "A cart holds goods."),
			[]string{"shop.py:shop.py#summary", "shop.py:Cart#summary"}},
		{"a renamed function, its own chunks and each chunk whose prefix or text names it",
			replace("price(", "worth("),
			[]string{"shop.py:shop.py#summary", "shop.py:Cart.add", "shop.py:Cart.total", "shop.py:Cart.clear", "shop.py:worth"}},
		{"a renamed class, every chunk of it and each chunk whose prefix names it",
			replace("class Cart", "class Basket"),
			[]string{"shop.py:shop.py#summary", "shop.py:Basket#summary", "shop.py:Basket.add", "shop.py:Basket.total", "shop.py:Basket.clear"}},
		{"a new function, its chunk and the summary of the file, which lists the definitions",
			replace("def report(", "def refund(cart):\n"+strings.Repeat("    cart.clear(cart.lines)\n", 40)+"\n\ndef report("),
			[]string{"shop.py:shop.py#summary", "shop.py:refund"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorkspace(t, map[string]string{"shop.py": shop(), "user.py": user})
			w.catchUp()
			w.embedded = nil
			w.write("shop.py", tt.edit(shop()), time.Now().Add(-time.Minute))
			report := w.catchUp()
			if diff := cmp.Diff(tt.want, w.units()); diff != "" {
				t.Errorf("embedded (-want +got):\n%s", diff)
			}
			if report.Embedded != len(tt.want) {
				t.Errorf("the report says %d chunks, want %d", report.Embedded, len(tt.want))
			}
			w.embedded = nil
			w.write("shop.py", shop(), time.Now().Add(-time.Second))
			if report := w.catchUp(); report.Embedded != 0 || len(w.embedded) != 0 {
				t.Errorf("undone: %d chunks embedded, %q, want none", report.Embedded, w.units())
			}
		})
	}
}

func TestUndoingOneOfTwoEditsEmbedsNothing(t *testing.T) {
	first := strings.Replace(shop(), "# of add", "# of adding", 1)
	second := strings.Replace(first, "# of clear", "# of clearing", 1)
	third := strings.Replace(shop(), "# of clear", "# of clearing", 1) // a state that the index has not seen
	w := newWorkspace(t, map[string]string{"shop.py": shop()})
	w.catchUp()
	for i, text := range []string{first, second, third} {
		w.embedded = nil
		w.write("shop.py", text, time.Now().Add(-time.Hour+time.Duration(i+1)*time.Minute))
		w.catchUp()
		want := [][]string{{"shop.py:Cart.add"}, {"shop.py:Cart.clear"}, {}}[i]
		if diff := cmp.Diff(want, w.units()); diff != "" {
			t.Errorf("embedded by edit %d (-want +got):\n%s", i+1, diff)
		}
	}
}

// The path is part of the embedding text, because it describes the unit.
func TestAMovedFileIsEmbeddedOnce(t *testing.T) {
	w := newWorkspace(t, map[string]string{"old.py": shop()})
	n := w.catchUp().Embedded
	move := func(from, to string) int {
		remove(t, w, from)
		w.write(to, shop(), time.Now().Add(-time.Minute))
		return w.catchUp().Embedded
	}
	if got := move("old.py", "new.py"); got != n {
		t.Errorf("moved: %d chunks embedded, want all %d", got, n)
	}
	if got := move("new.py", "old.py"); got != 0 {
		t.Errorf("moved back: %d chunks embedded, want none", got)
	}
}

func TestTheFilterAppliesToAKnownText(t *testing.T) {
	w := newWorkspace(t, map[string]string{"a.go": goText})
	w.catchUp()
	w.write("a.go", goEdited, time.Now().Add(-time.Minute))
	w.catchUp()
	w.panicAt = "a.go" // as if the filter judged the text differently now
	w.write("a.go", goText, time.Now().Add(-time.Second))
	if report := w.catchUp(); report.LeftOut != 1 || report.Recalled != 0 {
		t.Errorf("got %+v, want the file left out", report)
	}
}

func TestApplyForgetsAFileThatIsIgnoredNow(t *testing.T) {
	w := newWorkspace(t, map[string]string{"a.go": goText, "b.go": goText})
	w.catchUp()
	remove(t, w, "b.go")
	changes := w.plan()
	ignored := w.files["a.go"].File
	changes = append([]pipeline.Change{{Path: "a.go", Old: ignored, Gone: true}}, changes...)
	if _, err := w.pipeline().Apply(t.Context(), changes, nil); err != nil {
		t.Fatal(err)
	}
	last := w.batches[len(w.batches)-1]
	if diff := cmp.Diff([]record.Path{"a.go", "b.go"}, last.Removed); diff != "" {
		t.Errorf("removed (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]record.Path{"a.go"}, last.Forget); diff != "" {
		t.Errorf("forgotten, because it is still on disk (-want +got):\n%s", diff)
	}
}

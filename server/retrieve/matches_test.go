package retrieve_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/server/retrieve"
)

// A question whose words stand in some methods of a large class is answered with these, not
// with the class: the words of the others say nothing.
func TestALargeClassIsAnsweredWithItsMembers(t *testing.T) {
	var text strings.Builder
	text.WriteString("class Ledger:\n")
	for i := range 60 {
		body := "total = total + self.rate * amount - self.rate"
		if i == 20 || i == 40 {
			body = "refund = voucher.expired"
		}
		fmt.Fprintf(&text, "    def step_%d(self, amount, total, voucher):\n        %s\n        return total\n\n", i, body)
	}
	w := newWorkspace(t, []file{{"ledger.py", []byte(text.String())}})
	r, err := retrieve.Ask(t.Context(), w.index(), retrieve.Question{Query: "refund of an expired voucher"})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, c := range r.Candidates[:2] {
		found[c.Unit.Identifier] = true
		if len(c.Found) == 0 || c.Unit.Kind != "method" {
			t.Errorf("%s %s has no lines that were found", c.Unit.Kind, c.Unit.Identifier)
		}
	}
	if diff := cmp.Diff(map[string]bool{"Ledger.step_20": true, "Ledger.step_40": true}, found); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

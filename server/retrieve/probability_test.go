package retrieve_test

import (
	"slices"
	"testing"

	"ambit/server/retrieve"
)

// A question that the workspace answers has a best source with a high probability, one that it
// does not answer one with a low probability; the relevance of both is 1.
func TestTheProbabilityTellsWhetherAQuestionIsAnswered(t *testing.T) {
	w := newWorkspace(t, []file{
		{"cart.go", []byte("package shop\n\n// Total adds the prices of the items in the cart and subtracts the rebate.\nfunc (c *Cart) Total() int { return c.sum - c.rebate }\n\n// Cart is what a customer wants to buy.\ntype Cart struct{ sum, rebate int }\n")},
		{"mail.go", []byte("package shop\n\n// SendReceipt sends the receipt of an order by electronic mail.\nfunc SendReceipt(to string) error { return nil }\n")},
		{"clock.go", []byte("package shop\n\n// Open reports whether the shop is open at an hour of the day.\nfunc Open(hour int) bool { return hour > 8 && hour < 20 }\n")},
	})
	best := func(query string) float64 {
		r, err := retrieve.Ask(t.Context(), w.index(), retrieve.Question{Query: query})
		if err != nil {
			t.Fatal(err)
		}
		checkResult(t, &r)
		if len(r.Candidates) == 0 {
			return 0
		}
		return r.Candidates[0].Probability
	}
	answered := []float64{best("how is the total of a cart computed"), best("where is the receipt of an order sent"), best("when is the shop open")}
	unanswered := []float64{best("how does garbage collection mark reachable objects"), best("TLS handshake with client certificates"), best("zzzqqq")}
	if least, most := slices.Min(answered), slices.Max(unanswered); least < 0.7 || most > 0.3 {
		t.Errorf("answered: %.2f, unanswered: %.2f", answered, unanswered)
	}
}

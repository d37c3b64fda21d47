package languages

import (
	"testing"
)

func TestEveryQueryFitsItsGrammar(t *testing.T) {
	for _, r := range table {
		source, err := queries.ReadFile("queries/" + r.query)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := compile(r.grammar(), string(source)); err != nil {
			t.Errorf("%s: %v", r.query, err)
		}
	}
}

package languages

import (
	"testing"
)

func TestEveryQueryFitsItsGrammar(t *testing.T) {
	for _, r := range table {
		if _, err := r.compile(); err != nil {
			t.Errorf("%s: %v", r.query, err)
		}
	}
}

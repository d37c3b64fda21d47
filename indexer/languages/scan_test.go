package languages

import (
	"math"
	"strings"
	"testing"

	"ambit/vectors/record"
)

// TestTheWorkOfAParseDependsOnTheTextAlone compares the work of a parse with that of the
// same parse after others, and with the work that is just enough.
func TestTheWorkOfAParseDependsOnTheTextAlone(t *testing.T) {
	texts := []struct {
		path record.Path
		text string
	}{
		{"a.go", "package a\n" + strings.Repeat("func f() { g(1, \"x\") }\n", 100)},
		{"a.go", "package a\n" + strings.Repeat("->", 100)},
		{"a.py", strings.Repeat("class A:\n  def f(self):\n    return {1: [x]}\n", 50)},
		{"a.ts", strings.Repeat("interface A<in out T> { f(x: T): void\n g() }\n", 50)},
		{"a.rb", "x = <<A\n" + strings.Repeat("#{y}\n", 50) + "A\n"},
	}
	work := func(path record.Path, text string, limit int64) (spent int64, ok bool) {
		c := rowOf(path, []byte(text)).compiled()
		left := limit
		ok = c.grammar.scan([]byte(text), c.wanted, &left, func([]node) {})
		return limit - left, ok
	}
	var first []int64
	for _, tt := range texts {
		spent, ok := work(tt.path, tt.text, math.MaxInt64)
		if !ok || spent == 0 {
			t.Fatalf("%.20q: spent %d, finished %t", tt.text, spent, ok)
		}
		first = append(first, spent)
	}
	for i, tt := range texts {
		if again, _ := work(tt.path, tt.text, math.MaxInt64); again != first[i] {
			t.Errorf("%.20q: the second parse spent %d, the first %d", tt.text, again, first[i])
		}
		if spent, ok := work(tt.path, tt.text, first[i]); !ok || spent != first[i] {
			t.Errorf("%.20q: with just enough work it spent %d, finished %t", tt.text, spent, ok)
		}
		if spent, ok := work(tt.path, tt.text, first[i]/2); ok {
			t.Errorf("%.20q: with half of the work it finished and spent %d of %d", tt.text, spent, first[i])
		}
	}
}

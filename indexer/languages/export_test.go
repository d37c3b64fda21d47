package languages

import "ambit/vectors/record"

// Work returns the work that the parses of a file do, and the bound for it; both are 0 for a
// file without a grammar.
func Work(p record.Path, content []byte) (done, most int64) {
	r := rowOf(p, content)
	if r == nil {
		return 0, 0
	}
	b, _, _ := r.read(content)
	if b == nil {
		return 0, 0
	}
	return workOf(content) - b.work, workOf(content)
}

// Sound reports whether a file has no syntax error, by a parse that ends at the first error and by
// a whole one, each with its work. ok is false for a file without a grammar.
func Sound(p record.Path, content []byte) (early, whole Soundness, ok bool) {
	r := rowOf(p, content)
	if r == nil || r.compiled() == nil || len(content) == 0 {
		return early, whole, false
	}
	c := r.compiled()
	early.Work, whole.Work = workOf(content), workOf(content)
	shown, ok := c.grammar.sound(content, &early.Work)
	early.Sound = shown == 0
	done := c.grammar.scan(content, c.wanted, &whole.Work, func(nodes []node) { whole.Sound = !nodes[0].broken() })
	early.Work, whole.Work = workOf(content)-early.Work, workOf(content)-whole.Work
	return early, whole, ok && done
}

// Soundness is an answer of Sound.
type Soundness struct {
	Sound bool
	Work  int64
}

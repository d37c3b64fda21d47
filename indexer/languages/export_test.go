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

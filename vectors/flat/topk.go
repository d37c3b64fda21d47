package flat

import (
	"cmp"
	"slices"

	"ambit/vectors/record"
)

// candidate is a row that the scan may hand to the rescoring.
type candidate struct {
	key   record.Key
	score float32 // of the codes, up to the factor of the query's scale
}

// compareCandidates orders best first: by falling score, then by rising key.
func compareCandidates(a, b candidate) int {
	if c := cmp.Compare(b.score, a.score); c != 0 {
		return c
	}
	return cmp.Compare(a.key, b.key)
}

// topK keeps the best size candidates pushed to it, of those to keep: a binary heap
// with the worst of them at the root.
type topK struct {
	size int
	keep func(record.Key) bool // nil for all
	heap []candidate           // at most size
}

// full reports whether the worst candidate is a bar for the next.
func (t *topK) full() bool { return len(t.heap) == t.size }

// push keeps c if it is among the best so far.
func (t *topK) push(c candidate) {
	if t.keep != nil && !t.keep(c.key) {
		return
	}
	if !t.full() {
		t.heap = append(t.heap, c)
		t.up(len(t.heap) - 1)
		return
	}
	if compareCandidates(c, t.heap[0]) < 0 {
		t.heap[0] = c
		t.down(0)
	}
}

func (t *topK) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if compareCandidates(t.heap[i], t.heap[parent]) <= 0 {
			return
		}
		t.heap[i], t.heap[parent] = t.heap[parent], t.heap[i]
		i = parent
	}
}

func (t *topK) down(i int) {
	for {
		worst := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(t.heap); child++ {
			if compareCandidates(t.heap[child], t.heap[worst]) > 0 {
				worst = child
			}
		}
		if worst == i {
			return
		}
		t.heap[i], t.heap[worst] = t.heap[worst], t.heap[i]
		i = worst
	}
}

// best returns the best size of what all of the heaps kept, best first.
func best(heaps []topK, size int) []candidate {
	var all []candidate
	for _, t := range heaps {
		all = append(all, t.heap...)
	}
	slices.SortFunc(all, compareCandidates)
	return all[:min(size, len(all))]
}

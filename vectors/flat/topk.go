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

// topK keeps the best size candidates pushed to it, of those to keep: a binary heap
// with the worst of them at the root.
type topK struct {
	size int
	keep func(record.Key) bool     // nil for all
	tie  func(a, b record.Key) int // see Options
	heap []candidate               // at most size
}

// compare orders best first: by falling score, then as tie has it.
func (t *topK) compare(a, b candidate) int {
	if c := cmp.Compare(b.score, a.score); c != 0 {
		return c
	}
	return t.tie(a.key, b.key)
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
	if t.compare(c, t.heap[0]) < 0 {
		t.heap[0] = c
		t.down(0)
	}
}

func (t *topK) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if t.compare(t.heap[i], t.heap[parent]) <= 0 {
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
			if t.compare(t.heap[child], t.heap[worst]) > 0 {
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

// best merges the heaps, at least one, and returns as many candidates as one heap keeps,
// best first.
func best(heaps []topK) []candidate {
	var all []candidate
	for _, t := range heaps {
		all = append(all, t.heap...)
	}
	slices.SortFunc(all, heaps[0].compare)
	return all[:min(heaps[0].size, len(all))]
}

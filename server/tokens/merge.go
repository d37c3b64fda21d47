package tokens

// maxShort is the length in bytes up to which a piece is merged by scanning for the next
// pair; longer ones, which are rare, take a heap. The results are equal; at 64 bytes the
// times are, too.
const maxShort = 64

// count returns the number of tokens of one piece, which is not empty.
//
// Byte pair encoding starts with the bytes of the piece. It joins the two neighbors that
// make the token of the lowest rank, the first of equals, until no two make a token.
func (v *vocabulary) count(piece string) int {
	switch {
	case len(piece) == 1 || v.rank(piece) != none:
		return 1
	case len(piece) <= maxShort:
		return v.mergeShort(piece)
	}
	return v.mergeLong(piece)
}

// mergeShort merges in O(n²) steps with a very small constant; n <= maxShort.
func (v *vocabulary) mergeShort(piece string) int {
	var (
		starts [maxShort + 1]uint8 // n+1; part i is piece[starts[i]:starts[i+1]]
		ranks  [maxShort]uint32    // n-1; of parts i and i+1 together
		n      = len(piece)
	)
	for i := range n - 1 {
		starts[i] = uint8(i)
		ranks[i] = v.pairs[int(piece[i])<<8|int(piece[i+1])]
	}
	starts[n-1], starts[n] = uint8(n-1), uint8(n)
	for n > 1 {
		best, at := uint32(none), 0
		for i, r := range ranks[:n-1] {
			if r < best {
				best, at = r, i
			}
		}
		if best == none {
			break
		}
		copy(starts[at+1:n], starts[at+2:n+1])
		copy(ranks[at:n-2], ranks[at+1:n-1])
		n--
		if at < n-1 {
			ranks[at] = v.rank(piece[starts[at]:starts[at+2]])
		}
		if at > 0 {
			ranks[at-1] = v.rank(piece[starts[at-1]:starts[at+1]])
		}
	}
	return n
}

// mergeLong merges in O(n log n) with 32 bytes of memory for each of piece: a
// linked list of parts and a heap of the pairs that could be joined.
func (v *vocabulary) mergeLong(piece string) int {
	n := len(piece)
	m := merger{
		next:  make([]uint32, n+1),
		prev:  make([]uint32, n+1),
		ranks: make([]uint32, n),
		heap:  make([]uint64, 0, n),
	}
	for i := range n {
		m.next[i], m.prev[i+1], m.ranks[i] = uint32(i+1), uint32(i), none
		if i < n-1 {
			m.set(uint32(i), v.pairs[int(piece[i])<<8|int(piece[i+1])])
		}
	}
	parts, end := n, uint32(n)
	for len(m.heap) > 0 {
		top := m.pop()
		i := uint32(top)
		if m.ranks[i] != uint32(top>>32) {
			continue // the pair no longer exists
		}
		joined := m.next[i]
		after := m.next[joined]
		m.next[i], m.prev[after], m.ranks[joined] = after, i, none
		parts--
		m.ranks[i] = none
		if after < end {
			m.set(i, v.rank(piece[i:m.next[after]]))
		}
		if i > 0 {
			m.set(m.prev[i], v.rank(piece[m.prev[i]:after]))
		}
	}
	return parts
}

// merger is the state of mergeLong. A part is known by the offset of its start.
type merger struct {
	next, prev []uint32 // n+1; the start of the part after and before
	ranks      []uint32 // n; of the part and the next together, or none
	heap       []uint64 // rank<<32 | part, least first; may contain pairs that no longer exist
}

// set makes rank the rank of part and the next, and queues the pair.
func (m *merger) set(part, rank uint32) {
	m.ranks[part] = rank
	if rank == none {
		return
	}
	m.heap = append(m.heap, uint64(rank)<<32|uint64(part))
	for i := len(m.heap) - 1; i > 0; {
		up := (i - 1) / 2
		if m.heap[up] <= m.heap[i] {
			return
		}
		m.heap[up], m.heap[i] = m.heap[i], m.heap[up]
		i = up
	}
}

// pop removes and returns the least of the heap, which is not empty.
func (m *merger) pop() uint64 {
	top, last := m.heap[0], len(m.heap)-1
	m.heap[0] = m.heap[last]
	m.heap = m.heap[:last]
	for i := 0; ; {
		least := 2*i + 1
		if least >= last {
			return top
		}
		if right := least + 1; right < last && m.heap[right] < m.heap[least] {
			least = right
		}
		if m.heap[i] <= m.heap[least] {
			return top
		}
		m.heap[i], m.heap[least] = m.heap[least], m.heap[i]
		i = least
	}
}

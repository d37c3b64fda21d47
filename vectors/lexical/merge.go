package lexical

import (
	"bytes"
	"cmp"
	"slices"

	"ambit/vectors/record"
)

// dropped stands for a row that a merge leaves out.
const dropped = ^uint32(0)

// merge returns one segment with the live rows of all parts. Its time is linear in
// their postings as long as their keys do not interleave, and they do not when keys
// ascend in the order of writing.
func merge(parts []part) (*segment, error) {
	keys, lengths, rowOf := mergeRows(parts)
	size := 0
	cursors := make([]cursor, len(parts))
	live := make([]*cursor, 0, len(parts)) // those not at their end
	ended := make([]bool, len(parts))
	for p := range parts {
		s := parts[p].segment
		size += s.postings.n + s.dict.n + s.blocks.n
		cursors[p] = s.cursor(0, s.nBlocks())
		if ended[p] = !cursors[p].next(); !ended[p] {
			live = append(live, &cursors[p])
		}
	}
	w := newWriter(keys, lengths, size)
	var least []byte
	var rows []uint32
	var codes []byte
	for len(live) > 0 {
		least = append(least[:0], live[0].term...)
		for _, c := range live[1:] {
			if bytes.Compare(c.term, least) < 0 {
				least = append(least[:0], c.term...)
			}
		}
		rows, codes = rows[:0], codes[:0]
		for p := range cursors {
			c := &cursors[p]
			if ended[p] || !bytes.Equal(c.term, least) {
				continue
			}
			rows, codes = appendLive(rows, codes, c.list(), rowOf[p])
			if ended[p] = !c.next(); ended[p] {
				live = slices.DeleteFunc(live, func(l *cursor) bool { return l == c })
			}
		}
		if !slices.IsSorted(rows) {
			sortPostings(rows, codes)
		}
		w.add(least, rows, codes)
	}
	return w.finish()
}

// mergeRows returns the live rows of all parts by key, and for each part the new
// number of each of its rows.
func mergeRows(parts []part) (keys []record.Key, lengths []uint16, rowOf [][]uint32) {
	type origin struct {
		key       record.Key
		part, row uint32
	}
	var live []origin
	rowOf = make([][]uint32, len(parts))
	for p := range parts {
		rowOf[p] = make([]uint32, len(parts[p].keys))
		for row, k := range parts[p].keys {
			rowOf[p][row] = dropped
			if !parts[p].isDead(row) {
				live = append(live, origin{k, uint32(p), uint32(row)})
			}
		}
	}
	byKey := func(a, b origin) int { return cmp.Compare(a.key, b.key) }
	if !slices.IsSortedFunc(live, byKey) {
		slices.SortFunc(live, byKey)
	}
	keys, lengths = make([]record.Key, len(live)), make([]uint16, len(live))
	for i, o := range live {
		keys[i], lengths[i] = o.key, parts[o.part].lengths[o.row]
		rowOf[o.part][o.row] = uint32(i)
	}
	return keys, lengths, rowOf
}

// appendLive appends the rows of l under their new numbers, and their codes.
func appendLive(rows []uint32, codes []byte, l list, rowOf []uint32) ([]uint32, []byte) {
	start, to := len(rows), len(rows)
	rows, of := l.decode(rows, len(rowOf))
	for i, row := range rows[start:] {
		if n := rowOf[row]; n != dropped {
			rows[to], codes = n, append(codes, of[i])
			to++
		}
	}
	return rows[:to], codes
}

// sortPostings sorts rows, and codes with them. The keys of parts interleave only when a
// batch is applied again.
func sortPostings(rows []uint32, codes []byte) {
	both := make([]uint64, len(rows))
	for i, row := range rows {
		both[i] = uint64(row)<<8 | uint64(codes[i])
	}
	slices.Sort(both)
	for i, b := range both {
		rows[i], codes[i] = uint32(b>>8), byte(b)
	}
}

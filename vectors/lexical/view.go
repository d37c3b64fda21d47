package lexical

import (
	"cmp"
	"slices"
	"sync"

	"ambit/vectors/record"
)

// View is one immutable state of the words. All methods are safe for concurrent use.
type View struct {
	scratch *sync.Pool // of *scratch; that of all views that come of one
	parts   []part     // older first
	rows    int        // of all parts, live and dead
	n       int        // live rows
	total   int64      // weighted tokens of the live rows
}

// of returns the view that follows v with other parts.
func (v *View) of(parts []part) *View {
	next := &View{scratch: v.scratch, parts: parts}
	for i := range parts {
		p := &parts[i]
		next.rows += len(p.keys)
		next.n += len(p.keys) - p.nDead
		next.total += p.total
	}
	return next
}

// part is a segment and its dead rows. It is a value: what marks a row returns a new
// part and shares the segment.
type part struct {
	*segment
	dead  []uint64 // a bit a row; nil when none is dead
	nDead int
	total int64 // weighted tokens of the live rows
}

// newPart returns a segment with no row dead.
func newPart(s *segment) part {
	p := part{segment: s}
	for _, n := range s.lengths {
		p.total += int64(n)
	}
	return p
}

func (p *part) isDead(row int) bool {
	return p.dead != nil && p.dead[row>>6]&(1<<(row&63)) != 0
}

func (p *part) live() int { return len(p.keys) - p.nDead }

// kill marks rows [from, to) dead. The caller owns p.dead.
func (p *part) kill(from, to int) {
	if from < to && p.dead == nil {
		p.dead = make([]uint64, (len(p.keys)+63)/64)
	}
	for row := from; row < to; row++ {
		if !p.isDead(row) {
			p.dead[row>>6] |= 1 << (row & 63)
			p.nDead++
			p.total -= int64(p.lengths[row])
		}
	}
}

// rowsIn returns the rows whose keys lie in r.
func (p *part) rowsIn(r record.KeyRange) (from, to int) {
	from, _ = slices.BinarySearch(p.keys, r.First)
	to, _ = slices.BinarySearchFunc(p.keys, int64(r.First)+int64(max(r.N, 0)), func(k record.Key, end int64) int {
		return cmp.Compare(int64(k), end)
	})
	return from, to
}

// without returns p with the rows of ranges dead.
func (p part) without(ranges []record.KeyRange) part {
	p.dead = slices.Clone(p.dead)
	for _, r := range ranges {
		p.kill(p.rowsIn(r))
	}
	return p
}

// within returns p with the rows outside of ranges dead.
func (p part) within(ranges []record.KeyRange) part {
	byFirst := func(a, b record.KeyRange) int { return cmp.Compare(a.First, b.First) }
	if !slices.IsSortedFunc(ranges, byFirst) {
		ranges = slices.Clone(ranges)
		slices.SortFunc(ranges, byFirst)
	}
	p.dead = slices.Clone(p.dead)
	end := 0 // all rows before it are decided
	for _, r := range ranges {
		from, to := p.rowsIn(r)
		p.kill(end, from)
		end = max(end, to)
	}
	p.kill(end, len(p.keys))
	return p
}

// replacedBy returns p with the rows dead whose keys stand in keys, which ascend.
func (p part) replacedBy(keys []record.Key) part {
	if len(p.keys) == 0 {
		return p
	}
	from, _ := slices.BinarySearch(keys, p.keys[0])
	to, found := slices.BinarySearch(keys, p.keys[len(p.keys)-1])
	if found {
		to++
	}
	if from == to {
		return p
	}
	p.dead = slices.Clone(p.dead)
	for _, k := range keys[from:to] {
		if row, ok := slices.BinarySearch(p.keys, k); ok {
			p.kill(row, row+1)
		}
	}
	return p
}

// compact returns the parts that a view keeps. Parts without live rows go. When one
// row in maxDeadShare is dead all become one, so that each rewriting is paid for by
// the rows that died since the last. Above maxSegments the longest tail is merged in
// which the first part is no larger than those after it together, so that a row is
// rewritten only when its segment doubles at least: log2(rows) times in all. Large parts
// and those before them are left out of it.
func compact(parts []part) ([]part, error) {
	parts = slices.DeleteFunc(parts, func(p part) bool { return p.live() == 0 })
	rows, dead, first := 0, 0, 0
	for i := range parts {
		rows += len(parts[i].keys)
		dead += parts[i].nDead
		if parts[i].live() >= maxMergeRows {
			first = i + 1
		}
	}
	from := len(parts)
	switch {
	case dead > 0 && dead*maxDeadShare >= rows:
		from = 0
	case len(parts)-first > maxSegments:
		for i, after := len(parts)-1, 0; i >= first; i-- {
			if after >= parts[i].live() {
				from = i
			}
			after += parts[i].live()
		}
		from = min(from, len(parts)-2)
	}
	if from == len(parts) {
		return parts, nil
	}
	s, err := merge(parts[from:])
	if err != nil {
		return nil, err
	}
	return append(parts[:from:from], newPart(s)), nil
}

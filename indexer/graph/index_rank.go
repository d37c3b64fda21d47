package graph

import (
	"math"
	"slices"

	"ambit/vectors/record"
)

// maxSharedDefs is the number of definitions above which a name is too common to count for
// a file: `String`, `Close`, `new`.
const maxSharedDefs = 8

// allShares is the weight of one user. Every number up to maxSharedDefs divides it, so
// shares are whole numbers. Their sums do not depend on the order, and subtracting a share
// restores the sum.
const allShares = 840

// maxReranked bounds the files of a batch after which the ranks are updated. After a larger
// batch they are computed at the next use.
const maxReranked = 64

// ranks is the weight of each file in the graph of names: a name with n definitions gives
// 1/n of its users to the file of each. This is the degree centrality of the graph whose
// edges are names; PageRank would have to resolve every edge. It is immutable.
type ranks struct {
	shares [][]int // by part and file; 0 for a dead file
	most   int     // the largest of shares
}

// Centrality returns how much the rest of the workspace uses the definitions of a file, in
// [0, 1]: the logarithm of its weighted users divided by that of the most used file.
func (v *View) Centrality(p record.Path) float64 {
	r, ok := v.find(p)
	if !ok {
		return 0
	}
	all := v.ranked()
	if all.most <= 0 {
		return 0
	}
	weight := func(shares int) float64 { return math.Log1p(float64(shares) / allShares) }
	return weight(all.shares[r.part][r.file]) / weight(all.most)
}

// ranked returns the ranks of all files. The first call computes them.
func (v *View) ranked() *ranks {
	if r := v.ranks.Load(); r != nil {
		return r
	}
	v.ranking.Lock()
	defer v.ranking.Unlock()
	if r := v.ranks.Load(); r != nil {
		return r
	}
	if v.below != nil {
		v.below.ranked()
		v.rankAfter(v.below)
	}
	if r := v.ranks.Load(); r != nil {
		return r
	}
	r := &ranks{shares: make([][]int, len(v.parts))}
	for i, s := range v.parts {
		r.shares[i] = make([]int, len(s.files))
	}
	w := weigher{v: v, to: r.shares, sign: 1}
	eachName(v.parts, func(_ string, in []int) {
		w.numbers = in
		w.add()
	})
	r.count()
	v.ranks.Store(r)
	return r
}

// rankAfter derives the ranks of v from those of before, if before has ranks and few files
// changed since. It weighs only the names in the changed files again.
func (v *View) rankAfter(before *View) {
	old := before.ranks.Load()
	if old == nil {
		return
	}
	changed, n := v.since(before)
	if n > 2*maxReranked { // a changed file counts twice, before and after
		return
	}
	r := &ranks{shares: make([][]int, len(v.parts))}
	for i, s := range v.parts {
		if i < len(old.shares) {
			r.shares[i] = slices.Clone(old.shares[i])
		} else {
			r.shares[i] = make([]int, len(s.files))
		}
	}
	names := map[string]bool{}
	for i, s := range v.parts {
		if changed[i] != nil {
			s.namesOf(changed[i], names)
		}
	}
	take, give := weigher{v: before, to: r.shares, sign: -1}, weigher{v: v, to: r.shares, sign: 1}
	for name := range names {
		take.weigh(name)
		give.weigh(name)
	}
	r.count()
	v.ranks.Store(r)
}

// since returns the files, by part, that are live in exactly one of v and before, and their
// number. v derives from before.
func (v *View) since(before *View) (changed [][]bool, n int) {
	changed = make([][]bool, len(v.parts))
	for i, dead := range v.dead {
		if i < len(before.dead) && (len(dead) == 0 || &dead[0] == &before.dead[i][0]) {
			continue
		}
		changed[i] = make([]bool, len(dead))
		for f := range dead {
			if i >= len(before.dead) || dead[f] != before.dead[i][f] {
				changed[i][f] = true
				n++
			}
		}
	}
	return changed, n
}

// namesOf adds the names that the files define or use. It reads the whole segment: 2 ms for
// 20,000 files.
func (s *segment) namesOf(files []bool, names map[string]bool) {
	for n := range s.ends.n {
		if slices.ContainsFunc(s.defsOf(n), func(d def) bool { return files[d.file] }) ||
			slices.ContainsFunc(s.usesOf(n), func(f uint32) bool { return files[f] }) {
			names[s.name(n)] = true
		}
	}
}

// count sets most.
func (r *ranks) count() {
	for _, shares := range r.shares {
		for _, n := range shares {
			r.most = max(r.most, n)
		}
	}
}

// renumbered returns the ranks of a view after a merge of the parts that keep does not name
// into one part of size files with the given numbers.
func (r *ranks) renumbered(keep func(part int) bool, numbers [][]uint32, size int) *ranks {
	next, merged := &ranks{most: r.most}, make([]int, size)
	for i, shares := range r.shares {
		if keep(i) {
			next.shares = append(next.shares, shares)
			continue
		}
		for f, n := range shares {
			if to := numbers[0][f]; to != gone {
				merged[to] = n
			}
		}
		numbers = numbers[1:]
	}
	next.shares = append(next.shares, merged)
	return next
}

// weigher adds the users of names to the files that define them, or subtracts them.
type weigher struct {
	v    *View
	to   [][]int
	sign int

	numbers []int // of the current name, by part; -1 in parts without it
}

// weigh weighs a name.
func (w *weigher) weigh(name string) {
	w.numbers = w.numbers[:0]
	for _, s := range w.v.parts {
		w.numbers = append(w.numbers, s.number(name))
	}
	w.add()
}

// number returns the number of a name, or -1.
func (s *segment) number(name string) int {
	if n, ok := s.lookup(name); ok {
		return n
	}
	return -1
}

// add weighs the name of w.numbers.
func (w *weigher) add() {
	var definers [maxSharedDefs]ref
	n, users := 0, 0
	for i, number := range w.numbers {
		if number < 0 {
			continue
		}
		for _, d := range w.v.parts[i].defsOf(number) {
			if w.v.dead[i][d.file] {
				continue
			}
			if n == maxSharedDefs {
				return
			}
			definers[n] = ref{i, int(d.file)}
			n++
		}
	}
	if n == 0 {
		return
	}
	for i, number := range w.numbers {
		if number < 0 {
			continue
		}
		s := w.v.parts[i]
		for _, u := range s.usesOf(number) {
			if !w.v.dead[i][u] && !s.files[u].test {
				users++
			}
		}
	}
	if users < 2 {
		return
	}
	for _, r := range definers[:n] {
		w.to[r.part][r.file] += w.sign * (users - 1) * (allShares / n)
	}
}

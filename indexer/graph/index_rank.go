package graph

import (
	"math"
	"slices"
	"sort"
	"strings"

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
		if r := v.ranks.Load(); r != nil {
			return r
		}
	}
	r := &ranks{shares: make([][]int, len(v.parts))}
	for i, s := range v.parts {
		r.shares[i] = make([]int, len(s.files))
	}
	eachName(v.parts, func(_ string, in []int) {
		var w weight
		for i, number := range in {
			if number >= 0 {
				w.define(i, v.parts[i].defsOf(number), v.dead[i])
			}
		}
		for i, number := range in {
			if number >= 0 && w.counts() {
				w.use(v.parts[i], v.parts[i].usesOf(number), v.dead[i])
			}
		}
		w.add(r.shares, 1)
	})
	r.count()
	v.ranks.Store(r)
	return r
}

// rankAfter derives the ranks of v from those of before, if before has ranks and few files
// changed since. A file keeps the share that it had at its path, and only the names are
// weighed again that the changed files define or use otherwise than before. The sums are
// whole numbers, so they are those of a fresh view.
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
	take, give := v.weighAgain(before, v.differing(changed))
	for k := range take {
		take[k].add(r.shares, -1)
	}
	for i, files := range changed {
		for f, is := range files {
			if !is || !v.dead[i][f] {
				continue
			}
			if at, ok := v.find(v.parts[i].files[f].path); ok {
				r.shares[at.part][at.file] = r.shares[i][f]
			}
			r.shares[i][f] = 0
		}
	}
	for k := range give {
		give[k].add(r.shares, 1)
	}
	r.count()
	v.ranks.Store(r)
}

// since returns the files, by part, that are live in exactly one of v and before, and their
// number. v derives from before, whose parts are the first of v.
func (v *View) since(before *View) (changed [][]bool, n int) {
	changed = make([][]bool, len(v.parts))
	for i, dead := range v.dead {
		if i < len(before.dead) && (len(dead) == 0 || &dead[0] == &before.dead[i][0]) {
			continue
		}
		files := make([]bool, len(dead))
		for f := range dead {
			if i < len(before.dead) && dead[f] != before.dead[i][f] || i >= len(before.dead) && !dead[f] {
				files[f], changed[i] = true, files
				n++
			}
		}
	}
	return changed, n
}

// differing returns the names, sorted, that the changed files define or use otherwise than the
// files did that they replace: not in the same files as often, or not in as many.
func (v *View) differing(changed [][]bool) []string {
	type place struct {
		name string
		path record.Path // of the file that defines it, "" for all that use it
	}
	balance := map[place]int{}
	add := func(name string, path record.Path, n int) {
		p := place{name, path}
		if _, ok := balance[p]; !ok {
			p.name = strings.Clone(name)
		}
		balance[p] += n
	}
	var pass passage
	for i, s := range v.parts {
		if changed[i] == nil {
			continue
		}
		sign := func(f uint32) int {
			if v.dead[i][f] {
				return -1
			}
			return 1
		}
		s = pass.over(s)
		s.eachDefIn(changed[i], &pass, func(number int, f uint32) { add(s.name(number), s.files[f].path, sign(f)) })
		s.eachUseIn(changed[i], &pass, func(number int, f uint32) {
			if !s.files[f].test {
				add(s.name(number), "", sign(f))
			}
		})
	}
	var names []string
	for p, n := range balance {
		if n != 0 {
			names = append(names, p.name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// weighAgain returns the weights of names in before and in v. It looks at one part after the
// other, and at the names in order, so that little of a view in a [Source] is in memory.
func (v *View) weighAgain(before *View, names []string) (old, now []weight) {
	old, now = make([]weight, len(names)), make([]weight, len(names))
	numbers := make([][]int, len(v.parts)) // by part and name, -1 for none
	var pass passage
	for i, s := range v.parts {
		s = pass.over(s)
		numbers[i] = make([]int, len(names))
		next, found := 0, false
		for k, name := range names {
			pass.renew()
			if next, found = s.seek(name, next); !found {
				numbers[i][k] = -1
				continue
			}
			numbers[i][k] = next
			defs := s.defsOf(next)
			now[k].define(i, defs, v.dead[i])
			if i < len(before.parts) {
				old[k].define(i, defs, before.dead[i])
			}
		}
	}
	for i, s := range v.parts {
		s = pass.over(s)
		for k, number := range numbers[i] {
			if number < 0 || !now[k].counts() && !old[k].counts() {
				continue
			}
			pass.renew()
			users := s.usesOf(number)
			now[k].use(s, users, v.dead[i])
			if i < len(before.parts) {
				old[k].use(s, users, before.dead[i])
			}
		}
	}
	return old, now
}

// seek returns the first number from a number on whose name is not less than the given one, and
// whether it is that name. Of names in order it reads what lies between them little more than once.
func (s *segment) seek(name string, from int) (number int, found bool) {
	step := 1
	for from+step <= s.ends.n && s.name(from+step-1) < name {
		from, step = from+step, 2*step
	}
	n := min(step-1, s.ends.n-from)
	number = from + sort.Search(n, func(i int) bool { return s.name(from+i) >= name })
	return number, number < s.ends.n && s.name(number) == name
}

// eachDefIn calls fn with each definition in some files: the number of its name and its file.
// It reads all definitions, one after the other.
func (s *segment) eachDefIn(files []bool, pass *passage, fn func(number int, file uint32)) {
	number := 0
	eachSpan(&s.defs, pass, func(first int, span []def) {
		for i := range span {
			if f := span[i].file; files[f] {
				if number = holding(&s.defEnds, first+i, number); number < s.ends.n { // else it is damaged
					fn(number, f)
				}
			}
		}
	})
}

// eachUseIn is eachDefIn for the uses of names.
func (s *segment) eachUseIn(files []bool, pass *passage, fn func(number int, file uint32)) {
	number := 0
	eachSpan(&s.uses, pass, func(first int, span []uint32) {
		for i, f := range span {
			if files[f] {
				if number = holding(&s.useEnds, first+i, number); number < s.ends.n { // else it is damaged
					fn(number, f)
				}
			}
		}
	})
}

// holding returns the first number from a number on whose end is behind i.
func holding(ends *column[uint32], i, number int) int {
	return number + sort.Search(ends.n-number, func(n int) bool { return int(ends.get(number+n)) > i })
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

// weight is what a name adds to the shares of the files that define it.
type weight struct {
	definers [maxSharedDefs]ref // n of them, of more the first
	n, users int
}

// define counts the definitions of the name in a part, without those in dead files.
func (w *weight) define(part int, defs []def, dead []bool) {
	for _, d := range defs {
		if dead[d.file] {
			continue
		}
		if w.n++; w.n > maxSharedDefs {
			w.n = maxSharedDefs + 1
			return
		}
		w.definers[w.n-1] = ref{part, int(d.file)}
	}
}

// counts reports whether the name has a few definitions.
func (w *weight) counts() bool { return w.n > 0 && w.n <= maxSharedDefs }

// use counts the users of the name in a part, without dead files and tests.
func (w *weight) use(s *segment, users []uint32, dead []bool) {
	for _, u := range users {
		if !dead[u] && !s.files[u].test {
			w.users++
		}
	}
}

// add adds the weight to the shares, or with sign -1 subtracts it.
func (w *weight) add(shares [][]int, sign int) {
	if !w.counts() || w.users < 2 {
		return
	}
	for _, r := range w.definers[:w.n] {
		shares[r.part][r.file] += sign * (w.users - 1) * (allShares / w.n)
	}
}

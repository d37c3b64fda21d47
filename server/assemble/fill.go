package assemble

import (
	"cmp"
	"slices"
)

// plan is how each item is shown.
type plan struct {
	items  []*item
	byFile map[*file][]int // the items of each file that can be shown, by rank
	at     []int           // of each item: the number of its level, from 1; 0 when it is not shown
	spent  [nSections]int  // tokens, markup included
	given  [nSections]int  // tokens that were available to the section
}

// filler is the state of one fill.
type filler struct {
	plan
	limit int
}

// fill chooses how each item is shown so that together they take at most limit tokens.
// It is a pure function of the levels of the items.
//
// Pinned items come first and are raised as far as possible. Then breadth comes before
// depth: each section shows its items at their lowest level, by rank, within its share.
// Then the items in question are raised, to the whole if the budget allows. Then each
// section in turn admits and raises the rest; its unused tokens go to the next section,
// and those that remain at the end are offered to all sections once more.
//
// Items are raised by the gain in value per token, the greedy rule for the
// multiple-choice knapsack problem: only the levels on the upper convex hull of an item
// count, and their steps are taken in the order of their slope.
//
// Source: Kellerer, Pferschy and Pisinger, "Knapsack Problems" (2004), section 11.2.
func fill(items []*item, limit int) plan {
	f := filler{plan{items: items, byFile: make(map[*file][]int), at: make([]int, len(items))}, limit}
	var present [nSections]bool
	for i, it := range items {
		if len(it.levels) > 0 {
			present[it.section] = present[it.section] || it.c.Pin == 0
			f.byFile[it.file] = append(f.byFile[it.file], i)
		}
	}
	f.pin()
	pinned := f.spent
	share := shares(f.left(), present)
	for s := range share {
		f.admit(s, share[s])
		share[s] += pinned[s]
	}
	f.raiseAsked(share)
	opened := false
	for s, ok := range present {
		if !ok {
			continue
		}
		later := 0
		for t := s + 1; t < nSections; t++ {
			later += max(0, share[t]-f.spent[t])
		}
		room := max(0, f.left()-later)
		f.given[s] = f.spent[s] + room
		if !opened || f.given[s] >= minSection {
			f.admit(s, room)
			f.raise(s, f.given[s]-f.spent[s])
		}
		opened = true
	}
	for s := range present {
		if f.spent[s] > 0 {
			f.admit(s, f.left())
			f.raise(s, f.left())
		}
		f.given[s] = max(f.given[s], f.spent[s])
	}
	return f.plan
}

// pin shows the pinned items, all at their lowest level, then raised as far as there is
// room, in the order of the pins.
func (f *filler) pin() {
	var pinned []int
	for i, it := range f.items {
		if it.c.Pin > 0 && len(it.levels) > 0 {
			pinned = append(pinned, i)
		}
	}
	slices.SortStableFunc(pinned, func(a, b int) int { return cmp.Compare(f.items[a].c.Pin, f.items[b].c.Pin) })
	for _, i := range pinned {
		if f.items[i].tokens(1) <= f.left() {
			f.set(i, 1)
		}
	}
	for _, i := range pinned {
		for to := len(f.items[i].levels); f.at[i] > 0 && to > f.at[i] && !f.lift(i, to, f.left()); to-- {
		}
	}
}

// left returns the tokens that are left.
func (f *filler) left() int { return f.limit - sum(f.spent[:]) }

// admit shows the items of section s that are not shown yet at their lowest level, by
// rank, as long as they fit into room tokens. It skips items whose lines another item
// shows.
func (f *filler) admit(s, room int) {
	for i, it := range f.items {
		if it.section != s || f.at[i] > 0 || len(it.levels) == 0 {
			continue
		}
		if t := it.levels[0].tokens; t <= room && f.shownBy(i) < 0 {
			f.set(i, 1)
			room -= t
		}
	}
}

// raiseAsked raises the items in question, by rank: to the whole if the tokens that are
// left allow it, else as far as the share of the section goes.
func (f *filler) raiseAsked(share [nSections]int) {
	for i, it := range f.items {
		if !it.asked || len(it.levels) == 0 || f.shownBy(i) >= 0 {
			continue
		}
		for to := len(it.levels); to > f.at[i]; to-- {
			room := f.left()
			if to < len(it.levels) {
				room = min(room, share[it.section]-f.spent[it.section])
			}
			if f.lift(i, to, room) {
				break
			}
		}
	}
}

// step is the step of an item from one level to another.
type step struct {
	item, from, to int
	slope          float64 // value per token
}

// raise raises the shown items of section s, steepest step first, as long as the steps
// fit into room tokens, then by rank with the tokens that are left.
func (f *filler) raise(s, room int) {
	var steps []step
	for i, it := range f.items {
		if it.section == s && f.at[i] > 0 {
			steps = hull(steps, i, f.at[i], it.levels)
		}
	}
	slices.SortStableFunc(steps, func(a, b step) int { return cmp.Compare(b.slope, a.slope) })
	end := f.spent[s] + room
	for _, st := range steps {
		if f.at[st.item] == st.from { // else an earlier step did not fit, or another item shows its lines
			f.lift(st.item, st.to, end-f.spent[s])
		}
	}
	for i, it := range f.items {
		if it.section != s || f.at[i] == 0 {
			continue
		}
		for to := len(it.levels); to > f.at[i] && !f.lift(i, to, end-f.spent[s]); to-- {
		}
	}
}

// hull appends the steps from level at to the last along the upper convex hull of value
// over tokens; their slopes fall.
func hull(steps []step, item, at int, levels []level) []step {
	for at < len(levels) {
		best := step{item: item, from: at, slope: -1}
		for to := at + 1; to <= len(levels); to++ {
			a, b := &levels[at-1], &levels[to-1]
			if slope := (b.value - a.value) / float64(b.tokens-a.tokens); slope >= best.slope {
				best.to, best.slope = to, slope
			}
		}
		if best.to == 0 {
			return steps
		}
		steps = append(steps, best)
		at = best.to
	}
	return steps
}

// lift shows item i at level to if that takes at most room tokens more. Items of the same
// or a later section whose lines it then shows are removed, and their tokens count as
// room. A unit is not shown whole around an item that cannot be removed.
func (f *filler) lift(i, to, room int) bool {
	it := f.items[i]
	var give []int
	cost := it.tokens(to) - it.tokens(f.at[i])
	for _, j := range f.byFile[it.file] {
		if j == i || f.at[j] == 0 || !covers(it.levels[to-1].ranges, f.items[j].lines) {
			continue
		}
		switch other := f.items[j]; {
		case !other.asked && other.c.Pin == 0 && other.section >= it.section:
			give = append(give, j)
			if other.section == it.section || it.asked {
				cost -= other.tokens(f.at[j])
			}
		case to == len(it.levels):
			return false
		}
	}
	if cost > room {
		return false
	}
	f.set(i, to)
	for _, j := range give {
		f.set(j, 0)
	}
	return true
}

// set shows item i at a level, or not at all for 0.
func (f *filler) set(i, to int) {
	it := f.items[i]
	f.spent[it.section] += it.tokens(to) - it.tokens(f.at[i])
	f.at[i] = to
}

// shownBy returns the item whose shown lines hold all of item i, or -1.
func (pl *plan) shownBy(i int) int {
	for _, j := range pl.byFile[pl.items[i].file] {
		if j != i && pl.at[j] > 0 && covers(pl.items[j].levels[pl.at[j]-1].ranges, pl.items[i].lines) {
			return j
		}
	}
	return -1
}

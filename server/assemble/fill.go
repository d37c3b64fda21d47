package assemble

import (
	"cmp"
	"slices"
)

// plan is what fill decides.
type plan struct {
	at    []int          // per item: how many rungs up it is shown, 0 for not at all
	spent [nSections]int // tokens, mark-up included
	given [nSections]int // tokens that the section could have spent
}

// filler is the state of one fill.
type filler struct {
	items []*item
	limit int
	byAt  map[*file][]int // the items of each file, by rank
	plan
}

// fill chooses how each item is shown so that together they take at most limit
// tokens. It is a pure function of the ladders.
//
// What is pinned comes first, and takes what it can. Then breadth comes before depth:
// each section first shows its items at their lowest
// rung, by rank, within its share. Then what was asked for is raised, to the whole
// if what remains allows. Then each section in turn admits and raises the rest, and
// what it leaves flows on to the next, and at the end round once more.
//
// Items are raised by the gain in value per token, the greedy rule for the
// multiple-choice knapsack problem: of each ladder only the rungs on its upper
// convex hull count, and their steps are taken in the order of their slope.
//
// Source: Kellerer, Pferschy and Pisinger, "Knapsack Problems" (2004), section 11.2.
func fill(items []*item, limit int) plan {
	f := filler{items: items, limit: limit, byAt: make(map[*file][]int)}
	f.at = make([]int, len(items))
	var present [nSections]bool
	for i, it := range items {
		if len(it.rungs) > 0 {
			present[it.section] = present[it.section] || it.c.Pin == 0
			f.byAt[it.file] = append(f.byAt[it.file], i)
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

// pin shows what is pinned, all of it at its lowest rung, then raised as far as there
// is room, in the order of the asker.
func (f *filler) pin() {
	var pinned []int
	for i, it := range f.items {
		if it.c.Pin > 0 && len(it.rungs) > 0 {
			pinned = append(pinned, i)
		}
	}
	slices.SortStableFunc(pinned, func(a, b int) int { return cmp.Compare(f.items[a].c.Pin, f.items[b].c.Pin) })
	for _, i := range pinned {
		if f.tokens(i, 1) <= f.left() {
			f.set(i, 1)
		}
	}
	for _, i := range pinned {
		for to := len(f.items[i].rungs); f.at[i] > 0 && to > f.at[i] && !f.lift(i, to, f.left()); to-- {
		}
	}
}

// left returns the tokens that nobody has spent.
func (f *filler) left() int { return f.limit - sum(f.spent[:]) }

// admit shows the items of section s that are not yet shown at their lowest rung,
// by rank, as long as they fit into room tokens. What another item shows already
// is not shown again.
func (f *filler) admit(s, room int) {
	for i, it := range f.items {
		if it.section != s || f.at[i] > 0 || len(it.rungs) == 0 {
			continue
		}
		if t := it.rungs[0].tokens; t <= room && f.shownBy(i) < 0 {
			f.set(i, 1)
			room -= t
		}
	}
}

// raiseAsked raises what was asked for, by rank: to the whole if all that is left
// allows it, else as far as the share of its section goes.
func (f *filler) raiseAsked(share [nSections]int) {
	for i, it := range f.items {
		if !it.asked || len(it.rungs) == 0 || f.shownBy(i) >= 0 {
			continue
		}
		for to := len(it.rungs); to > f.at[i]; to-- {
			room := f.left()
			if to < len(it.rungs) {
				room = min(room, share[it.section]-f.spent[it.section])
			}
			if f.lift(i, to, room) {
				break
			}
		}
	}
}

// step is one step of an item's ladder.
type step struct {
	item, from, to int
	slope          float64 // value per token
}

// raise raises the shown items of section s, steepest step first, as long as the
// steps fit into room tokens. What a step too large leaves is then used by rank.
func (f *filler) raise(s, room int) {
	var steps []step
	for i, it := range f.items {
		if it.section == s && f.at[i] > 0 {
			steps = hull(steps, i, f.at[i], it.rungs)
		}
	}
	slices.SortStableFunc(steps, func(a, b step) int { return cmp.Compare(b.slope, a.slope) })
	end := f.spent[s] + room
	for _, st := range steps {
		if f.at[st.item] == st.from { // else an earlier step did not fit, or another item shows it by now
			f.lift(st.item, st.to, end-f.spent[s])
		}
	}
	for i, it := range f.items {
		if it.section != s || f.at[i] == 0 {
			continue
		}
		for to := len(it.rungs); to > f.at[i] && !f.lift(i, to, end-f.spent[s]); to-- {
		}
	}
}

// hull appends the steps from rung at to the last along the upper convex hull of
// value over tokens; their slopes fall.
func hull(steps []step, item, at int, rungs []rung) []step {
	for at < len(rungs) {
		best := step{item: item, from: at, slope: -1}
		for to := at + 1; to <= len(rungs); to++ {
			a, b := &rungs[at-1], &rungs[to-1]
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

// lift shows item i at rung to if that takes at most room tokens more. Items of the
// same or a later section that it then shows in full give way and their tokens
// count as room. A unit is not shown whole around one that stays.
func (f *filler) lift(i, to, room int) bool {
	it := f.items[i]
	var give []int
	cost := f.tokens(i, to) - f.tokens(i, f.at[i])
	for _, j := range f.byAt[it.file] {
		if j == i || f.at[j] == 0 || !covers(it.rungs[to-1].ranges, f.items[j].lines) {
			continue
		}
		switch other := f.items[j]; {
		case !other.asked && other.c.Pin == 0 && other.section >= it.section:
			give = append(give, j)
			if other.section == it.section || it.asked {
				cost -= f.tokens(j, f.at[j])
			}
		case to == len(it.rungs):
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

// tokens returns what item i takes at rung to.
func (f *filler) tokens(i, to int) int {
	if to == 0 {
		return 0
	}
	return f.items[i].rungs[to-1].tokens
}

func (f *filler) set(i, to int) {
	f.spent[f.items[i].section] += f.tokens(i, to) - f.tokens(i, f.at[i])
	f.at[i] = to
}

// shownBy returns the item whose shown lines hold all of item i, or -1.
func (f *filler) shownBy(i int) int { return shownBy(f.items, f.at, f.byAt[f.items[i].file], i) }

func shownBy(items []*item, at []int, among []int, i int) int {
	for _, j := range among {
		if j != i && at[j] > 0 && covers(items[j].rungs[at[j]-1].ranges, items[i].lines) {
			return j
		}
	}
	return -1
}

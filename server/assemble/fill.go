package assemble

import (
	"cmp"
	"slices"
	"sort"

	"ambit/server/retrieve"
	"ambit/vectors/record"
)

// plan is how each item is shown.
type plan struct {
	items  []*item
	byFile map[*file][]int // the items of each file that can be shown, by rank
	at     []int           // of each item: the number of its level, from 1; 0 when it is not shown
	shown  []*level        // of each item that is shown: its level without what other items show
	spent  [nSections]int  // tokens, markup included
	given  [nSections]int  // tokens that were available to the section
	cut    bool            // the limit ended the order of the steps
}

// filler is the state of one fill.
type filler struct {
	plan
	pricer *pricer
	limit  int
	queues [nSections][]step // that are not taken yet
	asking int               // the steps of items in question in the queues
	pinned [nSections]int    // tokens of the pinned items
}

// step raises an item to a level; its first step admits it.
type step struct {
	item, to int
	asked    bool
	slope    float64 // value per token
}

const (
	// maxClaim is the size in tokens of a definition in question up to which its lines are
	// shown nowhere else: it will be whole. It is the size of the largest chunk.
	maxClaim = 1500
	// minPart is the least number of lines by which the last step is taken in part.
	minPart = 3
)

// fill chooses how each item is shown so that together they take at most limit tokens.
//
// The items are raised step by step in an order that does not depend on the limit, and
// the limit only says where the order ends: a larger one shows all that a smaller one
// shows, and more. The last step may be taken in part: to a lower level, and for a unit
// in question by its first lines.
//
// Pinned items come first. Then the sections take turns, so that their tokens keep the
// ratio of their shares as long as both have steps (start-time fair queueing). In a
// section the items in question come first, up to the whole. The other steps are taken in
// the order of their gain in value per token, the greedy rule for the multiple-choice
// knapsack problem: only the levels on the upper convex hull of an item count, and no item
// is admitted after one of a lower rank. While an item in question is not whole, others
// are only admitted.
//
// Sources: Kellerer, Pferschy and Pisinger, "Knapsack Problems" (2004), section 11.2;
// Goyal, Vin and Cheng, "Start-time fair queueing" (1996).
func fill(p *pricer, items []*item, limit int) plan {
	f := filler{plan: newPlan(items), pricer: p, limit: limit}
	f.pin()
	f.pinned = f.spent
	total := 0
	for s := range f.queues {
		if f.queues[s] = f.steps(s); len(f.queues[s]) > 0 {
			total += sections[s].share
		}
	}
	present := f.queues
	for s := f.next(total); s >= 0; s = f.next(total) {
		st := f.queues[s][0]
		f.queues[s] = f.queues[s][1:]
		if st.asked {
			f.asking--
		}
		if f.cut = !f.take(st); f.cut {
			break
		}
	}
	for s := range present {
		if f.given[s] = f.spent[s]; len(present[s]) > 0 {
			f.given[s] = max(f.spent[s], f.pinned[s]+(limit-sum(f.pinned[:]))*sections[s].share/total)
		}
	}
	return f.plan
}

func newPlan(items []*item) plan {
	pl := plan{items: items, byFile: make(map[*file][]int), at: make([]int, len(items)), shown: make([]*level, len(items))}
	for i, it := range items {
		if len(it.levels) > 0 {
			pl.byFile[it.file] = append(pl.byFile[it.file], i)
		}
	}
	return pl
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
		if !f.take(step{item: i, to: 1}) {
			return
		}
	}
	for _, i := range pinned {
		for to := 2; to <= len(f.items[i].levels); to++ {
			if !f.take(step{item: i, to: to}) {
				return
			}
		}
	}
}

// steps returns the steps of the items of a section that are not pinned, in their order.
func (f *filler) steps(s int) []step {
	var asked, others []step
	var admissions []int // indices in others, by rank
	for i, it := range f.items {
		if it.section != s || len(it.levels) == 0 || it.c.Pin > 0 || it.poor || f.claimed(i) {
			continue
		}
		at := 0
		for to := 1; it.asked && to <= it.askedLevels(); to++ {
			at = to
			asked = append(asked, step{item: i, to: to, asked: true})
		}
		if at == 0 {
			admissions = append(admissions, len(others))
		}
		others = hull(others, i, at, it.levels)
	}
	f.asking += len(asked)
	best := 0.0
	for _, i := range slices.Backward(admissions) {
		best = max(best, others[i].slope)
		others[i].slope = best
	}
	slices.SortStableFunc(others, func(a, b step) int { return cmp.Compare(b.slope, a.slope) })
	return append(asked, others...)
}

// askedLevels returns the number of levels of an item in question that come before all
// other units: all of a definition, what surrounds the cursor of an enclosing unit, of a
// unit that a question names what it names, and a large one without the bodies of its members.
func (it *item) askedLevels() int {
	switch {
	case it.c.Role == retrieve.RoleEnclosing, it.c.Named == retrieve.NamedUnit && it.whole > maxClaim:
		return max(1, len(it.levels)-1)
	case it.c.Named == retrieve.NamedLines:
		for i := range it.levels {
			if !slices.ContainsFunc(it.c.Focus, func(n int) bool { return !covers(it.levels[i].ranges, record.Lines{First: n, Last: n}) }) {
				return i + 1
			}
		}
	}
	return len(it.levels)
}

// claimed reports whether a definition in question will show the lines of item i.
func (f *filler) claimed(i int) bool {
	for _, j := range f.byFile[f.items[i].file] {
		it := f.items[j]
		if j != i && it.c.Role == retrieve.RoleDefinition && it.whole <= maxClaim && inside(f.items[i].lines, it.lines) && f.items[i].lines != it.lines {
			return true
		}
	}
	return false
}

// hull appends the steps of an item above level at, along the upper convex hull of value
// over tokens; their slopes fall.
func hull(steps []step, item, at int, levels []level) []step {
	var from level
	if at > 0 {
		from = levels[at-1]
	}
	for at < len(levels) {
		best := step{item: item, slope: -1}
		for to := at + 1; to <= len(levels); to++ {
			l := &levels[to-1]
			if slope := (l.value - from.value) / float64(max(1, l.tokens-from.tokens)); slope >= best.slope {
				best.to, best.slope = to, slope
			}
		}
		if best.to == 0 {
			return steps
		}
		steps = append(steps, best)
		at, from = best.to, levels[best.to-1]
	}
	return steps
}

// next returns the section whose turn it is, -1 when no section has steps. Total is the
// sum of the shares of the sections with steps at the start. A section waits until its
// share would be minSection tokens. While an item in question is not whole, the sections
// have equal shares: what a long unit uses is worth as much as the rest of it.
func (f *filler) next(total int) int {
	best, least := -1, 0.0
	spent := sum(f.spent[:]) - sum(f.pinned[:])
	for s, queue := range f.queues {
		share := sections[s].share
		switch {
		case len(queue) == 0:
			continue
		case f.asking > 0 && !queue[0].asked && f.at[queue[0].item] > 0:
			continue
		case best >= 0 && spent*share < minSection*total:
			continue
		}
		if f.asking > 0 {
			share = 1
		}
		if used := float64(f.spent[s]-f.pinned[s]) / float64(share); best < 0 || used < least {
			best, least = s, used
		}
	}
	return best
}

// take takes a step. It reports false when the step does not fit: then it takes as much
// of it as fits, and nothing may follow.
func (f *filler) take(st step) bool {
	i, it := st.item, f.items[st.item]
	if it.c.Pin == 0 && f.at[i] == 0 && f.shownBy(i) >= 0 {
		return true
	}
	if f.show(i, st.to, f.alone(i, &it.levels[st.to-1])) {
		return true
	}
	for to := st.to - 1; to > f.at[i]; to-- {
		if f.show(i, to, f.alone(i, &it.levels[to-1])) {
			return false
		}
	}
	if it.asked || it.c.Pin > 0 {
		f.showPart(i, st.to)
	}
	return false
}

// show shows item i at a level, which may show no more than is shown already. It reports
// false when the level does not fit.
func (f *filler) show(i, at int, l *level) bool {
	if now := f.shown[i]; size(l.ranges) == 0 || now != nil && size(l.ranges) <= size(now.ranges) {
		return true
	}
	if l.tokens > f.room(i) {
		return false
	}
	f.set(i, at, l)
	return true
}

// showPart shows as many further lines of a level as fit, if they are worth the cut.
func (f *filler) showPart(i, to int) {
	it := f.items[i]
	l := f.alone(i, &it.levels[to-1])
	var have []record.Lines
	if now := f.shown[i]; now != nil {
		have = now.ranges
	}
	more := subtract(l.ranges, have)
	part := func(n int) *level {
		return f.pricer.reduced(it, unite(append(slices.Clone(have), head(more, n)...)), l.value)
	}
	if n := sort.Search(size(more), func(n int) bool { return part(n+1).tokens > f.room(i) }); n >= minPart {
		f.set(i, to, part(n))
	}
}

// room returns the tokens that an item may take.
func (f *filler) room(i int) int {
	room := f.limit - sum(f.spent[:])
	if l := f.shown[i]; l != nil {
		room += l.tokens
	}
	return room
}

// alone returns a level of item i without the lines of the items inside of it that are
// shown: each keeps its own rank, role and reason. A pinned item shows all its lines.
func (f *filler) alone(i int, l *level) *level {
	it, ranges := f.items[i], l.ranges
	if it.c.Pin > 0 {
		return l
	}
	for _, j := range f.byFile[it.file] {
		if other := f.items[j]; j != i && f.at[j] > 0 && other.lines != it.lines && inside(other.lines, it.lines) {
			ranges = subtract(ranges, []record.Lines{other.lines})
		}
	}
	if size(ranges) == size(l.ranges) {
		return l
	}
	return f.pricer.reduced(it, ranges, l.value)
}

// set shows item i at a level.
func (f *filler) set(i, at int, l *level) {
	if now := f.shown[i]; now != nil {
		f.spent[f.items[i].section] -= now.tokens
	}
	f.spent[f.items[i].section] += l.tokens
	f.at[i], f.shown[i] = at, l
}

// shownBy returns the item whose shown lines hold all of item i, or -1.
func (pl *plan) shownBy(i int) int {
	for _, j := range pl.byFile[pl.items[i].file] {
		if j != i && pl.at[j] > 0 && covers(pl.shown[j].ranges, pl.items[i].lines) {
			return j
		}
	}
	return -1
}

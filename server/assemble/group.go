package assemble

import (
	"slices"

	"ambit/server/api"
	"ambit/server/retrieve"
	"ambit/vectors/record"
)

const (
	// smallUnit is the size in tokens up to which used units of a file share a heading,
	// which costs about half of that: the size up to which neighbours share a chunk.
	smallUnit = 60
	// maxGroup bounds the tokens of the units that share a heading.
	maxGroup = 300
)

// group returns the items in an order in which the small used units of one file that are
// there for one reason follow the best of them, whose heading they share: constants, types
// of a line. They are whole or not shown. The order does not depend on the budget.
func (p *pricer) group(items []*item) []*item {
	type key struct {
		path   record.Path
		reason string
	}
	leaders := make(map[key]*item)
	followers := make(map[*item][]*item)
	for _, it := range items {
		if !it.small() {
			continue
		}
		k := key{it.c.Unit.Path, it.base.Reason}
		leader := leaders[k]
		if leader == nil || leader.grouped+it.whole > maxGroup {
			leaders[k], it.grouped = it, it.whole
			continue
		}
		leader.grouped += it.whole
		followers[leader] = append(followers[leader], it)
	}
	out := make([]*item, 0, len(items))
	for _, it := range items {
		if it.leader != nil {
			continue
		}
		out = append(out, it)
		for _, f := range followers[it] {
			p.follow(it, f)
			out = append(out, f)
		}
	}
	return out
}

// small reports whether an item may share a heading.
func (it *item) small() bool {
	return len(it.levels) > 0 && (it.c.Role == retrieve.RoleUses || it.c.Role == retrieve.RoleFramework) && it.c.Pin == 0 && !it.poor && it.whole <= smallUnit
}

// follow prices the only level of an item under the heading of another one.
func (p *pricer) follow(leader, it *item) {
	it.leader = leader
	leader.levels = slices.Clip(leader.levels[len(leader.levels)-1:])
	it.levels = slices.Clip(it.levels[len(it.levels)-1:])
	it.markup = p.of(func(b *Bundle) {
		b.Sources, b.Texts, b.Joined = []api.Source{leader.base, it.base}, []string{"", ""}, []bool{false, true}
	}) - leader.markup
	it.levels[0].tokens = it.whole + it.markup
}

// headed returns the item under whose heading an item stands when both are shown.
func (it *item) headed() *item {
	if it.leader != nil {
		return it.leader
	}
	return it
}

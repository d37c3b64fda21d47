package assemble

import (
	"slices"

	"ambit/server/api"
	"ambit/server/retrieve"
	"ambit/vectors/record"
)

// outsideItems makes items of the declarations outside of the workspace.
func outsideItems(all []retrieve.External, dropped []record.ChunkID) []*item {
	items := make([]*item, 0, len(all))
	files := map[string]*file{} // a header or a library of types has megabytes, and many of them
	for i := range all {
		x := &all[i]
		if files[x.File] == nil {
			files[x.File] = newFile(x.Text)
		}
		it := &item{c: x.Candidate, file: files[x.File], section: sectionOf(x.Role), outside: x}
		it.asked = x.Role == retrieve.RoleDefinition || x.Role == retrieve.RoleEnclosing
		var ok bool
		if it.lines, ok = it.file.unit(x.Unit.Span); !ok {
			it.reason = "changed or empty"
		} else if slices.Contains(dropped, x.Unit.ID) {
			it.reason, it.dropped = "dropped", true
		}
		items = append(items, it)
	}
	return items
}

const (
	// undivided is the budget, in tokens, up to which the workspace gives way to nothing outside of it.
	undivided = 2000
	// outsideSlope divides what lies beyond undivided: from the default budget on, the declarations
	// outside have their whole share.
	outsideSlope = 5
	// outsideShares is how many times their share the declarations outside take of what the workspace
	// leaves: a short function that only sets up libraries uses twenty and more.
	outsideShares = 2
)

// reserved returns the tokens that the declarations outside of the workspace have of a budget that
// the workspace could use up: the share of their section, of what lies beyond undivided, as far as
// they need it. It rises by less than the budget, so that the workspace has more of a larger one.
func (p *pricer) reserved(items []*item) int {
	need := 0
	for _, it := range items {
		need += it.tokens(len(it.levels))
	}
	return min(need, p.blank.Budget*sections[framework].share/100, max(0, p.blank.Budget-undivided)/outsideSlope)
}

// withOutside adds the declarations outside of the workspace that are not pinned to a bundle that
// is finished without them. They take what is reserved for them, and also what the bundle leaves of
// the budget, at most twice the share of their section, when it has all of the workspace that is worth
// its tokens: cut says that it has not.
func (p *pricer) withOutside(b *Bundle, items []*item, reserved int, cut bool) *Bundle {
	if len(items) == 0 {
		return b
	}
	room := reserved
	if share := (b.Budget - p.wrapper) * sections[framework].share / 100; !cut && share >= minSection {
		room = max(room, outsideShares*share)
	}
	room = min(room, b.Budget-b.Tokens)
	for round := 0; room > 0 && round < maxRounds; round++ {
		pl := fill(p, items, room)
		next := joined(b, p.bundle(&pl), len(p.blank.Omitted))
		if len(next.Sources) == len(b.Sources) {
			break
		}
		over := p.settle(next) - next.Budget
		if over <= 0 {
			return next
		}
		room = sum(pl.spent[:]) - over
	}
	pl := newPlan(items)
	next := joined(b, p.bundle(&pl), len(p.blank.Omitted))
	if p.settle(next) > next.Budget { // a template can write what is omitted
		return b
	}
	return next
}

// joined returns a bundle with the sources of another one after its own. The first omitted ones of
// the other are those of the request.
func joined(b, more *Bundle, omitted int) *Bundle {
	next := *b
	next.Sources = append(slices.Clip(b.Sources), more.Sources...)
	next.Texts = append(slices.Clip(b.Texts), more.Texts...)
	next.Joined = append(slices.Clip(b.Joined), more.Joined...)
	next.Omitted = append(slices.Clip(b.Omitted), more.Omitted[omitted:]...)
	next.Sections = slices.Clone(b.Sections)
	for _, s := range more.Sections {
		if at := indexOf(next.Sections, s.Name); at >= 0 { // it has the pinned declarations
			next.Sections[at].Tokens += s.Tokens
			next.Sections[at].Budget += s.Budget
			continue
		}
		at := indexOf(next.Sections, sections[structural].name)
		if at < 0 || b.StructureFirst {
			at = len(next.Sections)
		}
		next.Sections = slices.Insert(next.Sections, at, s)
	}
	return &next
}

// indexOf returns the position of the section of a name, or -1.
func indexOf(all []api.Section, name string) int {
	return slices.IndexFunc(all, func(s api.Section) bool { return s.Name == name })
}

package assemble

import (
	"slices"
	"sort"

	"ambit/server/api"
)

// overview returns as much of an overview as limit tokens hold, and its tokens. A larger
// limit adds lines and removes none: the first languages, frameworks and entries come
// first, then parts, entries and dependencies in turns.
func (p *pricer) overview(v *api.Overview, limit int) (*api.Overview, int) {
	if v == nil {
		return nil, 0
	}
	steps := overviewSteps(v)
	tokens := func(n int) int {
		return p.of(func(b *Bundle) { b.Overview = cutOverview(v, steps[n-1]) })
	}
	n := sort.Search(len(steps), func(n int) bool { return tokens(n+1) > limit })
	if n == 0 {
		return nil, 0
	}
	return cutOverview(v, steps[n-1]), tokens(n)
}

// overviewSize is how many items of each list an overview has.
type overviewSize struct{ languages, frameworks, entries, parts, dependencies int }

// overviewSteps returns growing sizes, up to the whole.
func overviewSteps(v *api.Overview) []overviewSize {
	whole := overviewSize{len(v.Languages), len(v.Frameworks), len(v.Entries), len(v.Parts), len(v.Dependencies)}
	var out []overviewSize
	now := overviewSize{languages: min(1, whole.languages)}
	add := func(n *int, most, by int) {
		if *n < most {
			*n = min(most, *n+by)
			out = append(out, now)
		}
	}
	out = append(out, now)
	add(&now.frameworks, whole.frameworks, 6)
	add(&now.languages, whole.languages, 3)
	for now != whole {
		add(&now.parts, whole.parts, 3)
		add(&now.entries, whole.entries, 1)
		add(&now.parts, whole.parts, 3)
		add(&now.dependencies, whole.dependencies, 3)
		add(&now.frameworks, whole.frameworks, 6)
		add(&now.languages, whole.languages, 3)
	}
	return out
}

// cutOverview returns an overview of a size: the first of each list, and of the parts those
// that tell most.
func cutOverview(v *api.Overview, s overviewSize) *api.Overview {
	out := *v
	out.Languages, out.Frameworks, out.Entries, out.Dependencies = v.Languages[:s.languages], v.Frameworks[:s.frameworks], v.Entries[:s.entries], v.Dependencies[:s.dependencies]
	out.Parts = slices.DeleteFunc(slices.Clone(v.Parts), func(part api.ProjectPart) bool { return part.Rank >= s.parts })
	out.MoreEntries += len(v.Entries) - s.entries
	out.MoreParts += len(v.Parts) - len(out.Parts)
	return &out
}

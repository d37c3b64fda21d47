package assemble

import (
	"cmp"
	"context"
	"slices"

	"ambit/server/api"
	"ambit/server/retrieve"
	"ambit/vectors/record"
)

// item is one candidate on its way into the answer.
type item struct {
	c       retrieve.Candidate
	section int
	asked   bool // the cursor is on or in the unit, or a question names it
	file    *file
	lines   record.Lines       // of the whole unit, without blank lines around it
	whole   int                // tokens of the whole unit
	markup  int                // tokens of the markup around the text
	levels  []level            // the ways to show the unit, ascending in tokens and in value
	base    api.Source         // the fields of the source that are the same at every level
	reason  string             // why the unit cannot be shown; then levels is empty
	dropped bool               // the question drops it
	leader  *item              // of the group of an item that shares the heading of another one, see group
	grouped int                // tokens of the whole units of the group that an item leads
	outside *retrieve.External // of an item outside of the workspace; else nil
	poor    bool               // it is not worth its tokens, and the question does not fill the budget
}

// tokens returns the tokens at a level, 0 at level 0.
func (it *item) tokens(level int) int {
	if level == 0 {
		return 0
	}
	return it.levels[level-1].tokens
}

// collapse joins candidates of the same unit, and adjoining chunks of the same prose,
// into the first of them. The order stays. A pinned or dropped candidate joins only
// candidates of the same unit.
func collapse(all []retrieve.Candidate, dropped []record.ChunkID) []retrieve.Candidate {
	out := slices.Clone(all)
	joined := make([]bool, len(out))
	live := make(map[record.Path][]int) // candidates before i that are not joined
	for i := range out {
		path, at := out[i].Unit.Path, i
		for {
			k := slices.IndexFunc(live[path], func(j int) bool {
				a, b := &out[j], &out[at]
				if a.Pin != b.Pin || slices.Contains(dropped, a.Unit.ID) || slices.Contains(dropped, b.Unit.ID) {
					return j != at && a.Unit.Span == b.Unit.Span && a.Unit.ID == b.Unit.ID
				}
				return j != at && oneUnit(&a.Unit, &b.Unit)
			})
			if k < 0 {
				break
			}
			// The joined candidate may touch another one now.
			first, second := min(at, live[path][k]), max(at, live[path][k])
			join(&out[first], &out[second])
			joined[second] = true
			live[path] = slices.DeleteFunc(live[path], func(j int) bool { return j == second })
			at = first
		}
		if at == i {
			live[path] = append(live[path], i)
		}
	}
	kept := out[:0]
	for i, c := range out {
		if !joined[i] {
			kept = append(kept, c)
		}
	}
	return kept
}

// oneUnit reports whether a and b, of one file, are shown as one.
func oneUnit(a, b *retrieve.Unit) bool {
	if a.Span == b.Span {
		return true
	}
	return prose(a) && prose(b) && a.Identifier == b.Identifier &&
		a.Span.Start <= b.Span.End && b.Span.Start <= a.Span.End
}

// prose reports whether u has no declaration to show alone.
func prose(u *retrieve.Unit) bool {
	switch u.Kind {
	case record.KindText, record.KindSection, record.KindDocument, record.KindFile:
		return u.Header.Start >= u.Header.End
	}
	return false
}

// join adds b to a, which keeps its rank and role.
func join(a, b *retrieve.Candidate) {
	u, v := &a.Unit, &b.Unit
	u.Span = record.Span{Start: min(u.Span.Start, v.Span.Start), End: max(u.Span.End, v.Span.End)}
	u.Lines = record.Lines{First: min(u.Lines.First, v.Lines.First), Last: max(u.Lines.Last, v.Lines.Last)}
	u.NameLine = min(u.NameLine, v.NameLine)
	a.Relevance, a.Probability = max(a.Relevance, b.Relevance), max(a.Probability, b.Probability)
	a.Dependents = max(a.Dependents, b.Dependents)
	a.Pin = max(a.Pin, b.Pin)

	a.Focus = slices.Concat(a.Focus, b.Focus)
	slices.Sort(a.Focus)
	a.Focus = slices.Compact(a.Focus)
	a.Found = slices.Concat(a.Found, b.Found)

	why := slices.Clone(a.Why)
	for _, s := range b.Why {
		if !slices.ContainsFunc(why, func(w api.Signal) bool { return w.Name == s.Name }) {
			why = append(why, s)
		}
	}
	slices.SortStableFunc(why, func(x, y api.Signal) int { return cmp.Compare(y.Score, x.Score) })
	a.Why = why
}

// collect reads the files of the candidates, each once, and finds the lines of the units.
func collect(ctx context.Context, texts Texts, candidates []retrieve.Candidate, dropped []record.ChunkID) ([]*item, error) {
	type read struct {
		file   *file
		reason string
	}
	files := make(map[record.Path]read)
	items := make([]*item, 0, len(candidates))
	for _, c := range candidates {
		r, ok := files[c.Unit.Path]
		if !ok {
			content, err := texts.Content(ctx, c.Unit.Path)
			if ctx.Err() != nil {
				return nil, context.Cause(ctx)
			}
			if err != nil {
				r.reason = "unreadable: " + OneLine(err.Error(), maxReason)
			} else {
				r.file = newFile(content)
			}
			files[c.Unit.Path] = r
		}
		it := &item{c: c, file: r.file, reason: r.reason, section: sectionOf(c.Role)}
		it.asked = c.Role == retrieve.RoleDefinition || c.Role == retrieve.RoleEnclosing || c.Role == retrieve.RoleChanged || c.Named != retrieve.NotNamed
		if it.file != nil {
			if it.lines, ok = it.file.unit(c.Unit.Span); !ok {
				it.reason = "changed or empty"
			}
		}
		if it.reason == "" && slices.Contains(dropped, c.Unit.ID) {
			it.reason, it.dropped = "dropped", true
		}
		items = append(items, it)
	}
	return items, nil
}

// maxReason bounds the bytes of a reason that quotes an error.
const maxReason = 200

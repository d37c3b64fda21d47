package lexical

import (
	"context"

	"ambit/vectors/record"
)

// noGroup stands for a row that no group has.
const noGroup = -1

// SearchGroups returns the scores of groups of rows, such as the rows of a file, each
// group as if it were one row: its occurrences are the sum of those of its rows, and so
// is its length. Groups ascend and are disjoint. A group without any term of the query
// has 0. It returns the error of ctx.
func (v *View) SearchGroups(ctx context.Context, query []record.Word, groups []record.KeyRange) ([]float64, error) {
	scores := make([]float64, len(groups))
	g := v.group(groups)
	if len(groups) == 0 || g.total == 0 {
		return scores, ctx.Err()
	}
	average := g.total / float64(len(groups))
	s := v.borrow()
	defer v.giveBack(s)
	occurrences, with := make([]float64, len(groups)), make([]int32, 0, len(groups))
	for _, t := range parseQuery(query) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		v.match(t, s)
		for i := range v.parts {
			p := &s.postings[i]
			for j, row := range p.rows {
				at := g.of[i][row]
				if at == noGroup {
					continue
				}
				if occurrences[at] == 0 {
					with = append(with, at)
				}
				occurrences[at] += float64(levelScores[p.codes[j]%nLevels])
			}
		}
		factor := t.n * idf(len(with), len(groups)) * (k1 + 1)
		for _, at := range with {
			n := occurrences[at]
			scores[at] += factor * n / (n + k1*(1-kb+kb*g.lengths[at]/average))
			occurrences[at] = 0
		}
		with = with[:0]
	}
	return scores, nil
}

// grouping is the groups of the rows of a view.
type grouping struct {
	of      [][]int32 // by part and row
	lengths []float64 // by group: weighted tokens
	total   float64
}

// group finds the group of each live row.
func (v *View) group(groups []record.KeyRange) grouping {
	g := grouping{of: make([][]int32, len(v.parts)), lengths: make([]float64, len(groups))}
	for i := range v.parts {
		p := &v.parts[i]
		g.of[i] = make([]int32, len(p.keys))
		at := 0
		for row, key := range p.keys { // they ascend as the groups do
			for at < len(groups) && int64(groups[at].First)+int64(groups[at].N) <= int64(key) {
				at++
			}
			g.of[i][row] = noGroup
			if at < len(groups) && groups[at].First <= key && !p.isDead(row) {
				g.of[i][row] = int32(at)
				g.lengths[at] += float64(p.lengths[row])
				g.total += float64(p.lengths[row])
			}
		}
	}
	return g
}

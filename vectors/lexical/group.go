package lexical

import (
	"context"

	"ambit/vectors/record"
)

// SearchGroups returns the scores of groups of rows, such as the rows of a file, each
// group as if it were one row: its occurrences are the sum of those of its rows, and so
// is its length. Groups ascend and are disjoint. A group without any term of the query
// has 0. It returns the error of ctx.
func (v *View) SearchGroups(ctx context.Context, query []record.Word, groups []record.KeyRange) ([]float64, error) {
	scores := make([]float64, len(groups))
	lengths, total := v.lengthsOf(groups)
	if len(groups) == 0 || total == 0 {
		return scores, ctx.Err()
	}
	average := total / float64(len(groups))
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
			at, part := 0, &v.parts[i]
			for j, row := range p.rows { // they ascend as the groups do
				key := part.keys[row]
				if at = seek(groups, at, key); at == len(groups) {
					break
				}
				if key < groups[at].First || part.isDead(int(row)) {
					continue
				}
				if occurrences[at] == 0 {
					with = append(with, int32(at))
				}
				occurrences[at] += float64(levelScores[p.codes[j]%nLevels])
			}
		}
		factor := t.n * idf(len(with), len(groups)) * (k1 + 1)
		for _, at := range with {
			n := occurrences[at]
			scores[at] += factor * n / (n + k1*(1-kb+kb*lengths[at]/average))
			occurrences[at] = 0
		}
		with = with[:0]
	}
	return scores, nil
}

// lengthsOf returns the length of each group in weighted tokens, and that of all.
func (v *View) lengthsOf(groups []record.KeyRange) (lengths []float64, total float64) {
	lengths = make([]float64, len(groups))
	for i := range v.parts {
		p := &v.parts[i]
		at := 0
		for row, key := range p.keys { // they ascend as the groups do
			if at = seek(groups, at, key); at == len(groups) {
				break
			}
			if groups[at].First <= key && !p.isDead(row) {
				lengths[at] += float64(p.lengths[row])
				total += float64(p.lengths[row])
			}
		}
	}
	return lengths, total
}

// seek returns the first group from at on that does not end before a key, len(groups) for none.
func seek(groups []record.KeyRange, at int, key record.Key) int {
	before := func(i int) bool { return int64(groups[i].First)+int64(groups[i].N) <= int64(key) }
	step := 1
	for at+step <= len(groups) && before(at+step-1) { // the group that is looked for is farther
		at += step
		step *= 2
	}
	// It is one of at to at+step-1.
	end := min(at+step-1, len(groups))
	for at < end {
		if mid := (at + end) / 2; before(mid) {
			at = mid + 1
		} else {
			end = mid
		}
	}
	return at
}

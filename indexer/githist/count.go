package githist

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"ambit/vectors/record"
)

const (
	recentWindow = 90 * 24 * time.Hour
	yearWindow   = 365 * 24 * time.Hour
	hotCommits   = 10 // in the recent window
	activeOnes   = 3  // in the recent window

	// maxTogether is the largest commit whose files count as changed together: a larger
	// one renames, formats or imports files.
	maxTogether = 30
	// maxTitled is the largest commit whose subject is kept: that of a larger one says little
	// about each of its files.
	maxTitled = 15
	// maxSubject bounds a subject, in characters.
	maxSubject = 200
	// maxPairs bounds the co-changes kept, the heaviest first.
	maxPairs = 100_000
)

// lost is the id of a file that is no ancestor of a present file.
const lost = -1

// counter adds up commits, the newest first.
type counter struct {
	prefix       string
	recent, year int64 // commits at or after these seconds are in the window
	commits      int

	ids   map[string]int32 // the file of a name in the commits not yet counted, or lost
	files []tally
	pairs map[[2]int32]float64 // by id, the smaller first
	batch []int32              // the files of one commit
	named []named
}

// named is the subject of a commit with the files that it changed, by id.
type named struct {
	subject string
	files   []int32
}

// tally counts one file under its present name.
type tally struct {
	path                  string // relative to the root, "" outside
	gone                  bool
	commits, recent, year int
}

func newCounter(prefix string, now time.Time) *counter {
	return &counter{
		prefix: prefix, recent: now.Add(-recentWindow).Unix(), year: now.Add(-yearWindow).Unix(),
		ids: map[string]int32{}, pairs: map[[2]int32]float64{},
	}
}

// add counts one commit.
func (c *counter) add(cm *commit) {
	c.commits++
	c.batch = c.batch[:0]
	for _, ch := range cm.changes {
		id := c.id(ch)
		if id == lost {
			continue
		}
		f := &c.files[id]
		f.commits++
		if cm.when >= c.recent {
			f.recent++
		}
		if cm.when >= c.year {
			f.year++
		}
		if f.path != "" && !f.gone {
			c.batch = append(c.batch, id)
		}
	}
	if len(cm.changes) <= maxTogether {
		c.together(len(cm.changes))
	}
	if len(cm.changes) <= maxTitled && cm.subject != "" && len(c.batch) > 0 {
		c.named = append(c.named, named{cm.subject, slices.Clone(c.batch)})
	}
	c.rename(cm.changes)
}

// together counts the pairs of the batch, which is from a commit of n files.
func (c *counter) together(n int) {
	for i, a := range c.batch {
		for _, b := range c.batch[i+1:] {
			if a != b {
				c.pairs[[2]int32{min(a, b), max(a, b)}] += 1 / float64(n)
			}
		}
	}
}

// id returns the file of a change. A name that is new to the counter is a present file,
// unless the change deletes it.
func (c *counter) id(ch change) int32 {
	if id, ok := c.ids[ch.path]; ok {
		return id
	}
	id := int32(len(c.files))
	path, inside := strings.CutPrefix(ch.path, c.prefix)
	if !inside {
		path = ""
	}
	c.files = append(c.files, tally{path: path, gone: ch.status == 'D'})
	c.ids[ch.path] = id
	return id
}

// rename gives the old names of a commit to the files that the commit renamed. In the
// commits before it, the new names belong to other files or to none.
func (c *counter) rename(changes []change) {
	type move struct {
		from string
		id   int32
	}
	var moves []move // read all before any is applied: two files may change places
	for _, ch := range changes {
		if ch.status == 'R' {
			moves = append(moves, move{ch.from, c.ids[ch.path]})
		}
	}
	for _, ch := range changes {
		if ch.status == 'R' {
			c.ids[ch.path] = lost
		}
	}
	for _, m := range moves {
		c.ids[m.from] = m.id
	}
}

// history returns the counts, files by path and pairs by their two paths.
func (c *counter) history() record.History {
	h := record.History{Commits: c.commits}
	for _, f := range c.files {
		if f.path != "" && !f.gone {
			h.Files = append(h.Files, record.FileHistory{Path: record.Path(f.path), Frequency: f.frequency(), Commits90: f.recent, Commits: f.commits})
		}
	}
	slices.SortFunc(h.Files, func(a, b record.FileHistory) int { return cmp.Compare(a.Path, b.Path) })
	for ids, weight := range c.pairs {
		a, b := record.Path(c.files[ids[0]].path), record.Path(c.files[ids[1]].path)
		h.Pairs = append(h.Pairs, record.CoChange{A: min(a, b), B: max(a, b), Weight: weight})
	}
	byPath := func(a, b record.CoChange) int { return cmp.Or(cmp.Compare(a.A, b.A), cmp.Compare(a.B, b.B)) }
	if len(h.Pairs) > maxPairs {
		slices.SortFunc(h.Pairs, func(a, b record.CoChange) int {
			return cmp.Or(cmp.Compare(b.Weight, a.Weight), byPath(a, b))
		})
		h.Pairs = slices.Clone(h.Pairs[:maxPairs])
	}
	slices.SortFunc(h.Pairs, byPath)
	for _, n := range c.named {
		s := record.Subject{Text: n.subject}
		for _, id := range n.files {
			s.Files = append(s.Files, record.Path(c.files[id].path))
		}
		slices.Sort(s.Files)
		s.Files = slices.Compact(s.Files)
		h.Subjects = append(h.Subjects, s)
	}
	return h
}

// frequency returns the class of the number of changes of the file.
func (f *tally) frequency() record.Frequency {
	switch {
	case f.recent >= hotCommits:
		return record.Hot
	case f.recent >= activeOnes:
		return record.Active
	case f.year >= 1:
		return record.Stable
	}
	return record.Dormant
}

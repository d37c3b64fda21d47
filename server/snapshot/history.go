package snapshot

import (
	"cmp"
	"slices"

	"ambit/vectors/record"
)

// History is the git history of a workspace, by path. It is immutable.
type History struct {
	head    string
	commits int
	cut     string
	files   map[record.Path]record.Frequency
	pairs   map[record.Path][]record.CoChange // each pair under both of its paths, heaviest first
	subject []record.Subject
}

func newHistory(r *record.History) *History {
	h := &History{
		head: r.Head, commits: r.Commits, cut: r.Cut, subject: r.Subjects,
		files: make(map[record.Path]record.Frequency, len(r.Files)),
		pairs: make(map[record.Path][]record.CoChange, len(r.Files)),
	}
	for _, f := range r.Files {
		h.files[f.Path] = f.Frequency
	}
	for _, p := range r.Pairs {
		h.pairs[p.A] = append(h.pairs[p.A], p)
		h.pairs[p.B] = append(h.pairs[p.B], p)
	}
	for _, pairs := range h.pairs {
		slices.SortStableFunc(pairs, func(a, b record.CoChange) int { return cmp.Compare(b.Weight, a.Weight) })
	}
	return h
}

// Head returns the commit that the history was read at, "" without a repository.
func (h *History) Head() string { return h.head }

// Commits returns how many commits were counted, and which were not, "" for none.
func (h *History) Commits() (n int, cut string) { return h.commits, h.cut }

// Failed reports whether git could not read the history.
func (h *History) Failed() bool { return h.commits == 0 && h.cut != "" }

// Frequency returns how often a file changed.
func (h *History) Frequency(path record.Path) record.Frequency {
	return cmp.Or(h.files[path], record.Unknown)
}

// CoChanged returns the pairs that a file is part of, heaviest first.
func (h *History) CoChanged(path record.Path) []record.CoChange { return h.pairs[path] }

// Subjects returns the subjects of the commits of few files, latest first. The caller does not
// change them.
func (h *History) Subjects() []record.Subject { return h.subject }

package assemble

import (
	"cmp"
	"slices"

	"ambit/vectors/record"
)

// unite returns the lines of a as ascending ranges that neither overlap nor adjoin.
// It reorders a.
func unite(a []record.Lines) []record.Lines {
	slices.SortFunc(a, func(x, y record.Lines) int { return cmp.Compare(x.First, y.First) })
	var out []record.Lines
	for _, l := range a {
		if n := len(out); n > 0 && l.First <= out[n-1].Last+1 {
			out[n-1].Last = max(out[n-1].Last, l.Last)
		} else {
			out = append(out, l)
		}
	}
	return out
}

// clip returns the part of l inside unit and whether there is one.
func clip(l, unit record.Lines) (record.Lines, bool) {
	l = record.Lines{First: max(l.First, unit.First), Last: min(l.Last, unit.Last)}
	return l, l.First <= l.Last
}

// covers reports whether every line of l is in ranges, which are as unite leaves them.
func covers(ranges []record.Lines, l record.Lines) bool {
	i, _ := slices.BinarySearchFunc(ranges, l.First, func(r record.Lines, n int) int { return cmp.Compare(r.Last, n) })
	return i < len(ranges) && ranges[i].First <= l.First && l.Last <= ranges[i].Last
}

// size returns how many lines ranges hold.
func size(ranges []record.Lines) int {
	n := 0
	for _, r := range ranges {
		n += r.Last - r.First + 1
	}
	return n
}

// inside reports whether all lines of l are lines of unit.
func inside(l, unit record.Lines) bool { return unit.First <= l.First && l.Last <= unit.Last }

// subtract returns the lines of a that are not in b. Both are as unite leaves them, and so
// is the result.
func subtract(a, b []record.Lines) []record.Lines {
	var out []record.Lines
	for _, l := range a {
		for _, r := range b {
			if r.Last < l.First || r.First > l.Last {
				continue
			}
			if r.First > l.First {
				out = append(out, record.Lines{First: l.First, Last: r.First - 1})
			}
			l.First = r.Last + 1
		}
		if l.First <= l.Last {
			out = append(out, l)
		}
	}
	return out
}

// head returns the first n lines of ranges.
func head(ranges []record.Lines, n int) []record.Lines {
	var out []record.Lines
	for _, l := range ranges {
		if n <= 0 {
			break
		}
		l.Last = min(l.Last, l.First+n-1)
		n -= l.Last - l.First + 1
		out = append(out, l)
	}
	return out
}

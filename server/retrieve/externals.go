package retrieve

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"

	"ambit/indexer/deps"
	"ambit/indexer/languages"
	"ambit/server/api"
	"ambit/vectors/record"
)

// External is a declaration outside of the workspace that a unit in question uses. The path of
// its unit contains the version of its package.
type External struct {
	Candidate
	Package string // "cobra@v1.10.2"
	File    string // as deps.File.Name
	Text    []byte // of the file, with secrets masked; the caller does not change it
	// InArchive says that the file is an entry of an archive, which is not on the disk.
	InArchive bool
}

const (
	// maxExternal bounds the declarations of an answer that are outside of the workspace.
	maxExternal = 24
	// maxTypeLines is the size up to which a used type is shown with its members.
	maxTypeLines = 30
	// maxValueLines is the size up to which a used constant or variable is shown whole.
	maxValueLines = 8
)

// ranked returns the declarations that were found, the most useful first.
func (b *beyond) ranked() []External {
	var out []External
	for at, u := range b.found {
		f := b.files[at.path]
		x := externalOf(f, at.symbol)
		factor := worthPackage
		if f.Std {
			factor = worthStd
		}
		for _, kind := range slices.Sorted(maps.Keys(u.why)) {
			x.Why = append(x.Why, signal(kind, factor*u.why[kind]))
			x.Relevance = max(x.Relevance, factor*u.why[kind])
		}
		slices.SortStableFunc(x.Why, func(a, b api.Signal) int { return cmp.Compare(b.Score, a.Score) })
		roundScores(x.Why)
		x.Probability = x.Relevance // it is not measured
		out = append(out, x)
	}
	for i := range out {
		out[i].Pin = 1 + slices.IndexFunc(b.cur.Pinned, func(p Pin) bool { return p.ID == out[i].Unit.ID })
	}
	out = withoutMembers(out)
	slices.SortFunc(out, func(a, b External) int {
		return cmp.Or(cmp.Compare(b.Relevance, a.Relevance), cmp.Compare(a.Unit.Path, b.Unit.Path), cmp.Compare(a.Unit.Span.Start, b.Unit.Span.Start))
	})
	out = withoutTwins(out)
	out = out[:min(len(out), maxExternal)]
	b.lost = slices.DeleteFunc(b.lost, func(p Pin) bool {
		return slices.ContainsFunc(out, func(x External) bool { return x.Unit.ID == p.ID })
	})
	return out
}

// maxDeclarations bounds the declarations that Declarations gets before it leaves some out.
const maxDeclarations = 2000

// Declarations returns the declarations of direct dependencies of some files that words are about,
// of one kind unless it is "", the best first.
func Declarations(ctx context.Context, d Dependencies, files []record.Path, query string, kind record.Kind, limit int) []External {
	var out []External
	for _, m := range d.Search(ctx, files, query, maxDeclarations) {
		if len(out) == limit {
			break
		}
		if kind != "" && m.File.Record.Graph.Symbols[m.Symbol].Kind != kind {
			continue
		}
		x := externalOf(m.File, m.Symbol)
		x.Relevance = Round(m.Score, scoreDecimals)
		out = append(out, x)
	}
	return withoutTwins(out)
}

// externalOf returns a declaration of a file.
func externalOf(f *deps.File, symbol int) External {
	return External{Candidate: Candidate{Unit: externalUnit(f, symbol), Role: RoleFramework, Frequency: record.Unknown}, Package: f.Package, File: f.Name, Text: f.Text, InArchive: f.InArchive}
}

// withoutMembers leaves out the members of the types that are shown whole, except pinned ones.
// These types are as useful as the best of their members.
func withoutMembers(all []External) []External {
	out := make([]External, 0, len(all))
	for i := range all {
		if all[i].Pin > 0 || !slices.ContainsFunc(all, func(t External) bool { return t.shows(&all[i]) }) {
			out = append(out, all[i])
		}
	}
	for i := range out {
		for j := range all {
			if out[i].shows(&all[j]) {
				out[i].Relevance = max(out[i].Relevance, all[j].Relevance)
			}
		}
	}
	return out
}

// withoutTwins leaves out a declaration with the source of an earlier one, as a struct of C has
// that of the typedef around it, except pinned ones.
func withoutTwins(all []External) []External {
	seen := map[unitKey]bool{}
	return slices.DeleteFunc(all, func(x External) bool {
		key := unitKey{x.Unit.Path, x.Unit.Span}
		twin := seen[key]
		seen[key] = true
		return twin && x.Pin == 0
	})
}

// shows reports whether the source of a declaration has the one of another declaration.
func (x *External) shows(other *External) bool {
	s, o := x.Unit.Span, other.Unit.Span
	return x.Unit.Path == other.Unit.Path && s != o && s.Start <= o.Start && o.End <= s.End
}

// externalShown is shown, without the types that are too large to be shown with their members.
func externalShown(g *record.FileGraph, i int) int {
	whole := shown(g, i)
	if l := g.Symbols[whole].Lines; whole != i && l.Last-l.First >= maxTypeLines {
		return i
	}
	return whole
}

// externalUnit makes a unit of a declaration of a dependency. What its users have to know is its
// signature and its doc comment, which can be the start of the body: the unit ends there, except
// that of a small type.
func externalUnit(f *deps.File, symbol int) Unit {
	g := &f.Record.Graph
	s := &g.Symbols[symbol]
	u := unitOf(g, symbol)
	u.Path, u.Members, u.Identifier = f.Path, nil, externalName(g, s)
	u.ID = record.NewChunkID(f.Path, s.Qualified, "", uint32(s.Span.Start))
	most := maxValueLines
	if languages.IsType(s.Kind) {
		most = maxTypeLines
	}
	if lines := bytes.Count(f.Text[s.Header.Start:s.Span.End], []byte{'\n'}); languages.IsCallable(s.Kind) || lines >= most {
		u.Span.End = min(s.Span.End, max(s.Header.End, s.NameSpan.End, s.Doc.End))
		u.Body = record.Span{Start: u.Span.End, End: u.Span.End}
	}
	u.Lines.Last = u.Lines.First + bytes.Count(bytes.TrimRight(f.Text[u.Span.Start:u.Span.End], "\n"), []byte{'\n'})
	return u
}

// externalName returns the name by which users write a declaration: behind its package, in
// languages whose files are of one.
func externalName(g *record.FileGraph, s *record.Symbol) string {
	if g.Package == "" {
		return s.Qualified
	}
	return g.Package + languages.PathSeparator(g.Language) + s.Qualified
}

package answer

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"ambit/indexer/languages"
	"ambit/server/api"
	"ambit/server/location"
	"ambit/server/snapshot"
	"ambit/server/tokens"
	"ambit/vectors/record"
)

// maxCandidates bounds the declarations that an answer lists for an ambiguous name.
const maxCandidates = 20

// declaration is a symbol that a name may mean.
type declaration struct {
	*record.Symbol
	path record.Path
	pkg  string // see [record.FileGraph]
	test bool
}

// resolve puts the position that q.Symbol or q.Path and q.Line name into q. It returns the
// declarations that the name may mean when the question does not say which one is meant.
func resolve(ctx context.Context, s *snapshot.Snapshot, q *api.Question) (candidates []declaration, err error) {
	if q.Symbol == "" && q.Path == "" {
		return nil, nil
	}
	if err := cleanPath(s, q); err != nil {
		return nil, err
	}
	if q.Symbol == "" {
		return nil, resolveLine(ctx, s, q)
	}
	meant, candidates, err := declaredBy(ctx, s, q)
	if meant == nil {
		if found, useErr := resolveUse(ctx, s, q); found || useErr != nil {
			return nil, useErr
		}
		return candidates, err
	}
	text, err := s.Content(ctx, meant.path)
	if err != nil {
		return nil, err
	}
	setPlace(q, meant.path, text, meant.NameSpan.Start)
	return nil, nil
}

// declaredBy returns the declaration that q.Symbol names, or those that it may name. It
// returns an error when there is none.
func declaredBy(ctx context.Context, s *snapshot.Snapshot, q *api.Question) (meant *declaration, candidates []declaration, err error) {
	named, err := declared(ctx, s, q)
	if err != nil {
		return nil, nil, err
	}
	if len(named) == 0 {
		return nil, nil, fmt.Errorf("%w: no declaration%s is named %s; search finds code by words", api.ErrQuestion, api.Within(q.Path), q.Symbol)
	}
	best, sure := narrow(q, named)
	if !sure {
		return nil, best, nil
	}
	return &best[0], nil, nil
}

// cleanPath makes q.Path relative to the workspace.
func cleanPath(s *snapshot.Snapshot, q *api.Question) error {
	if q.Path == "" || isPattern(q.Path) {
		return nil
	}
	p, err := s.Inside(pathOf(q.Path))
	q.Path = string(p)
	return err
}

// resolveLine puts the first character that is not blank of q.Line into q.
func resolveLine(ctx context.Context, s *snapshot.Snapshot, q *api.Question) error {
	text, line, err := lineOf(ctx, s, q)
	if err != nil {
		return err
	}
	for line.Start < line.End && (text[line.Start] == ' ' || text[line.Start] == '\t') {
		line.Start++
	}
	setPlace(q, record.Path(q.Path), text, line.Start)
	return nil
}

// resolveUse puts the place into q at which q.Symbol, which q.Path does not declare, stands
// as a word in q.Line. It reports whether it does.
func resolveUse(ctx context.Context, s *snapshot.Snapshot, q *api.Question) (found bool, err error) {
	if _, ok := s.File(record.Path(q.Path)); !ok || q.Line == 0 {
		return false, nil
	}
	text, line, err := lineOf(ctx, s, q)
	if err != nil {
		return false, err
	}
	name := lastPart(simplified(q.Symbol))
	for at := line.Start; ; at++ {
		i := bytes.Index(text[at:line.End], []byte(name))
		if i < 0 {
			return false, nil
		}
		if at += i; nameAround(text, at) == (record.Span{Start: at, End: at + len(name)}) {
			setPlace(q, record.Path(q.Path), text, at)
			return true, nil
		}
	}
}

// lineOf returns the text of the file q.Path, and q.Line of it, 1 when it is absent.
func lineOf(ctx context.Context, s *snapshot.Snapshot, q *api.Question) (text []byte, line record.Span, err error) {
	p := record.Path(q.Path)
	if err := s.Check(p); err != nil {
		return nil, line, err
	}
	if text, err = s.Content(ctx, p); err != nil {
		return nil, line, err
	}
	at := api.Place{Position: api.Position{Line: max(q.Line, 1) - 1}, Strict: true}
	if line.Start, err = location.Offset(text, at); err != nil {
		return nil, line, fmt.Errorf("%w: %s %w", api.ErrQuestion, p, err)
	}
	line.End = len(text)
	if i := bytes.IndexByte(text[line.Start:], '\n'); i >= 0 {
		line.End = line.Start + i
	}
	return text, line, nil
}

// setPlace makes q a question about a byte of the text of a file.
func setPlace(q *api.Question, p record.Path, text []byte, offset int) {
	at := location.Position(text, offset, q.PositionEncoding)
	q.TextDocument, q.Position = &api.TextDocument{Path: p}, &at
}

// isPattern reports whether a path is a pattern as in .gitignore.
func isPattern(p string) bool { return strings.ContainsAny(p, `*?[`) }

// pathOf returns the path that a file URI names, and other text as it is.
func pathOf(text string) string {
	if file, ok := location.File(text); ok {
		return file
	}
	return text
}

// declared returns the declarations with the last part of q.Symbol for their name, in the
// files that q.Path and the filters of q keep.
func declared(ctx context.Context, s *snapshot.Snapshot, q *api.Question) (all []declaration, err error) {
	keep := both(below(q.Path), kept(s, q))
	simple := simplified(q.Symbol)
	for _, name := range slices.Compact([]string{q.Symbol, lastPart(q.Symbol), lastPart(simple), strings.TrimPrefix(lastPart(simple), "#")}) {
		for _, d := range s.Index(nil).Names.Definitions(name) {
			if keep != nil && !keep(d.Path) {
				continue
			}
			g, err := s.Graph(ctx, d.Path)
			if err != nil {
				return nil, err
			}
			all = append(all, declaration{&g.Symbols[d.Symbol], d.Path, g.Package, d.Test})
		}
		if len(all) > 0 {
			return all, nil
		}
	}
	return nil, nil
}

var (
	arguments = regexp.MustCompile(`([\p{L}\p{N}_!?])\([^()]*\)`)
	typeArgs  = regexp.MustCompile(`([\p{L}\p{N}_])(<[^<>]*>|\[[^\[\]]*\])`)
	separator = regexp.MustCompile(`::|->|[.#:/\\]#?`)
)

// simplified returns a name without what people and models add to it: "Command.Execute"
// for "(*Command).Execute()".
func simplified(name string) string {
	name = typeArgs.ReplaceAllString(arguments.ReplaceAllString(name, "$1"), "$1")
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("()*& \t`", r) {
			return -1
		}
		return r
	}, name)
}

// parts splits a qualified name. A "#" behind a separator or at the start is of a private
// name: "#error" in "Base.#error".
func parts(name string) (list []string) {
	at, private := 0, ""
	if strings.HasPrefix(name, "#") {
		at, private = 1, "#"
	}
	add := func(part string) {
		if part != "" {
			list = append(list, private+part)
		}
	}
	for _, m := range separator.FindAllStringIndex(name, -1) {
		if m[0] < at {
			continue
		}
		add(name[at:m[0]])
		at, private = m[1], ""
		if m[1]-m[0] > 1 && name[m[1]-1] == '#' {
			private = "#"
		}
	}
	add(name[at:])
	return list
}

// lastPart returns the last component of a qualified name.
func lastPart(name string) string {
	if p := parts(name); len(p) > 0 {
		return p[len(p)-1]
	}
	return name
}

// narrow returns the declarations that q names best, and whether it means the first and
// only one of them: those with exactly the qualified name, then those whose qualified name,
// behind their path and package, ends in it. A line of the question must be one of theirs.
func narrow(q *api.Question, all []declaration) (meant []declaration, sure bool) {
	name, simple := parts(q.Symbol), parts(simplified(q.Symbol))
	tiers := []func(d *declaration) bool{
		func(d *declaration) bool { return d.Qualified == q.Symbol },
		func(d *declaration) bool { return slices.Equal(parts(d.Qualified), simple) },
		func(d *declaration) bool { return d.endsIn(name) || d.endsIn(simple) },
	}
	for _, is := range tiers {
		if meant = matching(all, is); len(meant) > 0 {
			sure = true
			break
		}
	}
	if !sure {
		meant = all
	}
	meant = definitionsOf(meant)
	if q.Line > 0 {
		if at := matching(meant, func(d *declaration) bool { return d.Lines.First <= q.Line && q.Line <= d.Lines.Last }); len(at) > 0 {
			meant = at
		}
	}
	slices.SortStableFunc(meant, func(a, b declaration) int { return cmp.Compare(b.likely(), a.likely()) })
	return meant, sure && len(meant) == 1
}

// likely is larger for what the name of a declaration more often means: types before their
// members, exported names before others, tests last.
func (d *declaration) likely() (n int) {
	for i, is := range []bool{d.Exported, languages.IsType(d.Kind), !d.test} {
		if is {
			n += 1 << i
		}
	}
	return n
}

func matching(all []declaration, is func(*declaration) bool) (out []declaration) {
	for i := range all {
		if is(&all[i]) {
			out = append(out, all[i])
		}
	}
	return out
}

// endsIn reports whether the qualified name ends in the parts of a name, or the parts end
// in it and what stands before are directories, files or packages on the way to it, in
// their order.
func (d *declaration) endsIn(name []string) bool {
	own := parts(d.Qualified)
	n := min(len(own), len(name))
	if n == 0 || !slices.Equal(own[len(own)-n:], name[len(name)-n:]) {
		return false
	}
	pkg, _, _ := strings.Cut(d.pkg, "\n")
	way := slices.Concat(parts(string(d.path)), parts(pkg), parts(d.Container))
	for _, part := range name[:len(name)-n] {
		i := slices.Index(way, part)
		if i < 0 {
			return false
		}
		way = way[i+1:]
	}
	return true
}

// definitionsOf drops what only announces a declaration that is among all: a prototype
// or an overload without a body, and a block that adds to a type.
func definitionsOf(all []declaration) []declaration {
	full := matching(all, func(d *declaration) bool { return d.Body.End > d.Body.Start && d.Kind != record.KindImpl })
	return matching(all, func(d *declaration) bool {
		if d.Body.End > d.Body.Start && d.Kind != record.KindImpl {
			return true
		}
		same := func(f declaration) bool { return f.Qualified == d.Qualified && f.Symbol != d.Symbol }
		switch d.Kind {
		case record.KindImpl:
			return !slices.ContainsFunc(all, func(f declaration) bool { return same(f) && f.Kind != record.KindImpl })
		case record.KindFunction, record.KindMethod, record.KindType, record.KindStruct, record.KindClass, record.KindEnum:
			return !slices.ContainsFunc(full, same)
		}
		return true
	})
}

// ambiguous returns the answer that lists the declarations that a name may mean.
func (a *Answerer) ambiguous(counter *tokens.Counter, q *api.Question, all []declaration, fresh api.Freshness) *api.Answer {
	b := &api.Answer{Format: q.Format, Budget: q.Budget, Encoding: counter.Encoding(), Scope: api.Focused, Freshness: fresh}
	b.Candidates = a.links(all)
	for {
		b.Text = api.CandidateText(q.Symbol, q.Path, b.Candidates, len(all)-len(b.Candidates))
		if b.Tokens = counter.Count(b.Text); b.Tokens <= q.Budget || len(b.Candidates) == 1 {
			return b
		}
		b.Candidates = b.Candidates[:len(b.Candidates)-1]
	}
}

// links returns the places of declarations, at most maxCandidates.
func (a *Answerer) links(all []declaration) (out []api.Link) {
	for _, d := range all[:min(len(all), maxCandidates)] {
		out = append(out, api.Link{Identifier: d.Qualified, Kind: d.Kind, Path: d.path, URI: location.URI(a.o.Root, d.path), Line: d.NameLine})
	}
	return out
}

// Package answer answers questions from a snapshot of the workspace: it finds the units
// related to a place or a query, chooses within the budget, and writes the text.
//
// An answer is a function of the snapshot and of the question. The only state between two
// questions is the names of the sources behind ids, for sources that no longer exist.
// The package never waits, never writes and never reads the disk.
package answer

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"ambit/indexer/gitignore"
	"ambit/server/api"
	"ambit/server/assemble"
	"ambit/server/format"
	"ambit/server/location"
	"ambit/server/retrieve"
	"ambit/server/snapshot"
	"ambit/server/tokens"
	"ambit/vectors/record"
)

var (
	_ assemble.Texts   = (*snapshot.Snapshot)(nil)
	_ assemble.Counter = (*tokens.Cache)(nil)
)

// Options configures the answers of one workspace.
type Options struct {
	Root            string            // absolute path of the workspace, for URIs
	Embed           retrieve.Embedder // the one that the index was made with
	Budget          int               // tokens of an answer, unless the question says
	DocumentsBudget int               // tokens of an answer about documents only
	// Dependencies finds what is outside of the workspace; nil leaves it out of the answers.
	Dependencies retrieve.Dependencies
}

// Answerer answers the questions about one workspace. It is safe for concurrent use.
type Answerer struct {
	o   Options
	ids idMemory
}

// New returns an Answerer.
func New(o Options) *Answerer { return &Answerer{o: o} }

// Context assembles the context of a place or of a query. Errors of the question wrap
// [api.ErrQuestion]; a budget below 1 is [assemble.ErrBudget].
func (a *Answerer) Context(ctx context.Context, s *snapshot.Snapshot, q api.Question, fresh api.Freshness) (*api.Answer, error) {
	_, answer, err := a.context(ctx, s, q, fresh)
	return answer, err
}

// context is Context with the candidates that the answer was made of.
func (a *Answerer) context(ctx context.Context, s *snapshot.Snapshot, q api.Question, fresh api.Freshness) (*retrieve.Result, *api.Answer, error) {
	counter, err := tokens.New(q.Encoding)
	if err != nil {
		return nil, nil, err
	}
	if q.Budget == 0 {
		q.Budget, q.DocumentsBudget = a.o.Budget, a.o.DocumentsBudget
	}
	q.Encoding, q.Format = counter.Encoding(), cmp.Or(q.Format, api.Plain)
	candidates, err := resolve(ctx, s, &q)
	switch {
	case err != nil:
		return nil, nil, err
	case len(candidates) > 0:
		return &retrieve.Result{}, a.ambiguous(counter, &q, candidates, fresh), nil
	case q.Agent && q.TextDocument != nil && q.TextDocument.Outside != "":
		return nil, nil, fmt.Errorf("%w: %s is outside of the workspace; name a file of it that is indexed", api.ErrQuestion, q.TextDocument.Outside)
	case q.Agent && q.TextDocument != nil:
		if err := s.CheckListed(q.TextDocument.Path); err != nil {
			return nil, nil, err
		}
	}
	named, err := a.named(ctx, s, &q)
	if err != nil {
		return nil, nil, err
	}
	result, lost, err := a.retrieve(ctx, s, &q, named.pins)
	if err != nil {
		return nil, nil, err
	}
	if result.Documents && q.DocumentsBudget > 0 {
		q.Budget = q.DocumentsBudget
	}
	render := format.Render
	var own *format.Template
	if q.Template != "" {
		if own, err = format.ParseTemplate(q.Template); err != nil {
			return nil, nil, err
		}
		render = own.Render
	}
	counts := counter.Cache()
	defer counts.Release()
	answer, err := assemble.Assemble(ctx, s.Reading(), counts, assemble.Request{
		Question:  q,
		Result:    result,
		Root:      a.o.Root,
		Render:    render,
		Freshness: fresh,
		Omitted:   append(lost, named.omitted(&result)...),
	})
	if err == nil && own != nil {
		err = own.Err()
	}
	if err != nil {
		return nil, nil, err
	}
	a.ids.keepAnswer(answer)
	return &result, answer, nil
}

// retrieve finds the candidates. It also returns what a diff changes that no answer can show.
func (a *Answerer) retrieve(ctx context.Context, s *snapshot.Snapshot, q *api.Question, pins []retrieve.Pin) (r retrieve.Result, lost []api.Omission, err error) {
	keep := kept(s, q)
	if q.Diff != "" {
		return a.changed(ctx, s, q, retrieve.Change{Keep: keep, Pinned: pins})
	}
	place, ok := q.Place()
	if !ok {
		r, err = retrieve.Ask(ctx, s.Index(a.o.Embed), retrieve.Question{Query: q.Query, Filter: retrieve.Filter{Path: keep}, Pinned: pins})
		return r, nil, err
	}
	cursor := retrieve.Cursor{Keep: keep, Pinned: pins}
	if err = a.enter(s, place, &cursor); err != nil {
		return r, nil, err
	}
	if cursor.In != nil {
		r, err = retrieve.At(ctx, s.Index(a.o.Embed), cursor)
		return r, nil, err
	}
	if len(q.Include) == 0 { // else the question names the files to answer from
		cursor.Dependencies = a.o.Dependencies
	}
	r, _, err = a.at(ctx, s, place, cursor)
	return r, nil, err
}

// at finds the candidates of a place, which it adds to the cursor, and returns the offset
// of the place.
func (a *Answerer) at(ctx context.Context, s *snapshot.Snapshot, place api.Place, cursor retrieve.Cursor) (r retrieve.Result, offset int, err error) {
	if _, offset, err = locate(ctx, s, place); err != nil {
		return r, 0, err
	}
	cursor.Path, cursor.Offset = place.TextDocument.Path, offset
	r, err = retrieve.At(ctx, s.Index(a.o.Embed), cursor)
	return r, offset, err
}

// enter puts the file of a dependency into the cursor when a document is one: outside of the
// workspace, or in a directory of packages in it, which is not indexed.
func (a *Answerer) enter(s *snapshot.Snapshot, place api.Place, cursor *retrieve.Cursor) (err error) {
	d := place.TextDocument
	name := d.Outside
	switch {
	case name == "" && (a.o.Dependencies == nil || s.Listed(d.Path)):
		return nil
	case name == "":
		name = filepath.Join(a.o.Root, filepath.FromSlash(string(d.Path)))
	case a.o.Dependencies == nil:
		return fmt.Errorf("%w: %s is outside of the workspace %s, and the settings leave dependencies out", api.ErrOutside, name, a.o.Root)
	}
	if cursor.In, err = a.o.Dependencies.Locate(paths(s), name); err != nil {
		if d.Outside == "" {
			return nil // the document is one of the workspace
		}
		return fmt.Errorf("%w: %s is outside of the workspace %s: %w; ambit status --deps lists these packages", api.ErrOutside, name, a.o.Root, err)
	}
	if cursor.Offset, err = location.Offset(cursor.In.File.Text, place); err != nil {
		return fmt.Errorf("%w: %s %w", api.ErrQuestion, cursor.In.File.Path, err)
	}
	cursor.Dependencies = a.o.Dependencies
	return nil
}

// paths returns the files that answers show.
func paths(s *snapshot.Snapshot) []record.Path {
	var all []record.Path
	for f := range s.Files() {
		all = append(all, f.Path())
	}
	slices.Sort(all)
	return all
}

// locate returns the text of the file of a place and the offset of the place.
func locate(ctx context.Context, s *snapshot.Snapshot, place api.Place) (text []byte, offset int, err error) {
	path := place.TextDocument.Path
	if err := s.Check(path); err != nil {
		return nil, 0, err
	}
	if text, err = s.Content(ctx, path); err != nil {
		return nil, 0, err
	}
	if offset, err = location.Offset(text, place); err != nil {
		return nil, 0, fmt.Errorf("%w: %s %w", api.ErrQuestion, path, err)
	}
	return text, offset, nil
}

// kept returns a filter of the files that a question may be answered from, nil for all.
func kept(s *snapshot.Snapshot, q *api.Question) func(record.Path) bool {
	return both(included(q.Include, q.Exclude), listed(s, q.Agent))
}

// listed returns a filter of the files that an agent may see, nil for all files.
func listed(s *snapshot.Snapshot, agent bool) func(record.Path) bool {
	if !agent {
		return nil
	}
	return s.Listed
}

// both returns a filter of the files that two filters keep; a nil filter keeps all.
func both(f, g func(record.Path) bool) func(record.Path) bool {
	switch {
	case f == nil:
		return g
	case g == nil:
		return f
	}
	return func(path record.Path) bool { return f(path) && g(path) }
}

// included returns a filter of files by the patterns of a question, nil for all files.
func included(include, exclude []string) func(record.Path) bool {
	if len(include)+len(exclude) == 0 {
		return nil
	}
	in, out := gitignore.ParsePatterns(include), gitignore.ParsePatterns(exclude)
	known := map[record.Path]bool{}
	return func(path record.Path) bool {
		kept, ok := known[path]
		if !ok {
			kept = (len(include) == 0 || in.Match(string(path))) && !out.Match(string(path))
			known[path] = kept
		}
		return kept
	}
}

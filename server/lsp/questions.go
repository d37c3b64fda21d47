package lsp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"ambit/server/api"
	"ambit/server/config"
	"ambit/vectors/record"
)

// asked is the client's latest question, for ambit.explain.
type asked struct {
	folder   *folder
	question api.Question
}

// context answers ambit.context.
func (s *server) context(ctx context.Context, r *request, q *api.Question) (answer *api.Answer, err error) {
	err = s.ask(ctx, r, q, func(q asked) error {
		answer, err = r.contextIn(ctx, q)
		return err
	})
	return answer, err
}

// contextIn answers a question in its folder.
func (r *request) contextIn(ctx context.Context, q asked) (*api.Answer, error) {
	f := q.folder
	answer, err := answering(ctx, r, f, q.question, func(w api.Workspace, ctx context.Context, q api.Question) (*api.Answer, error) {
		set := f.settings.Load() // now, as they may come while the folder opens
		if q.Template == "" && q.Format == "" {
			text, err := config.ReadTemplate(set.Template)
			if err != nil {
				return nil, failed("%v", err)
			}
			q.Template = text
		}
		return w.Context(ctx, withSettings(q, set))
	})
	if err != nil {
		return nil, err
	}
	rename := r.view.renamer(f)
	for i := range answer.Sources {
		if s := &answer.Sources[i]; s.Package == "" { // the others lie outside of the folder
			rename(s.Path, &s.URI)
		}
	}
	r.view.renameLinks(f, answer.Candidates)
	return answer, nil
}

// ask calls do with the question and the folder that it is about, and remembers both. A document
// outside of all folders may be of a package that one of them depends on: they are asked in turn.
func (s *server) ask(ctx context.Context, r *request, q *api.Question, do func(asked) error) error {
	q.Query = strings.TrimSpace(q.Query)
	q.PositionEncoding, q.Strict = s.client.encoding, false
	f, outside, err := s.findQuestion(ctx, r, q)
	for _, q := range outside {
		if err := do(q); !errors.Is(err, api.ErrOutside) {
			s.keep(r, q)
			return err
		}
	}
	if err != nil {
		return err
	}
	s.keep(r, asked{f, *q})
	return do(asked{f, *q})
}

// keep remembers the client's latest question.
func (s *server) keep(r *request, q asked) {
	if r.own {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = &q
}

// latest returns the client's latest question, nil when there is none.
func (s *server) latest() *asked {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

// findQuestion returns the folder to ask about a place or, for words, the folder with
// the best match. Of a document of no folder it returns also what to ask before, see findOutside.
func (s *server) findQuestion(ctx context.Context, r *request, q *api.Question) (f *folder, outside []asked, err error) {
	named := q.Symbol != "" || q.Path != ""
	switch {
	case (q.Diff != "" || q.WorkingTree) && (named || q.Query != "" || q.Position != nil):
		err = &api.FieldError{Field: "diff", Reason: "give a diff without query, position, symbol and path"}
	case q.Diff != "" || q.WorkingTree:
		f, err = s.findWords(ctx, r, q)
	case q.Query != "" && q.Position != nil:
		err = &api.FieldError{Field: "query", Reason: "give a query or a position, not both"}
	case named && (q.Query != "" || q.Position != nil):
		err = &api.FieldError{Field: "symbol", Reason: "give a symbol or a path without query and position"}
	case named:
		f, err = s.findNamed(ctx, r, q)
	case q.Query != "":
		f, err = s.findWords(ctx, r, q)
	case q.Position == nil:
		err = &api.FieldError{Field: "position", Reason: "give textDocument and position, or symbol, or path and line, or query"}
	default:
		f, err = r.view.find(q.TextDocument)
		switch outside := err != nil || f == r.view.fallback; {
		case outside && !q.Agent:
			return f, s.findOutside(r, q), err
		case outside && err == nil:
			err = failed("%s is in no folder that is open; name a file of the workspace", q.TextDocument.URI)
		}
	}
	return f, nil, err
}

// findWords returns the folder to ask for a question in words.
func (s *server) findWords(ctx context.Context, r *request, q *api.Question) (*folder, error) {
	folders, err := r.findFolders(q.Folder, q.TextDocument)
	if err != nil {
		return nil, err
	}
	q.TextDocument = nil
	if len(folders) == 1 || q.Query == "" {
		return folders[0], nil
	}
	matches, _, err := s.searchAll(ctx, r, folders, api.SearchQuestion{Query: q.Query, Limit: 1})
	if err != nil || len(matches) == 0 {
		return folders[0], err
	}
	return matches[0].folder, nil
}

// search answers ambit.search, over all folders unless one is named.
func (s *server) search(ctx context.Context, r *request, q *api.SearchQuestion) (*api.Matches, error) {
	folders, err := r.findFolders(q.Folder, q.TextDocument)
	if err != nil {
		return nil, err
	}
	if f, rest, ok := r.view.folderIn(folders, q.Path); ok {
		folders, q.Path = []*folder{f}, rest
	}
	q.Query, q.PositionEncoding, q.TextDocument = strings.TrimSpace(q.Query), s.client.encoding, nil
	q.Limit, q.Language = cmp.Or(q.Limit, api.DefaultSearchLimit), strings.ToLower(q.Language)
	found, fresh, err := s.searchAll(ctx, r, folders, *q)
	if err == nil && len(found) == 0 {
		err = knowFilters(ctx, r, folders, q)
	}
	if err != nil {
		return nil, err
	}
	answer := &api.Matches{Freshness: fresh}
	for _, m := range found {
		answer.Results = append(answer.Results, m.Match)
	}
	return answer, nil
}

// knowFilters returns an error that lists the languages or the layers of the folders when a
// question names another one.
func knowFilters(ctx context.Context, r *request, folders []*folder, q *api.SearchQuestion) error {
	if q.Language == "" && q.Layer == "" {
		return nil
	}
	languages, layers := map[string]bool{}, map[string]bool{}
	for _, f := range folders {
		st, err := folderStatus(ctx, r, f, api.StatusQuestion{})
		if err != nil {
			return err
		}
		for name := range st.Languages {
			languages[name] = true
		}
		for name := range st.Layers {
			layers[name] = true
		}
	}
	if err := knowName("language", "no file is "+q.Language, q.Language, languages); err != nil {
		return err
	}
	return knowName("layer", "no document is of the layer "+q.Layer, q.Layer, layers)
}

// knowName returns an error when a field has a name that is not known. An absent name is.
func knowName(field, reason, name string, known map[string]bool) error {
	switch {
	case name == "" || known[name]:
		return nil
	case len(known) == 0:
		return &api.FieldError{Field: field, Reason: reason + ", and none has any"}
	}
	return &api.FieldError{Field: field, Reason: reason + "; use one of " + strings.Join(slices.Sorted(maps.Keys(known)), ", ")}
}

// found is a match with its folder.
type found struct {
	api.Match
	folder *folder
	lowest float64 // score of the matches of the folder up to this one
}

// searchAll searches several folders in parallel and returns the best matches of all. It
// skips a folder that cannot answer, unless none can. The matches of a folder keep their
// order, in which the second match of a file comes late whatever its score. The freshness has the
// sums of the pending files and of the generations, and the most urgent state.
func (s *server) searchAll(ctx context.Context, r *request, folders []*folder, q api.SearchQuestion) ([]found, api.Freshness, error) {
	answers, errs := make([]*api.Matches, len(folders)), make([]error, len(folders))
	var all errgroup.Group
	all.SetLimit(maxRunning)
	for i, f := range folders {
		all.Go(func() error {
			errs[i] = fmt.Errorf("the search in %s panicked; the server's log has the stack", f.label())
			s.guard("search", func() {
				answers[i], errs[i] = answering(ctx, r, f, q, api.Workspace.Search)
			})
			return nil
		})
	}
	_ = all.Wait()
	if err := ctx.Err(); err != nil {
		return nil, api.Freshness{}, err
	}
	var best []found
	fresh := api.Freshness{State: api.StateReady}
	for i, f := range folders {
		if errs[i] != nil {
			fresh.State = api.StateFailed
			continue
		}
		r.view.renameMatches(f, answers[i].Results)
		lowest := math.Inf(1)
		for _, m := range answers[i].Results {
			if q.Deps && slices.ContainsFunc(best, func(b found) bool { return b.URI == m.URI && b.Range == m.Range }) {
				continue // folders can share a dependency
			}
			lowest = min(lowest, m.Score)
			best = append(best, found{m, f, lowest})
		}
		one := answers[i].Freshness
		fresh.Generation, fresh.Pending = fresh.Generation+one.Generation, fresh.Pending+one.Pending
		fresh.State = mostUrgent(fresh.State, one.State)
	}
	if !slices.Contains(errs, nil) {
		return nil, fresh, errs[0]
	}
	slices.SortStableFunc(best, func(a, b found) int { return cmp.Compare(b.lowest, a.lowest) })
	return best[:min(len(best), q.Limit)], fresh, nil
}

// mostUrgent returns the more urgent of two states.
func mostUrgent(a, b api.StateName) api.StateName {
	if slices.Index(api.Urgency, b) < slices.Index(api.Urgency, a) {
		return b
	}
	return a
}

// related answers ambit.related.
func (s *server) related(ctx context.Context, r *request, q *api.RelatedQuestion) (*api.Matches, error) {
	f, err := r.findPlace(&q.Place)
	if err != nil {
		return nil, err
	}
	q.Limit = cmp.Or(q.Limit, api.DefaultRelatedLimit)
	answer, err := answering(ctx, r, f, *q, api.Workspace.Related)
	if err != nil {
		return nil, err
	}
	answer.Results = answer.Results[:min(len(answer.Results), q.Limit)]
	r.view.renameMatches(f, answer.Results)
	return answer, nil
}

// explain answers ambit.explain, for the question in the argument or the latest one.
func (s *server) explain(ctx context.Context, r *request, q *api.ExplainQuestion) (e *api.Explanation, err error) {
	if q.ID == (record.ChunkID{}) && q.Source == nil {
		return nil, &api.FieldError{Field: "id", Reason: "give the id of a source, or source"}
	}
	if q.Query = strings.TrimSpace(q.Query); q.Query != "" || q.Position != nil || q.Symbol != "" || q.Path != "" || q.Diff != "" || q.WorkingTree {
		err = s.ask(ctx, r, &q.Question, func(about asked) error {
			e, err = r.explainIn(ctx, q, about)
			return err
		})
		return e, err
	}
	last := s.latest()
	if last == nil {
		return nil, failed("there is no earlier question; give the query, or textDocument and position, that the source answers")
	}
	return r.explainIn(ctx, q, *last)
}

// explainIn explains a source of the answer to a question.
func (r *request) explainIn(ctx context.Context, q *api.ExplainQuestion, about asked) (*api.Explanation, error) {
	e, err := answering(ctx, r, about.folder, *q, func(w api.Workspace, ctx context.Context, q api.ExplainQuestion) (*api.Explanation, error) {
		q.Question = withSettings(about.question, about.folder.settings.Load())
		return w.Explain(ctx, q)
	})
	if err == nil && e == nil {
		err = failed("the question does not find that source")
	}
	if err != nil {
		return nil, err
	}
	r.view.renamer(about.folder)(e.Path, &e.URI)
	return e, nil
}

// chunks answers ambit.chunks.
func (s *server) chunks(ctx context.Context, r *request, q *api.ChunksQuestion) (*api.Chunks, error) {
	f, err := r.view.find(&q.TextDocument)
	if err != nil {
		return nil, err
	}
	q.PositionEncoding = s.client.encoding
	answer, err := answering(ctx, r, f, *q, api.Workspace.Chunks)
	if err != nil {
		return nil, err
	}
	r.view.renamer(f)(answer.Path, &answer.URI)
	return answer, nil
}

// status answers ambit.status. It does not wait for an index that opens, whose state is
// "starting".
func (s *server) status(ctx context.Context, r *request, q *api.StatusQuestion) (*api.StatusAnswer, error) {
	answer := &api.StatusAnswer{State: api.StateReady}
	for _, f := range r.view.all() {
		one, err := folderStatus(ctx, r, f, *q)
		if err != nil {
			return nil, err
		}
		answer.Folders = append(answer.Folders, *one)
		answer.Files += one.Files
		answer.Pending += one.Pending
		if state := mostUrgent(answer.State, one.State.State); state != answer.State || len(answer.Folders) == 1 {
			answer.State, answer.Message = state, one.Message
		}
	}
	return answer, nil
}

// folderStatus describes one folder.
func folderStatus(ctx context.Context, r *request, f *folder, q api.StatusQuestion) (st *api.Status, err error) {
	if f.ready() != nil {
		if st, err = answering(ctx, r, f, q, api.Workspace.Status); err != nil {
			return nil, err
		}
	} else {
		st = &api.Status{State: *f.state.Load()}
	}
	st.Folder, st.Name, st.Root = f.uri, f.name, f.root // as the client spells it
	return st, nil
}

// reindex answers ambit.reindex: a path of one folder, or everything. It does not count
// among the maxRunning answers, because it may take long.
func (s *server) reindex(ctx context.Context, r *request, q *api.ReindexQuestion) (*api.Reindexed, error) {
	if q.Path != "" && !filepath.IsLocal(filepath.FromSlash(q.Path)) {
		return nil, &api.FieldError{Field: "path", Reason: "use a path inside the folder, with /"}
	}
	folders, err := r.findFolders(q.Folder, q.TextDocument)
	if err != nil {
		return nil, err
	}
	q.TextDocument = nil
	all := &api.Reindexed{}
	for _, f := range folders {
		one, err := using(ctx, r, f, func(ctx context.Context, w api.Workspace) (api.Reindexed, error) {
			return w.Reindex(ctx, *q, func(p api.Progress) { r.report(filesOf(p.Done, p.Total)) })
		})
		all.Files += one.Files
		if err != nil {
			return nil, err
		}
	}
	return all, nil
}

// pause answers ambit.pause.
func (s *server) pause(ctx context.Context, r *request, q *api.PauseQuestion) (*struct{}, error) {
	return nil, eachWorkspace(ctx, r, q, api.Workspace.Pause)
}

// resume answers ambit.resume.
func (s *server) resume(ctx context.Context, r *request, q *api.PauseQuestion) (*struct{}, error) {
	return nil, eachWorkspace(ctx, r, q, api.Workspace.Resume)
}

// eachWorkspace calls do with the workspaces that a question names.
func eachWorkspace(ctx context.Context, r *request, q *api.PauseQuestion, do func(api.Workspace)) error {
	folders, err := r.findFolders(q.Folder, q.TextDocument)
	for _, f := range folders {
		if err == nil {
			_, err = using(ctx, r, f, func(_ context.Context, w api.Workspace) (struct{}, error) {
				do(w)
				return struct{}{}, nil
			})
		}
	}
	return err
}

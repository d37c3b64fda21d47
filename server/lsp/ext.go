package lsp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"sync"

	"ambit/server/assemble"
	"ambit/server/config"
	"ambit/server/format"
)

// Bounds and defaults of the commands' parameters.
const (
	defaultSearchLimit  = 10
	defaultRelatedLimit = 20
	maxLimit            = 1000
)

// The results of the commands, as DESIGN section 6 has them. That of ambit.context is
// [format.Answer]. Lines are 1-based and inclusive, ranges LSP's.

type searchResult struct {
	Results   []matchResult    `json:"results"`
	Freshness format.Freshness `json:"freshness"` // of several folders together, see searchAll
}

type matchResult struct {
	ID         string          `json:"id"`
	Path       string          `json:"path"`
	URI        string          `json:"uri"`
	Range      format.Range    `json:"range"`
	StartLine  int             `json:"start_line"`
	EndLine    int             `json:"end_line"`
	Identifier string          `json:"identifier"`
	Kind       string          `json:"kind"`
	Language   string          `json:"language"`
	Role       string          `json:"role,omitempty"`
	Score      float64         `json:"score"`
	Why        []format.Signal `json:"why"`
}

type explainResult struct {
	matchResult
	Rank    int    `json:"rank"`
	Section string `json:"section,omitempty"`
	Omitted string `json:"omitted,omitempty"`
}

type chunksResult struct {
	Path   string        `json:"path"`
	URI    string        `json:"uri"`
	Chunks []chunkResult `json:"chunks"`
}

type chunkResult struct {
	ID         string       `json:"id"`
	Identifier string       `json:"identifier"`
	Kind       string       `json:"kind"`
	Section    string       `json:"section,omitempty"`
	Signature  string       `json:"signature,omitempty"`
	Summary    bool         `json:"summary,omitempty"`
	StartLine  int          `json:"start_line"`
	EndLine    int          `json:"end_line"`
	Range      format.Range `json:"range"`
	Tokens     int          `json:"tokens"`
	Prefix     string       `json:"prefix"`
}

type reindexResult struct {
	Files int `json:"files"`
}

// encode spells a result of ours.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}

// target is what a command is about: a document and perhaps a place in it.
type target struct {
	folder *folder
	path   string
	buffer *Buffer // nil when the document is not open
	at     position
}

// find returns what a document URI stands for.
func (v *view) find(uri string) (target, error) {
	if d, ok := v.docs[uri]; ok {
		return target{folder: d.folder, path: d.buffer.Path, buffer: d.buffer}, nil
	}
	path, ok := filePath(uri)
	if !ok {
		return target{}, failed("%s is not open; ambit reads files and untitled documents", uri)
	}
	for _, d := range v.docs { // in another spelling
		if d.path == path {
			return target{folder: d.folder, path: d.buffer.Path, buffer: d.buffer}, nil
		}
	}
	f, rel := v.folderOf(path)
	if f == nil {
		return target{}, failed("%s is in no folder that is open; open it, or its folder", path)
	}
	return target{folder: f, path: rel}, nil
}

// target returns the target of a command that wants one.
func (s *server) target(r *request, f *fields) (target, error) {
	uri := f.document()
	at, ok := f.position()
	switch {
	case f.err != nil:
		return target{}, f.err
	case uri == "":
		return target{}, invalid("textDocument", "name a document")
	case !ok:
		return target{}, invalid("position", "name a position")
	}
	t, err := r.view.find(uri)
	t.at = at
	return t, err
}

// place returns the byte that a target names.
func (s *server) place(ctx context.Context, w Workspace, t target) (*Place, error) {
	p := &Place{Path: t.path, Buffer: t.buffer}
	var text []byte
	var err error
	if t.buffer != nil {
		text = t.buffer.Text
	} else if text, err = w.Text(ctx, t.path); err != nil {
		return nil, err
	}
	if p.Offset, err = positionOffset(text, t.at, s.client.encoding); err != nil {
		return nil, invalid("position", "%d:%d: %v", t.at.line, t.at.character, err)
	}
	return p, nil
}

// folders returns where a question in words is asked: in the folder that the command
// names, by folder or by textDocument, else in all.
func (s *server) folders(r *request, f *fields) ([]*folder, error) {
	uri, doc := f.text("folder"), f.document()
	switch {
	case f.err != nil:
		return nil, f.err
	case uri != "":
		for _, g := range r.view.folders {
			if root, _ := filePath(uri); g.uri == uri || g.root == root {
				return []*folder{g}, nil
			}
		}
		return nil, invalid("folder", "%s is not open", uri)
	case doc != "":
		t, err := r.view.find(doc)
		return []*folder{t.folder}, err
	case len(r.view.folders) > 0:
		return r.view.folders, nil
	case r.loose != nil:
		return []*folder{r.loose}, nil
	}
	return nil, failed("no folder is open; open one")
}

// perCall are the settings that a question may bring along.
var perCall = []string{"budget", "format", "encoding", "contextMode", "include", "exclude"}

// manner is how a command wants its question answered.
type manner struct {
	said  object          // the settings that it brings along
	call  config.Settings // their values
	scope string
	pin   []string // ids of sources
	drop  []string
}

// manner reads it.
func (f *fields) manner() (m manner, err error) {
	m.said = object{}
	for _, name := range perCall {
		if raw, ok := f.value(name); ok {
			m.said[name] = raw
		}
	}
	client, err := json.Marshal(m.said)
	if err != nil {
		return m, invalid("arguments", "%v", err)
	}
	m.call, _, err = config.Load(config.Sources{Client: client})
	var problem *config.Problem
	if errors.As(err, &problem) {
		return m, invalid(problem.Setting, "%s", problem.Reason)
	}
	m.scope = f.choice("scope", "focused", "exploratory", "comprehensive")
	m.pin, m.drop = f.ids("pin"), f.ids("drop")
	return m, f.err
}

// question returns a question asked in this manner, in a folder with settings.
func (m *manner) question(set *config.Settings) (Question, error) {
	q := Question{
		Budget: set.Budget, DocumentsBudget: set.DocumentsBudget, Encoding: set.Encoding,
		Scope: m.scope, Include: m.call.Include, Exclude: m.call.Exclude, Pin: m.pin, Drop: m.drop,
	}
	if m.said["budget"] != nil {
		q.Budget, q.DocumentsBudget = m.call.Budget, m.call.Budget
	}
	if m.said["encoding"] != nil {
		q.Encoding = m.call.Encoding
	}
	if m.said["contextMode"] != nil {
		q.Context = assemble.ContextMode(m.call.ContextMode)
	}
	style, err := format.Parse(cmp.Or(m.call.Format, set.Format, format.Plain.String()))
	q.Cost = format.Cost(style)
	return q, err
}

// asked is the latest question of the client's, for ambit.explain.
type asked struct {
	folder   *folder
	question Question
}

// contextCommand answers ambit.context.
func (s *server) contextCommand(ctx context.Context, r *request, f *fields) (any, error) {
	a, err := s.context(ctx, r, f)
	if err != nil {
		return nil, err
	}
	return encode(a)
}

// context assembles the context of a place or a question.
func (s *server) context(ctx context.Context, r *request, f *fields) (*format.Answer, error) {
	query := f.query()
	_, hasPosition := f.value("position")
	switch {
	case f.err != nil:
		return nil, f.err
	case query != "" && hasPosition:
		return nil, invalid("query", "give a query or a position, not both")
	case query != "":
		return s.contextOfWords(ctx, r, f, query)
	case !hasPosition:
		return nil, invalid("position", "give textDocument and position, or query")
	}
	t, err := s.target(r, f)
	if err != nil {
		return nil, err
	}
	m, err := f.manner()
	if err != nil {
		return nil, err
	}
	return answering(ctx, r, t.folder, func(ctx context.Context, w Workspace) (*format.Answer, error) {
		q, err := m.question(t.folder.settings.Load())
		if err != nil {
			return nil, err
		}
		if q.At, err = s.place(ctx, w, t); err != nil {
			return nil, err
		}
		return s.assembled(ctx, r, t.folder, w, q)
	})
}

// contextOfWords answers a question in words from the folder that has most to say.
func (s *server) contextOfWords(ctx context.Context, r *request, f *fields, query string) (*format.Answer, error) {
	m, err := f.manner()
	if err != nil {
		return nil, err
	}
	folders, err := s.folders(r, f)
	if err != nil {
		return nil, err
	}
	best := folders[0]
	if len(folders) > 1 {
		matches, _, err := s.searchAll(ctx, r, folders, Search{Query: query, Limit: 1})
		if err != nil {
			return nil, err
		}
		if len(matches) > 0 {
			best = matches[0].folder
		}
	}
	return answering(ctx, r, best, func(ctx context.Context, w Workspace) (*format.Answer, error) {
		q, err := m.question(best.settings.Load())
		if err != nil {
			return nil, err
		}
		q.Query = query
		return s.assembled(ctx, r, best, w, q)
	})
}

// assembled asks the workspace and spells its answer for the client.
func (s *server) assembled(ctx context.Context, r *request, f *folder, w Workspace, q Question) (*format.Answer, error) {
	if !r.own {
		s.mu.Lock()
		s.last = &asked{f, q}
		s.mu.Unlock()
	}
	b, err := w.Context(ctx, q)
	if err != nil {
		return nil, err
	}
	uriOf := r.view.uris(f)
	a := format.NewAnswer(b, s.column)
	for i := range a.Sources {
		a.Sources[i].URI = uriOf(a.Sources[i].Path)
	}
	return a, nil
}

// column returns the length of the beginning of a line as the client counts it.
func (s *server) column(before string) int { return s.client.encoding.length([]byte(before)) }

// uris returns how the files of a folder are named to the client: a document that it
// has open as it spells it.
func (v *view) uris(f *folder) func(path string) string {
	open := map[string]string{}
	for uri, d := range v.docs {
		if d.folder == f {
			open[d.buffer.Path] = uri
		}
	}
	return func(path string) string {
		if uri, ok := open[path]; ok {
			return uri
		}
		return fileURI(filepath.Join(f.root, filepath.FromSlash(path)))
	}
}

// lspRange returns the range of two places.
func (s *server) lspRange(start, end assemble.Position) format.Range {
	position := func(p assemble.Position) format.Position {
		return format.Position{Line: max(0, p.Line-1), Character: s.column(p.Before)}
	}
	return format.Range{Start: position(start), End: position(end)}
}

// match returns a match as the client gets it.
func (s *server) match(m Match, uri string) matchResult {
	why := m.Why
	if why == nil {
		why = []format.Signal{}
	}
	return matchResult{
		ID: m.ID, Path: m.Path, URI: uri, Range: s.lspRange(m.Start, m.End), StartLine: m.StartLine, EndLine: m.EndLine,
		Identifier: m.Identifier, Kind: m.Kind, Language: m.Language, Role: m.Role, Score: m.Score, Why: why,
	}
}

// searchCommand answers ambit.search, over all folders unless one is named.
func (s *server) searchCommand(ctx context.Context, r *request, f *fields) (any, error) {
	q := Search{
		Query: f.query(), Limit: f.number("limit", 1, maxLimit, defaultSearchLimit), Path: f.text("path"),
		Language: f.text("language"), Kind: f.text("kind"), Layer: f.text("layer"), Tags: f.list("tags"),
	}
	if f.err == nil && q.Query == "" {
		f.wrong("query", "say what to look for")
	}
	folders, err := s.folders(r, f)
	if err != nil {
		return nil, err
	}
	found, fresh, err := s.searchAll(ctx, r, folders, q)
	if err != nil {
		return nil, err
	}
	result := searchResult{Results: make([]matchResult, 0, len(found)), Freshness: format.Freshness(fresh)}
	for _, m := range found {
		result.Results = append(result.Results, s.match(m.Match, r.view.uris(m.folder)(m.Path)))
	}
	return encode(result)
}

// found is a match with its folder.
type found struct {
	Match
	folder *folder
}

// searchAll searches several folders side by side and returns the best of all. A
// folder that cannot answer costs its own matches, unless none can. What waits in any of
// them waits, the state is the most urgent, and the generation the sum: another one is
// that of another answer.
func (s *server) searchAll(ctx context.Context, r *request, folders []*folder, q Search) ([]found, assemble.Freshness, error) {
	answers, errs := make([]Found, len(folders)), make([]error, len(folders))
	var all sync.WaitGroup
	for i, f := range folders {
		all.Go(func() {
			errs[i] = fmt.Errorf("search in %s came to a panic", f.label())
			s.guard("search", func() {
				answers[i], errs[i] = answering(ctx, r, f, func(ctx context.Context, w Workspace) (Found, error) { return w.Search(ctx, q) })
			})
		})
	}
	all.Wait()
	if err := ctx.Err(); err != nil {
		return nil, assemble.Freshness{}, err
	}
	var best []found
	fresh := assemble.Freshness{State: Ready}
	for i, f := range folders {
		for _, m := range answers[i].Matches {
			best = append(best, found{m, f})
		}
		one := answers[i].Freshness
		if errs[i] != nil {
			one.State = Failed
		}
		fresh.Generation, fresh.Pending = fresh.Generation+one.Generation, fresh.Pending+one.Pending
		if slices.Index(urgency, one.State) < slices.Index(urgency, fresh.State) {
			fresh.State = one.State
		}
	}
	if good := slices.Index(errs, nil); good < 0 {
		return nil, fresh, errs[0]
	}
	slices.SortStableFunc(best, func(a, b found) int { return cmp.Compare(b.Score, a.Score) })
	return best[:min(len(best), q.Limit)], fresh, nil
}

// relatedCommand answers ambit.related.
func (s *server) relatedCommand(ctx context.Context, r *request, f *fields) (any, error) {
	t, found, err := s.related(ctx, r, f)
	if err != nil {
		return nil, err
	}
	uriOf := r.view.uris(t.folder)
	result := searchResult{Results: make([]matchResult, 0, len(found.Matches)), Freshness: format.Freshness(found.Freshness)}
	for _, m := range found.Matches {
		result.Results = append(result.Results, s.match(m, uriOf(m.Path)))
	}
	return encode(result)
}

// related returns what belongs with a place.
func (s *server) related(ctx context.Context, r *request, f *fields) (target, Found, error) {
	limit := f.number("limit", 1, maxLimit, defaultRelatedLimit)
	t, err := s.target(r, f)
	if err != nil {
		return t, Found{}, err
	}
	found, err := answering(ctx, r, t.folder, func(ctx context.Context, w Workspace) (Found, error) {
		at, err := s.place(ctx, w, t)
		if err != nil {
			return Found{}, err
		}
		return w.Related(ctx, *at, limit)
	})
	found.Matches = found.Matches[:min(len(found.Matches), limit)]
	return t, found, err
}

// lineSuffix is the end of a source named by path and line.
var lineSuffix = regexp.MustCompile(`^(.+):(\d{1,9})$`)

// source reads the fields id and source of ambit.explain. A source is an entry of an
// answer's sources, "path:line", or an identifier.
func (f *fields) source() (t Target) {
	t.ID = f.text("id")
	raw, ok := f.value("source")
	if !ok {
		if t.ID == "" {
			f.wrong("id", "give the id of a source, or source")
		}
		return t
	}
	var text string
	var entry struct {
		ID, Path, Identifier string
		StartLine            int `json:"start_line"`
	}
	switch {
	case json.Unmarshal(raw, &text) == nil:
		if m := lineSuffix.FindStringSubmatch(text); m != nil {
			t.Path = m[1]
			t.Line, _ = strconv.Atoi(m[2]) // nine digits
		} else {
			t.Identifier = text
		}
	case json.Unmarshal(raw, &entry) == nil:
		t = Target{cmp.Or(t.ID, entry.ID), entry.Path, entry.StartLine, entry.Identifier}
	default:
		f.wrong("source", "use a source of an answer, \"path:line\" or an identifier")
	}
	if f.err == nil && t == (Target{}) {
		f.wrong("source", "name a source")
	}
	return t
}

// explainCommand answers ambit.explain, for the question that comes along or the
// latest one.
func (s *server) explainCommand(ctx context.Context, r *request, f *fields) (any, error) {
	t := f.source()
	query := f.query()
	if f.err != nil {
		return nil, f.err
	}
	_, hasPosition := f.value("position")
	if query != "" || hasPosition {
		if _, err := s.context(ctx, r, f); err != nil { // which remembers the question
			return nil, err
		}
	}
	s.mu.Lock()
	last := s.last
	s.mu.Unlock()
	if last == nil {
		return nil, failed("nothing was asked yet; give the query, or textDocument and position, that the source answers")
	}
	e, err := answering(ctx, r, last.folder, func(ctx context.Context, w Workspace) (*Explanation, error) {
		return w.Explain(ctx, last.question, t)
	})
	if err != nil {
		return nil, err
	}
	if e == nil {
		return nil, failed("the question does not find that source")
	}
	return encode(explainResult{s.match(e.Match, r.view.uris(last.folder)(e.Path)), e.Rank, e.Section, e.Omitted})
}

// chunksCommand answers ambit.chunks.
func (s *server) chunksCommand(ctx context.Context, r *request, f *fields) (any, error) {
	uri := f.document()
	if f.err == nil && uri == "" {
		f.wrong("textDocument", "name a document")
	}
	if f.err != nil {
		return nil, f.err
	}
	t, err := r.view.find(uri)
	if err != nil {
		return nil, err
	}
	chunks, err := answering(ctx, r, t.folder, func(ctx context.Context, w Workspace) ([]Chunk, error) { return w.Chunks(ctx, t.path) })
	if err != nil {
		return nil, err
	}
	result := chunksResult{Path: t.path, URI: r.view.uris(t.folder)(t.path), Chunks: make([]chunkResult, 0, len(chunks))}
	for _, c := range chunks {
		result.Chunks = append(result.Chunks, chunkResult{
			ID: c.ID, Identifier: c.Identifier, Kind: c.Kind, Section: c.Section, Signature: c.Signature, Summary: c.Summary,
			StartLine: c.StartLine, EndLine: c.EndLine, Range: s.lspRange(c.Start, c.End), Tokens: c.Tokens, Prefix: c.Prefix,
		})
	}
	return encode(result)
}

// reindexCommand answers ambit.reindex: a path of one folder, or everything. It takes
// as long as it takes, so it does not stand in the way of questions.
func (s *server) reindexCommand(ctx context.Context, r *request, f *fields) (any, error) {
	path := f.text("path")
	if f.err == nil && path != "" && !filepath.IsLocal(filepath.FromSlash(path)) {
		f.wrong("path", "use a path inside of the folder, with /")
	}
	folders, err := s.folders(r, f)
	if err != nil {
		return nil, err
	}
	var result reindexResult
	for _, g := range folders {
		files, err := using(ctx, r, g, func(ctx context.Context, w Workspace) (int, error) {
			return w.Reindex(ctx, path, func(st Status) { r.report(filesOf(st)) })
		})
		result.Files += files
		if err != nil {
			return nil, err
		}
	}
	return encode(result)
}

// pauseCommand answers ambit.pause.
func (s *server) pauseCommand(ctx context.Context, r *request, f *fields) (any, error) {
	return s.eachWorkspace(ctx, r, f, Workspace.Pause)
}

// resumeCommand answers ambit.resume.
func (s *server) resumeCommand(ctx context.Context, r *request, f *fields) (any, error) {
	return s.eachWorkspace(ctx, r, f, Workspace.Resume)
}

// eachWorkspace does something with the workspaces of a command.
func (s *server) eachWorkspace(ctx context.Context, r *request, f *fields, do func(Workspace)) (any, error) {
	folders, err := s.folders(r, f)
	if err != nil {
		return nil, err
	}
	for _, g := range folders {
		_, err := using(ctx, r, g, func(_ context.Context, w Workspace) (struct{}, error) {
			do(w)
			return struct{}{}, nil
		})
		if err != nil {
			return nil, err
		}
	}
	return nil, nil
}

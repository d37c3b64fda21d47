// Package eval measures how well ambit finds what questions about a tree expect, beside
// BM25, grep and other ways to cut files.
//
// The questions are the messages of commits, see [Draw]: a message asks, in the tree before
// its commit, for the files and functions that the commit changed. Or they come from a file,
// see [ReadQuestions]. The package writes only below the scratch directory that it is given,
// starts no program but git, and sends nothing.
package eval

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"ambit/indexer/chunk"
	"ambit/indexer/watch"
	"ambit/server/api"
	"ambit/server/tokens"
	"ambit/vectors/record"
)

// Workspace is the part of [api.Workspace] that is evaluated.
type Workspace interface {
	Index(ctx context.Context, progress func(api.Progress)) (api.Report, error)
	Search(ctx context.Context, q api.SearchQuestion) (*api.Matches, error)
	Context(ctx context.Context, q api.Question) (*api.Answer, error)
}

// Options tunes an evaluation.
type Options struct {
	Seed     uint64 // of the draw of commits and of the bootstrap
	Budget   int    // tokens of an answer
	Encoding string // of tokens
	Watch    watch.Options
	Chunk    chunk.Options
	// Progress is called with the part that is done, from 0 to 1, and what is being done.
	// It may be nil.
	Progress func(done float64, doing string)
}

// searchLimit is the number of results of ambit search that are ranked.
const searchLimit = 100

// formats are the formats whose overhead is measured. The first is the one whose lines count.
var formats = []api.Format{api.Plain, api.XML, api.Markdown, api.Human}

// The places of the methods in evaluator.methods, and of the whole files in corpus.sets.
const (
	bySearch = iota
	byContext
	byBM25
	byGrep

	wholeFiles = 1
)

// evaluator adds up the figures over the questions.
type evaluator struct {
	o       Options
	ws      Workspace
	corpus  *corpus
	counter *tokens.Counter

	methods    []*tally // see the names of the methods
	strategies []*tally // as corpus.sets
	overhead   []overheadSamples
	results    []api.EvaluatedQuestion
	functions  int
}

// tally is the figures of one method.
type tally struct {
	name             string
	filesOnly        bool
	files, functions rankSamples
	read             readSamples
}

// overheadSamples are the figures of one format.
type overheadSamples struct{ tokens, share, perSource sample }

// newEvaluator returns an evaluator of the tree at root, which ws is opened on.
func newEvaluator(root string, ws Workspace, o Options) (*evaluator, error) {
	if o.Progress == nil {
		o.Progress = func(float64, string) {}
	}
	counter, err := tokens.New(o.Encoding)
	if err != nil {
		return nil, err
	}
	c, err := newCorpus(root, o.Watch, o.Chunk)
	if err != nil {
		return nil, err
	}
	e := &evaluator{o: o, ws: ws, corpus: c, counter: counter, overhead: make([]overheadSamples, len(formats))}
	e.methods = []*tally{{name: "ambit search"}, {name: "ambit context"}, {name: "BM25, whole files", filesOnly: true}, {name: "grep", filesOnly: true}}
	for _, set := range c.sets {
		e.strategies = append(e.strategies, &tally{name: set.name})
	}
	return e, nil
}

func (e *evaluator) close() error { return e.corpus.dir.Close() }

// follow brings the index and the corpus to the tree as it is. Share is the part of the
// progress, after done, that it takes.
func (e *evaluator) follow(ctx context.Context, done, share float64, doing string) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		_, err := e.ws.Index(ctx, nil)
		return err
	})
	group.Go(func() error {
		return e.corpus.update(ctx, func(part float64) { e.o.Progress(done+share*part, doing) })
	})
	return group.Wait()
}

// question is one question with what it expects.
type question struct {
	text   string
	commit string
	gold   gold
}

// ask asks every method one question and adds up the figures.
func (e *evaluator) ask(ctx context.Context, q *question) error {
	matches, err := e.ws.Search(ctx, api.SearchQuestion{Query: q.text, Limit: searchLimit, PositionEncoding: api.UTF8})
	if err != nil {
		return err
	}
	answer, err := e.answers(ctx, q.text)
	if err != nil {
		return err
	}
	if len(q.gold.functions) > 0 {
		e.functions++
	}
	r := &reader{e.corpus, e.counter, e.o.Budget}
	found, sources := matchPieces(matches), sourcePieces(answer)
	e.methods[bySearch].add(q, found, r.read(found))
	e.methods[byContext].add(q, sources, answered(answer))
	words, err := e.corpus.sets[wholeFiles].byWords(ctx, q.text)
	if err != nil {
		return err
	}
	e.methods[byBM25].add(q, words, r.read(words))
	grep := e.corpus.grep(q.text)
	e.methods[byGrep].add(q, grep, r.read(grep))

	vector, err := e.corpus.embed.EmbedQuery(ctx, q.text)
	if err != nil {
		return err
	}
	for i, set := range e.corpus.sets {
		pieces, err := set.search(ctx, q.text, vector)
		if err != nil {
			return err
		}
		e.strategies[i].add(q, pieces, r.read(pieces))
	}
	e.note(q, found, words, grep)
	return nil
}

// add adds the figures of one question.
func (t *tally) add(q *question, found []piece, s *shown) {
	t.files.add(q.gold.fileRanks(found))
	t.functions.add(q.gold.functionRanks(found))
	t.read.add(&q.gold, s)
}

// answers asks for the context of a question in every format, adds up what the formats cost,
// and returns the answer in the first one.
func (e *evaluator) answers(ctx context.Context, text string) (first *api.Answer, err error) {
	for i, format := range formats {
		a, err := e.ws.Context(ctx, api.Question{Query: text, Budget: e.o.Budget, Format: format, Encoding: e.o.Encoding, PositionEncoding: api.UTF8})
		if err != nil {
			return nil, err
		}
		if i == 0 {
			first = a
		}
		if a.Tokens == 0 || len(a.Sources) == 0 {
			continue
		}
		beyond := float64(a.Tokens - e.codeTokens(a))
		o := &e.overhead[i]
		o.tokens.add(beyond)
		o.share.add(beyond / float64(a.Tokens))
		o.perSource.add(beyond / float64(len(a.Sources)))
	}
	return first, nil
}

// codeTokens returns the tokens of the lines that an answer shows.
func (e *evaluator) codeTokens(a *api.Answer) (n int) {
	texts := map[record.Path][]byte{}
	for i := range a.Sources {
		x := &a.Sources[i]
		text, known := texts[x.Path]
		if !known {
			text, _ = e.corpus.dir.ReadFile(string(x.Path)) // without it its lines count as overhead
			texts[x.Path] = text
		}
		lines := newLineTable(text)
		for _, l := range x.Ranges {
			s := lines.span(record.Lines{First: l[0], Last: l[1]})
			n += e.counter.Count(string(text[s.Start:max(s.Start, s.End)]))
		}
	}
	return n
}

// note keeps the ranks of one question.
func (e *evaluator) note(q *question, found, words, grep []piece) {
	result := api.EvaluatedQuestion{Question: firstLine(q.text), Commit: q.commit}
	a, b, c := q.gold.fileRanks(found), q.gold.fileRanks(words), q.gold.fileRanks(grep)
	for i, f := range q.gold.files {
		result.Expected = append(result.Expected, api.ExpectedPlace{Path: f.path, Names: f.names, Rank: a[i], BM25: b[i], Grep: c[i]})
	}
	if recall := e.methods[byContext].read.recall; q.gold.nLines > 0 {
		result.Recall = round(recall[len(recall)-1])
	}
	e.results = append(e.results, result)
}

// evaluation returns the figures.
func (e *evaluator) evaluation(root string, took time.Duration) *api.Evaluation {
	out := &api.Evaluation{
		Root: root, Questions: len(e.results), Functions: e.functions, Seed: e.o.Seed, Budget: e.o.Budget,
		Encoding: e.counter.Encoding(), Results: e.results, Seconds: round(took.Seconds()),
	}
	for _, t := range e.methods {
		out.Retrievers = append(out.Retrievers, t.retrieval(e.o.Seed))
	}
	out.Gain = e.methods[bySearch].files.minus(&e.methods[byBM25].files).figures(e.o.Seed)
	for i, t := range e.strategies {
		r, set := t.retrieval(e.o.Seed), e.corpus.sets[i]
		r.Chunks = len(set.chunks)
		r.ChunkSize = set.tokens / max(1, len(set.chunks))
		out.Strategies = append(out.Strategies, r)
	}
	for i, f := range formats {
		o := &e.overhead[i]
		out.Formats = append(out.Formats, api.FormatOverhead{
			Format: f, Tokens: o.tokens.figure(e.o.Seed), Share: o.share.figure(e.o.Seed), PerSource: o.perSource.figure(e.o.Seed),
		})
	}
	return out
}

// retrieval returns the figures of a method.
func (t *tally) retrieval(seed uint64) api.Retrieval {
	r := api.Retrieval{Name: t.name, Files: t.files.figures(seed), Lines: t.read.figures(seed)}
	if len(t.functions.mrr) > 0 && !t.filesOnly {
		functions := t.functions.figures(seed)
		r.Functions = &functions
	}
	return r
}

// Ask evaluates a workspace as it is with questions of a file, see [ReadQuestions].
func Ask(ctx context.Context, root string, ws Workspace, list []Question, o Options) (*api.Evaluation, error) {
	start := time.Now()
	e, err := newEvaluator(root, ws, o)
	if err != nil {
		return nil, err
	}
	defer e.close()
	const share = 0.5 // of the time, indexing
	if err := e.follow(ctx, 0, share, "indexing"); err != nil {
		return nil, err
	}
	questions, err := e.resolve(list)
	if err != nil {
		return nil, err
	}
	for i := range questions {
		e.o.Progress(share+(1-share)*float64(i)/float64(len(questions)), fmt.Sprintf("question %d of %d", i+1, len(questions)))
		if err := e.ask(ctx, &questions[i]); err != nil {
			return nil, err
		}
	}
	return e.evaluation(root, time.Since(start)), nil
}

// firstLine returns the first line of a text.
func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return strings.TrimSpace(line)
}

// sorted returns the keys of a map in order.
func sorted[V any](m map[record.Path]V) []record.Path {
	keys := make([]record.Path, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

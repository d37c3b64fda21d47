package retrieve

import (
	"cmp"
	"context"
	"maps"
	"math"
	"path"
	"slices"
	"strings"

	"ambit/indexer/languages"
	"ambit/server/api"
	"ambit/vectors/record"
)

// ranking ranks the files that answer a question.
type ranking struct {
	*candidates
	question   question
	weights    *weightTable
	tree       tree
	byKey      map[record.Key]*spot
	hits       map[record.Path]*fileHit
	bestWords  float64    // the score of the best chunk by words
	bestTitle  float64    // the same for the words of the title of a report
	bestVector float64    // the cosine of the best chunk by vector
	files      []*fileHit // best first, once all channels have answered
	folder     *folder    // of the last file that directory was asked for; nil before the first
}

// fileHit gathers the signals for one file, each in [0, 1].
type fileHit struct {
	path  record.Path
	facts fileFacts
	score float64
	spots []*spot // best first

	lexical, vector, fused, coherence float64
	definition, stem, directory       float64
	central, title, quoted            float64
	whole, pathWords, history         float64
	tags, layer, updated              float64 // of a document
	demotion                          float64 // factor in (0, 1]
}

// spot is a place in a file: a chunk, or the definition of a name.
type spot struct {
	chunk                  record.Chunk
	symbol                 *record.Symbol // the one that the question names; nil for a chunk
	lexical, vector, title float64        // in [0, 1], relative to the best of the channel
	fused                  float64
	definition             float64
	score                  float64
}

// rank searches by every channel and fuses the results.
func rank(ctx context.Context, ix Index, q Question) (*ranking, error) {
	c, err := newCandidates(ctx, ix, q.Filter)
	if err != nil {
		return nil, err
	}
	r := &ranking{candidates: c, tree: tree{names: ix.Names}, question: readQuestion(q.Query), weights: &weights, byKey: map[record.Key]*spot{}, hits: map[record.Path]*fileHit{}}
	if r.question.report {
		r.weights = &reportWeights
	}
	lists, err := r.look(ctx)
	if err != nil {
		return nil, err
	}
	r.byVector(lists)
	if err := r.gather(ctx); err != nil {
		return nil, err
	}
	r.byFiles(lists)
	r.byDefinition(lists)
	r.byPath(lists)
	r.byQuoted()
	r.byPathWords()
	r.bySubjects()
	r.byMetadata()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	// In the order of their paths: a score may read the file, and a question reads so much.
	r.files = slices.SortedFunc(maps.Values(r.hits), func(a, b *fileHit) int { return cmp.Compare(a.path, b.path) })
	for _, f := range r.files {
		r.score(f)
	}
	slices.SortFunc(r.files, bestFirst)
	return r, r.findSpots(ctx)
}

// bestFirst orders files by their scores.
func bestFirst(a, b *fileHit) int {
	return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.path, b.path))
}

// gather adds the chunks of the hits to their files.
func (r *ranking) gather(ctx context.Context) error {
	if err := r.readChunks(ctx); err != nil {
		return err
	}
	for _, k := range slices.Sorted(maps.Keys(r.byKey)) {
		if s := r.byKey[k]; s.chunk.Key != 0 {
			f := r.file(s.chunk.Path)
			f.spots = append(f.spots, s)
		}
	}
	return nil
}

// readChunks reads the chunks of the hits that it has not read yet.
func (r *ranking) readChunks(ctx context.Context) error {
	keys := make([]record.Key, 0, len(r.byKey))
	for k, s := range r.byKey {
		if s.chunk.Key == 0 {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	chunks, err := r.ix.Files.Chunks(ctx, keys)
	if err != nil {
		return err
	}
	for i, k := range keys {
		r.byKey[k].chunk = chunks[i]
	}
	return nil
}

func (r *ranking) file(p record.Path) *fileHit {
	f := r.hits[p]
	if f == nil {
		f = r.hit(p)
		r.hits[p] = f
	}
	return f
}

// hit returns a new hit of a file, with the signals that its path gives.
func (r *ranking) hit(p record.Path) *fileHit {
	f := &fileHit{path: p, facts: r.facts(p)}
	f.stem, f.directory = share(f.facts.stem, r.question.weight), r.directory(p).share
	return f
}

// folder is what the files of a directory have in common.
type folder struct {
	path  string
	facts fileFacts
	share float64 // of the words of its path, in the question
}

// directory returns the directory of a file.
func (r *ranking) directory(p record.Path) *folder {
	dir, _ := path.Split(string(p))
	if r.folder == nil || dir != r.folder.path {
		facts := factsIn(dir, r.weights)
		r.folder = &folder{dir, facts, share(facts.dirs, r.question.weight)}
	}
	return r.folder
}

// facts returns the facts about a file. Files are mostly asked for by directory.
func (r *ranking) facts(p record.Path) fileFacts {
	dir, base := path.Split(string(p))
	return r.directory(p).facts.of(dir, base, r.weights)
}

// wantsFile reports whether the filter keeps a file by its path and language.
func (r *ranking) wantsFile(p record.Path) bool {
	return r.wants(p) && (r.filter.Language == "" || r.q.Graph(p).Language == r.filter.Language)
}

// score scores a file, and orders its spots.
func (r *ranking) score(f *fileHit) {
	r.order(f)
	for _, s := range f.spots {
		f.lexical = max(f.lexical, s.lexical)
		f.vector = max(f.vector, s.vector)
		f.title = max(f.title, s.title)
		f.fused = max(f.fused, s.fused)
	}
	f.coherence = coherence(f.spots)
	f.central = r.ix.Names.Centrality(f.path)
	f.demotion = r.demotion(f)
	var room [maxSignals]api.Signal
	_, f.score = r.signals(f, room[:0])
}

// maxSignals is the number of the signals for a file.
const maxSignals = 18

// signals appends the signals for a file to some, and returns these and the score that they
// add up to.
func (r *ranking) signals(f *fileHit, to []api.Signal) (all []api.Signal, score float64) {
	w := r.weights
	all = append(to,
		signal("lexical", w.Lexical*f.lexical), signal("title", w.Title*f.title), signal("vector", w.Vector*f.vector),
		signal("fused", w.Fused*f.fused), signal("coherence", w.Coherence*f.coherence),
		signal("whole file", w.Whole*f.whole),
	)
	sum := 0.0
	for _, s := range all {
		sum += s.Score
	}
	if sum < w.Floor {
		all = append(all, signal("floor", w.Floor-sum))
		sum = w.Floor
	}
	definition := w.Definition
	if r.question.one {
		definition = w.OneName
	}
	factors := len(all) // those from here on are shares of sum
	all = append(all,
		signal("definition", definition*f.definition), signal("file name", w.Stem*f.stem),
		signal("directory", w.Directory*f.directory), signal("centrality", w.Central*f.central),
		signal("quoted", w.Quoted*f.quoted),
		signal("path", w.PathWords*f.pathWords), signal("history", w.History*f.history),
		signal("tags", w.Tags*f.tags), signal("layer", w.Layer*f.layer), signal("updated", w.Updated*f.updated),
	)
	score = sum
	for i := factors; i < len(all); i++ {
		all[i].Score *= sum
		score += all[i].Score
	}
	if f.demotion < 1 {
		all = append(all, signal("demotion", score*f.demotion-score))
		score *= f.demotion
	}
	return all, score
}

// why returns the signals for a file that count, the strongest first.
func (r *ranking) why(f *fileHit) []api.Signal {
	all, _ := r.signals(f, nil)
	all = slices.DeleteFunc(all, func(s api.Signal) bool { return s.Score == 0 })
	slices.SortStableFunc(all, func(a, b api.Signal) int { return cmp.Compare(math.Abs(b.Score), math.Abs(a.Score)) })
	roundScores(all)
	return all
}

// order scores the spots of a file and puts the best first. A word that may name a
// variable or a field does not count when the text around it says more: "how are commands
// suggested" is no question about a field that is called commands.
func (r *ranking) order(f *fileHit) {
	w := r.weights
	for _, s := range f.spots {
		text := w.Lexical*s.lexical + w.Title*s.title + w.Vector*s.vector + w.Fused*s.fused
		if s.symbol != nil && !languages.IsCallable(s.symbol.Kind) && !languages.IsType(s.symbol.Kind) && nameWeight*s.definition < text {
			s.symbol, s.definition = nil, 0
		}
		s.score = text + nameWeight*s.definition
	}
	slices.SortStableFunc(f.spots, func(a, b *spot) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.chunk.Span.Start, b.chunk.Span.Start))
	})
}

// nameWeight is the weight of a name of the question beside the text of a spot.
const nameWeight = 2

// coherence rewards files with several hits: it sums the hits after the best, each at
// half the weight of the one before.
func coherence(spots []*spot) float64 {
	const least = 0.03 // shares below change no order
	sum, share := 0.0, 0.5
	for _, s := range spots[min(1, len(spots)):] {
		if share < least {
			break
		}
		sum += share * s.lexical
		share /= 2
	}
	return sum
}

// demotion returns the factor of a file that is rarely the answer, unless the question
// asks for such files.
func (r *ranking) demotion(f *fileHit) float64 {
	wanted := f.facts.test && r.question.wantsTests || f.facts.example && r.question.wantsExamples || f.facts.document && r.question.wantsDocuments
	if wanted && !r.question.report {
		return 1
	}
	d := f.facts.demotion
	if wanted { // a report may name a test, and asks for the code that fails it
		d = math.Sqrt(d)
	}
	if f.facts.barrel && !slices.ContainsFunc(r.q.Graph(f.path).Symbols, func(s record.Symbol) bool { return languages.IsCallable(s.Kind) || languages.IsType(s.Kind) }) {
		d = min(d, r.weights.Barrel)
	}
	if r.ix.Names.HasSource(f.path) {
		d *= r.weights.Header
	}
	if len(f.facts.platforms) > 0 && !slices.ContainsFunc(f.facts.platforms, r.question.onPlatform) {
		d *= r.weights.Platform
	}
	if v := r.tree.oldVersion(f.path); v != "" && !strings.Contains(strings.ToLower(r.question.raw), v) {
		d *= r.weights.OldVersion
	}
	return d
}

// matches returns the best spot of each file, then the second of each, and so on, at most
// limit.
func (r *ranking) matches(limit int) []api.Match {
	var out []api.Match
	for depth, more := 0, true; more; depth++ {
		more = false
		for _, f := range r.files {
			if depth > 0 && depth >= len(f.spots) {
				continue
			}
			if len(out) == limit {
				return out
			}
			out = append(out, r.shown(f, depth))
			more = true
		}
	}
	return out
}

// shown returns the spot of index i of a file, or the file when only its name was found.
func (r *ranking) shown(f *fileHit, i int) api.Match {
	why := r.why(f)
	m := api.Match{Path: f.path, Reason: (&Candidate{Role: RoleMatch, Why: why}).Reason(), Score: Round(f.score, scoreDecimals), Why: why, Identifier: string(f.path), Kind: record.KindFile, StartLine: 1, EndLine: 1}
	if i >= len(f.spots) {
		return m
	}
	c := &f.spots[i].chunk
	lines := c.Lines
	m.ID, m.Kind, m.Identifier, m.UnitSection = c.ID, c.Kind, cmp.Or(c.Unit, string(c.Path)), c.Section
	switch s := f.spots[i].symbol; {
	case s == nil:
	case c.Unit != s.Qualified: // one of several small units
		lines, m.Kind, m.Identifier, m.UnitSection = s.Lines, s.Kind, s.Qualified, ""
	case c.Section == "": // the chunk may hold a small neighbour too
		lines = s.Lines
	}
	m.StartLine, m.EndLine = lines.First, lines.Last
	if lines == c.Lines {
		for _, p := range c.Also {
			m.Also = append(m.Also, [2]int{p.Lines.First, p.Lines.Last})
		}
	}
	return m
}

package eval

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"

	"ambit/indexer/charset"
	"ambit/indexer/chunk"
	"ambit/indexer/languages"
	"ambit/indexer/watch"
	"ambit/vectors/embed"
	"ambit/vectors/lexical"
	"ambit/vectors/quantize"
	"ambit/vectors/record"
)

// maxCode bounds the code of a tree, all of which the corpus holds in memory with the words
// and the vectors of five ways to cut it: about nine times as much.
const maxCode = 64 << 20

// corpus is the code of a tree, cut in several ways, for the methods that ambit is compared
// with. [corpus.update] moves it on to the next tree: only changed files are cut again.
type corpus struct {
	dir    *os.Root
	filter *watch.Filter
	embed  *embed.Builtin
	files  map[record.Path]*codeFile
	code   map[record.Path]bool // whether the name of a file is one of code
	paths  []record.Path        // of files, ascending
	bytes  int64
	sets   []*chunkSet
}

// codeFile is one file of code.
type codeFile struct {
	size, modTime int64
	content       []byte
	lines         lineTable
	keys          []record.KeyRange // of its chunks, by strategy
}

// chunkSet is the corpus cut in one way.
type chunkSet struct {
	cutter
	words  *lexical.View
	next   record.Key
	chunks map[record.Key]chunkRow
	tokens int
}

// chunkRow is one chunk.
type chunkRow struct {
	piece
	tokens int
	code   []int8
	scale  float32
}

// newCorpus returns an empty corpus of the tree at root.
func newCorpus(root string, o watch.Options, opt chunk.Options) (*corpus, error) {
	filter, err := watch.NewFilter(root, o)
	if err != nil {
		return nil, fmt.Errorf("read the ignore rules of %s: %w", root, err)
	}
	dir, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	c := &corpus{dir: dir, filter: filter, embed: embed.NewBuiltin(), files: map[record.Path]*codeFile{}, code: map[record.Path]bool{}}
	for _, cutter := range cutters(opt) {
		c.sets = append(c.sets, &chunkSet{cutter: cutter, words: lexical.New(), next: 1, chunks: map[record.Key]chunkRow{}})
	}
	return c, nil
}

// isCode reports whether the language of a file's name is neither one of documents nor one
// of data.
func isCode(path record.Path) bool {
	language := languages.Parse(path, nil).Language
	return !languages.IsProse(language) && !languages.IsData(language)
}

// takes is [isCode], remembered.
func (c *corpus) takes(path record.Path) bool {
	takes, known := c.code[path]
	if !known {
		takes = isCode(path)
		c.code[path] = takes
	}
	return takes
}

// update brings the corpus to the tree as it is. It calls progress with the part that is done.
func (c *corpus) update(ctx context.Context, progress func(done float64)) error {
	entries, err := watch.Scan(ctx, c.filter)
	if err != nil {
		return err
	}
	var changed []*codeFile
	var names []record.Path
	there := make(map[record.Path]bool, len(entries))
	gone := make([][]record.KeyRange, len(c.sets))
	for _, e := range entries {
		path := record.Path(e.Path)
		if e.LeftOut != "" || !c.takes(path) {
			continue
		}
		old := c.files[path]
		if old != nil && old.size == e.Size && old.modTime == e.ModTime {
			there[path] = true
			continue
		}
		content, err := c.dir.ReadFile(e.Path)
		if content = charset.Decode(content); err != nil || c.filter.LeftOut(e.Path, content) != "" {
			continue
		}
		there[path] = true
		if old != nil {
			c.drop(path, gone)
		}
		f := &codeFile{size: e.Size, modTime: e.ModTime, content: content, lines: newLineTable(content)}
		c.files[path] = f
		changed, names = append(changed, f), append(names, path)
		if c.bytes += int64(len(content)); c.bytes > maxCode {
			return fmt.Errorf("the tree has more than the %d MB of code that an evaluation holds in memory; evaluate a part of it with --root DIR", maxCode>>20)
		}
	}
	for path := range c.files {
		if !there[path] {
			c.drop(path, gone)
			delete(c.files, path)
		}
	}
	if err := c.cut(ctx, changed, names, gone, progress); err != nil {
		return err
	}
	c.paths = c.paths[:0]
	for path := range c.files {
		c.paths = append(c.paths, path)
	}
	slices.Sort(c.paths)
	return nil
}

// drop takes the chunks of a file out, and adds their keys to gone.
func (c *corpus) drop(path record.Path, gone [][]record.KeyRange) {
	f := c.files[path]
	c.bytes -= int64(len(f.content))
	for i, keys := range f.keys {
		set := c.sets[i]
		for k := keys.First; keys.Contains(k); k++ {
			set.tokens -= set.chunks[k].tokens
			delete(set.chunks, k)
		}
		gone[i] = append(gone[i], keys)
	}
}

// outlineOf parses a file. One that breaks the parser has no declarations: a bug costs this
// file only, as in an index.
func outlineOf(path record.Path, content []byte) (o languages.Outline) {
	defer func() {
		if recover() != nil {
			o = languages.Outline{Path: path, Content: content}
		}
	}()
	return languages.Parse(path, content)
}

// filesAtOnce bounds the outlines in memory.
const filesAtOnce = 256

// cut cuts the changed files in all ways and indexes the chunks.
func (c *corpus) cut(ctx context.Context, changed []*codeFile, names []record.Path, gone [][]record.KeyRange, progress func(float64)) error {
	for at := 0; at < len(changed) || at == 0; at += filesAtOnce {
		end := min(at+filesAtOnce, len(changed))
		batches := make([]record.Batch, len(c.sets))
		if at == 0 {
			for i := range batches {
				batches[i].Dropped = gone[i]
			}
		}
		for i, f := range changed[at:end] {
			if err := ctx.Err(); err != nil {
				return context.Cause(ctx)
			}
			o := outlineOf(names[at+i], f.content)
			for j, set := range c.sets {
				chunks := set.cut(&o)
				f.keys = append(f.keys, record.KeyRange{First: set.next, N: len(chunks)})
				if err := set.add(ctx, c.embed, chunks, f.content); err != nil {
					return err
				}
				batches[j].Files = append(batches[j].Files, record.FileRecord{File: record.File{Path: o.Path}, Content: f.content, Chunks: chunks})
			}
			progress(float64(at+i) / float64(len(changed)))
		}
		for i, set := range c.sets {
			var err error
			if set.words, err = set.words.Apply(ctx, &batches[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// add gives the chunks their keys and embeds them.
func (s *chunkSet) add(ctx context.Context, embedder *embed.Builtin, chunks []record.Chunk, content []byte) error {
	var text []byte
	vector := make([]float32, embedder.Dim())
	for i := range chunks {
		text = chunks[i].AppendEmbeddingText(text[:0], content)
		if err := embedder.Embed(ctx, [][]byte{text}, vector); err != nil {
			return err
		}
		ch := &chunks[i]
		ch.Key = s.next
		s.next++
		row := chunkRow{piece: piece{path: ch.Path}, tokens: ch.Tokens}
		for p := range ch.Places() {
			row.lines = append(row.lines, p.Lines)
		}
		row.code = make([]int8, len(vector))
		row.scale = quantize.Bytes(vector, row.code)
		s.tokens += row.tokens
		s.chunks[ch.Key] = row
	}
	return nil
}

// How deep the plain search looks in each channel, and the constant of reciprocal rank
// fusion: those of package retrieve.
const (
	textDepth   = 200
	vectorDepth = 100
	rrfK        = 60
)

// search returns the chunks for a question, the best first: those found by words and those
// near by vector, fused by their ranks, without any other signal.
//
// Source: Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and
// individual Rank Learning Methods" (SIGIR 2009).
func (s *chunkSet) search(ctx context.Context, question string, vector []float32) ([]piece, error) {
	words, err := s.words.Search(ctx, question, textDepth, lexical.Options{})
	if err != nil {
		return nil, err
	}
	score := map[record.Key]float64{}
	for i, h := range words {
		score[h.Key] += 1 / float64(rrfK+i+1)
	}
	for i, h := range s.near(vector) {
		score[h.Key] += 1 / float64(rrfK+i+1)
	}
	hits := make([]record.Hit, 0, len(score))
	for key, v := range score {
		hits = append(hits, record.Hit{Key: key, Score: v})
	}
	slices.SortFunc(hits, s.better)
	return s.pieces(hits), nil
}

// byWords returns the chunks by BM25 alone.
func (s *chunkSet) byWords(ctx context.Context, question string) ([]piece, error) {
	hits, err := s.words.Search(ctx, question, textDepth, lexical.Options{})
	return s.pieces(hits), err
}

// near returns the chunks with the highest cosine.
func (s *chunkSet) near(vector []float32) []record.Hit {
	hits := make([]record.Hit, 0, len(s.chunks))
	for key, row := range s.chunks {
		sum := float32(0)
		for i, c := range row.code {
			sum += vector[i] * float32(c)
		}
		if score := float64(sum * row.scale); score > 0 {
			hits = append(hits, record.Hit{Key: key, Score: score})
		}
	}
	slices.SortFunc(hits, s.better)
	return hits[:min(len(hits), vectorDepth)]
}

// better orders hits, the best first; equal ones by their place, which does not depend on
// the trees before.
func (s *chunkSet) better(a, b record.Hit) int {
	if c := cmp.Compare(b.Score, a.Score); c != 0 {
		return c
	}
	x, y := s.chunks[a.Key], s.chunks[b.Key]
	return cmp.Or(cmp.Compare(x.path, y.path), cmp.Compare(x.lines[0].First, y.lines[0].First), cmp.Compare(x.lines[0].Last, y.lines[0].Last))
}

func (s *chunkSet) pieces(hits []record.Hit) []piece {
	list := make([]piece, len(hits))
	for i, h := range hits {
		list[i] = s.chunks[h.Key].piece
	}
	return list
}

package answer

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"unicode"

	"ambit/indexer/languages"
	"ambit/server/api"
	"ambit/server/snapshot"
	"ambit/vectors/record"
)

// maxExamples bounds the examples of one fault.
const maxExamples = 100

// ChunkStats counts the chunks of the files in a directory. A directory without indexed
// files is an error that wraps [api.ErrQuestion].
func ChunkStats(ctx context.Context, s *snapshot.Snapshot, q api.ChunkStatsQuestion) (*api.ChunkStats, error) {
	var files []record.Row
	for f := range s.Files() {
		if q.Path == "" || f.Path() == q.Path || strings.HasPrefix(string(f.Path()), string(q.Path)+"/") {
			files = append(files, f)
		}
	}
	if len(files) == 0 && q.Path != "" {
		return nil, fmt.Errorf("%w: %s has no indexed file; ambit status lists what is left out and why", api.ErrQuestion, q.Path)
	}
	slices.SortFunc(files, func(a, b record.Row) int { return cmp.Compare(a.Path(), b.Path()) })
	c := chunkCounter{languages: map[string]*api.ChunkCounts{}, total: newCounts()}
	for _, f := range files {
		if err := c.file(ctx, s, f); err != nil {
			return nil, err
		}
	}
	stats := &api.ChunkStats{
		Path: q.Path, SizeLimits: api.ChunkSizes, Total: withGrowth(c.total), Languages: map[string]api.ChunkCounts{},
		Examples: slices.Concat(c.examples[:]...),
	}
	for name, n := range c.languages {
		stats.Languages[name] = withGrowth(n)
	}
	return stats, nil
}

// fault is something that a chunk should not be.
type fault int

const (
	wordless fault = iota
	closing
	small
	nFaults
)

// String returns the name of the fault in an answer.
func (f fault) String() string { return [nFaults]string{"wordless", "closing", "small"}[f] }

// chunkCounter counts the chunks of files.
type chunkCounter struct {
	total     *api.ChunkCounts
	languages map[string]*api.ChunkCounts
	examples  [nFaults][]api.ChunkExample
}

func newCounts() *api.ChunkCounts { return &api.ChunkCounts{Sizes: make([]int, len(api.ChunkSizes)+1)} }

// withGrowth returns the counts with their growth.
func withGrowth(n *api.ChunkCounts) api.ChunkCounts {
	if n.Bytes > 0 {
		n.Growth = math.Round(1000*float64(n.EmbeddedBytes-n.Bytes)/float64(n.Bytes)) / 10
	}
	return *n
}

// file counts the chunks of a file.
func (c *chunkCounter) file(ctx context.Context, s *snapshot.Snapshot, f record.Row) error {
	chunks, err := s.FileChunks(ctx, f.Path())
	if err != nil {
		return err
	}
	text, err := s.Content(ctx, f.Path())
	if err != nil {
		return err
	}
	if c.languages[f.Language()] == nil {
		c.languages[f.Language()] = newCounts()
	}
	counts := []*api.ChunkCounts{c.total, c.languages[f.Language()]}
	for _, n := range counts {
		n.Files++
		n.Bytes += int64(len(text))
	}
	for i := range chunks {
		has := faultsOf(&chunks[i], text)
		for _, n := range counts {
			addChunk(n, &chunks[i], len(chunks[i].Text(text)), has)
		}
		c.note(&chunks[i], has)
	}
	return nil
}

// addChunk adds a chunk of size bytes with some faults to the counts.
func addChunk(n *api.ChunkCounts, c *record.Chunk, size int, has [nFaults]bool) {
	n.EmbeddedBytes += int64(len(c.Prefix) + size + len(c.Suffix))
	if c.IsSummary {
		n.Summaries++
		return
	}
	n.Chunks++
	n.Tokens += c.Tokens
	at, exact := slices.BinarySearch(api.ChunkSizes, c.Tokens)
	if exact {
		at++ // of a limit itself: not below it
	}
	n.Sizes[at]++
	for f, count := range []*int{wordless: &n.Wordless, closing: &n.Closing, small: &n.Small} {
		if has[f] {
			*count++
		}
	}
	if c.Signature == "" && len(c.Defines) > 0 {
		n.Merged++
	}
}

// note keeps the chunk as an example of its faults.
func (c *chunkCounter) note(chunk *record.Chunk, faults [nFaults]bool) {
	if chunk.IsSummary {
		return
	}
	for f, has := range faults {
		if has && len(c.examples[f]) < maxExamples {
			c.examples[f] = append(c.examples[f], api.ChunkExample{
				Fault: fault(f).String(), Path: chunk.Path, StartLine: chunk.Lines.First, EndLine: chunk.Lines.Last, Tokens: chunk.Tokens})
		}
	}
}

// closers end something that began before them. In a document, and in a file that is read as
// one, they may begin something: ";" a comment of Lisp.
var closers = []string{")", "]", "}", ";", ",", "*/", "</"}

// faultsOf returns the faults of a chunk of a file with the given text.
func faultsOf(c *record.Chunk, text []byte) (has [nFaults]bool) {
	raw := c.Text(text)
	content := bytes.TrimSpace(raw)
	has[wordless] = !bytes.ContainsFunc(content, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
	has[small] = c.Tokens < api.ChunkSizes[0] && len(raw) < len(text)
	has[closing] = !languages.IsProse(c.Language) && slices.ContainsFunc(closers, func(closer string) bool {
		return bytes.HasPrefix(content, []byte(closer))
	})
	return has
}

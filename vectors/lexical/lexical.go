// Package lexical finds chunks by words: BM25 over code-aware tokens.
//
// A row is a chunk; its words are those of its text and, with a weight, those of its
// unit, its path and its headings. The index is one immutable view behind an atomic
// pointer, made of immutable segments and the set of their dead rows: a search loads
// it once, takes no lock and sees whole batches. A batch adds a segment, and small
// segments are merged.
//
// Document frequency, average length and number of rows are those of the live rows,
// so that hits and scores after any sequence of batches are, to the last bit, those
// of a fresh index over the same rows.
//
// The package reads no disk, starts no goroutine and knows nothing of vectors.
package lexical

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"ambit/vectors/record"
)

// The weights of the fields: an occurrence there counts as so many in the text.
// They are the best on the mean over the 22 trees of the retrieval benchmark.
const (
	DefaultName      = 3 // what a chunk defines
	DefaultUnit      = 1 // the names around it
	DefaultStem      = 5 // a file's name says what it is about
	DefaultDirectory = 1 // as its directory does, less sharply
	DefaultHeading   = 2
)

// The bounds of a view.
const (
	maxSegments   = 8       // more are merged: each costs a look-up a term, 1 µs
	maxBuildBytes = 8 << 20 // of text a segment: building takes about three times as much memory
	maxDeadShare  = 4       // a view with one dead row in four is rewritten
)

// Weights says how often an occurrence in a field counts, beside 1 in the text: 0
// means the default, a negative number leaves the field out, and no weight is above
// 255.
type Weights struct {
	Name      int // Chunk.Name
	Unit      int // Chunk.Unit, which ends with Name again
	Stem      int // the name of the file without its extension
	Directory int // the name of the directory that holds it
	Heading   int // Chunk.Doc's title and headings
}

// Options tunes [New]. The zero value is ready for use.
type Options struct {
	Weights Weights
	// Tie says which of two rows of one score comes first, as cmp.Compare does; it is
	// called from several goroutines. nil means the smaller key, which depends on
	// when the rows were written.
	Tie func(a, b record.Key) int
}

// Index finds chunks by words. All methods may be called concurrently.
type Index struct {
	weights Weights
	tie     func(a, b record.Key) int
	recipe  uint64
	view    atomic.Pointer[view]
	scratch *sync.Pool // of *scratch, shared with overlays

	mu sync.Mutex // held by those who replace the view
}

// New returns an empty index.
func New(o Options) *Index {
	ix := &Index{weights: o.Weights.filled(), tie: o.Tie, scratch: &sync.Pool{}}
	if ix.tie == nil {
		ix.tie = cmp.Compare[record.Key]
	}
	ix.recipe = ix.weights.recipe()
	ix.view.Store(&view{})
	return ix
}

func (w Weights) filled() Weights {
	fill := func(n, otherwise int) int {
		if n == 0 {
			n = otherwise
		}
		return min(max(n, 0), 255)
	}
	return Weights{
		Name:      fill(w.Name, DefaultName),
		Unit:      fill(w.Unit, DefaultUnit),
		Stem:      fill(w.Stem, DefaultStem),
		Directory: fill(w.Directory, DefaultDirectory),
		Heading:   fill(w.Heading, DefaultHeading),
	}
}

// recipe is a number that changes with whatever changes the terms and the counts of
// a row. Its low byte is the version of the tokens: 1, first.
func (w Weights) recipe() uint64 {
	const tokens = 1
	return uint64(w.Name)<<40 | uint64(w.Unit)<<32 | uint64(w.Stem)<<24 | uint64(w.Directory)<<16 | uint64(w.Heading)<<8 | tokens
}

// Apply drops the rows of b.Dropped and adds those of b.Files, all in one step. The
// chunks must have their keys. Chunks that are Beside are left out: they cover text
// that other rows hold. A key that the index holds is replaced, so applying a batch
// twice is applying it once, and files may come in any order.
//
// It returns the error of ctx, or one that names the chunk that does not fit its
// file; the index is then as before.
func (ix *Index) Apply(ctx context.Context, b *record.Batch) error {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	parts, last, err := ix.with(ctx, b)
	if err == nil {
		parts, err = compact(parts, ix.recipe, last)
	}
	if err != nil {
		return fmt.Errorf("apply to the lexical index: %w", err)
	}
	ix.view.Store(newView(parts, last))
	return nil
}

// with returns the parts of the view and of a batch, and the highest key seen.
func (ix *Index) with(ctx context.Context, b *record.Batch) ([]part, record.Key, error) {
	v := ix.view.Load()
	added, last, err := ix.build(ctx, b, v.last)
	if err != nil {
		return nil, 0, err
	}
	parts := slices.Clone(v.parts)
	for i := range parts {
		parts[i] = parts[i].without(b.Dropped)
		for _, s := range added {
			parts[i] = parts[i].replacedBy(s.keys)
		}
	}
	for i, s := range added {
		p := newPart(s)
		for _, later := range added[i+1:] {
			p = p.replacedBy(later.keys)
		}
		parts = append(parts, p)
	}
	return parts, last, nil
}

// build returns the rows of a batch as segments, and the highest key seen.
func (ix *Index) build(ctx context.Context, b *record.Batch, last record.Key) ([]*segment, record.Key, error) {
	var segments []*segment
	bld, size := &builder{weights: ix.weights}, 0
	flush := func() error {
		if len(bld.keys) == 0 {
			return nil
		}
		s, err := bld.segment(ix.recipe, last)
		segments = append(segments, s)
		bld, size = &builder{weights: ix.weights}, 0
		return err
	}
	for i := range b.Files {
		f := &b.Files[i]
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		for j := range f.Chunks {
			c := &f.Chunks[j]
			last = max(last, c.Key)
			if c.Beside {
				continue
			}
			if c.Key == 0 || c.Span.Start < 0 || c.Span.End < c.Span.Start || c.Span.End > len(f.Content) {
				return nil, 0, fmt.Errorf("chunk %d of %s: key %d, span %v of %d bytes", j, f.File.Path, c.Key, c.Span, len(f.Content))
			}
			bld.add(c, f.Content[c.Span.Start:c.Span.End])
			size += c.Span.End - c.Span.Start
		}
		if size >= maxBuildBytes {
			if err := flush(); err != nil {
				return nil, 0, err
			}
		}
	}
	return segments, last, flush()
}

// Len returns the number of live rows.
func (ix *Index) Len() int { return ix.view.Load().n }

// Last returns the highest key that the index has seen, also of chunks that are
// Beside or gone. Since keys ascend in the order of writing, after [Index.Restore]
// the files whose chunks lie above it are those that the index has yet to be given.
func (ix *Index) Last() record.Key { return ix.view.Load().last }

// Bytes returns the memory that the view holds.
func (ix *Index) Bytes() int {
	n := 0
	for _, p := range ix.view.Load().parts {
		n += cap(p.blob) + 6*len(p.keys) + 8*len(p.dead)
	}
	return n
}

// Snapshot merges the index into one segment and returns that as one blob, for
// [Index.Restore]. The blob is shared with the index and must not be changed. It is
// nil above 4 GiB of postings, which is more than the form can hold.
func (ix *Index) Snapshot() []byte {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	v := ix.view.Load()
	if len(v.parts) == 1 && v.parts[0].nDead == 0 && v.parts[0].last == v.last {
		return v.parts[0].blob
	}
	s, err := merge(v.parts, ix.recipe, v.last)
	if err != nil {
		return nil
	}
	ix.view.Store(newView([]part{newPart(s)}, v.last))
	return s.blob
}

// Restore replaces what the index holds by a blob of [Index.Snapshot], less the rows
// outside of live. The blob is used in place and must not be changed afterwards. It
// returns [ErrFormat] when the blob cannot be used; the index is then as before.
func (ix *Index) Restore(data []byte, live []record.KeyRange) error {
	s, err := openSegment(data, ix.recipe, true)
	if err != nil {
		return err
	}
	p := newPart(s).within(live)
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.view.Store(newView([]part{p}, s.last))
	return nil
}

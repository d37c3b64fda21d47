// Package lexical finds chunks by words: BM25 over code-aware tokens.
//
// A row is a chunk; its words are those of its text and, with a weight, those of its
// unit, its path and its headings. A [View] is immutable, made of immutable segments and
// the set of their dead rows: a search takes no lock and sees whole batches. A batch
// adds a segment, and small segments are merged.
//
// Document frequency, average length and number of rows are those of the live rows,
// so that hits and scores after any sequence of batches are, to the last bit, those
// of a fresh view over the same rows.
//
// The package reads no disk and knows nothing of vectors. It starts goroutines only to open a
// saved view, one for each segment.
package lexical

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"ambit/vectors/record"
)

// The weights of the fields: an occurrence there counts as so many in the text.
// They are the best on the mean over the 22 trees of the retrieval benchmark.
const (
	weightName      = 3 // what a chunk defines
	weightUnit      = 1 // the names around it, and its own again
	weightStem      = 5 // a file's name says what it is about
	weightDirectory = 1 // as its directory does, less sharply
	weightHeading   = 2
)

// recipe stands for the rules that give the terms and the counts of a row. Its low byte
// is the version of the tokens: 1, first.
const recipe uint64 = weightName<<40 | weightUnit<<32 | weightStem<<24 | weightDirectory<<16 | weightHeading<<8 | 1

// The bounds of a view.
const (
	maxSegments   = 8       // smaller than maxMergeRows; more are merged: each costs a look-up a term, 1 µs
	maxBuildBytes = 8 << 20 // of text a segment: building takes about three times as much memory
	maxDeadShare  = 4       // a view with one dead row in four is rewritten
	// maxMergeRows is the size from which a segment is not merged any more, some 30 MB: a
	// merge takes as much memory as its result, for a moment, and its result is up to twice
	// as large. A million rows have three or four such segments.
	maxMergeRows = 200_000
)

// Options tunes [View.Search]. The zero value is ready for use.
type Options struct {
	// Keep reports whether a row may be a hit; nil keeps all. It is not called for
	// every row.
	Keep func(record.Key) bool
	// Tie says which of two rows of one score comes first, as cmp.Compare does. nil
	// means the smaller key, which depends on when the rows were written.
	Tie func(a, b record.Key) int
}

// New returns an empty view.
func New() *View { return &View{scratch: &sync.Pool{}} }

// With returns the view without the rows of b.Dropped and with those of b.Files. The
// chunks must have their keys. Summaries are left out: they cover text that other rows
// hold. A key that the view holds is replaced, so a batch may be applied twice, and
// files may come in any order. v stays as it is.
//
// The time is that of the batch: no row of v is rewritten, see [View.Apply]. It returns
// the error of ctx, or one that names the chunk that does not fit its file.
func (v *View) With(ctx context.Context, b *record.Batch) (*View, error) {
	added, err := v.build(ctx, b)
	if err != nil {
		return nil, fmt.Errorf("index the words of a batch: %w", err)
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
	return v.of(parts), nil
}

// Apply returns the view that follows v in an index: [View.With], with segments merged
// when they are many or a good part of their rows is dead.
func (v *View) Apply(ctx context.Context, b *record.Batch) (*View, error) {
	next, err := v.With(ctx, b)
	if err != nil {
		return nil, err
	}
	parts, err := compact(next.parts)
	if err != nil {
		return nil, fmt.Errorf("index the words of a batch: %w", err)
	}
	return v.of(parts), nil
}

// build returns the rows of a batch as segments.
func (v *View) build(ctx context.Context, b *record.Batch) ([]*segment, error) {
	var segments []*segment
	var bld *builder // nil without rows
	size := 0
	flush := func() error {
		if bld == nil {
			return nil
		}
		s, err := bld.segment()
		segments = append(segments, s)
		bld, size = nil, 0
		return err
	}
	for i := range b.Files {
		f := &b.Files[i]
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for j := range f.Chunks {
			c := &f.Chunks[j]
			if c.IsSummary {
				continue
			}
			for p := range c.Places() {
				if s := p.Span; c.Key == 0 || s.Start < 0 || s.End < s.Start || s.End > len(f.Content) {
					return nil, fmt.Errorf("chunk %d of %s: key %d, span %v of %d bytes", j, f.File.Path, c.Key, s, len(f.Content))
				}
			}
			text := c.Text(f.Content)
			if bld == nil {
				bld = newBuilder(textBytes(b.Files[i:]))
			}
			bld.add(c, text)
			size += len(text)
		}
		if size >= maxBuildBytes {
			if err := flush(); err != nil {
				return nil, err
			}
		}
	}
	return segments, flush()
}

// textBytes returns how much text of some files one segment takes.
func textBytes(files []record.FileRecord) (n int) {
	for i := range files {
		if n += len(files[i].Content); n >= maxBuildBytes {
			break
		}
	}
	return n
}

// Encode returns the view as one blob for [Restore], in pieces: its large segments as they
// are, unless a good part of their rows is dead, and one of the other live rows. The pieces may be shared with the view and must not be
// changed. There are none above 4 GiB of postings in a segment, which is more than the form
// can hold.
func (v *View) Encode() (pieces [][]byte) {
	var small []part
	for i := range v.parts {
		if p := &v.parts[i]; p.live() >= maxMergeRows && p.nDead*maxDeadShare < len(p.keys) || p.nDead == 0 && len(v.parts) == 1 {
			pieces = append(pieces, p.all.whole())
		} else {
			small = append(small, *p)
		}
	}
	if len(small) == 0 && len(pieces) > 0 {
		return pieces
	}
	s, err := merge(small)
	if err != nil {
		return nil
	}
	return append(pieces, s.all.whole())
}

// Restore returns the view of a blob of [View.Encode], less the rows outside of live.
// The blob is used in place and must not be changed afterwards. It returns [ErrFormat]
// when the blob cannot be used.
func Restore(data []byte, live []record.KeyRange) (*View, error) {
	v, err := Open(memory(data), live)
	if err != nil {
		return nil, err
	}
	for i := range v.parts {
		if err := v.parts[i].checkSum(); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// Open is Restore for a view that reads of src what a search needs: the rows now, and of the
// words those of the query. It does not compare sums. It returns [ErrFormat], or the error of src
// when that cannot be read.
func Open(src Source, live []record.KeyRange) (*View, error) {
	var segments []*segment
	for at := 0; at == 0 || at < src.Len(); {
		s, err := openSegment(src, at)
		if err != nil {
			return nil, err
		}
		segments, at = append(segments, s), at+s.all.n
	}
	parts, errs := make([]part, len(segments)), make([]error, len(segments))
	var reading sync.WaitGroup
	for i, s := range segments {
		reading.Go(func() {
			if errs[i] = s.readRows(); errs[i] == nil {
				parts[i] = newPart(s).within(live)
			}
		})
	}
	reading.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	for i, s := range segments {
		for j := range parts[:i] { // rows that were replaced are in a segment that Encode left as it was
			parts[j] = parts[j].replacedBy(s.keys)
		}
	}
	return New().of(parts), nil
}

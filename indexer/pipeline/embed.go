package pipeline

import (
	"context"
	"fmt"

	"ambit/vectors/quantize"
	"ambit/vectors/record"
)

// keepCodes fills the codes of the chunks of r whose texts the file has or had before.
// It returns how many chunks have codes then.
func (p *Pipeline) keepCodes(ctx context.Context, r *record.FileRecord) (n int, err error) {
	if len(r.Chunks) == 0 {
		return 0, nil
	}
	if r.Codes == nil {
		r.Codes = make([]record.Codes, len(r.Chunks))
	}
	var missing []int
	var hashes []record.TextHash
	for i := range r.Chunks {
		if r.Codes[i].Code == nil {
			missing, hashes = append(missing, i), append(hashes, r.Chunks[i].EmbedHash)
		}
	}
	codes, err := p.known.Codes(ctx, r.File.Path, hashes)
	if err != nil {
		return 0, err
	}
	if len(codes) != len(hashes) {
		return 0, fmt.Errorf("%d codes for %d chunks", len(codes), len(hashes))
	}
	n = len(r.Chunks) - len(missing)
	for i, row := range missing {
		if r.Codes[row] = codes[i]; codes[i].Code != nil {
			n++
		}
	}
	return n, nil
}

// embedAtOnce bounds the texts of one call of the embedder.
const embedAtOnce = 64

// maxEmbedBytes bounds the texts whose memory waits for the next file.
const maxEmbedBytes = 1 << 20

// embedding is the memory of one call of [Pipeline.Embed], which later calls use again: the
// texts and the floats of a large tree are a tenth of all that indexing it allocates.
type embedding struct {
	chunks []int    // the indexes of the chunks
	bytes  []byte   // of the texts, one after the other
	ends   []int    // of the texts in bytes
	texts  [][]byte // slices of bytes
	rows   []float32
}

// Embed computes the vectors of the chunks of r that have no codes.
func (p *Pipeline) Embed(ctx context.Context, r *record.FileRecord) error {
	if r.Codes == nil {
		r.Codes = make([]record.Codes, len(r.Chunks))
	}
	r.Embedded = 0
	for i := range r.Codes {
		if r.Codes[i].Code == nil {
			r.Embedded++
		}
	}
	if r.Embedded == 0 {
		return nil
	}
	e, ok := p.embeddings.Get().(*embedding)
	if !ok {
		e = new(embedding)
	}
	dim := p.embed.Dim()
	half := quantize.CodeBytes(dim)
	codes, residuals := make([]byte, r.Embedded*half), make([]int8, r.Embedded*dim)
	for next := 0; next < len(r.Chunks); {
		next = e.take(r, next)
		e.rows = append(e.rows[:0], make([]float32, len(e.texts)*dim)...)
		if err := p.embed.Embed(ctx, e.texts, e.rows); err != nil {
			return err
		}
		for j, i := range e.chunks {
			row := quantize.Row{Code: codes[:half:half], Residual: residuals[:dim:dim]}
			codes, residuals = codes[half:], residuals[dim:]
			quantize.Quantize(e.rows[j*dim:(j+1)*dim], &row)
			r.Codes[i] = record.Codes(row)
		}
	}
	if cap(e.bytes) <= maxEmbedBytes {
		p.embeddings.Put(e)
	}
	return nil
}

// take takes the texts of at most embedAtOnce chunks of r from next on that have no codes. It
// returns the index after the last chunk that it looked at.
func (e *embedding) take(r *record.FileRecord, next int) int {
	e.chunks, e.bytes, e.ends, e.texts = e.chunks[:0], e.bytes[:0], e.ends[:0], e.texts[:0]
	for ; next < len(r.Chunks) && len(e.chunks) < embedAtOnce; next++ {
		if r.Codes[next].Code != nil {
			continue
		}
		e.bytes = r.Chunks[next].AppendEmbeddingText(e.bytes, r.Content)
		e.chunks, e.ends = append(e.chunks, next), append(e.ends, len(e.bytes))
	}
	start := 0
	for _, end := range e.ends {
		e.texts = append(e.texts, e.bytes[start:end])
		start = end
	}
	return next
}

// Package embed turns text into vectors.
//
// Builtin is the embedder that needs nothing: no network, no model file, no
// warm-up. It knows words, not meanings: identifiers are cut into their parts, a
// word stands for itself, its stem, its kin (cfg, config) and its character
// n-grams, each hashed with a sign into one of a few hundred dimensions, so that
// texts that share forms of the same words lie near each other. Where the script has no
// blanks between words, a word is two letters that follow one another.
//
// Vectors are a pure function of the text and of Name: the same on every machine,
// in every order of calls and from any number of goroutines. The package keeps no
// vectors.
package embed

import (
	"context"
	"math"
	"math/bits"
	"sync"
)

// dim is the number of components of the built-in embedder's vectors.
const dim = 256

// name changes with every change to the vectors: to the tables, the hashing or the
// weights. A stored index of another name is rebuilt.
const name = "ambit-hash-256-v2"

// A word gains repeatWeight times the logarithm of its count by being repeated.
const repeatWeight = 0.6

// Builtin is the built-in embedder. It is safe for concurrent use.
type Builtin struct {
	words *lexicon
	pool  sync.Pool // *worker
}

// NewBuiltin returns the built-in embedder.
func NewBuiltin() *Builtin { return &Builtin{words: newLexicon()} }

// Dim returns the number of components of every vector.
func (*Builtin) Dim() int { return dim }

// Name names the function from texts to vectors, its version included.
func (*Builtin) Name() string { return name }

// Embed writes the vectors of texts to rows, one after the other: of unit length and Dim
// components each. A text without words gives the zero vector, which is near nothing.
// Leading lines "# Unit: …", "# File: …" and so on are read as a description of what
// follows, see zones. rows has len(texts)*Dim elements. Embed keeps neither texts nor
// rows. The time is linear in the bytes. It returns the error of ctx and no other.
func (e *Builtin) Embed(ctx context.Context, texts [][]byte, rows []float32) error {
	w := e.worker()
	defer e.release(w)
	clear(rows)
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return err
		}
		w.embed(text, true, rows[i*dim:(i+1)*dim])
	}
	return nil
}

// EmbedQuery returns the vector of a question: words, an identifier or a piece of
// code. Unlike Embed, it takes no line for a description.
func (e *Builtin) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	w := e.worker()
	defer e.release(w)
	vector := make([]float32, dim)
	w.embed([]byte(text), false, vector)
	return vector, nil
}

func (e *Builtin) worker() *worker {
	if w, ok := e.pool.Get().(*worker); ok {
		return w
	}
	return newWorker(e.words)
}

func (e *Builtin) release(w *worker) {
	if len(w.bag.words) <= 2*maxWords { // one text can have more
		e.pool.Put(w)
	}
}

// worker embeds one text at a time.
type worker struct{ bag bag }

func newWorker(words *lexicon) *worker { return &worker{bag: newBag(words)} }

// embed writes the vector of text to v, which holds zeros.
func (w *worker) embed(text []byte, described bool, v []float32) {
	w.bag.reset()
	at := 0
	if described {
		at = w.bag.addDescription(text)
	}
	w.bag.addText(text, at, len(text), 0)
	sum := (*[dim]float32)(v)
	for _, id := range w.bag.order {
		b := &w.bag.words[id]
		weight := b.bonus
		if b.count > 0 {
			weight += 1 + float32(repeatWeight*logCount(b.count))
		}
		if b.whole {
			addHashed(sum, mix(b.hash^saltWhole), wholeDims, weight*wholeWeight)
			continue
		}
		for _, t := range b.terms {
			sum[t.dim] += float32(t.weight * weight) // no fused multiply-add, see Name
		}
	}
	normalize(sum)
}

// logCount returns about the natural logarithm of n > 0: exact at powers of two,
// linear between them. It is the same on every machine, as math.Log is not.
func logCount(n int32) float32 {
	e := bits.Len32(uint32(n)) - 1
	return math.Ln2 * float32(float32(e-1)+float32(n)/float32(uint32(1)<<e))
}

// normalize scales v to length 1; the zero vector stays.
func normalize(v *[dim]float32) {
	var square float64
	for _, x := range v {
		square += float64(x) * float64(x)
	}
	if square == 0 {
		return
	}
	inv := float32(1 / math.Sqrt(square))
	for j := range v {
		v[j] *= inv
	}
}

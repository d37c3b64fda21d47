package lexical

import (
	"bytes"
	"io"
)

// Source is a saved view, of which a [View] reads what it needs. *store.View satisfies it.
type Source interface {
	// ReadAt is for what is needed once: less of that stays in memory. Several goroutines
	// call it at a time.
	io.ReaderAt
	Len() int
	// Bytes returns the bytes [from, to), which the caller does not change.
	Bytes(from, to int) []byte
}

// memory is a Source in memory.
type memory []byte

// Len implements [Source].
func (m memory) Len() int { return len(m) }

// Bytes implements [Source].
func (m memory) Bytes(from, to int) []byte { return m[from:to:to] }

// ReadAt implements [Source].
func (m memory) ReadAt(p []byte, from int64) (int, error) { return bytes.NewReader(m).ReadAt(p, from) }

// region is n bytes of a Source.
type region struct {
	src   Source
	at, n int
}

// cut returns the bytes [from, to) of the region, less those beyond its end.
func (r region) cut(from, to int) []byte {
	p := r.part(from, to)
	return p.whole()
}

// part returns the part [from, to) of the region, less what lies beyond its end.
func (r region) part(from, to int) region {
	from = max(0, min(from, r.n))
	return region{r.src, r.at + from, max(0, min(to, r.n)-from)}
}

// read fills p with the bytes from an offset on.
func (r region) read(p []byte, from int) error {
	_, err := r.src.ReadAt(p, int64(r.at+from))
	return err
}

func (r region) whole() []byte {
	if r.n == 0 {
		return nil
	}
	return r.src.Bytes(r.at, r.at+r.n)
}

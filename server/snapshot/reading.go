package snapshot

import (
	"context"
	"fmt"
	"io/fs"
	"unsafe"

	"ambit/indexer/languages"
	"ambit/server/retrieve"
	"ambit/vectors/record"
)

var _ retrieve.Reader = (*Reading)(nil)

// maxQuestionBytes bounds what one question reads, as it lies in memory. A question holds
// most of what it has read until its end, and a name may be used by hundreds of files of
// 1 MB. On the Go standard library questions read 3 to 9 MB.
const maxQuestionBytes = 128 << 20

// outlineFactor is how much more memory an outline takes than its text.
const outlineFactor = 10

// errEnough is returned for the files beyond the bound. For retrieve they are not there.
var errEnough = fmt.Errorf("the question has read enough: %w", fs.ErrNotExist)

// Reading is a snapshot as one question reads it: what one Reading returns is bounded. It is
// for one goroutine.
type Reading struct {
	*Snapshot
	left  int                    // bytes; below 0 after the file that was one too many
	texts map[record.Path][]byte // that Content returned
}

// Reading returns the one Reading of the snapshot.
func (v *Snapshot) Reading() *Reading {
	if v.reading == nil {
		v.reading = &Reading{v, maxQuestionBytes, map[record.Path][]byte{}}
	}
	return v.reading
}

// enough reports whether the question may read no more.
func (r *Reading) enough() bool { return r.left <= 0 }

// Content implements [retrieve.Reader]. What the question has read stays readable, and is read
// once: an answer shows the files that were searched for it.
func (r *Reading) Content(ctx context.Context, path record.Path) ([]byte, error) {
	if text, ok := r.texts[path]; ok {
		return text, nil
	}
	if r.enough() {
		return nil, errEnough
	}
	text, err := r.Snapshot.Content(ctx, path)
	if err != nil {
		return nil, err
	}
	r.left -= len(text)
	r.texts[path] = text
	return text, nil
}

// Outline implements [retrieve.Reader].
func (r *Reading) Outline(ctx context.Context, path record.Path) (*languages.Outline, error) {
	if r.enough() {
		return nil, errEnough
	}
	o, err := r.Snapshot.Outline(ctx, path)
	if err == nil {
		r.left -= outlineFactor * len(o.Content)
	}
	return o, err
}

// Graph implements [retrieve.Reader].
func (r *Reading) Graph(ctx context.Context, path record.Path) (record.FileGraph, error) {
	return r.graph(func() (record.FileGraph, error) { return r.Snapshot.Graph(ctx, path) })
}

// GraphTo implements [retrieve.Reader].
func (r *Reading) GraphTo(ctx context.Context, path record.Path, name string) (record.FileGraph, error) {
	return r.graph(func() (record.FileGraph, error) { return r.Snapshot.GraphTo(ctx, path, name) })
}

func (r *Reading) graph(read func() (record.FileGraph, error)) (record.FileGraph, error) {
	if r.enough() {
		return record.FileGraph{}, errEnough
	}
	g, err := read()
	r.left -= len(g.Symbols)*int(unsafe.Sizeof(record.Symbol{})) + len(g.Edges)*int(unsafe.Sizeof(record.Edge{})) + len(g.Imports)*int(unsafe.Sizeof(record.Import{}))
	return g, err
}

// FileChunks implements [retrieve.Reader].
func (r *Reading) FileChunks(ctx context.Context, path record.Path) ([]record.Chunk, error) {
	if r.enough() {
		return nil, nil
	}
	chunks, err := r.Snapshot.FileChunks(ctx, path)
	r.spend(chunks)
	return chunks, err
}

// Chunks implements [retrieve.Reader].
func (r *Reading) Chunks(ctx context.Context, keys []record.Key) ([]record.Chunk, error) {
	if r.enough() {
		return make([]record.Chunk, len(keys)), nil
	}
	chunks, err := r.Snapshot.Chunks(ctx, keys)
	r.spend(chunks)
	return chunks, err
}

func (r *Reading) spend(chunks []record.Chunk) {
	r.left -= len(chunks) * int(unsafe.Sizeof(record.Chunk{}))
	for i := range chunks {
		r.left -= len(chunks[i].Prefix) + len(chunks[i].Suffix)
	}
}

package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"

	"ambit/indexer/graph"
	"ambit/vectors/record"
	"ambit/vectors/store"
)

// snapshot is the workspace as one request sees it: the index, and in place of each
// file that was found changed meanwhile, the file as it is. Texts, graphs, chunks
// and names agree with one another. It is immutable.
type snapshot struct {
	s     *Session
	names *graph.View
	fresh map[record.Path]record.FileRecord // no Content for a file that is gone or left out
}

// snapshot returns the workspace as the index has it.
func (s *Session) snapshot() *snapshot { return &snapshot{s: s, names: s.names.View()} }

// refreshed looks at the files of an answer on disk. When some hold something else
// than the snapshot has of them, it returns a snapshot with what they hold and
// true: the answer is to be made again.
func (v *snapshot) refreshed(paths []record.Path) (*snapshot, bool) {
	next := maps.Clone(v.fresh)
	changed := false
	for _, path := range paths {
		known, ok := v.file(path)
		if !ok || v.s.untouched(known) {
			continue
		}
		r, differs, err := v.s.pipe.Fresh(known)
		if err != nil { // gone, or not to be read any more
			r, differs = record.FileRecord{File: record.File{Path: path, LeftOut: "gone"}}, true
		}
		if differs {
			if next == nil {
				next = map[record.Path]record.FileRecord{}
			}
			next[path] = r
			changed = true
		}
	}
	if !changed {
		return v, false
	}
	records := make([]record.FileRecord, 0, len(next))
	for _, r := range next {
		records = append(records, r)
	}
	return &snapshot{s: v.s, names: v.s.names.View().With(records...), fresh: next}, true
}

// untouched reports whether a file has the size and time that the index remembers.
func (s *Session) untouched(f record.File) bool {
	info, err := s.dir.Lstat(string(f.Path))
	return err == nil && info.Size() == f.Size && info.ModTime().UnixNano() == f.ModTime
}

// file returns what the snapshot knows of a path that it has indexed.
func (v *snapshot) file(path record.Path) (record.File, bool) {
	if r, ok := v.fresh[path]; ok {
		return r.File, r.File.LeftOut == ""
	}
	f, ok := v.s.files.find(path)
	return f, ok && f.LeftOut == ""
}

// Content returns the text of a file, with secrets masked.
func (v *snapshot) Content(ctx context.Context, path record.Path) ([]byte, error) {
	r, ok := v.fresh[path]
	switch {
	case !ok:
		return v.s.db.Content(ctx, path)
	case r.File.LeftOut != "":
		return nil, fmt.Errorf("%s: %w", path, fs.ErrNotExist)
	}
	return r.Content, nil
}

// Graph returns what a file defines and uses.
func (v *snapshot) Graph(ctx context.Context, path record.Path) (record.FileGraph, error) {
	r, ok := v.fresh[path]
	switch {
	case !ok:
		return v.s.db.Graph(ctx, path)
	case r.File.LeftOut != "":
		return record.FileGraph{}, fmt.Errorf("%s: %w", path, fs.ErrNotExist)
	}
	return r.Graph, nil
}

// Chunks returns the chunks of keys, in their order; one that is gone is zero. A
// chunk of a changed file is the one with its id, under the old key.
func (v *snapshot) Chunks(ctx context.Context, keys []record.Key) ([]record.Chunk, error) {
	chunks, err := v.s.db.Chunks(ctx, keys)
	if err != nil {
		return nil, err
	}
	for i := range chunks {
		if r, ok := v.fresh[chunks[i].Path]; ok {
			chunks[i] = sameChunk(r.Chunks, chunks[i])
		}
	}
	return chunks, nil
}

// FileChunks returns the chunks of a file, in order; none of a file that is not
// indexed.
func (v *snapshot) FileChunks(ctx context.Context, path record.Path) ([]record.Chunk, error) {
	if r, ok := v.fresh[path]; ok {
		return r.Chunks, nil
	}
	chunks, err := v.s.db.FileChunks(ctx, path)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	return chunks, err
}

// sameChunk returns the chunk with the id of old, with its key.
func sameChunk(chunks []record.Chunk, old record.Chunk) record.Chunk {
	for i := range chunks {
		if chunks[i].ID == old.ID {
			c := chunks[i]
			c.Key = old.Key
			return c
		}
	}
	return record.Chunk{}
}

package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"

	"ambit/indexer/graph"
	"ambit/indexer/languages"
	"ambit/server/retrieve"
	"ambit/vectors/record"
	"ambit/vectors/store"
)

// snapshot is the workspace as one request sees it: the index, in place of each file
// that is open its buffer, and in place of each that was found changed meanwhile, the
// file as it is. Texts, graphs, chunks and names agree with one another. It is
// immutable.
type snapshot struct {
	s     *Session
	over  *overlay
	names *graph.View
	fresh map[record.Path]record.FileRecord // no Content for a file that is gone or left out
}

// snapshot returns the workspace as the index and the editor have it, at once; b,
// unless nil, is the buffer that the request is about. See [Session.current].
func (s *Session) snapshot(b *Buffer) *snapshot {
	o := s.overlaid(b, nil)
	return &snapshot{s: s, over: o, names: o.names, fresh: o.fresh}
}

// including returns the snapshot with a file that the index does not have yet, or v
// when the file is none of the workspace's.
func (v *snapshot) including(path record.Path) *snapshot {
	if _, known := v.s.files.find(path); known || v.fresh[path].File.Path != "" || v.over.open[path] != nil {
		return v
	}
	if e, ok := v.s.filter.Entry(string(path)); !ok || e.LeftOut != "" {
		return v
	}
	r, differs, err := v.s.pipe.Fresh(record.File{Path: path})
	if err != nil || !differs {
		return v
	}
	v.s.noticed(path)
	return v.with(map[record.Path]record.FileRecord{path: r})
}

// with returns the snapshot with files as they are.
func (v *snapshot) with(files map[record.Path]record.FileRecord) *snapshot {
	next := &snapshot{s: v.s, over: v.over, fresh: maps.Clone(v.fresh)}
	if next.fresh == nil {
		next.fresh = files
	} else {
		maps.Copy(next.fresh, files)
	}
	records := make([]record.FileRecord, 0, len(next.fresh))
	for _, r := range next.fresh {
		records = append(records, r)
	}
	next.names = v.s.names.View().With(records...)
	return next
}

// outline returns the outline of a file where it is at hand.
func (v *snapshot) outline(path record.Path) *languages.Outline {
	b := v.over.open[path]
	if b == nil || b.analyze(v.s).File.LeftOut != "" {
		return nil
	}
	return &b.outline
}

// refreshed looks at the files of an answer on disk. When some hold something else
// than the snapshot has of them, it returns a snapshot with what they hold and
// true: the answer is to be made again.
func (v *snapshot) refreshed(paths []record.Path) (*snapshot, bool) {
	changed := map[record.Path]record.FileRecord{}
	for _, path := range paths {
		known, ok := v.file(path)
		if !ok || v.over.open[path] != nil || v.s.untouched(known) {
			continue
		}
		r, differs, err := v.s.pipe.Fresh(known)
		if err != nil { // not to be read any more; if the whole workspace is not, the index counts
			r, differs = record.FileRecord{File: record.File{Path: path, LeftOut: gone}}, v.s.dir.stands()
		}
		if differs {
			changed[path] = r
			v.s.noticed(path)
		}
	}
	if len(changed) == 0 {
		return v, false
	}
	return v.with(changed), true
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

// GraphTo returns what Graph does with, of what is in the index, the edges to a name.
func (v *snapshot) GraphTo(ctx context.Context, path record.Path, name string) (record.FileGraph, error) {
	if _, ok := v.fresh[path]; ok {
		return v.Graph(ctx, path)
	}
	return v.s.db.GraphTo(ctx, path, name)
}

// Chunks returns the chunks of keys, in their order; one that is gone is zero. A
// chunk of a changed file is the one with its id, under the old key.
func (v *snapshot) Chunks(ctx context.Context, keys []record.Key) ([]record.Chunk, error) {
	stored := slices.DeleteFunc(slices.Clone(keys), func(k record.Key) bool { return k >= firstOpenKey })
	chunks, err := v.s.db.Chunks(ctx, stored)
	if err != nil {
		return nil, err
	}
	for i := range chunks {
		if r, ok := v.fresh[chunks[i].Path]; ok {
			chunks[i] = sameChunk(r.Chunks, chunks[i])
		}
	}
	if len(stored) == len(keys) {
		return chunks, nil
	}
	all := make([]record.Chunk, 0, len(keys))
	for _, k := range keys {
		if k >= firstOpenKey {
			all = append(all, v.over.chunk(k))
			continue
		}
		all, chunks = append(all, chunks[0]), chunks[1:]
	}
	return all, nil
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

// Keys returns which chunks are to be kept. It looks at what is in memory of each file.
func (v *snapshot) Keys(ctx context.Context, keep retrieve.Keep) (func(record.Key) bool, error) {
	var rows keptFiles
	for _, f := range v.s.files.all() {
		row := keptFile{keys: f.Chunks}
		r, changed := v.fresh[f.Path]
		if changed {
			f = r.File
		}
		if row.keys.N == 0 || !keep.File(f.Path, f.Language, f.Traits) {
			continue
		}
		if keep.Kind != "" && f.Traits != nil {
			row.kinds = f.Traits.Kinds
			if changed {
				var err error
				if row.kinds, err = v.kindsNow(ctx, &r); err != nil {
					return nil, err
				}
			}
		}
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b keptFile) int { return cmp.Compare(a.keys.First, b.keys.First) })
	kind := record.KindSetOf(keep.Kind)
	open := v.over.kept(&keep)
	return func(key record.Key) bool {
		if key >= firstOpenKey {
			i := int(key - firstOpenKey)
			return i < len(open) && open[i]
		}
		return rows.hold(key, kind)
	}, nil
}

// kindsNow returns the kinds of the chunks that the index has of a file, as the file is
// now; see Chunks.
func (v *snapshot) kindsNow(ctx context.Context, r *record.FileRecord) ([]record.KindSet, error) {
	stored, err := v.s.db.FileChunks(ctx, r.File.Path)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return nil, err
	}
	kinds := make([]record.KindSet, len(stored))
	for i := range stored {
		if j := slices.IndexFunc(r.Chunks, func(c record.Chunk) bool { return c.ID == stored[i].ID }); j >= 0 {
			kinds[i] = r.File.Traits.Kinds[j]
		}
	}
	return kinds, nil
}

// keptFile is the chunks of a file of which some are kept.
type keptFile struct {
	keys  record.KeyRange
	kinds []record.KindSet // of each; nil when none is asked for
}

// keptFiles are such files, by their keys.
type keptFiles []keptFile

// hold reports whether a chunk is to be kept for the kinds of the set.
func (k keptFiles) hold(key record.Key, kind record.KindSet) bool {
	i, found := slices.BinarySearchFunc(k, key, func(f keptFile, key record.Key) int { return cmp.Compare(f.keys.First, key) })
	if !found {
		i--
	}
	if i < 0 || !k[i].keys.Contains(key) {
		return false
	}
	at := int(key - k[i].keys.First)
	return k[i].kinds == nil || at < len(k[i].kinds) && k[i].kinds[at]&kind != 0
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

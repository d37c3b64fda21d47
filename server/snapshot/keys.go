package snapshot

import (
	"cmp"
	"context"
	"slices"

	"ambit/server/retrieve"
	"ambit/vectors/record"
)

// Keys returns which chunks a filter keeps. It looks at what is in memory of each file.
func (v *Snapshot) Keys(_ context.Context, filter retrieve.Filter) (func(record.Key) bool, error) {
	s, err := v.over.search()
	if err != nil {
		return nil, err
	}
	var kept keptFiles
	add := func(f *record.File) {
		if f.Chunks.N == 0 || !filter.File(f.Path, f.Language, f.Traits) {
			return
		}
		row := keptFile{keys: f.Chunks}
		if filter.Kind != "" && f.Traits != nil {
			row.kinds = f.Traits.Kinds
		}
		kept = append(kept, row)
	}
	for i := range v.state.files.files {
		if f := &v.state.files.files[i]; v.over.replaced[f.Path] == nil {
			add(f)
		}
	}
	for i := range s.files {
		add(&s.files[i])
	}
	slices.SortFunc(kept, func(a, b keptFile) int { return cmp.Compare(a.keys.First, b.keys.First) })
	kind := record.KindSetOf(filter.Kind)
	return func(key record.Key) bool { return kept.has(key, kind) }, nil
}

// keptFile is the chunks of a file of which a filter keeps some.
type keptFile struct {
	keys  record.KeyRange
	kinds []record.KindSet // of each; nil when the filter names none
}

// keptFiles are such files, by their keys.
type keptFiles []keptFile

// has reports whether the filter keeps a chunk; kind is the set of the kind that it
// names.
func (k keptFiles) has(key record.Key, kind record.KindSet) bool {
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

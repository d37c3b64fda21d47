package snapshot

import (
	"context"

	"ambit/server/retrieve"
	"ambit/vectors/record"
)

// Keys returns the chunks that a filter keeps. It reads only memory.
func (v *Snapshot) Keys(_ context.Context, filter retrieve.Filter) (func(record.Key) bool, error) {
	s, err := v.over.search()
	if err != nil {
		return nil, err
	}
	indexed, replaced := keptFiles(s.indexed, &filter), keptFiles(s.replaced, &filter)
	kind := record.KindSetOf(filter.Kind)
	return func(key record.Key) bool {
		files, kept := s.filesOf(key), indexed
		if files == s.replaced {
			kept = replaced
		}
		i := files.fileOf(key)
		if i < 0 || !kept[i] {
			return false
		}
		f := &files.files[i]
		at := int(key - f.Chunks.First)
		return filter.Kind == "" || f.Traits == nil || at < len(f.Traits.Kinds) && f.Traits.Kinds[at]&kind != 0
	}, nil
}

// keptFiles reports for each file whether the filter keeps chunks of it.
func keptFiles(c *catalog, filter *retrieve.Filter) []bool {
	kept := make([]bool, len(c.files))
	for i := range c.files {
		f := &c.files[i]
		kept[i] = f.Chunks.N > 0 && filter.File(f.Path, f.Language, f.Traits)
	}
	return kept
}

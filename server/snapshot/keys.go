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
		i := files.placeOf(key)
		if i < 0 || !kept[i] {
			return false
		}
		f := files.byKey().files[i]
		if filter.Kind == "" || !f.HasTraits() {
			return true
		}
		kinds, _ := f.Kinds(int(key - f.Chunks().First))
		return kinds&kind != 0
	}, nil
}

// keptFiles reports for each file that has chunks, by key, whether the filter keeps it.
func keptFiles(c *catalog, filter *retrieve.Filter) []bool {
	list := c.byKey().files
	kept := make([]bool, len(list))
	for i, f := range list {
		kept[i] = filter.File(f)
	}
	return kept
}

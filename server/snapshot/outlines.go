package snapshot

import (
	"slices"
	"sync"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// maxOutlineBytes bounds the text of the outlines that a source keeps. An outline is about ten
// times as large as its text. The latest is kept whatever its size.
const maxOutlineBytes = 1 << 20

// outlines keeps the outlines of the files that were asked about last: the next question is
// often about the same file, whose parse can be the dearest part of an answer.
type outlines struct {
	mu   sync.Mutex // guards kept
	kept []keptOutline
}

// keptOutline is the outline of a file with a hash.
type keptOutline struct {
	hash    record.Hash
	outline *languages.Outline
}

// of returns the outline of a file with a hash, nil when it is not kept.
func (k *outlines) of(path record.Path, hash record.Hash) *languages.Outline {
	k.mu.Lock()
	defer k.mu.Unlock()
	i := k.index(path, hash)
	if i < 0 {
		return nil
	}
	found := k.kept[i]
	k.kept = slices.Insert(slices.Delete(k.kept, i, i+1), 0, found)
	return found.outline
}

// keep keeps an outline as the latest.
func (k *outlines) keep(o *languages.Outline, hash record.Hash) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.index(o.Path, hash) >= 0 {
		return // made twice at once
	}
	k.kept = slices.Insert(k.kept, 0, keptOutline{hash, o})
	bytes := len(o.Content)
	for i := range k.kept[1:] {
		if bytes += len(k.kept[i+1].outline.Content); bytes > maxOutlineBytes {
			k.kept = slices.Delete(k.kept, i+1, len(k.kept))
			break
		}
	}
}

func (k *outlines) index(path record.Path, hash record.Hash) int {
	return slices.IndexFunc(k.kept, func(o keptOutline) bool { return o.hash == hash && o.outline.Path == path })
}

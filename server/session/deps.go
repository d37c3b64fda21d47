package session

import (
	"crypto/sha256"
	"encoding/binary"
	"path/filepath"
	"slices"

	"ambit/indexer/deps"
	"ambit/server/api"
	"ambit/server/workspace"
	"ambit/vectors/record"
	"ambit/vectors/shelf"
	"ambit/vectors/store"
)

var _ deps.Shelf = parsedShelf{}

// parsedShelf keeps parsed files on a shelf. Builds may parse a file differently, so each has its own.
type parsedShelf struct {
	*shelf.Shelf
	build string
}

// shelfName is the directory of the shelf beside the indexes.
const shelfName = "dependencies"

// openShelf returns the shelf of the user, nil when the settings keep nothing.
func (s *Session) openShelf(build string) (parsedShelf, bool) {
	dir := s.set.CacheDir
	if dir == "" {
		var err error
		if dir, err = workspace.CacheDir(); err != nil {
			return parsedShelf{}, false
		}
	}
	return parsedShelf{shelf.Open(filepath.Join(dir, shelfName), int64(s.set.DependencyMB)<<20), build}, s.set.DependencyMB > 0
}

func (p parsedShelf) key(of record.Hash) record.Hash {
	return sha256.Sum256(slices.Concat([]byte(p.build), []byte{0}, of[:]))
}

// Get implements [deps.Shelf].
func (p parsedShelf) Get(key record.Hash) (*deps.Parsed, bool) {
	value := p.Shelf.Get(p.key(key))
	n, at := binary.Uvarint(value)
	if at <= 0 || n > uint64(len(value)-at) {
		return nil, false
	}
	rest := value[at:]
	g, ok := store.UnpackGraph(rest[n:])
	if !ok {
		return nil, false
	}
	parsed := &deps.Parsed{Graph: g}
	if n > 0 {
		parsed.Text = rest[:n:n]
	}
	return parsed, true
}

// Put implements [deps.Shelf]. A value is the length of the text, the text and the graph.
func (p parsedShelf) Put(key record.Hash, parsed *deps.Parsed) {
	value := binary.AppendUvarint(nil, uint64(len(parsed.Text)))
	p.Shelf.Put(p.key(key), slices.Concat(value, parsed.Text, store.PackGraph(&parsed.Graph)))
}

// ecosystems says where the sources of the dependencies of the indexed files are.
func (s *Session) ecosystems() []api.Ecosystem {
	files := s.index.Files()
	paths := make([]record.Path, 0, len(files))
	for i := range files {
		paths = append(paths, files[i].Path())
	}
	var all []api.Ecosystem
	for _, r := range s.deps.Report(paths) {
		e := api.Ecosystem{Name: r.Ecosystem, Found: packages(r.Found), Missing: packages(r.Missing), Remedy: r.Remedy}
		if r.Std != nil {
			e.Std = (*api.Package)(r.Std)
		}
		for _, x := range r.Refused {
			e.Refused = append(e.Refused, api.Refusal(x))
		}
		all = append(all, e)
	}
	return all
}

func packages(list []deps.Package) []api.Package {
	out := make([]api.Package, 0, len(list))
	for _, p := range list {
		out = append(out, api.Package(p))
	}
	return out
}

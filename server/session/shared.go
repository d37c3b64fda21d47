package session

import (
	"slices"
	"sync"

	"ambit/server/api"
	"ambit/server/snapshot"
	"ambit/vectors/record"
)

// shared has the open documents of all clients, for agents: what the user types counts for
// them before it is saved. Of a document that several clients have open, the latest version
// counts.
type shared struct {
	documents *snapshot.Documents

	mu   sync.Mutex // guards open
	open map[record.Path][]opened
}

// opened is a document that a client has open.
type opened struct {
	by       *client
	document *api.Document
}

// set puts a document of a client in place of its earlier version.
func (s *shared) set(by *client, d *api.Document) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		s.open = map[record.Path][]opened{}
	}
	s.open[d.Path] = append(without(s.open[d.Path], by), opened{by, d})
	s.documents.Set(d)
}

// close ends set for one path.
func (s *shared) close(by *client, path record.Path) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(by, path)
}

// leave ends set for all documents of a client.
func (s *shared) leave(by *client) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for path := range s.open {
		s.drop(by, path)
	}
}

// drop forgets that a client has a document open. The caller holds mu.
func (s *shared) drop(by *client, path record.Path) {
	before := s.open[path]
	left := without(before, by)
	switch {
	case len(left) == len(before):
	case len(left) == 0:
		delete(s.open, path)
		s.documents.Close(path)
	default:
		s.open[path] = left
		s.documents.Set(left[len(left)-1].document)
	}
}

// without returns the documents of other clients.
func without(list []opened, by *client) []opened {
	return slices.DeleteFunc(slices.Clone(list), func(o opened) bool { return o.by == by })
}

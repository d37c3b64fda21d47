package session

import (
	"context"

	"ambit/indexer/githist"
	"ambit/vectors/record"
)

// history reads the history of the repository from git when HEAD has moved.
type history struct{ *Session }

// Refresh implements [pipeline.History].
func (h history) Refresh(ctx context.Context) (*record.History, error) {
	if !h.headMoved() {
		return nil, nil
	}
	r, err := githist.Read(ctx, h.root)
	if err != nil {
		return nil, err
	}
	return &r, nil
}

// headMoved reports whether HEAD is not the commit whose history the index has.
func (s *Session) headMoved() bool { return githist.Head(s.root) != s.index.Head() }

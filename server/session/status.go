package session

import (
	"context"
	"fmt"
	"path/filepath"
	"sort"
	"strings"

	"ambit/server/assemble"
	"ambit/vectors/record"
)

// Status is what the index of a workspace holds.
type Status struct {
	Root       string
	Index      string // the path of the index file
	IndexBytes int64
	Generation uint64
	Model      string
	Pending    int // files that Index would look at
	Indexed    int // files
	Chunks     int
	Bytes      int64          // of the indexed files
	Masked     int            // secrets masked in them
	Languages  map[string]int // indexed files of each language
	LeftOut    []LeftOut      // by path
	State      State          // how far Run is
	Head       string         // the commit of which the history was read, "" without one
	Memory     Memory
}

// Memory is what the index remembers of what files held before, and what that was
// good for since the index was made.
type Memory struct {
	Embedded   int    // chunks whose vectors were computed
	Kept       int    // chunks whose vectors were remembered
	Recalled   int    // files that came back whole, neither parsed nor embedded; their chunks count as kept
	Shelved    int    // earlier states of files that could come back
	ShelfBytes int64  // what they take of the index
	Seed       string // the path of the index that this one began as a copy of, "" for none
}

// LeftOut is a file that is listed but not indexed.
type LeftOut struct {
	Path   string
	Reason string
}

// Status looks at the index and the tree, and changes neither. It waits while files
// are indexed.
func (s *Session) Status(ctx context.Context) (Status, error) {
	st, err := s.Stored(ctx)
	if err == nil {
		st.Pending, err = s.pending(ctx)
	}
	return st, err
}

// State returns how far [Session.Run] is.
func (s *Session) State() State {
	if st := s.state.Load(); st != nil {
		return *st
	}
	return State{Name: Starting, Generation: s.db.Generation(), Files: int(s.files.indexed.Load())}
}

// Stored is Status without Pending. It looks at the index alone and waits for nobody.
func (s *Session) Stored(ctx context.Context) (Status, error) {
	stats, err := s.db.Stats(ctx)
	if err != nil {
		return Status{}, err
	}
	st := Status{
		Root: s.root, Index: s.db.Path(), IndexBytes: stats.Bytes, Generation: stats.Generation, Model: stats.Model,
		Chunks: stats.Chunks, State: s.State(), Languages: map[string]int{}, Head: s.history.view.Load().head,
		Memory: Memory{stats.Embedded, stats.Kept, stats.Recalled, stats.Revisions, stats.RevisionBytes, stats.ClonedFrom},
	}
	for _, f := range s.files.all() {
		if f.LeftOut != "" {
			st.LeftOut = append(st.LeftOut, LeftOut{string(f.Path), f.LeftOut})
			continue
		}
		st.Indexed++
		st.Bytes += f.Size
		st.Masked += f.Masked
		st.Languages[f.Language]++
	}
	return st, nil
}

// Chunks returns how a file of the workspace is cut, in order, and its text. The
// error of a file that is not indexed says why, and wraps [ErrQuestion].
func (s *Session) Chunks(ctx context.Context, path string) ([]record.Chunk, []byte, error) {
	view, err := s.looked(record.Path(path))
	if err != nil {
		return nil, nil, err
	}
	chunks, err := view.FileChunks(ctx, record.Path(path))
	if err != nil {
		return nil, nil, err
	}
	content, err := view.Content(ctx, record.Path(path))
	return chunks, content, err
}

// Piece is a chunk with its place.
type Piece struct {
	record.Chunk
	Start, End assemble.Position // half-open
}

// Pieces returns what [Session.Chunks] does, with places.
func (s *Session) Pieces(ctx context.Context, path string) ([]Piece, error) {
	chunks, content, err := s.Chunks(ctx, path)
	if err != nil {
		return nil, err
	}
	starts := []int{0}
	for i, c := range content {
		if c == '\n' {
			starts = append(starts, i+1)
		}
	}
	at := func(offset int) assemble.Position {
		line := sort.SearchInts(starts, offset+1)
		return assemble.Position{Line: line, Before: string(content[starts[line-1]:offset])}
	}
	pieces := make([]Piece, 0, len(chunks))
	for _, c := range chunks {
		pieces = append(pieces, Piece{c, at(c.Span.Start), at(c.Span.End)})
	}
	return pieces, nil
}

// Text returns a file of the workspace as the answers see it, with secrets masked. The
// caller does not change it. Errors are those of [Session.Chunks].
func (s *Session) Text(ctx context.Context, path string) ([]byte, error) {
	view, err := s.looked(record.Path(path))
	if err != nil {
		return nil, err
	}
	return view.Content(ctx, record.Path(path))
}

// looked returns a snapshot that has one file as it is now.
func (s *Session) looked(path record.Path) (*snapshot, error) {
	view, _ := s.snapshot(nil).including(path).refreshed([]record.Path{path})
	return view, view.check(path)
}

// check returns why a path of the workspace is in no answer, if it is in none.
func (v *snapshot) check(path record.Path) error {
	s := v.s
	f, ok := s.files.find(path)
	if r, fresh := v.fresh[path]; fresh {
		f, ok = r.File, true
	}
	switch {
	case ok && f.LeftOut == "":
		return nil
	case ok:
		return fmt.Errorf("%w: %s is not indexed (%s); ambit status lists what is left out and why", ErrQuestion, path, f.LeftOut)
	}
	info, err := s.dir.Stat(string(path))
	switch {
	case err != nil:
		return fmt.Errorf("%w: no file %s in %s; check the name, which is relative to the working directory or the workspace",
			ErrQuestion, path, s.root)
	case info.IsDir():
		return fmt.Errorf("%w: %s is a directory; name a file in it", ErrQuestion, path)
	}
	return fmt.Errorf("%w: %s is ignored (by git's rules, .ambitignore or the settings); add !%s to .ambitignore to index it",
		ErrQuestion, path, path)
}

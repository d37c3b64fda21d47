package session

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

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
	Head       string         // the commit of which the history was read, "" without one
}

// LeftOut is a file that is listed but not indexed.
type LeftOut struct {
	Path   string
	Reason string
}

// Status looks at the index and the tree, and changes neither.
func (s *Session) Status(ctx context.Context) (Status, error) {
	stats, err := s.db.Stats(ctx)
	if err != nil {
		return Status{}, err
	}
	st := Status{
		Root: s.root, Index: s.db.Path(), IndexBytes: stats.Bytes, Generation: stats.Generation, Model: stats.Model,
		Chunks: stats.Chunks, Languages: map[string]int{}, Head: s.history.view.Load().head,
	}
	if st.Pending, err = s.pending(ctx); err != nil {
		return Status{}, err
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
	if err := s.check(record.Path(path)); err != nil {
		return nil, nil, err
	}
	chunks, err := s.db.FileChunks(ctx, record.Path(path))
	if err != nil {
		return nil, nil, err
	}
	content, err := s.db.Content(ctx, record.Path(path))
	return chunks, content, err
}

// check returns why a path of the workspace is not in the index, if it is not.
func (s *Session) check(path record.Path) error {
	f, ok := s.files.find(path)
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

// Path returns the path inside the workspace of a file that is named by an absolute
// path, links and all. A file outside of the workspace is an error that wraps
// [ErrQuestion].
func (s *Session) Path(full string) (string, error) {
	for _, name := range []string{full, realName(full)} {
		rel, err := filepath.Rel(s.root, name)
		if err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return filepath.ToSlash(rel), nil
		}
	}
	return "", fmt.Errorf("%w: %s is outside of the workspace %s; name the right one with --root DIR", ErrQuestion, full, s.root)
}

// realName follows the links in the name of the directory that a file is in: the
// file itself may be a link, which the workspace knows under its own name.
func realName(full string) string {
	dir, err := filepath.EvalSymlinks(filepath.Dir(full))
	if err != nil {
		return full
	}
	return filepath.Join(dir, filepath.Base(full))
}

package answer

import (
	"context"
	"fmt"
	"strings"

	"ambit/indexer/patch"
	"ambit/server/api"
	"ambit/server/assemble"
	"ambit/server/retrieve"
	"ambit/server/snapshot"
	"ambit/vectors/record"
)

// changed finds the candidates of a diff: what it changes and what follows. What no answer
// can show is listed: deleted files, files outside of the workspace, and changes that do not
// fit the file.
func (a *Answerer) changed(ctx context.Context, s *snapshot.Snapshot, q *api.Question, c retrieve.Change) (r retrieve.Result, lost []api.Omission, err error) {
	files := patch.Parse(q.Diff)
	if len(files) == 0 {
		return r, nil, fmt.Errorf("%w: the text is no diff; give the output of git diff or diff -u", api.ErrQuestion)
	}
	omit := func(path, reason string) {
		lost = append(lost, api.Omission{ID: record.NewChunkID(record.Path(path), "", "diff", 0), Identifier: path, Path: record.Path(path), Reason: reason})
	}
	for i := range files {
		f := &files[i]
		path, ok := inWorkspace(s, f)
		switch {
		case f.New == "" && !ok:
			omit(f.Old, "deleted by the diff")
			continue
		case !ok:
			omit(f.New, outside(s, f.New))
			continue
		case c.Keep != nil && !c.Keep(path):
			continue
		}
		text, err := s.Content(ctx, path)
		if err != nil {
			return r, nil, err
		}
		side := f.Fit(strings.Split(string(text), "\n"))
		if side == patch.Other {
			omit(string(path), "the diff is of another state of the file")
			continue
		}
		switch {
		case f.Binary:
			omit(string(path), "binary")
		case len(f.Hunks) == 0 && f.Old != f.New:
			omit(string(path), "renamed from "+assemble.SafePath(record.Path(f.Old))+", no line is changed")
		}
		c.Files = append(c.Files, retrieve.ChangedFile{Path: path, Lines: f.Touched(side)})
	}
	if len(c.Files) == 0 {
		var all []string
		for _, o := range lost {
			all = append(all, assemble.SafePath(o.Path)+" ("+o.Reason+")")
		}
		return r, nil, fmt.Errorf("%w: the diff changes nothing that the workspace has: %s", api.ErrQuestion, assemble.OneLine(strings.Join(all, ", "), maxListed))
	}
	r, err = retrieve.Changed(ctx, s.Index(a.o.Embed), c)
	return r, lost, err
}

// maxListed bounds the bytes of a list in an error.
const maxListed = 400

// inWorkspace returns the file of a diff in the workspace: under its new path or, when the
// diff is not applied, its old one. A diff without "a/" and "b/" may have lost a directory of
// that name.
func inWorkspace(s *snapshot.Snapshot, f *patch.File) (record.Path, bool) {
	for _, p := range []string{f.New, f.Old} {
		for _, prefix := range []string{"", "a/", "b/"} {
			if path := record.Path(prefix + p); p != "" {
				if _, ok := s.File(path); ok {
					return path, true
				}
			}
		}
	}
	return "", false
}

// outside returns why no answer has a file of a diff.
func outside(s *snapshot.Snapshot, path string) string {
	if strings.HasPrefix(path, "/") || path == ".." || strings.HasPrefix(path, "../") {
		return "outside of the workspace"
	}
	if err := s.Check(record.Path(path)); err != nil {
		_, reason, _ := strings.Cut(err.Error(), ": ")
		return assemble.OneLine(reason, maxListed)
	}
	return "not in the workspace"
}

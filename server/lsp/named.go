package lsp

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"ambit/server/api"
	"ambit/server/location"
)

// findNamed returns the folder to ask about a symbol or about a line of a path, and makes the
// path relative to it.
func (s *server) findNamed(ctx context.Context, r *request, q *api.Question) (*folder, error) {
	folders, err := r.findFolders(q.Folder, q.TextDocument)
	if err != nil {
		return nil, err
	}
	q.TextDocument = nil
	if folders, q.Path, err = r.view.foldersOf(folders, q.Path); err != nil {
		return nil, err
	}
	if len(folders) == 1 {
		return folders[0], nil
	}
	return s.findAmong(ctx, r, folders, q)
}

// foldersOf returns those of folders that a path may lead into, and the path relative to
// them.
func (v *view) foldersOf(folders []*folder, path string) ([]*folder, string, error) {
	if f, rest, ok := v.folderIn(folders, path); ok {
		return []*folder{f}, rest, nil
	}
	if file, ok := absolute(path); ok {
		return nil, "", failed("%s is in no folder that is open; name a file of the workspace", file)
	}
	return folders, path, nil
}

// folderIn returns the folder that a path names, and the path relative to it: a path with a
// root lies in a folder, or a path starts with the name of one of several folders.
func (v *view) folderIn(folders []*folder, path string) (f *folder, rest string, ok bool) {
	if file, ok := absolute(path); ok {
		if i := slices.IndexFunc(folders, func(f *folder) bool { return f.root == file }); i >= 0 {
			return folders[i], "", true
		}
		f, inside := v.folderOf(file)
		return f, string(inside), f != nil
	}
	first, rest, _ := strings.Cut(filepath.ToSlash(path), "/")
	for _, f := range folders {
		if len(folders) > 1 && f.name != "" && f.name == first {
			return f, rest, true
		}
	}
	return nil, "", false
}

// absolute returns the file of a URI or of a path with a root.
func absolute(path string) (file string, ok bool) {
	if file, ok := location.File(path); ok {
		return file, true
	}
	return filepath.Clean(path), filepath.IsAbs(path)
}

// findAmong returns the only one of several folders that can answer a question about a
// symbol or a path.
func (s *server) findAmong(ctx context.Context, r *request, folders []*folder, q *api.Question) (only *folder, first error) {
	var names []string
	for _, f := range folders {
		_, err := answering(ctx, r, f, *q, func(w api.Workspace, ctx context.Context, q api.Question) (*api.Answer, error) {
			return w.Context(ctx, withSettings(q, f.settings.Load()))
		})
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case err == nil:
			only, names = f, append(names, f.name)
		case first == nil:
			first = err
		}
	}
	switch len(names) {
	case 0:
		return nil, first
	case 1:
		return only, nil
	}
	return nil, &api.FieldError{Field: "path", Reason: "more than one folder has it (" + strings.Join(names, ", ") + "); begin the path with the name of one"}
}

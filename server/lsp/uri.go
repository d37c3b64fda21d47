package lsp

import (
	"path/filepath"
	"strings"

	"go.lsp.dev/uri"
)

// untitledScheme is that of documents that have never been saved.
const untitledScheme = "untitled"

// scheme returns the scheme of a URI in lower case, "" without one.
func scheme(u string) string {
	name, _, ok := strings.Cut(u, ":")
	if !ok || strings.ContainsAny(name, "/\\ ") {
		return ""
	}
	return strings.ToLower(name)
}

// filePath returns the absolute path that a file URI names, and whether it is one.
func filePath(u string) (string, bool) {
	if scheme(u) != "file" {
		return "", false
	}
	parsed, err := uri.Parse(u)
	if err == nil && parsed.Authority() == "localhost" {
		parsed, err = uri.From(uri.Components{Scheme: "file", Path: parsed.Path()})
	}
	if err != nil || parsed.Authority() != "" && filepath.Separator == '/' { // of another machine
		return "", false
	}
	path := filepath.Clean(parsed.FsPath())
	return path, filepath.IsAbs(path) && !strings.ContainsRune(path, 0)
}

// below returns the path of a file relative to a directory, with "/", and whether it
// is in it.
func below(dir, path string) (string, bool) {
	rel, err := filepath.Rel(dir, path)
	if err != nil || rel == "." || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}

package deps

import (
	"os"
	"path"
	"path/filepath"
	"strings"
)

// maxAbove bounds the directories above the workspace that can be its root for a package manager.
const maxAbove = 8

// jsBase returns the real path of the directory below which packages are read, and the workspace
// below it. That is the workspace, or the directory above it whose package.json or
// pnpm-workspace.yaml counts the workspace among its packages: package managers install what these
// share beside it. A workspace cannot make another directory count.
func jsBase(workspace string) (base, prefix string) {
	real, err := filepath.EvalSymlinks(workspace)
	if err != nil {
		return workspace, "."
	}
	dir := real
	for range maxAbove {
		parent := filepath.Dir(dir)
		if parent == dir {
			break
		}
		dir = parent
		rel, err := filepath.Rel(dir, real)
		if err != nil {
			break
		}
		if rel = filepath.ToSlash(rel); isMember(workspacePatterns(dir), rel) {
			return dir, rel
		}
	}
	return real, "."
}

// workspacePatterns returns the patterns of the packages that a directory is the root of.
func workspacePatterns(dir string) []string {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil
	}
	defer func() { _ = root.Close() }() // it is only read
	var patterns []string
	if text, _, err := readFile(root, "package.json"); err == nil {
		patterns = parseManifest(text).workspaces
	}
	text, _, _ := readFile(root, "pnpm-workspace.yaml") // none has no patterns
	inside := false
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\r\n")
		item := strings.TrimSpace(line)
		switch value, isItem := strings.CutPrefix(item, "- "); {
		case item == "" || strings.HasPrefix(item, "#"):
		case isItem && inside:
			value, _, _ = strings.Cut(value, " #")
			patterns = append(patterns, strings.Trim(strings.TrimSpace(value), `"'`))
		default:
			inside = strings.HasPrefix(line, "packages:")
		}
	}
	return patterns
}

// maxPatternParts bounds a pattern: each "**" tries every directory of a path.
const maxPatternParts = 16

// isMember reports whether patterns count a directory, or one above it, among the packages.
func isMember(patterns []string, rel string) bool {
	for dir := rel; dir != "." && dir != "/"; dir = path.Dir(dir) {
		member := false
		for _, p := range patterns {
			p, not := strings.CutPrefix(p, "!")
			parts := strings.Split(path.Clean(p), "/")
			if len(parts) <= maxPatternParts && matchesPath(parts, strings.Split(dir, "/")) {
				member = !not
			}
		}
		if member {
			return true
		}
	}
	return false
}

// matchesPath reports whether a pattern fits a path. "**" stands for any number of directories.
func matchesPath(pattern, parts []string) bool {
	if len(pattern) == 0 {
		return len(parts) == 0
	}
	if pattern[0] == "**" {
		return matchesPath(pattern[1:], parts) || len(parts) > 0 && matchesPath(pattern, parts[1:])
	}
	if len(parts) == 0 {
		return false
	}
	ok, err := path.Match(pattern[0], parts[0])
	return ok && err == nil && matchesPath(pattern[1:], parts[1:])
}

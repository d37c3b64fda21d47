package location

import (
	"net/url"
	"path/filepath"
	"strings"

	"ambit/vectors/record"
)

// URI returns the URI of a file below the directory root, an absolute path, or of root
// itself for path "". A path without a root, that of an untitled document, is a URI
// already. Every byte that is not unreserved is escaped, so a path that is not UTF-8
// keeps its bytes.
//
// Source: RFC 3986 section 2.3 and RFC 8089; a Windows drive gets a leading slash.
func URI(root string, path record.Path) string {
	if root == "" {
		return string(path)
	}
	if isWindowsDrive(root) {
		root = "/" + strings.ReplaceAll(root, `\`, "/")
	}
	full := root
	if path != "" {
		full = strings.TrimSuffix(root, "/") + "/" + string(path)
	}

	const hex = "0123456789ABCDEF"
	var t strings.Builder
	t.WriteString("file://")
	for i := range len(full) {
		c := full[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-._~/:", c) >= 0:
			t.WriteByte(c)
		default:
			t.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}
	return t.String()
}

// archiveContent is the start of the URI of an entry of an archive. The server provides the text.
const archiveContent = "ambit-context:/jar"

// Outside returns the URI of a file of a dependency: of a file of the disk, or of an entry of an
// archive, "/home/u/gson-sources.jar!/com/google/gson/Gson.java".
func Outside(name string, inArchive bool) string {
	uri := URI(name, "")
	if inArchive {
		return archiveContent + strings.ReplaceAll(strings.TrimPrefix(uri, "file://"), "%21", "!")
	}
	return uri
}

// Archived returns the name of the entry of an archive that a URI of [Outside] names, and whether
// it names one.
func Archived(uri string) (string, bool) {
	parsed, err := url.Parse(uri)
	if err != nil || parsed.Host != "" {
		return "", false
	}
	name, ok := strings.CutPrefix(parsed.Scheme+":"+parsed.Path, archiveContent+"/")
	if !ok || strings.ContainsRune(name, 0) {
		return "", false
	}
	if isWindowsDrive(name) {
		return name, true
	}
	return "/" + name, true
}

// isWindowsDrive reports whether path starts with "C:".
func isWindowsDrive(path string) bool {
	return len(path) >= 2 && path[1] == ':' && (path[0]|0x20) >= 'a' && (path[0]|0x20) <= 'z'
}

// Scheme returns the scheme of a URI in lower case, "" without one.
func Scheme(uri string) string {
	name, _, ok := strings.Cut(uri, ":")
	if !ok || strings.ContainsAny(name, "/\\ ") {
		return ""
	}
	return strings.ToLower(name)
}

// File returns the absolute path that a file URI names, and whether it is the URI of a
// file of this machine.
func File(uri string) (string, bool) {
	parsed, err := url.Parse(uri)
	if err != nil || Scheme(uri) != "file" || parsed.Host != "" && parsed.Host != "localhost" && filepath.Separator == '/' {
		return "", false
	}
	path := parsed.Path
	switch {
	case strings.HasPrefix(path, "/") && isWindowsDrive(path[1:]) && filepath.Separator != '/':
		path = strings.ToLower(path[1:2]) + path[2:]
	case parsed.Host != "" && parsed.Host != "localhost":
		path = "//" + parsed.Host + path
	}
	path = filepath.Clean(filepath.FromSlash(path))
	return path, filepath.IsAbs(path) && !strings.ContainsRune(path, 0)
}

// Below returns the path of a file relative to a directory, and whether it is in it.
func Below(dir, file string) (record.Path, bool) {
	rel, err := filepath.Rel(dir, file)
	if err != nil || rel == "." || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", false
	}
	return record.Path(filepath.ToSlash(rel)), true
}

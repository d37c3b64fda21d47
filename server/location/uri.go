package location

import (
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

// isWindowsDrive reports whether path starts with "C:".
func isWindowsDrive(path string) bool {
	return len(path) >= 2 && path[1] == ':' && (path[0]|0x20) >= 'a' && (path[0]|0x20) <= 'z'
}

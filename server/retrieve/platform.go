package retrieve

import (
	"strings"
	"unicode"
)

// platforms maps words of paths and of questions to the operating system that they name.
// It leaves out Linux and Unix, whose files are mostly those that others are compared to,
// and words that are more often something else: mac, or the android of a whole project.
var platforms = map[string]string{
	"win": "windows", "windows": "windows", "win32": "windows", "win64": "windows", "mingw": "windows", "cygwin": "windows",
	"darwin": "darwin", "macos": "darwin", "osx": "darwin",
	"freebsd": "bsd", "netbsd": "bsd", "openbsd": "bsd", "dragonfly": "bsd",
	"sunos": "solaris", "solaris": "solaris", "illumos": "solaris",
	"aix": "aix", "os390": "zos", "zos": "zos", "haiku": "haiku", "plan9": "plan9", "qnx": "qnx",
}

// platformsOf returns the operating systems that the words of a text name.
func platformsOf(text string) []string {
	var out []string
	for w := range strings.FieldsFuncSeq(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if p := platforms[w]; p != "" {
			out = append(out, p)
		}
	}
	return out
}

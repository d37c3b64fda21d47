// Package lazy makes things when they are first used, so that the start of a process does not
// wait for what it may not need.
package lazy

import (
	"os"
	"regexp"
	"strings"
	"sync"
)

// inTest says that the program is a test, which finds a wrong expression by its start.
var inTest = len(os.Args) > 0 && (strings.HasSuffix(os.Args[0], ".test") || strings.HasSuffix(os.Args[0], ".test.exe"))

// Regexp returns a function that returns a regular expression, which the first call
// compiles. It panics as [regexp.MustCompile] does. The function is safe for concurrent use.
//
// Some 200 expressions took 8 ms of the start of each command. Source: package internal/lazyregexp
// of Go.
func Regexp(expr string) func() *regexp.Regexp {
	get := sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
	if inTest {
		get()
	}
	return get
}

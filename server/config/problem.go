package config

import (
	"fmt"
	"strconv"
	"strings"
)

// Problem is a setting or a source that is invalid or has no effect.
type Problem struct {
	Source  string // path of the file, "client settings", or "flags"
	Line    int    // in the file, from 1; 0 when there is none
	Setting string // name in the source; "" means the whole source
	Reason  string // with the next step
}

// Error returns the problem on one line, "path:3: budget: 5 is out of range; use …".
func (p *Problem) Error() string {
	var b strings.Builder
	b.WriteString(p.Source)
	if p.Line > 0 {
		fmt.Fprintf(&b, ":%d", p.Line)
	}
	b.WriteString(": ")
	if p.Setting != "" {
		b.WriteString(plainName(p.Setting) + ": ")
	}
	b.WriteString(p.Reason)
	return b.String()
}

// maxQuotedBytes bounds a quoted name or value.
const maxQuotedBytes = 60

// plainName returns a plain name as it is, and any other quoted and shortened.
func plainName(name string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' || r == '.'
	}
	if len(name) <= maxQuotedBytes && strings.IndexFunc(name, func(r rune) bool { return !plain(r) }) < 0 {
		return name
	}
	return quote(name)
}

// quote returns text quoted, on one line, and shortened.
func quote(text string) string {
	if len(text) > maxQuotedBytes {
		return strconv.Quote(text[:maxQuotedBytes]) + "…"
	}
	return strconv.Quote(text)
}

// oneLine returns text on one line.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// join returns "a, b and c".
func join(names []string, conjunction string) string {
	last := len(names) - 1
	if last < 1 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:last], ", ") + " " + conjunction + " " + names[last]
}

// suggest returns a hint when name is another spelling of a known name.
func suggest(name string, known []string) string {
	fold := func(s string) string {
		return strings.ToLower(strings.NewReplacer("_", "", "-", "", ".", "").Replace(s))
	}
	for _, k := range known {
		if fold(k) == fold(name) {
			return "; did you mean " + k + "?"
		}
	}
	return ""
}

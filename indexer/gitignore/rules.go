package gitignore

import (
	"bytes"
	"io"
	"math"
	"os"
	"slices"
	"strings"
)

// maxIgnoreBytes bounds an ignore file; the rest of a longer file is not read. The largest
// in use (github/gitignore's collections joined) have some 20 kB.
const maxIgnoreBytes = 1 << 20

// Rules are the lines of ignore files. It is immutable and safe for concurrent use; nil
// has no rules. Directories without an ignore file share the Rules of their parent.
type Rules struct {
	list   *ruleList // of the innermost file
	weaker *Rules    // of the files above
}

// Match is the decision of [Rules] about a file or directory.
type Match uint8

// The values of a [Match].
const (
	Undecided   Match = iota // no rule matches
	Ignored                  // a rule ignores it
	TakenIn                  // a "!" rule with a name takes it in
	TakenInPath              // a "!" rule with a path takes it in
)

// Parse reads one rule a line. The paths in them start at the root of the walk.
func Parse(lines []string) *Rules {
	return &Rules{list: parseIgnore([]byte(strings.Join(lines, "\n")), ruleList{})}
}

// ReadFile returns the rules of a file in front of r, which is weaker. dir is the
// directory of the file, relative to the root of the walk, "" or ending in "/". A file
// that is missing, not regular or unreadable has no rules.
func (r *Rules) ReadFile(file, dir string) *Rules {
	return r.push(readIgnore(file, true, ruleList{base: dir}))
}

// Source is where a rule stands.
type Source struct {
	File string // absolute, or as [Rules.ReadFile] got it; "" for the lines of [Parse]
	Line int    // from 1
	Text string // the line, without blanks at its end
}

// Ignoring returns the rule that makes [Rules.Match] say [Ignored]; ok is false when it
// says something else. The files of directories below dir do not count.
func (r *Rules) Ignoring(dir, name string, isDir bool) (s Source, ok bool) {
	for ; r != nil; r = r.weaker {
		if len(r.list.base) > len(dir) {
			continue // of a directory below dir
		}
		if last := r.list.last(dir, name, isDir); last != nil {
			return Source{File: r.list.file, Line: last.line, Text: last.text}, !last.negated
		}
	}
	return Source{}, false
}

// Match returns the decision of the rules about the entry called name in dir: the last
// matching rule of the innermost file with a matching rule decides. dir is relative to the
// root of the walk, "" or ending in "/".
func (r *Rules) Match(dir, name string, isDir bool) Match {
	for ; r != nil; r = r.weaker {
		switch last := r.list.last(dir, name, isDir); {
		case last == nil:
		case !last.negated:
			return Ignored
		case last.shape == path:
			return TakenInPath
		default:
			return TakenIn
		}
	}
	return Undecided
}

// Reaches reports whether a "!" rule with a path could match below dir, which ends in
// "/": "!dist/types.d.ts" opens a dist that git ignores. As in git, a rule
// without a path and a rule that starts with "**" open nothing.
func (r *Rules) Reaches(dir string) bool {
	for ; r != nil; r = r.weaker {
		if r.list.reaches(dir) {
			return true
		}
	}
	return false
}

// shape says how a rule is matched, cheapest first.
type shape uint8

const (
	literal shape = iota // a name, equal
	suffix               // "*" and a literal end of a name
	glob                 // a pattern for a name
	path                 // a pattern with "/", for the path below the list's directory
)

// rule is one line of an ignore file.
type rule struct {
	text    string // the line
	line    int    // its number, from 1
	pattern string // without "!", a leading and one trailing "/"; of a suffix without "*"
	run     string // in each name that a glob matches; "" for none
	shape   shape
	literal int  // bytes at the start of a pattern with a path or of a glob without special characters
	slashes int  // of a pattern with a path, which what it matches has, too; -1 for one with "**" or a bracket
	negated bool // a "!" line
	dirOnly bool // the line ended in "/"
}

// ruleList is the rules of one ignore file. It is immutable and safe for concurrent use.
//
// Source: dir.c of git 2.39 (add_patterns_from_buffer, parse_path_pattern,
// last_matching_pattern_from_list).
type ruleList struct {
	rules []rule
	file  string // "" for lines of a setting
	base  string // directory of the file, "" or ending in "/"
	fold  bool   // match ASCII letters in either case
	// Indexes into rules, ascending: names, and the last names of paths, by literal, by extension
	// with its dot, and the rest, which is tried one by one.
	byName map[string][]int32
	byExt  map[string][]int32
	rest   []int32
	edges  []edges // of each of rest
}

// edges are the bytes that each name begins and ends with that a rule matches, 0 for any, and the
// least number of its dots. They stand side by side, so that most rules are passed over without a
// look at them.
type edges struct{ first, last, dots byte }

// push returns the rules with l in front; an empty list changes nothing.
func (r *Rules) push(l *ruleList) *Rules {
	if l == nil || len(l.rules) == 0 {
		return r
	}
	return &Rules{list: l, weaker: r}
}

// readIgnore parses an ignore file. A file that is missing, not regular or unreadable has
// no rules, as in git. Like git, it follows no symbolic link to a file in the tree.
func readIgnore(file string, inTree bool, list ruleList) *ruleList {
	stat := os.Stat
	if inTree {
		stat = os.Lstat
	}
	if fi, err := stat(file); err != nil || !fi.Mode().IsRegular() {
		return nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxIgnoreBytes))
	if err != nil {
		return nil
	}
	list.file = file
	return parseIgnore(text, list)
}

// parseIgnore fills list with the rules of an ignore file's text.
func parseIgnore(text []byte, list ruleList) *ruleList {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	n := 0
	for line := range bytes.Lines(text) {
		n++
		line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		if end := bytes.IndexByte(line, 0); end >= 0 {
			line = line[:end]
		}
		list.add(string(trimBlanks(line)), n)
	}
	return &list
}

// trimBlanks cuts the trailing blanks that are not escaped by a backslash.
func trimBlanks(line []byte) []byte {
	end := 0 // after the last byte to keep
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case ' ':
			continue
		case '\\':
			if i++; i == len(line) {
				return line
			}
		}
		end = i + 1
	}
	return line[:end]
}

// add appends the rule of line number n.
func (l *ruleList) add(line string, n int) {
	r := rule{text: line, line: n}
	line, r.negated = strings.CutPrefix(line, "!")
	// git finds the literal end of "*.x" on the whole line, "/" included.
	isSuffix := strings.HasPrefix(line, "*") && !hasSpecial(line[1:])
	line, r.dirOnly = strings.CutSuffix(line, "/")
	if line == "" {
		return
	}
	i := int32(len(l.rules))
	switch {
	case strings.Contains(line, "/"):
		line = strings.TrimPrefix(line, "/")
		if r.slashes = strings.Count(line, "/"); strings.Contains(line, "**") || strings.Contains(line, "[") {
			r.slashes = -1
		}
		if r.shape, r.literal = path, literalLen(line); r.literal == len(line) {
			index(&l.byName, l.key(line[strings.LastIndexByte(line, '/')+1:]), i)
		} else {
			l.tryOneByOne(i, line)
		}
	case !hasSpecial(line):
		r.shape = literal
		index(&l.byName, l.key(line), i)
	case isSuffix:
		if strings.LastIndexByte(line, '.') == 1 {
			index(&l.byExt, l.key(line[1:]), i)
		} else {
			l.tryOneByOne(i, line)
		}
		r.shape, line = suffix, line[1:]
	default:
		if r.shape, r.literal = glob, literalLen(line); !l.fold {
			r.run = literalRun(line)
		}
		l.tryOneByOne(i, line)
	}
	r.pattern = line
	l.rules = append(l.rules, r)
}

// tryOneByOne adds the rule of index i, with a pattern, to the rest.
func (l *ruleList) tryOneByOne(i int32, pattern string) {
	var e edges
	if first := pattern[0]; !l.fold && !special(first) {
		e.first = first
	}
	if last := pattern[len(pattern)-1]; !l.fold && !special(last) && last != ']' {
		e.last = last
	}
	if !strings.Contains(pattern, "/") && !strings.Contains(pattern, "**") { // else a directory may have the dots
		e.dots = byte(min(strings.Count(plainStart(pattern), "."), math.MaxUint8))
	}
	l.rest, l.edges = append(l.rest, i), append(l.edges, e)
}

// key is the form of a name in the maps.
func (l *ruleList) key(s string) string {
	if l.fold {
		return foldASCII(s)
	}
	return s
}

func index(m *map[string][]int32, key string, i int32) {
	if *m == nil {
		*m = map[string][]int32{}
	}
	(*m)[key] = append((*m)[key], i)
}

// last returns the last rule of the list that matches, or nil.
func (l *ruleList) last(dir, name string, isDir bool) *rule {
	best := int32(-1)
	dir = dir[len(l.base):]
	if l.byName != nil {
		best = l.newest(l.byName[l.key(name)], best, dir, isDir)
	}
	if l.byExt != nil {
		if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
			best = l.newest(l.byExt[l.key(name[dot:])], best, dir, isDir)
		}
	}
	var first, inDir, end byte // of the name, and of the path below the directory of the list
	if name != "" {
		first, inDir, end = name[0], name[0], name[len(name)-1]
	}
	if dir != "" {
		inDir = dir[0]
	}
	dots := strings.Count(name, ".")
	for k := len(l.edges) - 1; k >= 0; k-- {
		e := l.edges[k]
		if e.last != 0 && e.last != end || int(e.dots) > dots || e.first != 0 && e.first != first && e.first != inDir {
			continue
		}
		i := l.rest[k]
		if i <= best {
			break
		}
		if r := &l.rules[i]; (isDir || !r.dirOnly) && l.matches(r, dir, name) {
			best = i
			break
		}
	}
	if best < 0 {
		return nil
	}
	return &l.rules[best]
}

// newest returns the largest index of from whose rule holds for the kind of the entry in dir, or
// best when that is larger. The names match already.
func (l *ruleList) newest(from []int32, best int32, dir string, isDir bool) int32 {
	for _, i := range slices.Backward(from) {
		if i <= best {
			break
		}
		r := &l.rules[i]
		if (isDir || !r.dirOnly) && (r.shape != path || l.equal(r.pattern[:strings.LastIndexByte(r.pattern, '/')+1], dir)) {
			return i
		}
	}
	return best
}

// matches reports whether r matches name in dir, counted from the list's base.
func (l *ruleList) matches(r *rule, dir, name string) bool {
	switch r.shape {
	case suffix:
		return len(r.pattern) <= len(name) && l.equal(r.pattern, name[len(name)-len(r.pattern):])
	case glob:
		n := r.literal
		return n <= len(name) && l.equal(r.pattern[:n], name[:n]) && strings.Contains(name, r.run) && matchWild(r.pattern[n:], name[n:], false, l.fold)
	}
	// git compares the literal start first and hands the rest of both to the
	// wildcards, which is why "a**/x" acts as "a" and "**/x".
	n := r.literal
	if k := min(n, len(dir)); !l.equal(r.pattern[:k], dir[:k]) {
		return false // most rules end here, before the path is put together
	}
	if r.slashes >= 0 && strings.Count(dir, "/") != r.slashes {
		return false
	}
	rel := dir + name
	return n <= len(rel) && l.equal(r.pattern[:n], rel[:n]) && matchWild(r.pattern[n:], rel[n:], true, l.fold)
}

// reaches is [Rules.Reaches] for one list.
func (l *ruleList) reaches(dir string) bool {
	if len(dir) < len(l.base) {
		return false
	}
	for i := range l.rules {
		if r := &l.rules[i]; r.negated && r.shape == path && l.reachesBy(r.pattern, dir[len(l.base):]) {
			return true
		}
	}
	return false
}

func (l *ruleList) reachesBy(pattern, dir string) bool {
	if strings.HasPrefix(pattern, "**") {
		return false
	}
	for dir != "" {
		var want, have string
		have, dir, _ = strings.Cut(dir, "/")
		want, pattern, _ = strings.Cut(pattern, "/")
		if want == "**" {
			return true
		}
		if pattern == "" || !matchWild(want, have, true, l.fold) {
			return false
		}
	}
	return true
}

// equal compares two strings, in either case when the list folds case.
func (l *ruleList) equal(a, b string) bool {
	if !l.fold {
		return a == b
	}
	return len(a) == len(b) && foldASCII(a) == foldASCII(b)
}

// foldASCII lowers the ASCII letters only, as git does.
func foldASCII(s string) string {
	for i := 0; i < len(s); i++ {
		if 'A' <= s[i] && s[i] <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				if 'A' <= b[i] && b[i] <= 'Z' {
					b[i] += 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}

// literalLen counts the bytes in front of the first special character.
func literalLen(s string) int {
	for i := 0; i < len(s); i++ {
		if special(s[i]) {
			return i
		}
	}
	return len(s)
}

// plainStart returns the part of a glob before its first bracket and backslash.
func plainStart(s string) string {
	if i := strings.IndexAny(s, `[\\`); i >= 0 {
		return s[:i]
	}
	return s
}

// literalRun returns the longest part of the plainStart of a glob without special characters.
func literalRun(s string) (longest string) {
	for run := range strings.FieldsFuncSeq(plainStart(s), func(c rune) bool { return c == '*' || c == '?' }) {
		if len(run) > len(longest) {
			longest = run
		}
	}
	return longest
}

func hasSpecial(s string) bool { return literalLen(s) < len(s) }

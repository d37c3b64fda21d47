package languages

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"sync"

	"ambit/vectors/record"
)

const (
	// maxPatternLine bounds the part of a line that a pattern sees, in bytes.
	maxPatternLine = 400
	// maxHeaderBytes bounds the distance from a name to the bracket that opens its body.
	maxHeaderBytes = 4 << 10
)

// extent is the rule for the end of a declaration.
type extent uint8

const (
	extentBraces extent = iota // at the bracket that closes its body; without a body as extentIndent
	extentIndent               // before the next line that is not indented deeper
	extentNext                 // before the next line that the same rule matches
)

// refStyle is the rule for the words that are uses of names.
type refStyle uint8

const (
	refCalls refStyle = iota // words before "(", and capitalized words as types
	refWords                 // all words but keywords
)

// patternRow is one language that no grammar covers; a new language needs only a new row.
// A pattern matches at the start of a line that is not in a comment.
type patternRow struct {
	name       string
	extensions []string // with the dot, lower case
	names      []string // whole file names
	variants   bool     // a dot and more can follow these names: Dockerfile.dev
	build      bool     // the files say how a project is built
	shebangs   []string
	line       []string  // the marks of line comments, the usual one first
	block      [2]string // the opening and the closing mark of block comments
	quotes     string    // quotation marks; a string ends on its line
	triple     bool      // three double quotes open a string of several lines
	nameBytes  string    // bytes of names besides letters, digits and "_"
	attrs      string    // a line that starts with one of these belongs to the declaration below
	extent     extent
	refs       refStyle
	bases      bool // a header names base types behind ":", "extends", …
	clauses    bool // neighbours with one name are one declaration
	rules      []rule
	imports    []string // patterns with the groups path, and perhaps name and local
	pkg        string   // pattern with the group name
	// read reads a file of a language with a reader of its own, which needs no patterns.
	read     func(r *patternRow, path record.Path, content []byte) Outline
	compiled func() *patterns
}

// rule finds one kind of declaration. The pattern has the group name and can have the group
// container. It is tried on lines that contain need.
type rule struct {
	need    string
	pattern string
	kind    record.Kind
	whole   bool // the header is the whole indented block
}

// patterns holds the compiled patterns of a row.
type patterns struct {
	row     *patternRow
	rules   []compiledRule
	imports []*regexp.Regexp
	pkg     *regexp.Regexp
}

type compiledRule struct {
	rule
	re              *regexp.Regexp
	need            []byte
	name, container int // group numbers, -1 for none
}

func (r *patternRow) compile() *patterns {
	p := &patterns{row: r}
	for _, x := range r.rules {
		re := regexp.MustCompile(x.pattern)
		p.rules = append(p.rules, compiledRule{rule: x, re: re, need: []byte(x.need), name: re.SubexpIndex("name"), container: re.SubexpIndex("container")})
	}
	for _, x := range r.imports {
		p.imports = append(p.imports, regexp.MustCompile(x))
	}
	if r.pkg != "" {
		p.pkg = regexp.MustCompile(r.pkg)
	}
	return p
}

func patternRows(rs ...patternRow) []*patternRow {
	out := make([]*patternRow, len(rs))
	for i := range rs {
		r := &rs[i]
		r.compiled = sync.OnceValue(r.compile)
		out[i] = r
	}
	return out
}

// patternRowOf returns the row of a file by its name, its extension or its interpreter; nil
// when it is not code.
func patternRowOf(base, ext, interpreter string) *patternRow {
	for _, r := range patternTable {
		if r.named(base) || ext != "" && slices.Contains(r.extensions, ext) ||
			ext == "" && interpreter != "" && slices.Contains(r.shebangs, interpreter) {
			return r
		}
	}
	return nil
}

// named reports whether a file name is that of files of a language.
func (r *patternRow) named(base string) bool {
	if slices.Contains(r.names, base) {
		return true
	}
	first, variant, ok := strings.Cut(base, ".")
	return ok && r.variants && slices.Contains(r.names, first) && !IsDocument(base) && byExtension["."+strings.ToLower(variant)] == nil
}

// parsePatterns reads a file line by line with the patterns of a row.
func parsePatterns(r *patternRow, path record.Path, content []byte) Outline {
	o := Outline{Path: path, Content: content, Language: r.name}
	s := patternScan{p: r.compiled(), content: content, masked: mask(r, content)}
	s.lines()
	s.matchBraces()
	s.scan()
	o.Decls, o.Imports, o.Package, o.Comments = s.decls, s.imports, s.pkg, s.comments()
	o.Refs = s.references()
	return o
}

// patternScan holds the state of one call of parsePatterns.
type patternScan struct {
	p       *patterns
	content []byte
	masked  []byte      // see mask
	starts  []int       // offsets of the lines, and len(content)
	closing map[int]int // offset of a "{" → offset of its "}"
	decls   []Decl
	imports []record.Import
	unused  []record.Span // lines without references
	pkg     string
}

func (s *patternScan) lines() {
	s.starts = make([]int, 0, bytes.Count(s.content, []byte("\n"))+2)
	for at := 0; at < len(s.content); at = lineEnd(s.content, at) {
		s.starts = append(s.starts, at)
	}
	s.starts = append(s.starts, len(s.content))
}

func (s *patternScan) matchBraces() {
	s.closing = map[int]int{}
	var open []int
	for i, c := range s.masked {
		switch {
		case c == '{':
			open = append(open, i)
		case c == '}' && len(open) > 0:
			s.closing[open[len(open)-1]] = i
			open = open[:len(open)-1]
		}
	}
}

// scan matches the rules with every line of code outside functions.
func (s *patternScan) scan() {
	var open []int // declarations around the line
	skip := 0      // end of the last function
	for i := 0; i+1 < len(s.starts); i++ {
		start, end := s.starts[i], s.starts[i+1]
		code := firstNonBlank(s.masked[start:end])
		if start < skip || code < 0 || s.masked[start+code] != s.content[start+code] {
			continue
		}
		line := bytes.TrimRight(s.content[start:min(end, start+maxPatternLine)], "\r\n")
		if s.importLine(line, i+1) {
			s.unused = append(s.unused, record.Span{Start: start, End: end})
			continue
		}
		for len(open) > 0 && s.decls[open[len(open)-1]].Span.End <= start {
			open = open[:len(open)-1]
		}
		d, ok := s.match(line, i)
		if !ok {
			continue
		}
		d.Parent = -1
		if len(open) > 0 {
			d.Parent = open[len(open)-1]
			d.clamp(s.decls[d.Parent].Span.End)
		}
		if s.joinClause(&d) {
			skip = d.Span.End
			continue
		}
		s.finish(&d)
		s.decls = append(s.decls, d)
		if holdsMembers(d.Kind) {
			open = append(open, len(s.decls)-1)
		} else if d.Body.End > d.Body.Start || d.Kind == record.KindFunction {
			skip = d.Span.End
		}
	}
}

// importLine reads an import or a package clause. It returns false for another line.
func (s *patternScan) importLine(line []byte, number int) bool {
	for _, re := range s.p.imports {
		m := re.FindSubmatch(line)
		if m == nil {
			continue
		}
		im := record.Import{Line: number}
		for k, group := range re.SubexpNames() {
			switch group {
			case "path":
				im.Path = string(m[k])
			case "name":
				im.Name = string(m[k])
			case "local":
				im.Local = string(m[k])
			}
		}
		if im.Local == "" && s.p.row.refs == refCalls {
			im.Local = lastName(im.Path)
		}
		s.imports = append(s.imports, im)
		return true
	}
	if s.p.pkg != nil && s.pkg == "" {
		if m := s.p.pkg.FindSubmatch(line); m != nil {
			s.pkg = string(m[1])
			return true
		}
	}
	return false
}

// lastName returns the name behind the last separator of a path.
func lastName(path string) string {
	path = strings.TrimRight(path, `/\.:`)
	return path[strings.LastIndexAny(path, `/\.:`)+1:]
}

// match returns the declaration on line i by the first rule that matches.
func (s *patternScan) match(line []byte, i int) (Decl, bool) {
	for k := range s.p.rules {
		r := &s.p.rules[k]
		if !bytes.Contains(line, r.need) {
			continue
		}
		m := r.re.FindSubmatchIndex(line)
		if m == nil || m[2*r.name] < 0 || m[2*r.name] == m[2*r.name+1] {
			continue
		}
		at := s.starts[i]
		d := Decl{Kind: r.kind, NameSpan: record.Span{Start: at + m[2*r.name], End: at + m[2*r.name+1]}}
		d.Name = string(s.content[d.NameSpan.Start:d.NameSpan.End])
		if notNames()[d.Name] {
			continue
		}
		if r.container >= 0 && m[2*r.container] >= 0 {
			d.Container = strings.TrimRight(string(line[m[2*r.container]:m[2*r.container+1]]), ".:")
		}
		d.Header.Start = at + firstNonBlank(line)
		s.extend(&d, r, i)
		d.Doc = s.docAbove(i)
		d.Span.Start = d.Header.Start
		if top := s.attachedAbove(i); top < i {
			d.Span.Start = s.starts[top] + firstNonBlank(s.content[s.starts[top]:s.starts[top+1]])
		}
		return d, true
	}
	return Decl{}, false
}

// extend finds the end of the header, the body and the declaration.
func (s *patternScan) extend(d *Decl, r *compiledRule, i int) {
	if s.p.row.extent == extentBraces {
		if open, end := s.bracesFrom(d.NameSpan.End, i); open >= 0 {
			d.Header.End, d.Body, d.Span.End = s.trimmed(d.Header.Start, open), record.Span{Start: open, End: end}, end
			return
		} else if end >= 0 {
			d.Header.End, d.Span.End = s.trimmed(d.Header.Start, end), end
			return
		}
	}
	last := s.blockEnd(i)
	if s.p.row.extent == extentNext {
		for last = i + 1; last+1 < len(s.starts); last++ {
			line := bytes.TrimRight(s.content[s.starts[last]:min(s.starts[last+1], s.starts[last]+maxPatternLine)], "\r\n")
			if bytes.Contains(line, r.need) && r.re.Match(line) {
				break
			}
		}
		last = s.attachedAbove(last)
	}
	d.Span.End = s.trimmed(d.Header.Start, s.starts[last])
	d.Header.End = min(s.trimmed(d.Header.Start, s.starts[i+1]), d.Span.End)
	if r.whole {
		d.Header.End = d.Span.End
	}
	d.Body = record.Span{Start: d.Header.End, End: d.Span.End}
}

// bracesFrom looks for the body of a declaration on line i, from offset at on. It returns
// the offset of its "{" and the end of the declaration. open is -1 when the declaration has
// no body; end is -1, too, when only the indentation shows where it ends.
func (s *patternScan) bracesFrom(at, i int) (open, end int) {
	indent := firstNonBlank(s.content[s.starts[i]:s.starts[i+1]])
	depth := 0
	for k := at; k < len(s.masked) && k < at+maxHeaderBytes; k++ {
		switch s.masked[k] {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case '{':
			if depth > 0 {
				continue
			}
			if c, ok := s.closing[k]; ok {
				return k, c + 1
			}
			return -1, -1
		case ';':
			if depth <= 0 {
				return -1, k + 1
			}
		case '\n':
			n := firstNonBlank(s.masked[k+1 : lineEnd(s.masked, k+1)])
			if depth <= 0 && n >= 0 && n <= indent && s.masked[k+1+n] != '{' {
				return -1, k
			}
		}
	}
	return -1, -1
}

// blockEnd returns the line after the block that starts with line i: the lines with a
// deeper indentation and the line that closes them.
func (s *patternScan) blockEnd(i int) int {
	indent := firstNonBlank(s.content[s.starts[i]:s.starts[i+1]])
	deeper, blank := false, false // the block has such lines
	k := i + 1
	for ; k+1 < len(s.starts); k++ {
		line := s.content[s.starts[k]:s.starts[k+1]]
		n := firstNonBlank(line)
		if n < 0 || n > indent {
			deeper, blank = deeper || n >= 0, blank || n < 0
			continue
		}
		if closesBlock(line[n:]) && (deeper || !blank) {
			return k + 1
		}
		break
	}
	return k
}

// closesBlock reports whether a line closes the block above it.
func closesBlock(line []byte) bool {
	switch line[0] {
	case '}', ')', ']':
		return true
	}
	return bytes.HasPrefix(line, []byte("end")) && !bytes.ContainsAny(line, "=(")
}

// attachedAbove returns the first of the comment and attribute lines right above line i, or
// i when there is none.
func (s *patternScan) attachedAbove(i int) int {
	for ; i > 0; i-- {
		line := s.content[s.starts[i-1]:s.starts[i]]
		n := firstNonBlank(line)
		if n < 0 || !s.isCommentLine(i-1) && strings.IndexByte(s.p.row.attrs, line[n]) < 0 {
			break
		}
	}
	return i
}

func (s *patternScan) isCommentLine(i int) bool {
	return i+1 < len(s.starts) && firstNonBlank(s.masked[s.starts[i]:s.starts[i+1]]) < 0 && firstNonBlank(s.content[s.starts[i]:s.starts[i+1]]) >= 0
}

// comments returns the lines that are comments.
func (s *patternScan) comments() (list []record.Span) {
	for i := range len(s.starts) - 1 {
		if s.isCommentLine(i) {
			list = append(list, record.Span{Start: s.starts[i] + firstNonBlank(s.content[s.starts[i]:s.starts[i+1]]), End: s.starts[i+1]})
		}
	}
	return list
}

// docAbove returns the comment above line i and above its attributes.
func (s *patternScan) docAbove(i int) record.Span {
	top := s.attachedAbove(i)
	end := top
	for end < i && s.isCommentLine(end) {
		end++
	}
	if end == top {
		return record.Span{}
	}
	start := s.starts[top] + firstNonBlank(s.content[s.starts[top]:s.starts[end]])
	return record.Span{Start: start, End: s.trimmed(start, s.starts[end])}
}

// joinClause extends the previous declaration over d and returns true, if that is a clause
// or the signature of the same function.
func (s *patternScan) joinClause(d *Decl) bool {
	if !s.p.row.clauses || len(s.decls) == 0 {
		return false
	}
	last := &s.decls[len(s.decls)-1]
	if last.Name != d.Name || last.Parent != d.Parent || last.Kind != d.Kind {
		return false
	}
	if last.Body.End <= last.Body.Start {
		last.Body.Start = d.Span.Start
	}
	last.Span.End, last.Body.End = d.Span.End, d.Span.End
	return true
}

// finish sets the fields that depend on the header.
func (s *patternScan) finish(d *Decl) {
	header := string(s.content[d.Header.Start:d.Header.End])
	d.Exported = !strings.Contains(header, "private ") && !strings.HasPrefix(header, "local ") && !strings.HasPrefix(d.Name, "_")
	d.Test = d.Kind == record.KindTest || IsCallable(d.Kind) && strings.HasPrefix(d.Name, "test")
	if d.Kind == record.KindFunction && d.Parent >= 0 && s.decls[d.Parent].Kind != record.KindModule {
		d.Kind = record.KindMethod
	}
	if s.p.row.bases && holdsMembers(d.Kind) && d.NameSpan.End <= d.Header.End {
		d.Bases = baseNames(string(s.masked[d.NameSpan.End:d.Header.End]))
	}
}

// clamp cuts the spans of a declaration at end.
func (d *Decl) clamp(end int) {
	for _, s := range []*record.Span{&d.Span, &d.Header, &d.Body} {
		s.End = max(s.Start, min(s.End, end))
	}
}

// baseNames returns the types behind ":", "extends", "implements" and "with".
func baseNames(header string) []string {
	marked, depth := false, 0
	var names []string
	for i := 0; i < len(header); {
		c := header[i]
		j := i + 1
		switch {
		case isWordByte(c):
			for j < len(header) && (isWordByte(header[j]) || header[j] == '\\' || header[j] == '.') {
				j++
			}
			word := header[i:j]
			switch {
			case word == "extends" || word == "implements" || word == "with":
				marked = true
			case word == "where":
				return names
			case marked && depth == 0:
				names = append(names, lastName(word))
			}
		case c == '(' || c == '<' || c == '[':
			depth++
		case c == ')' || c == '>' || c == ']':
			depth--
		case c == ':' && depth == 0:
			marked = true
		}
		i = j
	}
	return names
}

// trimmed returns the end of the text in [start, end) without trailing blanks.
func (s *patternScan) trimmed(start, end int) int {
	return start + len(bytes.TrimRight(s.content[start:max(start, end)], " \t\r\n"))
}

func holdsMembers(k record.Kind) bool {
	switch k {
	case record.KindClass, record.KindStruct, record.KindInterface, record.KindEnum, record.KindModule, record.KindImpl:
		return true
	}
	return false
}

// firstNonBlank returns the index of the first byte of b that is not blank, or -1.
func firstNonBlank(b []byte) int {
	for i, c := range b {
		if c != ' ' && c != '\t' && c != '\r' && c != '\n' && c != '\f' && c != '\v' {
			return i
		}
	}
	return -1
}

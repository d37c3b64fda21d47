package languages

import (
	"bytes"
	"slices"
	"strings"

	"ambit/vectors/record"
)

const (
	maxCodeSpanBytes = 200 // longer inline code is not a name
	maxLabelBytes    = 200 // of a link reference
	maxTargetBytes   = 512 // of a link
)

// inline finds inline code and links outside the fences, in one pass.
type inline struct {
	o       *Outline
	content []byte
	targets map[string]string // targets of link reference definitions by lower-case label
	decl    int               // the current section
	line    int               // the line of the offset counted, from 1
	counted int               // lines before this offset are counted
}

// definitions collects lines of the form "[label]: target". The first definition of a
// label wins.
func (s *inline) definitions() {
	s.eachText(func(start, end int) {
		for at := start; at < end; {
			next := min(lineEnd(s.content, at), end)
			line := bytes.TrimLeft(s.content[at:next], " ")
			at = next
			if len(line) == 0 || line[0] != '[' {
				continue
			}
			label := labelAt(line)
			if label == "" || !bytes.HasPrefix(line[len(label)+2:], []byte(":")) {
				continue
			}
			target, _, _ := strings.Cut(string(bytes.TrimSpace(line[len(label)+3:])), " ")
			if target = strings.Trim(target, "<>"); target == "" || len(target) > maxTargetBytes {
				continue
			}
			if s.targets == nil {
				s.targets = map[string]string{}
			}
			if key := strings.ToLower(label); s.targets[key] == "" {
				s.targets[key] = target
			}
		}
	})
}

// eachText calls fn with the spans between fences and front matter.
func (s *inline) eachText(fn func(start, end int)) {
	at := 0
	if b := s.o.Doc.Blocks; len(b) > 0 && b[0].Kind == BlockFrontMatter {
		at = b[0].Span.End
	}
	for _, f := range s.o.Doc.Fences {
		if at < f.Start {
			fn(at, f.Start)
		}
		at = f.End
	}
	if at < len(s.content) {
		fn(at, len(s.content))
	}
}

// scan reads the tokens that start with one of the characters starts.
func (s *inline) scan(starts string) {
	s.eachText(func(start, end int) {
		for at := start; at < end; {
			i := bytes.IndexAny(s.content[at:end], starts)
			if i < 0 {
				return
			}
			at += i
			at += max(1, s.token(at, end))
		}
	})
}

// match finds the links of a mark-up language outside the fences, and its own inline code.
func (s *inline) match(m *markup) {
	var links [][2]int // spans of targets
	s.eachText(func(start, end int) {
		text := s.content[start:end]
		for _, r := range m.links {
			for _, at := range r.FindAllSubmatchIndex(text, -1) {
				links = append(links, [2]int{start + at[2], start + at[3]})
			}
		}
		if m.code == nil {
			return
		}
		for _, at := range m.code.FindAllSubmatchIndex(text, -1) {
			s.mention(start+at[2], text[at[2]:at[3]])
		}
	})
	slices.SortFunc(links, func(a, b [2]int) int { return a[0] - b[0] })
	for _, l := range links {
		s.link(l[0], m.target(string(s.content[l[0]:l[1]])))
	}
}

// token reads the token at offset at and returns its length, or 0 when there is none.
func (s *inline) token(at, end int) int {
	rest := s.content[at:end]
	switch rest[0] {
	case '\\':
		return 2
	case '`':
		return s.codeSpan(at, rest)
	case '<':
		target, _, ok := bytes.Cut(rest[1:min(len(rest), maxTargetBytes)], []byte(">"))
		if ok && bytes.Contains(target, []byte(":")) && !bytes.ContainsAny(target, " \t\n<") {
			s.link(at, string(target))
			return len(target) + 2
		}
	case ']':
		if len(rest) > 1 && rest[1] == '(' {
			return s.inlineLink(at, rest)
		}
	case '[':
		label := labelAt(rest)
		if label == "" {
			return 0
		}
		after := rest[len(label)+2:]
		if len(after) > 0 && (after[0] == '(' || after[0] == ':' || after[0] == '[' && !bytes.HasPrefix(after, []byte("[]"))) {
			return 0
		}
		if target := s.targets[strings.ToLower(label)]; target != "" {
			s.link(at, target)
		}
	}
	return 0
}

// labelAt returns the text between the brackets at the start of b, or "" when the closing
// bracket is not on the same line.
func labelAt(b []byte) string {
	b = b[1:min(len(b), maxLabelBytes)]
	if i := bytes.IndexAny(b, "[]\n"); i > 0 && b[i] == ']' {
		return string(b[:i])
	}
	return ""
}

// inlineLink reads the target in "](target "title")".
func (s *inline) inlineLink(at int, rest []byte) int {
	b := rest[2:min(len(rest), maxTargetBytes)]
	if len(b) > 0 && b[0] == '<' {
		if i := bytes.IndexAny(b, ">\n"); i > 0 && b[i] == '>' {
			s.link(at, string(b[1:i]))
			return i + 3
		}
		return 0
	}
	depth := 0
	for i, c := range b {
		switch {
		case c == '(':
			depth++
		case c == ')' && depth > 0:
			depth--
		case c == ')' || c == ' ' || c == '\t' || c == '\n':
			if i > 0 {
				s.link(at, string(b[:i]))
			}
			return i + 2
		case c == '[' || c == ']':
			return 0
		}
	}
	return 0
}

func (s *inline) link(at int, target string) {
	l := Link{Target: target, Start: at}
	resolveLink(&l, s.o.Path)
	s.o.Doc.Links = append(s.o.Doc.Links, l)
	if l.Path != "" && l.Path != s.o.Path {
		s.o.Imports = append(s.o.Imports, record.Import{Path: string(l.Path), Name: l.Anchor, Line: s.lineAt(at)})
	}
}

// lineAt returns the line of an offset; offsets come in ascending order.
func (s *inline) lineAt(at int) int {
	s.line += bytes.Count(s.content[s.counted:at], []byte("\n"))
	s.counted = at
	return s.line
}

// codeSpan reads inline code. Its opening and closing runs of backquotes have the same
// length and stand in one paragraph.
func (s *inline) codeSpan(at int, rest []byte) int {
	ticks := 1
	for ticks < len(rest) && rest[ticks] == '`' {
		ticks++
	}
	b := rest[ticks:min(len(rest), ticks+maxCodeSpanBytes)]
	for i := 0; i < len(b); i++ {
		if b[i] == '\n' && i+1 < len(b) && b[i+1] == '\n' {
			break
		}
		if b[i] != '`' {
			continue
		}
		run := i
		for i < len(b) && b[i] == '`' {
			i++
		}
		if i-run == ticks {
			s.mention(at+ticks, b[:run])
			return ticks + i
		}
	}
	return ticks
}

// mention adds a mention of the name in a span of inline code: an identifier or a path of
// identifiers, with or without a call.
func (s *inline) mention(at int, code []byte) {
	lead := len(code) - len(bytes.TrimLeft(code, " \t~!@$&*.:"))
	text := strings.TrimRight(string(code[lead:]), " \t")
	if i := strings.IndexByte(text, '('); i > 0 {
		text = text[:i]
	}
	name, start := text, 0
	for i := 0; i < len(text); i++ {
		n := separator(text[i:])
		if n == 0 {
			if !isWordByte(text[i]) {
				return
			}
			continue
		}
		if i == start || i+n >= len(text) {
			return
		}
		start = i + n
		name, i = text[start:], start-1
	}
	if len(name) < 2 || name[0] >= '0' && name[0] <= '9' {
		return
	}
	receiver := ""
	if start > 0 {
		receiver = receiverPaths.Replace(strings.TrimRight(text[:start], ".:#>-"))
	}
	for s.decl+1 < len(s.o.Decls) && s.o.Decls[s.decl+1].Span.Start <= at {
		s.decl++
	}
	from := at + lead + start
	s.o.Refs = append(s.o.Refs, Ref{Name: name, Receiver: receiver, Kind: record.EdgeMentions,
		Span: record.Span{Start: from, End: from + len(name)}, Decl: s.decl})
}

var receiverPaths = strings.NewReplacer("::", ".", "->", ".", "#", ".")

// separator returns the length of the separator (".", "::", "->" or "#") at the start of
// text, or 0.
func separator(text string) int {
	switch {
	case strings.HasPrefix(text, "::"), strings.HasPrefix(text, "->"):
		return 2
	case text[0] == '.', text[0] == '#':
		return 1
	}
	return 0
}

// isWordByte reports whether c can stand in a name. All bytes outside ASCII can.
func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
}

// codeRefs finds places in code: a path with a dot or a slash, a colon, and a line or a
// range of lines.
func codeRefs(content []byte) []CodeRef {
	var refs []CodeRef
	for at := 0; at < len(content); at++ {
		i := bytes.IndexByte(content[at:], ':')
		if i < 0 {
			break
		}
		at += i
		end := digits(content, at+1)
		if end == at+1 {
			continue
		}
		if end < len(content) && content[end] == '-' {
			if e := digits(content, end+1); e > end+1 {
				end = e
			}
		}
		start := at
		for start > 0 && at-start < 256 && isPathByte(content[start-1]) {
			start--
		}
		p := content[start:at]
		if len(p) == 0 || !isLetter(p[len(p)-1]) || !bytes.ContainsAny(p, "./") || start > 0 && content[start-1] == ':' {
			continue
		}
		refs = append(refs, CodeRef{Text: string(content[start:end]), Start: start})
		at = end - 1
	}
	return slices.Clip(refs)
}

func digits(content []byte, at int) int {
	for at < len(content) && content[at] >= '0' && content[at] <= '9' {
		at++
	}
	return at
}

func isPathByte(c byte) bool { return isWordByte(c) || c == '.' || c == '/' || c == '-' || c == '+' }

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

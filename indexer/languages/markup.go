package languages

import (
	"bytes"
	"path"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"ambit/indexer/lazy"
	"ambit/vectors/record"
)

// markup is a mark-up language of documents that is read line by line.
type markup struct {
	language   string
	extensions []string
	// heading reads a heading whose first line is content[at:end].
	heading func(p *prose, at, end int) (Block, bool)
	// inParagraph says that a heading can follow a line of text without a blank line.
	inParagraph bool
	// fence returns the code that starts with the line content[at:end], as whole lines.
	fence func(p *prose, at, end int) (Block, bool)
	// links match links. Group 1 is the target, which target spells as a path with an
	// anchor.
	links  []*regexp.Regexp
	target func(string) string
	// code matches inline code in group 1; nil means that backquotes enclose it.
	code *regexp.Regexp
}

// markups holds the mark-up languages beside Markdown.
//
// Sources: the reStructuredText Markup Specification of Docutils with the directives of
// Sphinx; the AsciiDoc Language Documentation; the Org Syntax.
var markups = []*markup{
	{language: "restructuredtext", extensions: []string{".rst", ".rest"}, heading: restHeading, fence: restFence, target: restTarget,
		links: regexps("`[^`<]*<([^>`\\s]+)>`_", ":doc:`(?:[^`<]*<)?([^`<>\\s]+)>?`", `(?m)^[ \t]*\.\. (?:literal)?include:: (\S+)`)},
	{language: "asciidoc", extensions: []string{".adoc", ".asciidoc"}, heading: asciiHeading, fence: asciiFence, target: asciiTarget,
		links: regexps(`(?:link:|xref:|include::)([^\s\[\]]+)\[`, `<<([^,<>\n]+)(?:,[^<>\n]*)?>>`)},
	{language: "org", extensions: []string{".org"}, heading: orgHeading, inParagraph: true, fence: orgFence, target: orgTarget,
		links: regexps(`\[\[([^\]\n]+)\]`), code: regexp.MustCompile(`(?m)(?:^|[\s(])[~=]([A-Za-z_][\w.:()-]*)[~=]`)},
}

func regexps(sources ...string) []*regexp.Regexp {
	rs := make([]*regexp.Regexp, len(sources))
	for i, s := range sources {
		rs[i] = regexp.MustCompile(s)
	}
	return rs
}

// markupOf returns the mark-up language of a file, or nil when it has none.
func markupOf(p record.Path) *markup {
	ext := strings.ToLower(path.Ext(string(p)))
	for _, m := range markups {
		for _, e := range m.extensions {
			if e == ext {
				return m
			}
		}
	}
	return nil
}

// line returns the line at an offset without its end, and the offset behind it.
func (p *prose) line(at int) (line []byte, end int) {
	end = lineEnd(p.o.Content, at)
	return bytes.TrimRight(p.o.Content[at:end], " \t\r\n"), end
}

// until returns the end of the first line from at that closes accepts, or the end of the text.
func (p *prose) until(at int, closes func(line []byte) bool) int {
	for at < len(p.o.Content) {
		line, end := p.line(at)
		if at = end; closes(line) {
			break
		}
	}
	return at
}

// indented returns the end of the lines from at that are blank or indented by more than
// margin, without blank lines at the end; at itself when there is no such line.
func (p *prose) indented(at, margin int) int {
	last := at
	for at < len(p.o.Content) {
		line, end := p.line(at)
		if len(line) > 0 {
			if indentation(line) <= margin {
				break
			}
			last = end
		}
		at = end
	}
	return last
}

// indentation returns the number of blanks at the start of a line.
func indentation(line []byte) int { return len(line) - len(bytes.TrimLeft(line, " \t")) }

// adornment returns the punctuation character that a line repeats at least three times, or
// 0.
func adornment(line []byte) byte {
	if len(line) < 3 || strings.IndexByte("=-~^\"'`#*+.:_<>", line[0]) < 0 {
		return 0
	}
	for _, c := range line {
		if c != line[0] {
			return 0
		}
	}
	return line[0]
}

// restHeading reads a title with an underline, and perhaps an overline. The levels are in
// the order in which their adornments appear.
func restHeading(p *prose, at, end int) (Block, bool) {
	line, _ := p.line(at)
	style, over := adornment(line), 0
	if style != 0 { // an overline: the title is the next line
		over = len(line)
		line, end = p.line(end)
	}
	title := bytes.TrimSpace(line)
	under, last := p.line(end)
	if len(title) == 0 || adornment(line) != 0 || over == 0 && line[0] == ' ' {
		return Block{}, false
	}
	if s := adornment(under); s == 0 || over > 0 && (s != style || over != len(under)) || len(under) < min(utf8.RuneCount(title), 4) {
		return Block{}, false
	} else if style = s; over > 0 {
		style |= 0x80 // an overline makes another style
	}
	level := bytes.IndexByte(p.styles, style)
	if level < 0 {
		level = len(p.styles)
		p.styles = append(p.styles, style)
	}
	text := restRole().ReplaceAllString(string(title), "$1")
	return headingBlock(at, last, level+1, strings.ReplaceAll(text, "`", "")), true
}

// restRole matches interpreted text with a role, such as ":func:`open`".
var restRole = lazy.Regexp(":[\\w:+.-]+:`~?([^`<]*?)(?:\\s*<[^`]*>)?`")

// restFence reads a directive of code with its body, a doctest, and the literal block of a
// paragraph that ends with "::".
func restFence(p *prose, at, end int) (Block, bool) {
	line, _ := p.line(at)
	b := Block{Kind: BlockFence, Span: record.Span{Start: at}}
	if p.open >= 0 {
		return b, false
	}
	switch m := restCode().FindSubmatch(line); {
	case m != nil:
		b.Text, b.Span.End = string(m[1]), p.indented(end, indentation(line))
	case bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte(">>> ")):
		b.Span.End = p.until(at, func(line []byte) bool { return len(line) == 0 })
	case p.literal >= 0 && indentation(line) > p.literal:
		b.Span.End = p.indented(at, p.literal)
	default:
		return b, false
	}
	return b, true
}

var restCode = lazy.Regexp(`^[ \t]*\.\. (?:code-block|code|sourcecode|parsed-literal|testcode|prompt)::[ \t]*(\S*)`)

// restTarget completes the name of a document without an extension, as Sphinx does.
func restTarget(s string) string {
	if strings.ContainsAny(s, ":#") || path.Ext(s) != "" || strings.HasSuffix(s, "/") {
		return s
	}
	return s + ".rst"
}

// asciiHeading reads a heading of one line ("== Title") or of two, whose underline is about as
// long as the title. A line of attributes above, such as "[[anchor]]", belongs to it.
func asciiHeading(p *prose, at, end int) (Block, bool) {
	line, _ := p.line(at)
	if asciiAttributes().Match(line) {
		line, end = p.line(end)
	}
	level := len(line) - len(bytes.TrimLeft(line, "="))
	if level > 0 && level <= 6 && len(line) > level+1 && line[level] == ' ' {
		return headingBlock(at, end, level, asciiPlain(line[level:])), true
	}
	under, last := p.line(end)
	level = bytes.IndexByte([]byte("=-~^+"), adornment(under))
	if level < 0 || len(line) == 0 || !unicode.IsLetter(firstRune(line)) {
		return Block{}, false
	}
	if d := utf8.RuneCount(line) - len(under); d < -2 || d > 2 {
		return Block{}, false
	}
	return headingBlock(at, last, level+1, asciiPlain(line)), true
}

func asciiPlain(title []byte) string {
	return strings.TrimSpace(strings.NewReplacer("`", "", "[[", "", "]]", "").Replace(string(title)))
}

func firstRune(b []byte) rune {
	r, _ := utf8.DecodeRune(b)
	return r
}

// asciiFence reads a listing, a literal, a passthrough or a comment between two equal lines
// of marks. A line of attributes above, such as "[source,ruby]", belongs to it.
func asciiFence(p *prose, at, end int) (Block, bool) {
	line, _ := p.line(at)
	b := Block{Kind: BlockFence, Span: record.Span{Start: at}}
	if asciiAttributes().Match(line) {
		if m := asciiSource().FindSubmatch(line); m != nil {
			b.Text = string(m[1])
		}
		line, end = p.line(end)
	}
	if len(line) < 4 || strings.IndexByte("-.+/", line[0]) < 0 || adornment(line) == 0 {
		if !bytes.HasPrefix(line, []byte("```")) {
			return b, false
		}
		line = line[:3]
	}
	b.Span.End = p.until(end, func(other []byte) bool { return bytes.Equal(other, line) })
	return b, true
}

var (
	asciiAttributes = lazy.Regexp(`^\[\[?[^\[\]]+\]\]?$`)
	asciiSource     = lazy.Regexp(`^\[source[^,\]]*,\s*([\w+#-]+)`)
)

// asciiTarget makes an anchor of the target of a cross reference that names no file.
func asciiTarget(s string) string {
	if strings.ContainsAny(s, "./:#") {
		return s
	}
	return "#" + s
}

// orgHeading reads a line of stars and a title, without its keyword, priority and tags. It
// also takes the title and the tags of the file from its keywords.
func orgHeading(p *prose, at, end int) (Block, bool) {
	line, _ := p.line(at)
	if m := orgKeyword().FindSubmatch(line); m != nil {
		if value := string(m[2]); strings.EqualFold(string(m[1]), "title") {
			p.o.Doc.Title = value
		} else {
			p.o.Doc.Tags = append(p.o.Doc.Tags, strings.FieldsFunc(value, func(r rune) bool { return r == ':' || r == ' ' })...)
		}
		return Block{}, false
	}
	m := orgTitle().FindSubmatch(line)
	if m == nil {
		return Block{}, false
	}
	return headingBlock(at, end, len(m[1]), strings.NewReplacer("~", "", "=", "").Replace(string(m[2]))), true
}

var (
	orgKeyword = lazy.Regexp(`(?i)^#\+(title|filetags):\s*(.+)$`)
	orgTitle   = lazy.Regexp(`^(\*+)\s+(?:(?:TODO|DONE|NEXT|WAIT(?:ING)?|CANCELL?ED)\s+)?(?:\[#\w\]\s+)?(.*?)(?:\s+:[\w@#%:]+:)?$`)
)

// orgFence reads a block of source code or of an example.
func orgFence(p *prose, at, end int) (Block, bool) {
	line, _ := p.line(at)
	b := Block{Kind: BlockFence, Span: record.Span{Start: at}}
	m := orgBegin().FindSubmatch(line)
	if m == nil {
		return b, false
	}
	b.Text = string(m[2])
	closing := append([]byte("#+end_"), bytes.ToLower(m[1])...)
	b.Span.End = p.until(end, func(line []byte) bool { return bytes.EqualFold(bytes.TrimLeft(line, " \t"), closing) })
	return b, true
}

var orgBegin = lazy.Regexp(`(?i)^[ \t]*#\+begin_(src|example|export|comment)(?:[ \t]+([\w+#-]+))?`)

// orgTarget spells "file:notes.org::*Title" as "notes.org#Title".
func orgTarget(s string) string {
	s, anchor, found := strings.Cut(strings.TrimPrefix(s, "file:"), "::")
	switch {
	case found:
		return s + "#" + strings.TrimLeft(anchor, "*#")
	case strings.HasPrefix(s, "*") || strings.HasPrefix(s, "#"):
		return "#" + strings.TrimLeft(s, "*#")
	}
	return s
}

// headingBlock returns the block of a heading. Levels below 6 count as 6.
func headingBlock(at, end, level int, text string) Block {
	return Block{Kind: BlockHeading, Span: record.Span{Start: at, End: end}, Level: min(level, 6), Text: strings.TrimSpace(text)}
}

package languages

import (
	"bytes"
	"html"
	"path"
	"strings"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"ambit/indexer/lazy"
	"ambit/vectors/record"
)

const (
	// maxNesting bounds the containers (quotes, lists) around a line. goldmark costs
	// lines × depth, 0.5 s a MB at 64; deeper documents are read as prose.
	maxNesting = 64
	// maxIndent is the indentation, in bytes, at which a line that opens a list item
	// counts as too deep.
	maxIndent = 4 * maxNesting
)

// blockParser parses blocks only. goldmark's inline parser, its tables and its link
// reference definitions take quadratic time (15 s for 1 MB of "[a]: b"); the linear scans
// of this package replace them.
var blockParser = sync.OnceValue(func() parser.Parser {
	return parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...))
})

// parseMarkdown returns the blocks of a Markdown or MDX document, its sections as
// declarations, its inline code as mentions, and its links. A link into the workspace is
// an Import, too, with the workspace path as its Path and the anchor as its Name.
func parseMarkdown(path record.Path, content []byte) Outline {
	if tooDeep(content) {
		return parseText(path, content)
	}
	o := Outline{Path: path, Content: content, Language: languageMarkdown, Doc: &Document{}}
	body := frontMatter(o.Doc, content)
	root := blockParser().Parse(text.NewReader(content[body:]))
	m := markdown{o: &o, body: body}
	m.blocks(root)
	m.fences(root)
	finishDocument(&o, nil)
	return o
}

type markdown struct {
	o    *Outline
	body int // offset of the text that goldmark parses
}

// blocks lists the top-level blocks. A block ends where the next one starts,
// without the blank lines between.
func (m *markdown) blocks(root ast.Node) {
	doc, content := m.o.Doc, m.o.Content
	first := len(doc.Blocks)
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		start := lineStart(content, m.body+max(n.Pos(), 0))
		if k := len(doc.Blocks); start < m.body || k > first && start <= doc.Blocks[k-1].Span.Start {
			continue
		}
		if k := len(doc.Blocks); k > first {
			m.closeBlock(&doc.Blocks[k-1], start)
		}
		b := Block{Kind: blockKind(n), Span: record.Span{Start: start, End: len(content)}}
		switch n := n.(type) {
		case *ast.Heading:
			b.Level, b.Text = n.Level, plainText(m.lines(n))
		case *ast.FencedCodeBlock:
			if n.Info != nil {
				b.Text = string(n.Info.Value(content[m.body:]))
			}
		case *ast.List:
			b.Parts = m.items(n)
		}
		doc.Blocks = append(doc.Blocks, b)
	}
	if k := len(doc.Blocks); k > first {
		m.closeBlock(&doc.Blocks[k-1], len(content))
	}
	doc.Blocks = splitTables(content, doc.Blocks)
}

func (m *markdown) closeBlock(b *Block, next int) {
	b.Span.End = trimBlankLines(m.o.Content, b.Span.Start, next)
	for i := range b.Parts {
		if i+1 < len(b.Parts) {
			b.Parts[i].End = b.Parts[i+1].Start
		} else {
			b.Parts[i].End = b.Span.End
		}
	}
}

// lines returns the lines of a leaf block, joined by blanks.
func (m *markdown) lines(n ast.Node) string {
	var sb strings.Builder
	for i, l := 0, n.Lines(); i < l.Len(); i++ {
		if i > 0 {
			sb.WriteByte(' ')
		}
		s := l.At(i)
		sb.Write(bytes.TrimSpace(s.Value(m.o.Content[m.body:])))
	}
	return sb.String()
}

func (m *markdown) items(list ast.Node) []record.Span {
	var parts []record.Span
	for n := list.FirstChild(); n != nil; n = n.NextSibling() {
		start := lineStart(m.o.Content, m.body+max(n.Pos(), 0))
		if k := len(parts); k == 0 || start > parts[k-1].Start {
			parts = append(parts, record.Span{Start: start})
		}
	}
	return parts
}

// fences lists the code blocks at any depth.
func (m *markdown) fences(root ast.Node) {
	doc, content := m.o.Doc, m.o.Content
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering || n.Type() == ast.TypeInline {
			return ast.WalkContinue, nil
		}
		_, fenced := n.(*ast.FencedCodeBlock)
		if _, indented := n.(*ast.CodeBlock); !fenced && !indented {
			return ast.WalkContinue, nil
		}
		start := lineStart(content, m.body+max(n.Pos(), 0))
		end := lineEnd(content, start)
		if l := n.Lines(); l.Len() > 0 {
			end = lineEnd(content, m.body+max(l.At(l.Len()-1).Stop-1, 0))
		}
		if fenced && end < len(content) && closesFence(content[end:lineEnd(content, end)]) {
			end = lineEnd(content, end)
		}
		if k := len(doc.Fences); k > 0 && start < doc.Fences[k-1].End {
			start = doc.Fences[k-1].End
		}
		if start < end {
			doc.Fences = append(doc.Fences, record.Span{Start: start, End: end})
		}
		return ast.WalkSkipChildren, nil
	})
}

// closesFence reports whether a line holds only the marks of quotes and a fence.
func closesFence(line []byte) bool {
	line = bytes.TrimRight(bytes.TrimLeft(line, " \t>"), " \t\r\n")
	return len(line) >= 3 && (len(bytes.Trim(line, "`")) == 0 || len(bytes.Trim(line, "~")) == 0)
}

func blockKind(n ast.Node) BlockKind {
	switch n.(type) {
	case *ast.Heading:
		return BlockHeading
	case *ast.FencedCodeBlock, *ast.CodeBlock:
		return BlockFence
	case *ast.List:
		return BlockList
	case *ast.Blockquote:
		return BlockQuote
	case *ast.HTMLBlock:
		return BlockHTML
	case *ast.ThematicBreak:
		return BlockRule
	}
	return BlockParagraph
}

// tooDeep reports whether a line stands in more than maxNesting containers.
func tooDeep(content []byte) bool {
	for rest := content; len(rest) > 0; {
		line := rest
		if i := bytes.IndexByte(rest, '\n'); i >= 0 {
			line, rest = rest[:i], rest[i+1:]
		} else {
			rest = nil
		}
		depth, i := 0, 0
		for i < len(line) && depth <= maxNesting {
			n := containerMark(line[i:])
			if n == 0 {
				break
			}
			if line[i] != ' ' && line[i] != '\t' {
				depth++
			}
			i += n
		}
		if depth > maxNesting || depth > 0 && i > maxIndent {
			return true
		}
	}
	return false
}

// containerMark returns the length of the blank, or of the mark of a quote or list item,
// at the start of b; 0 when b starts with other text.
func containerMark(b []byte) int {
	switch b[0] {
	case ' ', '\t', '>':
		return 1
	case '-', '*', '+':
		if len(b) > 1 && (b[1] == ' ' || b[1] == '\t') {
			return 2
		}
		return 0
	}
	i := 0
	for i < len(b) && i < 9 && b[i] >= '0' && b[i] <= '9' {
		i++
	}
	if i > 0 && i+1 < len(b) && (b[i] == '.' || b[i] == ')') && (b[i+1] == ' ' || b[i+1] == '\t') {
		return i + 2
	}
	return 0
}

// splitTables cuts tables off the end of paragraphs. In GFM a table can start inside a
// paragraph, at a line that a delimiter row follows.
func splitTables(content []byte, blocks []Block) []Block {
	out := blocks[:0:0]
	for _, b := range blocks {
		if b.Kind != BlockParagraph || bytes.IndexByte(content[b.Span.Start:b.Span.End], '|') < 0 {
			out = append(out, b)
			continue
		}
		rows := tableRows(content, b.Span)
		if rows == nil {
			out = append(out, b)
			continue
		}
		if start := rows[0].Start; start > b.Span.Start {
			out = append(out, Block{Kind: BlockParagraph, Span: record.Span{Start: b.Span.Start, End: start}})
			b.Span.Start = start
		}
		b.Kind, b.Parts = BlockTable, rows
		out = append(out, b)
	}
	return out
}

func tableRows(content []byte, span record.Span) []record.Span {
	var rows []record.Span
	head := -1 // start of the previous line
	for at := span.Start; at < span.End; {
		end := min(lineEnd(content, at), span.End)
		switch {
		case rows != nil:
			rows = append(rows, record.Span{Start: at, End: end})
		case head >= 0 && delimiterCells(content[at:end]) > 0 &&
			delimiterCells(content[at:end]) == countCells(content[head:at]):
			rows = append(rows, record.Span{Start: head, End: end})
		}
		head, at = at, end
	}
	return rows
}

// delimiterCells returns the number of cells of a delimiter row such as
// "| --- | :-: |", or 0 for another line.
func delimiterCells(line []byte) int {
	if bytes.IndexByte(line, '-') < 0 || len(bytes.Trim(line, " \t\r\n|:-")) != 0 {
		return 0
	}
	return countCells(line)
}

func countCells(line []byte) int {
	line = bytes.TrimSpace(line)
	line = bytes.TrimSuffix(bytes.TrimPrefix(line, []byte("|")), []byte("|"))
	return bytes.Count(line, []byte("|")) - bytes.Count(line, []byte(`\|`)) + 1
}

// plainText removes the mark-up of a heading: emphasis, code marks, images, tags, the targets of
// links and a trailing list of attributes such as {#id}. A heading of images alone has the text
// of the first one.
func plainText(s string) string {
	s = strings.TrimSpace(headingAttributes().ReplaceAllString(s, ""))
	if !strings.ContainsAny(s, "`*[]<>\\&") {
		return s
	}
	image := headingImage().FindStringSubmatch(s)
	s = headingImage().ReplaceAllString(s, "")
	s = emptyLink().ReplaceAllString(s, "") // what encloses a badge
	s = headingLink().ReplaceAllString(s, "$1")
	var sb strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '`' || c == '*' || c == '[' || c == ']':
		case c == '\\' && i+1 < len(s):
			i++
			sb.WriteByte(s[i])
		case c == '<' && strings.IndexByte(s[i:], '>') > 0:
			i += strings.IndexByte(s[i:], '>')
		default:
			sb.WriteByte(c)
		}
	}
	text := strings.Join(strings.Fields(html.UnescapeString(sb.String())), " ")
	if text == "" && image != nil {
		return image[1]
	}
	return text
}

var (
	headingAttributes = lazy.Regexp(`\s*\{\s*:?\s*[#.][^{}]*\}$`)
	headingImage      = lazy.Regexp(`!\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])?`)
	headingLink       = lazy.Regexp(`\[([^\[\]]*)\](?:\((?:[^()]|\([^()]*\))*\)|\[[^\[\]]*\])`)
	emptyLink         = lazy.Regexp(`\[\s*\](?:\([^()]*\)|\[[^\[\]]*\])?`)
)

// resolveLink sets the Path and the Anchor of a link in the file at from.
func resolveLink(l *Link, from record.Path) {
	target := l.Target
	if i := strings.IndexByte(target, '#'); i >= 0 {
		target, l.Anchor = target[:i], target[i+1:]
	}
	if target == "" {
		l.Path = from
		return
	}
	if i := strings.IndexAny(target, ":/?"); i >= 0 && target[i] == ':' || strings.HasPrefix(target, "//") {
		return // has a scheme or a host
	}
	target, _, _ = strings.Cut(target, "?")
	if strings.HasPrefix(target, "/") {
		target = path.Clean(target)[1:]
	} else {
		target = path.Join(path.Dir(string(from)), target)
	}
	if target != ".." && !strings.HasPrefix(target, "../") && target != "" && target != "." {
		l.Path = record.Path(strings.ReplaceAll(target, "%20", " "))
	}
}

// lineStart returns the start of the line at an offset.
func lineStart(content []byte, at int) int {
	return bytes.LastIndexByte(content[:min(at, len(content))], '\n') + 1
}

// lineEnd returns the offset after the line at an offset.
func lineEnd(content []byte, at int) int {
	if at >= len(content) {
		return len(content)
	}
	if i := bytes.IndexByte(content[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(content)
}

// trimBlankLines returns the end of the last line of [start, end) that is not blank, or end
// when all are blank.
func trimBlankLines(content []byte, start, end int) int {
	kept := len(bytes.TrimRight(content[start:end], " \t\r\n\v\f"))
	if kept == 0 {
		return end
	}
	return min(lineEnd(content, start+kept-1), end)
}

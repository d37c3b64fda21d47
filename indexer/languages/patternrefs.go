package languages

import (
	"bytes"
	"strings"
	"sync"

	"ambit/vectors/record"
)

// maxReceiverBytes bounds the expression left of a name.
const maxReceiverBytes = 80

// mask returns content with blanks in place of comments and of the text in strings. It
// keeps quotation marks, line ends and all offsets.
func mask(r *patternRow, content []byte) []byte {
	out := bytes.Clone(content)
	var special [256]bool
	for _, mark := range append(r.line, r.block[0], r.quotes) {
		for i := 0; i < len(mark); i++ {
			special[mark[i]] = true
		}
	}
	for i := 0; i < len(content); {
		if !special[content[i]] {
			i++
			continue
		}
		rest := content[i:]
		end := i + 1
		switch {
		case r.block[0] != "" && bytes.HasPrefix(rest, []byte(r.block[0])):
			end = len(content)
			if n := bytes.Index(rest[len(r.block[0]):], []byte(r.block[1])); n >= 0 {
				end = i + len(r.block[0]) + n + len(r.block[1])
			}
			blank(out[i:end])
		case r.startsComment(content, i):
			end = i + lineLength(rest)
			blank(out[i:end])
		case r.triple && bytes.HasPrefix(rest, []byte(`"""`)):
			end = len(content)
			if n := bytes.Index(rest[3:], []byte(`"""`)); n >= 0 {
				end = i + 3 + n + 3
			}
			blank(out[i+3 : end])
		case strings.IndexByte(r.quotes, content[i]) >= 0 && (content[i] != '\'' || i == 0 || !isWordByte(content[i-1])):
			if n := stringLength(rest); n > 0 {
				end = i + n
				blank(out[i+1 : end-1])
			}
		}
		i = end
	}
	return out
}

// blank overwrites all bytes but line ends with blanks.
func blank(b []byte) {
	for i, c := range b {
		if c != '\n' && c != '\r' {
			b[i] = ' '
		}
	}
}

// startsComment reports whether a line comment starts at i. A mark of one byte must follow
// a blank: "$#" and "a%b" are no comments.
func (r *patternRow) startsComment(content []byte, i int) bool {
	for _, mark := range r.line {
		if !bytes.HasPrefix(content[i:], []byte(mark)) {
			continue
		}
		if mark == `"` { // in Vim a comment at the start of a line, else a string
			return firstNonBlank(content[lineStart(content, i):i]) < 0
		}
		if len(mark) > 1 || i == 0 || strings.IndexByte(" \t\n;({", content[i-1]) >= 0 {
			return true
		}
	}
	return false
}

func lineLength(b []byte) int {
	if n := bytes.IndexByte(b, '\n'); n >= 0 {
		return n
	}
	return len(b)
}

// stringLength returns the length of the string at the start of b, or 0 when it does not
// end on its line.
func stringLength(b []byte) int {
	for i := 1; i < len(b) && b[i] != '\n'; i++ {
		switch b[i] {
		case '\\':
			i++
		case b[0]:
			return i + 1
		}
	}
	return 0
}

// references lists the uses of names, each with the declaration around it.
func (s *patternScan) references() []Ref {
	row := s.p.row
	var word [256]bool
	for i := range word {
		word[i] = isWordByte(byte(i)) || strings.IndexByte(row.nameBytes, byte(i)) >= 0
	}
	for _, u := range s.unused {
		blank(s.masked[u.Start:u.End])
	}
	var refs []Ref
	var open []int
	next := 0
	for i := 0; i < len(s.masked); {
		if c := s.masked[i]; !isWordByte(c) || c >= '0' && c <= '9' {
			i++
			for i < len(s.masked) && word[c] && word[s.masked[i]] {
				i++ // the rest of a number or an option
			}
			continue
		}
		end := i + 1
		for end < len(s.masked) && word[s.masked[end]] {
			end++
		}
		for next < len(s.decls) && s.decls[next].Span.Start <= i {
			open = append(open, next)
			next++
		}
		for len(open) > 0 && s.decls[open[len(open)-1]].Span.End <= i {
			open = open[:len(open)-1]
		}
		r := Ref{Span: record.Span{Start: i, End: end}, Decl: -1}
		if len(open) > 0 {
			r.Decl = open[len(open)-1]
		}
		if s.reference(&r) {
			refs = append(refs, r)
		}
		i = end
	}
	return refs
}

// reference fills in the reference at a word. It returns false if the word is not a use
// of a name.
func (s *patternScan) reference(r *Ref) bool {
	row := s.p.row
	name := s.masked[r.Span.Start:r.Span.End]
	if len(name) < 2 || len(name) > 100 || r.Decl >= 0 && s.decls[r.Decl].NameSpan.Start == r.Span.Start {
		return false
	}
	capital := name[0] >= 'A' && name[0] <= 'Z'
	called := r.Span.End < len(s.masked) && s.masked[r.Span.End] == '('
	if row.refs == refCalls && !called && !capital || keywords()[string(name)] {
		return false
	}
	r.Name = string(name)
	before := s.masked[max(0, r.Span.Start-maxReceiverBytes):r.Span.Start]
	switch {
	case capital && (called && row.refs == refCalls || bytes.HasSuffix(before, []byte("new "))):
		r.Kind = record.EdgeCreates
	case capital:
		r.Kind = record.EdgeType
	default:
		r.Kind = record.EdgeCalls
	}
	r.Receiver = receiverBefore(before)
	return true
}

// receiverBefore returns the receiver at the end of b: names that separators follow.
func receiverBefore(b []byte) string {
	n, ok := cutSeparator(b)
	if !ok {
		return ""
	}
	end := n
	for n > 0 && isWordByte(b[n-1]) {
		n--
	}
	if n == end {
		return unknown
	}
	name := string(b[n:end])
	if outer := receiverBefore(b[:n]); outer == unknown {
		return unknown
	} else if outer != "" {
		return outer + "." + name
	}
	return name
}

// cutSeparator returns the length of b without the separator at its end.
func cutSeparator(b []byte) (int, bool) {
	for _, sep := range []string{"?->", "->", "?.", "!!.", "::", ".", `\`} {
		if bytes.HasSuffix(b, []byte(sep)) {
			return len(b) - len(sep), true
		}
	}
	return 0, false
}

// notNames holds keywords that stand where a pattern for functions expects a name.
var notNames = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(`if else elsif elseif for foreach while until unless switch match case catch return throw new using lock do try when await assert super this
		typeof sizeof nameof yield and or not in is as fixed checked unchecked where deriving infix infixl infixr`) {
		set[w] = true
	}
	return set
})

// keywords holds the keywords of all languages; the other languages rarely use them as
// names.
var keywords = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(`
		abstract and array as assert async await begin bool boolean break by byte case catch char class const continue
		data def default deriving die do done double echo elif else elseif elsif empty end endif enum esac eval except exit
		export extends extension false fi final finally float fn for foreach forall from fun func function given global goto guard
		if implements import in inout include infix inherit init instance instanceof int interface internal is isset
		lambda lazy let list local long loop match module mod mut mutable namespace new newtype nil not null object of
		open or out override package parent pass print private proc protected protocol pub public raise rec record ref repeat
		require return returns sealed select self set short shift sizeof static string struct sub super switch
		template test then this throw throws to trait true try type typealias typedef typeof undef union unless unset
		until use using val var virtual void volatile when where while with xor yield qualified hiding lock nameof base
		None Some True False Just Nothing`) {
		set[w] = true
	}
	return set
})

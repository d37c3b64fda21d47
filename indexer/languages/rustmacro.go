package languages

import (
	"bytes"
	"slices"
	"strings"

	"ambit/vectors/record"
)

// openMacros returns the text of a Rust file in which the items inside of macro calls stand
// bare, so that the grammar reads them as items:
//
//	cfg_rt! { pub fn spawn() {} }   // becomes
//	cfg_rt!()  pub fn spawn() {}
//
// Only a call in the place of an item, whose braces hold items, is opened. The arms of
// `cfg_if! { if #[cfg(unix)] { … } else { … } }` are opened too. All offsets stay. It
// returns content itself when it changes nothing.
func openMacros(content []byte) []byte {
	if !bytes.Contains(content, []byte("! {")) && !bytes.Contains(content, []byte("!{")) {
		return content
	}
	o := macroOpener{src: content}
	o.run()
	halved := func(b block) bool { return b.opened } // a brace in the call does not close
	if o.out == nil || slices.ContainsFunc(o.blocks, halved) {
		return content
	}
	return o.out
}

// macroOpener scans Rust tokens from left to right.
type macroOpener struct {
	src, out []byte
	blocks   []block // the open braces
	start    bool    // an item can start here
	head     string  // the keyword of the item; "" before it
	call     int     // the start of the macro call that the current path may be; -1 for none
}

// block is an open brace.
type block struct {
	items  bool // items stand in it
	opened bool // the brace belonged to a macro and is blank
	arm    bool // an arm of cfg_if
}

// itemWords are the keywords of items. A block behind one in itemBlocks holds items.
var (
	itemWords  = wordsOf("fn struct enum union trait impl mod type static const use extern let match if while for loop")
	itemBlocks = wordsOf("trait impl mod extern")
)

// The macro calls inside of one another that are opened, so that hostile input takes linear
// time: each is a pass over its body. People nest three.
const maxOpened, maxInner = 16, 2

func (o *macroOpener) run() {
	o.start, o.call = true, -1
	for i := 0; i < len(o.src); {
		end := rustToken(o.src, i)
		switch c := o.src[i]; {
		case isBlank(c) || c == '/' && end > i+1:
		case c == '#':
			end = o.attribute(i)
		case isWordByte(c) || c >= 0x80:
			end = o.word(i, end)
		case c == '{':
			items := o.itemsHere() && itemBlocks[o.head]
			o.push(block{items: items})
		case c == '}':
			end = o.closeBlock(i)
		case c == ';':
			o.newItem()
		case c == '(' || c == '[':
			o.start, end = false, groupEnd(o.src, i)
		case c == ':' && o.call >= 0: // a::b!
		case c == '?' && o.start && len(o.blocks) > 0 && o.blocks[len(o.blocks)-1].opened:
			end = o.trailer(i)
		default:
			o.start, o.call = false, -1
		}
		i = end
	}
}

// trailer blanks what follows the items of a macro call up to its brace, such as the default
// in `call! { fn f() {} ?= 0 }`, and returns the offset of the brace.
func (o *macroOpener) trailer(i int) int {
	end := i
	for end < len(o.src) && o.src[end] != '}' {
		if c := o.src[end]; c == '{' || c == '(' || c == '[' {
			end = groupEnd(o.src, end)
		} else {
			end = rustToken(o.src, end)
		}
	}
	o.blank(i, min(end, len(o.src)))
	return end
}

func (o *macroOpener) newItem() { o.start, o.head, o.call = true, "", -1 }

func (o *macroOpener) push(b block) {
	o.blocks = append(o.blocks, b)
	o.newItem()
}

// itemsHere reports whether the current block holds items.
func (o *macroOpener) itemsHere() bool {
	return len(o.blocks) == 0 || o.blocks[len(o.blocks)-1].items
}

// word reads the word src[i:end] and returns the end of what it starts.
func (o *macroOpener) word(i, end int) int {
	w := string(o.src[i:end])
	if o.start || o.call < 0 {
		o.call = -1
		if o.start && o.itemsHere() {
			o.call = i
		}
	}
	o.start = false
	if f, ok := readFlags(o.src, i); ok && o.head == "" && o.itemsHere() {
		return o.openFlags(f)
	}
	if o.head == "" && itemWords[w] || w == "fn" && o.head == "extern" {
		o.head = w
	}
	next := rustBlanks(o.src, end)
	if next >= len(o.src) || o.src[next] != '!' {
		if next >= len(o.src) || o.src[next] != ':' {
			o.call = -1
		}
		return end
	}
	if w == "macro_rules" {
		if open := bytes.IndexAny(o.src[next:], "{(["); open >= 0 {
			o.newItem()
			return groupEnd(o.src, next+open)
		}
	}
	brace := rustBlanks(o.src, next+1)
	if o.call < 0 || brace >= len(o.src) || o.src[brace] != '{' {
		return end
	}
	return o.open(next+1, brace)
}

// open opens the macro call whose mark ends at mark and whose brace is at brace, if it
// holds items, else skips it. It returns where to go on.
func (o *macroOpener) open(mark, brace int) int {
	end := groupEnd(o.src, brace)
	body := o.src[brace+1 : max(brace+1, end-1)]
	arm := rustBlanks(o.src, brace+1)
	if len(o.blocks) >= maxOpened || !isArm(o.src, arm) && !holdsItems(body, maxInner) {
		o.newItem()
		return end
	}
	o.callMark(mark, brace)
	o.push(block{items: true, opened: true})
	if isArm(o.src, arm) {
		return o.openArm(arm)
	}
	return brace + 1
}

// callMark writes "()" in place of a brace and the blank beside it, so that the name of
// the macro remains a call. Where there is no blank, it blanks the name too.
func (o *macroOpener) callMark(mark, brace int) {
	at := brace
	switch {
	case brace > mark && isBlank(o.src[brace-1]):
		at = brace - 1
	case brace+1 >= len(o.src) || !isBlank(o.src[brace+1]):
		o.blank(o.call, brace+1)
		return
	}
	o.blank(at, at)
	o.out[at], o.out[at+1] = '(', ')'
}

// isArm reports whether an arm of cfg_if starts at i: `if #[…] {`.
func isArm(src []byte, i int) bool {
	if !bytes.HasPrefix(src[i:], []byte("if")) {
		return false
	}
	i = rustBlanks(src, i+2)
	return i < len(src) && src[i] == '#'
}

// openArm blanks the head of the arm at i up to its brace.
func (o *macroOpener) openArm(i int) int {
	brace := i
	for brace < len(o.src) && o.src[brace] != '{' {
		if o.src[brace] == '[' {
			brace = groupEnd(o.src, brace)
		} else {
			brace = rustToken(o.src, brace)
		}
	}
	if brace >= len(o.src) {
		return brace
	}
	o.blank(i, brace+1)
	o.push(block{items: true, opened: true, arm: true})
	return brace + 1
}

// closeBlock closes the innermost block at the brace at i and returns where to go on.
func (o *macroOpener) closeBlock(i int) int {
	n := len(o.blocks)
	if n == 0 {
		o.newItem()
		return i + 1
	}
	b := o.blocks[n-1]
	o.blocks = o.blocks[:n-1]
	o.newItem()
	if !b.opened {
		return i + 1
	}
	o.blank(i, i+1)
	if next := rustBlanks(o.src, i+1); b.arm && bytes.HasPrefix(o.src[next:], []byte("else")) {
		return o.openArm(next)
	}
	return i + 1
}

// attribute returns the end of the attribute at i.
func (o *macroOpener) attribute(i int) int {
	j := i + 1
	if j < len(o.src) && o.src[j] == '!' {
		j++
	}
	if j < len(o.src) && o.src[j] == '[' {
		return groupEnd(o.src, j)
	}
	return j
}

func (o *macroOpener) blank(from, to int) {
	if o.out == nil {
		o.out = slices.Clone(o.src)
	}
	blank(o.out[from:to])
}

// The words that an item starts with. Those in unsure start expressions too.
var (
	sureItems   = wordsOf("fn struct enum trait impl mod type static use extern macro_rules")
	unsureItems = wordsOf("unsafe async const union")
)

// holdsItems reports whether the body of a macro call consists of items: its first word is
// that of an item, and no token is a parameter of a macro. Up to inner macro calls may stand
// around the first item.
func holdsItems(body []byte, inner int) bool {
	for i := 0; i < len(body); i = rustToken(body, i) {
		switch c := body[i]; {
		case c == 'm' && bytes.HasPrefix(body[i:], []byte("macro_rules!")): // has parameters of its own
			open := bytes.IndexAny(body[i:], "{([")
			if open < 0 {
				return false
			}
			i = groupEnd(body, i+open) - 1
		case c == '$', c == '#' && i+1 < len(body) && body[i+1] != '[' && body[i+1] != '!':
			return false
		}
	}
	i := rustBlanks(body, 0)
	for i < len(body) && body[i] == '#' { // attributes
		open := bytes.IndexByte(body[i:], '[')
		if open < 0 {
			return false
		}
		i = rustBlanks(body, groupEnd(body, i+open))
	}
	first, second := i, rustBlanks(body, rustToken(body, i))
	if string(wordAt(body, first)) == "pub" {
		first = second
		if first < len(body) && body[first] == '(' {
			first = rustBlanks(body, groupEnd(body, first))
		}
		second = rustBlanks(body, rustToken(body, first))
	}
	w, after := string(wordAt(body, first)), wordAt(body, second)
	switch {
	case w == "macro_rules":
		return true
	case w == "struct" || w == "enum":
		next := rustBlanks(body, second+len(after))
		_, flags := readFlags(body, first)
		return len(after) > 0 && next < len(body) && (body[next] != ':' || flags)
	case unsureItems[w]:
		return len(after) > 0 && !bytes.Equal(after, []byte("move"))
	case w != "" && inner > 0 && second < len(body) && body[second] == '!': // another macro call
		brace := rustBlanks(body, second+1)
		return brace < len(body) && body[brace] == '{' && holdsItems(body[brace+1:max(brace+1, groupEnd(body, brace)-1)], inner-1)
	}
	return sureItems[w]
}

func wordAt(s []byte, i int) []byte {
	end := i
	for end < len(s) && isWordByte(s[end]) {
		end++
	}
	return s[min(i, len(s)):end]
}

// rustBlanks returns the offset of the first token from i on that is neither blank nor a
// comment.
func rustBlanks(s []byte, i int) int {
	for i < len(s) {
		end := rustToken(s, i)
		if !isBlank(s[i]) && (s[i] != '/' || end == i+1) {
			return i
		}
		i = end
	}
	return i
}

// groupEnd returns the end of the group whose bracket is at i. It counts all kinds of
// brackets as one.
func groupEnd(s []byte, i int) int {
	depth := 0
	for i < len(s) {
		end := rustToken(s, i)
		switch s[i] {
		case '(', '[', '{':
			depth++
		case ')', ']', '}':
			if depth--; depth <= 0 {
				return end
			}
		}
		i = end
	}
	return i
}

// rustToken returns the end of the token, the comment or the blanks at i.
func rustToken(s []byte, i int) int {
	if i >= len(s) {
		return i
	}
	switch c := s[i]; {
	case isBlank(c):
		for i < len(s) && isBlank(s[i]) {
			i++
		}
		return i
	case c == '/' && i+1 < len(s) && s[i+1] == '/':
		return skipComment(s, i)
	case c == '/' && i+1 < len(s) && s[i+1] == '*':
		return rustComment(s, i)
	case c == '"':
		return rustString(s, i)
	case c == '\'':
		return rustQuote(s, i)
	case !isWordByte(c):
		return i + 1
	}
	end := i
	for end < len(s) && isWordByte(s[end]) {
		end++
	}
	if end < len(s) && end-i <= 2 { // b"…", r#"…"#, b'…'
		switch c := s[end]; {
		case c == '"' && s[end-1] == 'r', c == '#' && s[end-1] == 'r':
			return rawString(s, end)
		case c == '"' && (string(s[i:end]) == "b" || string(s[i:end]) == "c"):
			return rustString(s, end)
		case c == '\'' && string(s[i:end]) == "b":
			return rustQuote(s, end)
		}
	}
	return end
}

// rustComment returns the end of the block comment at i. These comments nest.
func rustComment(s []byte, i int) int {
	depth := 0
	for ; i+1 < len(s); i++ {
		switch {
		case s[i] == '/' && s[i+1] == '*':
			depth++
			i++
		case s[i] == '*' && s[i+1] == '/':
			i++
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(s)
}

// rustString returns the end of the string whose quote is at i.
func rustString(s []byte, i int) int {
	for i++; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(s)
}

// rustQuote returns the end of the character or of the mark of a lifetime at i.
func rustQuote(s []byte, i int) int {
	if i+1 < len(s) && s[i+1] == '\\' {
		return skipQuoted(s, i)
	}
	const longest = 4 // bytes of a character
	for k := i + 2; k < min(len(s), i+2+longest); k++ {
		if s[k] == '\'' {
			return k + 1
		}
		if s[i+1] < 0x80 {
			break
		}
	}
	return i + 1
}

// rawString returns the end of the raw string whose hashes or quote start at i. A raw name
// such as r#type ends behind the hash.
func rawString(s []byte, i int) int {
	hashes := 0
	for i+hashes < len(s) && s[i+hashes] == '#' {
		hashes++
	}
	if i+hashes >= len(s) || s[i+hashes] != '"' {
		return i + hashes
	}
	end := append([]byte{'"'}, s[i:i+hashes]...)
	if k := bytes.Index(s[i+hashes+1:], end); k >= 0 {
		return i + hashes + 1 + k + len(end)
	}
	return len(s)
}

// readToken sets the kind and the receiver of a name among the tokens of a macro call:
// `assert!(self.cmd.is_set(x))` calls is_set of self.cmd.
func (b *builder) readToken(r *Ref) {
	if before, ok := trimSeparator(b.text[max(0, r.Span.Start-maxPathBytes):r.Span.Start]); ok && !strings.HasSuffix(before, ".") {
		if r.Receiver = unknown; pathStart(before) < len(before) {
			r.Receiver = b.row.path(before[pathStart(before):])
		}
	}
	if strings.HasPrefix(b.text[r.Span.End:], "(") {
		r.Kind = record.EdgeCalls
	}
}

// pathStart returns the index at which the path starts that s ends with: names with calls and
// indexes, joined by "." or "::".
func pathStart(s string) int {
	i := len(s)
	for i > 0 {
		switch c := s[i-1]; {
		case c == ')' || c == ']':
			depth, j := 0, i
			for j > 0 {
				j--
				if s[j] == ')' || s[j] == ']' {
					depth++
				} else if s[j] == '(' || s[j] == '[' {
					if depth--; depth == 0 {
						break
					}
				}
			}
			if depth != 0 || j == 0 || !isNameByte(s[j-1]) {
				return i
			}
			i = j
		case isNameByte(c) || c == '.' || c == ':':
			i--
		case c == '?' && i < len(s) && s[i] == '.':
			i--
		default:
			return i
		}
	}
	return i
}

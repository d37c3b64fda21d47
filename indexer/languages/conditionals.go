package languages

import "bytes"

// maskConditionals returns the text of a C# file with blanks in place of conditionals, as
// maskMacros does, and keeps the rest.
func maskConditionals(content []byte) []byte {
	if !bytes.Contains(content, []byte("#if")) {
		return content
	}
	return (&masker{src: content, prev: ';', plain: true}).masked()
}

// maxBranches bounds the nesting of conditionals that the masker reads: blanking one is a
// pass over its text.
const maxBranches = 64

// branch is an open conditional of the preprocessor.
type branch struct {
	end   int  // end of the line that opens it
	zero  bool // #if 0
	depth int  // number of open braces before it
	prev  byte // the last byte before it that is not blank
	clean bool // it begins, and its branches so far end, between statements
	other int  // start of the line of its first #else or #elif, -1 before that
	first int  // number of braces that its first branch leaves open
}

// directive reads a line of the preprocessor, continuation lines included.
func (m *masker) directive() {
	start := m.i
	for m.i < len(m.src) && m.src[m.i] != '\n' {
		if m.src[m.i] == '\\' && m.i+1 < len(m.src) {
			m.i++
		} else if m.src[m.i] == '/' && m.i+1 < len(m.src) && m.src[m.i+1] == '*' {
			m.i = skipComment(m.src, m.i) - 1
		}
		m.i++
	}
	m.i = min(m.i, len(m.src))
	at := m.blanks(start + 1)
	switch string(m.src[at:max(at, min(m.wordEnd(at), m.i))]) {
	case "if", "ifdef", "ifndef":
		if len(m.branches) == maxBranches {
			m.deeper++
			break
		}
		m.branches = append(m.branches, branch{end: m.i, zero: string(m.src[at:min(at+4, m.i)]) == "if 0", depth: len(m.braces), prev: m.prev, clean: isBoundary(m.prev), other: -1})
	case "else", "elif":
		if n := len(m.branches); n > 0 && m.deeper == 0 {
			b := &m.branches[n-1]
			m.endBranch(b, start)
			m.reopen(b.depth)
			m.prev = b.prev
		}
	case "endif":
		if m.deeper > 0 {
			m.deeper--
		} else if n := len(m.branches); n > 0 {
			m.endif(&m.branches[n-1], start)
			m.branches = m.branches[:n-1]
		}
	case "error", "warning": // its text can have one quote
	default:
		return
	}
	m.blank(start, m.i)
}

// endBranch ends a branch before the line at offset.
func (m *masker) endBranch(b *branch, offset int) {
	open := len(m.braces) - b.depth
	if b.other < 0 {
		b.other, b.first = offset, open
	}
	b.clean = b.clean && isBoundary(m.prev) && open == b.first
}

// endif closes the innermost conditional; its line starts at offset.
func (m *masker) endif(b *branch, offset int) {
	m.endBranch(b, offset)
	if !b.clean || b.first != 0 {
		m.blank(b.other, offset)
		m.reopen(b.depth + b.first)
	}
	if b.zero {
		m.blank(b.end, b.other)
	}
}

// reopen sets the number of open braces to n.
func (m *masker) reopen(n int) {
	for len(m.braces) < n {
		m.braces = append(m.braces, statements)
	}
	m.braces = m.braces[:max(0, n)]
}

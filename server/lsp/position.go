package lsp

import (
	"bytes"
	"errors"
	"unicode/utf8"

	"go.lsp.dev/protocol"
)

// encoding is what the character of a position counts.
type encoding string

// The encodings, as the protocol names them. UTF-16 is what holds when nobody says
// anything.
const (
	utf8Units  = encoding(protocol.PositionEncodingKindUTF8)
	utf16Units = encoding(protocol.PositionEncodingKindUTF16)
	utf32Units = encoding(protocol.PositionEncodingKindUTF32)
)

// negotiate returns the encoding to use with a client that offers some. UTF-8 needs
// no conversion; of the others the client's first is as good as any.
func negotiate(offered []string) encoding {
	chosen := utf16Units
	for i, o := range offered {
		switch e := encoding(o); {
		case e == utf8Units:
			return e
		case i == 0 && e == utf32Units:
			chosen = e
		}
	}
	return chosen
}

// position is a zero-based place in a document.
type position struct {
	line, character int
}

var (
	errPastEnd  = errors.New("the line is past the end of the document")
	errInside   = errors.New("the character is inside of a code point")
	errNegative = errors.New("the position is negative")
)

// positionOffset returns the byte of a position. A character past the end of its line
// is the end of the line, and the line after the last is the end of the text. It
// returns an error for a line further on and for a character inside of a code point.
func positionOffset(text []byte, p position, e encoding) (int, error) {
	if p.line < 0 || p.character < 0 {
		return 0, errNegative
	}
	start, last := 0, false
	for range p.line {
		if last {
			return 0, errPastEnd
		}
		start, last = nextLine(text, start)
	}
	line := text[start:lineEnd(text, start)]
	at, ok := e.offset(line, p.character)
	if !ok {
		return 0, errInside
	}
	return start + at, nil
}

// offsetPosition returns the position of a byte.
func offsetPosition(text []byte, offset int, e encoding) position {
	p, start := position{}, 0
	for {
		next, last := nextLine(text, start)
		if last || next > offset {
			end := min(offset, lineEnd(text, start))
			p.character = e.length(text[start:max(start, end)])
			return p
		}
		p.line, start = p.line+1, next
	}
}

// nextLine returns the start of the line after the one that starts at start, and
// whether there is none; then it is the end of the text. A line ends with "\n",
// "\r\n" or "\r".
func nextLine(text []byte, start int) (next int, last bool) {
	end := lineEnd(text, start)
	switch {
	case end == len(text):
		return end, true
	case text[end] == '\r' && end+1 < len(text) && text[end+1] == '\n':
		return end + 2, false
	}
	return end + 1, false
}

// lineEnd returns the end, without its mark, of the line that starts at start.
func lineEnd(text []byte, start int) int {
	end := len(text)
	if i := bytes.IndexByte(text[start:], '\n'); i >= 0 {
		end = start + i
	}
	if i := bytes.IndexByte(text[start:end], '\r'); i >= 0 {
		end = start + i
	}
	return end
}

// offset returns the byte of a line at which n units end, at most its length, and
// whether a code point begins or the line ends there.
func (e encoding) offset(line []byte, n int) (int, bool) {
	if e == utf8Units {
		n = min(n, len(line))
		return n, n == len(line) || utf8.RuneStart(line[n])
	}
	at := 0
	for n > 0 && at < len(line) {
		r, size := utf8.DecodeRune(line[at:])
		at += size
		n -= e.units(r)
	}
	return at, n >= 0
}

// length returns the units of text.
func (e encoding) length(text []byte) int {
	if e == utf8Units {
		return len(text)
	}
	n := 0
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRune(text[at:])
		at += size
		n += e.units(r)
	}
	return n
}

// units returns how much a code point counts in UTF-16 or UTF-32.
func (e encoding) units(r rune) int {
	if e == utf16Units && r > 0xFFFF {
		return 2
	}
	return 1
}

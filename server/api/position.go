package api

import (
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf8"
)

// Position is a place in a document: zero-based, the character in the units of the
// question's position encoding.
type Position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// UnmarshalJSON reads a position that has both numbers, neither of them negative.
func (p *Position) UnmarshalJSON(data []byte) error {
	var read struct {
		Line      *int `json:"line"`
		Character *int `json:"character"`
	}
	err := json.Unmarshal(data, &read)
	if err != nil || read.Line == nil || read.Character == nil || *read.Line < 0 || *read.Character < 0 {
		return &FieldError{"position", "use an object with line and character, whole numbers from 0"}
	}
	*p = Position{*read.Line, *read.Character}
	return nil
}

// Range is half-open.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// PositionEncoding is the unit of [Position].Character.
type PositionEncoding string

// The position encodings of the Language Server Protocol. The zero value means UTF-16.
const (
	UTF8  PositionEncoding = "utf-8"
	UTF16 PositionEncoding = "utf-16"
	UTF32 PositionEncoding = "utf-32"
)

var (
	errPastEnd     = errors.New("the line is past the end of the document")
	errPastLineEnd = errors.New("the character is past the end of the line")
	errInside      = errors.New("the character is inside a code point")
	errNegative    = errors.New("the position is negative")
)

// Offset returns the byte of text at a position. The line after the last is the end of
// the text; a character after the end of its line is the end of the line, and an error
// with strict. A later line and a character inside a code point are errors.
func (e PositionEncoding) Offset(text string, p Position, strict bool) (int, error) {
	if p.Line < 0 || p.Character < 0 {
		return 0, errNegative
	}
	start, last := 0, false
	for range p.Line {
		if last {
			return 0, errPastEnd
		}
		start, last = nextLine(text, start)
	}
	line := text[start:lineEnd(text, start)]
	at, rest := e.cut(line, p.Character)
	switch {
	case rest < 0 || at < len(line) && !utf8.RuneStart(line[at]):
		return 0, errInside
	case rest > 0 && strict:
		return 0, errPastLineEnd
	}
	return start + at, nil
}

// Position returns the position of a byte of text, from 0 to its length.
func (e PositionEncoding) Position(text string, offset int) Position {
	p, start := Position{}, 0
	for {
		next, last := nextLine(text, start)
		if last || next > offset {
			p.Character = e.Length(text[start:max(start, min(offset, lineEnd(text, start)))])
			return p
		}
		p.Line, start = p.Line+1, next
	}
}

// Length returns how many units a text is long.
func (e PositionEncoding) Length(text string) int {
	if e == UTF8 {
		return len(text)
	}
	n := 0
	for _, r := range text {
		n += e.units(r)
	}
	return n
}

// cut returns the byte of a line before which n units stand, and how many units the
// line lacks; fewer than none when the n-th unit is inside a code point.
func (e PositionEncoding) cut(line string, n int) (at, rest int) {
	if e == UTF8 {
		at = min(n, len(line))
		return at, n - at
	}
	for n > 0 && at < len(line) {
		r, size := utf8.DecodeRuneInString(line[at:])
		at += size
		n -= e.units(r)
	}
	return at, n
}

// units returns the length of a code point in UTF-16 or UTF-32.
func (e PositionEncoding) units(r rune) int {
	if e != UTF32 && r > 0xFFFF {
		return 2
	}
	return 1
}

// nextLine returns the start of the line after the one that starts at start, and
// whether there is none; then it is the end of the text. A line ends with "\n",
// "\r\n" or "\r".
func nextLine(text string, start int) (next int, last bool) {
	end := lineEnd(text, start)
	switch {
	case end == len(text):
		return end, true
	case strings.HasPrefix(text[end:], "\r\n"):
		return end + 2, false
	}
	return end + 1, false
}

// lineEnd returns the end, without its mark, of the line that starts at start.
func lineEnd(text string, start int) int {
	end := len(text)
	if i := strings.IndexByte(text[start:], '\n'); i >= 0 {
		end = start + i
	}
	if i := strings.IndexByte(text[start:end], '\r'); i >= 0 {
		end = start + i
	}
	return end
}

// Package location turns places as ambit keeps them into places of the Language Server
// Protocol and back: a byte offset into a [api.Position], a path into a URI.
//
// A line ends with "\n", "\r\n" or "\r". The functions are pure and take any text, also
// one that is not valid UTF-8: each byte that is part of no code point counts as one
// character.
//
// Source: Language Server Protocol 3.17, "Text Documents" and "Position".
package location

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"

	"ambit/server/api"
	"ambit/vectors/record"
)

// The errors of a position that is not in the text.
var (
	errNegative = errors.New("the position is negative")
	errPastEnd  = errors.New("the line is past the end of the document")
	errInside   = errors.New("the character is inside of a code point")
)

// Position returns the position of a byte of text. An offset outside of the text counts
// as the nearest one inside; one within "\r\n" is the end of its line.
func Position(text []byte, offset int, e api.PositionEncoding) api.Position {
	offset = max(0, min(offset, len(text)))
	if offset > 0 && offset < len(text) && text[offset-1] == '\r' && text[offset] == '\n' {
		offset--
	}
	before := text[:offset]
	line, start := bytes.Count(before, []byte{'\n'}), bytes.LastIndexByte(before, '\n')+1
	if n := bytes.Count(before, []byte{'\r'}); n > 0 {
		line += n - bytes.Count(before, []byte("\r\n"))
		start += bytes.LastIndexByte(before[start:], '\r') + 1
	}
	return api.Position{Line: line, Character: length(before[start:], e)}
}

// Range returns the range of a span of text.
func Range(text []byte, s record.Span, e api.PositionEncoding) api.Range {
	return api.Range{Start: Position(text, s.Start, e), End: Position(text, s.End, e)}
}

// Offset returns the byte of text that p names. The line after the last one is the end
// of the text, and a character after the end of its line the end of the line, unless p
// is strict. It returns an error for a position further on and for one inside of a code
// point.
func Offset(text []byte, p api.Place) (int, error) {
	at := p.Position
	if at.Line < 0 || at.Character < 0 {
		return 0, errNegative
	}
	start := 0
	for n := range at.Line {
		next, more := nextLine(text, start)
		switch {
		case more:
		case p.Strict:
			return 0, fmt.Errorf("has %d lines, so there is no line %d; give one of them", n+1, at.Line+1)
		case n+1 < at.Line:
			return 0, errPastEnd
		}
		start = next
	}
	line := text[start:lineEnd(text, start)]
	if n := length(line, p.PositionEncoding); p.Strict && at.Character > n {
		return 0, fmt.Errorf("has %d %s in line %d, so there is no column %d; give one from 1 to %d",
			n, unitName(p.PositionEncoding), at.Line+1, at.Character+1, n+1)
	}
	n, ok := offsetIn(line, at.Character, p.PositionEncoding)
	if !ok {
		return 0, errInside
	}
	return start + n, nil
}

// nextLine returns the start of the line after the one that starts at start, or the end
// of the text and false when there is none.
func nextLine(text []byte, start int) (next int, more bool) {
	end := lineEnd(text, start)
	switch {
	case end == len(text):
		return end, false
	case text[end] == '\r' && end+1 < len(text) && text[end+1] == '\n':
		return end + 2, true
	}
	return end + 1, true
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

// offsetIn returns the byte of a line at which n characters end, at most its length. It
// reports false for a byte inside of a code point.
func offsetIn(line []byte, n int, e api.PositionEncoding) (int, bool) {
	if e == api.UTF8 {
		n = min(n, len(line))
		for i := max(0, n-utf8.UTFMax+1); i < n; i++ {
			if r, size := utf8.DecodeRune(line[i:]); r != utf8.RuneError && i+size > n {
				return n, false
			}
		}
		return n, true
	}
	at := 0
	for n > 0 && at < len(line) {
		r, size := utf8.DecodeRune(line[at:])
		at += size
		n -= units(r, e)
	}
	return at, n >= 0
}

// length returns the characters of text.
func length(text []byte, e api.PositionEncoding) int {
	if e == api.UTF8 {
		return len(text)
	}
	n := 0
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRune(text[at:])
		at += size
		n += units(r, e)
	}
	return n
}

// units returns how many characters a code point counts in UTF-16 or UTF-32.
func units(r rune, e api.PositionEncoding) int {
	if e != api.UTF32 && r > 0xFFFF {
		return 2
	}
	return 1
}

// unitName names the characters of a position, for messages.
func unitName(e api.PositionEncoding) string {
	if e == api.UTF8 {
		return "bytes"
	}
	return "characters"
}

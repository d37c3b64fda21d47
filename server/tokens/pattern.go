package tokens

import (
	"unicode"
	"unicode/utf8"
)

// A pattern returns the end of the piece of s that starts at i, i < len(s). s must
// be valid UTF-8. Pieces follow each other without a gap, no token crosses the end
// of one, and cutting a whole text takes linear time.
type pattern func(t *classTable, s string, i int) int

// A class is a set of the character classes that the patterns tell apart.
type class uint8

const (
	upper   class = 1 << iota // Lu, Lt
	lower                     // Ll
	uncased                   // Lm, Lo
	mark                      // M
	number                    // N
	blank                     // white space other than CR and LF
	newline                   // CR, LF

	letter = upper | lower | uncased
	space  = blank | newline
)

// classTable holds the class of every rune below its length. Above it are only
// rare Han ideographs, which are uncased, some marks and private use.
type classTable [0x20000]class

// newClassTable fills a table from package unicode, which regexp2 reads as well.
// It takes about 0.2 ms.
func newClassTable() *classTable {
	t := new(classTable)
	for _, row := range []struct {
		ranges *unicode.RangeTable
		class  class
	}{
		{unicode.Lu, upper}, {unicode.Lt, upper},
		{unicode.Ll, lower},
		{unicode.Lm, uncased}, {unicode.Lo, uncased},
		{unicode.M, mark}, {unicode.N, number},
		{unicode.White_Space, blank},
	} {
		for _, r := range row.ranges.R16 {
			for c := int(r.Lo); c <= int(r.Hi); c += int(r.Stride) {
				t[c] = row.class
			}
		}
		for _, r := range row.ranges.R32 {
			for c := int(r.Lo); c <= int(r.Hi) && c < len(t); c += int(r.Stride) {
				t[c] = row.class
			}
		}
	}
	t['\r'], t['\n'] = newline, newline
	return t
}

// at returns the class and the length of the character of s at i, 0 and 0 at the
// end.
func (t *classTable) at(s string, i int) (class, int) {
	if i >= len(s) {
		return 0, 0
	}
	if s[i] < utf8.RuneSelf {
		return t[s[i]], 1
	}
	r, n := utf8.DecodeRuneInString(s[i:])
	if int(r) < len(t) {
		return t[r], n
	}
	switch { // this high there are no cases, numbers or spaces
	case unicode.Is(unicode.Lo, r):
		return uncased, n
	case unicode.Is(unicode.M, r):
		return mark, n
	}
	return 0, n
}

// skip returns the end of the run of characters of set that starts at i.
func (t *classTable) skip(s string, i int, set class) int {
	for {
		c, n := t.at(s, i)
		if c&set == 0 {
			return i
		}
		i += n
	}
}

// skipSymbols returns the end of the run of [^\s\p{L}\p{N}] that starts at i.
func (t *classTable) skipSymbols(s string, i int) int {
	for {
		c, n := t.at(s, i)
		if n == 0 || c&(letter|number|space) != 0 {
			return i
		}
		i += n
	}
}

// nextO200k implements the pattern of o200k_base:
//
//	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//	\p{N}{1,3}
//	 ?[^\s\p{L}\p{N}]+[\r\n/]*
//	\s*[\r\n]+|\s+(?!\S)|\s+
func nextO200k(t *classTable, s string, i int) int {
	c, n := t.at(s, i)
	start := i
	if c&(letter|number|newline) == 0 {
		start = i + n
	}
	end, lowered := t.word(s, start)
	if c == mark && !lowered {
		// A mark is a word by itself, which the first line prefers to the mark
		// before a word in capitals, the second line.
		end = start
	} else if end == start {
		return t.rest(s, i, "\r\n/")
	}
	return end + contraction(s[end:])
}

// word matches the first two lines of o200k_base at i without their optional ends:
// it returns the end and whether the first line matched; i when neither does.
//
// When no small letter follows the run of capitals, the match ends after the last
// character that belongs to both classes, as if the regexp had backtracked.
func (t *classTable) word(s string, i int) (end int, lowered bool) {
	both := i // the end of the last character that is of both runs
	for {
		c, n := t.at(s, i)
		switch {
		case c&(uncased|mark) != 0:
			both, lowered = i+n, true
		case c == lower:
			return t.skip(s, i+n, lower|uncased|mark), true
		case c != upper:
			if lowered {
				return both, true
			}
			return i, false
		}
		i += n
	}
}

// nextCL100k implements the pattern of cl100k_base:
//
//	(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}
//	 ?[^\s\p{L}\p{N}]+[\r\n]*
//	\s*[\r\n]+|\s+(?!\S)|\s+
func nextCL100k(t *classTable, s string, i int) int {
	if n := contraction(s[i:]); n > 0 {
		return i + n
	}
	c, n := t.at(s, i)
	start := i
	if c&(letter|number|newline) == 0 {
		start = i + n
	}
	if end := t.skip(s, start, letter); end > start {
		return end
	}
	return t.rest(s, i, "\r\n")
}

// contraction returns the length of the English contraction that s starts with, 0
// when there is none. As in regexp2, only ASCII letters have two cases here.
func contraction(s string) int {
	if len(s) < 2 || s[0] != '\'' {
		return 0
	}
	switch s[1] | 0x20 {
	case 's', 't', 'm', 'd':
		return 2
	case 'r', 'v':
		if len(s) > 2 && s[2]|0x20 == 'e' {
			return 3
		}
	case 'l':
		if len(s) > 2 && s[2]|0x20 == 'l' {
			return 3
		}
	}
	return 0
}

// rest matches the common end of both patterns, at a character that starts no word:
// up to three numbers, symbols with a space before and any of the bytes of tail
// after them, white space.
func (t *classTable) rest(s string, i int, tail string) int {
	c, n := t.at(s, i)
	if c == number {
		for range 2 {
			i += n
			if c, n = t.at(s, i); c != number {
				return i
			}
		}
		return i + n
	}
	start := i
	if s[i] == ' ' {
		start++
	}
	end := t.skipSymbols(s, start)
	if end == start {
		return t.white(s, i)
	}
	for end < len(s) && (s[end] == tail[0] || s[end] == tail[1] || s[end] == tail[len(tail)-1]) {
		end++
	}
	return end
}

// white matches \s*[\r\n]+|\s+(?!\S)|\s+ at i: up to the last line end of the run
// of white space; without one, the run except its last character, which belongs
// to the text after it, unless there is none or the run is that character.
func (t *classTable) white(s string, i int) int {
	end, last, lineEnd := i, i, i
	for {
		c, n := t.at(s, end)
		if c&space == 0 {
			break
		}
		last, end = end, end+n
		if c == newline {
			lineEnd = end
		}
	}
	switch {
	case lineEnd > i:
		return lineEnd
	case end < len(s) && last > i:
		return last
	}
	return end
}

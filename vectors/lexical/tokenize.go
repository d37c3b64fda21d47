package lexical

import (
	"unicode"
	"unicode/utf8"

	"ambit/vectors/script"
)

// The bounds of a token. Longer runs are data (hashes, base64, generated names),
// and data must not fill the dictionary.
const (
	maxTokenBytes  = 64 // the rest of the run is skipped
	maxParts       = 16 // a run of more parts is kept whole only
	maxNumberBytes = 8  // "0xff", "8080", "20240131" are words, longer numbers are data
)

// class says what a byte or rune is to the tokenizer.
type class uint8

const (
	separator  class = iota
	underscore       // separates parts
	lower            // also letters without case and combining marks
	upper
	digit
	multi // a byte of a longer rune: see classify
	gram  // a letter of a script without blanks between words
)

// classes maps bytes to classes.
var classes = func() (t [256]class) {
	for b := range t {
		switch {
		case b >= utf8.RuneSelf:
			t[b] = multi
		case 'a' <= b && b <= 'z':
			t[b] = lower
		case 'A' <= b && b <= 'Z':
			t[b] = upper
		case '0' <= b && b <= '9':
			t[b] = digit
		case b == '_':
			t[b] = underscore
		}
	}
	return t
}()

// classify returns the class of the first rune of b, the rune in lower case, and its
// length in bytes, at least 1.
func classify(b []byte) (class, rune, int) {
	r, size := utf8.DecodeRune(b)
	switch {
	case script.Letter(r):
		return gram, r, size
	case unicode.IsUpper(r):
		return upper, unicode.ToLower(r), size
	case unicode.IsLetter(r), unicode.IsMark(r):
		return lower, unicode.ToLower(r), size
	case unicode.IsDigit(r):
		return digit, r, size
	}
	return separator, r, size // also utf8.RuneError
}

// tokenizer holds the run that was read last. Its zero value is ready for use.
type tokenizer struct {
	run    [maxTokenBytes]byte // lower-cased, without "_"
	n      int                 // bytes of run in use
	parts  [maxParts]uint8     // where the parts start in run
	nParts int                 // may be maxParts+1: too many
}

// each calls emit with the code-aware tokens of text in its order, with repeats:
// every run of letters, digits and "_" as a whole, lower-cased and without "_", then
// its camel, snake and digit parts when there are several:
//
//	parseHTTPHeader   parsehttpheader parse http header
//	max_body_size     maxbodysize max body size
//	sha256            sha256 sha 256
//	userIDs           userids user ids
//
// The whole has no "_" so that the same name meets itself across styles. A run that
// starts with a digit is a literal: it is never split and is kept up to 8 bytes.
// Single ASCII letters and digits are dropped, alone too: i, x and T stand in nearly
// every chunk and tell them apart as little as punctuation does, yet would be among
// the longest postings. Letters of every script count, invalid UTF-8 separates.
//
// Scripts without blanks between words give their bigrams, see [script.Bigrams]:
//
//	API返回数据       api 返回 回数 数据
//
// compound marks the whole of a run of several parts, which is not stemmed. A token
// is valid during the call only and may be overwritten.
func (t *tokenizer) each(text []byte, emit func(token []byte, compound bool)) {
	for i := 0; i < len(text); {
		if classes[text[i]] == separator {
			i++
			continue
		}
		if classes[text[i]] == multi {
			if n := script.Bigrams(text[i:], len(text), func(pair []byte) { emit(pair, false) }); n > 0 {
				i += n
				continue
			}
		}
		i = t.read(text, i)
		whole := t.run[:t.n]
		if t.n < 2 {
			continue
		}
		if classes[whole[0]] == digit {
			if t.n <= maxNumberBytes {
				emit(whole, false)
			}
			continue
		}
		emit(whole, t.nParts > 1)
		if t.nParts > 1 && t.nParts <= maxParts {
			t.eachPart(emit)
		}
	}
}

// eachPart calls emit with the parts of the run.
func (t *tokenizer) eachPart(emit func(token []byte, compound bool)) {
	for p := range t.nParts {
		end := t.n
		if p+1 < t.nParts {
			end = int(t.parts[p+1])
		}
		part := t.run[t.parts[p]:end]
		if len(part) < 2 || classes[part[0]] == digit && len(part) > maxNumberBytes {
			continue
		}
		emit(part, false)
	}
}

// read reads the run that starts at text[i] and returns where it ends, after i. A
// part starts at an underscore, between letters and digits, before an upper-case
// letter that follows a lower-case one, and before the last of several upper-case
// letters that a lower-case one follows, except the s of a plural such as "IDs".
func (t *tokenizer) read(text []byte, i int) int {
	t.n, t.nParts = 0, 0
	prev, last := underscore, 0 // class and start in run of the letter before
	for i < len(text) {
		c, size := classes[text[i]], 1
		if c == lower && prev == lower && t.n <= maxTokenBytes-utf8.UTFMax { // most of a text
			t.run[t.n] = text[i]
			last = t.n
			t.n++
			i++
			continue
		}
		r := rune(text[i])
		if c == multi {
			c, r, size = classify(text[i:])
		} else if c == upper {
			r |= 0x20
		}
		if c == separator || c == gram {
			if t.n == 0 && c == separator {
				i += size
			}
			break
		}
		i += size
		if c == underscore {
			prev = underscore
			continue
		}
		if t.n > maxTokenBytes-utf8.UTFMax {
			continue // cut
		}
		switch {
		case prev == underscore, (c == digit) != (prev == digit), c == upper && prev == lower:
			t.startPart(t.n)
		case c == lower && prev == upper && last > t.partStart() && !(r == 's' && endsPart(text, i)):
			t.startPart(last)
		}
		prev, last = c, t.n
		if r < utf8.RuneSelf {
			t.run[t.n] = byte(r)
			t.n++
		} else {
			t.n += utf8.EncodeRune(t.run[t.n:], r)
		}
	}
	return i
}

func (t *tokenizer) startPart(at int) {
	if t.nParts < maxParts {
		t.parts[t.nParts] = uint8(at)
	}
	t.nParts = min(t.nParts+1, maxParts+1)
}

// partStart returns where the part being read starts.
func (t *tokenizer) partStart() int {
	if t.nParts == 0 || t.nParts > maxParts {
		return t.n
	}
	return int(t.parts[t.nParts-1])
}

// endsPart reports that no small letter follows at text[i:].
func endsPart(text []byte, i int) bool {
	return i >= len(text) || classes[text[i]] != lower && classes[text[i]] != multi
}

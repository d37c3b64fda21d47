// Package script tells which scripts are written without blanks between words.
package script

import (
	"unicode"
	"unicode/utf8"
)

// Unspaced reports whether r belongs to a script whose words do not have blanks between them:
// Chinese characters, kana, Hangul, Thai, Lao, Khmer and Myanmar. Hangul has blanks between
// phrases, which are words with their particles. It does not say whether
// r is a letter: the blocks have marks, digits and punctuation, too.
//
// Source: the blocks of Unicode 15, and the choice of scripts of CJKBigramFilter in Apache
// Lucene and of the class SA of Unicode Standard Annex #14.
func Unspaced(r rune) bool {
	if r < 0x0E00 {
		return false
	}
	for _, b := range blocks {
		if r <= b.last {
			return r >= b.first
		}
	}
	return false
}

// Letter reports whether r is a letter or a combining mark of a script without blanks between
// words.
func Letter(r rune) bool {
	return Unspaced(r) && (unicode.IsLetter(r) || unicode.IsMark(r))
}

// Bigrams calls fn with the words of the letters, as of [Letter], that text starts with: each
// two that follow one another, or the letter that stands alone. It returns the length of the
// letters in bytes, 0 when text starts with another character. No letter counts that starts
// at limit bytes or later. The pair is a part of text.
//
// Source: CJKAnalyzer of Apache Lucene.
func Bigrams(text []byte, limit int, fn func(pair []byte)) (n int) {
	before := 0 // where the letter before starts
	for n < len(text) && n < limit {
		r, size := utf8.DecodeRune(text[n:])
		if !Letter(r) {
			break
		}
		if n > 0 {
			fn(text[before : n+size])
		}
		before, n = n, n+size
	}
	if before == 0 && n > 0 {
		fn(text[:n])
	}
	return n
}

// blocks are ranges of characters, in ascending order.
var blocks = [...]struct{ first, last rune }{
	{0x0E00, 0x0EFF},   // Thai, Lao
	{0x1000, 0x109F},   // Myanmar
	{0x1100, 0x11FF},   // Hangul Jamo
	{0x1780, 0x17FF},   // Khmer
	{0x2E80, 0x312F},   // radicals, kana, Bopomofo
	{0x3130, 0x9FFF},   // Hangul Compatibility Jamo, kana extensions, Chinese characters
	{0xA960, 0xA97F},   // Hangul Jamo Extended-A
	{0xAC00, 0xD7FF},   // Hangul
	{0xF900, 0xFAFF},   // compatibility characters
	{0xFF66, 0xFFDC},   // half-width kana and Hangul
	{0x1AFF0, 0x1B16F}, // kana
	{0x20000, 0x3FFFF}, // Chinese characters
}

// Package script tells which scripts are written without blanks between words.
package script

// Unspaced reports whether r belongs to a script whose words do not have blanks between them:
// Chinese characters, kana, Hangul, Thai, Lao, Khmer and Myanmar. Hangul has blanks between
// phrases, which are words with their particles. It does not say whether
// r is a letter: the blocks have marks, digits and punctuation, too.
//
// Text in these scripts is indexed by bigrams, pairs of neighboring characters.
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

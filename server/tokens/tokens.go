// Package tokens counts tokens as language models do.
//
// Counts are exact: for every string, valid UTF-8 or not, Count returns the number of
// elements of tiktoken-go's EncodeOrdinary. The vocabularies come from
// tiktoken-go-loader, so nothing is downloaded. The text of a special token,
// "<|endoftext|>", is ordinary text.
//
// The counter does not use tiktoken-go: its map of 200,000 strings takes too long to load
// for one question, and its time is quadratic in a run without breaks. Here a
// scanner without regexps cuts the text ([pattern]), the vocabulary is one flat hash table
// ([vocabulary]) and time is O(n log n) in the worst case.
//
// The package keeps the vocabularies, each loaded at most once per process, and the counts of
// lines ([Cache]) until the garbage collector takes them. It never reads a disk.
package tokens

import (
	"fmt"
	"sync"
	"unicode/utf8"
)

// The encodings.
const (
	O200k  = "o200k_base"
	CL100k = "cl100k_base"
	Ratio  = "ratio" // not exact: four characters are a token
)

// charsPerToken is the rule of thumb for English prose; code has between 3 and 4.
const charsPerToken = 4

// Counter counts tokens in one encoding. It is safe for concurrent use.
type Counter struct {
	name string
	load func() *encoding // nil for Ratio
}

// New returns a counter for an encoding; "" means [O200k]. It returns at once: the
// first call of Count loads the vocabulary. An unknown name is an error that lists the
// known ones.
func New(encoding string) (*Counter, error) {
	switch encoding {
	case "", O200k:
		return &Counter{name: O200k, load: o200k}, nil
	case CL100k:
		return &Counter{name: CL100k, load: cl100k}, nil
	case Ratio:
		return &Counter{name: Ratio}, nil
	}
	return nil, fmt.Errorf("unknown encoding %q: use one of %s, %s, %s", encoding, O200k, CL100k, Ratio)
}

// Encoding returns the name of the encoding.
func (c *Counter) Encoding() string { return c.name }

// Load loads the vocabulary, so that the first Count does not wait for it.
func (c *Counter) Load() {
	if c.load != nil {
		c.load()
	}
}

// Count returns the number of tokens of text, 0 for the empty string. As in
// tiktoken-go, every byte that is not UTF-8 counts as U+FFFD. By [Ratio] a last token
// of fewer characters counts too.
func (c *Counter) Count(text string) int {
	if c.load == nil {
		return (utf8.RuneCountInString(text) + charsPerToken - 1) / charsPerToken
	}
	e, n := c.load(), 0
	text = validUTF8(text)
	for i := 0; i < len(text); {
		end := e.next(e.classes, text, i)
		n += e.tokens.count(text[i:end])
		i = end
	}
	return n
}

// The exact encodings, each made at first use and kept as long as the process.
var (
	o200k  = sync.OnceValue(newO200k)
	cl100k = sync.OnceValue(newCL100k)
)

// encoding turns a text into tokens: it cuts the text into pieces, then merges the bytes of
// each. It is safe for concurrent use.
type encoding struct {
	next    pattern
	classes *classTable
	tokens  *vocabulary
	// released holds the *known of caches, see Cache.Release.
	released sync.Pool
}

func newO200k() *encoding  { return newEncoding("o200k_base.tiktoken", 199_998, nextO200k) }
func newCL100k() *encoding { return newEncoding("cl100k_base.tiktoken", 100_256, nextCL100k) }

func newEncoding(file string, nTokens int, next pattern) *encoding {
	return &encoding{next: next, classes: newClassTable(), tokens: newVocabulary(file, nTokens)}
}

// validUTF8 returns text with each byte that is not UTF-8 replaced by U+FFFD, as
// a conversion to []rune and back does, and text itself when it has none.
func validUTF8(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	b := make([]byte, 0, len(text)+len(text)/4)
	for _, r := range text {
		b = utf8.AppendRune(b, r)
	}
	return string(b)
}

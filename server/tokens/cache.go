package tokens

import (
	"strings"
	"unicode/utf8"
)

const (
	// maxKnown bounds the text that a cache keeps from one answer to the next, in bytes: the
	// lines of some twenty answers. The map takes three times as much.
	maxKnown = 2 << 20
	// maxBlock bounds a block that is kept, in bytes. Longer ones are seldom lines of code.
	maxBlock = 1 << 10
)

// Cache counts tokens as its counter does, and counts a line that it has seen before by
// looking it up: the texts that one answer is chosen from have most of their lines in common,
// and so have the answers about neighbouring places. It is not safe for concurrent use.
type Cache struct {
	counter *Counter
	*known
}

// known is the tokens of blocks, see nextBlock.
type known struct {
	tokens map[string]int
	size   int // of the blocks, in bytes
}

// Cache returns a cache of the counter. It may know the lines of caches that were released.
func (c *Counter) Cache() *Cache {
	if c.load != nil {
		if k, ok := c.load().released.Get().(*known); ok {
			return &Cache{c, k}
		}
	}
	return &Cache{c, &known{tokens: map[string]int{}}}
}

// Release lends the lines to a later cache. The cache must not be used any more.
func (c *Cache) Release() {
	if c.counter.load != nil && c.size <= maxKnown {
		c.counter.load().released.Put(c.known)
	}
	c.known = nil
}

// Count returns the number of tokens of text, as [Counter.Count] does.
func (c *Cache) Count(text string) int {
	if c.counter.load == nil {
		return c.counter.Count(text) // it rounds, so the counts of lines do not add up
	}
	n := 0
	for len(text) > 0 {
		end := nextBlock(text)
		n += c.count(text[:end])
		text = text[end:]
	}
	return n
}

func (c *Cache) count(block string) int {
	if len(block) > maxBlock {
		return c.counter.Count(block)
	}
	n, ok := c.tokens[block]
	if !ok {
		n = c.counter.Count(block)
		c.tokens[strings.Clone(block)] = n
		c.size += len(block)
	}
	return n
}

// nextBlock returns the end of the first block of text: one or more whole lines after which
// every pattern begins a new piece, whatever follows, or all of text. A piece crosses a line
// end only into white space that holds a further line end, or into slashes that follow at
// once. Lines that begin with a letter of another alphabet stay with the line before, because
// some white space is not ASCII either.
func nextBlock(text string) int {
	for end := 0; ; {
		n := strings.IndexByte(text[end:], '\n')
		if n < 0 {
			return len(text)
		}
		end += n + 1
		if rest := text[end:]; rest == "" || rest[0] != '/' && beginsPiece(rest) {
			return end
		}
	}
}

// beginsPiece reports whether a character that is surely no white space is on the first line
// of s, after blanks.
func beginsPiece(s string) bool {
	i := 0
	for i < len(s) && (s[i] == ' ' || s[i] == '\t') {
		i++
	}
	return i < len(s) && s[i] < utf8.RuneSelf && !strings.ContainsRune("\n\r\v\f", rune(s[i]))
}

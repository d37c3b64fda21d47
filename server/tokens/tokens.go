// Package tokens counts tokens as the models that read ambit's answers do.
//
// Counts are exact: for every string, valid UTF-8 or not, Count returns what
// tiktoken-go's EncodeOrdinary has elements, in the vocabularies that
// tiktoken-go-loader carries, so nothing is downloaded. The text of a special
// token, "<|endoftext|>", is ordinary text.
//
// The counter is ambit's own because tiktoken-go takes longer to open than a
// whole question may (a map of 200,000 strings) and because its time grows with
// the square of a run without breaks. Here the text is cut by a scanner without
// regexps ([pattern]), the vocabulary is one flat hash table ([vocabulary]) and
// time is O(n log n) in the worst case.
//
// The package keeps nothing but the vocabularies, each loaded at most once per
// process, and never reads a disk.
package tokens

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// The encodings. Default is what [New] takes for an empty name.
const (
	O200k   = "o200k_base"
	CL100k  = "cl100k_base"
	Ratio   = "ratio" // not exact: characters divided by [DefaultRatio]; "chars/N" divides by N
	Default = O200k
)

// DefaultRatio is the number of characters per token that [Ratio] assumes. Four
// is the rule of thumb for English prose; code has between 3 and 4.
const DefaultRatio = 4.0

// ratioPrefix starts the encodings that divide: "chars/4", "chars/3.5".
const ratioPrefix = "chars/"

// Encodings returns the names that [New] knows, the default first.
func Encodings() []string { return []string{O200k, CL100k, Ratio} }

// Counter counts tokens in one encoding. It is safe for concurrent use.
type Counter struct {
	name  string
	load  func() *encoding // nil when ratio is set
	ratio float64          // characters per token, 0 for an exact encoding
}

// New returns a counter for an encoding: one of [Encodings], "chars/N", or "" for
// the default. It returns at once; the vocabulary is loaded by the first call that
// needs it. An unknown name is an error that lists the known ones.
func New(encoding string) (*Counter, error) {
	switch encoding {
	case "", O200k:
		return &Counter{name: O200k, load: o200k}, nil
	case CL100k:
		return &Counter{name: CL100k, load: cl100k}, nil
	case Ratio:
		return NewRatio(DefaultRatio), nil
	}
	if n, ok := strings.CutPrefix(encoding, ratioPrefix); ok {
		ratio, err := strconv.ParseFloat(n, 64)
		if err != nil {
			ratio = DefaultRatio
		}
		return NewRatio(ratio), nil
	}
	return nil, fmt.Errorf("unknown encoding %q: use one of %s", encoding, strings.Join(Encodings(), ", "))
}

// NewRatio returns a counter that takes charsPerToken characters (Unicode code
// points) for one token, rounded up. A ratio that is not a positive finite number
// means [DefaultRatio].
func NewRatio(charsPerToken float64) *Counter {
	if !(charsPerToken > 0) || math.IsInf(charsPerToken, 1) {
		charsPerToken = DefaultRatio
	}
	return &Counter{name: Ratio, ratio: charsPerToken}
}

// Encoding returns the name of the encoding, one of [Encodings].
func (c *Counter) Encoding() string { return c.name }

// Load loads the vocabulary and returns when it is ready. It need not be called:
// Count does the same at its first call. A process in a hurry runs it beside other
// work, so that the first Count does not wait.
func (c *Counter) Load() {
	if c.load != nil {
		c.load()
	}
}

// Count returns the number of tokens of text, 0 for the empty string. As in
// tiktoken-go, every byte that is not UTF-8 counts as U+FFFD.
func (c *Counter) Count(text string) int {
	if c.ratio > 0 {
		return c.divide(utf8.RuneCountInString(text))
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

// Cut returns the longest run of whole lines at the start of text that costs at
// most maxTokens, or text itself when all of it fits. The result satisfies
// Count(Cut(text, n)) <= max(n, 0). It costs about two counts of what it returns,
// however long text is. A run of blank lines is kept whole or left out.
func (c *Counter) Cut(text string, maxTokens int) string {
	end := c.fit(text, maxTokens)
	if end == len(text) {
		return text
	}
	// The tokens of a prefix are not always a prefix of the tokens: what followed
	// may have joined the last newline, so the prefix is counted by itself.
	for {
		end = strings.LastIndexByte(text[:end], '\n') + 1
		if end == 0 || c.Count(text[:end]) <= maxTokens {
			return text[:end]
		}
		end--
	}
}

// The exact encodings, each made at first use and kept as long as the process.
var (
	o200k  = sync.OnceValue(newO200k)
	cl100k = sync.OnceValue(newCL100k)
)

// encoding is how a text becomes tokens: cut into pieces, then merged. It is
// immutable.
type encoding struct {
	next    pattern
	classes *classTable
	tokens  *vocabulary
}

func newO200k() *encoding  { return newEncoding("o200k_base.tiktoken", 199_998, nextO200k) }
func newCL100k() *encoding { return newEncoding("cl100k_base.tiktoken", 100_256, nextCL100k) }

func newEncoding(file string, nTokens int, next pattern) *encoding {
	return &encoding{next, newClassTable(), newVocabulary(file, nTokens)}
}

// divide returns the tokens of so many characters by ratio, rounded up, at most
// math.MaxInt32.
func (c *Counter) divide(characters int) int {
	return int(min(math.Ceil(float64(characters)/c.ratio), math.MaxInt32))
}

// fit returns the end of the last piece of text up to which the pieces cost at
// most maxTokens together: len(text) when all do.
func (c *Counter) fit(text string, maxTokens int) int {
	if c.ratio > 0 {
		n := 0
		for i := range text {
			if n++; c.divide(n) > maxTokens {
				return i
			}
		}
		return len(text)
	}
	e, n, i := c.load(), 0, 0
	valid := validUTF8(text)
	for i < len(valid) {
		end := e.next(e.classes, valid, i)
		if n += e.tokens.count(valid[i:end]); n > maxTokens {
			break
		}
		i = end
	}
	if len(valid) == len(text) {
		return i
	}
	for at, r := range text { // back from valid to text
		if i <= 0 {
			return at
		}
		i -= utf8.RuneLen(r)
	}
	return len(text)
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

package embed

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"ambit/vectors/script"
)

const (
	// maxWordBytes cuts a longer run of letters into several words.
	maxWordBytes = 32
	// maxIdentBytes bounds an identifier; the rest of the same run of letters and
	// digits is noise, such as an encoded blob.
	maxIdentBytes = 80
)

// The bonus that a word gets for standing in a leading line, where a word of the
// text itself has 1 + repeatWeight*ln(count). The name of a unit counts most.
const (
	unitBonus    = 2.6 // # Unit: the name and kind
	sectionBonus = 2.0 // # Section:
	scopeBonus   = 0.6 // # Scope:, # Defines:, # Table:, # Associations:
	fileBonus    = 1.3 // # File: the path
	usedBonus    = 0.3 // # Dependencies:
)

// zones are the leading lines, by the label after "# ". A bonus of 0 leaves the
// line out: its words say nothing of the text.
var zones = map[string]float32{
	"Unit":             unitBonus,
	"Section":          sectionBonus,
	"File":             fileBonus,
	"Scope":            scopeBonus,
	"Defines":          scopeBonus,
	"Table":            scopeBonus,
	"Associations":     scopeBonus,
	"Dependencies":     usedBonus,
	"Dependents":       0,
	"Change frequency": 0,
}

// word is a word, or a whole identifier of several words, and how it occurs in the text.
type word struct {
	terms []term // shared with the lexicon; nil for a whole identifier
	text  string // lower-cased; "" for a whole identifier
	hash  uint64 // of the lower-cased bytes
	round uint32 // of the last text that holds it
	count int32  // occurrences outside the leading lines
	bonus float32
	whole bool
}

const (
	// maxWords bounds the words that a bag remembers from text to text, 64 bytes each.
	maxWords = 1 << 15
	// nRuns is how many identifiers a bag remembers with their words, 64 bytes each. Half of
	// the identifiers of a text stand in the texts before it, too.
	nRuns = 1 << 13
	// The longest identifier that is remembered, in bytes and in words.
	maxRunBytes = 38
	maxRunWords = 6
)

// run is an identifier and its words.
type run struct {
	text      [maxRunBytes]byte
	n, nWords uint8
	words     [maxRunWords]uint32 // indexes into words
}

// bag counts the words of one text. It remembers those of earlier texts, which only saves time.
type bag struct {
	lexicon *lexicon
	words   []word
	slots   []uint32 // index+1 into words by hash, 0 for none; a power of two, at least twice as many as words
	runs    []run    // by hash; the last one that came to its place
	order   []uint32 // the words of the text, by their first occurrence
	found   []uint32 // the words of one identifier
	round   uint32   // the number of the text
}

func newBag(l *lexicon) bag {
	return bag{lexicon: l, slots: make([]uint32, 1024), runs: make([]run, nRuns)}
}

// reset starts a text.
func (b *bag) reset() {
	b.order = b.order[:0]
	b.round++
	if len(b.words) > maxWords || b.round == 0 {
		clear(b.words)
		clear(b.slots)
		clear(b.runs)
		b.words, b.round = b.words[:0], 1
	}
}

// addDescription adds the leading lines of text and returns where they end.
func (b *bag) addDescription(text []byte) int {
	at := 0
	for bytes.HasPrefix(text[at:], []byte("# ")) {
		line, _, _ := bytes.Cut(text[at:], []byte("\n"))
		label, _, found := bytes.Cut(line[2:min(len(line), 24)], []byte(":"))
		bonus, known := zones[string(label)]
		if !found || !known {
			break
		}
		if bonus > 0 {
			b.addText(text, at+2+len(label), at+len(line), bonus)
		}
		at = min(at+len(line)+1, len(text))
	}
	return at
}

// The classes of bytes. A byte outside ASCII counts as a small letter; split looks at its
// character.
const (
	other = iota
	small
	capital
	digit
	joint // "_", between the words of an identifier
)

// classes is the class of every byte.
var classes = func() (c [256]uint8) {
	for i := range c {
		switch {
		case i >= 'a' && i <= 'z' || i >= 0x80:
			c[i] = small
		case i >= 'A' && i <= 'Z':
			c[i] = capital
		case i >= '0' && i <= '9':
			c[i] = digit
		case i == '_':
			c[i] = joint
		}
	}
	return c
}()

// hashSeed and hashPrime are those of FNV-1a.
const (
	hashSeed  = 0xcbf29ce484222325
	hashPrime = 0x100000001b3
)

// addText adds the words of text[at:end] and the identifiers that consist of
// several. A bonus of 0 counts them.
func (b *bag) addText(text []byte, at, end int, bonus float32) {
	text = text[:end]
	for at < len(text) {
		if classes[text[at]] == other {
			at++
			continue
		}
		start := at
		for at++; at < len(text) && at-start <= maxRunBytes && classes[text[at]] != other; {
			at++
		}
		if at-start > maxRunBytes {
			at = b.split(text, start)
			b.count(b.found, bonus)
			continue
		}
		r := &b.runs[hashRun(text[start:at])%nRuns]
		if !bytes.Equal(r.text[:r.n], text[start:at]) {
			b.split(text, start)
			if len(b.found) > maxRunWords {
				b.count(b.found, bonus)
				continue
			}
			r.n, r.nWords = uint8(copy(r.text[:], text[start:at])), uint8(copy(r.words[:], b.found))
		}
		b.count(r.words[:r.nWords], bonus)
	}
}

// count counts one more occurrence of each of some words, or gives them the largest bonus of any line.
func (b *bag) count(words []uint32, bonus float32) {
	for _, id := range words {
		w := &b.words[id]
		if w.round != b.round {
			w.round, w.count, w.bonus = b.round, 0, 0
			b.order = append(b.order, id)
		}
		if bonus == 0 {
			w.count++
		} else {
			w.bonus = max(w.bonus, bonus)
		}
	}
}

// split finds the words of the identifier at text[at:], and returns its end. A
// word is a run of small letters, with the capital before it; a run of capitals,
// without the last if a small letter follows; or a run of digits. Where the script has no
// blanks between words, two letters that follow one another are a word. Punctuation
// outside ASCII ends a word, but not the identifier: its words have no whole then.
func (b *bag) split(text []byte, at int) int {
	start := at
	b.found = b.found[:0]
	whole, isWhole := uint64(hashSeed), true
	for at < len(text) && at-start < maxIdentBytes {
		class := classes[text[at]]
		if class == other {
			break
		}
		if class == joint {
			at++
			continue
		}
		if text[at] >= utf8.RuneSelf && inWord(text[at:]) == 0 {
			n := script.Bigrams(text[at:], maxIdentBytes, func(pair []byte) { b.found = append(b.found, b.id(hashOf(pair), pair, false)) })
			if n == 0 {
				_, n = utf8.DecodeRune(text[at:]) // it separates
			}
			at, isWhole = at+n, false
			continue
		}
		first, hash, bits := at, uint64(hashSeed), byte(0)
		for at < len(text) && at-first < maxWordBytes {
			if utf8.RuneStart(text[at]) && text[at] >= utf8.RuneSelf {
				if n := inWord(text[at:]); n == 0 || at-first+n > maxWordBytes {
					break
				}
			}
			next := classes[text[at]]
			if next != class {
				if class != capital || next != small {
					break
				}
				if at-first > 1 { // HTTPServer: the S belongs to what follows
					break
				}
				class = small
			}
			if class == capital && at > first && at+1 < len(text) && classes[text[at+1]] == small {
				break
			}
			bits |= text[at]
			c := uint64(lower(text[at]))
			hash = (hash ^ c) * hashPrime
			whole = (whole ^ c) * hashPrime
			at++
		}
		word := text[first:at]
		if bits >= utf8.RuneSelf {
			word = bytes.ToLower(word) // which may be longer
			word = word[:min(len(word), maxWordBytes)]
			hash = hashOf(word)
		}
		b.found = append(b.found, b.id(hash, word, false))
	}
	if len(b.found) > 1 && isWhole {
		b.found = append(b.found, b.id(whole, nil, true))
	}
	if at-start >= maxIdentBytes {
		for at < len(text) && classes[text[at]] != other && text[at] < 0x80 {
			at++
		}
	}
	return at
}

// inWord returns the bytes of the letter, the mark or the digit that a text starts with, if
// its script has blanks between words; else 0.
func inWord(text []byte) int {
	r, size := utf8.DecodeRune(text)
	if script.Unspaced(r) || !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r) {
		return 0
	}
	return size
}

// id returns the index of a word.
func (b *bag) id(hash uint64, text []byte, whole bool) uint32 {
	mask := uint64(len(b.slots) - 1)
	i := slotOf(hash, whole) & mask
	for ; b.slots[i] > 0; i = (i + 1) & mask {
		id := b.slots[i] - 1
		if w := &b.words[id]; w.hash == hash && w.whole == whole && equalFold(w.text, text) {
			return id
		}
	}
	w := word{hash: hash, whole: whole}
	if !whole {
		e := b.lexicon.entry(hash, text)
		w.terms, w.text = e.terms, e.word
	}
	b.words = append(b.words, w)
	b.slots[i] = uint32(len(b.words))
	if 2*len(b.words) > len(b.slots) {
		b.grow()
	}
	return uint32(len(b.words) - 1)
}

func (b *bag) grow() {
	b.slots = make([]uint32, 2*len(b.slots))
	b.words = append(make([]word, 0, len(b.slots)/2+1), b.words...) // as many as come before the next time
	mask := uint64(len(b.slots) - 1)
	for j := range b.words {
		i := slotOf(b.words[j].hash, b.words[j].whole) & mask
		for b.slots[i] > 0 {
			i = (i + 1) & mask
		}
		b.slots[i] = uint32(j + 1)
	}
}

// slotOf tells a word from a whole identifier of the same bytes.
func slotOf(hash uint64, whole bool) uint64 {
	if whole {
		hash = ^hash
	}
	return hash ^ hash>>29
}

// hashRun returns a hash of an identifier, which is not empty, eight bytes at a time.
func hashRun(s []byte) uint64 {
	h := uint64(len(s))
	for ; len(s) >= 8; s = s[8:] {
		h = (h ^ load32(s) ^ load32(s[4:])<<32) * hashPrime
		h ^= h >> 32
	}
	switch n := len(s); {
	case n >= 4:
		h ^= load32(s) | load32(s[n-4:])<<32
	case n > 0:
		h ^= uint64(s[0]) | uint64(s[n/2])<<8 | uint64(s[n-1])<<16
	}
	h *= hashSeed
	return h ^ h>>32
}

func load32(s []byte) uint64 {
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24
}

// lower returns the small letter of an ASCII capital and every other byte itself.
func lower(c byte) byte {
	if c-'A' < 26 {
		c |= 0x20
	}
	return c
}

package embed

import "strings"

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

// word is one distinct word of a text, or one whole identifier of several words.
type word struct {
	hash       uint64 // of the lower-cased bytes
	start, end int32  // its first occurrence
	count      int32  // occurrences outside the leading lines
	bonus      float32
	whole      bool
}

// bag counts the words of one text. It allocates only while it grows.
type bag struct {
	words []word
	slots []slot // a power of two, at least twice as many as words; linear probing
	round uint32 // slots of other rounds are free
}

type slot struct {
	round uint32
	word  int32 // index into words
}

func newBag() bag { return bag{slots: make([]slot, 1024)} }

func (b *bag) reset() {
	b.words = b.words[:0]
	b.round++
	if b.round == 0 {
		clear(b.slots)
		b.round = 1
	}
}

// addDescription adds the leading lines of text and returns where they end.
func (b *bag) addDescription(text string) int {
	at := 0
	for strings.HasPrefix(text[at:], "# ") {
		line, _, _ := strings.Cut(text[at:], "\n")
		label, _, found := strings.Cut(line[2:min(len(line), 24)], ":")
		bonus, known := zones[label]
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

// The classes of bytes. A byte outside ASCII counts as a small letter: the bytes of
// other scripts stay together and match themselves.
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
func (b *bag) addText(text string, at, end int, bonus float32) {
	text = text[:end]
	for at < len(text) {
		if classes[text[at]] == other {
			at++
			continue
		}
		at = b.addIdent(text, at, bonus)
	}
}

// addIdent adds the identifier at text[at:] and its words, and returns its end. A
// word is a run of small letters, with the capital before it; a run of capitals,
// without the last if a small letter follows; or a run of digits.
func (b *bag) addIdent(text string, at int, bonus float32) int {
	start, nWords := at, 0
	whole := uint64(hashSeed)
	for at < len(text) && at-start < maxIdentBytes {
		class := classes[text[at]]
		if class == other {
			break
		}
		if class == joint {
			at++
			continue
		}
		first, hash := at, uint64(hashSeed)
		for at < len(text) && at-first < maxWordBytes {
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
			c := uint64(lower(text[at]))
			hash = (hash ^ c) * hashPrime
			whole = (whole ^ c) * hashPrime
			at++
		}
		nWords++
		b.add(word{hash: hash, start: int32(first), end: int32(at)}, bonus)
	}
	if nWords > 1 {
		b.add(word{hash: whole, start: int32(start), end: int32(at), whole: true}, bonus)
	}
	if at-start >= maxIdentBytes {
		for at < len(text) && classes[text[at]] != other && text[at] < 0x80 {
			at++
		}
	}
	return at
}

// add counts w, or gives it the bonus once.
func (b *bag) add(w word, bonus float32) {
	key := w.hash
	if w.whole {
		key = ^key
	}
	mask := uint64(len(b.slots) - 1)
	i := (key ^ key>>29) & mask
	for ; b.slots[i].round == b.round; i = (i + 1) & mask {
		old := &b.words[b.slots[i].word]
		if old.hash == w.hash && old.whole == w.whole {
			old.raise(bonus)
			return
		}
	}
	b.slots[i] = slot{b.round, int32(len(b.words))}
	w.raise(bonus)
	b.words = append(b.words, w)
	if 2*len(b.words) > len(b.slots) {
		b.grow()
	}
}

// raise counts one more occurrence, or gives the largest bonus of any line.
func (w *word) raise(bonus float32) {
	if bonus == 0 {
		w.count++
		return
	}
	w.bonus = max(w.bonus, bonus)
}

func (b *bag) grow() {
	b.slots = make([]slot, 2*len(b.slots))
	mask := uint64(len(b.slots) - 1)
	for j := range b.words {
		key := b.words[j].hash
		if b.words[j].whole {
			key = ^key
		}
		i := (key ^ key>>29) & mask
		for b.slots[i].round == b.round {
			i = (i + 1) & mask
		}
		b.slots[i] = slot{b.round, int32(j)}
	}
}

// lower returns the small letter of an ASCII capital and every other byte itself.
func lower(c byte) byte {
	if c-'A' < 26 {
		c |= 0x20
	}
	return c
}

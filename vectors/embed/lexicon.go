package embed

import (
	_ "embed"
	"iter"
	"math"
	"math/bits"
	"strings"
	"sync/atomic"
)

// The parts of a word. Squared, the weights are the shares of its length: two
// words that have the stem alone in common have a cosine of about .35, a word and
// the same with a letter missing about .25.
const (
	exactShare = 0.22 // the word itself
	stemShare  = 0.33
	kinShare   = 0.20 // of words with kin; the others have it spread over the rest
	gramsShare = 0.25 // all of its n-grams, with "<" and ">" around the word
)

const (
	minGram, maxGram = 3, 5
	// The features of a word go to several dimensions, so that a collision of one
	// does not make two words alike.
	exactDims, stemDims, kinDims = 4, 4, 4
	// wholeDims and wholeWeight are those of an identifier of several words.
	wholeDims, wholeWeight = 6, 0.3
)

// The salts keep features of different kinds apart.
const (
	saltExact uint64 = 0x9e3779b97f4a7c15 >> iota
	saltStem
	saltKin
	saltGram
	saltWhole
)

// frequencies is the static prior: lines of a level from 1 (everywhere) to 15 and
// the words of that level. A word that is not listed has level 16.
//
// The words are those of identifiers and comments, lower-cased, in pieces of 4,000
// characters from up to 500 files of each of 19 source trees: the Go standard
// library and open-source projects in C, C++, Go, Haskell, Java, JavaScript, PHP,
// Python, Ruby, shell, TypeScript and Markdown. p is the share of pieces that hold
// the word, averaged over the trees without the two that hold it most, so that a
// project's own vocabulary does not count as common. Words of p >= .003 in at least
// four trees are listed, at the level 16*ln(p)/ln(.003), rounded; English function
// words have level 1 by decree, because questions are full of them.
//
//go:embed frequency.txt
var frequencies string

// kin is the table of words that mean much the same in code, a group per line. A
// word belongs to the first group that lists it.
//
//go:embed kin.txt
var kin string

const (
	// maxLevel is the level of a word that is not in the table.
	maxLevel = 16
	// priorPower flattens the levels, and commonPrior is what words of level 1 keep.
	// Found with functions of Go, Python, Java, PHP and JavaScript whose first sentence
	// of documentation, without the name, was the question: 500 questions among 2,500
	// functions of the Go standard library have an MRR of .36 at power 2, .40 at 1 and
	// .45 here; the other languages moved alike.
	priorPower  = 0.4
	commonPrior = 0.15
)

// cacheSlots bounds the words whose terms are remembered, about 250 bytes each: the
// Go standard library has 60,000 distinct words.
const cacheSlots = 1 << 16

// lexicon holds the terms of words. It is safe for concurrent use.
type lexicon struct {
	levels map[string]uint8
	groups map[string]string // word -> the first of its group
	priors [maxLevel + 1]float32
	// cache is filled as words are met; a slot holds the last word that came to it.
	// Entries are a function of their word, so a lost race costs time only.
	cache []atomic.Pointer[entry]
}

// entry is one remembered word.
type entry struct {
	word  string // lower-cased
	terms []term
}

// term is what a word adds to one dimension.
type term struct {
	dim    uint8 // of the vector's dim
	weight float32
}

func newLexicon() *lexicon {
	l := &lexicon{
		levels: make(map[string]uint8),
		groups: make(map[string]string),
		cache:  make([]atomic.Pointer[entry], cacheSlots),
	}
	for level := range l.priors {
		l.priors[level] = float32(math.Pow(float64(level)/maxLevel, priorPower))
	}
	l.priors[1] = commonPrior
	for line := range strings.Lines(frequencies) {
		level := uint8(0)
		for i, w := range strings.Fields(line) {
			if i == 0 {
				for _, c := range w {
					level = 10*level + uint8(c-'0')
				}
				continue
			}
			l.levels[w] = level
		}
	}
	for line := range strings.Lines(kin) {
		words := strings.Fields(line)
		for _, w := range words {
			for _, form := range []string{w, stem(w)} {
				if _, listed := l.groups[form]; !listed {
					l.groups[form] = words[0]
				}
			}
		}
	}
	return l
}

// entry returns a word with its terms; hash is that of its
// lower-cased bytes. The result is shared and must not be changed.
func (l *lexicon) entry(hash uint64, word []byte) *entry {
	slot := &l.cache[mix(hash)%cacheSlots]
	if e := slot.Load(); e != nil && equalFold(e.word, word) {
		return e
	}
	lowered := make([]byte, len(word))
	for i := range word {
		lowered[i] = lower(word[i])
	}
	e := &entry{word: string(lowered)}
	e.terms = l.compute(e.word)
	slot.Store(e)
	return e
}

// equalFold reports whether the lower-cased form of word is lowered.
func equalFold(lowered string, word []byte) bool {
	if len(lowered) != len(word) {
		return false
	}
	for i := range len(lowered) {
		if lowered[i] != lower(word[i]) {
			return false
		}
	}
	return true
}

// compute returns the terms of a lower-cased word. Together they have the length
// of the word's prior, up to collisions.
func (l *lexicon) compute(word string) []term {
	var f features
	st := stem(word)
	group, hasKin := l.groups[word]
	if !hasKin {
		group, hasKin = l.groups[st]
	}
	scale := float32(1)
	if !hasKin {
		scale = 1 / (1 - kinShare)
	}
	share := func(s float32) float32 { return float32(math.Sqrt(float64(s * scale))) }
	f.add(mix(hashOf(word)^saltExact), exactDims, share(exactShare))
	f.add(mix(hashOf(st)^saltStem), stemDims, share(stemShare))
	if hasKin {
		f.add(mix(hashOf(group)^saltKin), kinDims, share(kinShare))
	}
	f.addGrams(word, share(gramsShare))
	return f.terms(l.prior(word, st))
}

// features is the sum of the features of a word, which are in some of the dimensions.
type features struct {
	sum  [dim]float32
	some [dim / 64]uint64 // a bit for each dimension that may not be 0
}

// add is [addHashed].
func (f *features) add(hash uint64, n int, weight float32) {
	addHashed(&f.sum, hash, n, weight)
	for range n {
		f.some[hash%dim/64] |= 1 << (hash % 64)
		hash >>= 9
	}
}

// addGrams adds the n-grams of "<" and a word and ">", which have the length weight together.
func (f *features) addGrams(word string, weight float32) {
	marked := append(append(append(make([]byte, 0, maxWordBytes+2), '<'), word...), '>')
	n := 0
	for size := minGram; size <= maxGram; size++ {
		n += max(0, len(marked)-size+1)
	}
	if n == 0 {
		return
	}
	each := weight / float32(math.Sqrt(float64(n)))
	var hashes [maxWordBytes + 2]uint64 // of the n-grams of one size by their start
	for i := range hashes {
		hashes[i] = hashSeed
	}
	for size := 1; size <= maxGram; size++ {
		for i := 0; i+size <= len(marked); i++ {
			hashes[i] = (hashes[i] ^ uint64(marked[i+size-1])) * hashPrime
			if size >= minGram {
				f.add(mix(hashes[i]^saltGram), 1, each)
			}
		}
	}
}

// terms returns the sum with the length p.
func (f *features) terms(p float32) []term {
	n, square := 0, float64(0)
	for x := range f.values() {
		square += float64(x.weight) * float64(x.weight)
		n++
	}
	if n == 0 {
		return nil
	}
	inv := float32(1 / math.Sqrt(square))
	terms := make([]term, 0, n)
	for x := range f.values() {
		if x.weight *= inv; x.weight != 0 {
			terms = append(terms, term{x.dim, x.weight * p})
		}
	}
	return terms
}

// values yields the components that are not 0, by dimension.
func (f *features) values() iter.Seq[term] {
	return func(yield func(term) bool) {
		for i, some := range f.some {
			for ; some != 0; some &= some - 1 {
				d := 64*i + bits.TrailingZeros64(some)
				if x := f.sum[d]; x != 0 && !yield(term{uint8(d), x}) {
					return
				}
			}
		}
	}
}

// prior returns how much a word tells about a text, in (0, 1]: the logarithm of its
// rareness. Short words and numbers that are not listed tell less than they are
// rare, and an inflected form no more than a listed stem.
func (l *lexicon) prior(word, stem string) float32 {
	level, listed := l.levels[word]
	if !listed {
		level = maxLevel
		switch {
		case len(word) == 1:
			level = 2
		case word[0] >= '0' && word[0] <= '9':
			level = 6
		case len(word) == 2:
			level = 9
		}
		if s, ok := l.levels[stem]; ok && s+3 < level {
			level = s + 3
		}
	}
	return l.priors[level]
}

// addHashed adds a feature of length weight to n <= 6 dimensions, each with a sign,
// all read from the feature's hash.
//
// Source: Weinberger et al., "Feature Hashing for Large Scale Multitask Learning"
// (2009).
func addHashed(sum *[dim]float32, hash uint64, n int, weight float32) {
	each := weight / float32(math.Sqrt(float64(n)))
	for range n {
		x := each
		if hash&dim != 0 {
			x = -x
		}
		sum[hash%dim] += x
		hash >>= 9
	}
}

// hashOf returns the FNV-1a hash of s.
func hashOf[T string | []byte](s T) uint64 {
	h := uint64(hashSeed)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * hashPrime
	}
	return h
}

// mix spreads the bits of h: the finalizer of splitmix64.
func mix(h uint64) uint64 {
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}

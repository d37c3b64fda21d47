package redact

import (
	"math"
	"sync"
)

// A finder looks for a secret at a keyword, which is in[start:end) of the text in any
// case.
type finder func(m *masker, start, end int)

// keyword is a text of at least three bytes, in lower case, at which a finder looks.
type keyword struct {
	text string
	find finder
}

// keywordTable finds keywords by a hash of their first three bytes.
type keywordTable struct {
	at    [hashes]uint8 // index into lists; 0 for a hash that no keyword has
	lists [][]keyword
}

const hashes = 1 << 13

// lower is a byte in lower case, for letters; it maps some other bytes together.
func lower(c byte) uint32 { return uint32(c | 0x20) }

// hash returns the hash of three bytes in lower case.
func hash(a, b, c uint32) uint32 { return ((a*31+b)*31 + c) % hashes }

// keywords is the table of all keywords. It is built at the first use.
var keywords = sync.OnceValue(func() *keywordTable {
	t := &keywordTable{lists: make([][]keyword, 1)}
	add := func(text string, find finder) {
		h := hash(lower(text[0]), lower(text[1]), lower(text[2]))
		if t.at[h] == 0 {
			if len(t.lists) > math.MaxUint8 {
				panic("redact: too many keywords for their table")
			}
			t.at[h] = uint8(len(t.lists))
			t.lists = append(t.lists, nil)
		}
		t.lists[t.at[h]] = append(t.lists[t.at[h]], keyword{text, find})
	}
	for _, word := range nameWords {
		add(word, (*masker).assignment)
	}
	for text, find := range contexts {
		add(text, find)
	}
	for i := range providerRules {
		r := &lazyRule{providerRule: &providerRules[i]}
		for _, text := range r.keywords {
			add(text, r.find)
		}
	}
	return t
})

// byKeyword calls the finders of all keywords in the text.
func (m *masker) byKeyword() {
	t := keywords()
	in := m.in
	if len(in) < 3 {
		return
	}
	first, second := lower(in[0]), lower(in[1])
	for i, c := range in[2:] {
		third := lower(c)
		h := hash(first, second, third)
		first, second = second, third
		if t.at[h] == 0 {
			continue
		}
		for _, k := range t.lists[t.at[h]] {
			if foldPrefix(in[i:], k.text) {
				k.find(m, i, i+len(k.text))
			}
		}
	}
}

// foldPrefix reports whether in starts with s, which is in lower case, in any case.
func foldPrefix(in []byte, s string) bool {
	if len(in) < len(s) {
		return false
	}
	for i := range len(s) {
		c := in[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != s[i] {
			return false
		}
	}
	return true
}

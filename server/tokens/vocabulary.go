package tokens

import (
	"bufio"
	"bytes"
	"math/bits"

	"github.com/pkoukk/tiktoken-go-loader/assets"
)

const (
	rankBits = 18 // of a slot; o200k_base has 199,998 tokens
	rankMask = 1<<rankBits - 1

	// none is the rank of bytes that are not a token: above every rank.
	none = 1<<32 - 1
)

// vocabulary is a set of tokens, each with its rank: the order in which byte pair
// encoding merges, and the token's number. It is immutable.
//
// The table is open addressing with linear probing, a quarter to a half full. A
// slot is 0 when free, else rank+1 below and 14 bits of the hash above, so that nearly all
// comparisons succeed.
type vocabulary struct {
	slots  []uint32        // a power of two
	starts []uint32        // n+1; the token of rank r is bytes[starts[r]:starts[r+1]]
	bytes  []byte          // the tokens, by rank
	maxLen int             // of a token, in bytes
	pairs  [1 << 16]uint32 // the rank of the token of the bytes i>>8 and i&255, or none
}

// newVocabulary reads the n tokens of one of the vocabularies of
// tiktoken-go-loader: lines of a token in base64, a space and its rank, which
// counts from 0 without a gap and is not read. It panics for any other file: the file is
// part of this program, and a test reads it.
func newVocabulary(file string, n int) *vocabulary {
	f, err := assets.Assets.Open(file)
	if err != nil {
		panic("tokens: " + err.Error())
	}
	defer f.Close()
	v := &vocabulary{
		slots:  make([]uint32, 1<<bits.Len(uint(2*n))),
		starts: make([]uint32, 1, n+1),
		bytes:  make([]byte, 0, 8*n), // a token of these has 7 bytes on average
	}
	for i := range v.pairs {
		v.pairs[i] = none
	}
	// Line by line: 64 KB stay in the cache, 3.6 MB would be new memory.
	lines := bufio.NewReaderSize(f, 64<<10)
	base64 := newSextets()
	for r := range uint32(n) {
		line, err := lines.ReadSlice('\n')
		if err != nil {
			panic("tokens: " + file + ": " + err.Error())
		}
		v.bytes = base64.appendDecoded(v.bytes, line[:max(bytes.IndexByte(line, ' '), 0)])
		v.starts = append(v.starts, uint32(len(v.bytes)))
		v.insert(r)
	}
	return v
}

// sextets is the value of each character of base64, 0 for others.
type sextets [256]uint32

func newSextets() *sextets {
	t := new(sextets)
	for i, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/") {
		t[c] = uint32(i)
	}
	return t
}

// appendDecoded appends the bytes that src encodes in base64. On tokens, which are short,
// it takes a third of the time of encoding/base64 and saves a fifth of loading.
func (t *sextets) appendDecoded(dst, src []byte) []byte {
	padding := bytes.Count(src, []byte{'='})
	for ; len(src) >= 4; src = src[4:] {
		n := t[src[0]]<<18 | t[src[1]]<<12 | t[src[2]]<<6 | t[src[3]]
		dst = append(dst, byte(n>>16), byte(n>>8), byte(n))
	}
	return dst[:len(dst)-padding]
}

// insert adds the token of rank r to the table.
func (v *vocabulary) insert(r uint32) {
	token := v.bytes[v.starts[r]:v.starts[r+1]]
	v.maxLen = max(v.maxLen, len(token))
	if len(token) == 2 {
		v.pairs[int(token[0])<<8|int(token[1])] = r
	}
	h := hash(token)
	mask := uint32(len(v.slots) - 1)
	i := uint32(h) & mask
	for v.slots[i] != 0 {
		i = (i + 1) & mask
	}
	v.slots[i] = uint32(h>>32)<<rankBits | (r + 1)
}

// rank returns the rank of token, or none.
func (v *vocabulary) rank(token string) uint32 {
	if len(token) > v.maxLen {
		return none
	}
	h := hash(token)
	mask := uint32(len(v.slots) - 1)
	check := uint32(h>>32) << rankBits
	for i := uint32(h) & mask; ; i = (i + 1) & mask {
		slot := v.slots[i]
		if slot == 0 {
			return none
		}
		if slot&^rankMask != check {
			continue
		}
		r := slot&rankMask - 1
		if string(v.bytes[v.starts[r]:v.starts[r+1]]) == token {
			return r
		}
	}
}

// hash mixes all bytes of a token: 8 at a time, folded by a 64 by 64 bit product.
//
// Source: the mixing step of wyhash (Wang Yi, 2019), with two of its constants.
func hash[T string | []byte](s T) uint64 {
	const m0, m1 = 0xa0761d6478bd642f, 0xe7037ed1a0b428db
	h := m1 ^ uint64(len(s))<<32
	for len(s) > 8 {
		hi, lo := bits.Mul64(load64(s)^m0, h)
		h = hi ^ lo
		s = s[8:]
	}
	var tail uint64
	switch {
	case len(s) == 8:
		tail = load64(s)
	case len(s) >= 4: // the two halves may overlap
		tail = uint64(load32(s))<<32 | uint64(load32(s[len(s)-4:]))
	case len(s) > 0:
		tail = uint64(s[0])<<16 | uint64(s[len(s)/2])<<8 | uint64(s[len(s)-1])
	}
	hi, lo := bits.Mul64(tail^m0, h)
	return hi ^ lo
}

func load64[T string | []byte](s T) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

func load32[T string | []byte](s T) uint32 {
	_ = s[3]
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

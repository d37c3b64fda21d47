package store

import (
	"encoding/binary"
	"hash/maphash"
	"math"
	"slices"
	"sync"

	"github.com/klauspost/compress/s2"

	"ambit/vectors/record"
)

// maxPackedBytes bounds the unpacked size of a value, so that a wrong length costs no
// more memory. The largest real ones, the chunks of a 1 MB file, take
// about 100 KB.
const maxPackedBytes = 64 << 20

// maxScratchBytes bounds what an idle encoder or decoder keeps.
const maxScratchBytes = 1 << 20

// maxPackerBytes is the same for an encoder, of which an index has one: it covers the graph of a header
// with 10,000 declarations.
const maxPackerBytes = 2 << 20

// common are the strings that nearly every file uses; they have fixed numbers and
// are not stored. The order is part of the format: append only, and never past 127
// so that each takes one byte.
var common = [...]string{
	"",
	string(record.KindFunction), string(record.KindMethod), string(record.KindClass), string(record.KindStruct),
	string(record.KindInterface), string(record.KindEnum), string(record.KindType), string(record.KindModule),
	string(record.KindField), string(record.KindVariable), string(record.KindConstant), string(record.KindMacro),
	string(record.KindImpl), string(record.KindTest), string(record.KindSection), string(record.KindDocument),
	string(record.KindFile), string(record.KindText),
	string(record.EdgeCalls), string(record.EdgeCreates), string(record.EdgeType), string(record.EdgeExtends),
	string(record.EdgeReads), string(record.EdgeImports), string(record.EdgeMentions),
	"?", "*", "summary",
	string(record.Hot), string(record.Active), string(record.Stable), string(record.Dormant), string(record.Unknown),
	string(record.EdgeAssociates),
}

// commonIDs finds the number of a common string.
var commonIDs = func() map[string]uint64 {
	m := make(map[string]uint64, len(common))
	for i, s := range common {
		m[s] = uint64(i)
	}
	return m
}()

// packer builds a packed value: numbers as varints, and each distinct string once.
//
// A packed value is one byte, 0 for plain or 1 for s2, and then
//
//	n | n lengths | the strings one after another | the numbers
//
// A string among the numbers is its index, counted on from the common ones.
type packer struct {
	slots  []slot // by hash; a power of two, at least twice as many as strings
	spare  []slot // the memory of the next or the last slots
	seed   maphash.Seed
	lens   []int
	starts []int // of the strings in text
	text   []byte
	body   []byte
	raw    []byte // scratch of finish, as is packed
	packed []byte
}

// slot is a string of a packer; the zero slot is free.
type slot struct {
	hash uint32 // a part of it
	next uint32 // index+1
}

// minSlots is the number of slots that each value begins with. A map would be cleared to the
// size that the largest value has given it.
const minSlots = 256

func newPacker() *packer { return &packer{slots: make([]slot, minSlots), seed: maphash.MakeSeed()} }

// reset makes p ready for the next value.
func (p *packer) reset() {
	if cap(p.raw) > maxPackerBytes {
		*p = *newPacker()
	}
	clear(p.slots[:minSlots])
	p.slots = p.slots[:minSlots]
	p.lens, p.starts, p.text, p.body = p.lens[:0], p.starts[:0], p.text[:0], p.body[:0]
}

func (p *packer) uint(v uint64) { p.body = binary.AppendUvarint(p.body, v) }
func (p *packer) int(v int)     { p.body = binary.AppendVarint(p.body, int64(v)) }

// maxCommon is the length of the longest common string.
const maxCommon = len(record.EdgeAssociates)

// commonStarts has a bit by length for each first byte of a common string: most strings are not
// common, and need no search among them.
var commonStarts = func() (starts [256]uint16) {
	for _, s := range common[1:] {
		starts[s[0]] |= 1 << len(s)
	}
	return starts
}()

// isCommon returns the number of a common string.
func isCommon(s string) (id uint64, ok bool) {
	if s != "" && (len(s) > maxCommon || commonStarts[s[0]]>>len(s)&1 == 0) {
		return 0, false
	}
	id, ok = commonIDs[s]
	return id, ok
}

func (p *packer) str(s string) {
	id, ok := isCommon(s)
	if !ok {
		id = uint64(len(common) + p.own(s))
	}
	p.uint(id)
}

// own returns the index of a string that is not common.
func (p *packer) own(s string) int {
	if 2*len(p.lens) >= len(p.slots) {
		p.grow()
	}
	h, mask := uint32(maphash.String(p.seed, s)), uint32(len(p.slots)-1)
	at := h & mask
	for ; p.slots[at].next > 0; at = (at + 1) & mask {
		i := int(p.slots[at].next - 1)
		if p.slots[at].hash == h && string(p.text[p.starts[i]:p.starts[i]+p.lens[i]]) == s {
			return i
		}
	}
	p.lens, p.starts, p.text = append(p.lens, len(s)), append(p.starts, len(p.text)), append(p.text, s...)
	p.slots[at] = slot{h, uint32(len(p.lens))}
	return len(p.lens) - 1
}

// grow doubles the slots.
func (p *packer) grow() {
	n := 2 * len(p.slots)
	next := slices.Grow(p.spare[:0], n)[:n]
	clear(next)
	for _, s := range p.slots {
		if s.next == 0 {
			continue
		}
		at := s.hash & uint32(n-1)
		for next[at].next > 0 {
			at = (at + 1) & uint32(n-1)
		}
		next[at] = s
	}
	p.slots, p.spare = next, p.slots
}

func (p *packer) strs(list []string) {
	p.uint(uint64(len(list)))
	for _, s := range list {
		p.str(s)
	}
}

// span writes s relative to base, which is near its start.
func (p *packer) span(s record.Span, base int) {
	p.int(s.Start - base)
	p.int(s.End - s.Start)
}

func (p *packer) float(f float64) {
	p.body = binary.LittleEndian.AppendUint64(p.body, math.Float64bits(f))
}

// finish appends the packed value to dst. The result has room for a checksum and no more: a
// transaction keeps it.
func (p *packer) finish(dst []byte) []byte {
	raw := p.join()
	if limit := s2.MaxEncodedLen(len(raw)); limit > 0 && len(raw) <= maxPackedBytes {
		p.packed = slices.Grow(p.packed[:0], limit)
		if packed := compress(p.packed[:limit], raw); len(packed) < len(raw) {
			return appendValue(dst, 1, packed)
		}
	}
	return appendValue(dst, 0, raw)
}

// appendValue appends the form of a value and its bytes to dst.
func appendValue(dst []byte, form byte, value []byte) []byte {
	all := make([]byte, 0, len(dst)+1+len(value)+sealBytes)
	return append(append(append(all, dst...), form), value...)
}

// compress returns raw compressed by s2, in dst if it fits. The better encoder of s2 is used where
// it is cheap: it keeps its tables for 4 to 16 KB and those for more in one pool, and makes a
// table of 590 KB whenever it finds one of the other size there.
func compress(dst, raw []byte) []byte {
	const from, to = 4 << 10, 16 << 10
	if from <= len(raw) && len(raw) < to {
		return s2.Encode(dst, raw)
	}
	return s2.EncodeBetter(dst, raw)
}

// finishPlain is finish for a value that the caller compresses.
func (p *packer) finishPlain(dst []byte) []byte { return append(append(dst, 0), p.join()...) }

// join puts the parts of a packed value together; it is valid until the next one.
func (p *packer) join() []byte {
	raw := binary.AppendUvarint(p.raw[:0], uint64(len(p.lens)))
	for _, n := range p.lens {
		raw = binary.AppendUvarint(raw, uint64(n))
	}
	raw = append(raw, p.text...)
	raw = append(raw, p.body...)
	p.raw = raw
	return raw
}

// unpacker reads a packed value. After the first impossible value, bad is set
// and every further read yields zero; nothing it returns aliases the value.
type unpacker struct {
	b       []byte   // the value
	pos     int      // bytes of it that are read
	text    string   // all strings
	ends    []uint32 // ends[i] is the end of string i in text
	scratch []byte
	bad     bool
}

var unpackers = sync.Pool{New: func() any { return new(unpacker) }}

// unpack opens value; release must be called on what it returns.
func unpack(value []byte) *unpacker {
	u := unpackers.Get().(*unpacker)
	u.b, u.pos, u.text, u.ends, u.bad = nil, 0, "", u.ends[:0], false
	if len(value) == 0 || value[0] > 1 {
		u.bad = true
		return u
	}
	raw := value[1:]
	if value[0] == 1 {
		n, err := s2.DecodedLen(raw)
		if err != nil || n > maxPackedBytes {
			u.bad = true
			return u
		}
		if cap(u.scratch) < n {
			u.scratch = make([]byte, n)
		}
		if raw, err = s2.Decode(u.scratch[:n], raw); err != nil {
			u.bad = true
			return u
		}
	}
	u.b = raw
	n := u.count(1)
	end := uint64(0)
	for range n {
		end += u.uint()
		u.ends = append(u.ends, uint32(min(end, math.MaxUint32)))
	}
	if u.bad || end > uint64(u.left()) {
		u.ends = u.ends[:0]
		u.fail()
		return u
	}
	u.text = string(u.bytes(int(end)))
	return u
}

// release gives u back; it must not be used any more.
func (u *unpacker) release() {
	if cap(u.scratch) > maxScratchBytes {
		u.scratch = nil
	}
	if cap(u.ends) > maxScratchBytes/4 {
		u.ends = nil
	}
	u.b, u.text = nil, ""
	unpackers.Put(u)
}

func (u *unpacker) fail() { u.bad, u.b, u.pos = true, nil, 0 }

// left returns how many bytes are not read yet.
func (u *unpacker) left() int { return len(u.b) - u.pos }

// done reports whether everything was read and nothing was wrong.
func (u *unpacker) done() bool { return !u.bad && u.left() == 0 }

// uint reads a varint; most take one byte.
func (u *unpacker) uint() uint64 {
	if u.pos < len(u.b) && u.b[u.pos] < 0x80 {
		u.pos++
		return uint64(u.b[u.pos-1])
	}
	return u.longUint()
}

func (u *unpacker) longUint() uint64 {
	v, n := binary.Uvarint(u.b[u.pos:])
	if n <= 0 {
		u.fail()
		return 0
	}
	u.pos += n
	return v
}

func (u *unpacker) int() int {
	v := u.uint()
	return int(int64(v>>1) ^ -int64(v&1))
}

// bytes reads the next n bytes, which alias the value.
func (u *unpacker) bytes(n int) []byte {
	if n > u.left() {
		u.fail()
		return nil
	}
	u.pos += n
	return u.b[u.pos-n : u.pos : u.pos]
}

// count reads the length of a list whose items take at least itemBytes each, so
// that the value bounds the memory that is allocated for it.
func (u *unpacker) count(itemBytes int) int {
	n := u.uint()
	if n > uint64(u.left()/itemBytes) {
		u.fail()
		return 0
	}
	return int(n)
}

func (u *unpacker) str() string { return u.string(u.uint()) }

// find returns the number of a string; ok is false when the value does not have it.
func (u *unpacker) find(s string) (id uint64, ok bool) {
	if id, ok = commonIDs[s]; ok {
		return id, true
	}
	start := uint32(0)
	for i, end := range u.ends {
		if u.text[start:end] == s {
			return uint64(len(common) + i), true
		}
		start = end
	}
	return 0, false
}

// string returns the string of a number.
func (u *unpacker) string(id uint64) string {
	if id < uint64(len(common)) {
		return common[id]
	}
	if id -= uint64(len(common)); id >= uint64(len(u.ends)) {
		u.fail()
		return ""
	}
	start := uint32(0)
	if id > 0 {
		start = u.ends[id-1]
	}
	return u.text[start:u.ends[id]]
}

// strs reads a list of strings; an empty one is nil.
func (u *unpacker) strs() []string {
	n := u.count(1)
	if n == 0 {
		return nil
	}
	list := make([]string, n)
	for i := range list {
		list[i] = u.str()
	}
	return list
}

// skipStrs passes over what strs would read.
func (u *unpacker) skipStrs() {
	for range u.count(1) {
		u.uint()
	}
}

func (u *unpacker) span(base int) record.Span {
	start := base + u.int()
	return record.Span{Start: start, End: start + u.int()}
}

func (u *unpacker) float() float64 {
	b := u.bytes(8)
	if b == nil {
		return 0
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(b))
}

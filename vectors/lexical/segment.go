package lexical

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"slices"
	"sort"

	"ambit/vectors/record"
)

// A segment is one flat blob, little endian, used in place in memory and on disk:
//
//	header    headerBytes, see below
//	keys      rows × uint32, ascending: the key of each row
//	lengths   rows × uint16: the weighted tokens of each row, at most 65,535
//	postings  one list a term, in the order of the terms
//	dict      the terms, sorted, in blocks of blockTerms
//	blocks    a pair of uint32 a block: where it starts in dict, and in postings
//
// A term in dict is: the bytes it shares with the term before it in the block
// (uint8), how many follow (uint8), the bytes of its list (uvarint), the bytes that
// follow. A list is: its rows (uvarint n), n codes, see levels, n uvarints: the first
// row, then the distance of each row to the one before.
//
// The header is: magic, CRC-32C of all that follows it, recipe (uint64), rows, terms,
// bytes of postings, bytes of dict (uint32 each).
const (
	magic       = "amblex02" // the version of the form; 01: first, 02: without fields and the last key
	headerBytes = 8 + 4 + 8 + 4*4
	blockTerms  = 16 // 2 bytes a term saved over 8, a look-up 0.1 µs slower
	blockBytes  = 8
	maxRowLen   = 1<<16 - 1
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// segment is an immutable set of rows with their postings.
type segment struct {
	all      region       // the blob
	keys     []record.Key // n, ascending
	lengths  []uint16     // n
	postings region
	dict     region
	blocks   region
	nTerms   int
}

// header is what the header of a segment says, in bytes but for rows and terms.
type header struct{ rows, terms, postings, dict int }

// readHeader reads the first headerBytes of a segment.
func readHeader(b []byte) (h header, err error) {
	if len(b) < headerBytes || string(b[:8]) != magic {
		return header{}, fmt.Errorf("%w: not a blob of this version", ErrFormat)
	}
	le := binary.LittleEndian
	if le.Uint64(b[12:]) != recipe {
		return header{}, fmt.Errorf("%w: made with other weights or tokens", ErrFormat)
	}
	number := func(at int) int { return int(le.Uint32(b[at:])) }
	return header{number(20), number(24), number(28), number(32)}, nil
}

// len returns the length of the segment.
func (h header) len() int {
	nBlocks := (h.terms + blockTerms - 1) / blockTerms
	return headerBytes + 6*h.rows + h.postings + h.dict + blockBytes*nBlocks
}

// makeSegment returns the segment of a blob that [writer.finish] made, and keeps the blob.
func makeSegment(blob []byte) (*segment, error) {
	s, err := openSegment(memory(blob), 0)
	if err != nil {
		return nil, err
	}
	if s.all.n != len(blob) {
		return nil, fmt.Errorf("%w: wrong length", ErrFormat)
	}
	return s, s.readRows()
}

// checkSum compares the sum of a segment in memory.
func (s *segment) checkSum() error {
	blob := s.all.whole()
	if binary.LittleEndian.Uint32(blob[8:]) != crc32.Checksum(blob[12:], castagnoli) {
		return fmt.Errorf("%w: wrong sum", ErrFormat)
	}
	return nil
}

// openSegment opens the segment that begins at an offset of src. The caller then has it read its
// rows, which are 0 until then. A wrong blob costs wrong hits and never a panic: lengths are checked here, and offsets and lists
// where they are read.
func openSegment(src Source, at int) (*segment, error) {
	rest := region{src, at, max(0, src.Len()-at)}
	h, err := readHeader(rest.cut(0, headerBytes))
	if err != nil {
		return nil, err
	}
	if h.len() > rest.n {
		return nil, fmt.Errorf("%w: wrong length", ErrFormat)
	}
	s := &segment{all: region{src, at, h.len()}, nTerms: h.terms, keys: make([]record.Key, h.rows), lengths: make([]uint16, h.rows)}
	from := headerBytes + 6*h.rows
	next := func(n int) region { r := s.all.part(from, from+n); from += n; return r }
	s.postings, s.dict, s.blocks = next(h.postings), next(h.dict), s.all.part(from, s.all.n)
	return s, nil
}

// readRows reads the keys and lengths of the rows, some at a time.
func (s *segment) readRows() error {
	const some = 1 << 18
	le, last, rows := binary.LittleEndian, int64(-1), len(s.keys)
	room := make([]byte, 6*min(some, rows))
	for at := 0; at < rows; at += some {
		n := min(some, rows-at)
		keys, lengths := room[:4*n], room[4*n:6*n]
		err := s.all.read(keys, headerBytes+4*at)
		if err == nil {
			err = s.all.read(lengths, headerBytes+4*rows+2*at)
		}
		if err != nil {
			return fmt.Errorf("read the rows of the words: %w", err)
		}
		for i := range n {
			key := le.Uint32(keys[4*i:])
			if int64(key) <= last {
				return fmt.Errorf("%w: keys do not ascend", ErrFormat)
			}
			last = int64(key)
			s.keys[at+i], s.lengths[at+i] = record.Key(key), le.Uint16(lengths[2*i:])
		}
	}
	return nil
}

// find returns the list of term, nil when no row holds it.
func (s *segment) find(term []byte) list {
	above := sort.Search(s.nBlocks(), func(block int) bool {
		return bytes.Compare(s.first(block), term) > 0
	})
	if above == 0 {
		return nil
	}
	c := s.cursor(above-1, above)
	for c.next() {
		switch bytes.Compare(c.term, term) {
		case 0:
			return c.list()
		case 1:
			return nil
		}
	}
	return nil
}

func (s *segment) nBlocks() int { return s.blocks.n / blockBytes }

// block returns where a block starts in dict, and in postings. Behind the last one it
// returns the ends of both.
func (s *segment) block(i int) (dict, postings int) {
	if i >= s.nBlocks() {
		return s.dict.n, s.postings.n
	}
	b := s.blocks.cut(i*blockBytes, (i+1)*blockBytes)
	return int(binary.LittleEndian.Uint32(b)), int(binary.LittleEndian.Uint32(b[4:]))
}

// first returns the first term of a block.
func (s *segment) first(block int) []byte {
	at, _ := s.block(block)
	d := s.dict.cut(at, at+2+binary.MaxVarintLen64+maxTermBytes)
	if len(d) < 3 {
		return nil
	}
	_, n := binary.Uvarint(d[2:])
	if n <= 0 || 2+n+int(d[1]) > len(d) {
		return nil
	}
	return d[2+n : 2+n+int(d[1])]
}

// maxTermBytes is the longest term that dict can hold.
const maxTermBytes = 255

// cursor walks the terms of some blocks of a segment in order.
type cursor struct {
	term     []byte // valid until next
	dict     []byte // the rest
	postings region // from the list of term on
	size     int    // of that list
	buf      [maxTermBytes + 1]byte
}

// cursor returns a cursor before the first term of the blocks [from, to).
func (s *segment) cursor(from, to int) cursor {
	start, postings := s.block(from)
	end, _ := s.block(to)
	return cursor{dict: s.dict.cut(start, end), postings: s.postings.part(postings, s.postings.n)}
}

// next moves to the next term. It returns false at the end, and when the dictionary
// is broken.
func (c *cursor) next() bool {
	if len(c.dict) < 3 {
		return false
	}
	shared, suffix := int(c.dict[0]), int(c.dict[1])
	size, n := binary.Uvarint(c.dict[2:])
	if n <= 0 || shared > len(c.term) || shared+suffix > len(c.buf) || 2+n+suffix > len(c.dict) || size > uint64(c.postings.n-c.size) {
		c.dict = nil
		return false
	}
	copy(c.buf[shared:], c.dict[2+n:2+n+suffix])
	c.term = c.buf[:shared+suffix]
	c.postings, c.size = c.postings.part(c.size, c.postings.n), int(size)
	c.dict = c.dict[2+n+suffix:]
	return true
}

// list returns the list of the term.
func (c *cursor) list() list { return c.postings.cut(0, c.size) }

// list is the posting list of a term, see the form of a segment.
type list []byte

// len returns the number of rows that the list says it has.
func (l list) len() int {
	n, k := binary.Uvarint(l)
	if k <= 0 || n > uint64(len(l)-k) {
		return 0
	}
	return int(n)
}

// decode appends the rows of the list, ascending and below n, to rows, and returns
// their codes beside them. It stops where the list is broken.
func (l list) decode(rows []uint32, n int) ([]uint32, []byte) {
	start, size := len(rows), l.len()
	_, k := binary.Uvarint(l)
	if size == 0 {
		return rows, nil
	}
	codes, distances := l[k:k+size], l[k+size:]
	rows = slices.Grow(rows, size)[:start+size]
	row, at := uint64(0), 0
	for i := range codes {
		if at >= len(distances) {
			return rows[:start+i], codes[:i]
		}
		d := uint64(distances[at])
		at++
		if d >= 0x80 { // one in four
			d, k = binary.Uvarint(distances[at-1:])
			if k <= 0 {
				return rows[:start+i], codes[:i]
			}
			at += k - 1
		}
		if row += d; row >= uint64(n) || d > uint64(n) {
			return rows[:start+i], codes[:i]
		}
		rows[start+i] = uint32(row)
	}
	return rows, codes
}

// nLevels is how many numbers of occurrences a posting can tell apart.
const nLevels = 32

// levels are the weighted numbers of times that a term occurs which the code of a
// posting, an index into levels, can say; what lies between two is the lower. It
// matters little: with k1 1.5, 17 occurrences weigh 0.5 % more than 16.
var levels = [nLevels]uint8{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
	18, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 255}

// makeCode returns the code of a term that occurs tf > 0 times, once weighted.
func makeCode(tf uint32) byte {
	if tf <= 16 {
		return byte(tf - 1)
	}
	i, found := slices.BinarySearch(levels[:], uint8(min(tf, 255)))
	if !found {
		i--
	}
	return byte(i)
}

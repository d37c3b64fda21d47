package record

import (
	"encoding/binary"
	"slices"
	"strings"
)

// Row is a File in the form in which the store keeps it: two strings without pointers. What is
// asked of it is read from there, so that the table of the files of a large workspace costs a
// process what it takes on disk, and 32 bytes for each. A Row is immutable, and its methods are safe for concurrent
// use. The strings that they return are parts of the Row.
//
// The value is that which the store has under the path:
//
//	size | time | key | first chunk | n chunks | flags | hash | generation | masked | language | the parts that the flags name
//
// The numbers before the hash have a fixed length, the others are varints.
type Row struct{ path, value string }

// Where the fixed parts of a value are.
const (
	rowSize    = 0
	rowModTime = 8
	rowKey     = 16
	rowFirst   = 20
	rowChunks  = 24
	rowFlags   = 28
	rowHash    = 29
	rowHead    = rowHash + len(Hash{})
)

// The flags of a value: the parts that only some files have, in their order.
const (
	rowLeftOut = 1 << iota
	rowPartial
	rowTraits
	rowDoc
	rowCrossFile
	rowFlagsEnd
)

// RowOf returns the row of f.
func RowOf(f *File) Row {
	return Row{strings.Clone(string(f.Path)), string(AppendRow(make([]byte, 0, rowHead+64), f))}
}

// AppendRow appends the value of f, which lacks the path.
func AppendRow(b []byte, f *File) []byte {
	b = binary.LittleEndian.AppendUint64(b, uint64(f.Size))
	b = binary.LittleEndian.AppendUint64(b, uint64(f.ModTime))
	b = binary.LittleEndian.AppendUint32(b, uint32(f.Key))
	b = binary.LittleEndian.AppendUint32(b, uint32(f.Chunks.First))
	b = binary.LittleEndian.AppendUint32(b, uint32(f.Chunks.N))
	flags := len(b)
	b = append(append(b, 0), f.Hash[:]...)
	b = binary.AppendUvarint(b, f.Generation)
	b = binary.AppendVarint(b, int64(f.Masked))
	b = appendText(b, f.Language)
	if f.LeftOut != "" {
		b[flags] |= rowLeftOut
		b = appendText(b, f.LeftOut)
	}
	if f.Partial != "" {
		b[flags] |= rowPartial
		b = appendText(b, f.Partial)
	}
	if f.Traits != nil {
		b[flags] |= rowTraits
		b = appendTraits(b, f.Traits)
		if f.Traits.Doc != nil {
			b[flags] |= rowDoc
		}
	}
	if f.CrossFile != nil {
		b[flags] |= rowCrossFile
		b = appendCrossFile(b, f.CrossFile)
	}
	return b
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// appendTraits appends traits:
//
//	n kinds | kinds | n ids | ids | n tags | layer | tags
//
// Kinds and ids have a fixed length. The part from the tags on is that of a document.
func appendTraits(b []byte, t *Traits) []byte {
	b = binary.AppendUvarint(b, uint64(len(t.Kinds)))
	for _, k := range t.Kinds {
		b = binary.LittleEndian.AppendUint32(b, uint32(k))
	}
	b = binary.AppendUvarint(b, uint64(len(t.IDs)))
	for _, id := range t.IDs {
		b = binary.LittleEndian.AppendUint16(b, id)
	}
	if t.Doc == nil {
		return b
	}
	b = binary.AppendUvarint(b, uint64(len(t.Doc.Tags)))
	b = appendText(b, t.Doc.Layer)
	for _, s := range t.Doc.Tags {
		b = appendText(b, s)
	}
	return b
}

// appendCrossFile appends
//
//	exports | references | enriched
func appendCrossFile(b []byte, c *CrossFile) []byte {
	b = binary.AppendUvarint(b, uint64(len(c.Exports)))
	for i := range c.Exports {
		e := &c.Exports[i]
		b = append(b, byte(e.Kind))
		for _, s := range [...]string{e.Path, e.From, e.Brief, e.Text} {
			b = appendText(b, s)
		}
	}
	b = binary.AppendUvarint(b, uint64(len(c.References)))
	for i := range c.References {
		r := &c.References[i]
		b = append(b, byte(r.Kind))
		b = appendText(b, r.Path)
		b = appendText(b, r.From)
		for _, n := range [...]int{r.Chunk, r.Prefix, r.Suffix, r.TextBytes} {
			b = binary.AppendUvarint(b, uint64(n))
		}
	}
	return append(b, c.Enriched[:]...)
}

// rowsBytes is the length of the strings that rows share: as many small allocations as a
// workspace has files take longer than reading them.
const rowsBytes = 64 << 10

// Rows makes rows, many of which share two strings. The zero value is ready for use. The
// paths lie one behind the other: most passes over many rows look at nothing else.
type Rows struct{ paths, values arena }

// Add returns the row of a path and its value. It returns false for a value that [AppendRow]
// does not write.
func (t *Rows) Add(path, value []byte) (Row, bool) {
	r := Row{t.paths.add(path), t.values.add(value)}
	return r, r.valid()
}

// arena makes strings that share memory.
type arena struct {
	text   strings.Builder
	shared bool // a string was made: more follow
}

func (a *arena) add(b []byte) string {
	if a.text.Cap()-a.text.Len() < len(b) {
		room := len(b)
		if a.shared {
			room = max(rowsBytes, room)
		}
		a.text = strings.Builder{}
		a.text.Grow(room)
	}
	a.shared = true
	start := a.text.Len()
	a.text.Write(b)
	return a.text.String()[start:]
}

// valid reports whether all parts of the value are there and nothing else is.
func (r Row) valid() bool {
	v := r.value
	if len(v) < rowHead || v[rowFlags] >= rowFlagsEnd || int32(le32(v[rowChunks:])) < 0 {
		return false
	}
	p := r.parts()
	if v[rowFlags]&rowDoc != 0 && v[rowFlags]&rowTraits == 0 {
		return false
	}
	if v[rowFlags]&rowDoc != 0 {
		p.rest.doc()
	}
	if v[rowFlags]&rowCrossFile != 0 {
		p.rest.crossFile()
	}
	return !p.rest.bad && p.rest.text == ""
}

// Path returns the path of the file.
func (r Row) Path() Path { return Path(r.path) }

// Value returns what the store has under the path.
func (r Row) Value() []byte { return []byte(r.value) }

// Size returns [File.Size].
func (r Row) Size() int64 { return int64(le64(r.value[rowSize:])) }

// ModTime returns [File.ModTime].
func (r Row) ModTime() int64 { return int64(le64(r.value[rowModTime:])) }

// Key returns [File.Key].
func (r Row) Key() Key { return Key(le32(r.value[rowKey:])) }

// Chunks returns [File.Chunks].
func (r Row) Chunks() KeyRange {
	v := r.value
	return KeyRange{First: Key(le32(v[rowFirst:])), N: int(le32(v[rowChunks:]))}
}

// Hash returns [File.Hash].
func (r Row) Hash() (h Hash) {
	copy(h[:], r.value[rowHash:])
	return h
}

// Indexed reports whether the file is not left out.
func (r Row) Indexed() bool { return r.value[rowFlags]&rowLeftOut == 0 }

// LeftOut returns [File.LeftOut].
func (r Row) LeftOut() string {
	if r.Indexed() {
		return ""
	}
	return r.parts().leftOut
}

// Generation returns [File.Generation].
func (r Row) Generation() uint64 {
	f := fields{text: r.value[rowHead:]}
	return f.uint()
}

// Language returns [File.Language].
func (r Row) Language() string { return r.parts().language }

// Masked returns [File.Masked].
func (r Row) Masked() int { return r.parts().masked }

// Kinds returns [Traits.Kinds] of the chunk of index i; ok is false when the row has none of it.
func (r Row) Kinds(i int) (k KindSet, ok bool) {
	kinds := r.parts().kinds
	if at := 4 * i; i >= 0 && at+4 <= len(kinds) {
		return KindSet(le32(kinds[at:])), true
	}
	return 0, false
}

// HasTraits reports whether [File.Traits] is not nil.
func (r Row) HasTraits() bool { return r.value[rowFlags]&rowTraits != 0 }

// HasID reports whether [Traits.IDs] has the first two bytes of an id.
func (r Row) HasID(begins uint16) bool {
	ids := r.parts().ids
	for ; len(ids) > 0; ids = ids[2:] {
		if le16(ids) == begins {
			return true
		}
	}
	return false
}

// Doc returns [Traits.Doc], nil for a file without traits.
func (r Row) Doc() *DocTraits {
	if r.value[rowFlags]&rowDoc == 0 {
		return nil
	}
	p := r.parts()
	return p.rest.doc()
}

// CrossFile returns [File.CrossFile].
func (r Row) CrossFile() *CrossFile {
	flags := r.value[rowFlags]
	if flags&rowCrossFile == 0 {
		return nil
	}
	p := r.parts()
	if flags&rowDoc != 0 {
		p.rest.doc()
	}
	return p.rest.crossFile()
}

// Bare returns the file without CrossFile and Traits, as that allocates nothing.
func (r Row) Bare() File {
	p := r.parts()
	return File{Path: r.Path(), Key: r.Key(), Size: r.Size(), ModTime: r.ModTime(), Hash: r.Hash(), Language: p.language, Chunks: r.Chunks(),
		Generation: p.generation, LeftOut: p.leftOut, Partial: p.partial, Masked: p.masked}
}

// File returns the file.
func (r Row) File() File {
	f := r.Bare()
	f.CrossFile = r.CrossFile()
	if !r.HasTraits() {
		return f
	}
	p := r.parts()
	f.Traits = &Traits{Doc: r.Doc()}
	for kinds := p.kinds; len(kinds) > 0; kinds = kinds[4:] {
		f.Traits.Kinds = append(f.Traits.Kinds, KindSet(le32(kinds)))
	}
	for ids := p.ids; len(ids) > 0; ids = ids[2:] {
		f.Traits.IDs = append(f.Traits.IDs, le16(ids))
	}
	return f
}

// rowParts are the parts of a value behind its hash.
type rowParts struct {
	generation                 uint64
	masked                     int
	language, leftOut, partial string
	kinds, ids                 string // of the traits, as they are stored
	rest                       fields // from the traits of a document on
}

func (r Row) parts() (p rowParts) {
	v := r.value
	flags := v[rowFlags]
	f := fields{text: v[rowHead:]}
	p.generation, p.masked, p.language = f.uint(), f.int(), f.str()
	if flags&rowLeftOut != 0 {
		p.leftOut = f.str()
	}
	if flags&rowPartial != 0 {
		p.partial = f.str()
	}
	if flags&rowTraits != 0 {
		p.kinds = f.take(4 * f.count(4))
		p.ids = f.take(2 * f.count(2))
	}
	p.rest = f
	return p
}

// fields reads the parts of a row. After one that is impossible, bad is set and every other
// one is empty.
type fields struct {
	text string
	bad  bool
}

func (f *fields) fail() { f.text, f.bad = "", true }

func (f *fields) uint() uint64 {
	if len(f.text) > 0 && f.text[0] < 0x80 {
		v := uint64(f.text[0])
		f.text = f.text[1:]
		return v
	}
	v := uint64(0)
	for i := range min(len(f.text), binary.MaxVarintLen64) {
		c := f.text[i]
		if i == binary.MaxVarintLen64-1 && c > 1 {
			break
		}
		v |= uint64(c&0x7f) << (7 * i)
		if c < 0x80 {
			f.text = f.text[i+1:]
			return v
		}
	}
	f.fail()
	return 0
}

func (f *fields) int() int {
	v := f.uint()
	return int(int64(v>>1) ^ -int64(v&1))
}

func (f *fields) take(n int) string {
	if n > len(f.text) {
		f.fail()
		return ""
	}
	s := f.text[:n]
	f.text = f.text[n:]
	return s
}

// count reads the length of a list whose items take at least itemBytes each.
func (f *fields) count(itemBytes int) int {
	n := f.uint()
	if n > uint64(len(f.text)/itemBytes) {
		f.fail()
		return 0
	}
	return int(n)
}

func (f *fields) str() string { return f.take(f.count(1)) }

// doc reads the traits of a document.
func (f *fields) doc() *DocTraits {
	n := f.count(1)
	d := &DocTraits{Layer: f.str()}
	for range n {
		d.Tags = append(d.Tags, f.str())
	}
	return d
}

// crossFile is the inverse of appendCrossFile. What it returns has strings of its own.
func (f *fields) crossFile() *CrossFile {
	const exportBytes, referenceBytes = 5, 7 // at least
	str := func() string { return strings.Clone(f.str()) }
	kind := func() (k ExportKind) {
		if b := f.take(1); b != "" {
			k = ExportKind(b[0])
		}
		return k
	}
	c := &CrossFile{}
	for range f.count(exportBytes) {
		c.Exports = append(c.Exports, Export{Kind: kind(), Path: str(), From: str(), Brief: str(), Text: str()})
	}
	for range f.count(referenceBytes) {
		c.References = append(c.References, Reference{Kind: kind(), Path: str(), From: str(),
			Chunk: int(f.uint()), Prefix: int(f.uint()), Suffix: int(f.uint()), TextBytes: int(f.uint())})
	}
	c.Exports, c.References = slices.Clip(c.Exports), slices.Clip(c.References)
	copy(c.Enriched[:], f.take(len(c.Enriched)))
	return c
}

func le16(s string) uint16 { return uint16(s[0]) | uint16(s[1])<<8 }

func le32(s string) uint32 {
	_ = s[3]
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

func le64(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 | uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

package record

import (
	"crypto/sha1" // UUIDs of version 5 are made of it
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"iter"
	"strings"
)

// ChunkID is a UUID of version 5 over path, qualified name, section and ordinal,
// so the same code keeps its id.
type ChunkID [16]byte

// String returns the id in the 8-4-4-4-12 form of RFC 9562.
func (id ChunkID) String() string {
	s := hex.EncodeToString(id[:])
	return s[:8] + "-" + s[8:12] + "-" + s[12:16] + "-" + s[16:20] + "-" + s[20:]
}

// MarshalText returns the id in the form of String.
func (id ChunkID) MarshalText() ([]byte, error) { return []byte(id.String()), nil }

// UnmarshalText reads an id as [ParseChunkID] does.
func (id *ChunkID) UnmarshalText(text []byte) (err error) {
	*id, err = ParseChunkID(string(text))
	return err
}

// ParseChunkID reads an id in the form of String, in either case of its letters.
func ParseChunkID(s string) (id ChunkID, err error) {
	digits := strings.ReplaceAll(s, "-", "")
	if len(digits) == hex.EncodedLen(len(id)) {
		_, err = hex.Decode(id[:], []byte(digits))
	}
	if err != nil || !strings.EqualFold(id.String(), s) {
		return ChunkID{}, fmt.Errorf("%q is not the id of a chunk, eight, four, four, four and twelve hexadecimal digits", s)
	}
	return id, nil
}

// namespace is the UUID that chunk ids are made in.
var namespace = [16]byte{0x6c, 0x1f, 0x0b, 0x52, 0x9d, 0x3e, 0x4f, 0x0a, 0x8b, 0x57, 0x2e, 0x40, 0xd1, 0x96, 0xaa, 0x73}

// NewChunkID returns the id of a section of a unit; ordinal tells apart those of
// which path, unit and section are the same. A whole unit has section "".
//
// Source: RFC 9562, section 5.5.
func NewChunkID(path Path, unit, section string, ordinal uint32) ChunkID {
	b := make([]byte, 0, 256)
	b = append(b, namespace[:]...)
	b = append(append(b, path...), 0)
	b = append(append(b, unit...), 0)
	b = append(append(b, section...), 0)
	b = binary.BigEndian.AppendUint32(b, ordinal)
	sum := sha1.Sum(b)
	id := ChunkID(sum[:16])
	id[6], id[8] = id[6]&0x0f|0x50, id[8]&0x3f|0x80
	return id
}

// Chunk is the piece that is embedded and retrieved: a whole unit or one section of it.
//
// The chunks of a file that are no summaries are in order of their Spans; these and the
// places in Also are disjoint and cover every byte of it. The summary of a file or document
// is for broad questions and covers its span a second time.
type Chunk struct {
	ID        ChunkID
	Key       Key // given by the store
	Path      Path
	Language  string
	Kind      Kind   // of the unit
	Name      string // last component of Unit, "" for text between units
	Unit      string // qualified name inside the file, "Command.Execute"; the heading path's last title in prose
	Scope     string // the chain around the unit, "pkg.Command"
	Section   string // "" for a whole unit; else "summary", "part 2", a heading, …
	Signature string // one line
	IsSummary bool
	Span      Span
	Lines     Lines
	Also      []Place  // where the section goes on, ascending, when its lines are scattered over the unit
	EmbedHash TextHash // of the embedding text, Prefix + raw text + Suffix
	Prefix    string
	Suffix    string
	Tokens    int      // estimate for the raw text, see package chunk; answers count exactly
	Defines   []string // qualified names of the definitions in the chunk
	Imports   []string // import paths the chunk needs
	Siblings  []string // signatures of its siblings, bounded
	Doc       *DocMeta // set for Markdown and prose with metadata
}

// Covers reports whether the chunk has the byte at an offset of its file.
func (c *Chunk) Covers(offset int) bool {
	for p := range c.Places() {
		if p.Span.Start <= offset && offset < p.Span.End {
			return true
		}
	}
	return false
}

// Places yields the place of Span and those in Also.
func (c *Chunk) Places() iter.Seq[Place] {
	return func(yield func(Place) bool) {
		if !yield(Place{c.Span, c.Lines}) {
			return
		}
		for _, p := range c.Also {
			if !yield(p) {
				return
			}
		}
	}
}

// Text returns the raw text of the chunk, a part of content if it has one place; content is
// that of its file.
func (c *Chunk) Text(content []byte) []byte {
	text := content[c.Span.Start:c.Span.End:c.Span.End]
	for _, p := range c.Also {
		text = append(text, content[p.Span.Start:p.Span.End]...)
	}
	return text
}

// AppendEmbeddingText appends the embedding text of the chunk, whose sum is EmbedHash;
// content is that of its file.
func (c *Chunk) AppendEmbeddingText(b, content []byte) []byte {
	b = append(b, c.Prefix...)
	b = append(b, c.Text(content)...)
	return append(b, c.Suffix...)
}

// DocMeta is the metadata of a document and of one of its sections.
type DocMeta struct {
	Title     string
	Headings  []string // path from the top heading to the section's own
	Level     int      // 1 to 6; 0 before the first heading
	Tags      []string
	Layer     string // front matter, else the first path segment
	UpdatedAt string // as written in the front matter, RFC 3339 or a date
	CodeRefs  []string
	Links     []string // outbound, resolved to workspace paths, "path#anchor"
	Index     int      // chunk_index, from 0
	Total     int      // total_chunks
}

package format

import (
	"math"
	"strings"

	"ambit/server/assemble"
)

// Answer is the answer of ambit.context on the wire, see DESIGN section 6. Lines are
// 1-based and inclusive, but for Range, which is LSP's.
type Answer struct {
	Text         string       `json:"text"`
	Format       string       `json:"format"`
	Tokens       int          `json:"tokens"`
	Budget       int          `json:"budget"`
	Encoding     string       `json:"encoding"`
	Scope        string       `json:"scope"`
	Symbol       *Symbol      `json:"symbol,omitempty"`
	Sections     []Section    `json:"sections"`
	Sources      []Source     `json:"sources"`
	Dependencies []Dependency `json:"dependencies"`
	Omitted      []Omission   `json:"omitted"`
	Freshness    Freshness    `json:"freshness"`
}

// Symbol is what the cursor is on.
type Symbol struct {
	Name       string `json:"name"`
	Identifier string `json:"identifier"`
	Kind       string `json:"kind"`
	Path       string `json:"path"`
	StartLine  int    `json:"start_line"`
	EndLine    int    `json:"end_line"`
}

// Section is one part of the answer, in tokens.
type Section struct {
	Name   string `json:"name"`
	Tokens int    `json:"tokens"`
	Budget int    `json:"budget"`
}

// Source is a unit of the answer.
type Source struct {
	ID              string      `json:"id"`
	Identifier      string      `json:"identifier"`
	Kind            string      `json:"kind"`
	Language        string      `json:"language"`
	Path            string      `json:"path"`
	URI             string      `json:"uri"`
	Range           Range       `json:"range"`
	StartLine       int         `json:"start_line"`
	EndLine         int         `json:"end_line"`
	Ranges          [][2]int    `json:"ranges"`
	TextLines       *[2]int     `json:"text_lines,omitempty"` // of the answer's text, heading and mark-up included
	Section         string      `json:"section"`
	Role            string      `json:"role"`
	Relevance       float64     `json:"relevance"`
	ChangeFrequency string      `json:"change_frequency"`
	Dependents      int         `json:"dependents"`
	Tokens          int         `json:"tokens"`
	Truncated       *Truncation `json:"truncated,omitempty"`
	Why             []Signal    `json:"why"`
}

// Range is LSP's: zero-based, half-open.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Position is LSP's: zero-based, the character in the negotiated encoding.
type Position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// Truncation says what is missing of a source.
type Truncation struct {
	LinesOmitted int      `json:"lines_omitted"`
	Kinds        []string `json:"kinds"`
	TotalLines   int      `json:"total_lines"`
	TotalTokens  int      `json:"total_tokens"`
}

// Signal is one named term of a source's score.
type Signal struct {
	Signal string  `json:"signal"`
	Score  float64 `json:"score"`
}

// Dependency is an arrow between identifiers.
type Dependency struct {
	From string `json:"from"`
	To   string `json:"to"`
	Kind string `json:"kind"`
}

// Omission is a candidate that is not shown.
type Omission struct {
	ID         string `json:"id"`
	Identifier string `json:"identifier"`
	Path       string `json:"path"`
	Tokens     int    `json:"tokens"`
	Reason     string `json:"reason"`
}

// Freshness says how new the answer is.
type Freshness struct {
	Generation uint64 `json:"generation"`
	Pending    int    `json:"pending"`
	State      string `json:"state"`
}

// NewAnswer returns b as it goes over the wire. Column returns the length of the
// beginning of a line in the units of the negotiated position encoding; nil counts
// UTF-16, LSP's default.
func NewAnswer(b *assemble.Bundle, column func(before string) int) *Answer {
	if column == nil {
		column = utf16Length
	}
	a := &Answer{
		Text:         b.Text,
		Format:       b.Format,
		Tokens:       b.Tokens,
		Budget:       b.Budget,
		Encoding:     b.Encoding,
		Scope:        string(b.Scope),
		Sections:     []Section{},
		Sources:      []Source{},
		Dependencies: []Dependency{},
		Omitted:      []Omission{},
		Freshness:    Freshness(b.Freshness),
	}
	if s := b.Symbol; s != nil {
		a.Symbol = &Symbol{s.Name, s.Identifier, string(s.Kind), string(s.Path), s.Lines.First, s.Lines.Last}
	}
	for _, s := range b.Sections {
		a.Sections = append(a.Sections, Section(s))
	}
	shown := textLines(b)
	for i := range b.Sources {
		s := newSource(&b.Sources[i], b.Root, column)
		if shown != nil {
			s.TextLines = &shown[i]
		}
		a.Sources = append(a.Sources, s)
	}
	for _, d := range b.Dependencies {
		a.Dependencies = append(a.Dependencies, Dependency{d.From, d.To, string(d.Kind)})
	}
	for _, o := range b.Omitted {
		a.Omitted = append(a.Omitted, Omission{o.ID.String(), o.Identifier, string(o.Path), o.Tokens, o.Reason})
	}
	return a
}

func newSource(s *assemble.Source, root string, column func(string) int) Source {
	position := func(p assemble.Position) Position { return Position{max(0, p.Line-1), column(p.Before)} }
	out := Source{
		ID:              s.ID.String(),
		Identifier:      s.Identifier,
		Kind:            string(s.Kind),
		Language:        s.Language,
		Path:            string(s.Path),
		URI:             fileURI(root, string(s.Path)),
		Range:           Range{position(s.Start), position(s.End)},
		StartLine:       s.Lines.First,
		EndLine:         s.Lines.Last,
		Ranges:          [][2]int{},
		Section:         s.Section,
		Role:            string(s.Role),
		Relevance:       finite(math.Round(s.Relevance*100) / 100),
		ChangeFrequency: frequency(s),
		Dependents:      s.Dependents,
		Tokens:          s.Tokens,
		Why:             []Signal{},
	}
	for _, r := range s.Ranges {
		out.Ranges = append(out.Ranges, [2]int{r.First, r.Last})
	}
	for _, w := range s.Why {
		out.Why = append(out.Why, Signal{w.Name, finite(math.Round(w.Score*10000) / 10000)})
	}
	if t := s.Truncated; t != nil {
		out.Truncated = &Truncation{t.LinesOmitted, append([]string{}, t.Kinds...), t.TotalLines, t.TotalTokens}
	}
	return out
}

// finite returns x, or 0 for what JSON cannot spell.
func finite(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	return x
}

// utf16Length returns the number of UTF-16 code units of s; a byte that is not
// UTF-8 counts one.
func utf16Length(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r > 0xFFFF {
			n++
		}
	}
	return n
}

// fileURI returns the URI of a file below root. Every byte that is not unreserved is
// escaped, so a path that is not UTF-8 keeps its bytes.
//
// Source: RFC 3986 section 2.3 and RFC 8089; a Windows drive gets a leading slash.
func fileURI(root, path string) string {
	if windowsDrive(root) {
		root = "/" + strings.ReplaceAll(root, `\`, "/")
	}
	full := strings.TrimSuffix(root, "/") + "/" + path

	const hex = "0123456789ABCDEF"
	var t strings.Builder
	t.WriteString("file://")
	for i := range len(full) {
		c := full[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', strings.IndexByte("-._~/:", c) >= 0:
			t.WriteByte(c)
		default:
			t.Write([]byte{'%', hex[c>>4], hex[c&15]})
		}
	}
	return t.String()
}

// windowsDrive reports whether path starts with "C:".
func windowsDrive(path string) bool {
	return len(path) >= 2 && path[1] == ':' && (path[0]|0x20) >= 'a' && (path[0]|0x20) <= 'z'
}

package assemble

import (
	"bytes"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"ambit/vectors/record"
)

// file is the text of one file with its lines.
type file struct {
	text   []byte
	starts []int // offset of each line; line i is [starts[i-1], starts[i])
}

func newFile(content []byte) *file {
	f := &file{text: content, starts: []int{0}}
	for at := 0; ; {
		i := bytes.IndexByte(f.text[at:], '\n')
		if i < 0 {
			return f
		}
		at += i + 1
		f.starts = append(f.starts, at)
	}
}

// at returns the 1-based line that holds the byte at offset.
func (f *file) at(offset int) int {
	return sort.SearchInts(f.starts, offset+1)
}

// line returns line n without its end and without trailing blanks.
func (f *file) line(n int) []byte {
	end := len(f.text)
	if n < len(f.starts) {
		end = f.starts[n]
	}
	return bytes.TrimRight(f.text[f.starts[n-1]:end], " \t\r\n")
}

// unit returns the lines of s without the blank ones around them. It reports false when
// s is outside of the file or has only blank lines.
func (f *file) unit(s record.Span) (record.Lines, bool) {
	if s.Start < 0 || s.Start >= s.End || s.End > len(f.text) {
		return record.Lines{}, false
	}
	l := f.lines(s)
	for l.First <= l.Last && len(f.line(l.First)) == 0 {
		l.First++
	}
	for l.Last > l.First && len(f.line(l.Last)) == 0 {
		l.Last--
	}
	return l, l.First <= l.Last
}

// lines returns the lines that s touches; s is not empty and lies in the file.
func (f *file) lines(s record.Span) record.Lines {
	return record.Lines{First: f.at(s.Start), Last: f.at(s.End - 1)}
}

// write appends the lines l.
func (f *file) write(b *strings.Builder, l record.Lines) {
	for n := l.First; n <= l.Last; n++ {
		b.Write(f.line(n))
		b.WriteByte('\n')
	}
}

// OneLine returns s as valid UTF-8 on one line, blanks folded, cut to at most
// maxBytes and an ellipsis.
func OneLine(s string, maxBytes int) string {
	cut := len(s) > 4*maxBytes // folding may shorten it
	if cut {
		s = s[:4*maxBytes]
	}
	var b strings.Builder
	blank := false
	for _, r := range s {
		if unicode.IsSpace(r) || unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			blank = true
			continue
		}
		if b.Len()+utf8.RuneLen(r) > maxBytes {
			cut = true
			break
		}
		if blank && b.Len() > 0 {
			b.WriteByte(' ')
		}
		blank = false
		b.WriteRune(r)
	}
	if cut {
		b.WriteString("…")
	}
	return b.String()
}

// Package charset reads text that is not UTF-8.
package charset

import (
	"bytes"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"
)

// markBytes is the length of the start of a file that is searched for the name of its
// encoding.
//
// Source: the HTML standard, section 4.2.5.4; the names that Python, Ruby, Emacs, XML and
// CSS know stand further up.
const markBytes = 1024

// name finds the name of an encoding: "coding: latin-1" of Python, Ruby and Emacs,
// "fileencoding=latin1" of Vim, encoding="ISO-8859-1" of XML, charset=windows-1252 of HTML,
// and @charset "Shift_JIS" of CSS.
//
// Source: PEP 263, whose pattern this one widens.
var name = regexp.MustCompile(`(?i)(?:coding|charset|\bfenc)[ \t]*[:= \t][ \t]*["']?([a-z0-9][-\w.:]*)`)

// marks are the byte order marks of the encodings that are not UTF-8. The mark of UTF-32LE
// begins with that of UTF-16LE and comes first.
var marks = []struct {
	mark string
	text encoding.Encoding
}{
	{"\xff\xfe\x00\x00", utf32.UTF32(utf32.LittleEndian, utf32.ExpectBOM)},
	{"\x00\x00\xfe\xff", utf32.UTF32(utf32.BigEndian, utf32.ExpectBOM)},
	{"\xff\xfe", unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM)},
	{"\xfe\xff", unicode.UTF16(unicode.BigEndian, unicode.ExpectBOM)},
}

// Decode returns the text of a file as UTF-8, without the byte order mark of UTF-16 and
// UTF-32. It returns content itself when it is UTF-8, when it has neither a byte order mark
// nor the name of a known encoding near its start, and when it is no text in the encoding
// that it claims. Lines stay the same lines. Decode is safe for concurrent use.
func Decode(content []byte) []byte {
	from := claimed(content)
	if from == nil {
		return content
	}
	text, err := from.NewDecoder().Bytes(content)
	if err != nil || bytes.ContainsRune(text, utf8.RuneError) || bytes.IndexByte(text, 0) >= 0 {
		return content
	}
	return text
}

// claimed returns the encoding that content says it has, or nil.
func claimed(content []byte) encoding.Encoding {
	for _, m := range marks {
		if bytes.HasPrefix(content, []byte(m.mark)) {
			return m.text
		}
	}
	if utf8.Valid(content) {
		return nil
	}
	found := name.FindSubmatch(content[:min(len(content), markBytes)])
	if found == nil {
		return nil
	}
	e, err := htmlindex.Get(label(string(found[1])))
	if err != nil {
		return nil
	}
	if canonical, err := htmlindex.Name(e); err != nil || strings.HasPrefix(canonical, "utf-") {
		return nil // the name was read as ASCII, and the bytes are not UTF-8
	}
	return e
}

// label returns the name of an encoding as the Encoding standard spells it. Python writes
// latin-1, and Emacs iso-latin-1-unix.
func label(name string) string {
	name = strings.ToLower(name)
	for _, end := range []string{"-unix", "-dos", "-mac"} {
		name = strings.TrimSuffix(name, end)
	}
	if digit, ok := strings.CutPrefix(strings.TrimPrefix(name, "iso-"), "latin-"); ok {
		return "latin" + digit
	}
	return name
}

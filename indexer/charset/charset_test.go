package charset_test

import (
	"bytes"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"

	"ambit/indexer/charset"
)

func TestDecode(t *testing.T) {
	const text = "# naïve café\nname = \"Zoë 😀\"\n"
	utf16le, _ := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(text)
	utf16be, _ := unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewEncoder().String(text)
	utf32le, _ := utf32.UTF32(utf32.LittleEndian, utf32.UseBOM).NewEncoder().String(text)
	sjis, _ := japanese.ShiftJIS.NewEncoder().String("日本語")
	euro, _ := charmap.Windows1252.NewEncoder().String("€")
	for name, c := range map[string]struct{ content, want string }{
		"UTF-8":                       {text, text},
		"UTF-8 with a wrong mark":     {"# coding: latin-1\n" + text, "# coding: latin-1\n" + text},
		"UTF-16LE":                    {utf16le, text},
		"UTF-16BE":                    {utf16be, text},
		"UTF-32LE":                    {utf32le, text},
		"Python, Emacs":               {"#!/bin/x\n# -*- coding: latin-1 -*-\n# caf\xe9\n", "#!/bin/x\n# -*- coding: latin-1 -*-\n# café\n"},
		"Emacs's own name":            {"; -*- coding: iso-latin-1-unix -*-\n; caf\xe9\n", "; -*- coding: iso-latin-1-unix -*-\n; café\n"},
		"Ruby":                        {"# encoding: iso-8859-15\n# \xa4\n", "# encoding: iso-8859-15\n# €\n"},
		"Vim":                         {"// vim: set fileencoding=cp1252 :\n// " + euro, "// vim: set fileencoding=cp1252 :\n// €"},
		"XML":                         {`<?xml version="1.0" encoding="ISO-8859-1"?>` + "\n<a>\xe9</a>", `<?xml version="1.0" encoding="ISO-8859-1"?>` + "\n<a>é</a>"},
		"HTML":                        {`<meta charset=windows-1251><p>` + "\xcf", `<meta charset=windows-1251><p>П`},
		"CSS":                         {`@charset "Shift_JIS"; /* ` + sjis + " */", `@charset "Shift_JIS"; /* 日本語 */`},
		"no mark":                     {"caf\xe9\n", "caf\xe9\n"},
		"UTF-16 by its name":          {`<?xml encoding="UTF-16"?>` + "\xe9", `<?xml encoding="UTF-16"?>` + "\xe9"},
		"an unknown encoding":         {"# coding: klingon\n\xe9", "# coding: klingon\n\xe9"},
		"a byte outside the encoding": {"# coding: euc-jp\n\xff\xff", "# coding: euc-jp\n\xff\xff"},
		"half a unit":                 {"\xff\xfea\x00b", "\xff\xfea\x00b"},
		"an unpaired surrogate":       {"\xff\xfe\x00\xd8a\x00", "\xff\xfe\x00\xd8a\x00"},
		"NUL":                         {"\xff\xfea\x00\x00\x00", "\xff\xfea\x00\x00\x00"},
	} {
		if got := string(charset.Decode([]byte(c.content))); got != c.want {
			t.Errorf("%s: Decode gives %q, want %q", name, got, c.want)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("\xff\xfea\x00\n\x00"))
	f.Add([]byte("# coding: latin-1\n\xe9"))
	f.Fuzz(func(t *testing.T, content []byte) {
		before := bytes.Clone(content)
		got := charset.Decode(content)
		if !bytes.Equal(content, before) {
			t.Fatal("Decode changed its argument")
		}
		if !bytes.Equal(got, content) && !utf8.Valid(got) {
			t.Fatalf("Decode gives %q, which is not UTF-8", got)
		}
		if utf8.Valid(content) && !bytes.Equal(got, content) {
			t.Fatalf("Decode changed UTF-8 to %q", got)
		}
	})
}

package api_test

import (
	"testing"
	"unicode/utf8"

	"ambit/server/api"
)

func TestPositionsOfEveryEncoding(t *testing.T) {
	const text = "a😀b\r\nc\rd\n"
	tests := []struct {
		encoding        api.PositionEncoding
		line, character int
		strict          bool
		want            int // -1 for an error
	}{
		{api.UTF8, 0, 5, true, 5},
		{api.UTF8, 0, 3, false, -1},
		{api.UTF16, 0, 3, true, 5},
		{api.UTF16, 0, 2, false, -1},
		{"", 0, 3, true, 5},
		{api.UTF32, 0, 2, true, 5},
		{api.UTF32, 0, 99, false, 6},
		{api.UTF32, 0, 99, true, -1},
		{api.UTF16, 1, 0, true, 8},
		{api.UTF16, 2, 1, true, 11},
		{api.UTF16, 3, 0, true, len(text)},
		{api.UTF16, 4, 0, false, len(text)},
		{api.UTF16, 5, 0, false, -1},
		{api.UTF16, -1, 0, false, -1},
	}
	for _, tt := range tests {
		got, err := tt.encoding.Offset(text, api.Position{Line: tt.line, Character: tt.character}, tt.strict)
		if err != nil {
			got = -1
		}
		if got != tt.want {
			t.Errorf("%s %d:%d strict %t = %d, %v; want %d", tt.encoding, tt.line, tt.character, tt.strict, got, err, tt.want)
		}
	}
}

func FuzzPositionsAndBytesAgree(f *testing.F) {
	f.Add("one\r\ntwo 😀\n\xff\xfe", uint16(7), byte(1))
	f.Fuzz(func(t *testing.T, text string, at uint16, encoding byte) {
		e := []api.PositionEncoding{api.UTF8, api.UTF16, api.UTF32}[encoding%3]
		offset := min(int(at), len(text))
		for offset > 0 && offset < len(text) && (!utf8.RuneStart(text[offset]) || text[offset-1] == '\r' && text[offset] == '\n') {
			offset--
		}
		p := e.Position(text, offset)
		got, err := e.Offset(text, p, true)
		if utf8.ValidString(text) && (err != nil || got != offset) {
			t.Errorf("byte %d is %d:%d, which is byte %d, %v", offset, p.Line, p.Character, got, err)
		}
	})
}

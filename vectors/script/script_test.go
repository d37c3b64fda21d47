package script_test

import (
	"slices"
	"testing"

	"ambit/vectors/script"
)

func TestUnspaced(t *testing.T) {
	for _, r := range "数据タイムアウトーひらがな한국어ไทยລາວខ្មែរမြန်မာㄅ𠀀ｶﾅ" {
		if !script.Unspaced(r) {
			t.Errorf("%q (%U) is taken for a script with blanks between words", r, r)
		}
	}
	for _, r := range "aZ9_ é größe Ελλάδα Привет العربية עברית हिन्दी ქართული አማርኛ" {
		if script.Unspaced(r) {
			t.Errorf("%q (%U) is taken for a script without blanks between words", r, r)
		}
	}
}

func TestBigrams(t *testing.T) {
	tests := []struct {
		text  string
		limit int
		want  []string
		n     int
	}{
		{"返回数据", 100, []string{"返回", "回数", "数据"}, 12},
		{"数 x", 100, []string{"数"}, 3},
		{"数据。返回", 100, []string{"数据"}, 6},
		{"返回数据", 4, []string{"返回"}, 6}, // the second letter starts before the limit
		{"返回", 0, nil, 0},
		{"a返回", 100, nil, 0},
		{"。", 100, nil, 0},
		{"\xe8\xbf", 100, nil, 0}, // half a character
		{"", 100, nil, 0},
	}
	for _, tt := range tests {
		var got []string
		n := script.Bigrams([]byte(tt.text), tt.limit, func(pair []byte) { got = append(got, string(pair)) })
		if n != tt.n || !slices.Equal(got, tt.want) {
			t.Errorf("Bigrams(%q, %d) = %q, %d; want %q, %d", tt.text, tt.limit, got, n, tt.want, tt.n)
		}
	}
}

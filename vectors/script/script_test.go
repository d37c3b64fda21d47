package script_test

import (
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

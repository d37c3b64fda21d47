package languages

import (
	"bytes"
	"testing"
)

func FuzzMaskSwift(f *testing.F) {
	f.Add([]byte("#if A\nlet a = b as? C ?? #d; try? await e(()) { \"\\(f(\"g\"))\" }\n#endif\n@_h(i) let j = #/k/#"))
	f.Add([]byte("\"\"\"\n\\\"\"\"\" ##\"#\"## /[/]/ () `a`"))
	f.Fuzz(func(t *testing.T, content []byte) {
		before := bytes.Clone(content)
		if got := maskSwift(content); !bytes.Equal(before, content) || len(got) != len(content) {
			t.Errorf("%d bytes of %d, source kept: %v", len(got), len(content), bytes.Equal(before, content))
		}
	})
}

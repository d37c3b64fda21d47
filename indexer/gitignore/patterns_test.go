package gitignore_test

import (
	"testing"

	"ambit/indexer/gitignore"
)

func TestPatternsChooseByPathAlone(t *testing.T) {
	tests := []struct {
		name     string
		patterns []string
		in, out  []string
	}{
		{"a directory anywhere", []string{"docs/"}, []string{"docs/a.md", "x/docs/y/b.md"}, []string{"docs", "a.md", "docs2/a.md"}},
		{"a directory of the root", []string{"/docs"}, []string{"docs/a.md", "docs"}, []string{"x/docs/a.md"}},
		{"a path", []string{"src/cart.go"}, []string{"src/cart.go"}, []string{"x/src/cart.go", "src/cart.go2", "src/cart_test.go"}},
		{"an extension", []string{"*.md"}, []string{"a.md", "x/y/b.md"}, []string{"a.mdx"}},
		{"below a directory", []string{"docs/**"}, []string{"docs/a.md", "docs/x/y.md"}, []string{"docs", "x/docs/a.md"}},
		{"a later pattern excludes", []string{"src/", "!*_test.go"}, []string{"src/a.go"}, []string{"src/a_test.go", "b.go"}},
		{"an inner directory is stronger", []string{"src/", "!vendor/", "ours/"}, []string{"src/a.go", "src/vendor/ours/a.go"}, []string{"src/vendor/a.go"}},
		{"empty patterns and comments", []string{"", "#"}, nil, []string{"a", "#"}},
		{"no patterns", nil, nil, []string{"a"}},
		{"any character", []string{"untitled:*"}, []string{"untitled:Untitled-1"}, []string{"titled:1"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := gitignore.ParsePatterns(tt.patterns)
			for _, path := range tt.in {
				if !p.Match(path) {
					t.Errorf("%q does not match %q", tt.patterns, path)
				}
			}
			for _, path := range tt.out {
				if p.Match(path) {
					t.Errorf("%q matches %q", tt.patterns, path)
				}
			}
		})
	}
}

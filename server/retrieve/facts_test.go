package retrieve_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/server/retrieve"
)

func TestPathsThatAreRarelyTheAnswerAreDemoted(t *testing.T) {
	w := retrieve.Weights
	tests := []struct {
		path string
		want float64
	}{
		{"main.go", 1},
		{"a/contest.go", 1},
		{"latest.py", 1},
		{"a_test.go", w.Test},
		{"test_a.py", w.Test},
		{"conftest.py", w.Test},
		{"src/FooTest.java", w.Test},
		{"src/Footest.java", 1},
		{"src/a.test.ts", w.Test},
		{"src/a.spec.tsx", w.Test},
		{"__tests__/a.js", w.Test},
		{"Tests/a.swift", w.Test},
		{"examples/a.py", w.Example},
		{"third_party/zlib/a.c", w.Vendored},
		{"third_party/tests/a.c", w.Vendored},
		{"src/compat/a.ts", w.Compat},
		{"src/pycompat.py", w.Compat},
		{"index.d.ts", w.Types},
		{"src/index.ts", 1}, // as long as it defines something
		{".github/a.yml", 1},
		{"", 1},
	}
	for _, tt := range tests {
		if got := retrieve.Demotion(tt.path); got != tt.want {
			t.Errorf("demotion of %q = %g, want %g", tt.path, got, tt.want)
		}
	}
}

func TestAPathIsTheWordsOfItsNameAndDirectories(t *testing.T) {
	tests := []struct {
		path       string
		name, dirs []string
	}{
		{"server/rateLimiter/token_buckets.test.ts", []string{"token", "bucket"}, []string{"serv", "rat", "limit"}},
		{".env", []string{"env"}, nil},
		{"Makefile", []string{"makefil"}, nil},
		{"lang3/BooleanUtils.java", []string{"boolean"}, []string{"lang", "3"}},
		{"src/utils.go", []string{"util"}, []string{"src"}},
		{"lib/defaults/index.js", []string{"default"}, []string{"lib", "default"}},
		{"index.js", []string{"index"}, nil},
		{"a/b/", nil, []string{"a", "b"}},
	}
	for _, tt := range tests {
		name, dirs := retrieve.Stems(tt.path)
		if diff := cmp.Diff([][]string{tt.name, tt.dirs}, [][]string{name, dirs}); diff != "" {
			t.Errorf("stems of %q (-want +got):\n%s", tt.path, diff)
		}
	}
}

package languages

import (
	"bytes"
	"testing"
)

func TestTypesThatTheGrammarDoesNotKnow(t *testing.T) {
	for _, tt := range []struct{ name, source, want string }{
		{"variance behind a comment", "interface A<\n  /** c */\n  out T,\n  // d\n  in U> {}", "interface A<\n  /** c */\n      T,\n  // d\n     U> {}"},
		{"variance", "interface A<in out T, out U = X, in V extends W> {}", "interface A<       T,     U = X,    V extends W> {}"},
		{"a list of call signatures", "const f: {\n  <A>(a: A): B\n  <A>(a: A, b: () => void): C\n}", "const f: {\n  <A>(a: A): B\n ;<A>(a: A, b: () => void): C\n}"},
		{"signatures without type parameters", "type F = {\n  (a: A): B[]\n  // c\n  (b: B): C\n}", "type F = {\n  (a: A): B[]\n  // c\n ;(b: B): C\n}"},
		{"a comment between", "type F = {\n  (a: A): B\n  /** Doc. */\n  <T>(b: B): C\n}", "type F = {\n  (a: A): B\n  /** Doc. */\n ;<T>(b: B): C\n}"},
		{"arguments stay", "f(\n  <A>(a: A): B => a,\n  (a): B => a)", "f(\n  <A>(a: A): B => a,\n  (a): B => a)"},
		{"a value stays", "const f =\n  <A>(a: A): B => a", "const f =\n  <A>(a: A): B => a"},
		{"a result stays", "type F = (a: A) =>\n  <B>(b: B): C", "type F = (a: A) =>\n  <B>(b: B): C"},
		{"a comparison stays", "a = b < in_ && c", "a = b < in_ && c"},
		{"a call stays", "f\n(x)\n", "f\n(x)\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			source := []byte(tt.source)
			if got := maskTypes(source); string(got) != tt.want {
				t.Errorf("maskTypes(%q)\n got %q\nwant %q", tt.source, got, tt.want)
			}
			if string(source) != tt.source {
				t.Errorf("the source changed to %q", source)
			}
		})
	}
}

// FuzzMaskTypes holds that offsets stay: what changes becomes a blank or, from a blank, a
// semicolon.
func FuzzMaskTypes(f *testing.F) {
	f.Add([]byte("interface A<in out T> {\n  (a: A): B\n  <B>(b: B): C\n}"))
	f.Fuzz(func(t *testing.T, source []byte) {
		before := bytes.Clone(source)
		got := maskTypes(source)
		if !bytes.Equal(before, source) || len(got) != len(source) {
			t.Fatalf("%d bytes of %d, source kept: %v", len(got), len(source), bytes.Equal(before, source))
		}
		for i := range got {
			if got[i] != source[i] && got[i] != ' ' && !(got[i] == ';' && isBlank(source[i])) {
				t.Fatalf("byte %d is %q, was %q", i, got[i], source[i])
			}
		}
	})
}

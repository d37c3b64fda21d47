package languages

import (
	"strings"
	"testing"
)

func TestFunctionType(t *testing.T) {
	for _, tt := range []struct {
		signature, name string
		result          bool
		want            string
	}{
		{"export function f<T extends (x: A) => B>(a: A, b?: B): C", "f", false, "(a: A, b?: B): C"},
		{"function f(a: A): Handler<C> {", "f", true, "Handler<C>"},
		{"f(a: A): (b: B) => C", "f", true, "(b: B) => C"},
		{"const f = async <T>(a: A): C =>", "f", false, "(a: A): C =>"},
		{"const f: (a: A) => B = g", "f", false, "(a: A) => B "},
		{"f?: Handler<A>", "f", false, "Handler<A>"},
		{"type F<T, U = T> = (a: T) => U", "F", false, "(a: T) => U"},
		{"class A", "B", false, ""},
	} {
		if got := FunctionType(tt.signature, tt.name, tt.result); got != tt.want {
			t.Errorf("FunctionType(%q, %s, %v) = %q, want %q", tt.signature, tt.name, tt.result, got, tt.want)
		}
	}
}

func TestFunctionParameter(t *testing.T) {
	for _, tt := range []struct {
		written string
		n       int
		want    string
		ok      bool
	}{
		{"(a: A, b?: Map<B, C>) => D", 1, "Map<B, C>", true},
		{"(a: A = x) => D", 0, "A", true},
		{"(this: X, a: (b: B) => C): D", 0, "(b: B) => C", true},
		{"undefined | ((a: A) => B)", 0, "A", true},
		{"((a: A) => B) | Handler", 0, "A", true},
		{"(((a: A) => B))", 0, "A", true},
		{"<T>({a, b}: {a: A, b: B}) => C", 0, "{a: A, b: B}", true},
		{"(a: A) => B", 1, "", true},
		{"(a) => B", 0, "", true},
		{"(final List<A> a, B... b)", 0, "List<A>", true},
		{"Handler<(a: A) => B>", 0, "", false},
		{"A | B", 0, "", false},
		{"(a: A", 0, "", false},
		{"", 0, "", false},
	} {
		if got, ok := FunctionParameter(tt.written, tt.n); got != tt.want || ok != tt.ok {
			t.Errorf("FunctionParameter(%q, %d) = %q, %v; want %q, %v", tt.written, tt.n, got, ok, tt.want, tt.ok)
		}
	}
}

func TestTypeParameterNames(t *testing.T) {
	got := strings.Join(TypeParameterNames("type F<in out T, const U extends A<B> = C> = (a: T) => U", "F"), " ")
	if got != "T U" {
		t.Errorf("TypeParameterNames = %q, want T U", got)
	}
}

// FuzzFunctionTypes holds that signatures of any form are read without a panic, and that a type is a part of
// its signature.
func FuzzFunctionTypes(f *testing.F) {
	f.Add("function f<T>(a: (b: B) => C): D", "f", uint8(0))
	f.Add("type F<T> = | ((a: T) => void) | G<T>", "F", uint8(1))
	f.Add("  0<", " ", uint8(0))
	f.Fuzz(func(t *testing.T, signature, name string, n uint8) {
		for _, result := range []bool{false, true} {
			written := FunctionType(signature, name, result)
			if !strings.Contains(signature, written) {
				t.Fatalf("FunctionType(%q, %q) = %q", signature, name, written)
			}
			if p, _ := FunctionParameter(written, int(n)); !strings.Contains(signature, p) {
				t.Fatalf("FunctionParameter(%q, %d) = %q", written, n, p)
			}
			NamedType(written)
		}
		TypeParameterNames(signature, name)
	})
}

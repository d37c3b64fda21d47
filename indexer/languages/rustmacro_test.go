package languages

import (
	"bytes"
	"strings"
	"testing"
)

func TestItemsInMacroCallsStandBare(t *testing.T) {
	for _, tt := range []struct{ name, source, want string }{
		{"a call around items", "cfg_rt! { pub fn f() { g!{1} } }", "cfg_rt!() pub fn f() { g!{1} }  "},
		{"a call on several lines", "a::b! {\n    #[x]\n    struct S;\n}\n", "a::b!()\n    #[x]\n    struct S;\n \n"},
		{"a brace without a blank before it", "m!{\nfn f() {} }", "m!()fn f() {}  "},
		{"a brace without blanks", "x! { y!{fn f() {}} }", "x!()    fn f() {}   "},
		{"a call in an impl", "impl<T> S<T> where T: Fn() -> u8 { m! { fn f() {} } }", "impl<T> S<T> where T: Fn() -> u8 { m!() fn f() {}   }"},
		{"a call in a call", "m! { n! { fn f() {} } }", "m!() n!() fn f() {}    "},
		{"the arms of cfg_if", "cfg_if! { if #[cfg(a)] { fn f() {} } else if #[cfg(b)] { fn g() {} } else { fn h() {} } }",
			"cfg_if!()                fn f() {}                       fn g() {}          fn h() {}    "},
		{"a call in a function stays", "fn f() { m! { fn g() {} } }", "fn f() { m! { fn g() {} } }"},
		{"a value stays", "const A: T = m! { fn g() {} };", "const A: T = m! { fn g() {} };"},
		{"statements stay", "m! { let a = 1; }", "m! { let a = 1; }"},
		{"a template stays", "m! { impl #name { } }", "m! { impl #name { } }"},
		{"the definition of a macro stays", "macro_rules! m { () => { n! { fn f() {} } } }", "macro_rules! m { () => { n! { fn f() {} } } }"},
		{"flags are an enum", "bitflags! { pub(crate) struct F: a::b { const A = {1; 2}; #[x = \";\"] const B = !0 }\nstruct G:u8{const _ = A.f(\";\");} }",
			"bitflags!() pub(crate) enum   F       {       A = {1; 2}, #[x = \";\"]       B = !0 }\nenum   G   {                   }  "},
		{"a bound is no flag", "m! { struct F: u32; } struct G<T: A> { a: T }", "m! { struct F: u32; } struct G<T: A> { a: T }"},
		{"braces in strings, characters and comments", "m! { fn f() { '{'; \"}\"; r#\"}\"#; b'}'; /* } /* } */ */ } // }\n}", "m!() fn f() { '{'; \"}\"; r#\"}\"#; b'}'; /* } /* } */ */ } // }\n "},
		{"a lifetime is no character", "m! { fn f<'a>(x: &'a u8) {} }", "m!() fn f<'a>(x: &'a u8) {}  "},
		{"a call that does not end", "m! { fn f() {}", "m! { fn f() {}"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			source := []byte(tt.source)
			if got := openMacros(source); string(got) != tt.want {
				t.Errorf("openMacros(%q)\n got %q\nwant %q", tt.source, got, tt.want)
			}
			if string(source) != tt.source {
				t.Errorf("the source changed to %q", source)
			}
		})
	}
}

// Calls inside of one another take linear time.
func TestNestedMacroCallsTakeLinearTime(t *testing.T) {
	const depth = 100_000
	source := []byte(strings.Repeat("m! { ", depth) + "fn f() {}" + strings.Repeat("}", depth))
	if got := openMacros(source); len(got) != len(source) {
		t.Errorf("%d bytes of %d", len(got), len(source))
	}
}

// FuzzOpenMacros holds that offsets stay: what changes becomes a blank, the parentheses of a call or
// the keyword and the commas of an enum.
func FuzzOpenMacros(f *testing.F) {
	f.Add([]byte("m! { #[a] pub(crate) fn f() {} }\nimpl A { n!{ fn g() {} } }"))
	f.Add([]byte("b! { struct F: u8 { const A = 1; const _ = 2 } }"))
	f.Add([]byte("c! { if #[cfg(a)] { mod x; } else { use y; } }"))
	f.Fuzz(func(t *testing.T, source []byte) {
		before := bytes.Clone(source)
		got := openMacros(source)
		if !bytes.Equal(before, source) || len(got) != len(source) {
			t.Fatalf("%d bytes of %d, source kept: %v", len(got), len(source), bytes.Equal(before, source))
		}
		for i := range got {
			if got[i] != source[i] && !strings.ContainsRune(" (),enum", rune(got[i])) {
				t.Fatalf("byte %d is %q, was %q", i, got[i], source[i])
			}
		}
	})
}

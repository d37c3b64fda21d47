package languages_test

import (
	"testing"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// FuzzParse holds the promise of the package: any bytes under any name give an
// outline with spans in range, properly nested, parents before children.
func FuzzParse(f *testing.F) {
	for _, seed := range []struct{ path, content string }{
		{"a.go", "package a\n\n// F does.\nfunc (t *T) F(x, y int) (a A, err error) { a, b := x.g()[0].h(); return }\ntype T struct { B; c, d *E }\nconst (\n\tX = iota\n)"},
		{"a.py", "@d\nclass A(B):\n    x, y = 1, 2\n    def f(self, *a, k: 'K' = None):\n        self.z, w = g()\n        return [i.j for i in w]\n"},
		{"a.ts", "export default class A<T> extends B.C implements I { constructor(private x: X) {} m = async () => ({...this.y}) }\nenum E { A, 'b' = 1 }\nconst {a, b: [c]} = d;"},
		{"a.tsx", "const A = ({a}: P) => <B.C x={a}>{a.map(i => <D key={i}/>)}</B.C>"},
		{"a.js", "const {a} = require('x'); A.prototype.b = function c() { this.d = new E() }; export { f as g, h }; export default i"},
		{"a.rs", "use a::{b as c, d::*};\n#[test]\nfn f() { let (x, y) = g(); match z { S { a, b: c } => 1, Some(q) => q.r() } }\nimpl<T> Tr for S<T> { type O = u8; }"},
		{"A.java", "package a.b; import static a.B.*; @A class C<T> extends D implements E { int a, b; C() { super(); } record R(int x) {} enum F { G { void h() {} } } }"},
		{"a.rb", "module A\n  # d\n  class B < C::D\n    attr_accessor :a, :b\n    def self.f(x) = @y ||= x&.z\n    def ==(o); end\n  end\nend"},
		{"a.c", "typedef struct a { int b; union { int c; } d; } a_t;\n#ifdef X\nint f(void) {\n#else\nint g(void) {\n#endif\n  return h(MAX);\n}\nint k(a) int a; {}\nAPI_EXPORT int e(void) API_NOTHROW;"},
		{"a.cc", "namespace a::b { template <class T> class C : public D<T> { ~C(); T operator()(int) const; }; }\nvoid a::C::f() { auto x = R\"(\n)\"; }\nTEST(A, B) {}"},
		{"a.h", "#ifndef A\n#define A\nclass API B final { friend class C; };\n#endif"},
		{"a.cs", "using static A.B; namespace N;\n[A] class C<T>(int x) : D, E { #if X\n public T P { get; } = @\"\\\";\n#endif\n C this[int i] => a?[i]?.B<T>(out var y); }\nrecord R(int Q);"},
		{"a.php", "<?php namespace A\\B; use C\\{D, E as F}; #[G] enum H: int { case I = 1; public const J = [1]; }\nclass K { public function __construct(private ?L $m) { self::$n = static::o(...)?->p; } }"},
		{"a.kt", "package a\nimport b.c as d\n@E data class F<T>(val g: H?) : I(), J by k { companion object { const val L = 1 }\n fun M.n() = o?.p!!.q { r -> r.s } }"},
		{"a.swift", "@_exported import A\n#if B\n@C final class D<E: F>: G where E: H { lazy var i: [J?] = { k() }()\n subscript(l: Int) -> M { get { #n } } }\n#endif\nextension [O] { func p() async throws { try await q?.r!(()) { [weak self] s in /t u/ ?? \"\\(v)\" } } }"},
		{"a.scala", "package a\npackage b\nimport c.{d => e, _}, f.given\n@G case class H[+I](j: K)(implicit l: M) extends N[I](j)(l) with O { lazy val (p, q) = r { case s @ T(u) => s\"$v\" } }\nprivate enum W:\n  case X, Y\nextension (z: A)\n  def b = z"},
		{"a.md", "# T\n\n```go\nfunc f() {}\n```\n"},
		{"a.sh", "source a.sh\nA=1\nf() {\n  local b=\"$A\"\n  g ${b} | h\n}\n@test \"x y\" {\n  f\n}\n"},
		{"a.bats", "@test '' {\n}\n@test \"a\" {\n"},
		{"a.lua", "local a, b = require 'x', require('y').z\nlocal M = {f = function() end}\nfunction M.g:h(...) self.x() for i, v in pairs(a) do end end\nM['k'] = function() return setmetatable({}, M) end"},
		{"a.ex", "defmodule A.B do\n  alias C.{D, E}\n  @doc \"x\"\n  @spec f(t) :: t\n  def f(%{a: b} = c, {d, e}) when d, do: __MODULE__.g!(c)\n  defimpl P, for: A do\n  end\nend"},
		{"a.ml", "open A\nmodule B = C.D\n(** d *)\nlet rec f ?(x=1) (y : t) = let z = g y in z#m\nand h = function A x -> x | _ -> E.i\ntype 'a t = { a : int } and u = B | C of int"},
		{"a.mli", "val f : int -> t\n(** d *)\n\nmodule M : sig\n  val g : int\n  (** e *)\nend\n(** f *)"},
		{"a.proto", "package a.b;\nimport public \"c\";\n// d\nmessage M { oneof o { N n = 1; } map<string, a.B> m = 2; enum E { X = 0; } }\nservice S { rpc R(M) returns (stream .a.M) {} }\nextend A { int32 b = 1; }"},
		{"a.proto", "// some comment here\nedition = \"2023\";\nmessage A { required B b = 1; optional group G = 2 { } extensions 4 to max; reserved \"x\"; }"},
		{"a.json", "{\"a\": {\"b\": [1, {\"c\": {}}]}, \"d\": null,}"},
		{"a.yaml", "a: &x\n  - b: {c: d}\n---\nkind: K\nmetadata: {name: n}\n{{- if }}\n'k': |\n  t\n"},
		{"a.toml", "a = [1]\n[b.c]\nd = {e = 1}\n[[f]]\n"},
		{"a.tf", "resource \"a\" \"b\" {\n x = data.c.d[0].e\n}\nlocals { y = \"${var.z}\" }\nmodule \"m\" { source = \"./m\" }"},
		{"a.css", "@import url(a.css);:root{--a:1}.b>c:hover{d:var(--a)}@media x{e{f:g}}@keyframes h{from{i:j}}"},
		{"a.html", "<link href=a.css><div id=\"b\"><script type=module>import {c} from './d';c()</script><style>e{f:g}</style></div>"},
		{"a.html.erb", "<% a.each do |b| -%><p class=\"<%= c(b) %>\"><%# d %><%% e</p><% end %><script>f(<%== g %>)</script>"},
		{"a.vue", "<script setup>import A from './a.vue'</script><template><a-b :c=\"{d}\" @e=\"f(g)\" v-for=\"h of i\">{{ j > k }}</a-b></template><template lang=pug>p {{ l }}</template>"},
		{"a.svelte", "<script lang=ts>export let a: B;</script>{#each a as b (b.c)}<D {b} on:e={() => f(b)}/>{/each}<style>g{h:i}</style>"},
		{"x", "#!/usr/bin/env python3.11\nprint(1)\n"},
		{"a.go", "func f() { \xff\x00 }\n\x00"},
	} {
		f.Add(seed.path, []byte(seed.content))
	}
	f.Fuzz(func(t *testing.T, path string, content []byte) {
		if len(content) > maxFuzzed {
			t.Skip() // size is the matter of the test of hostile input
		}
		o := languages.Parse(record.Path(path), content)
		if err := checkOutline(&o); err != nil {
			t.Fatal(err)
		}
	})
}

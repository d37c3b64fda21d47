package languages

import (
	"context"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	sitter "github.com/smacker/go-tree-sitter"

	"ambit/vectors/record"
)

// matchesOf spells the matches of a row's query in a file, one a line: pattern and
// captures with their places.
func matchesOf(r *row, content []byte) []string {
	c := r.compiled()
	var out []string
	work := int64(math.MaxInt64)
	c.grammar.scan(content, c.wanted, &work, func(nodes []node) {
		c.match(nodes, func(p *pattern, found []capture) {
			var b strings.Builder
			fmt.Fprintf(&b, "%d", p.number)
			for _, f := range found {
				fmt.Fprintf(&b, " %d:%d-%d", f.index, f.start, f.end)
			}
			out = append(out, b.String())
		})
	})
	return spelled(out)
}

// oracleMatches spells what tree-sitter's own query engine finds.
func oracleMatches(t *testing.T, r *row, content []byte) []string {
	t.Helper()
	c := r.compiled()
	source := ""
	for _, name := range strings.Fields(r.query) {
		part, err := queries.ReadFile("queries/" + name)
		if err != nil {
			t.Fatal(err)
		}
		source += string(part)
	}
	q, err := sitter.NewQuery([]byte(source), r.grammar())
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	index := map[string]uint16{}
	reader := queryReader{c: &compiled{grammar: c.grammar}, s: source, captures: index}
	for reader.blanks(); reader.i < len(reader.s) && reader.err == nil; reader.blanks() {
		reader.pattern()
	}
	parser := sitter.NewParser()
	defer parser.Close()
	parser.SetLanguage(r.grammar())
	tree, err := parser.ParseCtx(context.Background(), nil, content)
	if err != nil {
		t.Fatal(err)
	}
	defer tree.Close()
	cursor := sitter.NewQueryCursor()
	defer cursor.Close()
	cursor.Exec(q, tree.RootNode())
	var out []string
	for {
		m, ok := cursor.NextMatch()
		if !ok {
			return spelled(out)
		}
		var b strings.Builder
		fmt.Fprintf(&b, "%d", m.PatternIndex)
		for _, x := range m.Captures {
			fmt.Fprintf(&b, " %d:%d-%d", index[q.CaptureNameForId(x.Index)], x.Node.StartByte(), x.Node.EndByte())
		}
		out = append(out, b.String())
	}
}

// patternTexts returns the patterns of a row's query as they are written.
func patternTexts(t *testing.T, r *row) []string {
	t.Helper()
	source := ""
	for _, name := range strings.Fields(r.query) {
		part, err := queries.ReadFile("queries/" + name)
		if err != nil {
			t.Fatal(err)
		}
		source += string(part)
	}
	reader := queryReader{c: &compiled{grammar: r.compiled().grammar}, s: source, captures: map[string]uint16{}}
	var texts []string
	for reader.blanks(); reader.i < len(reader.s) && reader.err == nil; reader.blanks() {
		start := reader.i
		reader.pattern()
		texts = append(texts, source[start:reader.i])
	}
	return texts
}

func spelled(matches []string) []string {
	slices.Sort(matches)
	return slices.Compact(matches)
}

// The matches of this package and of tree-sitter must be the same on real code of each
// language. Two kinds of pattern are exceptions: a choice before a closing anchor, which
// tree-sitter also matches before the last child, and a repeated child of a repeated child,
// of which tree-sitter drops some. AMBIT_ORACLE_TREES names further trees to compare.
func TestMatchesAreThoseOfTreeSitter(t *testing.T) {
	if testing.Short() {
		t.Skip("parses a part of the standard library")
	}
	files := map[record.Path][]byte{}
	for path, source := range samples {
		files[path] = []byte(source)
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatalf("find the Go installation: %v", err)
	}
	roots := []string{filepath.Join(strings.TrimSpace(string(goroot)), "src", "net", "http")}
	if extra := os.Getenv("AMBIT_ORACLE_TREES"); extra != "" {
		roots = append(roots, filepath.SplitList(extra)...)
	}
	for _, root := range roots {
		err := filepath.WalkDir(root, func(p string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() || rowOf(record.Path(p), nil) == nil {
				return err
			}
			content, err := os.ReadFile(p)
			const maxFile = 1 << 20
			if len(content) <= maxFile {
				files[record.Path(p)] = content
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for path, content := range files {
		r := rowOf(path, content)
		same := func(m string) bool {
			var number int
			fmt.Sscanf(m, "%d", &number)
			return !strings.Contains(patternTexts(t, r)[number], "] @result .") && !strings.Contains(patternTexts(t, r)[number], "@narrow")
		}
		if r == nil || r.compiled() == nil {
			t.Fatalf("no grammar for %s", path)
		}
		want, got := oracleMatches(t, r, content), matchesOf(r, content)
		for _, m := range want {
			if _, ok := slices.BinarySearch(got, m); !ok && same(m) {
				t.Errorf("%s: missing match %s", path, describe(r, content, m))
			}
		}
		for _, m := range got {
			if _, ok := slices.BinarySearch(want, m); !ok && same(m) {
				t.Errorf("%s: match %s that tree-sitter does not find", path, describe(r, content, m))
			}
		}
	}
}

// describe quotes what a spelled match captured.
func describe(r *row, content []byte, m string) string {
	fields := strings.Fields(m)
	for i, f := range fields[1:] {
		var c, start, end int
		fmt.Sscanf(f, "%d:%d-%d", &c, &start, &end)
		fields[i+1] = fmt.Sprintf("%s=%.40q", f, content[start:end])
	}
	return strings.Join(fields, " ")
}

// samples hold each construct that the queries ask for, by language.
var samples = map[record.Path]string{
	"a.go": `package x
// A is.
const A = 1
const (
	B = iota
	// C is.
	C
)
type (
	T struct { a int }
	U = T
)
// S is.
type S struct{ *T; b []T }
func (s *S) M(t T) (x *T, err error) { y := s.b; z := y.foo(); var q = New(); q.run(z); var k T; k.a++ ; return &T{a: 1}, nil }
`,
	"a.py": `"""Doc."""
from __future__ import annotations
import a.b as c, d.e
from .x import (y as z, w)
from . import core
from q import *
MAX: int = 3
if t.TYPE_CHECKING:
    import foo
@dec(1)
class A(Base, m.Other[T], metaclass=Meta):
    """Doc A."""
    attr: Foo = 1
    other = Bar()
    @property
    async def m(self, x: Foo, *args: int, y: "Bar" = 3, **kw) -> list[Foo]:
        """Doc m."""
        self.z = Foo(x)
        self.k: Opt[Foo] = None
        v, w = foo()
        with open(f) as fh, ctx() as (g, h): pass
        for i in range(3): pass
        try: pass
        except (E, F) as e: raise X("d") from e
        u = [n.b for n in nn if n]
        lam = lambda r: r.x
        return super().m(x)
        if (wal := foo()): pass
def f(a, b=1, *, c): return a[0].b(c)
T = t.TypeVar("T")
match x:
    case Foo(b=c): pass
`,
	"a.ts": `import D, { a as b, type C } from './x';
import * as ns from "y";
import type { Q } from './q.js';
export * from './z';
export * as core from './z2';
export { m as n, o } from './w';
const r = require('r');
/** Doc. */
@Dec()
export default abstract class A<T> extends B<T> implements I, J.K {
  private readonly f: Map<string, Foo> = new Map();
  static s = 1;
  constructor(private x: Foo, y?: Bar) { super(); this.z = new Foo(); }
  get g(): Foo { return this.f.get(1)!.bar(); }
  m = (p: P): R => { return p.q; };
  abstract am(): void;
}
export interface I extends H, G<string> { a: Foo; b?(x: Bar): Baz; (call: X): Y; [k: string]: V }
export type U<T> = { k: T } | Foo<T> & ns.Bar;
enum E { X = 1, Y }
namespace N { export function nf() {} }
export const fn = async <T,>(x: T): Promise<Foo> => { const { d, e: ee, ...rest } = x; for (const i of list) i.go(); try {} catch (err) {} };
export function over(a: string): void;
export function over(a: any) { let v = a as Foo; v.x?.y(); return new ns.Cls(a); }
let z1 = 1, z2 = fn();
function g2({ p1, p2 = 3 }: Opts, [q1]: X[]) {}
declare module "foo" { }
const obj = { key: 1, meth() { return 2 }, arrow: (x) => x, shorthand };
describe("suite", () => { it('works', async () => { expect(1) }) });
export const cls: core.$constructor<ZodX> = core.$constructor("ZodX", (inst, def) => { inst.parse = (d) => parse(inst, d); });
type F = typeof fn; let s2 = x satisfies Foo;
`,
	"a.js": `class A extends B { f = 1; #p = 2; static s() {} get x() { return 1 } constructor() { this.z = new Foo(); } }
app.use = function use(fn) { var a = function () {}; let {x, y: z = 3} = q; }
module.exports = function foo() {}
exports.bar = bar;
const { a, b: c } = require('./r');
A.prototype.m = function(x, {y}, [z], ...r) {}
var p = { k: function() {}, m() {}, a: x => x };
import def, { n as m } from 'q';
export default class {}
export { x as y };
function* gen() {}
`,
	"a.c": `#include <stdio.h>
#include "foo.h"
#define MAX(a,b) ((a)>(b)?(a):(b))
#define N 3
typedef struct node { int x; struct node *next; } node_t;
struct s2 { uv_loop_t* loop; void (*cb)(int); char buf[N]; };
enum e { A = 1, B };
typedef int (*fn_t)(int);
typedef unsigned long ulong_t;
union u { int a; };
static CURLcode foo(struct Curl_easy *data, int *p, char *argv[]);
static int g = 3, *h;
const char *names[] = { "a" };
/* doc */
static CURLcode *foo(struct Curl_easy *data, int n)
{
  struct node *a = data->first; int i = bar(n), j;
  for(int k=0;k<n;k++) data->set.x[k].cb(a->x);
  if(MAX(a->x, i)) return CURLE_OK;
  return (struct node *)q;
}
int uv__x(void) UV_EXPORT;
extern int ext;
#ifdef X
int y(void) { return 1; }
#endif
`,
	"a.cc": `#include "absl/base.h"
namespace absl { inline namespace lts {
template <typename T, int N>
class Foo final : public Base<T>, private ns::Other {
 public:
  explicit Foo(int a) : a_(a), b_{1} {}
  ~Foo();
  Foo& operator=(const Foo&) = delete;
  virtual std::string name(const Bar& b) const override { return b.x()->y; }
  static constexpr int kMax = 3;
  using value_type = T;
 private:
  T a_; std::vector<Foo*> b_;
  friend class X;
};
template <typename T> void Foo<T>::run(int n) { auto x = make<Foo>(n); x.go(); Foo y(1); for (auto& e : b_) e->z(); ns::call(1); new Foo(2); auto l = [&](int q) { return q; }; this->a_ = 1; }
enum class E : int { A, B };
using Alias = std::map<int, Foo>;
struct S { int f; };
int Foo::Bar::deep() { return 0; }
bool operator==(const S& a, const S& b);
#define ABSL_X(x) x
concept_t auto v = 1;
extern "C" { int c(void); }
TEST(FooTest, Works) { EXPECT_EQ(1, 2); }
}  }
`,
	"a.rs": `use std::{fmt, io::{self, Read as R}};
use crate::a::b::*;
mod sub;
/// Doc
#[derive(Debug)]
pub struct S<T: Tr> { pub a: Vec<Foo>, b: T }
pub struct T1(u8, Foo);
pub enum E { A, B(Foo), C { x: i32 } }
pub trait Tr: Base + fmt::Debug { type Out; const K: i32 = 1; fn f(&self) -> Foo; fn g(&self) { self.f(); } }
impl<T> Tr for S<T> { fn f(&self) -> Foo { self.a.iter().map(|x| x.go()); Foo::new(1)?.run().await; let y = bar::<T>(); let Foo { q, .. } = z; match e { E::A => 1, E::B(f) => f.k(), _ => 0 }; S { a: vec![], b } } }
impl S<u8> { pub fn new(a: &mut Foo, mut b: Option<Bar>) -> Self { for i in a.items() {} if let Some(k) = b { k.l() } } }
macro_rules! mac { () => {} }
const N: usize = 3; static G: Foo = Foo::new();
type Al = Result<Foo, Err>;
#[test] fn t() { mac!(a, b.c()); }
mod inner { pub fn z() {} }
`,
	"A.java": `package com.x.y;
import java.util.List;
import static a.B.c;
import a.b.*;
/** Doc */
@Ann(1)
public final class A<T extends Q> extends B<T> implements I, J.K {
  private static final Map<String, Foo> M = new HashMap<>();
  int a, b = 2;
  public A(Foo x) { super(x); this.f = x; }
  @Override public <R> List<R> m(final Foo p, int... q) throws E { Foo v = p.go().x; var w = new Bar(1); for (Foo i : v.list()) i.z(); try (R r = o()) {} catch (E1 | E2 e) {} A.sm(); return q -> q.k(); }
  interface In { void n(); default int d() { return 1; } }
  enum En { X(1), Y; int z; En() {} }
}
record Rec(int a, Foo b) {}
@interface An { int v() default 1; }
`,
	"a.cs": `using A; global using static B.C; using D = E.F<int>;
namespace N.M { [At(1)] public sealed class K<T>(Foo p) : Base<T>(p), I.J where T : Foo {
  const int Max = 3; readonly Foo f = new(), g; event Action E1; event Action E2 { add { } remove { } }
  public K(Foo x) : base(x) { } ~K() { } public Foo P { get; set; } Foo Q => p.X; Foo R { get { return f; } }
  public Foo this[int i] => a[i]; public static K<T> operator +(K<T> a, Foo b) => a; public static implicit operator int(K<T> k) => 1;
  async Task<Foo> Run<U>(this Foo s, params string[] a) { var z = new Bar<int>(1) { A = 2 }; Foo w = await c.Get<Bar>(a, out var q, n: 1); foreach (Foo i in l.Where(x => x.Ok)) i?.Go();
    foreach (var (k, v) in d) { } using (var s2 = Open()) { } try { } catch (MyEx ex) when (ex.A) { } if (o is Foo foo) foo.X(); switch (o) { case Foo ff: break; case { A: 1 } r: break; }
    var t = x as Foo; var u = (Foo)y; var (t1, t2) = T(); for (int j = 0; j < 3; j++) { } from y2 in us where y2.A select y2.B; lab: goto lab; delegate (int d1) { return d1; }; int Local(int l1) => l1; fixed (byte* b = x) { } S<int>.C<Bar>(typeof(Foo), default(Foo)); }
} }
enum En : byte { A = 1, [X] B } record struct Rec(int Z); interface In { Foo M(); } delegate Foo De(int x); struct St(Foo sf) { }
`,
	"a.kt": `@file:JvmName("X")
package shop.cart
import money.Price
import money.Tax as T
import util.*

/** Doc. */
@Serializable
data class Cart<T : Foo>(private val first: Item?, val count: Int = 3, plain: Foo) : Base<T>(first), ICart, Other by plain {
    companion object {
        const val MAX = 3
        fun make(): Cart = Cart(null)
    }
    val lazyOne: Item by lazy { Item() }
    var total: Int = 0
        get() = field + 1
    lateinit var store: Store
    init { store = Store() }
    constructor(x: Int) : this(null, x) { go() }
    @Test
    override suspend fun run(price: Price?, vararg names: String): List<Item> {
        return made()
    }
    inner class In
    enum class Color(val rgb: Int) : HasX { 
        RED(1),
        @Old
        GREEN;
        fun m() {}
    }
}
fun <T> List<T>.second(n: Int): T? = this[n]
val Item.weight: Int
    get() = 1
private val top = Item()
typealias Names = List<String>
object Single : Base() {
    fun x() {}
}
sealed interface ICart {
    fun find(k: String): Item
    val n: Int
}
fun interface Act {
    fun act()
}
annotation class Ann(val x: Int)
fun works() { }
class A(private val store: Store) {
    fun run(price: Price?, f: Foo): Item {
        val x = Price(2)
        val (a, b) = pair()
        val y = store.find(1)?.owner!!.go()
        for (i in f.list) i.stop()
        for ((k, v) in map) v.stop(k)
        list.map { it.name }.filter { z -> z.ok }
        when (val w = x) {
            is Cheap -> w.cheap()
            else -> {}
        }
        try { helper(x, named = y) } catch (e: MyErr) { throw Failure(e.message) }
        if (x is Cheap) x.cheap()
        val o = object : Listener() {
            override fun on() {}
        }
        fun inner(q: Foo) = q.bar()
        super.run(price)
        this@A.run(price)
        Color.RED.show(::helper)
        foo<Bar>()
        return "a ${x.name} $y"
    }
}
`,
	"a.php": `<?php
namespace A\B; use C\D as E; use F\{G, H as I}; use function J\k; require_once __DIR__ . '/x.php'; include 'y.php';
#[At(1)] abstract class K extends L implements M, \N { use O, P\Q { r as s; } const A = 1, B = X; private ?E $f = null; static $g; public string $h { get => $this->i; }
  function __construct(private readonly E $j, int $k = self::A) { parent::__construct($k); } abstract function l(): ?E;
  function m(E|null $p, &$q, ...$r): static { $x = new E($p); $y = $this->f?->go(1)->h; [$a, $b] = foo(); foreach ($x as $k => $v) {} foreach ($x as $v2) {} try {} catch (S | T $e) { throw new \U; }
    if ($p instanceof E) { $p->v(); } $c = clone $x; static $st = 1; global $gl; self::$g[] = static::w(name: MAX); $fn = fn(E $z) => $z; $an = function () use ($x): E { return $x; }; \strlen(A\b()); return E::class; } }
interface M extends L1 { function n(E $o): E; } trait O { } enum P1: int { case A = 1; const B = 2; } function top(): E { return MAX ? A : B; } const TOP = 1; define('OLD', 2);
`,
	"a.rb": `require 'json'
require_relative "../foo"
module A
  module B
    # Doc
    class C < D::E
      include F
      attr_accessor :x, :y
      K = 1
      def initialize(a, b = 2, *c, d: 3, **e, &f)
        @a = Foo.new(a)
        super
      end
      def self.make(z) = new(z)
      def m?; x.each { |i, j| i.go }; helper(1); helper2; @a.run!; D::E.call; rescue Err => e; end
      private
      class << self; def k; end; end
      alias_method :n, :m
    end
  end
end
def top; yield; end
describe "x" do
  it "works" do; end
end
class G::H; end
`,
}

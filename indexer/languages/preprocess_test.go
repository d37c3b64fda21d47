package languages

import (
	"bytes"
	"slices"
	"testing"
)

func TestMacrosThatHideDeclarationsAreBlank(t *testing.T) {
	for _, tt := range []struct{ name, source, want string }{
		{"an export macro", "UV_EXTERN int f(void);", "          int f(void);"},
		{"an export macro behind a storage word", "static API const char *f(void);", "static     const char *f(void);"},
		{"a type in capitals stays", "DWORD f(void);\nFILE *g;", "DWORD f(void);\nFILE *g;"},
		{"a marker on its own line", "namespace a {\nA_BEGIN\n\n// c\nclass B {};\nA_END\n}", "namespace a {\n       \n\n// c\nclass B {};\n     \n}"},
		{"the attribute of a class", "class API Foo : public Bar {};", "class     Foo : public Bar {};"},
		{"a struct in capitals stays", "struct FOO bar;", "struct FOO bar;"},
		{"attributes behind the parameters", "void f() LOCKS(mu) NOTHROW {}", "void f()                   {}"},
		{"an attribute of a member", "class A { int x GUARDED_BY(mu); };", "class A { int x               ; };"},
		{"an attribute behind a pointer", "void f(T* absl_nonnull p, const char *const q);", "void f(T*              p, const char *const q);"},
		{"a calling convention", "int WSAAPI f(void);", "int        f(void);"},
		{"a declaration as an argument", "EXPORT(int f(void));", "       int f(void) ;"},
		{"a function as an argument", "UNUSED(static char *f(void)) { g(); }", "       static char *f(void)  { g(); }"},
		{"a function of a struct as an argument", "UNUSED(static struct a *f(void)) { g(); }\nAPI(struct a f(struct b c));", "       static struct a *f(void)  { g(); }\n    struct a f(struct b c) ;"},
		{"a type as an argument stays", "LIST(struct a, b);", "LIST(struct a, b);"},
		{"a constant whose type is in capitals", "const WCHAR PREFIX[] = L\"\";", "const WCHAR PREFIX[] = L\"\";"},
		{"an enumerator stays", "enum E {\n  ALPHA,\n  BETA\n};", "enum E {\n  ALPHA,\n  BETA\n};"},
		{"a call in a function stays", "void f() { CHECK(x); if (y) LOG(z); }", "void f() { CHECK(x); if (y) LOG(z); }"},
		{"a statement without its semicolon gets one", "void f() {\n  MAP(x)\n  g();\n}", "void f() {\n  MAP(x);  g();\n}"},
		{"a macro behind the name of an enum", "enum type SIZED(char) { a, b };", "enum type             { a, b };"},
		{"a macro behind the name of a class", "struct A FINAL : B { int x; };", "struct A       : B { int x; };"},
		{"a function of an enum stays", "enum type GET(int a) { return b; }", "enum type GET(int a) { return b; }"},
		{"a condition among template parameters", "template <class T, ENABLE_IF(!is<T>::value)> int f();", "template <class T, int     =(!is<T>::value)> int f();"},
		{"an attribute of an array", "struct A { int x[2] GUARDED_BY(mu); };", "struct A { int x[2]               ; };"},
		{"a macro before a destructor", "struct A {\n X_EXPR ~A() = default; };", "struct A {\n        ~A() = default; };"},
		{"a macro before a constructor", "struct A {\nX_EXPR A(int a) noexcept : a_(a) {}\n};", "struct A {\n       A(int a) noexcept : a_(a) {}\n};"},
		{"a macro before a qualified name", "void X_INLINE a::b<T>::flush() { g(); }", "void          a::b<T>::flush() { g(); }"},
		{"a test stays", "TEST(Foo, Bar) { x(); }", "TEST(Foo, Bar) { x(); }"},
		{"capitals in strings and comments stay", "char *s = \"API int f\"; /* API int f */ // API int g\n", "char *s = \"API int f\"; /* API int f */ // API int g\n"},
		{"a comment that opens with its end", "/*/ API int f */ API int g(void);", "/*/ API int f */     int g(void);"},
		{"both branches that are whole stay", "#ifdef A\nint a;\n#else\nint b;\n#endif\n", "        \nint a;\n     \nint b;\n      \n"},
		{"of branches that open a brace the first stays", "#if A\nint f() {\n#else\nint g() {\n#endif\n}\n", "     \nint f() {\n     \n         \n      \n}\n"},
		{"of branches inside an expression the first stays", "void f() { g(a,\n#if A\n b\n#else\n c\n#endif\n); }", "void f() { g(a,\n     \n b\n     \n  \n      \n); }"},
		{"what is switched off goes", "#if 0\nint a(\n#endif\nint b;", "     \n      \n      \nint b;"},
		{"a raw string is skipped", "auto s = R\"x(API int f { )x\"; int g;", "auto s = R\"x(API int f { )x\"; int g;"},
		{"an attribute of a pointer", "void __iomem *p;", "void         *p;"},
		{"an attribute of a function", "static int __init f(void);", "static int        f(void);"},
		{"an attribute of the C library", "static a\n__attribute_pure__\nf(int b) {}", "static a\n                  \nf(int b) {}"},
		{"an attribute before the type", "static __always_inline u64 f(void);", "static                 u64 f(void);"},
		{"an attribute with arguments", "__printf(2, 3)\nint f(char *s, ...);", "              \nint f(char *s, ...);"},
		{"attributes behind the parameters with small letters", "void f(void) __acquires(a) __releases(b)\n{}", "void f(void)                            \n{}"},
		{"an attribute of a variable", "static int x __read_mostly = 1, y[2] __data;", "static int x               = 1, y[2]       ;"},
		{"an attribute in a cast", "void f() { a = (__force int)b; c = (void __user *)d; }", "void f() { a = (        int)b; c = (void        *)d; }"},
		{"types with underscores stay", "static __u32 a; __le16 *b; const __be64 *c; struct __foo *d; __wsum e;", "static __u32 a; __le16 *b; const __be64 *c; struct __foo *d; __wsum e;"},
		{"names with underscores stay", "int __f(__u8 a);\nunsigned long __x;\nchar *__y, __z;", "int __f(__u8 a);\nunsigned long __x;\nchar *__y, __z;"},
		{"values with underscores stay", "int f() { return __a * b + (__c) * d; __g(x); }", "int f() { return __a * b + (__c) * d; __g(x); }"},
		{"what the grammar reads stays", "__extension__ typedef int a; __attribute__((x)) int f(void); __typeof(x) y;", "__extension__ typedef int a; __attribute__((x)) int f(void); __typeof(x) y;"},
		{"a type as an argument", "void f() { a = container_of(p, struct b, c); g(sizeof(struct d)); }", "void f() { a = container_of(p,        b, c); g(sizeof(struct d)); }"},
		{"the types of parameters stay", "void f(struct a, struct b);", "void f(struct a, struct b);"},
		{"two attributes before a function", "NODISCARD\nDEPRECATED(\"x\")\nint f();", "         \n               \nint f();"},
		{"a marker at the end of the file", "namespace a {\n}\nA_END", "namespace a {\n}\n     "},
		{"an attribute before the values of a constructor", "struct A {\n  A(B& b) LOCKS(b) : b_(b) {}\n};", "struct A {\n  A(B& b)          : b_(b) {}\n};"},
		{"an attribute of a declaration in a function", "void f() {\n  X_UNUSED bool a = b();\n  NEW_UNUSED = 1;\n}", "void f() {\n           bool a = b();\n  NEW_UNUSED = 1;\n}"},
		{"an attribute of a reference", "void f(A& __restrict a, A* __restrict b);", "void f(A&            a, A* __restrict b);"},
		{"an instance of a template that is elsewhere", "extern template class A<int>;\nextern \"C\" int f();", "       template class A<int>;\nextern \"C\" int f();"},
		{"the name of a type as an argument", "void f() { g(typename T::A(), 1); }", "void f() { g(         T::A(), 1); }"},
		{"a value behind the one that tells the type", "auto f(B j) -> decltype(g<A, B>(j, 1), void());", "auto f(B j) -> decltype(g<A, B>(j, 1)        );"},
		{"a macro around the type of a function", "API(const char *) f(void)\n{}\nstatic Api(int) g(void);", "    const char *  f(void)\n{}\nstatic     int  g(void);"},
		{"a macro around the type of a variable", "PyAPI_DATA(A) b;\nstruct A {\nLIST(a) b; };", "           A  b;\nstruct A {\n     a  b; };"},
		{"a macro with a text before a function", "struct A {\nDEPRECATED(\"x\") A(int a);\nalignas(B) char b[2];\nexplicit(C) A(); };", "struct A {\n                A(int a);\nalignas(B) char b[2];\nexplicit(C) A(); };"},
		{"a macro around parameters", "extern int API f OF((int a, b (*c)(d)));\nlocal int g __P((void));", "extern int     f    (int a, b (*c)(d)) ;\n      int g     (void) ;"},
		{"a macro around the parameters of a pointer", "typedef int (*f) OF((int a));\nvoid g(int a) LOCKS((a));", "typedef int (*f)    (int a) ;\nvoid g(int a)           ;"},
		{"a macro behind a type", "typedef Byte FAR b;\nint FAR *c;\nstruct d FAR *e(f FAR *);\nvoid g() { h = (struct d FAR *)i * J; }", "typedef Byte     b;\nint     *c;\nstruct d     *e(f     *);\nvoid g() { h = (struct d     *)i * J; }"},
		{"a macro around all of a function", "FUNCTION(void,API\nf,(int a, b (*c)(d)), NORETURN)\n{}\nEXPORT(1, int, g, (void));", "         void    \nf (int a, b (*c)(d))           \n{}\n          int  g  (void) ;"},
		{"a macro at the end of a conditional", "#ifdef A\nOFF(b)\n#endif\nc d;", "        \n      \n      \nc d;"},
		{"a macro before one with arguments at the end of a conditional", "#ifdef A\nPUSH\nOFF(b)\n#endif\nc d;", "        \n    \n      \n      \nc d;"},
		{"a mock of a method", "class A {\n  MOCK_METHOD(B<C, D>, e, (int), (override));\n};", "class A {\n              B<C, D>  e  (int)             ;\n};"},
		{"a list without a name stays", "RUN(a, (b));\nLIST(a, \"b\", (c));", "RUN(a, (b));\nLIST(a, \"b\", (c));"},
		{"values in two pairs of parentheses stay", "A b((c));\nint d __attribute__((e));", "A b((c));\nint d __attribute__((e));"},
		{"a macro for an access", "class A {\nPRIVATE_UNLESS_TESTED:\n  int a;\n};", "class A {\n                      \n  int a;\n};"},
		{"macros for try and catch", "void f() {\n  LIB_TRY\n  { g(); }\n  LIB_CATCH (E&) { h(); }\n  A_TYPE{1};\n}", "void f() {\n         \n  { g(); }\n                 { h(); }\n  A_TYPE{1};\n}"},
		{"a macro before a static local", "void f() {\n  CONST_INIT static A a(1);\n  DWORD const b = 2;\n}", "void f() {\n             static A a(1);\n  DWORD const b = 2;\n}"},
		{"a macro behind the parameters of a template", "template <class T> API T f();\ntemplate <class T> T* g();", "template <class T>     T f();\ntemplate <class T> T* g();"},
		{"a macro before a constructor outside of its class", "API A::A(int a) {}\nAPI A::~A() {}\nAPI a::A::operator b::C() const {}\nAPI A::operator==(A b) {}", "    A::A(int a) {}\n    A::~A() {}\n    a::A::operator b::C() const {}\nAPI A::operator==(A b) {}"},
		{"a macro before a local", "void f() {\n  API_VOLATILE char c = 1;\n  DWORD d = 2, e;\n  ELSE return f;\n}", "void f() {\n               char c = 1;\n  DWORD d = 2, e;\n       return f;\n}"},
		{"a statement without parentheses and a semicolon gets one", "void f() {\n  SAVE_IF_FULL\n  g();\n}\nenum E {\n  ALPHA,\n  BETA\n};", "void f() {\n  SAVE_IF_FULL;  g();\n}\nenum E {\n  ALPHA,\n  BETA\n};"},
		{"a macro before the type of a parameter", "int f(UNUSED int a, DWORD b, UNUSED char *c, DWORD);", "int f(       int a, DWORD b,        char *c, DWORD);"},
		{"a word before the name of a class", "class Api A : public B {};\nenum class C : int {};\nstruct D final : E {};\nclass F::G {};\nstruct H I = {};", "class     A : public B {};\nenum class C : int {};\nstruct D final : E {};\nclass F::G {};\nstruct H I = {};"},
		{"a macro before an attribute of a class", "class LOCKABLE [[nodiscard]] A {};", "class          [[nodiscard]] A {};"},
		{"a matcher", "MATCHER_P2(Has, a, b, \"c, d\") { return a; }\nMATCHER(Is, \"\") { return b; }", "           Has( a, b        ) { return a; }\n        Is(   ) { return b; }"},
		{"operators that are called by name", "void f() { a->operator[](b); return !c.operator<(d) && operator<(c, d); }", "void f() { a->Operator  (b); return !c.Operator (d) && operator<(c, d); }"},
		{"a declared operator stays", "void f() { struct A { bool operator<(A b); A& operator=(A b); }; }", "void f() { struct A { bool operator<(A b); A& operator=(A b); }; }"},
		{"the name of a type as a value", "void f() { a = typename T::A(); }", "void f() { a =          T::A(); }"},
		{"the text of an error", "#ifdef A\n#error don't\n#endif\nint a;", "        \n            \n      \nint a;"},
		{"a word before the type of a function of C++", "inlined A<b> C::d() { e(); }\nstatic inlined f<int> g(int a);\nwarned inlined h i::operator==(j k);\ntemplate <class T>\ninlined T& l(T m) {}\nstruct N {\npublic:\n  inlined unsigned int o();\n};", "        A<b> C::d() { e(); }\nstatic         f<int> g(int a);\n               h i::operator==(j k);\ntemplate <class T>\n        T& l(T m) {}\nstruct N {\npublic:\n          unsigned int o();\n};"},
		{"a word before a constructor outside of its class", "inlined A::A() : b(1) {}\ninlined A::~A() {}", "        A::A() : b(1) {}\n        A::~A() {}"},
		{"what needs no macro before the type of a function stays", "A B::c();\nstruct d e();\nunsigned f g();\nconst h i();\ntypename j::k l();\ntemplate <class T> requires m<T> T n();\nconcept o = p<q>();\nauto r() -> s;\nvoid t() { return u v(); }\nw x(1);\nstruct y { z aa LOCKED(bb); };", "A B::c();\nstruct d e();\nunsigned f g();\nconst h i();\ntypename j::k l();\ntemplate <class T> requires m<T> T n();\nconcept o = p<q>();\nauto r() -> s;\nvoid t() { return u v(); }\nw x(1);\nstruct y { z aa LOCKED(bb); };"},
		{"an operator as an argument", "void f() {\n  CHECK(a, ==, b);\n  OP(ADD, +)\n  h(<<=, c);\n  d(e, &g, (*)(i), -j);\n}\nint k(int (*)(l), m &, n);\nusing o = p (*)(q, r &&);", "void f() {\n  CHECK(a, 0 , b);\n  OP(ADD, 0)\n  h(0  , c);\n  d(e, &g, (*)(i), -j);\n}\nint k(int (*)(l), m &, n);\nusing o = p (*)(q, r &&);"},
		{"a macro with two arguments as the type of a variable", "LIST_HEAD(a, b) c = INIT(c);\nstatic TAILQ_HEAD(, d) e;\nstruct f {\n  RB_HEAD(g, struct h) i[2];\n  TAILQ_ENTRY(d) j;\n};\nRB_HEAD(k, l);\nEXPORT(m, n)\nint o;", "             b  c = INIT(c);\nstatic              d  e;\nstruct f {\n             struct h  i[2];\n              d  j;\n};\nRB_HEAD(k, l);\n            \nint o;"},
		{"an end without a beginning", "#endif\n#else\n}", "      \n     \n}"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			source := []byte(tt.source)
			got := maskMacros(source)
			if string(got) != tt.want {
				t.Errorf("maskMacros(%q)\n got %q\nwant %q", tt.source, got, tt.want)
			}
			if string(source) != tt.source {
				t.Errorf("the source changed to %q", source)
			}
		})
	}
}

func TestMacrosOfCThatAreNoCallsAreReadAsCalls(t *testing.T) {
	for _, tt := range []struct{ name, source, want string }{
		{"a loop before a block", "void f() {\n  each(p, list) {\n    g();\n  }\n  if (a) { while (b) {} }\n}", "void f() {\n  each(p, list);{\n    g();\n  }\n  if (a) { while (b) {} }\n}"},
		{"a loop before a statement", "void f() {\n\teach(p, list)\n\t\tg(p);\n\teach(q) if (q) h();\n}", "void f() {\n\teach(p, list);\t\tg(p);\n\teach(q);if (q) h();\n}"},
		{"a loop behind a condition", "void f() {\n if (a)\n  each(p) {\n  }\n else\n  each(q)\n   g();\n}", "void f() {\n if (a)\n  each(p);{\n  }\n else\n  each(q);   g();\n}"},
		{"a macro for a type stays", "void f() { vec(int) v; _cleanup_(g)\n char *p; return (a) + b; typeof(a)\n c; }", "void f() { vec(int) v; _cleanup_(g)\n char *p; return (a) + b; typeof(a)\n c; }"},
		{"macros for values", "struct ops o = {\n  SET_A(a, b)\n  SET_B(c)\n  .d = 1,\n  SET_C(e)\n};", "struct ops o = {\n  SET_A(a, b),  SET_B(c),  .d = 1,\n  SET_C(e)\n};"},
		{"a call with a storage word", "static OPS(a, b, c);\nstatic LOCK(d);\nstatic int f(int a, int b);", "       OPS(a, b, c);\nstatic LOCK(d);\nstatic int f(int a, int b);"},
		{"a list that is included", "ENTRY(1, \"a\"),\n/* b */\nENTRY(2, \"b\"),\nint x, y;", "ENTRY(1, \"a\");\n/* b */\nENTRY(2, \"b\");\nint x, y;"},
		{"a range of cases", "void f() { switch (a) { case 1 ... 9: case 'a' ... 'z': g(); } }\nint h(int a, ...);", "void f() { switch (a) { case 1  -  9: case 'a'  -  'z': g(); } }\nint h(int a, ...);"},
		{"a word before the type of a declaration", "local int a;\nlocal const b c[2] = {1};\nlocal d *e(f g) {\n  h i;\n}\nj volatile *k;\nl API n(void);\nunsigned o p;\nq r;", "      int a;\n      const b c[2] = {1};\n      d *e(f g) {\n  h i;\n}\nj volatile *k;\nl     n(void);\nunsigned o p;\nq r;"},
		{"a type of two words as an argument", "void f() { a = min_t(unsigned int, b, c); d = (unsigned int)e; }\nint g(unsigned int, long);", "void f() { a = min_t(         int, b, c); d = (unsigned int)e; }\nint g(unsigned int, long);"},
		{"a pointer as an argument", "void f() { a = voidcast(struct b*, c); d = (e *)g(h, *i); j(k *, l); }", "void f() { a = voidcast(       b , c); d = (e *)g(h, *i); j(k  , l); }"},
		{"a text made of macros", "DOC(a, \"at most \" __stringify(MAX) \" of\");\nvoid f() { p(KERN_INFO NAME \": b\"); }\nextern \"C\" EXPORT(a) int g();", "DOC(a, \"at most \"+__stringify(MAX)+\" of\");\nvoid f() { p(KERN_INFO+NAME \": b\"); }\nextern \"C\" EXPORT(a) int g();"},
		{"fields inside of each other", "struct a {\n\tFIELD(u8 b : 1,\n\tFIELD(u8 c : 7,\n\t;))\n};", "struct a {\n\t      u8 b : 1;\n\t      u8 c : 7;\n\t   \n};"},
		{
			"a trace event",
			"TRACE_EVENT(a,\n TP_PROTO(struct b *c, unsigned int d),\n TP_ARGS(c, d),\n TP_STRUCT__entry(\n  __field(void *, c)\n  __field(u8, d)\n ),\n TP_fast_assign(\n  __entry->c = c;\n  if (d) { __entry->d = (u8)d; }\n ),\n TP_printk(\"%d\" \"a\", d)\n);\nint f(struct g *h);",
			"TRACE_EVENT(a,\n TP_PROTO(       b ,c,          Int,d),\n TP_ARGS(c, d),\n TP_STRUCT__entry(\n  __field(Void  , c)\n ,__field(u8, d)\n ),\n TP_fast_assign(\n  __entry->c = c,\n     (d) , __entry->d =  u8,d   \n ),\n TP_printk(\"%d\" \"a\", d)\n);\nint f(struct g *h);",
		},
		{"arguments that are no trace event stay", "A(struct b *c, TP_PROTO(d e));", "A(struct b *c, TP_PROTO(d e));"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := maskC([]byte(tt.source)); string(got) != tt.want {
				t.Errorf("maskC(%q)\n got %q\nwant %q", tt.source, got, tt.want)
			}
		})
	}
}

func TestALoopOfCPlusPlusStays(t *testing.T) {
	source := "void f() {\n  each(p, list) {\n    g();\n  }\n}"
	if got := maskMacros([]byte(source)); string(got) != source {
		t.Errorf("maskMacros(%q) = %q", source, got)
	}
}

func TestWordsTellAHeaderOfCPlusPlusFromOneOfC(t *testing.T) {
	for source, want := range map[string]bool{
		"/* the virtual function */\nint f(void); // std::\n": false,
		"struct A { virtual ~A(); };":                         true,
		"namespace a {\nint f();\n}\n":                        true,
		"#pragma once\n\tclass A;\n":                          true,
		"struct A;\nstruct B : public A {\n};\n":              true,
		"enum class A { b };\n":                               true,
		"const char *a_typename (int is_virtual );\n":         false,
		"struct a { int class ; }; int a(int namespace );\n":  false,
	} {
		if got := LooksLikeCPP([]byte(source)); got != want {
			t.Errorf("LooksLikeCPP(%q) = %v", source, got)
		}
	}
}

// FuzzMaskMacros holds that offsets stay: what changes becomes a blank, the blank beside a macro
// a semicolon, a comma or a plus, the comma behind it a semicolon, "..." a minus, a macro among
// template parameters "int" and "=", a comma behind the name of a matcher "(", the word operator a name, or
// in a trace event punctuation a comma and a small letter a capital.
func FuzzMaskMacros(f *testing.F) {
	f.Add([]byte("#if A\nint f() {\n#else\nint g() {\n#endif\n API int x GUARDED_BY(y);\n}\n"))
	f.Add([]byte("class API A { FOO(x)\n T* nonnull p; R\"(x)\" }; /* "))
	f.Add([]byte("static A(b, c);\nD(e),\nvoid f() { each(p)\n g(unsigned int, a); case 1 ... 2: h(\"a\" B(c) \"d\" ); x = { E(f)\n .g } }"))
	f.Add([]byte("T(a, TP_PROTO(struct b *c, int **d, ...), TP_ARGS(c), E({ .f = (u8)g, [1] = h } i(\"j\" k) ++ : l ? m : n;), /* */\n#if o\n p(q *,)\n);"))
	f.Add([]byte("MATCHER_P(A, b, \"\") { LIB_TRY { INIT static A a; } CATCH(E&) { return a.operator[](b); } }\nclass A { B:\n };"))
	f.Add([]byte("struct a { F(u8 b : 1,\n F(u8 c : 1,\n ; )\n) };"))
	f.Fuzz(func(t *testing.T, source []byte) {
		holdsOffsets(t, source, maskC)
		holdsOffsets(t, source, maskMacros)
	})
}

func holdsOffsets(t *testing.T, source []byte, mask func([]byte) []byte) {
	t.Helper()
	before := bytes.Clone(source)
	got := mask(source)
	if !bytes.Equal(before, source) || len(got) != len(source) {
		t.Fatalf("%d bytes of %d, source kept: %v", len(got), len(source), bytes.Equal(before, source))
	}
	for i := range got {
		change := string([]byte{source[i], got[i]})
		if isBlank(source[i]) {
			change = " " + change[1:]
		}
		if got[i] != source[i] && got[i] != ' ' && !slices.Contains([]string{" ;", " ,", " +", ",;", ".-", ";,", ":,", "{,", "},", "*,", "),", "],", ",("}, change) && source[i]-'a'+'A' != got[i] && !bytes.ContainsRune([]byte("int="), rune(got[i])) {
			t.Fatalf("byte %d is %q, was %q", i, got[i], source[i])
		}
	}
}

package languages

import "testing"

func TestExpressionsAreReadAsPaths(t *testing.T) {
	for _, tt := range []struct{ expression, want string }{
		{"a", "a"},
		{"a.b.c", "a.b.c"},
		{"a?.b(x, (y))->c", "a.b().c"},
		{"A::new(x)", "A.new()"},
		{"A::<T>::new()", "A.new()"},
		{"&Foo{a: 1}", "Foo"},
		{"new Foo<T>(1)", "Foo"},
		{"new a.Foo(1).bar()", "a.Foo.bar()"},
		{"await this.x.load()", "this.x.load()"},
		{"x.y.await", "x.y"},
		{"xs[0].name", "xs.name"},
		{"x.(T)", "T"},
		{"x.(type)", "x"},
		{"p.Get().(*a.T).b", "a.T.b"},
		{"(a.b)", "a.b"},
		{"a!.b", "a.b"},
		{"*p", "p"},
		{"&mut self.x", "self.x"},
		{`"text"`, Builtin},
		{"12", Builtin},
		{`"a" + b`, unknown},
		{"a + b", unknown},
		{"func() { x }", unknown},
		{"function () {}", unknown},
		{"((TextNode) node).text", "TextNode.text"},
		{"(Entry<K, V>) o", "Entry"},
		{"((struct a *)(p))->next", "a.next"},
		{"(a) if (b)", unknown},
		{"(f)(x)", "f()"},
		{"(node as ast.Call).callee", "ast.Call.callee"},
		{"x as const", unknown},
		{"unsafe { A::f(x)? }", "A.f()"},
		{"unsafe { g(); a }", unknown},
		{"a.read::<b::Word<E>>(0)?.get()", "a.read<b:Word>().get()"},
		{"p.Get<IFoo>().b", "p.Get<IFoo>().b"},
		{"a.f::<T, U>(x)", "a.f()"},
		{"a.into::<Vec<_>>()", "a.into()"},
		{"self.0.b().1.c", "self.0.b()[1].c"},
		{"a.b().0", "a.b()"},
		{"f(", unknown},
		{"", unknown},
	} {
		if got := pathOf(tt.expression); got != tt.want {
			t.Errorf("pathOf(%q) = %q, want %q", tt.expression, got, tt.want)
		}
	}
}

func TestTypesAreReadAsPaths(t *testing.T) {
	for _, tt := range []struct{ written, want string }{
		{"T", "T"},
		{"[]*pkg.T", "pkg.T"},
		{"map[string][]T", "T"},
		{"chan<- T", "T"},
		{"(*T, error)", "T,error"},
		{"(n int, err error)", "int,error"},
		{"(a, b T, err error)", "T,T,error"},
		{"func(a A) *R", "R"},
		{"func(A)", ""},
		{": Promise<User | null>", "User"},
		{"Map<string, Foo>", "Foo"},
		{"null | Foo", "Foo"},
		{"(x: X) => Out", "Out"},
		{"<T extends Map<K, () => V>>(shape: T) => Out<T>", "Out"},
		{"Out[]", "Out"},
		{"readonly Foo[]", "Foo"},
		{"[A, B]", "A,B"},
		{"{ a: A }", ""},
		{`"Foo"`, "Foo"},
		{"t.Optional[Foo]", "Foo"},
		{"dict[str, Foo]", "Foo"},
		{"t.Tuple[A, t.Optional[B], C]", "A,B,C"},
		{"tuple[A, ...]", "A"},
		{"Callable[[A], B]", "B"},
		{"&'a mut Foo<'a>", "Foo"},
		{"Option<Box<dyn Tr>>", "Tr"},
		{"impl Fn(Foo) -> Bar", "Bar"},
		{"Result<Vec<A>, E>", "A"},
		{"const std::vector<absl::Foo>&", "absl.Foo"},
		{"struct foo *", "foo"},
		{"List<? extends Foo>", "Foo"},
		{"any", ""},
		{"void", ""},
		{"", ""},
	} {
		if got := typePath(tt.written); got != tt.want {
			t.Errorf("typePath(%q) = %q, want %q", tt.written, got, tt.want)
		}
	}
}

package retrieve_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/server/retrieve"
)

func TestAReportIsCutIntoPassagesWithoutItsNoise(t *testing.T) {
	tests := []struct {
		name, report string
		want         []string
	}{
		{"one line", "how are retries counted", []string{"title: how are retries counted"}},
		{"nothing", " \n", nil},
		{"only a comment", "<!-- please\nfill in -->", nil},
		{"the title and the text", "# Cart is empty\n\nIt has no lines.\nNone at all.", []string{"title: Cart is empty", "prose: It has no lines.\nNone at all."}},
		{
			"headings of a template say nothing, others do",
			"Crash\n## Describe the bug\nIt stops.\n**Steps to reproduce**\nRun it.\n### Rounding of prices\nWrong.",
			[]string{"title: Crash", "prose: It stops.\nRun it.\nRounding of prices\nWrong."},
		},
		{
			"sections about the machine are left out",
			"Crash\n### Environment\n- Linux, amd64\n- a slow disk\n### Expected behavior\nNo crash.",
			[]string{"title: Crash", "prose: No crash."},
		},
		{
			"versions, checklists, comments and pictures are left out",
			"Crash\n- [x] I have searched\n<!-- Tell us\nmore -->\nNode.js Version 16.17.0\n![shot](https://host/a.png)\nIt stops.",
			[]string{"title: Crash", "prose: It stops."},
		},
		{
			"an address is left out, but not the file of the repository that it leads to",
			"See https://host/x and [docs](https://host/y)\nhttps://github.com/o/r/blob/main/src/cart.go#L12 is wrong",
			[]string{"title: See   and docs ", "prose: src/cart.go:12 is wrong"},
		},
		{
			"code spans are apart",
			"Crash\nThe call of `cart.Total()` fails.",
			[]string{"title: Crash", "span: cart.Total()", "prose: The call of   fails."},
		},
		{
			"a block is code, a trace, what a program printed, or a change",
			"Crash\n```go\nc := cart.New()\n```\n~~~\nTraceback (most recent call last):\n  File \"a.py\", line 3, in f\n~~~\n```\n$ run it\n```\n```diff\n-a\n+b\n```",
			[]string{"title: Crash", "code: c := cart.New()", "trace: Traceback (most recent call last):\n  File \"a.py\", line 3, in f\n$ run it", "diff: -a\n+b"},
		},
		{"a block that does not end", "Crash\n```js\nf()", []string{"title: Crash", "code: f()"}},
		{"a fence in a longer one", "Crash\n````\n```\nf(1)\n````\ndone", []string{"title: Crash", "code: ```\nf(1)", "prose: done"}},
		{"a section inside of one about the machine", "Crash\n## Environment\n### Tools\n- a shell\n## More\nIt stops.", []string{"title: Crash", "prose: More\nIt stops."}},
		{"a folded section about the machine", "Crash\n<details><summary>✅ My environment ✅</summary>\n### Stack\nmany tools\n</details>\nIt stops.", []string{"title: Crash", "prose: It stops."}},
		{"a table is output", "Crash\n| key | value |\n|---|---|", []string{"title: Crash", "trace: | key | value |\n|---|---|"}},
		{"a log without a fence", "Crash\n2024-01-02 10:11:12 cart is gone\nIt stops.", []string{"title: Crash", "trace: 2024-01-02 10:11:12 cart is gone", "prose: It stops."}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, retrieve.Passages(tt.report)); diff != "" {
				t.Errorf("passages (-want +got):\n%s", diff)
			}
		})
	}
}

func TestPathsThatAQuestionQuotesAreFound(t *testing.T) {
	tests := []struct {
		name, question string
		want           []string
	}{
		{"none", "e.g. version 1.x of Node.js vs. foo.bar", nil},
		{"in words", "why does lib/core/cart.go fail", []string{"lib/core/cart.go:0"}},
		{"with a line", "src/cart.rs:12:5 and ./a/b.py:3", []string{"src/cart.rs:12", "a/b.py:3"}},
		{"of Windows", `C:\shop\src\cart.cs:line 7`, []string{"C:/shop/src/cart.cs:7"}},
		{"Python", "x\n```\n  File \"/usr/lib/shop/cart.py\", line 42, in total\n```", []string{"/usr/lib/shop/cart.py:42"}},
		{"Go", "x\n```\nshop.(*Cart).Total(0x0)\n\t/home/me/shop/cart.go:42 +0x1d\n```", []string{"/home/me/shop/cart.go:42"}},
		{"Java", "x\n```\n\tat com.shop.Cart.total(Cart.java:42)\n```", []string{"Cart.java:42"}},
		{"JavaScript", "x\n```\n    at Cart.total (/app/lib/cart.js:42:13)\n    at file:///app/index.mjs:1:2\n```", []string{"/app/lib/cart.js:42", "///app/index.mjs:1"}},
		{"Rust", "x\n```\nthread 'main' panicked at src/cart.rs:42:9:\n```", []string{"src/cart.rs:42"}},
		{"Ruby", "x\n```\nlib/cart.rb:42:in `total'\n```", []string{"lib/cart.rb:42"}},
		{"PHP", "x\n```\n#0 /app/src/Cart.php(42): Shop\\Cart->total()\nin /app/src/Shop.php on line 7\n```", []string{"/app/src/Cart.php:42", "/app/src/Shop.php:7"}},
		{"C#", "x\n```\n   at Shop.Cart.Total() in /app/Cart.cs:line 42\n```", []string{"/app/Cart.cs:42"}},
		{"each once", "a/b.go a/b.go:3", []string{"a/b.go:0"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, retrieve.Quoted(tt.question)); diff != "" {
				t.Errorf("paths (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTheReportersOwnNamesNameNothing(t *testing.T) {
	names := retrieve.Names("Crash\nIt is `cartTotal`.\n```py\ndef my_handler(x):\n    return shop_total(x)\nmy_value = 3\n```")
	for name, want := range map[string]bool{"cartTotal": true, "shop_total": true, "my_handler": false, "my_value": false} {
		if got := slices.Contains(names, name); got != want {
			t.Errorf("%s is among the names: %t, want %t", name, got, want)
		}
	}
}

// A report never costs more than its bounds allow, whatever it holds.
func FuzzAReportIsReadWithinItsBounds(f *testing.F) {
	f.Add("Title\n```\ncode\n```\n<!-- x")
	f.Add("a\n````\n```\n")
	f.Add(strings.Repeat("a/b.go:1\n", 500))
	f.Fuzz(func(t *testing.T, raw string) {
		n := 0
		for _, p := range retrieve.Passages(raw) {
			n += len(p)
		}
		if most := 3*len(raw) + 20*(strings.Count(raw, "\n")+1) + 100; n > most { // a span stands in its line too
			t.Errorf("%d bytes of passages of %d bytes", n, len(raw))
		}
		if n := len(retrieve.Names(raw)); n > 1000 {
			t.Errorf("%d names", n)
		}
		if n := len(retrieve.Quoted(raw)); n > 1000 {
			t.Errorf("%d paths", n)
		}
	})
}

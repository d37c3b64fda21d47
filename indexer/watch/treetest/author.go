package session_test

import (
	"fmt"
	"math/rand/v2"
	"path"
	"strings"
)

// words are the names that random files define and use. They are few, so that files use
// names of one another.
var words = []string{"Cart", "Order", "Total", "Render", "Session", "Token", "Store", "Apply", "Flush", "Parse"}

// directories and extensions are the parts of random paths.
var (
	directories = []string{"", "cart", "cart/pay", "web", "web/ui", "docs", "lib/v1", "lib/v2", "tests", "app/models"}
	extensions  = []string{".go", ".go", ".py", ".py", ".ts", ".rb", ".rs", ".java", ".c", ".h", ".md", ".md", ".txt", ".sh"}
)

// author generates the texts of a random tree.
type author struct{ *rand.Rand }

func (a author) pick(list []string) string { return list[a.IntN(len(list))] }

func (a author) word() string  { return a.pick(words) }
func (a author) lower() string { return strings.ToLower(a.word()) }

// path returns a random path, from a set so small that paths repeat.
func (a author) path() string {
	return path.Join(a.pick(directories), a.pick([]string{"main", "cart", "order", "index", "util", "a_test"})+a.pick(extensions))
}

// text returns a random text for a path.
func (a author) text(p string) string {
	var b strings.Builder
	units := 1 + a.IntN(4)
	switch path.Ext(p) {
	case ".go":
		fmt.Fprintf(&b, "package %s\n\nimport %q\n", a.lower(), "example.com/shop/"+a.pick(directories))
		repeat(&b, units, a.goUnit)
	case ".py":
		fmt.Fprintf(&b, "from .%s import %s\nimport %s\n", a.lower(), a.word(), a.lower())
		repeat(&b, units, a.pythonUnit)
	case ".ts":
		fmt.Fprintf(&b, "import { %s } from './%s'\n", a.word(), a.pick([]string{"cart", "order", "main"}))
		repeat(&b, units, a.scriptUnit)
	case ".rb":
		repeat(&b, units, func() string {
			return fmt.Sprintf("\nclass %s < %s\n  attr_reader :%s\n  def %s(x)\n    %s.new.%s(x)\n  end\nend\n", a.word(), a.word(), a.lower(), a.lower(), a.word(), a.lower())
		})
	case ".rs":
		repeat(&b, units, func() string {
			w := a.word()
			return fmt.Sprintf("\nuse crate::%s::%s;\npub struct %s { pub n: %s }\nimpl %s {\n    pub fn %s(&self) -> %s { %s::%s() }\n}\n", a.lower(), a.word(), w, a.word(), w, a.lower(), a.word(), a.word(), a.lower())
		})
	case ".java":
		fmt.Fprintf(&b, "package shop.%s;\nimport shop.%s.%s;\n", a.lower(), a.lower(), a.word())
		repeat(&b, units, func() string {
			return fmt.Sprintf("\n/** Keeps the %s. */\npublic class %s extends %s {\n    %s %s(int n) { return new %s().%s(n); }\n}\n", a.lower(), a.word(), a.word(), a.word(), a.lower(), a.word(), a.lower())
		})
	case ".c", ".h":
		fmt.Fprintf(&b, "#include \"%s.h\"\n", a.pick([]string{"cart", "order", "util"}))
		repeat(&b, units, func() string {
			return fmt.Sprintf("\nint %s(int n) { return %s(n) + %d; }\nint %s(int n);\n", a.lower(), a.lower(), a.IntN(9), a.lower())
		})
	case ".md":
		fmt.Fprintf(&b, "---\ntags: [%s]\nlayer: %s\n---\n# %s\n", a.lower(), a.lower(), a.word())
		repeat(&b, units, func() string {
			return fmt.Sprintf("\n## How the %s is kept\n\nThe `%s` of a [%s](%s) renews each %s.\n", a.lower(), a.word(), a.lower(), a.path(), a.lower())
		})
	default:
		repeat(&b, units, func() string { return fmt.Sprintf("The %s of the %s waits.\n\n", a.lower(), a.word()) })
	}
	return b.String()
}

// concerns are the names of the concerns that random models include.
var concerns = []string{"Trackable", "Payable", "Shop::Taggable"}

// modelPath returns a random path of a model; two files may define the same model.
func (a author) modelPath() string {
	return path.Join(a.pick([]string{"app/models", "app/models", "lib/v1", "cart"}), a.pick([]string{"cart", "order", "total", "order_too"})+".rb")
}

func (a author) concernPath() string {
	return path.Join(a.pick([]string{"app/models/concerns", "app/models/concerns", "lib/v2"}), a.pick([]string{"trackable", "payable", "taggable"})+".rb")
}

// model returns a Rails model with associations. Some are so large that the chunker cuts
// them by the purpose of their directives.
func (a author) model() string {
	var b strings.Builder
	name := a.pick([]string{"Cart", "Order", "Total"})
	namespace := a.IntN(4) == 0
	if namespace {
		b.WriteString("module Shop\n")
	}
	fmt.Fprintf(&b, "class %s < ApplicationRecord\n", name)
	repeat(&b, a.IntN(3), func() string { return "  include " + a.pick(concerns) + "\n" })
	repeat(&b, a.IntN(4), func() string {
		return a.pick([]string{"  belongs_to :", "  has_many :", "  has_one :x, class_name: \"Shop::Order\" # "}) + a.pick([]string{"cart", "order", "total", "orders", "totals"}) + "\n"
	})
	if a.IntN(2) == 0 {
		repeat(&b, 110, func() string { return "  validates :n\n" })
	}
	fmt.Fprintf(&b, "  scope :%s, -> { x }\n  def %s(x)\n    %s.new.%s(x)\n  end\nend\n", a.lower(), a.lower(), a.word(), a.lower())
	if namespace {
		b.WriteString("end\n")
	}
	return b.String()
}

// concern returns a random concern.
func (a author) concern() string {
	return fmt.Sprintf("module %s\n  extend ActiveSupport::Concern\n  included do\n    has_many :%ss\n  end\n  def %s(%s) = %s\nend\n", a.pick(concerns), a.lower(), a.lower(), a.lower(), a.lower())
}

// schema returns a random database schema.
func (a author) schema() string {
	var b strings.Builder
	b.WriteString("ActiveRecord::Schema.define(version: 1) do\n")
	repeat(&b, 1+a.IntN(3), func() string {
		return fmt.Sprintf("  create_table %q do |t|\n    t.string %q\n  end\n", a.pick([]string{"carts", "orders", "totals", "shop_orders"}), a.lower())
	})
	b.WriteString("end\n")
	return b.String()
}

func repeat(b *strings.Builder, n int, unit func() string) {
	for range n {
		b.WriteString(unit())
	}
}

func (a author) goUnit() string {
	w := a.word()
	switch a.IntN(4) {
	case 0:
		return fmt.Sprintf("\n// %s holds the %s.\ntype %s struct {\n\t%s *%s\n}\n", w, a.lower(), w, a.word(), a.word())
	case 1:
		return fmt.Sprintf("\ntype %s interface {\n\t%s(n int) int\n\t%s()\n}\n", w, a.word(), a.word())
	case 2:
		return fmt.Sprintf("\nfunc (c *%s) %s(n int) int { return c.%s(n) }\n", w, a.word(), a.word())
	}
	return fmt.Sprintf("\n// %s does it for the %s.\nfunc %s(n int) int {\n\tx := %s{}\n\treturn %s(n) + x.%s(%d)\n}\n", w, a.lower(), w, a.word(), a.word(), a.word(), a.IntN(9))
}

func (a author) pythonUnit() string {
	if a.IntN(2) == 0 {
		return fmt.Sprintf("\nclass %s(%s):\n    \"\"\"Keeps the %s.\"\"\"\n    def %s(self, n):\n        return self.%s(n)\n", a.word(), a.word(), a.lower(), a.lower(), a.lower())
	}
	return fmt.Sprintf("\ndef %s(n):\n    return %s(n).%s()\n", a.lower(), a.word(), a.lower())
}

func (a author) scriptUnit() string {
	if a.IntN(2) == 0 {
		return fmt.Sprintf("\nexport class %s extends %s {\n  %s(n: %s) { return this.%s(n) }\n}\n", a.word(), a.word(), a.lower(), a.word(), a.lower())
	}
	return fmt.Sprintf("\nexport function %s(n: %s): %s {\n  return %s(n)\n}\n", a.lower(), a.word(), a.word(), a.lower())
}

// left returns a text that the index leaves out, whole or in part.
func (a author) left() string {
	switch a.IntN(8) {
	case 0:
		return "\x00\x01binary"
	case 1:
		return strings.Repeat("// too large\n", 2000)
	case 2:
		return "// Code generated by a tool. DO NOT EDIT.\n\npackage gen\n"
	case 3:
		return "let x=" + strings.Repeat("1+", 3000) + "1\n"
	case 4:
		return "\xff\xfeU\x00T\x00F\x00"
	case 5:
		return ""
	case 6:
		return "key = \"AKIA" + "IOSFODNN7EXAMPLE\"\nfunc " + a.word() + "() {}\n"
	}
	return "not \xf0\x28 UTF-8 " + a.word() + "\n"
}

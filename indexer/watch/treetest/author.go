package treetest

import (
	"fmt"
	"math/rand/v2"
	"path"
	"strings"
)

// words are the names that random files define and use. They are few, so that files use
// names of one another.
var words = []string{"Cart", "Order", "Total", "Render", "Session", "Token", "Store", "Apply", "Flush", "Parse"}

// directories and Extensions are the parts of random paths.
var (
	directories = []string{"", "cart", "cart/pay", "web", "web/ui", "docs", "lib/v1", "lib/v2", "tests", "app/models"}
	Extensions  = []string{".go", ".go", ".py", ".py", ".ts", ".rb", ".rs", ".java", ".c", ".h", ".md", ".md", ".txt", ".sh"}
)

// Author generates the texts of a random tree.
type Author struct{ *rand.Rand }

// NewAuthor returns the author that a seed determines.
func NewAuthor(seed uint64) Author { return Author{rand.New(rand.NewPCG(seed, 0))} }

// Pick returns one of the texts of a list.
func (a Author) Pick(list []string) string { return list[a.IntN(len(list))] }

// Word returns a name, Lower one in lower case.
func (a Author) Word() string  { return a.Pick(words) }
func (a Author) Lower() string { return strings.ToLower(a.Word()) }

// Path returns a random path, from a set so small that paths repeat.
func (a Author) Path() string {
	return path.Join(a.Pick(directories), a.Pick([]string{"main", "cart", "order", "index", "util", "a_test"})+a.Pick(Extensions))
}

// Text returns a random text for a path.
func (a Author) Text(p string) string {
	var b strings.Builder
	units := 1 + a.IntN(4)
	switch path.Ext(p) {
	case ".go":
		fmt.Fprintf(&b, "package %s\n\nimport %q\n", a.Lower(), "example.com/shop/"+a.Pick(directories))
		repeat(&b, units, a.goUnit)
	case ".py":
		fmt.Fprintf(&b, "from .%s import %s\nimport %s\n", a.Lower(), a.Word(), a.Lower())
		repeat(&b, units, a.pythonUnit)
	case ".ts":
		fmt.Fprintf(&b, "import { %s } from './%s'\n", a.Word(), a.Pick([]string{"cart", "order", "main"}))
		repeat(&b, units, a.scriptUnit)
	case ".rb":
		repeat(&b, units, func() string {
			return fmt.Sprintf("\nclass %s < %s\n  attr_reader :%s\n  def %s(x)\n    %s.new.%s(x)\n  end\nend\n", a.Word(), a.Word(), a.Lower(), a.Lower(), a.Word(), a.Lower())
		})
	case ".rs":
		repeat(&b, units, func() string {
			w := a.Word()
			return fmt.Sprintf("\nuse crate::%s::%s;\npub struct %s { pub n: %s }\nimpl %s {\n    pub fn %s(&self) -> %s { %s::%s() }\n}\n", a.Lower(), a.Word(), w, a.Word(), w, a.Lower(), a.Word(), a.Word(), a.Lower())
		})
	case ".java":
		fmt.Fprintf(&b, "package shop.%s;\nimport shop.%s.%s;\n", a.Lower(), a.Lower(), a.Word())
		repeat(&b, units, func() string {
			return fmt.Sprintf("\n/** Keeps the %s. */\npublic class %s extends %s {\n    %s %s(int n) { return new %s().%s(n); }\n}\n", a.Lower(), a.Word(), a.Word(), a.Word(), a.Lower(), a.Word(), a.Lower())
		})
	case ".c", ".h":
		fmt.Fprintf(&b, "#include \"%s.h\"\n", a.Pick([]string{"cart", "order", "util"}))
		repeat(&b, units, func() string {
			return fmt.Sprintf("\nint %s(int n) { return %s(n) + %d; }\nint %s(int n);\n", a.Lower(), a.Lower(), a.IntN(9), a.Lower())
		})
	case ".md":
		fmt.Fprintf(&b, "---\ntags: [%s]\nlayer: %s\n---\n# %s\n", a.Lower(), a.Lower(), a.Word())
		repeat(&b, units, func() string {
			return fmt.Sprintf("\n## How the %s is kept\n\nThe `%s` of a [%s](%s) renews each %s.\n", a.Lower(), a.Word(), a.Lower(), a.Path(), a.Lower())
		})
	default:
		repeat(&b, units, func() string { return fmt.Sprintf("The %s of the %s waits.\n\n", a.Lower(), a.Word()) })
	}
	return b.String()
}

// concerns are the names of the concerns that random models include.
var concerns = []string{"Trackable", "Payable", "Shop::Taggable"}

// ModelPath returns a random path of a model; two files may define the same model.
func (a Author) ModelPath() string {
	return path.Join(a.Pick([]string{"app/models", "app/models", "lib/v1", "cart"}), a.Pick([]string{"cart", "order", "total", "order_too"})+".rb")
}

func (a Author) ConcernPath() string {
	return path.Join(a.Pick([]string{"app/models/concerns", "app/models/concerns", "lib/v2"}), a.Pick([]string{"trackable", "payable", "taggable"})+".rb")
}

// Model returns a Rails model with associations. Some are so large that the chunker cuts
// them by the purpose of their directives.
func (a Author) Model() string {
	var b strings.Builder
	name := a.Pick([]string{"Cart", "Order", "Total"})
	namespace := a.IntN(4) == 0
	if namespace {
		b.WriteString("module Shop\n")
	}
	fmt.Fprintf(&b, "class %s < ApplicationRecord\n", name)
	repeat(&b, a.IntN(3), func() string { return "  include " + a.Pick(concerns) + "\n" })
	repeat(&b, a.IntN(4), func() string {
		return a.Pick([]string{"  belongs_to :", "  has_many :", "  has_one :x, class_name: \"Shop::Order\" # "}) + a.Pick([]string{"cart", "order", "total", "orders", "totals"}) + "\n"
	})
	if a.IntN(2) == 0 {
		repeat(&b, 110, func() string { return "  validates :n\n" })
	}
	fmt.Fprintf(&b, "  scope :%s, -> { x }\n  def %s(x)\n    %s.new.%s(x)\n  end\nend\n", a.Lower(), a.Lower(), a.Word(), a.Lower())
	if namespace {
		b.WriteString("end\n")
	}
	return b.String()
}

// Concern returns a random concern.
func (a Author) Concern() string {
	return fmt.Sprintf("module %s\n  extend ActiveSupport::Concern\n  included do\n    has_many :%ss\n  end\n  def %s(%s) = %s\nend\n", a.Pick(concerns), a.Lower(), a.Lower(), a.Lower(), a.Lower())
}

// Schema returns a random database schema.
func (a Author) Schema() string {
	var b strings.Builder
	b.WriteString("ActiveRecord::Schema.define(version: 1) do\n")
	repeat(&b, 1+a.IntN(3), func() string {
		return fmt.Sprintf("  create_table %q do |t|\n    t.string %q\n  end\n", a.Pick([]string{"carts", "orders", "totals", "shop_orders"}), a.Lower())
	})
	b.WriteString("end\n")
	return b.String()
}

func repeat(b *strings.Builder, n int, unit func() string) {
	for range n {
		b.WriteString(unit())
	}
}

func (a Author) goUnit() string {
	w := a.Word()
	switch a.IntN(4) {
	case 0:
		return fmt.Sprintf("\n// %s holds the %s.\ntype %s struct {\n\t%s *%s\n}\n", w, a.Lower(), w, a.Word(), a.Word())
	case 1:
		return fmt.Sprintf("\ntype %s interface {\n\t%s(n int) int\n\t%s()\n}\n", w, a.Word(), a.Word())
	case 2:
		return fmt.Sprintf("\nfunc (c *%s) %s(n int) int { return c.%s(n) }\n", w, a.Word(), a.Word())
	}
	return fmt.Sprintf("\n// %s does it for the %s.\nfunc %s(n int) int {\n\tx := %s{}\n\treturn %s(n) + x.%s(%d)\n}\n", w, a.Lower(), w, a.Word(), a.Word(), a.Word(), a.IntN(9))
}

func (a Author) pythonUnit() string {
	if a.IntN(2) == 0 {
		return fmt.Sprintf("\nclass %s(%s):\n    \"\"\"Keeps the %s.\"\"\"\n    def %s(self, n):\n        return self.%s(n)\n", a.Word(), a.Word(), a.Lower(), a.Lower(), a.Lower())
	}
	return fmt.Sprintf("\ndef %s(n):\n    return %s(n).%s()\n", a.Lower(), a.Word(), a.Lower())
}

func (a Author) scriptUnit() string {
	if a.IntN(2) == 0 {
		return fmt.Sprintf("\nexport class %s extends %s {\n  %s(n: %s) { return this.%s(n) }\n}\n", a.Word(), a.Word(), a.Lower(), a.Word(), a.Lower())
	}
	return fmt.Sprintf("\nexport function %s(n: %s): %s {\n  return %s(n)\n}\n", a.Lower(), a.Word(), a.Word(), a.Lower())
}

// Left returns a text that the index leaves out, whole or in part.
func (a Author) Left() string {
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
		return "key = \"AKIA" + "IOSFODNN7EXAMPLE\"\nfunc " + a.Word() + "() {}\n"
	}
	return "not \xf0\x28 UTF-8 " + a.Word() + "\n"
}

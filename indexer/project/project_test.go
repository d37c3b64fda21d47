package project_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"ambit/indexer/project"
)

func TestAManifestSaysWhatItsProjectIsAndNeeds(t *testing.T) {
	tests := []struct {
		name, text string
		want       string // name | about | dependencies | tools | frameworks | entries
	}{
		{"go.mod", "module a.b/c\nrequire x.y/z v1.0.0\nrequire (\n\tgithub.com/labstack/echo/v4 v4.1.0\n\tq.r/s v1 // indirect\n)\n", "a.b/c||x.y/z github.com/labstack/echo/v4||Echo|"},
		{"setup.cfg", "[metadata]\nname = shop\ndescription = Sells things.\n[options]\ninstall_requires =\n    Django>=4\n    # no\n    six\n[options.entry_points]\nconsole_scripts =\n    shop = shop.cli:main\n", "shop|Sells things.|Django six||Django|program shop shop.cli:main"},
		{"setup.py", "setup(name='shop', description=\"Sells\",\n install_requires=['flask>1', \"six\"], entry_points={'console_scripts': ['shop=shop:run']})", "shop|Sells|flask six||Flask|program shop shop:run"},
		{"requirements.txt", "# web\nflask==2\n-r more.txt\n", "||flask||Flask|"},
		{"pyproject.toml", "[tool.poetry]\nname='p'\n[tool.poetry.dependencies]\npython='^3'\nclick='*'\n[tool.poetry.scripts]\np='p.main:run'\n", "p||click||Click|program p p.main:run"},
		{"shop.gemspec", "Gem::Specification.new do |s|\n  s.name = 'shop'\n  s.summary = \"It's a shop.\"\n  s.executables = %w[shop till]\n  s.add_dependency 'rack', '~> 3'\nend\n", "shop|It's a shop.|rack||Rack|program shop ;program till "},
		{"build.gradle.kts", "dependencies {\n    implementation(\"io.ktor:ktor-server:3\")\n    testImplementation(\"junit:junit:4\")\n}", "||io.ktor:ktor-server|junit:junit|Ktor JUnit|"},
		{"mix.exs", "defp deps do [{:phoenix, \"~> 1.7\"}, {:jason, \"~> 1\"}] end\napp: :shop", "shop||phoenix jason||Phoenix|"},
		{"CMakeLists.txt", "project(shop VERSION 1 DESCRIPTION \"Sells things\")\nfind_package(Qt6 REQUIRED)", "shop|Sells things|Qt6||Qt|"},
		{"package.json", `{"name": "a", "bin": "./cli.js", "main": 3, "dependencies": {"@nestjs/core": "1"`, "|||||"},
		{"package.json", `{"name": "@x/a", "bin": "./cli.js", "main": 3, "dependencies": {"@nestjs/core": "1"}}`, "@x/a||@nestjs/core||NestJS|program a cli.js"},
		{"Cargo.toml", "[package]\nname = \"a\"\ndescription.workspace = true\n", "a|||||"},
		{"main.go", "module a", "|||||"},
	}
	for _, tt := range tests {
		m := project.Read("dir/"+tt.name, []byte(tt.text))
		var entries []string
		for _, e := range m.Entries {
			entries = append(entries, string(e.Kind)+" "+e.Name+" "+e.Path)
		}
		got := strings.Join([]string{m.Name, m.About, strings.Join(m.Dependencies, " "), strings.Join(m.Tools, " "), strings.Join(m.Frameworks(), " "), strings.Join(entries, ";")}, "|")
		if got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestTheFirstSentenceOfAFileIsWhatItIsAbout(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"a.go", "// Copyright X\n\n// Package a does it. And more.\npackage a\n", "Package a does it."},
		{"a.go", "//go:build linux\n\npackage a\n\n// F is no package.\nfunc F() {}\n", ""},
		{"a.py", "#!/usr/bin/env python\n'''A tool, e.g. for you. More.'''\n", "A tool, e.g. for you."},
		{"a.rs", "// Copyright\n\n//! A crate.\n//! For `x`:\n", "A crate."},
		{"package-info.java", "/* Licence */\n/** The {@link Shop shop} of all. */\npackage a;\n", "The shop of all."},
		{"index.js", "'use strict';\n/*!\n * Copyright me\n */\n\n/**\n * Makes a shop.\n * @module\n */\nmodule.exports = 1\n", "Makes a shop."},
		{"index.js", "const a = 1\n// Not about the file.\n", ""},
		{"README.md", "---\ntitle: x\n---\n# Shop\n\n<p align=center><img src=a></p>\n\n[![a](b)](c)\n\n[Docs](d) | [Site](e)\n\n```sh\nrun it now and here\n```\n\nNews are told on the page of [news](n).\n\n**Shop** is a [tool](t) for _you_. More.\n", "Shop is a tool for _you_."},
		{"README.rst", "Shop\n====\n\n.. image:: x\n\nSell what you have, quickly: now.\n", "Sell what you have, quickly"},
		{"README.md", "shop\n====\n\n[![a](b)](c)\n\n> A shop for small\n> towns. Easy to open.\n\nThe rules of trade are followed.\n", "A shop for small towns."},
		{"README.md", "# shop\n\n> The next version is near, at last.\n\nShop sells things to people.\n", "Shop sells things to people."},
		{"README.md", "# shop\n\n> [!NOTE]\n> The next release is under way here.\n\n> **Warning**: do not sell this to anybody.\n\nA place that sells things.\n", "A place that sells things."},
		{"README.md", "# 商店\n\n安装\n\n这是一个缓存库。它很快。\n", "这是一个缓存库。"},
		{"README.md", "", ""},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, project.About(tt.name, []byte(tt.text))); diff != "" {
			t.Errorf("About(%s, %q) (-want +got):\n%s", tt.name, tt.text, diff)
		}
	}
}

// FuzzRead checks that no text breaks a reader and that sentences are bounded.
func FuzzRead(f *testing.F) {
	names := []string{"go.mod", "package.json", "Cargo.toml", "pyproject.toml", "setup.cfg", "setup.py", "Gemfile", "a.gemspec", "pom.xml", "README.md", "a.go", "a.py", "a.rs", "a.js"}
	for i := range names {
		f.Add(i, []byte("module a\n# T\n\n/* a. */ \"\"\"a\"\"\"\n//! b\n[a]\nb = [1]\n"))
	}
	f.Fuzz(func(t *testing.T, i int, content []byte) {
		name := names[uint(i)%uint(len(names))]
		m := project.Read(name, content)
		_ = m.Frameworks()
		for _, s := range []string{m.About, project.About(name, content)} {
			if len(s) > 170 || strings.Contains(s, "\n") || utf8.Valid(content) && !utf8.ValidString(s) {
				t.Errorf("%s: a sentence of %d bytes: %q", name, len(s), s)
			}
		}
	})
}

func TestSentenceIsTheFirstThatDescribes(t *testing.T) {
	for comment, want := range map[string]string{
		"// Cart is a cart. It has items.":                                              "Cart is a cart.",
		"/**\n * Stores to any socket\n *\n * @author someone\n */":                     "Stores to any socket",
		"\"\"\"Formats a page of help.\n\n    :param x: y\n    \"\"\"":                  "Formats a page of help.",
		"# = Sendfile\n#\n# The Sendfile middleware sends files.":                       "The Sendfile middleware sends files.",
		"// Do not use it. It changes in each version of the library.":                  "It changes in each version of the library.",
		"// This file started out as a copy of another. It parses options of commands.": "It parses options of commands.",
		"-- | A type that can be converted to JSON.":                                    "A type that can be converted to JSON.",
		"// 打开索引文件，并检查校验和。失败时返回错误。":                                                     "打开索引文件，并检查校验和。",
		"// Do not use it.": "",
		"// Logger":         "",
		"// Copyright 2020 The Authors. All rights reserved.": "",
	} {
		if got := project.Sentence(comment); got != want {
			t.Errorf("Sentence(%q) = %q, want %q", comment, got, want)
		}
	}
}

package languages_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"ambit/indexer/languages"
	"ambit/vectors/record"
)

// unit is what must not change when another unit is broken.
type unit struct {
	name string
	kind record.Kind
	span record.Span
}

// TestABrokenUnitCostsItself breaks each innermost unit of the files of the golden tests
// and of this repository in several ways. All units must be found, and those that neither
// hold the broken one nor lie in it with the same span.
func TestABrokenUnitCostsItself(t *testing.T) {
	const (
		maxTried = 4   // units of one file
		enough   = 400 // units of a language, so that one odd golden file does not decide
	)
	type count struct{ all, found int }
	counts := map[string]*count{}
	for path, text := range wellFormed(t) {
		o := languages.Parse(path, text)
		if o.Broken > 0 || o.Partial != "" || languages.IsProse(o.Language) {
			continue
		}
		n := counts[o.Language]
		if n == nil {
			n = &count{}
			counts[o.Language] = n
		}
		units, tried := 0, 0
		for i := range o.Decls {
			if isUnit(&o.Decls[i]) {
				units++
			}
		}
		for i := range o.Decls {
			if tried == maxTried || !innermostUnit(&o, i) {
				continue
			}
			tried++
			for _, broken := range breaksOf(text, o.Decls[i].Body) {
				after := languages.Parse(path, broken)
				lost := lostUnits(&o, &after, o.Decls[i].Span)
				n.all += units
				n.found += units - len(lost)
				if len(lost) > 0 && testing.Verbose() {
					t.Logf("%s: with %s broken, lost %v", path, o.Decls[i].Name, lost)
				}
			}
		}
	}
	for language, n := range counts {
		share := float64(n.found) / float64(max(n.all, 1))
		t.Logf("%-12s %.4f of %d", language, share, n.all)
		if n.all >= enough && share < 0.99 {
			t.Errorf("%s: %d of %d units are found when another is broken, want 99 %%", language, n.found, n.all)
		}
	}
}

// wellFormed returns the files of the golden tests, and the sources of this repository.
func wellFormed(t testing.TB) map[record.Path][]byte {
	t.Helper()
	files := map[record.Path][]byte{}
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if d != nil && (d.Name() == "node_modules" || d.Name() == ".git" || d.Name() == "bin") {
				return filepath.SkipDir
			}
			return err
		}
		switch filepath.Ext(path) {
		case ".txtar":
			archive, err := txtar.ParseFile(path)
			if err != nil {
				return err
			}
			for _, f := range archive.Files {
				files[record.Path(path+"/"+f.Name)] = f.Data
			}
		case ".ts", ".lua", ".py", ".sh", ".c":
			files[record.Path(path)], err = os.ReadFile(path)
			return err
		case ".go":
			if strings.Contains(path, filepath.Join("indexer", "chunk")) {
				files[record.Path(path)], err = os.ReadFile(path)
			}
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func isUnit(d *languages.Decl) bool {
	return languages.IsCallable(d.Kind) || languages.IsType(d.Kind) || d.Kind == record.KindModule
}

// innermostUnit reports whether a declaration is a unit of several lines that holds no other.
func innermostUnit(o *languages.Outline, i int) bool {
	d := &o.Decls[i]
	if !isUnit(d) || bytes.Count(o.Content[d.Body.Start:d.Body.End], []byte("\n")) < 2 {
		return false
	}
	for k := i + 1; k < len(o.Decls) && o.Decls[k].Span.Start < d.Span.End; k++ {
		if isUnit(&o.Decls[k]) {
			return false
		}
	}
	return true
}

// breaksOf returns texts of the same length in which a body is broken: without its first
// opening bracket, without its last closing one, and with other text in place of a line.
func breaksOf(text []byte, body record.Span) (out [][]byte) {
	with := func(at, n int, other string) {
		b := bytes.Clone(text)
		copy(b[at:at+n], other+strings.Repeat(" ", max(0, n-len(other))))
		out = append(out, b)
	}
	in := text[body.Start:body.End]
	if i := bytes.IndexAny(in, "([{"); i >= 0 {
		with(body.Start+i, 1, " ")
	}
	if i := bytes.LastIndexAny(in, ")]}"); i >= 0 {
		with(body.Start+i, 1, " ")
	}
	at := body.Start + bytes.IndexByte(in, '\n') + 1
	for at < body.End && (text[at] == ' ' || text[at] == '\t') {
		at++
	}
	if n := bytes.IndexByte(text[at:body.End], '\n'); n >= 4 {
		with(at, n, ") ( = =")
		with(at, n, "{ [ (")
	}
	return out
}

// lostUnits returns the units of before that after lacks. broken is the span of the unit
// that is broken.
func lostUnits(before, after *languages.Outline, broken record.Span) (lost []unit) {
	spans, starts := map[unit]bool{}, map[unit]bool{}
	for i := range after.Decls {
		d := &after.Decls[i]
		spans[unit{d.Name, d.Kind, d.Span}] = true
		starts[unit{d.Name, "", record.Span{Start: d.NameSpan.Start}}] = true
	}
	for i := range before.Decls {
		d := &before.Decls[i]
		u := unit{d.Name, d.Kind, d.Span}
		switch {
		case !isUnit(d), broken.Start <= d.Span.Start && d.Span.End <= broken.End:
		case d.Span.Start <= broken.Start && broken.End <= d.Span.End:
			if !starts[unit{d.Name, "", record.Span{Start: d.NameSpan.Start}}] {
				lost = append(lost, u)
			}
		case !spans[u]:
			lost = append(lost, u)
		}
	}
	return lost
}

func TestThePackageOfABrokenFileIsNoUse(t *testing.T) {
	const broken = "}}}} ((((\nclass A { void f() { g(\n"
	for path, clause := range map[record.Path]string{
		"a.kt": "package shop.orders\n", "a.java": "package shop.orders;\n", "a.cs": "namespace shop.orders;\n",
	} {
		o := languages.Parse(path, []byte(clause+broken))
		if o.Broken == 0 || o.Package != "shop.orders" {
			t.Errorf("%s has %d errors and the package %q, so it proves nothing", path, o.Broken, o.Package)
		}
		for _, r := range o.Refs {
			if r.Span.Start < len(clause) {
				t.Errorf("%s uses %s", path, r.Name)
			}
		}
	}
}

func TestWhatABrokenUnitLooksLikeDoesNotMoveTheOthers(t *testing.T) {
	for _, tt := range []struct {
		path    record.Path
		content string
		want    string // the units with their kinds
	}{
		// The constructor lacks its brace, so a statement of it looks like a method.
		{"a.cs", "namespace A;\n\nclass B\n{\n    public B(C c)\n\n        _c = Guard.Against(c);\n        _d = Guard.Against(d);\n    }\n\n    public void E()\n    {\n    }\n}\n",
			"class B, method Against, method E"},
		// The text of an attribute is at the left margin and looks like code.
		{"a.ex", "defmodule A do\n  @doc \"\"\"\n  Does.\n\ndef x do\n  \"\"\"\n  def a do\n    f(\n  end\n\n  @doc \"\"\"\n  Does.\n\n      iex> b()\n  \"\"\"\n  def b do\n    1\n  end\nend\n",
			"module A, function a, function b"},
	} {
		o := languages.Parse(tt.path, []byte(tt.content))
		var units []string
		for i := range o.Decls {
			if d := &o.Decls[i]; isUnit(d) {
				units = append(units, string(d.Kind)+" "+d.Name)
			}
		}
		if got := strings.Join(units, ", "); got != tt.want || o.Broken == 0 {
			t.Errorf("%s with %d errors has %s, want %s", tt.path, o.Broken, got, tt.want)
		}
	}
}

func TestAUnitWithABrokenHeadIsFound(t *testing.T) {
	text := "export interface Z<\n  /** c */\n  @@ Shape extends Readonly<X> = Readonly<X>,\n> extends Base<Shape> {}\n\nfunction a() {}\n"
	o := languages.Parse("a.ts", []byte(text))
	var got []string
	for _, d := range o.Decls {
		got = append(got, d.Name)
	}
	if !slices.Contains(got, "Z") || !slices.Contains(got, "a") {
		t.Errorf("found %q, want Z and a", got)
	}
}

// TestACommentBesideABrokenUnitDeclaresNothing has comments whose lines have no mark of their own.
func TestACommentBesideABrokenUnitDeclaresNothing(t *testing.T) {
	const source = `/*!
@brief what the file is for
int inFirstComment;
*/
namespace a {

/*
int inSecondComment();
*/
class B {
  int broken() { if (a { return 1; }

  /*
  int inThirdComment;
  */
  int whole() { return 1; }
};

API_DLL const char table[] = {
    'a',
};

int behind();
}
`
	o := languages.Parse("a.cc", []byte(source))
	if o.Broken == 0 {
		t.Error("no error is found")
	}
	var got []string
	for _, d := range o.Decls {
		got = append(got, d.Name)
	}
	for _, name := range []string{"a", "B", "whole", "table", "behind"} {
		if !slices.Contains(got, name) {
			t.Errorf("%s is not in %q", name, got)
		}
	}
	for _, name := range got {
		if strings.HasPrefix(name, "in") {
			t.Errorf("%s of a comment is declared", name)
		}
	}
}

// TestAnErrorEndsAStrictParse holds the parse that ends at the first syntax error against whole
// parses, of files as they are and of the same without a byte or a line.
func TestAnErrorEndsAStrictParse(t *testing.T) {
	const longest, cuts = 1 << 13, 6
	var n, broken int
	var early, whole int64
	check := func(p record.Path, content []byte) {
		e, w, ok := languages.Sound(p, content)
		if !ok {
			return
		}
		if n++; e.Sound != w.Sound {
			t.Errorf("%s: a strict parse says sound %t, a whole one %t: %.60q", p, e.Sound, w.Sound, content)
		}
		if !w.Sound {
			broken++
			early, whole = early+e.Work, whole+w.Work
		}
	}
	for p, content := range wellFormed(t) {
		if len(content) > longest {
			continue
		}
		check(p, content)
		for i := range cuts {
			at := len(content) * i / cuts
			if at == len(content) {
				break
			}
			end := at + 1
			if line := bytes.IndexByte(content[at:], '\n'); i%2 == 1 && line > 0 {
				end = at + line
			}
			check(p, slices.Concat(content[:at], content[end:]))
		}
	}
	if broken < n/10 || early > whole*3/4 {
		t.Errorf("%d of %d texts are broken; strict parses of them do the work %d, whole ones %d", broken, n, early, whole)
	}
	t.Logf("%d of %d texts are broken; strict parses of them do the work %d, whole ones %d", broken, n, early, whole)
}

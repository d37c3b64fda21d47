package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const tableHead = `| language | files | rejected by its parser | declarations | found | right | tags of ctags | confirmed | found |
|---|---|---|---|---|---|---|---|---|
`

// comparison is the result for one language.
type comparison struct {
	files, rejected  int
	parser           bool
	want, hit        int // declarations of the parser, and those of them that ambit has
	got, right       int // declarations of ambit that the parser can judge, and those that it confirms
	tags, good, seen int // tags of ctags, those that the parser confirms, those of them that ambit has
	missed, surplus  []place
	tagged           []place // good tags that ambit misses
}

// place is a declaration in a file.
type place struct {
	path string
	decl
}

// compare compares the files of a language with what ctags and the parser find in them.
func (t tools) compare(l language, files []source) (*comparison, error) {
	own, err := t.parse(l, files)
	if errors.Is(err, exec.ErrNotFound) {
		fmt.Fprintf(os.Stderr, "outlinecheck: %s: the parser %s is not installed\n", l.name, l.parser[0])
		own = nil
	} else if err != nil {
		return nil, err
	}
	var tags map[string][]decl
	if l.ctags != "" {
		tags, err = ctags(l, files)
	}
	if errors.Is(err, exec.ErrNotFound) {
		fmt.Fprintln(os.Stderr, "outlinecheck: ctags is not installed")
	} else if err != nil {
		return nil, err
	}
	c := &comparison{files: len(files), parser: own != nil}
	for _, f := range files {
		var of *facts
		if own != nil {
			if of = own[f.path]; of.rejected != "" {
				c.rejected++
				continue
			}
		}
		if l.declares != nil {
			tags[f.path], err = l.declared(f.path, tags[f.path])
			if err != nil {
				return nil, err
			}
		}
		if l.oneGroup {
			f.decls, f.inner, tags[f.path] = oneGroup(f.decls), oneGroup(f.inner), oneGroup(tags[f.path])
		}
		if l.last {
			f.decls, f.inner, tags[f.path] = lastParts(f.decls), lastParts(f.inner), lastParts(tags[f.path])
		}
		c.file(f, of, tags[f.path], l.partial)
	}
	return c, nil
}

// file compares one file. own is nil for a language without a parser here.
func (c *comparison) file(f source, own *facts, tags []decl, partial bool) {
	ours, all, theirs, truth := setOf(f.decls), setOf(f.decls, f.inner), setOf(tags), map[decl]bool{}
	if own != nil {
		truth = setOf(own.decls)
	}
	for _, d := range sorted(truth) {
		c.want++
		if all[d] {
			c.hit++
		} else {
			c.missed = append(c.missed, place{f.path, d})
		}
	}
	for _, d := range sorted(ours) {
		if own == nil || !own.knows(d.line) {
			continue
		}
		c.got++
		if truth[d] || own.inner[d] || partial && theirs[d] {
			c.right++
		} else {
			c.surplus = append(c.surplus, place{f.path, d})
		}
	}
	for _, d := range sorted(theirs) {
		c.tags++
		if own != nil && !truth[d] && !partial {
			continue
		}
		c.good++
		if all[d] {
			c.seen++
		} else {
			c.tagged = append(c.tagged, place{f.path, d})
		}
	}
}

// declared returns the tags of a file that are declarations.
func (l language) declared(path string, tags []decl) ([]decl, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	starts := []int{0}
	for i, c := range content {
		if c == '\n' {
			starts = append(starts, i+1)
		}
	}
	starts = append(starts, len(content))
	return slices.DeleteFunc(tags, func(d decl) bool {
		from, to := starts[min(d.line-1, len(starts)-1)], starts[min(d.line, len(starts)-1)]
		return !l.declares(d, string(content[from:to]), string(content[:from]))
	}), nil
}

// oneGroup returns declarations with one group for functions and values.
func oneGroup(all []decl) []decl {
	out := slices.Clone(all)
	for i := range out {
		if out[i].group == "function" {
			out[i].group = "value"
		}
	}
	return out
}

// lastParts returns declarations whose names are only the last parts of theirs.
func lastParts(all []decl) []decl {
	out := slices.Clone(all)
	for i := range out {
		out[i].name = out[i].name[strings.LastIndexAny(out[i].name, ".:")+1:]
	}
	return out
}

func setOf(lists ...[]decl) map[decl]bool {
	set := map[decl]bool{}
	for _, d := range slices.Concat(lists...) {
		set[d] = true
	}
	return set
}

func sorted(set map[decl]bool) []decl {
	var all []decl
	for d := range set {
		all = append(all, d)
	}
	slices.SortFunc(all, func(a, b decl) int { return a.line - b.line })
	return all
}

// row returns the row of the table in Markdown.
func (c *comparison) row(l language) string {
	rejected, want, found, right := "no parser", "", "", ""
	if c.parser {
		rejected, want, found, right = fmt.Sprint(c.rejected), fmt.Sprint(c.want), share(c.hit, c.want), share(c.right, c.got)
	}
	confirmed := ""
	if c.parser && !l.partial {
		confirmed = share(c.good, c.tags)
	}
	return fmt.Sprintf("| %s | %d | %s | %s | %s | %s | %d | %s | %s |", l.name, c.files, rejected, want, found, right, c.tags, confirmed, share(c.seen, c.good))
}

func share(part, whole int) string {
	if whole == 0 {
		return ""
	}
	return fmt.Sprintf("%.3f", float64(part)/float64(whole))
}

// list writes each difference, one a line.
func (c *comparison) list(w io.Writer) {
	for _, kind := range []struct {
		name   string
		places []place
	}{{"missed", c.missed}, {"surplus", c.surplus}, {"tag", c.tagged}} {
		for _, p := range kind.places {
			fmt.Fprintf(w, "%s\t%s:%d\t%s\t%s\n", kind.name, filepath.ToSlash(p.path), p.line, p.group, p.name)
		}
	}
}

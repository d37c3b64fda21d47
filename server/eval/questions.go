package eval

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml"

	"ambit/vectors/record"
)

// Question is a question of a file, with the places that an answer should have.
type Question struct {
	Question string   `yaml:"question"`
	Expect   []string `yaml:"expect"`
}

// ReadQuestions reads a file of questions, a list in YAML or JSON. Each has the text
// "question" and the list "expect" of places: a path, "path:line", "path:first-last", the
// name of a declaration, or "path#name". An error is one line and names the next step.
func ReadQuestions(name string) ([]Question, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read the questions: %w; give a file that you can read", err)
	}
	var list []Question
	if err := yaml.UnmarshalWithOptions(text, &list, yaml.Strict()); err != nil {
		return nil, fmt.Errorf("read the questions of %s: %s; write a list of {question: TEXT, expect: [PLACE, …]}", name, plainYAML(err))
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s has no question; write a list of {question: TEXT, expect: [PLACE, …]}", name)
	}
	for i, q := range list {
		switch {
		case strings.TrimSpace(q.Question) == "":
			return nil, fmt.Errorf("%s: question %d has no text; give its question", name, i+1)
		case len(q.Expect) == 0:
			return nil, fmt.Errorf("%s: question %d expects nothing; list paths, path:line or names under expect", name, i+1)
		}
	}
	return list, nil
}

// plainYAML returns the message of an error without the lines of the file.
func plainYAML(err error) string {
	var parsed yaml.Error
	if errors.As(err, &parsed) {
		if token := parsed.GetToken(); token != nil {
			return fmt.Sprintf("line %d: %s", token.Position.Line, parsed.GetMessage())
		}
		return parsed.GetMessage()
	}
	return firstLine(err.Error())
}

// resolve finds the places of the questions in the tree.
func (e *evaluator) resolve(list []Question) ([]question, error) {
	var named map[string][]function // the declarations of the tree, when a question needs them
	questions := make([]question, len(list))
	for i, q := range list {
		places := map[record.Path][]lineRange{}
		for _, text := range q.Expect {
			p, ranges, name, err := e.place(strings.TrimSpace(text))
			if err == nil && name != "" {
				if named == nil {
					named = e.declarations()
				}
				var found function
				if found, err = findNamed(named, p, name); err == nil {
					p, ranges = found.path, []lineRange{{first: found.lines.First, last: found.lines.Last}}
				}
			}
			if err != nil {
				return nil, fmt.Errorf("question %d: %w", i+1, err)
			}
			places[p] = append(places[p], ranges...)
		}
		questions[i].text = q.Question
		for _, p := range sorted(places) {
			text, err := e.corpus.dir.ReadFile(filepath.FromSlash(string(p)))
			if err != nil {
				return nil, fmt.Errorf("question %d: read %s: %w", i+1, p, err)
			}
			questions[i].gold.add(p, text, places[p])
		}
	}
	return questions, nil
}

// place reads a place: a path with lines or none, or the name of a declaration, perhaps in a
// file.
func (e *evaluator) place(text string) (p record.Path, ranges []lineRange, name string, err error) {
	if file, symbol, ok := strings.Cut(text, "#"); ok && symbol != "" && e.isFile(file) {
		return clean(file), nil, symbol, nil
	}
	if e.isFile(text) {
		return clean(text), nil, "", nil
	}
	if i := strings.LastIndexByte(text, ':'); i > 0 && e.isFile(text[:i]) {
		first, last, ranged := strings.Cut(text[i+1:], "-")
		a, err := strconv.Atoi(first)
		b := a
		if err == nil && ranged {
			b, err = strconv.Atoi(last)
		}
		if err != nil || a < 1 || b < a {
			return "", nil, "", fmt.Errorf("%q has no lines behind its colon; write path:12 or path:12-20", text)
		}
		return clean(text[:i]), e.around(clean(text[:i]), a, b, ranged), "", nil
	}
	if text == "" || strings.ContainsAny(text, "/ ") {
		return "", nil, "", fmt.Errorf("there is no file %q; name it relative to the workspace", text)
	}
	return "", nil, text, nil
}

// around returns the lines that a place expects: those of the function around a line alone.
func (e *evaluator) around(p record.Path, first, last int, ranged bool) []lineRange {
	if text, err := e.corpus.dir.ReadFile(filepath.FromSlash(string(p))); err == nil && !ranged {
		list := functionsOf(p, text)
		if i := innermost(list, first, last); i >= 0 {
			return []lineRange{{first: list[i].lines.First, last: list[i].lines.Last}}
		}
	}
	return []lineRange{{first: first, last: last}}
}

func clean(file string) record.Path { return record.Path(path.Clean(filepath.ToSlash(file))) }

// isFile reports whether the tree has a file.
func (e *evaluator) isFile(name string) bool {
	if name == "" || !filepath.IsLocal(filepath.FromSlash(name)) {
		return false
	}
	info, err := e.corpus.dir.Stat(filepath.FromSlash(string(clean(name))))
	return err == nil && info.Mode().IsRegular()
}

// declarations returns the declarations of the code, by their qualified and their last names.
func (e *evaluator) declarations() map[string][]function {
	named := map[string][]function{}
	for _, p := range e.corpus.paths {
		f := e.corpus.files[p]
		o := outlineOf(p, f.content)
		for i := range o.Decls {
			d := &o.Decls[i]
			if d.Name == "" || d.Span.End <= d.Span.Start {
				continue
			}
			full := function{p, qualified(&o, i), f.lines.of(d.Span)}
			named[full.name] = append(named[full.name], full)
			if d.Name != full.name {
				named[d.Name] = append(named[d.Name], full)
			}
		}
	}
	return named
}

// findNamed returns the only declaration of a name, in a file unless that is "".
func findNamed(named map[string][]function, in record.Path, name string) (function, error) {
	found := slices.Clone(named[name])
	if in != "" {
		found = slices.DeleteFunc(found, func(f function) bool { return f.path != in })
	}
	if exact := slices.DeleteFunc(slices.Clone(found), func(f function) bool { return f.name != name }); len(exact) > 0 {
		found = exact
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) == 0 && in != "":
		return function{}, fmt.Errorf("%s declares no %s; write path:line", in, name)
	case len(found) == 0:
		return function{}, fmt.Errorf("there is no file and no declaration %q; write a path relative to the workspace, or path:line", name)
	}
	var places []string
	for _, f := range found[:min(len(found), 5)] {
		places = append(places, fmt.Sprintf("%s:%d", f.path, f.lines.First))
	}
	return function{}, fmt.Errorf("%d declarations are named %s (%s); write path#name or path:line", len(found), name, strings.Join(places, ", "))
}

package lsp

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
)

// fields reads the fields of a command's argument. Unknown ones are ignored, and null
// is as good as nothing. The first wrong one is remembered, as InvalidParams with its
// name.
type fields struct {
	of  object
	err error
}

// value returns a field and whether it is there.
func (f *fields) value(name string) (json.RawMessage, bool) {
	raw, ok := f.of[name]
	return raw, ok && string(raw) != "null"
}

// wrong remembers what is wrong with a field.
func (f *fields) wrong(name, format string, args ...any) {
	if f.err == nil {
		f.err = invalid(name, format, args...)
	}
}

// text returns a string, "" when it is not there.
func (f *fields) text(name string) (text string) {
	if raw, ok := f.value(name); ok && json.Unmarshal(raw, &text) != nil {
		f.wrong(name, "use a string")
	}
	return text
}

// maxQueryBytes bounds a question; a pasted file is not one.
const maxQueryBytes = 64 << 10

// query returns the field query.
func (f *fields) query() string {
	q := f.text("query")
	if len(q) > maxQueryBytes {
		f.wrong("query", "use at most %d bytes", maxQueryBytes)
	}
	return strings.TrimSpace(q)
}

// choice returns a string that is one of some, "" when it is not there.
func (f *fields) choice(name string, of ...string) string {
	text := f.text(name)
	if _, ok := f.value(name); ok && f.err == nil && !slices.Contains(of, text) {
		f.wrong(name, "use one of %s", strings.Join(of, ", "))
	}
	return text
}

// number returns a whole number from low to high, or what holds when it is not there.
func (f *fields) number(name string, low, high, otherwise int) int {
	raw, ok := f.value(name)
	if !ok {
		return otherwise
	}
	n := otherwise
	if json.Unmarshal(raw, &n) != nil || n < low || n > high {
		f.wrong(name, "use a whole number from %d to %d", low, high)
	}
	return n
}

// list returns strings.
func (f *fields) list(name string) (list []string) {
	if raw, ok := f.value(name); ok && json.Unmarshal(raw, &list) != nil {
		f.wrong(name, "use a list of strings")
	}
	return list
}

// maxIDs bounds the ids of one field: more than an answer has sources.
const maxIDs = 1000

// idPattern is the form of the id of a source.
var idPattern = regexp.MustCompile(`^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$`)

// ids returns ids of sources.
func (f *fields) ids(name string) []string {
	list := f.list(name)
	if len(list) > maxIDs {
		f.wrong(name, "use at most %d ids", maxIDs)
	}
	for _, id := range list {
		if !idPattern.MatchString(id) {
			f.wrong(name, "use the ids of sources of an answer")
		}
	}
	return list
}

// document returns the URI of the field textDocument, "" when it is not there.
func (f *fields) document() string {
	raw, ok := f.value("textDocument")
	if !ok {
		return ""
	}
	var d struct{ URI *string }
	switch {
	case json.Unmarshal(raw, &d) != nil:
		f.wrong("textDocument", "use an object with uri")
	case d.URI == nil || scheme(*d.URI) == "":
		f.wrong("textDocument.uri", "use the URI of a document")
	default:
		return *d.URI
	}
	return ""
}

// position returns the field position, and whether it is there.
func (f *fields) position() (position, bool) {
	raw, ok := f.value("position")
	if !ok {
		return position{}, false
	}
	p, err := readPosition(raw)
	if err != nil {
		f.wrong("position", "use an object with line and character, whole numbers from 0")
	}
	return p, true
}

// readFields takes the arguments of a command: none, or one object.
func readFields(arguments []json.RawMessage) (*fields, error) {
	f := &fields{}
	switch {
	case len(arguments) == 0 || string(arguments[0]) == "null":
		return f, nil
	case len(arguments) > 1:
		return nil, invalid("arguments", "use one object")
	}
	if err := json.Unmarshal(arguments[0], &f.of); err != nil {
		return nil, invalid("arguments", "use one object")
	}
	return f, nil
}

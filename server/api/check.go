package api

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ambit/vectors/record"
)

// Decode reads the JSON argument of a command into a pointer to a question and checks
// it as [Check] does. Unknown fields are ignored, see [Unknown]; null is an absent field, and
// an absent argument is an empty one. The error is a *[FieldError] that names the first
// wrong field; Decode still reads the others.
func Decode(argument json.RawMessage, question any) error {
	if len(argument) == 0 || string(argument) == "null" {
		argument = json.RawMessage("{}")
	}
	return decode(argument, reflect.ValueOf(question).Elem(), "")
}

// decode reads an object into a struct. Path is the struct's own, "" for the argument.
// It reads the other fields also when one is wrong.
func decode(object json.RawMessage, v reflect.Value, path string) (wrongField error) {
	var given map[string]json.RawMessage
	if json.Unmarshal(object, &given) != nil {
		return &FieldError{cmp.Or(path, "arguments"), "use an object"}
	}
	for f, value := range v.Fields() {
		var err error
		if f.Anonymous {
			err = decode(object, value, path)
		} else {
			raw, ok := given[jsonName(f)]
			err = decodeField(raw, ok && string(raw) != "null", f, value, join(path, f))
		}
		if wrongField == nil {
			wrongField = err
		}
	}
	return wrongField
}

// Unknown returns the paths of the fields of a JSON argument that a question, a pointer, does
// not have, in order. An argument that is not an object has none.
func Unknown(argument json.RawMessage, question any) []string {
	return unknown(argument, reflect.TypeOf(question).Elem(), "")
}

func unknown(object json.RawMessage, t reflect.Type, path string) (names []string) {
	var given map[string]json.RawMessage
	if json.Unmarshal(object, &given) != nil {
		return nil
	}
	known := map[string]reflect.Type{}
	for _, f := range reflect.VisibleFields(t) {
		if name := jsonName(f); name != "" && f.Tag.Get("lsp") != "-" {
			known[name] = f.Type
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		of, ok := known[name]
		if ok && of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		full := strings.Trim(path+"."+name, ".")
		switch {
		case !ok:
			names = append(names, full)
		case of.Kind() == reflect.Struct && !reflect.PointerTo(of).Implements(reflect.TypeFor[json.Unmarshaler]()):
			names = append(names, unknown(given[name], of, full)...)
		}
	}
	return names
}

// decodeField reads and checks one field; raw counts when it is given.
func decodeField(raw json.RawMessage, given bool, f reflect.StructField, value reflect.Value, path string) error {
	if given && value.Kind() == reflect.Pointer {
		value.Set(reflect.New(f.Type.Elem()))
		value = value.Elem()
	}
	if given {
		if err := decodeValue(raw, value, path); err != nil {
			return err
		}
	}
	if reason := wrong(f.Tag, value, given); reason != "" {
		return &FieldError{path, reason}
	}
	return nil
}

// decodeValue reads the value of a field.
func decodeValue(raw json.RawMessage, value reflect.Value, path string) error {
	into := value.Addr().Interface()
	_, reads := into.(json.Unmarshaler)
	if value.Kind() == reflect.Struct && !reads {
		return decode(raw, value, path)
	}
	err := json.Unmarshal(raw, into)
	var field *FieldError
	switch {
	case errors.As(err, &field):
		return &FieldError{path, field.Reason}
	case err != nil:
		return &FieldError{path, "use " + typeName(value.Type())}
	}
	return nil
}

// typeName names the type of a field for people.
func typeName(t reflect.Type) string {
	switch {
	case t == reflect.TypeFor[record.ChunkID]():
		return "the id of a source"
	case t == reflect.TypeFor[[]record.ChunkID]():
		return "a list of ids of sources"
	case t.Kind() == reflect.String:
		return "a string"
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.Kind() == reflect.Slice:
		return "a list of strings"
	}
	return "a whole number"
}

// Check returns the first field of a question, a pointer to a struct, whose value its
// tags do not allow, as a *[FieldError]. A zero value means that the field is absent.
// Check replaces the aliases of values. The tags are
//
//	required  "true": the field must be there
//	enum      the values of a string, separated by commas
//	alias     other names of these values, "claude=xml"
//	min, max  of a number; max of a string in bytes, of a list in elements
//	default   the value that an absent field means, for documentation
//	lsp       "-": the language server sets the field, its clients do not; "required":
//	          its clients must set it; the language server checks that
func Check(question any) error { return check(reflect.ValueOf(question).Elem(), "") }

func check(v reflect.Value, path string) error {
	for f, value := range v.Fields() {
		if value.Kind() == reflect.Pointer {
			value = value.Elem()
		}
		if !value.IsValid() {
			continue
		}
		name := join(path, f)
		if value.Kind() == reflect.Struct {
			if err := check(value, name); err != nil {
				return err
			}
		} else if reason := wrong(f.Tag, value, !value.IsZero()); reason != "" {
			return &FieldError{name, reason}
		}
	}
	return nil
}

// jsonName returns the name of a field in JSON, "" for an embedded struct.
func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// join returns the path of a field of the struct at path.
func join(path string, f reflect.StructField) string {
	return strings.Trim(path+"."+jsonName(f), ".")
}

// wrong returns an instruction to the user when the tags do not allow a value, else "".
// It replaces an alias.
func wrong(tag reflect.StructTag, value reflect.Value, given bool) string {
	required := tag.Get("required") == "true"
	switch {
	case required && (!given || value.Kind() == reflect.String && strings.TrimSpace(value.String()) == ""):
		return "give it"
	case !given:
		return ""
	}
	low, hasLow := bound(tag, "min")
	high, hasHigh := bound(tag, "max")
	switch value.Kind() {
	case reflect.String:
		for alias := range strings.SplitSeq(tag.Get("alias"), ",") {
			if from, to, _ := strings.Cut(alias, "="); from == value.String() && value.CanSet() {
				value.SetString(to)
			}
		}
		if enum := tag.Get("enum"); enum != "" && !slices.Contains(strings.Split(enum, ","), value.String()) {
			return "use one of " + strings.ReplaceAll(enum, ",", ", ")
		}
		if hasHigh && value.Len() > high {
			return fmt.Sprintf("use at most %d bytes", high)
		}
	case reflect.Slice:
		if hasHigh && value.Len() > high {
			return fmt.Sprintf("use at most %d elements", high)
		}
		if patterns, ok := value.Interface().([]string); ok && hasHigh && slices.ContainsFunc(patterns, notPattern) {
			return fmt.Sprintf("use patterns of one line and at most %d bytes", maxPatternBytes)
		}
	case reflect.Int:
		if n := int(value.Int()); hasLow && n < low || hasHigh && n > high {
			return fmt.Sprintf("use a whole number from %d to %d", low, high)
		}
	}
	return ""
}

// maxPatternBytes bounds a pattern, as the settings do.
const maxPatternBytes = 1000

// notPattern reports whether text cannot be a pattern as in .gitignore.
func notPattern(text string) bool {
	return text == "" || len(text) > maxPatternBytes || strings.ContainsAny(text, "\x00\n")
}

func bound(tag reflect.StructTag, name string) (n int, ok bool) {
	n, err := strconv.Atoi(tag.Get(name))
	return n, err == nil
}

// Encode writes an answer, a pointer, as JSON. Lists that are nil become empty ones,
// in the answer too.
func Encode(answer any) (json.RawMessage, error) {
	fillLists(reflect.ValueOf(answer))
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(answer)
	return bytes.TrimSpace(b.Bytes()), err
}

// fillLists makes the nil lists and maps of a value empty ones.
func fillLists(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			fillLists(v.Elem())
		}
	case reflect.Struct:
		for _, field := range v.Fields() {
			fillLists(field)
		}
	case reflect.Map:
		if v.IsNil() && v.CanSet() {
			v.Set(reflect.MakeMap(v.Type()))
		}
	case reflect.Slice:
		if v.IsNil() && v.CanSet() {
			v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		}
		for i := range v.Len() {
			fillLists(v.Index(i))
		}
	}
}

// SourceName names a source of an answer: by id, by path and line, or by identifier.
// In JSON it is an entry of the answer's sources, the string "path:line" or the string
// of an identifier.
type SourceName struct {
	ID         record.ChunkID `json:"id,omitzero"`
	Path       record.Path    `json:"path,omitempty"`
	Line       int            `json:"start_line,omitempty"` // 0 means anywhere
	Identifier string         `json:"identifier,omitempty"`
}

// lineSuffix is the end of a source that is named by path and line.
var lineSuffix = regexp.MustCompile(`^(.+):(\d{1,9})$`)

// UnmarshalJSON reads any of the three forms.
func (n *SourceName) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) == nil {
		if m := lineSuffix.FindStringSubmatch(text); m != nil {
			line, err := strconv.Atoi(m[2])
			*n = SourceName{Path: record.Path(m[1]), Line: line}
			return err
		}
		*n = SourceName{Identifier: text}
		return nil
	}
	type entry SourceName
	if err := json.Unmarshal(data, (*entry)(n)); err != nil || *n == (SourceName{}) {
		return &FieldError{"source", `use a source of an answer, "path:line" or an identifier`}
	}
	return nil
}

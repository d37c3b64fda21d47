package api

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ambit/vectors/record"
)

// Decode reads the JSON argument of a command into a pointer to a question and checks
// it. Unknown fields are ignored, and null and nothing are an empty argument. The error
// is a *[FieldError].
func Decode(argument json.RawMessage, question any) error {
	if len(argument) > 0 {
		var wrong *json.UnmarshalTypeError
		var field *FieldError
		switch err := json.Unmarshal(argument, question); {
		case errors.As(err, &field):
			return field
		case errors.As(err, &wrong) && wrong.Field != "":
			return &FieldError{wrong.Field, "use " + article(wrong.Type)}
		case err != nil:
			return &FieldError{"arguments", "use one object"}
		}
	}
	return Check(question)
}

// article names a type of JSON with its article.
func article(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Slice, reflect.Array:
		return "a list of strings"
	case reflect.Struct:
		return "an object"
	}
	return "a whole number"
}

// Check returns the first field of a question, a pointer to a struct, whose value its
// tags do not allow, as a *[FieldError]. A zero value means that the field is absent.
// The tags are
//
//	required  "true": the field must be there
//	enum      the values of a string, separated by commas
//	min, max  of a number; max of a string in bytes, of a list in elements
func Check(question any) error { return check(reflect.ValueOf(question).Elem(), "") }

func check(v reflect.Value, path string) error {
	for i := range v.NumField() {
		f, value := v.Type().Field(i), v.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		inner := path
		if name != "" {
			inner = strings.TrimPrefix(path+"."+name, ".")
		}
		if reason := wrong(f.Tag, value); reason != "" {
			return &FieldError{inner, reason}
		}
		if value.Kind() == reflect.Pointer {
			value = value.Elem()
		}
		if value.IsValid() && value.Kind() == reflect.Struct {
			if err := check(value, inner); err != nil {
				return err
			}
		}
	}
	return nil
}

// wrong says what to use in place of a value, "" when the tags allow it.
func wrong(tag reflect.StructTag, value reflect.Value) string {
	if value.IsZero() {
		if tag.Get("required") == "true" {
			return "give it"
		}
		return ""
	}
	low, hasLow := bound(tag, "min")
	high, hasHigh := bound(tag, "max")
	switch value.Kind() {
	case reflect.String:
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
	case reflect.Int:
		if n := int(value.Int()); hasLow && n < low || hasHigh && n > high {
			return fmt.Sprintf("use a whole number from %d to %d", low, high)
		}
	}
	return ""
}

func bound(tag reflect.StructTag, name string) (n int, ok bool) {
	n, err := strconv.Atoi(tag.Get(name))
	return n, err == nil
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

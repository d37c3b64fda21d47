package lsptest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"
)

// Model is the official meta model of the protocol: the shape of every message.
type Model struct {
	Types         map[string]*Type // structures, enumerations and aliases
	Requests      map[string]Method
	Notifications map[string]Method
}

// Method is a request or a notification. Params and Result are nil when it has none.
type Method struct {
	Method           string
	MessageDirection string // "clientToServer", "serverToClient" or "both"
	Params, Result   *Type
}

// Type is a type of the model. Kind is "base", "reference", "array", "map", "and", "or",
// "tuple", "structure" or "literal", which have properties, "enumeration", "any", or
// "stringLiteral" and the like.
type Type struct {
	Kind       string
	Name       string // of a base or of the type that is referred to
	Element    *Type  // of an array
	Items      []*Type
	Value      json.RawMessage
	Properties []Property

	Values []any // of an enumeration
	open   bool  // other values are allowed
}

// Property is a field of a structure.
type Property struct {
	Name     string
	Type     *Type
	Optional bool
}

// LoadModel reads the model, testdata/protocol/metaModel.json of the repository.
func LoadModel(path string) (*Model, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var file struct {
		Requests, Notifications []Method
		Structures              []*struct {
			Type
			Extends, Mixins []*Type
		}
		Enumerations []struct {
			Name                 string
			Type                 Type
			Values               []struct{ Value any }
			SupportsCustomValues bool
		}
		TypeAliases []struct {
			Name string
			Type *Type
		}
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, fmt.Errorf("read the meta model %s: %w", path, err)
	}
	m := &Model{map[string]*Type{}, map[string]Method{}, map[string]Method{}}
	for _, r := range file.Requests {
		m.Requests[r.Method] = r
	}
	for _, n := range file.Notifications {
		m.Notifications[n.Method] = n
	}
	for _, a := range file.TypeAliases {
		m.Types[a.Name] = a.Type
	}
	for _, e := range file.Enumerations {
		t := &Type{Kind: "enumeration", Name: e.Type.Name, open: e.SupportsCustomValues}
		for _, v := range e.Values {
			t.Values = append(t.Values, v.Value)
		}
		m.Types[e.Name] = t
	}
	bases := map[*Type][]*Type{}
	for _, s := range file.Structures {
		s.Kind = "structure"
		m.Types[s.Name], bases[&s.Type] = &s.Type, slices.Concat(s.Extends, s.Mixins)
	}
	for t := range bases {
		m.inherit(t, bases)
	}
	m.Types["LSPAny"] = &Type{Kind: "any"}
	m.Types["LSPObject"] = &Type{Kind: "structure", open: true}
	return m, nil
}

// inherit gives a structure the properties of its bases, once.
func (m *Model) inherit(t *Type, bases map[*Type][]*Type) {
	for _, base := range bases[t] {
		b := m.Types[base.Name]
		m.inherit(b, bases)
		for _, p := range b.Properties {
			if !slices.ContainsFunc(t.Properties, func(own Property) bool { return own.Name == p.Name }) {
				t.Properties = append(t.Properties, p)
			}
		}
	}
	bases[t] = nil
	t.open = len(t.Properties) == 0
}

// decode decodes JSON and keeps its numbers as they are written.
func decode(raw json.RawMessage) (v any, present bool) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	present = d.Decode(&v) == nil
	return v, present
}

var uriPattern = regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9+.-]*:`)

// isBase reports whether a value is of a base type.
func isBase(name string, v any) bool {
	switch name {
	case "integer", "uinteger":
		n, ok := v.(json.Number)
		f, err := n.Float64()
		return ok && err == nil && f == math.Trunc(f) && f <= math.MaxInt32 && f >= map[string]float64{"integer": math.MinInt32}[name]
	case "decimal":
		_, ok := v.(json.Number)
		return ok
	case "boolean":
		_, ok := v.(bool)
		return ok
	case "null":
		return v == nil
	}
	s, ok := v.(string)
	return ok && (name != "URI" && name != "DocumentUri" || uriPattern.MatchString(s))
}

const unknownProperty = "unknown property"

// check returns the problems of a value of a type.
func (m *Model) check(t *Type, v any, at string) (problems []string) {
	not := func(what string) []string { return []string{fmt.Sprintf("%s: not %s: %.60v", at, what, v)} }
	switch t.Kind {
	case "any":
		return nil
	case "base":
		if !isBase(t.Name, v) {
			return not(t.Name)
		}
		return nil
	case "reference":
		return m.check(m.Types[t.Name], v, at)
	case "enumeration":
		if !isBase(t.Name, v) || !t.open && !slices.ContainsFunc(t.Values, func(x any) bool { return fmt.Sprint(x) == fmt.Sprint(v) }) {
			return not("of the enumeration")
		}
		return nil
	case "array", "tuple":
		list, ok := v.([]any)
		if !ok || t.Kind == "tuple" && len(list) != len(t.Items) {
			return not("an " + t.Kind)
		}
		for i, x := range list {
			element := t.Element
			if t.Kind == "tuple" {
				element = t.Items[i]
			}
			problems = append(problems, m.check(element, x, fmt.Sprintf("%s[%d]", at, i))...)
		}
		return problems
	case "and":
		for _, item := range t.Items {
			problems = append(problems, slices.DeleteFunc(m.check(item, v, at), func(p string) bool { return strings.HasSuffix(p, unknownProperty) })...)
		}
		return problems
	case "or":
		for i, item := range t.Items {
			if all := m.check(item, v, at); i == 0 || len(all) < len(problems) {
				problems = all
			}
		}
		return problems
	case "map", "literal", "structure":
		o, ok := v.(map[string]any)
		if !ok {
			return not("an object")
		}
		return m.checkObject(t, o, at)
	}
	if want, _ := decode(t.Value); v != want { // a literal of a string, a number or a bool
		return not(fmt.Sprint(want))
	}
	return nil
}

// checkObject is check for a map, a literal and a structure.
func (m *Model) checkObject(t *Type, o map[string]any, at string) (problems []string) {
	var inner Type                      // of a literal its properties, of a map its type
	_ = json.Unmarshal(t.Value, &inner) // the model was read; a structure has none
	if t.Kind == "map" {
		for name, x := range o {
			problems = append(problems, m.check(&inner, x, at+"."+name)...)
		}
		return problems
	}
	known := map[string]bool{}
	for _, p := range slices.Concat(t.Properties, inner.Properties) {
		known[p.Name] = true
		if x, ok := o[p.Name]; ok {
			problems = append(problems, m.check(p.Type, x, at+"."+p.Name)...)
		} else if !p.Optional {
			problems = append(problems, at+"."+p.Name+": missing")
		}
	}
	for name := range o {
		if !known[name] && !t.open {
			problems = append(problems, at+"."+name+": "+unknownProperty)
		}
	}
	return problems
}

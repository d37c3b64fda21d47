package attach_test

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	gocmp "github.com/google/go-cmp/cmp"

	"ambit/server/api"
	"ambit/server/attach"
	"ambit/server/rpc"
)

// Every method of a workspace can be called over the wire.
func TestEveryMethodIsOnTheWire(t *testing.T) {
	calls, tells := attach.Methods()
	here := []string{"root", "notice", "close"}
	workspace := reflect.TypeFor[api.Workspace]()
	for i := range workspace.NumMethod() {
		name := workspace.Method(i).Name
		name = strings.ToLower(name[:1]) + name[1:]
		if !slices.Contains(calls, name) && !slices.Contains(tells, name) && !slices.Contains(here, name) {
			t.Errorf("%s of a workspace cannot be called over the wire", name)
		}
	}
}

// messageTypes are the types of all questions, answers and reports.
func messageTypes() []reflect.Type {
	types := []reflect.Type{reflect.TypeFor[api.State](), reflect.TypeFor[api.Progress]()}
	workspace := reflect.TypeFor[api.Workspace]()
	for i := range workspace.NumMethod() {
		m := workspace.Method(i).Type
		for j := range m.NumIn() {
			if in := m.In(j); in != reflect.TypeFor[context.Context]() && in.Kind() != reflect.Func {
				types = append(types, in)
			}
		}
		for j := range m.NumOut() {
			if out := m.Out(j); out != reflect.TypeFor[error]() {
				types = append(types, out)
			}
		}
	}
	slices.SortFunc(types, func(x, y reflect.Type) int { return strings.Compare(x.String(), y.String()) })
	return slices.Compact(types)
}

// oddTexts are bytes that are not UTF-8, and characters that JSON or the wire escape.
var oddTexts = []string{"", "a", "ä", "\xff\x00", "two\nlines", "\ufffd", `\ufffd`, "\xf4\x8f\xbe", "\U0010ff00\U0010ffff", "\U0010ff85\x85", "<&>\u2028"}

// anything fills v with a random value.
func anything(random *rand.Rand, v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(random.IntN(2) == 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(random.Uint64() >> 1)) // a position is not negative
		if v.Kind() == reflect.Int32 {
			v.SetInt(int64(random.Int32()))
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(random.Uint64())
	case reflect.Float64:
		v.SetFloat([]float64{random.NormFloat64(), 0, math.Copysign(0, -1), 1.0 / 3, math.MaxFloat64, 5e-324}[random.IntN(6)])
	case reflect.String:
		v.SetString(oddTexts[random.IntN(len(oddTexts))])
	case reflect.Array:
		for i := range v.Len() {
			anything(random, v.Index(i))
		}
	case reflect.Slice:
		if n := random.IntN(4); n > 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				anything(random, v.Index(i))
			}
		}
	case reflect.Map:
		if n := random.IntN(4); n > 0 {
			v.Set(reflect.MakeMap(v.Type()))
			for range n {
				key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
				anything(random, key)
				anything(random, value)
				v.SetMapIndex(key, value)
			}
		}
	case reflect.Pointer:
		if random.IntN(3) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			anything(random, v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			anything(random, v.Field(i))
		}
	}
}

func TestValuesSurviveTheWire(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, typ := range messageTypes() {
		for range 200 {
			v, before, got := reflect.New(typ), reflect.New(typ), reflect.New(typ)
			seed := random.Uint64()
			anything(rand.New(rand.NewPCG(3, seed)), v.Elem())
			anything(rand.New(rand.NewPCG(3, seed)), before.Elem())
			data, err := rpc.Marshal(v.Interface())
			if err == nil {
				err = rpc.Unmarshal(data, got.Interface())
			}
			if err != nil {
				t.Fatalf("%s: %v", typ, err)
			}
			if diff := gocmp.Diff(v.Interface(), got.Interface()); diff != "" {
				t.Fatalf("%s as %s (-in +out):\n%s", typ, data, diff)
			}
			if diff := gocmp.Diff(before.Interface(), v.Interface()); diff != "" {
				t.Fatalf("%s was changed (-before +after):\n%s", typ, diff)
			}
		}
	}
}

// FuzzText sends any text, beside another one, and checks that JSON can hold it.
func FuzzText(f *testing.F) {
	for _, text := range oddTexts {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if escaped := rpc.Escape(text); !utf8.ValidString(escaped) || rpc.Unescape(escaped) != text {
			t.Fatalf("%q is escaped as %q, which is %q", text, escaped, rpc.Unescape(escaped))
		}
		in, out := map[string][]string{text: {text, "a"}}, map[string][]string{}
		data, err := rpc.Marshal(in)
		if err == nil {
			err = rpc.Unmarshal(data, &out)
		}
		if diff := gocmp.Diff(in, out); diff != "" || err != nil {
			t.Fatalf("%v (-in +out):\n%s", err, diff)
		}
	})
}

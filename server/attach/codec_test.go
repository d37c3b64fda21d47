package attach_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/server/assemble"
	"ambit/server/attach"
	"ambit/server/session"
	"ambit/vectors/record"
)

// messageTypes are the types of all questions and answers.
func messageTypes() []reflect.Type {
	var types []reflect.Type
	for _, pair := range attach.Methods() {
		types = append(types, pair[0], pair[1])
	}
	types = append(types, reflect.TypeFor[session.State](), reflect.TypeFor[session.Progress]())
	slices.SortFunc(types, func(x, y reflect.Type) int { return strings.Compare(x.String(), y.String()) })
	return slices.Compact(types)
}

// anything fills v with a random value, bytes that are no UTF-8 among it.
func anything(random *rand.Rand, v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(random.IntN(2) == 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(int64(random.Uint64()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		v.SetUint(random.Uint64())
	case reflect.Float64:
		v.SetFloat([]float64{random.NormFloat64(), 0, math.Copysign(0, -1), math.Inf(1), math.MaxFloat64, 5e-324}[random.IntN(6)])
	case reflect.String:
		v.SetString([]string{"", "a", "ä", "\xff\x00", "two\nlines"}[random.IntN(5)])
	case reflect.Array:
		for i := range v.Len() {
			anything(random, v.Index(i))
		}
	case reflect.Slice:
		if n := random.IntN(4) - 1; n >= 0 {
			v.Set(reflect.MakeSlice(v.Type(), n, n))
			for i := range n {
				anything(random, v.Index(i))
			}
		}
	case reflect.Map:
		if n := random.IntN(4) - 1; n >= 0 {
			v.Set(reflect.MakeMap(v.Type()))
			for range n {
				key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
				anything(random, key)
				anything(random, value)
				v.SetMapIndex(key, value)
			}
		}
	case reflect.Pointer:
		if v.Type() != reflect.TypeFor[*session.Buffer]() && random.IntN(3) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			anything(random, v.Elem())
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[assemble.Cost]() {
			return
		}
		for i := range v.NumField() {
			anything(random, v.Field(i))
		}
	}
}

func TestWhatComesOutOfTheWireIsWhatWentIn(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, typ := range messageTypes() {
		for range 200 {
			v := reflect.New(typ).Elem()
			anything(random, v)
			got, err := attach.RoundTrip(v)
			if err != nil {
				t.Fatalf("%s: %v", typ, err)
			}
			if diff := cmp.Diff(v.Interface(), got.Interface()); diff != "" {
				t.Fatalf("%s (-in +out):\n%s", typ, diff)
			}
		}
	}
}

// What is decoded of any bytes is spelled by no more bytes, and a length is never
// believed that the rest cannot hold.
func FuzzDecode(f *testing.F) {
	types := messageTypes()
	random := rand.New(rand.NewPCG(3, 4))
	for i, typ := range types {
		v := reflect.New(typ).Elem()
		anything(random, v)
		f.Add(uint8(i), attach.Marshal(v.Interface()))
	}
	f.Add(uint8(0), []byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01})
	f.Fuzz(func(t *testing.T, i uint8, data []byte) {
		typ := types[int(i)%len(types)]
		v, err := attach.Decode(typ, data)
		if err != nil {
			return
		}
		again, err := attach.RoundTrip(v)
		if err != nil {
			t.Fatalf("%s decodes from %x and not from its own encoding: %v", typ, data, err)
		}
		if !reflect.DeepEqual(attach.Marshal(again.Interface()), attach.Marshal(v.Interface())) { // NaN is not equal to itself
			t.Fatalf("%s comes out as another value", typ)
		}
	})
}

func TestALengthIsNotBelieved(t *testing.T) {
	huge := []byte{0xff, 0xff, 0xff, 0xff, 0x7f, 1, 2, 3}
	if _, err := attach.Unmarshal[[]record.Chunk](huge); err == nil { // would be 2 TB
		t.Error("a list of billions in eight bytes was taken")
	}
	for name, data := range map[string][]byte{"too short": {5, 'a'}, "too long": {1, 'a', 'b'}, "nothing": {}} {
		if _, err := attach.Unmarshal[string](data); err == nil {
			t.Errorf("%s: taken for a string", name)
		}
	}
}

func TestATypeThatCannotBeSentIsRefused(t *testing.T) {
	type loop struct{ Next []*loop }
	for _, v := range []any{loop{}, struct{ hidden int }{}, struct{ F func() }{}, map[int]string{}, float32(1), struct{ A any }{}} {
		if text, err := attach.Spelling(reflect.TypeOf(v)); err == nil {
			t.Errorf("%T can be sent as %q", v, text)
		}
	}
}

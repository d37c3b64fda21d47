package attach

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"ambit/server/assemble"
	"ambit/server/session"
)

// The codec spells values of Go by their types, field by field, as both sides are the
// same build (see hello). What comes out equals what went in to the bit: a path and a
// line of source need not be UTF-8, which JSON would change, and nil is not empty,
// which gob forgets.
//
//	bool            1 byte, 0 or 1
//	int…, uint…     varint, zigzag when signed
//	float64         8 bytes, little-endian bits
//	string          uvarint length | bytes
//	array           its elements
//	slice, map      0 for nil, else uvarint length+1 | elements; a map as key, value, by key
//	pointer         0 for nil, else 1 | what it points to
//	struct          its fields in order, without those that stay (see stays)

// errEncoding is returned by decode for bytes that encode did not make of that type.
var errEncoding = errors.New("malformed message")

// stays reports whether a field of a type does not cross and comes out zero: how an
// answer is rendered is told by its name, and a buffer once for all questions.
func stays(t reflect.Type) bool {
	return t == reflect.TypeFor[assemble.Cost]() || t == reflect.TypeFor[*session.Buffer]()
}

// encode appends v to b. The type must be one that [spelling] can spell.
func encode(b []byte, v reflect.Value) []byte {
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			return append(b, 1)
		}
		return append(b, 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return binary.AppendVarint(b, v.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return binary.AppendUvarint(b, v.Uint())
	case reflect.Float64:
		return binary.LittleEndian.AppendUint64(b, math.Float64bits(v.Float()))
	case reflect.String:
		return append(binary.AppendUvarint(b, uint64(v.Len())), v.String()...)
	case reflect.Array:
		return encodeElements(b, v)
	case reflect.Slice:
		if v.IsNil() {
			return append(b, 0)
		}
		b = binary.AppendUvarint(b, uint64(v.Len())+1)
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return append(b, v.Bytes()...)
		}
		return encodeElements(b, v)
	case reflect.Map:
		return encodeMap(b, v)
	case reflect.Pointer:
		if v.IsNil() {
			return append(b, 0)
		}
		return encode(append(b, 1), v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); !stays(f.Type()) {
				b = encode(b, f)
			}
		}
		return b
	}
	panic("encode a " + v.Type().String()) // spelling refuses the type, and a test asks it for all
}

func encodeElements(b []byte, v reflect.Value) []byte {
	for i := range v.Len() {
		b = encode(b, v.Index(i))
	}
	return b
}

func encodeMap(b []byte, v reflect.Value) []byte {
	if v.IsNil() {
		return append(b, 0)
	}
	b = binary.AppendUvarint(b, uint64(v.Len())+1)
	keys := v.MapKeys()
	slices.SortFunc(keys, func(x, y reflect.Value) int { return strings.Compare(x.String(), y.String()) })
	for _, k := range keys {
		b = encode(encode(b, k), v.MapIndex(k))
	}
	return b
}

// decoder takes values off the front of data.
type decoder struct{ data []byte }

// decode fills v, the zero value of its type. What it allocates is bounded by a small
// multiple of the data.
func (d *decoder) decode(v reflect.Value) error {
	switch v.Kind() {
	case reflect.Bool, reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		n, err := d.uvarint()
		switch {
		case err != nil:
			return err
		case v.Kind() == reflect.Bool && n <= 1:
			v.SetBool(n == 1)
		case v.Kind() == reflect.Bool || v.OverflowUint(n):
			return errEncoding
		default:
			v.SetUint(n)
		}
		return nil
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n, size := binary.Varint(d.data)
		if size <= 0 || v.OverflowInt(n) {
			return errEncoding
		}
		d.data = d.data[size:]
		v.SetInt(n)
		return nil
	case reflect.Float64:
		raw, err := d.take(8)
		if err == nil {
			v.SetFloat(math.Float64frombits(binary.LittleEndian.Uint64(raw)))
		}
		return err
	case reflect.String:
		n, err := d.uvarint()
		if err != nil {
			return err
		}
		raw, err := d.take(n)
		v.SetString(string(raw))
		return err
	}
	return d.decodeMany(v)
}

// decodeMany is decode for what holds other values.
func (d *decoder) decodeMany(v reflect.Value) error {
	switch v.Kind() {
	case reflect.Array:
		return d.elements(v)
	case reflect.Slice:
		n, err := d.length(v.Type().Elem())
		if err != nil || n < 0 {
			return err
		}
		if v.Type().Elem().Kind() == reflect.Uint8 {
			raw, err := d.take(uint64(n))
			v.SetBytes(append(make([]byte, 0, n), raw...))
			return err
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		return d.elements(v)
	case reflect.Map:
		n, err := d.length(v.Type().Key())
		if err != nil || n < 0 {
			return err
		}
		v.Set(reflect.MakeMapWithSize(v.Type(), n))
		for range n {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			if err := errors.Join(d.decode(key), d.decode(value)); err != nil {
				return err
			}
			v.SetMapIndex(key, value)
		}
		return nil
	case reflect.Pointer:
		n, err := d.uvarint()
		if err != nil || n == 0 {
			return err
		} else if n > 1 {
			return errEncoding
		}
		v.Set(reflect.New(v.Type().Elem()))
		return d.decode(v.Elem())
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Field(i); !stays(f.Type()) {
				if err := d.decode(f); err != nil {
					return err
				}
			}
		}
		return nil
	}
	return fmt.Errorf("%w: no encoding for a %s", errEncoding, v.Type())
}

func (d *decoder) elements(v reflect.Value) error {
	for i := range v.Len() {
		if err := d.decode(v.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

func (d *decoder) uvarint() (uint64, error) {
	n, size := binary.Uvarint(d.data)
	if size <= 0 {
		return 0, errEncoding
	}
	d.data = d.data[size:]
	return n, nil
}

// take returns the next n bytes.
func (d *decoder) take(n uint64) ([]byte, error) {
	if n > uint64(len(d.data)) {
		return nil, errEncoding
	}
	raw := d.data[:n]
	d.data = d.data[n:]
	return raw, nil
}

// length returns how many elements follow, -1 for nil. There are never more than the
// rest of the data can hold.
func (d *decoder) length(elem reflect.Type) (int, error) {
	n, err := d.uvarint()
	if err != nil {
		return 0, err
	}
	if n > uint64(len(d.data)/leastBytes(elem))+1 {
		return 0, errEncoding
	}
	return int(n) - 1, nil
}

// leastBytes returns how many bytes a value of a type takes at least.
func leastBytes(t reflect.Type) int {
	switch t.Kind() {
	case reflect.Float64:
		return 8
	case reflect.Array:
		return max(1, t.Len()*leastBytes(t.Elem()))
	case reflect.Struct:
		n := 0
		for i := range t.NumField() {
			if f := t.Field(i); !stays(f.Type) {
				n += leastBytes(f.Type)
			}
		}
		return max(1, n)
	}
	return 1
}

// marshal returns v as bytes.
func marshal(v any) []byte { return encode(nil, reflect.ValueOf(v)) }

// unmarshal returns the value of type T that data holds, all of it.
func unmarshal[T any](data []byte) (T, error) {
	var v T
	d := decoder{data}
	err := d.decode(reflect.ValueOf(&v).Elem())
	if err == nil && len(d.data) > 0 {
		err = errEncoding
	}
	if err != nil {
		var zero T
		return zero, fmt.Errorf("%w of type %T", err, zero)
	}
	return v, nil
}

// spelling returns a type as text: two builds that spell the types of their messages
// alike understand each other. A type that cannot be sent is an error.
func spelling(t reflect.Type) (string, error) { return spell(t, nil) }

func spell(t reflect.Type, within []reflect.Type) (string, error) {
	if slices.Contains(within, t) {
		return "", fmt.Errorf("%s holds itself", t)
	}
	within = append(within, t)
	switch k := t.Kind(); k {
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8,
		reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Float64, reflect.String:
		return k.String(), nil
	case reflect.Array, reflect.Slice, reflect.Pointer:
		elem, err := spell(t.Elem(), within)
		if k == reflect.Array {
			return fmt.Sprintf("[%d]%s", t.Len(), elem), err
		}
		return k.String() + " " + elem, err
	case reflect.Map:
		elem, err := spell(t.Elem(), within)
		if err == nil && t.Key().Kind() != reflect.String {
			err = fmt.Errorf("%s has keys that are no strings", t)
		}
		return "map " + elem, err
	case reflect.Struct:
		var b strings.Builder
		b.WriteString("{")
		for i := range t.NumField() {
			f := t.Field(i)
			if stays(f.Type) {
				continue
			}
			text, err := spell(f.Type, within)
			if err == nil && !f.IsExported() {
				err = fmt.Errorf("%s.%s is not exported", t, f.Name)
			}
			if err != nil {
				return "", err
			}
			b.WriteString(f.Name + " " + text + ";")
		}
		return b.String() + "}", nil
	}
	return "", fmt.Errorf("%s has no encoding", t)
}

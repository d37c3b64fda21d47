package rpc

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"unicode/utf8"
)

// JSON holds UTF-8 only. [Marshal] writes a byte b that is not part of a character as the
// character escapeBase+b, which Unicode reserves for private use, and does the same with
// each byte of such a character.
const escapeBase = 0x10ff00

// escaped reports whether JSON holds a character from escapeBase+0x80 to
// escapeBase+0xff.
func escaped(data []byte) bool {
	return bytes.Contains(data, []byte("\xf4\x8f\xbe")) || bytes.Contains(data, []byte("\xf4\x8f\xbf"))
}

// Marshal returns v, which holds no interface values, as JSON that [Unmarshal] reads
// without loss although its texts need not be UTF-8.
func Marshal(v any) ([]byte, error) {
	data, err := marshal(v)
	if err == nil && (escaped(data) || bytes.Contains(data, []byte(`\ufffd`))) { // some text may not be UTF-8
		return marshal(mapText(reflect.ValueOf(v), Escape).Interface())
	}
	return data, err
}

func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// Unmarshal reads what [Marshal] returned into v, a pointer.
func Unmarshal(data []byte, v any) error {
	err := json.Unmarshal(data, v)
	if err == nil && escaped(data) {
		to := reflect.ValueOf(v).Elem()
		to.Set(mapText(to, Unescape))
	}
	return err
}

// Escape returns text as UTF-8.
func Escape(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r >= escapeBase || r == utf8.RuneError && size == 1 {
			for _, c := range []byte(text[i : i+size]) {
				b.WriteRune(escapeBase + rune(c))
			}
		} else {
			b.WriteString(text[i : i+size])
		}
		i += size
	}
	return b.String()
}

// Unescape undoes [Escape].
func Unescape(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r >= escapeBase {
			b.WriteByte(byte(r - escapeBase))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// mapText returns a copy of a value with f of every text in it.
func mapText(v reflect.Value, f func(string) string) reflect.Value {
	to := reflect.New(v.Type()).Elem()
	to.Set(v)
	switch v.Kind() {
	case reflect.String:
		to.SetString(f(v.String()))
	case reflect.Pointer:
		if !v.IsNil() {
			to.Set(reflect.New(v.Type().Elem()))
			to.Elem().Set(mapText(v.Elem(), f))
		}
	case reflect.Slice:
		if !v.IsNil() && v.Type().Elem().Kind() != reflect.Uint8 { // bytes are JSON already
			to.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
			for i := range v.Len() {
				to.Index(i).Set(mapText(v.Index(i), f))
			}
		}
	case reflect.Map:
		if !v.IsNil() {
			to.Set(reflect.MakeMap(v.Type()))
			for key, value := range v.Seq2() {
				to.SetMapIndex(mapText(key, f), mapText(value, f))
			}
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				to.Field(i).Set(mapText(v.Field(i), f))
			}
		}
	}
	return to
}

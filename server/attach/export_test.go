package attach

import "reflect"

// Protocol is protocol.
func Protocol() string { return protocol() }

// Methods are the names of what can be asked, with the types of question and answer.
func Methods() map[string][2]reflect.Type {
	all := map[string][2]reflect.Type{}
	for name, m := range methods {
		all[name] = [2]reflect.Type{m.in, m.out}
	}
	return all
}

// Spelling is spelling.
func Spelling(t reflect.Type) (string, error) { return spelling(t) }

// Marshal is marshal.
func Marshal(v any) []byte { return marshal(v) }

// Unmarshal is unmarshal.
func Unmarshal[T any](data []byte) (T, error) { return unmarshal[T](data) }

// Question is question.
type Question = question

package main

import (
	"strings"
	"testing"
)

func TestOCamlDeclares(t *testing.T) {
	for _, tt := range []struct {
		text, name, group string // the name is of the last line
		want              bool
	}{
		{"let f x =", "f", "value", true},
		{"module M = struct\n  let f x =", "f", "value", true},
		{"module M (A : B) : sig\n  val f : int\nend = struct\n\n  let f x =", "f", "value", true},
		{"let f x =\n  let y =", "y", "value", false},
		{"let f x =\n  let rec y = 1\n  and z = 2", "z", "value", false},
		{"  include S with type t = A.t", "t", "type", false},
		{"    with type a = A.t\n     and type b = B.t", "b", "type", false},
		{"type a = A\nand type b = B", "b", "type", true},
		{"type 't A.read += String of t", "A", "type", false},
		{"  | exception Not_found ->", "Not_found", "type", false},
		{"exception Not_found", "Not_found", "type", true},
	} {
		lines := strings.SplitAfter(tt.text, "\n")
		before, line := strings.Join(lines[:len(lines)-1], ""), lines[len(lines)-1]
		if got := ocamlDeclares(decl{name: tt.name, group: tt.group, line: len(lines) + 1}, line, before); got != tt.want {
			t.Errorf("ocamlDeclares(%q) = %v, want %v", tt.text, got, tt.want)
		}
	}
}

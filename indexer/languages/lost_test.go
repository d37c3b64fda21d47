package languages

import (
	"slices"
	"testing"

	"ambit/vectors/record"
)

// TestWhatTheFirstParseFoundInALossIsKept gives addLost two results of one text, in each of which
// a declaration starts with its name.
func TestWhatTheFirstParseFoundInALossIsKept(t *testing.T) {
	decl := func(name string, kind record.Kind, start, end int) rawDecl {
		return rawDecl{Decl: Decl{Name: name, Kind: kind, Span: record.Span{Start: start, End: end}, NameSpan: record.Span{Start: start, End: start + 1}}}
	}
	lost := []loss{{span: record.Span{Start: 100, End: 200}}}
	for _, tt := range []struct {
		name        string
		again, have []rawDecl // what the pieces have, and what the first parse had
		want        []string
	}{
		{"a unit in a loss comes with its values", nil,
			[]rawDecl{decl("unit", record.KindStruct, 110, 150), decl("field", record.KindField, 120, 121)}, []string{"unit", "field"}},
		{"a value outside of the units that are added does not come", nil,
			[]rawDecl{decl("unit", record.KindStruct, 110, 150), decl("other", record.KindVariable, 160, 161)}, []string{"unit"}},
		{"a unit outside of the losses does not come", nil,
			[]rawDecl{decl("before", record.KindFunction, 10, 20), decl("behind", record.KindFunction, 200, 210)}, nil},
		{"a unit that starts before a loss does not come", nil,
			[]rawDecl{{Decl: Decl{Name: "across", Kind: record.KindFunction, Span: record.Span{Start: 90, End: 150}, NameSpan: record.Span{Start: 105, End: 106}}}}, nil},
		{"a unit around one that the pieces have does not come", []rawDecl{decl("inner", record.KindMethod, 120, 130)},
			[]rawDecl{decl("outer", record.KindClass, 110, 150)}, []string{"inner"}},
		{"a value that the pieces have does not come twice", []rawDecl{decl("field", record.KindField, 120, 121)},
			[]rawDecl{decl("unit", record.KindStruct, 110, 150), decl("field", record.KindField, 120, 121)}, []string{"field", "unit"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := &builder{decls: slices.Clone(tt.again)}
			b.addLost(&builder{decls: tt.have}, lost)
			var got []string
			for _, d := range b.decls {
				got = append(got, d.Name)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

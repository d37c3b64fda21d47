package retrieve_test

import (
	"fmt"
	"testing"

	"ambit/server/retrieve"
	"ambit/vectors/record"
)

func TestEveryUnitIsFoundAgainByItsID(t *testing.T) {
	w := newWorkspace(t, []file{
		{"a.ts", []byte("import { b } from './b'\n\nexport class A {\n  f(x: string): void\n  f(x: number): void\n  f(x: any) { b(x) }\n}\n\nconsole.log(1)\n")},
		{"b.ts", []byte("export function b(x: any) { return x }\n")},
		{"d.md", []byte("# A\n\n## Same\n\nOne about `b`.\n\n## Same\n\nTwo about `b`.\n")},
		{"e.txt", []byte("prose about b\n\nand A\n")},
	})
	seen := map[record.ChunkID]string{}
	check := func(u *retrieve.Unit) {
		name := fmt.Sprint(u.Path, " ", u.Identifier, " ", u.Span)
		if other, ok := seen[u.ID]; ok && other != name {
			t.Errorf("%s and %s share an id", other, name)
		}
		seen[u.ID] = name
		found, err := retrieve.Find(t.Context(), w.index(), retrieve.Pin{Path: u.Path, ID: u.ID})
		if err != nil || found == nil || found.Path != u.Path || found.Identifier != u.Identifier || found.Span != u.Span {
			t.Errorf("%s: found %+v, %v", name, found, err)
		}
	}
	for path := range w.files {
		for offset := range len(w.files[path].Content) {
			r, err := retrieve.At(t.Context(), w.index(), retrieve.Cursor{Path: path, Offset: offset})
			if err != nil {
				t.Fatal(err)
			}
			for i := range r.Candidates {
				check(&r.Candidates[i].Unit)
			}
		}
	}
	for _, q := range []string{"A", "b", "same", "prose about", "d.md", "overview of all"} {
		r, err := retrieve.Ask(t.Context(), w.index(), retrieve.Question{Query: q})
		if err != nil {
			t.Fatal(err)
		}
		for i := range r.Candidates {
			check(&r.Candidates[i].Unit)
		}
	}
	for _, p := range []retrieve.Pin{{Path: "a.ts", ID: record.NewChunkID("a.ts", "gone", "", 0)}, {Path: "gone.ts", ID: record.NewChunkID("gone.ts", "", "", 0)}} {
		if found, err := retrieve.Find(t.Context(), w.index(), p); found != nil || err != nil {
			t.Errorf("%s: found %+v, %v", p.Path, found, err)
		}
	}
}

package deps

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTheScanOfATextHasWhatItOffers(t *testing.T) {
	tests := []struct {
		name, text string
		names      []string
		passes     []pass
	}{
		{"declarations", "export declare function f(): void;\nexport interface I { }\ndeclare const enum E { }\nexport abstract class C { }\nexport type T = string;\nexport default class D { }", []string{"C", "D", "E", "I", "T", "default", "f"}, nil},
		{"a generator", "export function* g() {}", []string{"g"}, nil},
		{"all names", "export * from './a'; export type * from \"./b\"", nil, []pass{{"*", "./a", "*"}, {"*", "./b", "*"}}},
		{"a module as a name", "export * as z from './a'", []string{"z"}, []pass{{"z", "./a", "*"}}},
		{"a list", "export { a, b as c, type D, default as e, type as type2, } from './a';", []string{"D", "a", "c", "e", "type2"}, []pass{{"a", "./a", "a"}, {"c", "./a", "b"}, {"D", "./a", "D"}, {"e", "./a", "default"}, {"type2", "./a", "type"}}},
		{"a list of its own", "import { x } from './a';\nexport { x as default };\nexport = x;", []string{"default"}, nil},
		{"comments and literals", "/* export * from './a' */ // class A\nconst s = 'class B', t = `\nclass C`, u = \"it's class D\";", []string{"s"}, nil},
		{"an end in the middle", "export { a", []string{"a"}, nil},
		{"a literal without an end", "export * from './a", nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := scanScript([]byte(tt.text))
			if diff := cmp.Diff(tt.names, got.names); diff != "" {
				t.Errorf("names (-want +got):\n%s", diff)
			}
			if !slices.Equal(tt.passes, got.passes) {
				t.Errorf("passes: %v, want %v", got.passes, tt.passes)
			}
		})
	}
}

func FuzzScanScript(f *testing.F) {
	f.Add("export * from './a';\nexport { a as b, type c } from \"./b\";\n/* export */ export default class D {}\n")
	f.Fuzz(func(t *testing.T, text string) {
		s := scanScript([]byte(text))
		for _, name := range s.names {
			if name == "" || name != "default" && !strings.Contains(text, name) {
				t.Errorf("scanScript(%q) has the name %q", text, name)
			}
		}
		for _, p := range s.passes {
			if p.module == "" || !strings.Contains(text, p.module) {
				t.Errorf("scanScript(%q) passes on %q", text, p.module)
			}
		}
	})
}

func FuzzParseManifest(f *testing.F) {
	f.Add(`{"name":"a","exports":{".":{"types":["./a.d.ts"]},"./*":"./*"},"typesVersions":{"*":{"*":["x/*"]}},"workspaces":["a"]}`, "./a")
	f.Fuzz(func(t *testing.T, text, subpath string) {
		m := parseManifest([]byte(text))
		m.exported(subpath)
		m.versioned(subpath)
	})
}

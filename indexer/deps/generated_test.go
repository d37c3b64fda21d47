package deps_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/vectors/record"
)

func TestGeneratedReadsTheFilesThatDeclareAName(t *testing.T) {
	m := newMachine(t, `
-- work/state_string.go --
package main

func (i State) String() string { return "" }
-- work/pb/api.pb.go --
package pb

var (
	String = 1
)
-- work/pb/other.pb.go --
package pb

// String is in a comment and a body only.
func F() { _ = String }
-- work/src/tables.rs --
/// The words.
pub static  mut String: usize = 1;
-- home/secret.go --
package main

func String() {}
`)
	m.link(t, m.path("home/secret.go"), "work/link.go")
	files := []record.Path{"state_string.go", "pb/api.pb.go", "pb/other.pb.go", "src/tables.rs", "link.go", "gone.go", "../home/secret.go"}
	var got []record.Path
	for _, f := range m.finder().Generated(t.Context(), files, []string{"String"}) {
		got = append(got, f.Record.File.Path)
		if f.Path != f.Record.File.Path || f.Package != "" {
			t.Errorf("%s is shown as %s of package %q", f.Record.File.Path, f.Path, f.Package)
		}
	}
	if diff := cmp.Diff([]record.Path{"state_string.go", "pb/api.pb.go", "src/tables.rs"}, got); diff != "" {
		t.Errorf("Generated (-want +got):\n%s", diff)
	}
}

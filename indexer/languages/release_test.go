package languages_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/indexer/languages"
)

func TestReleasedOutlinesLeaveNothingInOthers(t *testing.T) {
	long := []byte("int a, b;\nint f(int x) { return g(x) + h(a, b); }\nstruct s { int m; };\nint k(struct s *p) { return f(p->m); }\n")
	short := []byte("int n(void) { return q(); }\n")
	want := languages.Parse("n.c", short)
	for range 4 {
		o := languages.Parse("f.c", long)
		name := o.Decls[0].Name
		o.Release()
		if len(o.Decls)+len(o.Refs) != 0 || name != "a" {
			t.Fatalf("%d declarations and %d references are left, and the name %q", len(o.Decls), len(o.Refs), name)
		}
		got := languages.Parse("n.c", short)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("the outline after a released one (-want +got):\n%s", diff)
		}
		got.Release()
	}
}

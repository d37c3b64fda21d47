package patch_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/indexer/patch"
)

const changed = `commit 1234
    a message
--- not a file

diff --git a/cart.go b/cart.go
index 1..2 100644
--- a/cart.go
+++ b/cart.go
@@ -1,4 +1,5 @@ package cart
 one
-two
+TWO
+more
 three
 four
@@ -10,3 +11,2 @@
 ten
-eleven
 twelve
diff --git "a/sp ace.go" "b/sp ace.go"
deleted file mode 100644
--- "a/sp ace.go"
+++ /dev/null
@@ -1 +0,0 @@
-gone
diff --git a/old name.go b/new name.go
similarity index 100%
rename from old name.go
rename to new name.go
diff --git a/x.png b/x.png
new file mode 100644
Binary files /dev/null and b/x.png differ
`

func TestADiffNamesItsFilesAndTheTouchedLines(t *testing.T) {
	var got []string
	files := patch.Parse(changed)
	for _, f := range files {
		got = append(got, f.Old+" -> "+f.New)
	}
	want := []string{"cart.go -> cart.go", "sp ace.go -> ", "old name.go -> new name.go", " -> x.png"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("files (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{2, 3, 11, 12}, files[0].Touched(patch.New)); diff != "" {
		t.Errorf("lines of the new side (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]int{2, 11}, files[0].Touched(patch.Old)); diff != "" {
		t.Errorf("lines of the old side (-want +got):\n%s", diff)
	}
}

func TestAFileFitsTheSideThatItHas(t *testing.T) {
	f := patch.Parse(changed)[0]
	before := []string{"one", "two", "three", "four", "", "", "", "", "", "ten", "eleven", "twelve"}
	after := []string{"one", "TWO", "more", "three", "four", "", "", "", "", "", "ten", "twelve"}
	for _, tt := range []struct {
		lines []string
		want  patch.Side
	}{{before, patch.Old}, {after, patch.New}, {[]string{"another"}, patch.Other}, {nil, patch.Other}} {
		if got := f.Fit(tt.lines); got != tt.want {
			t.Errorf("%q fits %q, want %q", tt.lines, got, tt.want)
		}
	}
}

func TestADiffWithoutGitIsRead(t *testing.T) {
	files := patch.Parse("--- dir/a.c\t2026-01-01 00:00:00\n+++ dir/a.c\t2026-01-02 00:00:00\n@@ -3 +3 @@\n-x\n+y\n")
	if len(files) != 1 || files[0].New != "dir/a.c" || !slices.Equal(files[0].Touched(patch.New), []int{3}) {
		t.Errorf("got %+v", files)
	}
}

func TestATextWithoutADiffHasNone(t *testing.T) {
	for _, text := range []string{"", "hello\n", "@@ -1 +1 @@\n+x\n", "--- \n", "diff --git \n"} {
		if files := patch.Parse(text); len(files) > 0 && files[0].New+files[0].Old != "" && !strings.HasPrefix(text, "---") {
			t.Errorf("Parse(%q) = %+v", text, files)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(changed, "one\ntwo\n")
	f.Add("--- a\n+++ b\n@@ -1,99999999 +1 @@\n", "")
	f.Fuzz(func(t *testing.T, text, content string) {
		for _, file := range patch.Parse(text) {
			file.Fit(strings.Split(content, "\n"))
			for _, s := range []patch.Side{patch.New, patch.Old} {
				if !slices.IsSorted(file.Touched(s)) {
					t.Errorf("touched lines are not in order")
				}
			}
		}
	})
}

package golden_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/indexer/golden"
)

func TestRunGivesEveryCaseItsFilesAndCursor(t *testing.T) {
	dir := t.TempDir()
	text := "A case\nhas a sentence.\nflags: a b\n-- x/a.go --\nab<|>c\n-- b.go --\n2× d#\n-- want --\nx/a.go@2 abc\nb.go d1\nd2\n"
	if err := os.WriteFile(filepath.Join(dir, "one.txtar"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	ran := 0
	golden.Run(t, dir, func(t *testing.T, in golden.Input) string {
		ran++
		if diff := cmp.Diff("A case has a sentence.", in.Sentence); diff != "" {
			t.Errorf("Sentence (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff("a b", in.Flags); diff != "" {
			t.Errorf("Flags (-want +got):\n%s", diff)
		}
		return fmt.Sprintf("%s@%d %s%s %s", in.Cursor.Path, in.Cursor.Offset, in.Files[0].Content, in.Files[1].Path, in.Files[1].Content)
	})
	if ran != 1 {
		t.Errorf("ran %d cases, want 1", ran)
	}
}

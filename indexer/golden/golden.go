// Package golden runs test cases from txtar files. A case is a sentence that describes
// it, the input files, and the expected output under "-- want --".
//
//	A doc comment belongs to the function below it.
//
//	-- a.go --
//	// F does it.
//	func F() {}
//	-- want --
//	…
//
// With the flag -update a test rewrites "want" instead of comparing it; review the
// difference like code. "<|>" marks the cursor in an input file; the test gets the file
// without the mark. A line "12× text" of an input file stands for twelve lines with that
// text, in which "#" is the number of the line. Only tests import this package.
package golden

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"
)

// cursorMark stands for the cursor in an input file.
const cursorMark = "<|>"

// wantName is the name of the section with the expected output.
const wantName = "want"

var update = flag.Bool("update", false, "rewrite the want sections of golden files")

// Input is one case.
type Input struct {
	Sentence string // describes the case
	Flags    string // the rest of a line "flags: …" under the sentence, "" when there is none
	Files    []File // in order, without want
	Cursor   Cursor
}

// File is one input file.
type File struct {
	Path    string
	Content []byte
}

// Cursor is the place of "<|>"; Path is "" when no file has one.
type Cursor struct {
	Path   string
	Offset int
}

// Run runs every .txtar file below dir as a subtest and compares the result of output
// with its want section. A dir without any case fails.
func Run(t *testing.T, dir string, output func(t *testing.T, in Input) string) {
	t.Helper()
	var files []string
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && filepath.Ext(path) == ".txtar" {
			files = append(files, path)
		}
		return err
	})
	if err != nil {
		t.Fatalf("list golden files: %v", err)
	}
	if len(files) == 0 {
		t.Fatalf("no golden file in %s", dir)
	}
	for _, path := range files {
		name, _ := filepath.Rel(dir, path)
		t.Run(strings.TrimSuffix(filepath.ToSlash(name), ".txtar"), func(t *testing.T) {
			runFile(t, path, output)
		})
	}
}

func runFile(t *testing.T, path string, output func(t *testing.T, in Input) string) {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	in, want := read(archive)
	got := output(t, in)
	if got != "" && !strings.HasSuffix(got, "\n") {
		got += "\n" // a section of an archive ends with a line end
	}
	if got == want {
		return
	}
	if !*update {
		t.Errorf("%s\n%s (-want +got):\n%s", in.Sentence, path, cmp.Diff(want, got))
		return
	}
	setWant(archive, got)
	if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
		t.Fatal(err)
	}
}

// read splits an archive into the case and the expected output.
func read(a *txtar.Archive) (in Input, want string) {
	var sentence []string
	for line := range strings.Lines(string(a.Comment)) {
		if flags, ok := strings.CutPrefix(line, "flags:"); ok {
			in.Flags = strings.TrimSpace(flags)
			continue
		}
		sentence = append(sentence, strings.TrimSpace(line))
	}
	in.Sentence = strings.TrimSpace(strings.Join(sentence, " "))
	for _, f := range a.Files {
		if f.Name == wantName {
			want = string(f.Data)
			continue
		}
		f.Data = expand(f.Data)
		if i := bytes.Index(f.Data, []byte(cursorMark)); i >= 0 && in.Cursor.Path == "" {
			in.Cursor = Cursor{Path: f.Name, Offset: i}
			f.Data = append(bytes.Clone(f.Data[:i]), f.Data[i+len(cursorMark):]...)
		}
		in.Files = append(in.Files, File{Path: f.Name, Content: f.Data})
	}
	return in, want
}

var repeated = regexp.MustCompile(`(?m)^(\d+)× (.*\n)`)

// expand repeats the lines that start with a number and "×".
func expand(content []byte) []byte {
	return repeated.ReplaceAllFunc(content, func(line []byte) []byte {
		m := repeated.FindSubmatch(line)
		n, _ := strconv.Atoi(string(m[1]))
		var b bytes.Buffer
		for i := range n {
			b.Write(bytes.ReplaceAll(m[2], []byte("#"), []byte(strconv.Itoa(i+1))))
		}
		return b.Bytes()
	})
}

func setWant(a *txtar.Archive, got string) {
	for i := range a.Files {
		if a.Files[i].Name == wantName {
			a.Files[i].Data = []byte(got)
			return
		}
	}
	a.Files = append(a.Files, txtar.File{Name: wantName, Data: []byte(got)})
}

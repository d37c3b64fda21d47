package cli_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"ambit/server/lsp/lsptest"
)

const pageBytes = 4096 // of the index on most systems; on others the kinds of damage are others

// damages are ways to spoil an index that is in use: path is the file, whole what it holds,
// before what it held earlier.
var damages = []struct {
	name  string
	spoil func(t *testing.T, r *rand.Rand, path string, whole, before []byte)
}{
	{"noise in both meta pages", func(t *testing.T, r *rand.Rand, path string, _, _ []byte) { patch(t, path, 0, noise(r, 2*pageBytes)) }},
	{"zeros in both meta pages", func(t *testing.T, _ *rand.Rand, path string, _, _ []byte) {
		patch(t, path, 0, make([]byte, 2*pageBytes))
	}},
	{"noise in one meta page", func(t *testing.T, r *rand.Rand, path string, _, _ []byte) {
		patch(t, path, int64(r.IntN(2)*pageBytes), noise(r, pageBytes))
	}},
	{"noise in a page", func(t *testing.T, r *rand.Rand, path string, whole, _ []byte) {
		patch(t, path, pageOf(r, whole), noise(r, pageBytes))
	}},
	{"zeros in pages", func(t *testing.T, r *rand.Rand, path string, whole, _ []byte) {
		for range 20 {
			patch(t, path, pageOf(r, whole), make([]byte, pageBytes))
		}
	}},
	{"bits", func(t *testing.T, r *rand.Rand, path string, whole, _ []byte) {
		for range 200 {
			at := r.IntN(len(whole))
			patch(t, path, int64(at), []byte{whole[at] ^ 1<<r.IntN(8)})
		}
	}},
	{"bits in the heads of pages", func(t *testing.T, r *rand.Rand, path string, whole, _ []byte) {
		for range 50 {
			at := int(pageOf(r, whole)) + r.IntN(64)
			patch(t, path, int64(at), []byte{whole[at] ^ 1<<r.IntN(8)})
		}
	}},
	{"two pages changed places", func(t *testing.T, r *rand.Rand, path string, whole, _ []byte) {
		a, b := pageOf(r, whole), pageOf(r, whole)
		patch(t, path, a, whole[b:b+pageBytes])
		patch(t, path, b, whole[a:a+pageBytes])
	}},
	{"pages with the content of others", func(t *testing.T, r *rand.Rand, path string, whole, _ []byte) {
		for range 20 {
			a, b := pageOf(r, whole), pageOf(r, whole)
			patch(t, path, a+8, whole[b+8:b+pageBytes]) // behind the number of the page
		}
	}},
	{"noise in all of it", func(t *testing.T, r *rand.Rand, path string, whole, _ []byte) {
		patch(t, path, 0, noise(r, len(whole)))
	}},
	{"noise in all but the meta pages", func(t *testing.T, r *rand.Rand, path string, whole, _ []byte) {
		patch(t, path, 2*pageBytes, noise(r, len(whole)-2*pageBytes))
	}},
	{"cut to nothing", func(t *testing.T, _ *rand.Rand, path string, _, _ []byte) { spoilt(t, os.Truncate(path, 0)) }},
	{"cut in the middle", func(t *testing.T, r *rand.Rand, path string, whole, _ []byte) {
		spoilt(t, os.Truncate(path, int64(r.IntN(len(whole)))))
	}},
	{"cut and filled up with zeros", func(t *testing.T, r *rand.Rand, path string, whole, _ []byte) {
		spoilt(t, os.Truncate(path, pageOf(r, whole)))
		spoilt(t, os.Truncate(path, int64(len(whole))))
	}},
	{"as it was before", func(t *testing.T, _ *rand.Rand, path string, _, before []byte) { patch(t, path, 0, before) }},
	{"a part as it was before", func(t *testing.T, r *rand.Rand, path string, _, before []byte) {
		at := pageOf(r, before)
		patch(t, path, at, before[at:])
	}},
	{"replaced by noise", func(t *testing.T, r *rand.Rand, path string, whole, _ []byte) {
		spoilt(t, os.WriteFile(path+".new", noise(r, len(whole)), 0o600))
		spoilt(t, os.Rename(path+".new", path))
	}},
	{"removed", func(t *testing.T, _ *rand.Rand, path string, _, _ []byte) { spoilt(t, os.Remove(path)) }},
}

// noise returns random bytes.
func noise(r *rand.Rand, n int) []byte {
	data := make([]byte, n)
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	return data
}

// pageOf returns the place of a page behind the meta pages.
func pageOf(r *rand.Rand, data []byte) int64 {
	return int64(2+r.IntN(len(data)/pageBytes-2)) * pageBytes
}

// patch writes over a part of a file.
func patch(t *testing.T, path string, at int64, data []byte) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if spoilt(t, err); err != nil {
		return
	}
	_, err = file.WriteAt(data, at)
	must(t, err)
	must(t, file.Close())
}

// spoilt ends the test on an error of a damage, unless the server has just moved the file
// aside.
func spoilt(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, fs.ErrNotExist) {
		must(t, err)
	}
}

// groveQuestion returns a question of any kind about the files of a grove.
func groveQuestion(d *desk, r *rand.Rand) (name string, argument lsptest.Object) {
	n := r.IntN(groveFiles)
	uri := fmt.Sprintf("%s/d%d/f%d.go", d.uri, n%7, n)
	switch r.IntN(4) {
	case 0:
		return "ambit.search", lsptest.Object{"query": fmt.Sprintf("Work%d", n)}
	case 1:
		return "ambit.context", lsptest.At(uri, 3, 6)
	case 2:
		return "ambit.related", lsptest.At(uri, 3, 6)
	}
	return "ambit.chunks", lsptest.Object{"textDocument": lsptest.Object{"uri": uri}}
}

const groveFiles = 60

// An answer from an index that is damaged under the server is the answer of a sound one,
// or it or its error says that the index is not ready. There is a round for every kind of
// damage; AMBIT_SEEDS sets another number.
func TestAnIndexThatIsDamagedInUseGivesNoOtherAnswer(t *testing.T) {
	rounds := len(damages)
	if text := os.Getenv("AMBIT_SEEDS"); text != "" {
		n, err := strconv.Atoi(text)
		must(t, err)
		rounds = n
	}
	outcomes := map[string]int{}
	for round := range rounds {
		kind := damages[round%len(damages)]
		t.Run(fmt.Sprintf("%d %s", round, kind.name), func(t *testing.T) { damageRound(t, uint64(round), kind.spoil, outcomes) })
	}
	t.Logf("answers: %v", outcomes)
}

// damageRound asks questions before and after a damage and compares the answers.
func damageRound(t *testing.T, seed uint64, spoil func(*testing.T, *rand.Rand, string, []byte, []byte), outcomes map[string]int) {
	r := rand.New(rand.NewPCG(seed, 14))
	files := map[string]string{".git/HEAD": "ref: refs/heads/main\n"}
	for i := range groveFiles {
		files[fmt.Sprintf("d%d/f%d.go", i%7, i)] = fmt.Sprintf("package d\n\n// Work%d does the work.\nfunc Work%d() { Work%d() }\n", i, i, (i*7+1)%groveFiles)
	}
	d := newDesk(t, files)
	e := edit(t, d.uri)
	before, err := os.ReadFile(d.index())
	must(t, err)
	mark := e.Mark()
	must(t, os.WriteFile(d.dir+"/d0/f0.go", []byte("package d\n\n// Work0 is another one.\nfunc Work0() { Work5() }\n"), 0o600))
	e.Notify("workspace/didChangeWatchedFiles", lsptest.Object{"changes": []lsptest.Object{{"uri": d.uri + "/d0/f0.go", "type": 2}}})
	e.AwaitSince(mark, "ambit/status", isReady(d.uri))
	whole, err := os.ReadFile(d.index())
	must(t, err)
	type question struct {
		name     string
		argument lsptest.Object
		want     string
	}
	var questions []question
	for range 12 {
		name, argument := groveQuestion(d, r)
		questions = append(questions, question{name, argument, sound(t, command(t, e, name, argument))})
	}
	spoil(t, r, d.index(), whole, before)
	for i := range 3 * len(questions) {
		q := questions[i%len(questions)]
		var answer json.RawMessage
		switch err := e.Command(q.name, q.argument, &answer); {
		case err != nil && strings.Contains(err.Error(), "damaged"):
			outcomes["error"]++
		case err != nil:
			t.Errorf("%s %v: %v", q.name, q.argument, err)
		case sound(t, string(answer)) == q.want:
			outcomes["equal"]++
		case !bytes.Contains(answer, []byte(`"state":"ready"`)) && bytes.Contains(answer, []byte(`"state":`)):
			outcomes["says so"]++
		default:
			t.Errorf("%s %v:\ngot  %s\nwant %s", q.name, q.argument, answer, q.want)
		}
	}
	e.Close()
}

// sound returns an answer without what depends on the state of the index.
func sound(t *testing.T, answer string) string {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(answer), &v); err != nil {
		t.Fatalf("%v: %s", err, answer)
	}
	delete(v, "freshness")
	text, err := json.Marshal(v)
	must(t, err)
	return string(text)
}

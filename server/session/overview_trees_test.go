package session_test

import (
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ambit/server/api"
	"ambit/server/config"
	"ambit/server/session"
)

var update = flag.Bool("update", false, "rewrite the golden overviews")

// overviewTrees are eight public projects as their registries have them: Go modules by
// path@version, and npm packages, of which only a directory is read where they hold compiled
// code beside the source.
var overviewTrees = []struct{ name, module, npm, dir string }{
	{name: "axios", npm: "axios@1.15.0", dir: "lib"},
	{name: "bbolt", module: "go.etcd.io/bbolt@v1.5.0"},
	{name: "cobra", module: "github.com/spf13/cobra@v1.10.2"},
	{name: "express", npm: "express@5.2.1"},
	{name: "gin", module: "github.com/gin-gonic/gin@v1.12.0"},
	{name: "goldmark", module: "github.com/yuin/goldmark@v1.8.7"},
	{name: "trpc", npm: "@trpc/server@11.16.0", dir: "src"},
	{name: "zod", npm: "zod@4.3.6", dir: "src"},
}

// A newcomer to each of eight projects gets a true picture of it: the golden ones were read
// beside the projects. With -update they are written anew, and have to be read again.
func TestTheOverviewsOfRealProjectsAreTheGoldenOnes(t *testing.T) {
	if testing.Short() {
		t.Skip("the projects are downloaded")
	}
	for _, tree := range overviewTrees {
		t.Run(tree.name, func(t *testing.T) {
			t.Parallel()
			dir := ""
			if tree.module != "" {
				dir = goModule(t, tree.module)
			} else {
				dir = npmPackage(t, tree.npm)
			}
			set := config.Defaults()
			set.CacheDir = t.TempDir()
			s, err := openSession(t.Context(), filepath.Join(dir, tree.dir), session.Options{Settings: &set})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if _, err := s.Index(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			a, err := s.Context(t.Context(), api.Question{Query: "give me an overview of the architecture of this project", Budget: 3000})
			if err != nil {
				t.Fatal(err)
			}
			_, picture, _ := strings.Cut(a.Text, "--- structure ---\n")
			picture, _, _ = strings.Cut(picture, "\n---")
			golden := filepath.Join("../../testdata/context/overview", tree.name+".txt")
			if *update {
				if err := os.WriteFile(golden, []byte(picture), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), picture); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// goModule returns the directory of a Go module in the module cache.
func goModule(t *testing.T, module string) string {
	cmd := exec.Command("go", "mod", "download", "-json", module)
	cmd.Dir = t.TempDir() // outside of ambit's own module
	out, err := cmd.Output()
	var found struct{ Dir, Error string }
	if json.Unmarshal(out, &found) != nil || err != nil {
		unavailable(t, "go mod download", module, found.Error)
	}
	return found.Dir
}

// npmPackage returns the directory of an npm package that is downloaded.
func npmPackage(t *testing.T, name string) string {
	dir := t.TempDir()
	for _, args := range [][]string{{"npm", "pack", "--silent", name}, {"sh", "-c", "tar xzf ./*.tgz"}} {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			unavailable(t, args[0], name, err.Error()+" "+string(out))
		}
	}
	return filepath.Join(dir, "package")
}

// unavailable skips a test whose project cannot be had, and fails it in CI.
func unavailable(t *testing.T, tool, name, why string) {
	if os.Getenv("AMBIT_CI") != "" {
		t.Fatalf("%s %s: %s", tool, name, why)
	}
	t.Skipf("%s cannot get %s: %s", tool, name, why)
}

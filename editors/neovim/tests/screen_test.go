package tests

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the screens in testdata/screen")

// screen is a terminal in tmux, with a tmux server of its own.
type screen struct {
	m      *machine
	socket string
	size   [2]int
}

func newScreen(m *machine, columns, lines int) *screen {
	m.t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		missing(m.t, "tmux")
	}
	return &screen{m: m, socket: filepath.Join(m.home, "tmux"), size: [2]int{columns, lines}}
}

// tmux runs a command of tmux.
func (s *screen) tmux(args ...string) (string, error) {
	command := exec.Command("tmux", append([]string{"-S", s.socket, "-f", os.DevNull}, args...)...)
	command.Env = s.m.environment()
	out, err := command.CombinedOutput()
	return string(out), err
}

// start runs a program in the screen until the test ends.
func (s *screen) start(dir string, program ...string) {
	s.m.t.Helper()
	args := []string{"new-session", "-d", "-x", fmt.Sprint(s.size[0]), "-y", fmt.Sprint(s.size[1]), "-c", s.m.path(dir)}
	if out, err := s.tmux(append(append(args, "--"), program...)...); err != nil {
		s.m.t.Fatalf("tmux: %v\n%s", err, out)
	}
	s.m.t.Cleanup(func() { _, _ = s.tmux("kill-server") })
}

// keys types keys by their names in tmux, or else text.
func (s *screen) keys(keys ...string) {
	s.m.t.Helper()
	for _, key := range keys {
		if out, err := s.tmux("send-keys", key); err != nil {
			s.m.t.Fatalf("send-keys %s: %v\n%s", key, err, out)
		}
	}
}

// text returns the text on the screen.
func (s *screen) text() string {
	out, err := s.tmux("capture-pane", "-p")
	if err != nil {
		return fmt.Sprintf("%v: %s", err, out)
	}
	return out
}

// until waits until the text on the screen is wanted.
func (s *screen) until(wanted func(text string) bool) (string, bool) {
	return eventually(s.m.t, s.text, wanted)
}

// insists acts, and again whenever a hundred looks have not shown what was wanted. Acting at
// each look would disturb a program that is about to show it on a busy machine.
func (s *screen) insists(act func(), wanted func() bool) bool {
	looks := 0
	_, ok := eventually(s.m.t, func() bool {
		if looks%100 == 0 {
			act()
		}
		looks++
		return wanted()
	}, func(ok bool) bool { return ok })
	return ok
}

// ends waits until the program has ended.
func (s *screen) ends() {
	s.m.t.Helper()
	_, ok := eventually(s.m.t, func() error { _, err := s.tmux("has-session"); return err }, func(err error) bool { return err != nil })
	if !ok {
		s.m.t.Errorf("the program has not ended:\n%s", s.text())
	}
}

// awaits waits until the screen shows a text.
func (s *screen) awaits(want string) {
	s.m.t.Helper()
	if text, ok := s.until(func(text string) bool { return strings.Contains(text, want) }); !ok {
		s.m.t.Fatalf("%q is not on the screen:\n%s", want, text)
	}
}

// clean removes what differs between versions of Neovim.
var clean = strings.NewReplacer("[-]", "   ", "ambit://context/1/", "").Replace

// matches waits until the screen equals a file of testdata/screen.
func (s *screen) matches(name string) {
	s.m.t.Helper()
	path := filepath.Join("testdata/screen", name+".txt")
	want, err := os.ReadFile(path)
	if *update {
		last, same := "", 0
		text, _ := s.until(func(text string) bool { // until it is the same for a second
			if same++; text != last {
				last, same = text, 0
			}
			return same == 50
		})
		want, err = []byte(clean(text)), os.WriteFile(path, []byte(clean(text)), 0o644)
	}
	if err != nil {
		s.m.t.Fatal(err)
	}
	if text, ok := s.until(func(text string) bool { return clean(text) == string(want) }); !ok {
		s.m.t.Errorf("%s (-want +got):\n%s", name, cmp.Diff(string(want), clean(text)))
	}
}

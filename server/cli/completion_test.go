package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ambit/server/cli"
)

// completions are the words that each shell must offer after a command line.
var completions = []struct {
	line string
	want []string // among others
	not  []string
}{
	{"ambit con", []string{"context"}, []string{"search"}},
	{"ambit context --form", []string{"--format"}, []string{"--budget"}},
	{"ambit context --format ", []string{"xml", "markdown", "json"}, []string{"--budget"}},
	{"ambit context --format m", []string{"markdown"}, []string{"xml"}},
	{"ambit setup --client z", []string{"zed"}, []string{"codex"}},
	{"ambit completion f", []string{"fish"}, []string{"bash"}},
	{"ambit help man", []string{"man"}, []string{"settings"}},
}

func TestBashCompletes(t *testing.T) {
	checkCompletions(t, "bash", func(script, line string) *exec.Cmd {
		return exec.Command("bash", "--norc", "-c", `
			source "$1"
			compopt() { :; } # there is no command line
			read -ra COMP_WORDS <<<"$2"
			[[ $2 != *' ' ]] || COMP_WORDS+=('')
			COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
			_ambit
			printf '%s\n' "${COMPREPLY[@]}"`, "bash", script, line)
	})
}

func TestFishCompletes(t *testing.T) {
	checkCompletions(t, "fish", func(script, line string) *exec.Cmd {
		return exec.Command("fish", "--no-config", "-c", `source $argv[1]; complete -C $argv[2] | string replace -r '\t.*' ''; true`, script, line)
	})
}

// zsh completes in a terminal only, so it runs in a pseudo-terminal. Its compadd gets the
// words to offer. The first line writes the dump of zsh's own completions, which take a second
// to find; the others read it.
const zshOffers = `
zmodload zsh/zpty
zpty shell zsh -f -i
offers=${1:h}/offers
print -r -- "PROMPT=; autoload -U compinit; compinit -u -C -d ${1:h:h}/dump; source $1
compadd() {
	if [[ \"\$*\" != *-[OD]* ]]; then
		local -a kept
		builtin compadd -O kept \"\$@\"
		print -rl -- \$kept >>$offers
	fi
	builtin compadd \"\$@\"
}
complete-and-say() {
	zle complete-word
	print DO''NE
}
zle -N complete-and-say
bindkey '^I' complete-and-say
print READ''Y" >${1:h}/rc
zpty -w shell "source ${1:h}/rc"
zpty -r shell answer '*READY*'
zpty -w -n shell "$2"$'\t'
zpty -r shell answer '*DONE*'
cat $offers`

func TestZshCompletes(t *testing.T) {
	checkCompletions(t, "zsh", func(script, line string) *exec.Cmd {
		return exec.Command("zsh", "-f", "-c", zshOffers, "zsh", script, line)
	})
}

// checkCompletions runs the completions of a shell. Ask returns the command that prints
// what the shell offers after a line, one word a line.
func checkCompletions(t *testing.T, shell string, ask func(script, line string) *exec.Cmd) {
	if _, err := exec.LookPath(shell); err != nil {
		t.Skipf("%s is not installed; apt-get install %s", shell, shell)
	}
	for _, tt := range completions {
		script := filepath.Join(t.TempDir(), "ambit."+shell)
		var text, complaint strings.Builder
		if code := cli.Run(t.Context(), []string{"completion", shell}, &text, &complaint); code != 0 {
			t.Fatalf("ambit completion %s: %s", shell, &complaint)
		}
		must(t, os.WriteFile(script, []byte(text.String()), 0o600))
		cmd := ask(script, tt.line)
		cmd.Env = append(os.Environ(), "HOME="+filepath.Dir(script), "TERM=dumb")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Errorf("%q in %s: %v\n%s", tt.line, shell, err, out)
			continue
		}
		got := strings.Fields(string(out))
		for _, word := range tt.want {
			if !slices.Contains(got, word) {
				t.Errorf("%q in %s offers %q, want %q too", tt.line, shell, got, word)
			}
		}
		for _, word := range tt.not {
			if slices.Contains(got, word) {
				t.Errorf("%q in %s offers %q, want no %q", tt.line, shell, got, word)
			}
		}
	}
}

func TestTheManualPageIsWellFormed(t *testing.T) {
	if _, err := exec.LookPath("mandoc"); err != nil {
		t.Skip("mandoc is not installed; apt-get install mandoc")
	}
	var page, complaint strings.Builder
	if code := cli.Run(t.Context(), []string{"help", "man"}, &page, &complaint); code != 0 {
		t.Fatalf("ambit help man: %s", &complaint)
	}
	lint := exec.Command("mandoc", "-Tlint", "-Wwarning")
	lint.Stdin = strings.NewReader(page.String())
	out, _ := lint.CombinedOutput()
	for line := range strings.Lines(string(out)) {
		if !strings.Contains(line, "missing date") { // a page of a release has its version, not a date
			t.Error(line)
		}
	}
}

package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// completionCommand prints a script for a shell.
type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish,powershell" help:"bash, zsh, fish or powershell."`
}

// Help shows where the scripts go.
func (*completionCommand) Help() string {
	return `A release has these scripts in its archive, and packages install them. To try one:

    source <(ambit completion bash)
    source <(ambit completion zsh)
    ambit completion fish | source
    ambit completion powershell | Out-String | Invoke-Expression`
}

// Run prints the script.
func (c *completionCommand) Run(a *app) error {
	commands, err := commandsOf(a)
	if err != nil {
		return err
	}
	write := map[string]func([]completed) string{"bash": bashScript, "zsh": zshScript, "fish": fishScript, "powershell": powerShellScript}
	_, err = fmt.Fprint(a.out, write[c.Shell](commands))
	return err
}

// completed is a command as a shell completes it.
type completed struct {
	name, help string
	flags      []completedFlag
	words      []string // of its first argument; empty means files
}

// completedFlag is a flag of a command.
type completedFlag struct {
	name, help string
	value      string   // the placeholder of its value; "" for a flag without one
	words      []string // the values it may have; empty means any
}

// commandsOf returns the commands of the grammar.
func commandsOf(a *app) ([]completed, error) {
	parser, err := newParser(a)
	if err != nil {
		return nil, err
	}
	var all []completed
	for _, node := range parser.Model.Children {
		c := completed{name: node.Name, help: node.Help}
		for _, group := range node.AllFlags(true) {
			for _, flag := range group {
				f := completedFlag{name: flag.Name, help: flag.Help, words: valuesOf(flag.Value)}
				if !flag.IsBool() {
					f.value = flag.FormatPlaceHolder()
				}
				c.flags = append(c.flags, f)
			}
		}
		if len(node.Positional) > 0 {
			c.words = valuesOf(node.Positional[0])
		}
		all = append(all, c)
	}
	help := slices.IndexFunc(all, func(c completed) bool { return c.name == "help" })
	for _, c := range all {
		all[help].words = append(all[help].words, c.name)
	}
	return all, nil
}

// valuesOf returns the words that a value may be: those of the tag "values", or of "enum".
func valuesOf(v *kong.Value) []string {
	list := v.Tag.Get("values")
	if list == "" {
		list = v.Enum
	}
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' })
}

// isDir reports whether the value of a flag is a directory.
func (f *completedFlag) isDir() bool { return f.value == "DIR" }

// isFile reports whether the value of a flag is a path of any kind.
func (f *completedFlag) isFile() bool { return f.value == "FILE" || f.value == "P" }

// flagsByValue returns the flags that have a value, each name once.
func flagsByValue(commands []completed) []completedFlag {
	var all []completedFlag
	for _, c := range commands {
		for _, f := range c.flags {
			if f.value != "" && !slices.ContainsFunc(all, func(g completedFlag) bool { return g.name == f.name }) {
				all = append(all, f)
			}
		}
	}
	return all
}

// names returns the names of all commands.
func names(commands []completed) []string {
	var all []string
	for _, c := range commands {
		all = append(all, c.name)
	}
	return all
}

// flagNames returns the flags of a command as they are typed.
func (c *completed) flagNames() []string {
	var all []string
	for _, f := range c.flags {
		all = append(all, "--"+f.name)
	}
	return all
}

package cli

import (
	"fmt"
	"strings"

	"ambit/server/config"
)

// helpCommand prints help about a topic.
type helpCommand struct {
	Topic string `arg:"" optional:"" values:"settings,man" help:"settings, man (the manual page) or a command."`
}

// Run prints the settings, the manual page or the help of a command.
func (c *helpCommand) Run(a *app) error {
	switch c.Topic {
	case "settings":
		return printSettings(a)
	case "man":
		return printManual(a)
	case "":
		_, err := parse(a, []string{"--help"})
		return err
	}
	_, err := parse(a, []string{c.Topic, "--help"})
	return err
}

// printSettings describes every setting.
func printSettings(a *app) error {
	var b strings.Builder
	file := config.UserFile()
	if file == "" {
		file = "~/.config/ambit/config.toml"
	}
	fmt.Fprintf(&b, "Settings are read from %s, for all workspaces;\n", oneLine(file))
	fmt.Fprintf(&b, "those marked * also from %s in the root of a workspace, for everyone who works on it.\n", config.WorkspaceFile)
	for _, s := range config.Describe() {
		mark := " "
		if s.Shared {
			mark = "*"
		}
		fmt.Fprintf(&b, "\n%s %s = %s\n    %s\n    Allowed: %s.\n", mark, s.Name, s.Default, s.Doc, strings.TrimSuffix(s.Allowed, "."))
	}
	_, err := fmt.Fprint(a.out, b.String())
	return err
}

package cli

import (
	"fmt"
	"strings"
)

// printManual prints the manual page ambit(1), in the macros man(7).
func printManual(a *app) error {
	parser, err := newParser(a)
	if err != nil {
		return err
	}
	var b strings.Builder
	b.WriteString(".TH AMBIT 1\n.SH NAME\nambit \\- the right pieces of code for a symbol or a question\n" +
		".SH SYNOPSIS\n.B ambit\n.I command\n.RI [ argument \" ...]\n.SH DESCRIPTION\n")
	paragraphs(&b, description)
	b.WriteString(".SH COMMANDS\n")
	for _, node := range parser.Model.Children {
		fmt.Fprintf(&b, ".SS %s\n", roff(node.Summary()))
		paragraphs(&b, node.Help+"\n\n"+node.Detail)
		for _, flag := range node.Flags {
			if flag.Hidden {
				continue
			}
			fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(flag.String()), roff(flag.Help))
		}
	}
	b.WriteString(".SH FILES\n.TP\n.I ~/.config/ambit/config.toml\nThe settings, for all workspaces;\n.B ambit help settings\nexplains them.\n" +
		".TP\n.I .ambit.toml\nSettings of one workspace, for everyone who works on it.\n" +
		".TP\n.I ~/.cache/ambit\nThe indexes. They can be removed at any time.\n" +
		".SH EXIT STATUS\n0 for success, 1 for a failure, 2 for wrong usage.\n")
	_, err = fmt.Fprint(a.out, b.String())
	return err
}

// paragraphs writes text of help; lines that begin with blanks are examples.
func paragraphs(b *strings.Builder, text string) {
	for i, part := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if i > 0 {
			b.WriteString(".PP\n")
		}
		if strings.HasPrefix(part, " ") {
			b.WriteString(".nf\n" + roff(part) + "\n.fi\n")
		} else {
			b.WriteString(roff(part) + "\n")
		}
	}
}

// roff escapes text: a line may not begin with a dot or an apostrophe.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}

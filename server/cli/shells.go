package cli

import (
	"fmt"
	"strings"
)

// bashScript completes in bash 4.4 and later, with or without the package bash-completion.
func bashScript(commands []completed) string {
	var b strings.Builder
	b.WriteString("# Completion of ambit for bash.\n" +
		"_ambit() {\n" +
		"\tlocal word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]} words=\n" +
		"\tif [[ $word == = ]]; then\n\t\tword=\n" + // bash cuts --flag=value at the sign
		"\telif [[ $before == = ]]; then\n\t\tbefore=${COMP_WORDS[COMP_CWORD - 2]}\n\tfi\n" +
		"\tCOMPREPLY=()\n" +
		"\tif ((COMP_CWORD == 1)); then\n\t\twords='" + strings.Join(names(commands), " ") + " --help'\n\telse\n" +
		"\t\tcase $before in\n")
	for _, f := range flagsByValue(commands) {
		switch {
		case len(f.words) > 0:
			fmt.Fprintf(&b, "\t\t--%s) words='%s' ;;\n", f.name, strings.Join(f.words, " "))
		case f.isDir():
			fmt.Fprintf(&b, "\t\t--%s) compopt +o default -o dirnames && return ;;\n", f.name)
		default:
			fmt.Fprintf(&b, "\t\t--%s) return ;;\n", f.name)
		}
	}
	b.WriteString("\t\t*)\n\t\t\tcase $command:$word in\n")
	for _, c := range commands {
		fmt.Fprintf(&b, "\t\t\t%s:-*) words='%s' ;;\n", c.name, strings.Join(c.flagNames(), " "))
		if len(c.words) > 0 {
			fmt.Fprintf(&b, "\t\t\t%s:*) words='%s' ;;\n", c.name, strings.Join(c.words, " "))
		}
	}
	b.WriteString("\t\t\tesac\n\t\t\t;;\n\t\tesac\n\tfi\n" +
		"\t[[ -z $words ]] || mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n" +
		"}\n" +
		"complete -o default -F _ambit ambit\n")
	return b.String()
}

// zshScript completes in zsh, as a file _ambit of fpath or sourced after compinit.
func zshScript(commands []completed) string {
	var b strings.Builder
	b.WriteString("#compdef ambit\n# Completion of ambit for zsh.\n_ambit() {\n" +
		"\tlocal curcontext=$curcontext state line\n\tlocal -A opt_args\n\tlocal -a commands=(\n")
	for _, c := range commands {
		fmt.Fprintf(&b, "\t\t%s\n", zshQuote(c.name+":"+c.help))
	}
	b.WriteString("\t)\n\t_arguments -C '--help[Show help]' '1:command:->command' '*::argument:->argument'\n" +
		"\tcase $state in\n\tcommand) _describe -t commands command commands ;;\n\targument)\n\t\tcase $words[1] in\n")
	inBrackets := strings.NewReplacer("[", `\[`, "]", `\]`, ":", `\:`)
	for _, c := range commands {
		fmt.Fprintf(&b, "\t\t%s)\n\t\t\t_arguments \\\n", c.name)
		for _, f := range c.flags {
			text := "*--" + f.name
			if f.value != "" {
				text += "="
			}
			text += "[" + inBrackets.Replace(f.help) + "]"
			if f.value != "" {
				text += ":" + inBrackets.Replace(f.value) + ":" + zshValues(f)
			}
			fmt.Fprintf(&b, "\t\t\t\t%s \\\n", zshQuote(text))
		}
		rest := "*:file:_files"
		if len(c.words) > 0 {
			rest = "1:" + c.name + ":(" + strings.Join(c.words, " ") + ")"
		}
		fmt.Fprintf(&b, "\t\t\t\t%s\n\t\t\t;;\n", zshQuote(rest))
	}
	b.WriteString("\t\tesac\n\t\t;;\n\tesac\n}\n" +
		"if [[ $funcstack[1] == _ambit ]]; then\n\t_ambit \"$@\"\nelse\n\tcompdef _ambit ambit\nfi\n")
	return b.String()
}

// zshValues returns what completes the value of a flag.
func zshValues(f completedFlag) string {
	switch {
	case len(f.words) > 0:
		return "(" + strings.Join(f.words, " ") + ")"
	case f.isDir():
		return "_files -/"
	case f.isFile():
		return "_files"
	}
	return " "
}

// zshQuote quotes text for zsh.
func zshQuote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// fishScript completes in fish.
func fishScript(commands []completed) string {
	var b strings.Builder
	quote := strings.NewReplacer(`\`, `\\`, `'`, `\'`)
	b.WriteString("# Completion of ambit for fish.\n")
	for _, c := range commands {
		fmt.Fprintf(&b, "complete -c ambit -n __fish_use_subcommand -f -a %s -d '%s'\n", c.name, quote.Replace(c.help))
	}
	for _, c := range commands {
		within := "complete -c ambit -n '__fish_seen_subcommand_from " + c.name + "'"
		if len(c.words) > 0 {
			fmt.Fprintf(&b, "%s -f -a '%s'\n", within, strings.Join(c.words, " "))
		}
		for _, f := range c.flags {
			fmt.Fprintf(&b, "%s -l %s%s -d '%s'\n", within, f.name, fishValues(f), quote.Replace(f.help))
		}
	}
	return b.String()
}

// fishValues returns the options of complete for the value of a flag.
func fishValues(f completedFlag) string {
	switch {
	case f.value == "":
		return ""
	case len(f.words) > 0:
		return " -x -a '" + strings.Join(f.words, " ") + "'"
	case f.isDir():
		return " -x -a '(__fish_complete_directories)'"
	case f.isFile():
		return " -r"
	}
	return " -x"
}

// powerShellScript completes in PowerShell 5.1 and later.
func powerShellScript(commands []completed) string {
	var b strings.Builder
	list := func(words []string) string { return "'" + strings.Join(words, "', '") + "'" }
	b.WriteString("# Completion of ambit for PowerShell.\n" +
		"Register-ArgumentCompleter -Native -CommandName ambit -ScriptBlock {\n" +
		"    param($word, $line, $cursor)\n" +
		"    $before = @($line.CommandElements | Where-Object { $_.Extent.EndOffset -lt $cursor } | ForEach-Object { $_.ToString() })\n" +
		"    $words = if ($before.Count -lt 2) {\n        " + list(names(commands)) + "\n    } else {\n" +
		"        switch ($before[-1]) {\n")
	for _, f := range flagsByValue(commands) {
		if len(f.words) > 0 {
			fmt.Fprintf(&b, "            '--%s' { %s }\n", f.name, list(f.words))
		}
	}
	b.WriteString("            default {\n                switch ($before[1]) {\n")
	for _, c := range commands {
		words := append(c.flagNames(), c.words...)
		fmt.Fprintf(&b, "                    '%s' { %s }\n", c.name, list(words))
	}
	b.WriteString("                }\n            }\n        }\n    }\n" +
		"    $words | Where-Object { $_ -like \"$word*\" } | ForEach-Object { [System.Management.Automation.CompletionResult]::new($_) }\n" +
		"}\n")
	return b.String()
}

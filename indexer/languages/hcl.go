package languages

import (
	"strings"

	"ambit/vectors/record"
)

// hclName gives a block the name that expressions use: var.region, local.name, module.vpc,
// data.aws_ami.ubuntu, aws_instance.web.
func hclName(d *Decl, _ string) {
	root := d.Container
	switch {
	case d.Kind == record.KindConstant:
		root = "local"
	case root == "":
		return
	case root == "variable":
		root = "var"
	case d.Kind == record.KindType:
		root = "data." + root
	}
	d.Name, d.Container = root+"."+d.Name, ""
}

// hclPath returns the end of the name of a block at the start of an expression: the first
// label, and the second one for data.
func hclPath(text string, start, end int) int {
	labels := 1
	if text[start:end] == "data" {
		labels = 2
	}
	for ; labels > 0 && strings.HasPrefix(text[end:], "."); labels-- {
		n := end + 1
		for n < len(text) && (isWordByte(text[n]) || text[n] == '-') {
			n++
		}
		if n == end+1 {
			break
		}
		end = n
	}
	return end
}

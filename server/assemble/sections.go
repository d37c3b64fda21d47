package assemble

import "ambit/server/retrieve"

// section is one part of an answer. The sections of units are filled in this order; the
// structural one is chosen separately.
type section struct {
	name  string
	share int // per cent of the budget
}

const (
	structural = iota
	primary
	supporting
	framework
	nSections
)

// sections are the sections of an answer. A section without candidates leaves its share
// to the other sections of units in proportion to theirs: without framework, primary and
// supporting have 60:30.
var sections = [nSections]section{
	structural: {"structural", 10},
	primary:    {"primary", 50},
	supporting: {"supporting", 25},
	framework:  {"framework", 15},
}

// minSection is the share, in tokens, from which a section is opened.
const minSection = 200

func sectionOf(r retrieve.Role) int {
	switch r {
	case retrieve.RoleDefinition, retrieve.RoleChanged, retrieve.RoleEnclosing, retrieve.RoleMatch, retrieve.RoleSchema, retrieve.RolePinned:
		return primary
	case retrieve.RoleFramework:
		return framework
	}
	return supporting
}

func sum(a []int) int {
	n := 0
	for _, v := range a {
		n += v
	}
	return n
}

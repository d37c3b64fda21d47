package assemble

import (
	"strings"

	"ambit/server/api"
	"ambit/server/retrieve"
)

// Bundle is an answer together with the parts that only its text has.
type Bundle struct {
	api.Answer
	Query   string // the question, or the identifier under the cursor
	Context api.ContextMode
	// Texts holds the code of each source, in their order: the shown lines, each ended
	// by "\n" and without trailing blanks. A mark at a gap beside a focus line and the
	// truncation note, which is the last line, are comments of the language. All texts
	// are valid UTF-8.
	Texts []string
	// Joined says of each source whether it stands under the heading of the one before,
	// which is of the same file; nil when none does.
	Joined []bool
	// Structure is shown before the sources when StructureFirst, else after them.
	Structure      []retrieve.FileOutline
	StructureFirst bool
}

func newSymbol(u *retrieve.Unit) *api.Symbol {
	name := u.Identifier[strings.LastIndexByte(u.Identifier, '.')+1:]
	if strings.Contains(name, "/") || name == "" { // of a path
		name = u.Identifier
	}
	return &api.Symbol{Name: name, Identifier: u.Identifier, Kind: u.Kind, Path: u.Path, StartLine: u.Lines.First, EndLine: u.Lines.Last}
}

package languages

import (
	"regexp"
	"strings"

	sitter "github.com/smacker/go-tree-sitter"

	"ambit/vectors/record"
)

// roleKind says what a captured node is to the outline.
type roleKind uint8

const (
	roleNone          roleKind = iota
	roleDef                    // @def.KIND: a whole declaration
	roleName                   // @name: its name, or the string that names a test case
	roleBody                   // @body: what the header ends at
	roleType                   // @type: the type of the declaration or local
	roleValue                  // @value: the expression that a local or variable is bound to; @value.1 its second part
	roleOwner                  // @owner: the value, or the type behind ":", that the name is a member of
	roleKey                    // @key: the name that the owner's member has, when it is not the name given
	roleSkip                   // @skip: not a use of a name
	roleResult                 // @result: an expression that the function around it returns
	roleSpread                 // @spread: a value of which the members become those of the declaration around it
	roleBase                   // @base: a base type; without @def it goes to the declaration around it
	roleContainer              // @container: the type that a declaration is a member of
	roleRef                    // @ref.KIND: a use; the node ends with the name
	roleRecv                   // @recv: what stands left of the @ref of the same match
	roleLocal                  // @local: a local name
	roleNarrow                 // @narrow: a name that has the @type of the match inside @within
	roleWithin                 // @within: where @narrow holds
	roleScope                  // @scope: where locals inside it end
	roleImportPath             // @import.path
	roleImportName             // @import.name
	roleImportAlias            // @import.alias
	roleImportDefault          // @import.default: the local name of what a module exports by default
	roleImportAll              // @import.all: everything is imported
	roleImportTree             // @import.tree: a nested list of paths, as in Rust
	roleExport                 // @export: the import of the match is a re-export
	rolePackage                // @package
	roleComment                // @comment: joins the declaration right below it
	roleDoc                    // @doc: a doc comment inside the declaration
	roleError                  // what the grammar could not read
)

// role is the meaning of one capture name.
type role struct {
	what roleKind
	kind record.Kind     // of roleDef
	edge record.EdgeKind // of roleRef
	// member: the name stands without its receiver
	member bool
	nth    uint8 // of roleValue
}

var plainRoles = map[string]roleKind{
	"name": roleName, "body": roleBody, "type": roleType, "value": roleValue, "base": roleBase, "container": roleContainer,
	"recv": roleRecv, "local": roleLocal, "scope": roleScope, "import.path": roleImportPath, "import.name": roleImportName,
	"import.alias": roleImportAlias, "import.default": roleImportDefault, "import.all": roleImportAll, "import.tree": roleImportTree, "export": roleExport,
	"owner": roleOwner, "key": roleKey, "skip": roleSkip, "narrow": roleNarrow, "within": roleWithin, "result": roleResult, "spread": roleSpread, "package": rolePackage, "comment": roleComment, "doc": roleDoc, "error": roleError,
}

var refRoles = map[string]record.EdgeKind{
	// A member is named without what it is a member of, as the keys of a literal are.
	"member": record.EdgeReads,
	"call":   record.EdgeCalls, "new": record.EdgeCreates, "type": record.EdgeType, "extends": record.EdgeExtends, "read": record.EdgeReads,
}

// roleOf reads a capture name. A name that it does not know means nothing, so a
// query may use captures of its own in predicates.
func roleOf(name string) role {
	if kind, ok := strings.CutPrefix(name, "def."); ok {
		return role{what: roleDef, kind: record.Kind(kind)}
	}
	if kind, ok := strings.CutPrefix(name, "ref."); ok {
		return role{what: roleRef, edge: refRoles[kind], member: kind == "member"}
	}
	if nth, ok := strings.CutPrefix(name, "value."); ok && len(nth) == 1 && nth[0] >= '0' && nth[0] <= '9' {
		return role{what: roleValue, nth: nth[0] - '0'}
	}
	return role{what: plainRoles[name]}
}

// predicate is one #eq?, #any-of? or #match? of a pattern, or its #not- form.
type predicate struct {
	capture uint16
	not     bool
	words   []string
	pattern *regexp.Regexp
}

// predicatesOf reads the predicates of every pattern. Unknown ones are ignored.
func predicatesOf(q *sitter.Query) [][]predicate {
	all := make([][]predicate, q.PatternCount())
	for i := range all {
		for _, steps := range q.PredicatesForPattern(uint32(i)) {
			if len(steps) < 3 || steps[1].Type != sitter.QueryPredicateStepTypeCapture {
				continue
			}
			name, not := strings.CutPrefix(q.StringValueForId(steps[0].ValueId), "not-")
			p := predicate{capture: uint16(steps[1].ValueId), not: not}
			for _, s := range steps[2:] {
				if s.Type == sitter.QueryPredicateStepTypeString {
					p.words = append(p.words, q.StringValueForId(s.ValueId))
				}
			}
			switch name {
			case "match?":
				p.pattern = regexp.MustCompile(p.words[0])
			case "eq?", "any-of?":
			default:
				continue
			}
			all[i] = append(all[i], p)
		}
	}
	return all
}

// holds reports whether the captures of one match satisfy the predicates.
func holds(ps []predicate, text string, match []capture) bool {
	for _, p := range ps {
		for _, c := range match {
			if c.index == p.capture && p.accepts(text[c.start:c.end]) == p.not {
				return false
			}
		}
	}
	return true
}

func (p predicate) accepts(s string) bool {
	if p.pattern != nil {
		return p.pattern.MatchString(s)
	}
	for _, w := range p.words {
		if w == s {
			return true
		}
	}
	return false
}

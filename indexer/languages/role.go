package languages

import (
	"strings"

	"ambit/vectors/record"
)

// roleKind is the meaning of a captured node.
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
	roleClosure                // @scope.function: a scope that is a function without a declaration of its own
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
	roleDirective              // @directive: a call right in the body of a class
	roleTable                  // @table: a table of a database, in a file that describes it
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
	"recv": roleRecv, "local": roleLocal, "scope": roleScope, "scope.function": roleClosure, "import.path": roleImportPath, "import.name": roleImportName,
	"import.alias": roleImportAlias, "import.default": roleImportDefault, "import.all": roleImportAll, "import.tree": roleImportTree, "export": roleExport,
	"owner": roleOwner, "key": roleKey, "skip": roleSkip, "narrow": roleNarrow, "within": roleWithin, "result": roleResult, "spread": roleSpread, "package": rolePackage, "comment": roleComment, "doc": roleDoc, "directive": roleDirective, "table": roleTable, "error": roleError,
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

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
	roleBody                   // @body: the body, which ends the header
	roleType                   // @type: the type of the declaration or local
	roleValue                  // @value: the value of a local or variable; @value.1 is the second value of a list
	roleOwner                  // @owner: the value, or the type behind ":", whose member the name is; with @ref.member the type, while @value is a value whose type has the name
	roleKey                    // @key: the name of the owner's member, if it differs from the name
	roleNarrow                 // @narrow: a name that has the @type of the match inside @within; without it, a local name that has the @type
	roleWithin                 // @within: the scope of @narrow
	roleContainer              // @container: the type whose member the declaration is
	roleRef                    // @ref.KIND: a use; the node ends with the name
	roleRecv                   // @recv: the receiver left of the @ref of the same match
	roleArguments              // @arguments: the arguments of the call of the same match
	roleImportPath             // @import.path
	roleImportName             // @import.name
	roleCallee                 // @callee: what is called with the function that has the @local as a parameter
	roleSignature              // @signature: the written type of the function that has the @local as a parameter
	roleImportAlias            // @import.alias
	roleSkip                   // @skip: a name that is not a use
	roleResult                 // @result: an expression that the function around it returns
	roleSpread                 // @spread: a value whose members become members of the declaration around it
	roleBase                   // @base: a base type of the declaration around it
	roleLocal                  // @local: a local name
	roleScope                  // @scope: a scope of locals
	roleClosure                // @scope.function: a scope that is a function without a declaration
	roleImportDefault          // @import.default: the local name of the default export of a module
	roleImportAll              // @import.all: the import is of all names
	roleImportTree             // @import.tree: a nested list of paths, as in Rust
	roleExport                 // @export: the import of the match is a re-export
	rolePackage                // @package
	roleComment                // @comment: belongs to the declaration right below it
	roleDoc                    // @doc: a doc comment inside the declaration
	roleDirective              // @directive: a call at the top of the body of a class
	roleTable                  // @table: a table, in a file that describes a database
	roleScript                 // @embed.script: a script in a page
	roleTemplate               // @embed.expression: an expression of a script in a template
	roleStyle                  // @embed.style: a style sheet in a page
	roleError                  // a syntax error
)

// nMatchRoles is the number of roles whose span a match keeps: those up to roleImportAlias.
const nMatchRoles = roleImportAlias + 1

// role is the meaning of one capture name.
type role struct {
	what   roleKind
	kind   record.Kind     // of roleDef
	edge   record.EdgeKind // of roleRef
	member bool            // of roleRef: the name has no receiver in the text
	token  bool            // of roleRef: the name is a token of a macro call; the text around it says how it is used
	nth    uint8           // of roleValue
}

var plainRoles = map[string]roleKind{
	"name": roleName, "body": roleBody, "type": roleType, "value": roleValue, "base": roleBase, "container": roleContainer,
	"recv": roleRecv, "arguments": roleArguments, "local": roleLocal, "scope": roleScope, "scope.function": roleClosure, "import.path": roleImportPath, "import.name": roleImportName,
	"import.alias": roleImportAlias, "import.default": roleImportDefault, "import.all": roleImportAll, "import.tree": roleImportTree, "export": roleExport,
	"callee": roleCallee, "signature": roleSignature, "owner": roleOwner, "key": roleKey, "skip": roleSkip, "narrow": roleNarrow, "within": roleWithin, "result": roleResult, "spread": roleSpread, "package": rolePackage, "comment": roleComment, "doc": roleDoc, "directive": roleDirective, "table": roleTable, "embed.script": roleScript, "embed.expression": roleTemplate, "embed.style": roleStyle, "error": roleError,
}

var refRoles = map[string]record.EdgeKind{
	// The keys of a literal, for example, are members without a receiver.
	"member": record.EdgeReads,
	"token":  record.EdgeReads,
	"call":   record.EdgeCalls, "new": record.EdgeCreates, "type": record.EdgeType, "extends": record.EdgeExtends, "read": record.EdgeReads,
}

// roleOf reads a capture name. An unknown name has no role, so a query can have captures
// only for predicates.
func roleOf(name string) role {
	if kind, ok := strings.CutPrefix(name, "def."); ok {
		return role{what: roleDef, kind: record.Kind(kind)}
	}
	if kind, ok := strings.CutPrefix(name, "ref."); ok {
		return role{what: roleRef, edge: refRoles[kind], member: kind == "member", token: kind == "token"}
	}
	if nth, ok := strings.CutPrefix(name, "value."); ok && len(nth) == 1 && nth[0] >= '0' && nth[0] <= '9' {
		return role{what: roleValue, nth: nth[0] - '0'}
	}
	return role{what: plainRoles[name]}
}

package retrieve

import (
	"cmp"

	"ambit/vectors/record"
)

// reasons are the words for a role when no signal tells more.
var reasons = map[Role]string{
	RoleDefinition: "definition",
	RoleEnclosing:  "around it",
	RoleMatch:      "matches",
	RoleUses:       "used",
	RoleUsedBy:     "uses it",
	RoleTest:       "test",
	RoleDoc:        "mentions it",
	RoleCoChange:   "changes with it",
	RoleSibling:    "same type",
	RoleSimilar:    "similar",
	RoleFramework:  "framework",
	RoleSchema:     "its table",
	RolePinned:     "pinned",
	RoleChanged:    "changed",
}

// signalReasons are the words for the signals of candidates that are used, that use, and
// that match.
var signalReasons = map[Role]map[string]string{
	RoleUses: {
		string(record.EdgeCalls): "calls", string(record.EdgeCreates): "creates", string(record.EdgeType): "uses type", string(record.EdgeExtends): "extends",
		string(record.EdgeReads): "reads", string(record.EdgeImports): "imports", string(record.EdgeAssociates): "associated", "member of": "its type", "overridden": "overrides",
		string(record.EdgeImplements): "implements", "adds members": "its members", "offered": "offered", "sets": "sets its value",
	},
	RoleFramework: {
		string(record.EdgeCalls): "calls", string(record.EdgeCreates): "creates", string(record.EdgeType): "uses type", string(record.EdgeExtends): "extends",
		string(record.EdgeReads): "reads", string(record.EdgeImplements): "implements",
	},
	RoleUsedBy:  {"implements": "implemented by", "overrides": "overridden by", "routes to it": "routes to it"},
	RoleSibling: {"same interface": "same interface"},
	RoleDoc:     {"section before": "section before", "section after": "section after", "linked": "linked"},
	RoleMatch: {
		"definition": "named", "lexical": "same words", "vector": "similar", "fused": "similar", "title": "named", "file name": "file name", "directory": "file name", "quoted": "quoted", "history": "same commits",
		"readme": "readme", "architecture document": "architecture", "entry point": "entry point", "main unit": "main unit",
	},
}

// usedByReasons are the words for the way in which a unit uses the one in question.
var usedByReasons = map[record.EdgeKind]string{
	record.EdgeCalls: "called by", record.EdgeCreates: "created by", record.EdgeType: "typed by", record.EdgeExtends: "extended by", record.EdgeImplements: "implemented by", record.EdgeReads: "read by",
	record.EdgeImports: "imported by", record.EdgeAssociates: "associated",
}

// Reason returns why a candidate is there, in one word to three: what its strongest signal
// says, read from the unit in question.
func (c *Candidate) Reason() string {
	for _, s := range c.Why {
		if word := signalReasons[c.Role][s.Name]; word != "" {
			return word
		}
		if c.Role == RoleUsedBy && s.Name == string(RoleUsedBy) {
			return cmp.Or(usedByReasons[c.UsedBy], reasons[c.Role])
		}
	}
	return cmp.Or(reasons[c.Role], string(c.Role))
}

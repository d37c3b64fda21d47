package languages

import (
	"regexp"

	"github.com/smacker/go-tree-sitter/protobuf"
)

// dataRows holds the languages of schemas, configuration and data.
var dataRows = rows(
	row{name: "protobuf", extensions: []string{".proto"}, comment: "//", grammar: protobuf.GetLanguage, starts: protobufStarts, query: "protobuf.scm", exported: anyName, builtins: protobufBuiltins},
)

// protobufStarts matches the first lines of the units of a proto file.
var protobufStarts = regexp.MustCompile(`(?m)^(?:message|enum|service|extend)\b`)

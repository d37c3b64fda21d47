package languages

import (
	"bytes"
	"regexp"

	"ambit/indexer/lazy"
)

// The grammar of Protobuf knows proto3 and needs its syntax statement.
var (
	protoSyntax  = lazy.Regexp(`(?m)^[ \t]*syntax\s*=\s*["'](proto2)?`)
	protoEdition = lazy.Regexp(`(?m)^[ \t]*(edition\s*=\s*"\w+"\s*;)`)
	protoComment = lazy.Regexp(`^\s*(//[^\n]*|/\*[^*]*\*/)`)

	protoRequired   = lazy.Regexp(`(?m)^[ \t]*(required)\s`)
	protoExtensions = lazy.Regexp(`(?m)^[ \t]*(extensions)\s[^;]*;`)
	protoReserved   = lazy.Regexp(`(?m)^[ \t]*(reserved)\s[^;"']*["'][^;]*;`)
	protoGroup      = lazy.Regexp(`(?m)^[ \t]*(\w+\s+group\s)\s*\w+(\s*=\s*\d+\s*)(?:\[[^\]]*\]\s*)?\{`)
	protoExtend     = lazy.Regexp(`(?m)^[ \t]*(extend\s[^{}]*\{[^{}]*\})`)
)

// maskProto rewrites proto2 and editions as proto3 of the same length: required fields are
// optional ones, groups are messages; extensions and reserved names become blank.
func maskProto(content []byte) []byte {
	out := bytes.Clone(content)
	protoStatement(out)
	for _, m := range found(protoRequired(), content, "required") {
		copy(out[m[2]:], "optional")
	}
	for _, m := range append(found(protoExtensions(), content, "extensions"), found(protoReserved(), content, "reserved")...) {
		blank(out[m[2]:m[1]])
	}
	for _, m := range found(protoGroup(), content, " group ") {
		blank(out[m[2]:m[3]])
		copy(out[m[2]:], "message")
		blank(out[m[4]:m[5]])
	}
	for _, m := range found(protoExtend(), content, "extend ") {
		blank(out[m[2]:m[3]])
	}
	return out
}

// protoStatement writes the syntax statement of proto3 over that of proto2 or of an edition,
// or else over the first comment.
func protoStatement(out []byte) {
	const statement = `syntax="proto3";`
	if m := protoSyntax().FindSubmatchIndex(out); m != nil {
		if m[2] >= 0 {
			copy(out[m[2]:], "proto3")
		}
		return
	}
	for _, re := range []*regexp.Regexp{protoEdition(), protoComment()} {
		if m := re.FindSubmatchIndex(out); m != nil && m[3]-m[2] >= len(statement) {
			blank(out[m[2]:m[3]])
			copy(out[m[2]:], statement)
			return
		}
	}
}

// found returns the matches of an expression in a text that has a word of every match.
func found(re *regexp.Regexp, content []byte, word string) [][]int {
	if !bytes.Contains(content, []byte(word)) {
		return nil
	}
	return re.FindAllSubmatchIndex(content, -1)
}

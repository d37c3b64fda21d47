package languages

import "ambit/vectors/record"

// Pieces of patterns that several rows share.
const (
	modifiers = `^\s*(?:(?:public|protected|private|internal|fileprivate|open|static|abstract|final|sealed|readonly|virtual|override|async|partial|unsafe|extern|inline|data|inner|` +
		`suspend|operator|tailrec|infix|external|annotation|value|companion|enum|implicit|lazy|case|mutating|nonmutating|convenience|required|class|indirect|dynamic|weak|lateinit|const|` +
		`new|default|opaque|transparent|erased|expect|actual|(?:public|private|internal)\(set\)|private\[\w+\]|protected\[\w+\]|@\w+(?:\([^)]*\))?)\s+)*?`
	typeArgs = `(?:<[^(]*>\s*)?`
)

// patternTable holds the languages that patterns cover. Answers show their names.
var patternTable = patternRows(
	patternRow{name: "sql", extensions: []string{".sql", ".ddl", ".psql", ".pgsql"}, line: []string{"--"}, read: parseSQL},
	patternRow{name: "dockerfile", extensions: []string{".dockerfile", ".containerfile"}, names: []string{"Dockerfile", "dockerfile", "Containerfile"}, variants: true, build: true, line: []string{"#"}, read: parseDockerfile},
	patternRow{name: "graphql", extensions: []string{".graphql", ".gql", ".graphqls"}, line: []string{"#"}, read: parseGraphQL},
	patternRow{name: "haskell", extensions: []string{".hs", ".hsc", ".lhs"}, line: []string{"--"}, block: [2]string{"{-", "-}"}, quotes: `"`, nameBytes: "'", extent: extentIndent, refs: refWords, clauses: true,
		imports: []string{`^import\s+(?:\{-#.*?#-\}\s*)?(?:safe\s+)?(?:qualified\s+)?(?:"[^"]*"\s+)?(?P<path>[\w.]+)(?:\s+qualified)?(?:\s+as\s+(?P<local>[\w.]+))?`},
		pkg:     `^module\s+(?P<name>[\w.]+)`,
		rules: []rule{
			{need: "data", pattern: `^data\s+(?:family\s+|instance\s+)?(?:\([^)]*\)\s*=>\s*)?(?P<name>[A-Z][\w']*)`, kind: record.KindType},
			{need: "newtype", pattern: `^newtype\s+(?:instance\s+)?(?P<name>[A-Z][\w']*)`, kind: record.KindType},
			{need: "type", pattern: `^type\s+(?:family\s+|instance\s+)?(?P<name>[A-Z][\w']*)`, kind: record.KindType},
			{need: "class", pattern: `^class\s+(?:.*=>\s*)?(?P<name>[A-Z][\w']*)`, kind: record.KindInterface},
			{need: "instance", pattern: `^instance\s+(?:\{-#.*?#-\}\s*)?(?:forall[^.]*\.\s*)?(?:.*=>\s*)?(?P<name>[A-Z][\w'.]*(?:\s+[^=]+?)?)\s*(?:where.*)?$`, kind: record.KindImpl},
			{need: "::", pattern: `^(?P<name>[a-z_][\w']*)(?:\s*,\s*[a-z_][\w']*)*\s*::`, kind: record.KindFunction, whole: true},
			{need: "", pattern: `^(?P<name>[a-z_][\w']*)(?:\s[^=|]*)?(?:=|\||$)`, kind: record.KindFunction},
		}},
	patternRow{name: "zig", extensions: []string{".zig", ".zon"}, line: []string{"//"}, quotes: `"'`,
		imports: []string{`^\s*(?:pub\s+)?const\s+(?P<local>\w+)\s*=\s*@import\("(?P<path>[^"]+)"`},
		rules: []rule{
			{need: "fn", pattern: `^\s*(?:(?:pub|export|inline|noinline|extern(?:\s+"[^"]*")?)\s+)*fn\s+(?P<name>\w+)`, kind: record.KindFunction},
			{need: "=", pattern: `^\s*(?:pub\s+)?const\s+(?P<name>\w+)\s*=\s*(?:packed\s+|extern\s+)?(?:struct|union|opaque)\b`, kind: record.KindStruct},
			{need: "enum", pattern: `^\s*(?:pub\s+)?const\s+(?P<name>\w+)\s*=\s*enum\b`, kind: record.KindEnum},
			{need: "test", pattern: `^\s*test\s+"?(?P<name>[^"{]*[^"{ ])`, kind: record.KindTest},
			{need: "=", pattern: `^\s*(?:pub\s+)?(?:const|var)\s+(?P<name>\w+)\s*(?::[^=]*)?=`, kind: record.KindConstant},
		}},
	patternRow{name: "perl", extensions: []string{".pl", ".pm", ".t", ".psgi"}, shebangs: []string{"perl"}, line: []string{"#"}, block: [2]string{"\n=", "\n=cut"}, quotes: `"'`,
		imports: []string{`^\s*(?:use|require)\s+(?P<path>[A-Z][\w:]*)`},
		pkg:     `^\s*package\s+(?P<name>[\w:]+)`,
		rules:   []rule{{need: "sub", pattern: `^\s*sub\s+(?P<name>[\w:']+)`, kind: record.KindFunction}}},
	patternRow{name: "r", extensions: []string{".r"}, shebangs: []string{"Rscript"}, line: []string{"#"}, quotes: `"'`, nameBytes: ".",
		imports: []string{`^\s*(?:library|require)\(\s*["']?(?P<path>[\w.]+)`, `^\s*source\(\s*["'](?P<path>[^"']+)`},
		rules: []rule{
			{need: "function", pattern: `^\s*(?P<name>[\w.]+)\s*(?:<-|=)\s*function\b`, kind: record.KindFunction},
			{need: "Class", pattern: `^\s*(?P<name>\w+)\s*(?:<-|=)\s*(?:\w+::)?(?:R6Class|setRefClass|setClass)\b`, kind: record.KindClass},
			{need: "set", pattern: `^\s*set(?:Generic|Method|Validity)\(\s*["'](?P<name>[^"']+)`, kind: record.KindFunction},
		}},
	patternRow{name: "julia", extensions: []string{".jl"}, shebangs: []string{"julia"}, line: []string{"#"}, block: [2]string{"#=", "=#"}, quotes: `"`, triple: true, nameBytes: "!", attrs: "@", extent: extentIndent,
		pkg:     `^(?:bare)?module\s+(?P<name>\w+)`, // not a rule: the body of a module is not indented
		imports: []string{`^\s*(?:using|import)\s+(?P<path>[\w.]+)`, `^\s*include\("(?P<path>[^"]+)`},
		rules: []rule{
			{need: "function", pattern: `^\s*(?:@\w+\s+)*function\s+(?:[\w.]+\.)?(?P<name>[\w!]+)`, kind: record.KindFunction},
			{need: "macro", pattern: `^\s*macro\s+(?P<name>\w+)`, kind: record.KindMacro},
			{need: "struct", pattern: `^\s*(?:@\w+\s+)*(?:mutable\s+)?struct\s+(?P<name>\w+)`, kind: record.KindStruct},
			{need: "type", pattern: `^\s*(?:abstract|primitive)\s+type\s+(?P<name>\w+)`, kind: record.KindType},
			{need: "=", pattern: `^\s*(?:@\w+\s+)*(?:[\w.]+\.)?(?P<name>[\w!]+)\([^=]*\)\s*(?:::[\w.{}]+\s*)?(?:where[^=]*)?=[^=]`, kind: record.KindFunction},
			{need: "const", pattern: `^\s*const\s+(?P<name>\w+)`, kind: record.KindConstant},
		}},
	patternRow{name: "dart", extensions: []string{".dart"}, line: []string{"//"}, block: [2]string{"/*", "*/"}, quotes: `"'`, attrs: "@", bases: true,
		imports: []string{`^\s*(?:import|export|part)\s+['"](?P<path>[^'"]+)['"](?:\s+as\s+(?P<local>\w+))?`},
		rules: []rule{
			{need: "class", pattern: modifiers + `(?:base\s+|interface\s+|mixin\s+)*class\s+(?P<name>\w+)`, kind: record.KindClass},
			{need: "mixin", pattern: `^\s*(?:base\s+)?mixin\s+(?P<name>\w+)`, kind: record.KindInterface},
			{need: "extension", pattern: `^\s*extension\s+(?:type\s+)?(?P<name>\w+)`, kind: record.KindImpl},
			{need: "enum", pattern: `^\s*enum\s+(?P<name>\w+)`, kind: record.KindEnum},
			{need: "typedef", pattern: `^\s*typedef\s+(?P<name>\w+)`, kind: record.KindType},
			{need: "(", pattern: `^\s*(?:(?:static|external|factory|const|late|final)\s+)*(?:[\w<>?,.\[\]]+\s+)*?(?:(?:get|set)\s+)?(?:(?P<container>\w+)\.)?(?P<name>\w+)\s*` + typeArgs + `\([^;]*$`, kind: record.KindFunction},
			{need: "=>", pattern: `^\s*(?:static\s+)?[\w<>?,.\[\]]+\s+(?:get\s+)?(?P<name>\w+)\s*(?:\([^)]*\))?\s*=>`, kind: record.KindFunction},
		}},
	patternRow{name: "clojure", extensions: []string{".clj", ".cljs", ".cljc", ".edn"}, line: []string{";"}, quotes: `"`, nameBytes: "-?!*+<>=", extent: extentIndent, refs: refWords,
		pkg: `^\(ns\s+(?:\^\S+\s+)*(?P<name>[\w.-]+)`,
		rules: []rule{
			{need: "(def", pattern: `^\s*\((?:s/)?(?:defn-?|defmulti|defmethod)\s+(?:\^\S+\s+)*(?P<name>[^\s\[\]()"]+)`, kind: record.KindFunction},
			{need: "(defmacro", pattern: `^\s*\(defmacro\s+(?P<name>[^\s\[\]()"]+)`, kind: record.KindMacro},
			{need: "(def", pattern: `^\s*\((?:defrecord|deftype)\s+(?P<name>[^\s\[\]()"]+)`, kind: record.KindStruct},
			{need: "(defprotocol", pattern: `^\s*\(defprotocol\s+(?P<name>[^\s\[\]()"]+)`, kind: record.KindInterface},
			{need: "(deftest", pattern: `^\s*\(deftest\s+(?P<name>[^\s\[\]()"]+)`, kind: record.KindTest},
			{need: "(def", pattern: `^\s*\(def(?:once|var)?\s+(?:\^\S+\s+)*(?P<name>[^\s\[\]()"]+)`, kind: record.KindVariable},
		}},
	patternRow{name: "erlang", extensions: []string{".erl", ".hrl", ".escript"}, shebangs: []string{"escript"}, line: []string{"%"}, quotes: `"`, extent: extentIndent, clauses: true,
		imports: []string{`^-include(?:_lib)?\("(?P<path>[^"]+)`, `^-import\((?P<path>\w+)`},
		pkg:     `^-module\((?P<name>\w+)`,
		rules: []rule{
			{need: "-record", pattern: `^-record\((?P<name>\w+)`, kind: record.KindStruct},
			{need: "-type", pattern: `^-(?:type|opaque)\s+(?P<name>\w+)`, kind: record.KindType},
			{need: "-define", pattern: `^-define\((?P<name>\w+)`, kind: record.KindMacro},
			{need: "-callback", pattern: `^-callback\s+(?P<name>\w+)`, kind: record.KindMethod},
			{need: "-spec", pattern: `^-spec\s+(?P<name>[a-z]\w*)`, kind: record.KindFunction, whole: true},
			{need: "(", pattern: `^(?P<name>[a-z]\w*)\(`, kind: record.KindFunction},
		}},
	patternRow{name: "nim", extensions: []string{".nim", ".nims", ".nimble"}, line: []string{"#"}, block: [2]string{"#[", "]#"}, quotes: `"`, triple: true, extent: extentIndent,
		imports: []string{`^\s*(?:import|from|include)\s+(?P<path>[\w/.]+)`},
		rules: []rule{
			{need: "", pattern: "^\\s*(?:proc|func|method|iterator|template|converter)\\s+`?(?P<name>\\w+)", kind: record.KindFunction},
			{need: "macro", pattern: `^\s*macro\s+(?P<name>\w+)`, kind: record.KindMacro},
			{need: "=", pattern: `^\s+(?P<name>[A-Z]\w*)\*?(?:\[[^\]]*\])?\s*(?:\{\.[^}]*\.\})?\s*=\s*(?:ref\s+|ptr\s+)?(?:object|enum|concept|tuple|distinct)`, kind: record.KindType},
		}},
	patternRow{name: "fsharp", extensions: []string{".fs", ".fsi", ".fsx"}, line: []string{"//"}, block: [2]string{"(*", "*)"}, quotes: `"`, triple: true, attrs: "[", extent: extentIndent, refs: refWords,
		imports: []string{`^\s*open\s+(?P<path>[\w.]+)`},
		pkg:     `^(?:namespace|module)\s+(?:rec\s+)?(?P<name>[\w.]+)\s*$`,
		rules: []rule{
			{need: "module", pattern: `^\s*module\s+(?:(?:rec|private|internal)\s+)*(?P<name>\w+)\s*=`, kind: record.KindModule},
			{need: "type", pattern: `^\s*(?:type|and)\s+(?:(?:private|internal)\s+)*(?P<name>[A-Z]\w*)`, kind: record.KindClass},
			{need: "let", pattern: "^\\s*let\\s+(?:(?:rec|inline|private|internal|mutable)\\s+)*(?P<name>\\w+)", kind: record.KindFunction},
			{need: "member", pattern: `^\s*(?:(?:static|abstract|private|internal)\s+)*(?:member|override|default)\s+(?:inline\s+)?(?:\w+\.)?(?P<name>\w+)`, kind: record.KindFunction},
		}},
	patternRow{name: "vim", extensions: []string{".vim"}, names: []string{".vimrc", "vimrc"}, line: []string{`"`}, quotes: `'`, nameBytes: "#:", extent: extentIndent,
		imports: []string{`^\s*(?:source|runtime!?)\s+(?P<path>\S+)`},
		rules: []rule{
			{need: "fu", pattern: `^\s*fu(?:n|nction)?!?\s+(?P<name>[\w:#.<>]+)`, kind: record.KindFunction},
			{need: "def", pattern: `^\s*(?:export\s+)?def!?\s+(?P<name>[\w:#.<>]+)`, kind: record.KindFunction},
			{need: "com", pattern: `^\s*com(?:mand)?!?\s+(?:-\S+\s+)*(?P<name>[A-Z]\w*)`, kind: record.KindFunction},
		}},
	patternRow{name: "powershell", extensions: []string{".ps1", ".psm1", ".psd1"}, shebangs: []string{"pwsh"}, line: []string{"#"}, block: [2]string{"<#", "#>"}, quotes: `"'`, nameBytes: "-", attrs: "[", refs: refWords,
		imports: []string{`(?i)^\s*(?:import-module|using\s+module)\s+["']?(?P<path>[^"'\s;]+)`},
		rules: []rule{
			{need: "", pattern: `(?i)^\s*(?:function|filter)\s+(?:(?:global|script|private):)?(?P<name>[\w-]+)`, kind: record.KindFunction},
			{need: "", pattern: `(?i)^\s*class\s+(?P<name>\w+)`, kind: record.KindClass},
		}},
	patternRow{name: "makefile", extensions: []string{".mk", ".mak"}, names: []string{"Makefile", "makefile", "GNUmakefile"}, build: true, line: []string{"#"}, extent: extentIndent,
		imports: []string{`^-?include\s+(?P<path>\S+)`},
		rules: []rule{
			{need: "=", pattern: `^(?:export\s+|override\s+)*(?P<name>[\w.-]+)\s*(?:::?|\+|\?|!)?=`, kind: record.KindVariable},
			{need: ":", pattern: `^(?P<name>[^\s:#=$][^\s:#=]*)[^:#=]*::?(?:[^=]|$)`, kind: record.KindFunction},
		}},
	patternRow{name: "assembly", extensions: []string{".s", ".asm", ".nasm"}, line: []string{";", "//", "#"}, block: [2]string{"/*", "*/"}, quotes: `"`, extent: extentNext,
		rules: []rule{
			{need: "TEXT", pattern: `^TEXT\s+(?:[^\s·(<]*·)?(?P<name>\w+)`, kind: record.KindFunction},
			{need: ":", pattern: `^(?P<name>[A-Za-z_$][\w$.@]*):`, kind: record.KindFunction},
		}},
	patternRow{name: "code", extensions: []string{".cr", ".d", ".f90", ".groovy", ".gradle", ".hx", ".m", ".mm", ".odin", ".pas", ".re", ".sol", ".tcl", ".v", ".vala", ".vb", ".jai", ".gd", ".elm", ".thrift"},
		line: []string{"#", "//", "--"}, block: [2]string{"/*", "*/"}, quotes: `"`, attrs: "@",
		rules: []rule{
			{need: "", pattern: `(?i)^\s*(?:(?:pub|public|private|protected|static|export|abstract|final|async)\s+)*(?:class|struct|message|record|defmodule|contract)\s+(?P<name>\w[\w.]*)`, kind: record.KindClass},
			{need: "", pattern: `(?i)^\s*(?:(?:pub|public|private|protected|static|export)\s+)*(?:interface|trait|protocol|service)\s+(?P<name>\w+)`, kind: record.KindInterface},
			{need: "enum", pattern: `^\s*(?:pub\s+|public\s+)?enum\s+(?P<name>\w+)`, kind: record.KindEnum},
			{need: "", pattern: `(?i)^\s*(?:(?:pub|public|private|protected|static|export|async|override|virtual)\s+)*(?:function|func|fn|def|defp|defmacro|sub|subroutine|proc|procedure|let\s+rec|let|rpc|modifier)\s+(?P<name>\w+[?!]?)`, kind: record.KindFunction},
			{need: "type", pattern: `^\s*(?:pub\s+|export\s+)?type\s+(?:alias\s+)?(?P<name>\w+)`, kind: record.KindType},
		}},
)

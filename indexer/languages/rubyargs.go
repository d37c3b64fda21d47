package languages

import (
	"strings"

	"ambit/indexer/lazy"
	"ambit/vectors/record"
)

// rubyDirective reads a call as Rails does: the name of an association gives its class,
// unless an option names another.
func rubyDirective(text string) arguments {
	name := text[:plainName(text)]
	a := arguments{name: name, from: len(name)}
	options := map[string]string{}
	for i, part := range rubyParts(text[len(name):]) {
		if key, value, ok := rubyOption(part); ok {
			if _, twice := options[key]; !twice {
				options[key] = value
			}
			continue
		}
		if arg := rubyPlain(part); arg != "" && len(a.plain) == i {
			a.plain = append(a.plain, arg)
		}
	}
	a.only, a.except = rubyNames(options["only"]), rubyNames(options["except"])
	a.methods = rubyMethods(name, a.plain, options)
	a.target = rubyTarget(name, a.plain, options)
	return a
}

// rubyRunners match the calls whose arguments are methods that run.
var rubyRunners = lazy.Regexp(`^(?:validate$|(?:prepend_|append_)?(?:before|after|around)_)`)

// rubyMethods returns the methods that a call names: those that it runs, and its conditions.
func rubyMethods(name string, plain []string, options map[string]string) (methods []string) {
	if rubyRunners().MatchString(name) {
		for _, n := range plain {
			if n[0] == '_' || n[0] >= 'a' && n[0] <= 'z' {
				methods = append(methods, n)
			}
		}
	}
	for _, key := range []string{"if", "unless"} {
		if value := options[key]; strings.HasPrefix(value, ":") || strings.HasPrefix(value, "[") {
			methods = append(methods, rubyNames(value)...)
		}
	}
	return methods
}

// rubyTarget returns the path of the associated class, "" for none.
func rubyTarget(name string, plain []string, options map[string]string) string {
	many := false
	switch name {
	case "has_many", "has_and_belongs_to_many":
		many = true
	case "belongs_to", "has_one":
	default:
		return ""
	}
	if len(plain) == 0 || options["polymorphic"] == "true" {
		return ""
	}
	for _, key := range []string{"class_name", "source_type"} {
		if s := strings.TrimSuffix(options[key], ".name"); s != "" {
			return rubyPath(rubyPlain(s))
		}
	}
	target := plain[0]
	if source := rubyPlain(options["source"]); source != "" {
		target = source
	}
	if many {
		target = singular(target)
	}
	return rubyPath(camelize(target))
}

// rubyPath returns s if it is the path of a constant, else "".
func rubyPath(s string) string {
	for name := range strings.SplitSeq(strings.TrimPrefix(s, "."), ".") {
		if name == "" || name[0] < 'A' || name[0] > 'Z' || plainName(name) != len(name) {
			return ""
		}
	}
	return s
}

// rubyParts splits a list of arguments at the commas outside brackets and strings. A block
// ends the list.
func rubyParts(text string) []string {
	text = strings.TrimLeft(text, " \t")
	depth := 0
	if strings.HasPrefix(text, "(") {
		text, depth = text[1:], 0
	}
	var parts []string
	start, quote := 0, byte(0)
	for i := 0; i < len(text) && len(parts) < maxDirectiveArgs; i++ {
		switch c := text[i]; {
		case quote != 0:
			if c == '\\' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			if depth--; depth < 0 {
				return append(parts, strings.TrimSpace(text[start:i]))
			}
		case c == '#' && (i == 0 || isBlank(text[i-1])): // a comment
			end := strings.IndexByte(text[i:], '\n')
			if end < 0 {
				end = len(text) - i
			}
			text = text[:i] + strings.Repeat(" ", end) + text[i+end:]
		case c == ',' && depth == 0:
			parts = append(parts, strings.TrimSpace(text[start:i]))
			start = i + 1
		case c == 'd' && depth == 0 && i > 0 && isBlank(text[i-1]) && rubyDo().MatchString(text[i:]):
			text = text[:i]
		}
	}
	if last := strings.TrimSpace(text[start:]); last != "" && len(parts) < maxDirectiveArgs {
		parts = append(parts, last)
	}
	return parts
}

var rubyDo = lazy.Regexp(`^do(\s|$)`)

var rubyKey = lazy.Regexp(`^(?::(\w+)\s*=>|(\w+):(?:[^:]|$))\s*`)

// rubyOption reads `key: value` and `:key => value`.
func rubyOption(part string) (key, value string, ok bool) {
	m := rubyKey().FindStringSubmatchIndex(part)
	switch {
	case m == nil:
		return "", "", false
	case m[2] >= 0:
		return part[m[2]:m[3]], part[m[1]:], true
	}
	return part[m[4]:m[5]], strings.TrimSpace(part[m[5]+1:]), true
}

// rubyPlain returns the name in a symbol, a string or a constant, "" for another
// expression. A path from the top level starts with ".".
func rubyPlain(s string) string {
	s = strings.TrimSpace(s)
	if s == "" {
		return ""
	}
	switch s[0] {
	case ':':
		if !strings.HasPrefix(s, "::") {
			s = strings.Trim(s[1:], `"`)
		}
	case '"', '\'':
		s = strings.Trim(s, `"'`)
	default:
		if s[0] < 'A' || s[0] > 'Z' {
			return ""
		}
	}
	s = strings.ReplaceAll(s, "::", ".")
	for i := range len(s) {
		if !isNameByte(s[i]) && strings.IndexByte("./?!", s[i]) < 0 {
			return ""
		}
	}
	return s
}

var rubySymbols = lazy.Regexp(`:(\w+[?!]?)|"(\w+)"|'(\w+)'`)

// rubyNames returns the names in a symbol or in a list of symbols.
func rubyNames(s string) []string {
	for _, open := range []string{"%i", "%w"} {
		if list, ok := strings.CutPrefix(s, open); ok && len(list) > 1 {
			return strings.Fields(strings.TrimRight(list[1:], ")]}>|"))
		}
	}
	var names []string
	for _, m := range rubySymbols().FindAllStringSubmatch(s, maxDirectiveArgs) {
		names = append(names, m[1]+m[2]+m[3])
	}
	return names
}

// camelize returns the path of the class with a name: Shop.LineItem for "shop/line_item".
func camelize(name string) string {
	var b strings.Builder
	up := true
	for i := range len(name) {
		switch c := name[i]; {
		case c == '_':
			up = true
		case c == '/':
			b.WriteByte('.')
			up = true
		case up && c >= 'a' && c <= 'z':
			b.WriteByte(c - 'a' + 'A')
			up = false
		default:
			b.WriteByte(c)
			up = false
		}
	}
	return b.String()
}

// singulars maps the ends of plurals to the ends of singulars. The first that fits applies.
//
// Source: Rails, activesupport/lib/active_support/inflections.rb, without the rules that
// names of associations rarely need.
var singulars = [][2]string{
	{"people", "person"}, {"children", "child"}, {"women", "woman"}, {"men", "man"}, {"news", "news"}, {"series", "series"}, {"species", "species"},
	{"information", "information"}, {"equipment", "equipment"}, {"fish", "fish"}, {"databases", "database"}, {"quizzes", "quiz"}, {"matrices", "matrix"},
	{"vertices", "vertex"}, {"indices", "index"}, {"aliases", "alias"}, {"alias", "alias"}, {"statuses", "status"}, {"status", "status"},
	{"crises", "crisis"}, {"analyses", "analysis"}, {"diagnoses", "diagnosis"}, {"theses", "thesis"}, {"axes", "axis"}, {"tests", "test"}, {"shoes", "shoe"}, {"oes", "o"},
	{"buses", "bus"}, {"bus", "bus"}, {"mice", "mouse"}, {"xes", "x"}, {"ches", "ch"}, {"sses", "ss"}, {"shes", "sh"}, {"movies", "movie"}, {"ies", "y"},
	{"lves", "lf"}, {"rves", "rf"}, {"tives", "tive"}, {"hives", "hive"}, {"ves", "fe"}, {"media", "medium"}, {"data", "datum"}, {"ss", "ss"}, {"s", ""},
}

// singular returns the singular of a name.
func singular(name string) string {
	for _, s := range singulars {
		if stem, ok := strings.CutSuffix(name, s[0]); ok && (s[1] != "" || len(stem) > 1) {
			return stem + s[1]
		}
	}
	return name
}

var rubyPermit = lazy.Regexp(`\bparams(?:\s*\.\s*require\(:(\w+)\))?\s*\.\s*(?:permit|expect)!?\(`)

// rubyPermits reads `params.require(:order).permit(:number, lines: [])` and
// `params.expect(order: [:number])`.
func rubyPermits(text string) string {
	var all []string
	for _, m := range rubyPermit().FindAllStringSubmatchIndex(text, maxDirectiveArgs) {
		var names []string
		for _, part := range rubyParts(text[m[1]-1 : min(len(text), m[1]+maxDirectiveBytes)]) {
			if key, value, ok := rubyOption(part); ok {
				if inner := rubyNames(value); len(inner) > 0 {
					key += ": " + strings.Join(inner, ", ")
				}
				names = append(names, key)
			} else if name := rubyPlain(part); name != "" {
				names = append(names, name)
			}
		}
		if list := strings.Join(names, ", "); m[2] >= 0 {
			all = append(all, text[m[2]:m[3]]+": "+list)
		} else if list != "" {
			all = append(all, list)
		}
	}
	return strings.Join(all, "; ")
}

var (
	rubyColumn     = lazy.Regexp(`(?m)^[ \t]*t\.(\w+)[ \t]+"(\w+)"`)
	rubyIndex      = lazy.Regexp(`(?m)^[ \t]*t\.index[ \t]+(\[[^\]\n]*\]|"\w+")(.*)$`)
	rubyForeignKey = lazy.Regexp(`(?m)^[ \t]*add_foreign_key[ (]+"(\w+)", "(\w+)"(?:.*\bcolumn: "(\w+)")?`)
	rubyTableName  = lazy.Regexp(`(?m)^[ \t]*self\.table_name[ \t]*=[ \t]*(?:["']|:)(\w+)`)
	rubyID         = lazy.Regexp(`\bid: (:\w+|false)`)
)

// rubyTables reads `create_table "orders" do |t| t.string "number" … end` and
// `add_foreign_key "orders", "customers"`.
func rubyTables(calls []string, text string) []Table {
	keys := map[string][]string{}
	for _, m := range rubyForeignKey().FindAllStringSubmatch(text, -1) {
		column := m[3]
		if column == "" {
			column = singular(m[2]) + "_id"
		}
		if len(keys[m[1]]) < maxColumns {
			keys[m[1]] = append(keys[m[1]], column+" to "+m[2])
		}
	}
	var tables []Table
	at := 0
	for _, call := range calls { // in the order of the text
		i := strings.Index(text[at:], call)
		if i < 0 {
			continue
		}
		at += i
		if t := rubyTable(call); t.Model != "" {
			t.Span = record.Span{Start: at, End: at + len(call)}
			t.ForeignKeys = keys[t.Name]
			tables = append(tables, t)
		}
	}
	return tables
}

func rubyTable(text string) Table {
	const call = "create_table"
	head, _, _ := strings.Cut(text, "\n")
	parts := rubyParts(text[len(call):min(len(text), len(call)+maxDirectiveBytes)])
	if len(parts) == 0 {
		return Table{}
	}
	t := Table{Name: rubyPlain(parts[0])}
	t.Model = rubyModel(t.Name)
	switch id := rubyID().FindStringSubmatch(head); {
	case id == nil:
		t.Columns = append(t.Columns, "id bigint")
	case id[1] != "false":
		t.Columns = append(t.Columns, "id "+id[1][1:])
	}
	for _, m := range rubyColumn().FindAllStringSubmatch(text, 2*maxColumns) {
		if m[1] != "index" && len(t.Columns) < maxColumns {
			t.Columns = append(t.Columns, m[2]+" "+m[1])
		}
	}
	for _, m := range rubyIndex().FindAllStringSubmatch(text, maxColumns) {
		index := strings.Join(rubyNames(m[1]), "+")
		if strings.Contains(m[2], "unique: true") {
			index += " unique"
		}
		t.Indexes = append(t.Indexes, index)
	}
	return t
}

// rubyModel returns the path of the class of the rows of a table.
func rubyModel(table string) string { return rubyPath(camelize(singular(table))) }

// rubyTableOf reads `self.table_name = "orders"`.
func rubyTableOf(text string) string {
	if m := rubyTableName().FindStringSubmatch(text); m != nil {
		return rubyModel(m[1])
	}
	return ""
}

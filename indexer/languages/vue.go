package languages

import (
	"bytes"
	"cmp"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"ambit/indexer/lazy"
	"ambit/vectors/record"
)

// The parts of a component of Vue that are not HTML. Source: the SFC syntax specification and
// the template syntax of Vue 3.
var (
	vueBlock    = lazy.Regexp(`(?is)<(script|style)\b[^>]*>.*?</(?:script|style)\s*>`)
	vueOptions  = lazy.Regexp(`\bexport\s+default\s*(?:(?:Vue\.extend|defineComponent)\s*\(\s*)?\{`)
	vueTemplate = lazy.Regexp(`(?is)<template\s[^>]*\blang\s*=[^>]*>(.*)</template\s*>`) // Pug
)

// customTag is the name of a component in the form that HTML has for elements of one's own.
var customTag = lazy.Regexp(`^[a-z][\w.]*(?:-[\w.]+)+$`)

// vueInterpolations returns the expressions in double braces of the template of a component. They
// may hold what HTML may not: `{{ a > b && c }}`.
func vueInterpolations(content []byte) (out []insertion) {
	blocks := vueBlock().FindAllIndex(content, -1)
	for at := 0; at < len(content); {
		if len(blocks) > 0 && at >= blocks[0][0] {
			at, blocks = max(at, blocks[0][1]), blocks[1:]
			continue
		}
		end := len(content)
		if len(blocks) > 0 {
			end = blocks[0][0]
		}
		open := bytes.Index(content[at:end], []byte("{{"))
		if open < 0 {
			at = end
			continue
		}
		open += at + len("{{")
		n := bytes.Index(content[open:end], []byte("}}"))
		if n < 0 {
			at = end
			continue
		}
		at = open + n + len("}}")
		out = append(out, insertion{record.Span{Start: open - len("{{"), End: at}, record.Span{Start: open, End: open + n}})
	}
	return out
}

// maskPug blanks a template in the language Pug, which the grammar of HTML cannot read.
func maskPug(content []byte) []byte {
	if pug := vueTemplate().FindAllSubmatchIndex(content, -1); pug != nil {
		content = bytes.Clone(content)
		for _, t := range pug {
			blank(content[t[2]:t[3]])
		}
	}
	return notTooDeep(content)
}

// nameComponent names the template of a component as the style guide of Vue names its file:
// that of UserCard.vue, of user-card.vue and of user-card/index.vue is UserCard.
func (o *Outline) nameComponent() {
	name := strings.TrimSuffix(path.Base(string(o.Path)), path.Ext(string(o.Path)))
	if dir := path.Dir(string(o.Path)); name == "index" && dir != "." {
		name = path.Base(dir)
	}
	name = cmp.Or(pascalCase(name), "template")
	template := -1
	for i := range o.Decls {
		if d := &o.Decls[i]; d.Parent < 0 && d.Name == "template" && d.Kind == record.KindFunction && d.NameSpan.Start == d.Span.Start+len("<") {
			d.Name, d.Role, d.Exported = name, RoleComponent, true
			template = i
		}
	}
	if options := vueOptions().FindIndex(o.Content); options != nil && template >= 0 {
		o.addOptions(template, options[1])
	}
}

// addOptions makes the methods in the object of options that starts at an offset members of the
// component, of which its template uses them by their plain names.
func (o *Outline) addOptions(template, start int) {
	component := &o.Decls[template]
	members := map[string]bool{}
	for i := range o.Decls {
		if d := &o.Decls[i]; d.Kind == record.KindMethod && d.Parent < 0 && d.Container == "" && d.Span.Start > start {
			d.Container = component.Name
			members[d.Name] = true
		}
	}
	for i := range o.Refs {
		if r := &o.Refs[i]; r.Receiver == "" && members[r.Name] && component.Span.Start <= r.Span.Start && r.Span.End <= component.Span.End {
			r.Receiver = component.Name
		}
	}
}

// pascalCase returns a name of words joined by "-" as a name of words in capitals.
func pascalCase(name string) (joined string) {
	for part := range strings.SplitSeq(name, "-") {
		r, size := utf8.DecodeRuneInString(part)
		if size > 0 {
			joined += string(unicode.ToUpper(r)) + part[size:]
		}
	}
	return joined
}

// componentTags names the uses of components, which are the references of the page itself, as
// its scripts do: <user-card> is UserCard.
func (b *builder) componentTags() {
	for i := range b.refs {
		r := &b.refs[i]
		before := max(0, r.Span.Start-maxNameBytes)
		start := before + strings.LastIndexByte(b.text[before:r.Span.Start], '<') + 1
		tag := b.text[start:r.Span.End]
		if customTag().MatchString(tag) {
			r.Name, r.Receiver, r.Span.Start = pascalCase(tag), "", start
		}
	}
}

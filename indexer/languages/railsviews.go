package languages

import (
	pathpkg "path"
	"strings"

	"ambit/indexer/lazy"
	"ambit/vectors/record"
)

// Templates of Rails are found by the path below the directory of views, without the endings:
// app/views/orders/index.html.erb is orders/index, and the partial app/views/orders/_form.erb is
// orders/_form. That is the name of the template, by which an action and render lead to it.
//
// Source: the Rails guide on layouts and rendering.
var (
	railsRender = lazy.Regexp(`\brender(?:_to_string)?(?:[ \t]+|[ \t]*\([ \t]*)(?:` +
		`(?:(?:action|template):|:(?:action|template)[ \t]*=>)[ \t]*(?:["']([\w/.-]+)["']|:(\w+))|["']([\w/.-]+)["']|:(\w+)|@(\w+))`)
	// railsPartial stands also among the arguments of other methods.
	railsPartial = lazy.Regexp(`(?:\bpartial:|:partial[ \t]*=>)[ \t]*["']([\w/.-]+)["']`)
)

// viewName returns the name of the template in a file, "" for a file elsewhere.
func viewName(path string) string {
	name, ok := below(path, "views/")
	if dir, base := pathpkg.Split(name); ok && dir != "" {
		base, _, _ = strings.Cut(base, ".")
		return dir + base
	}
	return ""
}

// actionViews returns the directory, as in the names of templates, of the templates of the
// actions in a file; "" for a file of neither a controller nor a mailer.
func actionViews(path string) string {
	for _, c := range []struct{ directory, ending string }{{"controllers/", "_controller.rb"}, {"mailers/", ".rb"}} {
		if name, ok := below(path, c.directory); ok && strings.HasSuffix(name, c.ending) {
			return strings.TrimSuffix(name, c.ending) + "/"
		}
	}
	return ""
}

// railsRenders returns the references to templates in a file of Ruby or ERB. A plain name means
// a template in a controller, a partial elsewhere.
func railsRenders(path, text string) (refs []Ref) {
	if !strings.Contains(text, "render") && !strings.Contains(text, "partial") {
		return nil
	}
	own := actionViews(path)
	partials := own == ""
	if partials {
		own, _ = pathpkg.Split(viewName(path))
	}
	use := func(name string, start, end int) {
		refs = append(refs, Ref{Name: name, Kind: record.EdgeCalls, Span: record.Span{Start: start, End: end}, Decl: -1})
	}
	add := func(start, end int, partial bool) {
		dir, base := pathpkg.Split(text[start:end])
		if dir == "" {
			dir = own
		}
		base, _, _ = strings.Cut(base, ".")
		if partial {
			base = "_" + base
		}
		if dir != "" {
			use(dir+base, start, end)
		}
	}
	for _, m := range railsRender().FindAllStringSubmatchIndex(text, -1) {
		switch {
		case strings.HasPrefix(strings.TrimLeft(text[m[1]:], " \t"), "=>"): // render :json => …
		case m[2] >= 0:
			add(m[2], m[3], false)
		case m[4] >= 0:
			add(m[4], m[5], false)
		case m[6] >= 0:
			add(m[6], m[7], partials)
		case m[8] >= 0:
			add(m[8], m[9], false)
		default: // a model or several of them
			one := singular(text[m[10]:m[11]])
			use(plural(one)+"/_"+one, m[10], m[11])
		}
	}
	for _, m := range railsPartial().FindAllStringSubmatchIndex(text, -1) {
		add(m[2], m[3], true)
	}
	return refs
}

// renderActions adds the references of actions to the templates in dir, as of actionViews, that
// they render by themselves.
func (b *builder) renderActions(dir string, o *Outline) {
	if dir == "" {
		return
	}
	for i := range o.Decls {
		if d := &o.Decls[i]; d.Role == RoleAction {
			at := d.Header.Start // "def"
			b.refs = append(b.refs, Ref{Name: dir + d.Name, Kind: record.EdgeCalls, Span: record.Span{Start: at, End: at}, Decl: -1})
		}
	}
}

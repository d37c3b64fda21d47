package languages

import (
	"strings"

	"ambit/indexer/lazy"
	"ambit/vectors/record"
)

var (
	djangoRoute    = lazy.Regexp(`\b(path|re_path|url|register)\(`)
	djangoCall     = lazy.Regexp(`^([A-Za-z_][\w.]*)\s*\(`)
	djangoPath     = lazy.Regexp(`^[A-Za-z_][\w.]*$`)
	djangoString   = lazy.Regexp(`^["']([\w.]+)["']`)
	djangoSignal   = lazy.Regexp(`(?m)^[ \t]*(?:@receiver|[\w.]+\.connect)\(`)
	djangoSender   = lazy.Regexp(`^sender\s*=\s*["']?((?:\w+\.)*)([A-Z]\w*)["']?$`)
	djangoReceiver = lazy.Regexp(`^(?:receiver\s*=\s*)?([A-Za-z_][\w.]*)$`)
	pythonFunction = lazy.Regexp(`(?m)^[ \t]*(?:async[ \t]+)?(def)[ \t]+(\w+)`)
)

// djangoRoutes reads a file of routes: `path("orders/", views.orders)` calls the view, also
// inside of calls that wrap it, and `include("shop.urls")` imports the other file of routes.
//
// Source: the reference of Django on django.urls, and that of Django REST framework on routers.
func djangoRoutes(text string) (refs []Ref, imports []routeImport) {
	for _, m := range djangoRoute().FindAllStringSubmatchIndex(text, maxHooks) {
		args := callArguments(text, m[1]-1)
		if len(args) < 2 {
			continue
		}
		at, view := args[1].Start, strings.TrimSpace(text[args[1].Start:args[1].End])
		for range 4 { // calls inside one another
			at += strings.Index(text[at:], view)
			call := djangoCall().FindStringSubmatch(view)
			if call == nil || strings.HasSuffix(call[1], ".as_view") {
				break
			}
			inner := callArguments(text, at+strings.IndexByte(view, '('))
			if len(inner) == 0 {
				break
			}
			at = inner[0].Start
			if view = strings.TrimSpace(text[inner[0].Start:inner[0].End]); strings.HasSuffix(call[1], "include") {
				if s := djangoString().FindStringSubmatch(view); s != nil {
					imports = append(imports, routeImport{s[1], at})
				}
				view = ""
				break
			}
		}
		if call := djangoCall().FindStringSubmatch(view); call != nil {
			view = strings.TrimSuffix(call[1], ".as_view")
		}
		if djangoPath().MatchString(view) {
			refs = append(refs, refAt(view, at, record.EdgeCalls))
		}
	}
	return refs, imports
}

// djangoSignals reads the receivers of signals: `@receiver(post_save, sender=Order)` associates
// the function below it with the model, and `post_save.connect(update, sender=Order)` calls the
// function, and associates it with the model when it stands in the same file.
//
// Source: the reference of Django on signals.
func djangoSignals(_, text string) (refs []Ref) {
	if !strings.Contains(text, "receiver(") && !strings.Contains(text, ".connect(") {
		return nil
	}
	functions := make(map[string]record.Span)
	for _, f := range pythonFunction().FindAllStringSubmatchIndex(text, maxHooks) {
		if name := text[f[4]:f[5]]; functions[name].End == 0 {
			functions[name] = record.Span{Start: f[2], End: f[3]}
		}
	}
	for _, m := range djangoSignal().FindAllStringIndex(text, maxHooks) {
		var found []Ref
		var sender Ref
		var handler string
		args := callArguments(text, m[1]-1)
		for i, arg := range args {
			part := strings.TrimSpace(text[arg.Start:arg.End])
			at := arg.Start + strings.Index(text[arg.Start:], part)
			if s := djangoSender().FindStringSubmatchIndex(part); s != nil {
				found = append(found, Ref{Name: part[s[4]:s[5]], Kind: record.EdgeAssociates, Span: record.Span{Start: at + s[4], End: at + s[5]}, Decl: -1})
				if path := part[s[2]:s[3]]; !strings.ContainsAny(part, `"'`) { // a string names the application
					found[len(found)-1].Receiver = strings.TrimSuffix(path, ".")
				}
				sender = found[len(found)-1]
			} else if s := djangoReceiver().FindStringSubmatchIndex(part); s != nil && text[m[1]-2] == 't' && (i == 0 || s[2] > 0) { // connect
				handler = part[s[2]:s[3]]
				found = append(found, refAt(handler, at+s[2], record.EdgeCalls))
			}
		}
		if at, ok := functions[handler]; ok && sender.Name != "" {
			sender.Span = at // a reference from inside of the function
			found = append(found, sender)
		}
		refs = append(refs, found...)
	}
	return refs
}

// routeImport is a file of routes that another one includes, by the path of its module.
type routeImport struct {
	path string
	at   int // the offset of the path
}

// refAt returns a reference to a path of names that stands at an offset.
func refAt(path string, at int, kind record.EdgeKind) Ref {
	receiver, name := CutLast(path)
	end := at + len(path)
	return Ref{Name: name, Receiver: receiver, Kind: kind, Span: record.Span{Start: end - len(name), End: end}, Decl: -1}
}

// callArguments returns the arguments of a call, whose "(" stands at an offset of the text.
func callArguments(text string, open int) (args []record.Span) {
	text = text[:min(len(text), open+maxDirectiveBytes)]
	depth, start, quote := 0, open+1, byte(0)
	add := func(end int) {
		if strings.TrimSpace(text[start:end]) != "" {
			args = append(args, record.Span{Start: start, End: end})
		}
		start = end + 1
	}
	for i := open; i < len(text) && len(args) < maxDirectiveArgs; i++ {
		switch c := text[i]; {
		case quote != 0:
			if c == '\\' {
				i++
			} else if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '#':
			if n := strings.IndexByte(text[i:], '\n'); n >= 0 {
				i += n
			} else {
				i = len(text)
			}
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			if depth--; depth == 0 {
				add(i)
				return args
			}
		case c == ',' && depth == 1:
			add(i)
		}
	}
	return nil // the call has no end
}

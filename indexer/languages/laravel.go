package languages

import (
	"cmp"
	"slices"
	"strings"

	"ambit/indexer/lazy"
	"ambit/vectors/record"
)

// laravel has the classes, the routes and the policies of Laravel. Controllers of Symfony look
// alike.
//
// Source: the documentation of Laravel on routing, controllers and authorization.
var laravel = &framework{
	classes: []class{
		{role: RoleController, kind: record.KindClass, bases: []string{"*Controller"}, directory: "Http/Controllers/", placed: true, acts: true,
			helpers: []string{"__construct", "__call", "middleware"}},
		{role: RoleModel, kind: record.KindClass, bases: []string{"Model", "Authenticatable", "Pivot"}, directory: "Models/", placed: true},
		{role: RoleMailer, kind: record.KindClass, bases: []string{"Mailable"}, directory: "Mail/", placed: true},
		{role: RoleJob, kind: record.KindClass, bases: []string{"ShouldQueue"}, directory: "Jobs/", placed: true},
		{role: RoleService, kind: record.KindClass, directory: "Services/", placed: true},
	},
	hooks: laravelHooks,
}

var (
	laravelResource = lazy.Regexp(`(?:\bRoute::|->)(api)?[rR]esource\(`)
	laravelVerb     = lazy.Regexp(`(?:\bRoute::|->)(?:get|post|put|patch|delete|options|any|match|fallback)\(`)
	laravelClass    = lazy.Regexp(`^(?:\\?([\w\\]+)::class|["']([\w\\]+)["'])$`)
	laravelAction   = lazy.Regexp(`["']([\w\\]+)@(\w+)["']`)
	laravelSome     = lazy.Regexp(`(?:->(?:only|except)|["'](?:only|except)["']\s*=>\s*)[(\[]`)
	laravelGroup    = lazy.Regexp(`^(?:["']namespace["']\s*=>\s*|namespace\(\s*)["']([\w\\]+)["']`)
	laravelAbility  = lazy.Regexp(`(?:->(?:authorize|can|cannot|cant)|\bGate::(?:authorize|allows|denies|check|inspect|any|none))\(\s*["']([\w-]+)["']\s*,\s*\[?\s*(?:\$(\w+)|\\?(?:\w+\\)*(\w+)::class)`)
)

// The actions of resources.
var (
	laravelActions    = strings.Fields("index create store show edit update destroy")
	laravelAPIActions = strings.Fields("index store show update destroy")
)

// laravelHooks reads what a file of PHP hands to Laravel: the actions that routes lead to, and the
// abilities about which the methods of policies decide.
func laravelHooks(_, text string) (refs []Ref) {
	if strings.Contains(text, "Route::") {
		refs = laravelRoutes(text)
	}
	if !strings.Contains(text, "authorize(") && !strings.Contains(text, "->ca") && !strings.Contains(text, "Gate::") {
		return refs
	}
	for _, m := range laravelAbility().FindAllStringSubmatchIndex(text, maxHooks) {
		var model string
		if m[4] >= 0 {
			model = phpParameterType(text[max(0, m[0]-maxDirectiveBytes):m[0]], text[m[4]:m[5]])
		} else {
			model = text[m[6]:m[7]]
		}
		if model != "" {
			refs = append(refs, laravelCall("App.Policies."+model+"Policy", camelMember(text[m[2]:m[3]]), m[2], m[3]))
		}
	}
	return refs
}

// laravelRoutes reads the routes: of a resource to the actions that it has, of a class alone to
// its __invoke, and those spelled "OrderController@show".
func laravelRoutes(text string) (refs []Ref) {
	groups := laravelGroups(text)
	for _, m := range laravelResource().FindAllStringSubmatchIndex(text, maxHooks) {
		class, at := laravelController(text, m[1]-1, groups)
		if class == "" {
			continue
		}
		actions := laravelActions
		if m[2] >= 0 {
			actions = laravelAPIActions
		}
		options, _, _ := strings.Cut(text[at.End:min(len(text), at.End+maxDirectiveBytes)], ";")
		for i, action := range laravelSomeOf(actions, options) {
			refs = append(refs, laravelCall(class, action, min(at.Start+i, at.End-1), at.End)) // of equal spans only one counts
		}
	}
	for _, m := range laravelVerb().FindAllStringIndex(text, maxHooks) {
		if class, at := laravelController(text, m[1]-1, nil); class != "" {
			refs = append(refs, laravelCall(class, "__invoke", at.Start, at.End))
		}
	}
	for _, m := range laravelAction().FindAllStringSubmatchIndex(text, maxHooks) {
		refs = append(refs, laravelCall(namespaceAt(groups, m[2]).controller(text[m[2]:m[3]]), text[m[4]:m[5]], m[4], m[5]))
	}
	return refs
}

// laravelNamespace is the namespace of the controllers that strings name from an offset of a file of
// routes on, with dots; "" outside of all groups with one.
type laravelNamespace struct {
	at   int
	name string
}

// laravelGroups returns the namespaces of the groups in a file of routes, in their order: each holds in
// the braces behind it.
func laravelGroups(text string) (all []laravelNamespace) {
	all = []laravelNamespace{{}}
	var around []string // of each open brace
	next := ""
	for i := 0; i < len(text) && len(all) < maxHooks; i++ {
		now := all[len(all)-1].name
		switch c := text[i]; c {
		case 'n', '"', '\'':
			if m := laravelGroup().FindStringSubmatchIndex(text[i:min(len(text), i+maxDirectiveBytes)]); m != nil {
				next = joinNamespace(now, text[i+m[2]:i+m[3]])
				i += m[1] - 1
			} else if c != 'n' {
				i += 1 + max(0, strings.IndexByte(text[i+1:], c))
			}
		case '/', '#':
			if c == '#' || strings.HasPrefix(text[i:], "//") {
				i += max(0, strings.IndexByte(text[i:], '\n'))
			}
		case '{':
			around = append(around, now)
			if next != "" {
				all = append(all, laravelNamespace{i, next})
			}
			next = ""
		case '}':
			if n := len(around); n > 0 {
				if around[n-1] != now {
					all = append(all, laravelNamespace{i, around[n-1]})
				}
				around = around[:n-1]
			}
		case ';':
			next = ""
		}
	}
	return all
}

// namespaceAt returns the namespace that holds at an offset of a file of routes.
func namespaceAt(groups []laravelNamespace, at int) laravelNamespace {
	i, _ := slices.BinarySearchFunc(groups, at, func(n laravelNamespace, at int) int { return cmp.Compare(n.at, at) })
	return groups[max(0, i-1)]
}

// controller returns the path of the controller that a string names there. Where no part of it
// says so, it is below the namespace that Laravel gives to all controllers.
func (n laravelNamespace) controller(name string) string {
	path := joinNamespace(n.name, name)
	if strings.Contains("."+path, ".Controllers.") || strings.HasPrefix(name, `\`) {
		return path
	}
	return "App.Http.Controllers." + path
}

// joinNamespace returns the path of a name in a namespace, with dots. A name that begins with "\"
// is outside of all.
func joinNamespace(namespace, name string) string {
	top, outside := strings.CutPrefix(name, `\`)
	path := strings.ReplaceAll(top, `\`, ".")
	if outside {
		return path
	}
	return join(namespace, path)
}

func laravelCall(class, method string, start, end int) Ref {
	return Ref{Name: method, Receiver: class, Kind: record.EdgeCalls, Span: record.Span{Start: start, End: end}, Decl: -1}
}

// laravelController returns the path of the class that a route names behind its address, and where that
// stands. A string names one only where there are groups. The "(" of the route stands at an
// offset of the text.
func laravelController(text string, open int, groups []laravelNamespace) (class string, at record.Span) {
	args := callArguments(text, open)
	for _, arg := range args[min(1, len(args)):] {
		part := strings.TrimSpace(text[arg.Start:arg.End])
		m := laravelClass().FindStringSubmatch(part)
		if m == nil || m[2] != "" && groups == nil {
			continue
		}
		class = joinNamespace("", m[1])
		if m[2] != "" {
			class = namespaceAt(groups, open).controller(m[2])
		}
		start := arg.Start + strings.Index(text[arg.Start:], part)
		return class, record.Span{Start: start, End: start + len(part)}
	}
	return "", at
}

// laravelSomeOf returns those of the actions of a resource that its options leave.
func laravelSomeOf(actions []string, options string) []string {
	for _, m := range laravelSome().FindAllStringIndex(options, -1) {
		end := closing(options, m[1]-1)
		if end < 0 {
			break
		}
		given, only := options[m[1]:end], strings.Contains(options[m[0]:m[1]], "only")
		actions = slices.DeleteFunc(slices.Clone(actions), func(action string) bool {
			named := strings.Contains(given, "'"+action+"'") || strings.Contains(given, `"`+action+`"`)
			return named != only
		})
	}
	return actions
}

// phpParameterType returns the last name of the class that the last declaration of a parameter in a text
// gives it, "" for none.
func phpParameterType(text, parameter string) string {
	for {
		at := strings.LastIndex(text, "$"+parameter)
		if at < 0 {
			return ""
		}
		behind := text[at+1+len(parameter):]
		text = text[:at]
		before := strings.TrimRight(text, " \t")
		start := len(before)
		for start > 0 && isWordByte(before[start-1]) {
			start--
		}
		if class := before[start:]; len(before) < at && class != "" && 'A' <= class[0] && class[0] <= 'Z' && (behind == "" || !isWordByte(behind[0])) {
			return class
		}
	}
}

// camelMember returns the name of the method for an ability: viewAny for "view-any".
func camelMember(ability string) string {
	first, rest, _ := strings.Cut(ability, "-")
	return first + camelize(strings.ReplaceAll(rest, "-", "_"))
}

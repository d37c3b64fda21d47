package languages

import (
	"strings"

	"ambit/indexer/lazy"
	"ambit/vectors/record"
)

// routeBlock is an open block of a file of routes.
type routeBlock struct {
	indent     int
	module     string // the modules around, "Admin.Shop"
	controller string // the path of the controller of the resource, "" outside of one
}

var (
	routeNamespace = lazy.Regexp(`^\s*namespace[ (]+["':]([\w/]+)`)
	routeModule    = lazy.Regexp(`\bmodule: *["':]([\w/]+)`)
	routeResource  = lazy.Regexp(`^\s*(resources?)[ (]+((?:["':][\w/]+["']?(?:, *)?)+)`)
	routeName      = lazy.Regexp(`["':]([\w/]+)`)
	routeOption    = lazy.Regexp(`\bcontroller: *["':](/?[\w/]+)`)
	routeTarget    = lazy.Regexp(`["'](/?[\w/]+)#(\w+[?!]?)["']`)
	routeMember    = lazy.Regexp(`^\s*(?:get|post|put|patch|delete|match)[ (]+((?:["':]\w+["']?(?:, *)?)+)`)
	routeOpens     = lazy.Regexp(`\bdo(?: *\|[^|]*\|)?\s*$`)
)

// rubyRoutes returns the references of a file of routes: to the controllers of resources, and
// to the actions that a route names. The indentation of lines tells the blocks.
//
// Source: the Rails guide on routing.
func rubyRoutes(text string) (refs []Ref, _ []routeImport) {
	var open []routeBlock
	for at := 0; at < len(text); {
		line, _, _ := strings.Cut(text[at:], "\n")
		start := at
		at += len(line) + 1
		code := strings.TrimLeft(line, " \t")
		if code == "" || code[0] == '#' {
			continue
		}
		indent := len(line) - len(code)
		for len(open) > 0 && open[len(open)-1].indent >= indent {
			open = open[:len(open)-1]
		}
		around := routeBlock{}
		if len(open) > 0 {
			around = open[len(open)-1]
		}
		here := around
		here.indent = indent
		refs = append(refs, here.line(line, start)...)
		if routeOpens().MatchString(line) {
			open = append(open, here)
		}
	}
	return refs, nil
}

// line returns the references of a line that starts at an offset, and enters the block that the
// line can open.
func (b *routeBlock) line(line string, start int) (refs []Ref) {
	add := func(name, receiver string, from, to int, kind record.EdgeKind) {
		refs = append(refs, Ref{Name: name, Receiver: receiver, Kind: kind, Span: record.Span{Start: start + from, End: start + to}, Decl: -1})
	}
	if m := routeNamespace().FindStringSubmatch(line); m != nil {
		b.module, b.controller = join(b.module, camelize(m[1])), ""
		return nil
	}
	if m := routeResource().FindStringSubmatchIndex(line); m != nil {
		outer := b.module
		if k := routeModule().FindStringSubmatch(line); k != nil {
			outer = join(outer, camelize(k[1]))
		}
		option := routeOption().FindStringSubmatch(line)
		for _, n := range routeName().FindAllStringSubmatchIndex(line[m[4]:m[5]], -1) {
			from, to := m[4]+n[2], m[4]+n[3]
			name := line[from:to]
			switch {
			case option != nil:
				name = option[1]
			case line[m[2]:m[3]] == "resource":
				name = plural(name)
			}
			b.controller = controllerPath(outer, name)
			receiver, class := CutLast(b.controller)
			add(class, receiver, from, to, record.EdgeType)
		}
		return refs
	}
	if m := routeModule().FindStringSubmatch(line); m != nil {
		b.module = join(b.module, camelize(m[1]))
	}
	targets := routeTarget().FindAllStringSubmatchIndex(line, -1)
	for _, m := range targets {
		add(line[m[4]:m[5]], controllerPath(b.module, line[m[2]:m[3]]), m[4], m[5], record.EdgeCalls)
	}
	if m := routeMember().FindStringSubmatchIndex(line); m != nil && len(targets) == 0 && b.controller != "" {
		for _, n := range routeName().FindAllStringSubmatchIndex(line[m[2]:m[3]], -1) {
			add(line[m[2]+n[2]:m[2]+n[3]], b.controller, m[2]+n[2], m[2]+n[3], record.EdgeCalls)
		}
	}
	return refs
}

// controllerPath returns the path of the controller with a name: Admin.OrdersController for
// "orders" in the module Admin. A name that starts with "/" is outside of all modules.
func controllerPath(module, name string) string {
	if top, ok := strings.CutPrefix(name, "/"); ok {
		module, name = "", top
	}
	return join(module, camelize(name)+"Controller")
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// plural returns the plural of a name, for the controller of a single resource.
func plural(name string) string {
	switch {
	case singular(name) != name:
		return name
	case strings.HasSuffix(name, "y") && !strings.ContainsAny(name[max(0, len(name)-2):len(name)-1], "aeiou"):
		return name[:len(name)-1] + "ies"
	case strings.HasSuffix(name, "s"), strings.HasSuffix(name, "x"), strings.HasSuffix(name, "ch"), strings.HasSuffix(name, "sh"):
		return name + "es"
	}
	return name + "s"
}

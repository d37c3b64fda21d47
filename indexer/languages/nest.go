package languages

import (
	"strings"

	"ambit/indexer/lazy"
	"ambit/vectors/record"
)

// nest has the classes of NestJS with the entities of TypeORM, and those of Angular.
//
// Source: the documentation of NestJS on controllers, providers and resolvers, and that of
// TypeORM on entities and relations.
var nest = &framework{
	classes: []class{
		{role: RoleModel, kind: record.KindClass, marks: []string{"Entity", "Schema", "ObjectType", "InputType"}, directives: nestModel},
		{role: RoleController, kind: record.KindClass, marks: []string{"Controller", "Resolver", "WebSocketGateway"}, acts: true,
			actions: []string{"Get", "Post", "Put", "Patch", "Delete", "Head", "Options", "All", "Sse", "Query", "Mutation", "Subscription", "ResolveField",
				"MessagePattern", "EventPattern", "GrpcMethod", "SubscribeMessage"}},
		{role: RoleJob, kind: record.KindClass, marks: []string{"Processor"}},
		{role: RoleComponent, kind: record.KindClass, marks: []string{"Component", "Directive"}},
		{role: RoleService, kind: record.KindClass, marks: []string{"Injectable"}},
	},
	read:  scriptDirective,
	route: nestRoute,
}

var nestModel = []directive{
	{"ManyToOne OneToMany OneToOne ManyToMany", PurposeAssociation},
	{"Column *Column Prop Field Index", PurposeField},
	{"BeforeInsert BeforeUpdate AfterLoad AfterInsert AfterUpdate", PurposeCallback},
	{"Is* Min* Max* Length Matches ValidateNested", PurposeValidation},
}

var (
	scriptRelation = lazy.Regexp(`@(ManyToOne|OneToMany|OneToOne|ManyToMany)\(\s*(?:\(?\w*\)?\s*=>\s*|["'])([A-Z]\w*)?`)
	scriptMember   = lazy.Regexp(`^(?:(?:public|private|protected|readonly|declare|static)\s+)*(\w+)`)
	nestVerb       = lazy.Regexp("@(Get|Post|Put|Patch|Delete|Head|Options|All|Sse)\\(\\s*(?:['\"`]([^'\"`]*))?")
	nestPath       = lazy.Regexp("@Controller\\(\\s*(?:\\{[^}]*?\\bpath:\\s*)?['\"`]([^'\"`]*)")
)

// scriptDirective reads a field with decorators: `@ManyToOne(() => User) author: User`. Its
// name is that of the decorator of a relation, else of the first one, and its argument the
// name of the field.
func scriptDirective(text string) arguments {
	var a arguments
	if m := scriptRelation().FindStringSubmatch(text); m != nil {
		a.name, a.target = m[1], m[2]
	} else if m := markName().FindStringSubmatch(text); m != nil {
		a.name = m[1]
	}
	rest := text
	for strings.HasPrefix(rest, "@") {
		rest = rest[1:]
		rest = rest[plainName(rest):]
		if strings.HasPrefix(rest, "(") {
			end := closing(rest, 0) + 1
			if end == 0 {
				break
			}
			rest = rest[end:]
		}
		rest = strings.TrimLeft(rest, " \t\r\n")
	}
	if m := scriptMember().FindStringSubmatch(rest); m != nil {
		a.plain, a.from = []string{m[1]}, len(text)-len(rest)
	}
	return a
}

// nestRoute returns the route of a method by the decorators of its class and its own: "GET
// users/:id".
func nestRoute(class, method string) string {
	verb := nestVerb().FindStringSubmatch(method)
	if verb == nil {
		return ""
	}
	path := ""
	if m := nestPath().FindStringSubmatch(class); m != nil {
		path = m[1]
	}
	path = strings.Trim(strings.Trim(path, "/")+"/"+strings.Trim(verb[2], "/"), "/")
	return strings.ToUpper(verb[1]) + " /" + path
}

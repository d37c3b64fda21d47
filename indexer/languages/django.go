package languages

import (
	"strings"

	"ambit/indexer/lazy"
	"ambit/vectors/record"
)

// django has the classes of Django, and the models of SQLAlchemy, which look alike.
//
// Source: the model field reference of Django and the declarative mapping of SQLAlchemy.
var django = &framework{
	classes: []class{
		{role: RoleModel, kind: record.KindClass, bases: []string{"models.Model", "Model", "*db.Model", "*MPTTModel", "AbstractUser", "AbstractBaseUser"}, directory: "models.py", directives: djangoModel},
		{role: RoleModel, kind: record.KindClass, directory: "models/", directives: djangoModel},
		{role: RoleController, kind: record.KindClass, bases: []string{"*APIView", "*ViewSet", "TemplateView", "ListView", "DetailView", "CreateView", "UpdateView", "DeleteView", "FormView"}, directory: "views.py", placed: true, except: errorClasses},
		{role: RoleController, kind: record.KindClass, directory: "views/", placed: true, except: errorClasses},
	},
	read:   pythonDirective,
	routes: djangoRoutes, routeFiles: []string{"urls.py", "*_urls.py", "urls/*.py"},
	hooks: djangoSignals,
}

var djangoModel = []directive{
	{"ForeignKey OneToOneField ManyToManyField GenericForeignKey GenericRelation ParentalKey ParentalManyToManyField *ForeignKey relationship", PurposeAssociation},
	{"Field PrivateAttr", ""}, // of other libraries
	{"*Field Column mapped_column", PurposeField},
	{"*Manager as_manager from_queryset", PurposeManager},
}

var (
	pythonAssigned = lazy.Regexp(`^(\w+)\s*(?::[^=\n]+)?=\s*([\w.]+)\(`)
	pythonOption   = lazy.Regexp(`^(\w+)\s*=\s*`)
	className      = lazy.Regexp(`^["']?(?:[\w.]*\.)?([A-Z]\w*[a-z]\w*)["']?$`)
)

// pythonDirective reads `customer = models.ForeignKey("shop.Customer", …)`: its name is that of
// the called class, and its argument the assigned name. The first argument of the call is the
// associated class.
func pythonDirective(text string) arguments {
	m := pythonAssigned().FindStringSubmatchIndex(text)
	if m == nil {
		return arguments{}
	}
	_, name := CutLast(text[m[4]:m[5]])
	a := arguments{name: name, plain: []string{text[m[2]:m[3]]}}
	for _, part := range rubyParts(text[m[5]:]) {
		option := pythonOption().FindString(part)
		if option != "" && strings.TrimRight(option, "= ") != "to" {
			continue
		}
		if c := className().FindStringSubmatch(part[len(option):]); c != nil {
			a.target = c[1]
		}
		break
	}
	return a
}

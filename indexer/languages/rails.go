package languages

import (
	"slices"

	"ambit/vectors/record"
)

// rails has the classes of Ruby on Rails.
//
// Source: the Rails guides on Active Record, Action Controller and Action Mailer.
var rails = &framework{
	classes: []class{
		{role: RoleModel, kind: record.KindClass, bases: []string{"ApplicationRecord", "ActiveRecord.Base"}, directory: "app/models/", directives: railsModel},
		{role: RoleMailer, kind: record.KindClass, bases: []string{"*Mailer", "ActionMailer.Base"}, directory: "app/mailers/", directives: railsFilters, acts: true},
		{role: RoleController, kind: record.KindClass, bases: []string{"*Controller", "ActionController.Base", "ActionController.API"}, directory: "app/controllers/", directives: railsFilters, acts: true},
		{role: RoleJob, kind: record.KindClass, bases: []string{"*Job", "*Worker", "ActiveJob.Base"}, directory: "app/jobs/", placed: true, except: errorClasses, directives: railsFilters},
		{role: RoleJob, kind: record.KindClass, directory: "app/workers/", placed: true, except: errorClasses, directives: railsFilters},
		{role: RoleService, kind: record.KindClass, bases: []string{"*Service"}, directory: "app/services/", placed: true, except: errorClasses, directives: railsFilters},
		{role: RoleComponent, kind: record.KindClass, bases: []string{"*Component", "ViewComponent.Base"}, directory: "app/components/", placed: true, except: errorClasses, directives: railsFilters},
		{role: RoleGraphQL, kind: record.KindClass, bases: graphQLBases, directory: "app/graphql/", directives: graphQL},
		{role: RoleMixin, kind: record.KindModule, bases: []string{"ActiveSupport.Concern"}, directory: "concerns/", placed: true, directives: railsConcern, wrapper: "included"},
	},
	read:    rubyDirective,
	schemas: []string{"db/schema.rb", "db/*_schema.rb"},
	tables:  rubyTables,
	tableOf: rubyTableOf,
	permits: rubyPermits,
	routes:  rubyRoutes, routeFiles: []string{"config/routes.rb", "config/routes/*.rb"},
	hooks: railsRenders, actionViews: actionViews,
}

// railsPages has what templates of Rails use.
var railsPages = &framework{hooks: railsRenders}

// errorClasses are the bases of classes of errors.
var errorClasses = []string{"*Error", "*Exception"}

// graphQLBases are the bases of classes of graphql-ruby: its own, and those that its generators
// write.
var graphQLBases = []string{"*GraphQL.Schema.Object", "*GraphQL.Schema.InputObject", "*GraphQL.Schema.Enum", "*GraphQL.Schema.Mutation", "*GraphQL.Schema.Resolver",
	"*BaseObject", "*BaseInputObject", "*BaseEnum", "*BaseMutation", "*BaseResolver", "*BaseUnion"}

// graphQL has the directives of the types, mutations and resolvers of graphql-ruby.
//
// Source: the guides of graphql-ruby on type definitions.
var graphQL = []directive{
	{"field connection_field global_id_field value possible_types", PurposeField},
	{"argument", PurposeArgument},
	{"implements include extend prepend", PurposeMixin},
	{"private protected", PurposePrivate},
}

var railsModel = []directive{
	{"belongs_to has_one has_many has_and_belongs_to_many has_one_attached has_many_attached has_rich_text delegated_type composed_of accepts_nested_attributes_for", PurposeAssociation},
	{"before_* after_* around_* skip_callback set_callback", PurposeCallback},
	{"validates validate validates_*", PurposeValidation},
	{"scope default_scope", PurposeScope},
	{"include extend prepend", PurposeMixin},
	{"private protected", PurposePrivate},
}

// railsConcern has the directives of concerns, of models and of controllers.
var railsConcern = slices.Concat([]directive{
	{"before_action around_action prepend_before_action prepend_around_action append_before_action append_around_action", PurposeFilter},
	{"skip_before_action skip_around_action", PurposeSkip},
}, railsModel[:4])

var railsFilters = []directive{
	{"before_* around_* prepend_before_* prepend_around_* append_before_* append_around_*", PurposeFilter},
	{"skip_before_* skip_around_*", PurposeSkip},
	{"after_* skip_after_* prepend_after_* append_after_*", PurposeCallback},
	{"include extend prepend", PurposeMixin},
	{"private protected", PurposePrivate},
}

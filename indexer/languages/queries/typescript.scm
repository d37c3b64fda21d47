; Imports and re-exports.
(import_statement (import_clause (identifier) @import.default) source: (_) @import.path)
(import_statement (import_clause (namespace_import (identifier) @import.alias)) source: (_) @import.path)
(import_statement (import_clause (named_imports (import_specifier name: (_) @import.name alias: (_)? @import.alias))) source: (_) @import.path)
(export_statement "default" @import.alias value: (identifier) @import.name) @export
(export_statement !source (export_clause (export_specifier name: (_) @import.name alias: (_)? @import.alias))) @export
(import_statement (import_require_clause (identifier) @import.alias source: (_) @import.path))
(export_statement "=" @import.alias . (identifier) @import.name) @export
(import_alias . (identifier) @name . (_) @value) @def.variable
(export_statement "*" @import.all source: (_) @import.path) @export
(export_statement (namespace_export (identifier) @import.alias) source: (_) @import.path) @export
(export_statement (export_clause (export_specifier name: (_) @import.name alias: (_)? @import.alias)) source: (_) @import.path) @export
(variable_declarator name: (identifier) @import.alias value: (call_expression function: (identifier) @_require arguments: (arguments . (string) @import.path))
  (#eq? @_require "require"))
(variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @import.name) value: (call_expression function: (identifier) @_require arguments: (arguments . (string) @import.path))
  (#eq? @_require "require"))
(variable_declarator name: (object_pattern (pair_pattern key: (_) @import.name value: (identifier) @import.alias)) value: (call_expression function: (identifier) @_require arguments: (arguments . (string) @import.path))
  (#eq? @_require "require"))

; Declarations.
(variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @name) value: (_) @owner) @def.variable
(variable_declarator name: (object_pattern (object_assignment_pattern left: (shorthand_property_identifier_pattern) @name)) value: (_) @owner) @def.variable
(variable_declarator name: (object_pattern (pair_pattern key: (_) @key value: (identifier) @name)) value: (_) @owner) @def.variable
(variable_declarator name: (object_pattern (pair_pattern key: (_) @key value: (assignment_pattern left: (identifier) @name))) value: (_) @owner) @def.variable
(variable_declarator name: (array_pattern (identifier) @name)) @def.variable
(variable_declarator name: (array_pattern . (identifier) @name) value: (_) @value) @def.variable
(variable_declarator name: (array_pattern . (_) . (identifier) @name) value: (_) @value.1) @def.variable
(variable_declarator value: (object (spread_element (identifier) @spread)))
(variable_declarator value: (object (spread_element (member_expression) @spread)))
(variable_declarator name: (identifier) @name type: (_)? @type value: (_)? @value) @def.variable
(variable_declarator name: (identifier) @name value: (as_expression (_) . (_) @type)) @def.variable
(function_declaration name: (identifier) @name return_type: (_)? @type body: (_) @body) @def.function
(generator_function_declaration name: (identifier) @name return_type: (_)? @type body: (_) @body) @def.function
(function_signature name: (identifier) @name return_type: (_)? @type) @def.function
(variable_declarator name: (identifier) @name value: (arrow_function return_type: (_)? @type body: (_) @body)) @def.function
(variable_declarator name: (identifier) @name value: (function_expression return_type: (_)? @type body: (_) @body)) @def.function
(class_declaration name: (type_identifier) @name body: (_) @body) @def.class
(abstract_class_declaration name: (type_identifier) @name body: (_) @body) @def.class
(interface_declaration name: (type_identifier) @name body: (_) @body) @def.interface
(type_alias_declaration name: (type_identifier) @name value: (_) @type) @def.type
(enum_declaration name: (identifier) @name body: (_) @body) @def.enum
(enum_body (property_identifier) @name @def.field)
(enum_assignment name: (_) @name) @def.field
(internal_module name: (_) @name body: (_) @body) @def.module
(module name: (_) @name body: (_)? @body) @def.module
(ambient_declaration "global" @name (statement_block) @body) @def.module
(method_definition name: (_) @name return_type: (_)? @type body: (_) @body) @def.method
(abstract_method_signature name: (_) @name return_type: (_)? @type) @def.method
(method_signature name: (_) @name return_type: (_)? @type) @def.method
(property_signature name: (_) @name type: (_)? @type) @def.field
(public_field_definition name: (_) @name type: (_)? @type value: (_)? @value) @def.field
(public_field_definition name: (_) @name value: (arrow_function return_type: (_)? @type body: (_) @body)) @def.method
(required_parameter (accessibility_modifier) pattern: (identifier) @name type: (_)? @type) @def.field
(pair key: (property_identifier) @name value: (arrow_function return_type: (_)? @type body: (_) @body)) @def.method
(pair key: (property_identifier) @name value: (function_expression return_type: (_)? @type body: (_) @body)) @def.method
(assignment_expression left: (member_expression object: (this) @container property: (property_identifier) @name) right: (_) @value) @def.field
(export_statement (function_expression name: (identifier) @name body: (_) @body)) @def.function
(call_expression function: (identifier) @_case arguments: (arguments . (string) @name . [(arrow_function body: (_) @body) (function_expression body: (_) @body)])
  (#any-of? @_case "it" "test" "describe" "suite" "bench" "context" "specify")) @def.test
(extends_clause value: (_) @base)
(implements_clause (_) @base)
(extends_type_clause type: (_) @base)
(type_alias_declaration value: (intersection_type (_) @base))

; Locals.
(required_parameter pattern: (identifier) @local type: (_)? @type)
(optional_parameter pattern: (identifier) @local type: (_)? @type)
(required_parameter pattern: (rest_pattern (identifier) @local) type: (_)? @type)
(arrow_function parameter: (identifier) @local)
(rest_pattern (identifier) @local)
(shorthand_property_identifier_pattern) @local
(pair_pattern value: (identifier) @local)
(pair_pattern value: (assignment_pattern left: (identifier) @local))
(array_pattern (identifier) @local)
(catch_clause parameter: (identifier) @local)
(for_in_statement left: (identifier) @local right: (_) @value)
(type_parameter name: (type_identifier) @local)
(function_expression name: (identifier) @local)
(function_expression) @scope.function
(function_type) @scope
(arrow_function) @scope.function
(statement_block) @scope
(for_statement) @scope
(for_in_statement) @scope
(catch_clause) @scope
(method_signature) @scope
(call_signature) @scope
(construct_signature) @scope
(required_parameter pattern: (object_pattern (shorthand_property_identifier_pattern) @local) type: (_) @owner)
(required_parameter pattern: (object_pattern (object_assignment_pattern left: (shorthand_property_identifier_pattern) @local)) type: (_) @owner)
(required_parameter pattern: (object_pattern (pair_pattern key: (_) @key value: (identifier) @local)) type: (_) @owner)
(call_expression function: (member_expression object: (_) @value property: (_) @_each) arguments: (arguments . (arrow_function parameter: (identifier) @local))
  (#any-of? @_each "map" "filter" "forEach" "find" "findLast" "findIndex" "some" "every" "flatMap" "sort"))
(call_expression function: (member_expression object: (_) @value property: (_) @_each) arguments: (arguments . (arrow_function parameters: (formal_parameters . (required_parameter pattern: (identifier) @local !type))))
  (#any-of? @_each "map" "filter" "forEach" "find" "findLast" "findIndex" "some" "every" "flatMap" "sort"))
; The type of a parameter is told by what the function is passed to, or by the type that it is written for.
(call_expression function: (_) @callee arguments: (arguments [
  (arrow_function parameter: (identifier) @local)
  (arrow_function parameters: (formal_parameters (required_parameter pattern: (identifier) @local !type)))
  (arrow_function parameters: (formal_parameters (required_parameter pattern: (object_pattern (shorthand_property_identifier_pattern) @local) !type)))
  (function_expression parameters: (formal_parameters (required_parameter pattern: (identifier) @local !type)))]))
(variable_declarator type: (_) @signature value: (arrow_function parameters: (formal_parameters (required_parameter pattern: [(identifier) @local (object_pattern (shorthand_property_identifier_pattern) @local)] !type))))
(function_declaration return_type: (_) @signature body: (statement_block (return_statement [(arrow_function parameters: (formal_parameters (required_parameter pattern: (identifier) @local !type))) (function_expression parameters: (formal_parameters (required_parameter pattern: (identifier) @local !type)))])))
(method_definition return_type: (_) @signature body: (statement_block (return_statement [(arrow_function parameters: (formal_parameters (required_parameter pattern: (identifier) @local !type))) (function_expression parameters: (formal_parameters (required_parameter pattern: (identifier) @local !type)))])))
(if_statement condition: (parenthesized_expression (binary_expression left: (identifier) @narrow operator: "instanceof" right: (_) @type)) consequence: (_) @within)

; What functions return.
(return_statement [(identifier) (new_expression) (call_expression) (member_expression) (this) (await_expression)] @result)
(variable_declarator value: (arrow_function body: [(new_expression) (call_expression)] @result))
(pair value: (arrow_function body: [(new_expression) (call_expression)] @result))

; Uses.
(identifier) @ref.read
(type_identifier) @ref.type
(nested_type_identifier) @ref.type
(shorthand_property_identifier) @ref.read
(member_expression) @ref.read
(call_expression function: (identifier) @ref.call)
(call_expression function: (member_expression) @ref.call)
(new_expression constructor: (identifier) @ref.new)
(new_expression constructor: (member_expression) @ref.new)
(type_query (identifier) @ref.type)
(type_query (member_expression) @ref.type)

(public_field_definition decorator: (decorator)) @directive

(comment) @comment
(decorator) @comment
(ERROR) @error

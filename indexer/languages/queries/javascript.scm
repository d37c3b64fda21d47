; Imports and re-exports.
(import_statement (import_clause (identifier) @import.default) source: (_) @import.path)
(import_statement (import_clause (namespace_import (identifier) @import.alias)) source: (_) @import.path)
(import_statement (import_clause (named_imports (import_specifier name: (_) @import.name alias: (_)? @import.alias))) source: (_) @import.path)
(export_statement "default" @import.alias value: (identifier) @import.name) @export
(export_statement !source (export_clause (export_specifier name: (_) @import.name alias: (_)? @import.alias))) @export
(export_statement (namespace_export (identifier) @import.alias) source: (_) @import.path) @export
(export_statement "*" @import.all source: (_) @import.path) @export
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
(variable_declarator name: (identifier) @name value: (_)? @value) @def.variable
(function_declaration name: (identifier) @name body: (_) @body) @def.function
(generator_function_declaration name: (identifier) @name body: (_) @body) @def.function
(variable_declarator name: (identifier) @name value: [(function_expression body: (_) @body) (arrow_function body: (_) @body) (generator_function body: (_) @body)]) @def.function
(class_declaration name: (identifier) @name body: (_) @body) @def.class
(variable_declarator name: (identifier) @name value: (class body: (_) @body)) @def.class
(export_statement declaration: (function_declaration name: (identifier) @name body: (_) @body)) @def.function
(export_statement declaration: (class_declaration name: (identifier) @name body: (_) @body)) @def.class
(method_definition name: (_) @name body: (_) @body) @def.method
(field_definition property: (_) @name value: (_)? @value) @def.field
(field_definition property: (_) @name value: [(function_expression body: (_) @body) (arrow_function body: (_) @body)]) @def.method
(pair key: (property_identifier) @name value: [(function_expression body: (_) @body) (arrow_function body: (_) @body)]) @def.method
(assignment_expression left: (member_expression object: (this) @container property: (property_identifier) @name) right: (_) @value) @def.field
(assignment_expression left: (member_expression object: (identifier) @_exports property: (property_identifier) @name) right: (class body: (_) @body)
  (#eq? @_exports "exports")) @def.class
(assignment_expression left: (member_expression object: (member_expression) @_exports property: (property_identifier) @name) right: [(function_expression body: (_) @body) (arrow_function body: (_) @body)]
  (#eq? @_exports "module.exports")) @def.function
(assignment_expression left: (member_expression object: (member_expression object: (identifier) @container property: (property_identifier) @_prototype) property: (property_identifier) @name) right: [(function_expression body: (_) @body) (arrow_function body: (_) @body)]
  (#eq? @_prototype "prototype")) @def.method
(call_expression function: (identifier) @_case arguments: (arguments . (string) @name . [(arrow_function body: (_) @body) (function_expression body: (_) @body)])
  (#any-of? @_case "it" "test" "describe" "suite" "bench" "context" "specify")) @def.test
(class_heritage (_) @base)

; Locals.
(formal_parameters (identifier) @local)
(formal_parameters (assignment_pattern left: (identifier) @local right: (_) @value))
(arrow_function parameter: (identifier) @local)
(rest_pattern (identifier) @local)
(shorthand_property_identifier_pattern) @local
(object_assignment_pattern left: (shorthand_property_identifier_pattern) @local)
(pair_pattern value: (identifier) @local)
(pair_pattern value: (assignment_pattern left: (identifier) @local))
(array_pattern (identifier) @local)
(catch_clause parameter: (identifier) @local)
(for_in_statement left: (identifier) @local right: (_) @value)
(function_expression name: (identifier) @local)
(function_expression) @scope.function
(arrow_function) @scope.function
(statement_block) @scope
(for_statement) @scope
(for_in_statement) @scope
(catch_clause) @scope
(call_expression function: (member_expression object: (_) @value property: (_) @_each) arguments: (arguments . (arrow_function parameter: (identifier) @local))
  (#any-of? @_each "map" "filter" "forEach" "find" "findLast" "findIndex" "some" "every" "flatMap" "sort"))
(call_expression function: (member_expression object: (_) @value property: (_) @_each) arguments: (arguments . (arrow_function parameters: (formal_parameters . (identifier) @local)))
  (#any-of? @_each "map" "filter" "forEach" "find" "findLast" "findIndex" "some" "every" "flatMap" "sort"))
(call_expression function: (member_expression object: (_) @value property: (_) @_each) arguments: (arguments . (function_expression parameters: (formal_parameters . (identifier) @local)))
  (#any-of? @_each "map" "filter" "forEach" "find" "findLast" "findIndex" "some" "every" "flatMap" "sort"))
(if_statement condition: (parenthesized_expression (binary_expression left: (identifier) @narrow operator: "instanceof" right: (_) @type)) consequence: (_) @within)

; What functions return.
(return_statement [(identifier) (new_expression) (call_expression) (member_expression) (this) (await_expression)] @result)
(variable_declarator value: (arrow_function body: [(new_expression) (call_expression)] @result))
(pair value: (arrow_function body: [(new_expression) (call_expression)] @result))

; Uses.
(identifier) @ref.read
(shorthand_property_identifier) @ref.read
(member_expression) @ref.read
(call_expression function: (identifier) @ref.call)
(call_expression function: (member_expression) @ref.call)
(new_expression constructor: (identifier) @ref.new)
(new_expression constructor: (member_expression) @ref.new)

(comment) @comment
(ERROR) @error

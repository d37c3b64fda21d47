; Packages and imports.
(package_clause name: (package_identifier) @package)
(package_object name: (identifier) @package)
(import_declaration) @import.tree
(export_declaration) @import.tree

; Declarations.
(class_definition name: (_) @name body: (template_body)? @body) @def.class
(trait_definition name: (_) @name body: (template_body)? @body) @def.interface
(object_definition name: (_) @name body: (template_body)? @body) @def.class
(enum_definition name: (_) @name body: (enum_body) @body) @def.enum
(package_object name: (_) @name body: (template_body)? @body) @def.module
(simple_enum_case name: (_) @name) @def.field
(full_enum_case name: (_) @name) @def.field
(type_definition name: (_) @name) @def.type
(type_definition name: (_) @name "=" . (_) @type) @def.type
(function_definition name: (_) @name body: (_) @body) @def.function
(function_definition name: (_) @name return_type: (_) @type) @def.function
(function_declaration name: (_) @name) @def.function
(function_declaration name: (_) @name return_type: (_) @type) @def.function
(extension_definition (parameters . (parameter type: [(type_identifier) (generic_type) (stable_type_identifier)] @container)) (function_definition name: (_) @name) @def.function)
(val_definition pattern: [(identifier) (operator_identifier)] @name) @def.field
(val_definition pattern: (identifier) @name type: (_) @type) @def.field
(val_definition pattern: (identifier) @name . "=" . (_) @value) @def.field
(val_definition pattern: (identifiers (identifier) @name)) @def.field
(val_definition pattern: (tuple_pattern (identifier) @name)) @def.field
(val_definition pattern: (case_class_pattern pattern: (identifier) @name)) @def.field
(val_declaration name: (_) @name type: (_) @type) @def.field
(var_definition pattern: (identifier) @name) @def.field
(var_definition pattern: (identifier) @name type: (_) @type) @def.field
(var_definition pattern: (identifier) @name . "=" . (_) @value) @def.field
(var_declaration name: (_) @name type: (_) @type) @def.field
(given_definition name: (_) @name return_type: (_) @type) @def.field
(given_definition name: (_) @name body: (with_template_body) @body) @def.class
(given_definition name: (_) @name return_type: (_) @base "with") @def.class
(class_parameter ["val" "var"] name: (_) @name type: (_) @type) @def.field
(class_definition "case" name: (_) (type_parameters)? . (class_parameters (class_parameter name: (_) @name type: (_) @type) @def.field))
(call_expression function: (call_expression function: (identifier) @_test arguments: (arguments . (string) @name)) arguments: (block) @body (#any-of? @_test "test" "testAsync" "property" "describe" "it")) @def.test
(extends_clause type: [(type_identifier) (stable_type_identifier)] @base)
(extends_clause type: (generic_type type: (_) @base))
(extends_clause (compound_type [(type_identifier) (stable_type_identifier)] @base))
(extends_clause (compound_type (generic_type type: (_) @base)))

; Locals.
(parameter name: (_) @local type: (_) @type)
(parameter name: (_) @local type: (lazy_parameter_type type: (_) @type))
(class_parameter name: (_) @local type: (_) @type)
(class_parameter name: (_) @local type: (lazy_parameter_type type: (_) @type))
(binding name: (_) @local)
(binding name: (_) @local type: (_) @type)
(lambda_expression parameters: (identifier) @local)
(colon_argument (identifier) @local "=>")
(enumerator . (identifier) @local . (_) @value)
(enumerator . (tuple_pattern (identifier) @local))
(case_clause pattern: (identifier) @local)
(capture_pattern name: (identifier) @local)
(capture_pattern name: (identifier) @local (case_class_pattern type: (_) @type))
(typed_pattern pattern: (identifier) @local type: (_) @type)
(case_class_pattern pattern: (identifier (#match? @local "^[a-z]")) @local)
(tuple_pattern (identifier (#match? @local "^[a-z]")) @local)
(infix_pattern left: (identifier (#match? @local "^[a-z]")) @local)
(infix_pattern right: (identifier (#match? @local "^[a-z]")) @local)
(self_type (identifier) @local)
(self_type (identifier) @local (_) @type)
(type_parameters name: (identifier) @local)
(covariant_type_parameter name: (identifier) @local)
(contravariant_type_parameter name: (identifier) @local)
(call_expression function: (field_expression value: (_) @value field: (identifier) @_each) arguments: (arguments . (lambda_expression parameters: (identifier) @local))
  (#any-of? @_each "map" "flatMap" "foreach" "filter" "exists" "forall" "find" "collect" "withFilter" "filterNot" "traverse" "count" "partition" "sortBy" "groupBy"))
(block) @scope
(indented_block) @scope
(case_clause) @scope
(for_expression) @scope
(lambda_expression) @scope.function
(extension_definition) @scope
(given_definition) @scope

; What functions return.
(function_definition body: [(call_expression) (field_expression) (identifier) (instance_expression)] @result)
(block [(call_expression) (field_expression) (identifier) (instance_expression)] @result .)
(indented_block [(call_expression) (field_expression) (identifier) (instance_expression)] @result .)

; Uses.
(identifier) @ref.read
(type_identifier) @ref.type
(stable_type_identifier (_) @recv . (type_identifier) @ref.type .)
(field_expression value: (_) @recv field: (_) @ref.read)
(call_expression function: (identifier) @ref.call)
(call_expression function: (field_expression value: (_) @recv field: (_) @ref.call))
(call_expression function: (generic_function function: (identifier) @ref.call))
(call_expression function: (generic_function function: (field_expression value: (_) @recv field: (_) @ref.call)))
(infix_expression left: (_) @recv operator: (_) @ref.call)
(instance_expression . (type_identifier) @ref.new)
(instance_expression . (generic_type type: (type_identifier) @ref.new))
(case_class_pattern type: (type_identifier) @ref.call)
(arguments (assignment_expression left: (identifier) @skip))
(access_qualifier (identifier) @skip)
(interpolated_string_expression interpolator: (identifier) @skip)
(package_identifier (identifier) @skip)

(comment) @comment
(block_comment) @comment
(ERROR) @error

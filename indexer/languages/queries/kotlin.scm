; Package and imports.
(package_header (qualified_identifier) @package)
(import . (qualified_identifier) @import.path "*" @import.all)
(import . (qualified_identifier) @import.path .)
(import . (qualified_identifier) @import.path . (identifier) @import.alias)

; Declarations.
(class_declaration "class" name: (_) @name (class_body)? @body) @def.class
(class_declaration "interface" name: (_) @name (class_body)? @body) @def.interface
(class_declaration name: (_) @name (enum_class_body) @body) @def.enum
(object_declaration name: (_) @name (class_body)? @body) @def.class
(companion_object name: (_) @name (class_body)? @body) @def.class
(class_parameter ["val" "var"] (identifier) @name . (_) @type) @def.field
(enum_entry . (identifier) @name) @def.field
(enum_entry (modifiers) . (identifier) @name) @def.field
(function_declaration name: (_) @name (function_body)? @body) @def.function
(function_declaration name: (_) @name (function_value_parameters) . [(user_type) (nullable_type) (function_type) (parenthesized_type)] @type) @def.function
(function_declaration (user_type) @container . name: (_) @name) @def.function
(function_declaration (nullable_type) @container . name: (_) @name) @def.function
(secondary_constructor "constructor" @name (block)? @body) @def.method
(property_declaration (variable_declaration . (identifier) @name . (_)? @type)) @def.field
(property_declaration (variable_declaration . (identifier) @name .) . [(call_expression) (navigation_expression) (identifier)] @value) @def.field
(property_declaration (user_type) @container (variable_declaration . (identifier) @name . (_)? @type)) @def.field
(property_declaration (multi_variable_declaration (variable_declaration . (identifier) @name))) @def.field
(property_declaration (variable_declaration . (identifier) @name .) (property_delegate (call_expression (identifier) @_lazy (annotated_lambda (lambda_literal (_) @value .)))) (#eq? @_lazy "lazy")) @def.field
(type_alias type: (identifier) @name) @def.type
(class_declaration (delegation_specifiers (delegation_specifier (user_type) @base)))
(class_declaration (delegation_specifiers (delegation_specifier (constructor_invocation . (user_type) @base))))
(class_declaration (delegation_specifiers (delegation_specifier (explicit_delegation . (user_type) @base))))
(object_declaration (delegation_specifiers (delegation_specifier (user_type) @base)))
(object_declaration (delegation_specifiers (delegation_specifier (constructor_invocation . (user_type) @base))))

; Locals.
(class_parameter (identifier) @local . (_) @type)
(parameter . (identifier) @local . (_)? @type)
(lambda_parameters (variable_declaration . (identifier) @local . (_)? @type))
(lambda_parameters (multi_variable_declaration (variable_declaration . (identifier) @local)))
(for_statement (variable_declaration . (identifier) @local) . (_) @value)
(for_statement (multi_variable_declaration (variable_declaration . (identifier) @local)))
(catch_block . (identifier) @local . (_) @type)
(when_subject (variable_declaration . (identifier) @local) . (_) @value)
(type_parameter (identifier) @local)
(setter (identifier) @local)
(call_expression (navigation_expression (_) @value . (identifier) @_each .) (annotated_lambda (lambda_literal (lambda_parameters . (variable_declaration . (identifier) @local .))))
  (#any-of? @_each "let" "also" "map" "filter" "forEach" "first" "firstOrNull" "any" "all" "none" "find" "flatMap" "mapNotNull" "onEach" "associateBy" "groupBy" "sortedBy"))
(if_expression condition: (is_expression left: (identifier) @narrow right: (_) @type) . (_) @within)
(block) @scope
(lambda_literal) @scope.function
(anonymous_function) @scope.function
(for_statement) @scope
(catch_block) @scope
(when_expression) @scope
(function_body) @scope

; What functions return.
(function_body . [(call_expression) (navigation_expression) (identifier)] @result .)
(return_expression [(call_expression) (navigation_expression) (identifier)] @result)

; Uses.
(identifier) @ref.read
(user_type (identifier) @ref.type .)
(navigation_expression (_) @recv . (identifier) @ref.read .)
(call_expression . (identifier) @ref.call)
(call_expression . (navigation_expression (_) @recv . (identifier) @ref.call .))
(callable_reference (identifier) @ref.call .)
(value_argument . (identifier) @skip "=")
(this_expression (identifier) @skip)
(label) @skip
(annotation (user_type (identifier) @ref.type .))
(annotation (constructor_invocation (user_type (identifier) @ref.type .)))

(line_comment) @comment
(block_comment) @comment
(ERROR) @error

; Namespaces and imports.
(namespace_definition name: (_) @package)
(namespace_use_declaration (namespace_use_clause . [(name) (qualified_name)] @import.path alias: (name)? @import.alias))
(namespace_use_declaration (namespace_name) @import.path body: (namespace_use_group (namespace_use_clause . [(name) (qualified_name)] @import.name alias: (name)? @import.alias)))
(require_expression (string (string_content) @import.path))
(require_once_expression (string (string_content) @import.path))
(include_expression (string (string_content) @import.path))
(include_once_expression (string (string_content) @import.path))
(require_expression (binary_expression right: (string (string_content) @import.path)))
(require_once_expression (binary_expression right: (string (string_content) @import.path)))
(include_expression (binary_expression right: (string (string_content) @import.path)))
(include_once_expression (binary_expression right: (string (string_content) @import.path)))

; Declarations.
(class_declaration name: (_) @name body: (_) @body) @def.class
(interface_declaration name: (_) @name body: (_) @body) @def.interface
(trait_declaration name: (_) @name body: (_) @body) @def.interface
(enum_declaration name: (_) @name body: (_) @body) @def.enum
(enum_case name: (_) @name) @def.field
(method_declaration name: (_) @name return_type: (_)? @type body: (_)? @body) @def.method
(function_definition name: (_) @name return_type: (_)? @type body: (_) @body) @def.function
(const_declaration (const_element . (name) @name)) @def.constant
(property_declaration type: (_)? @type (property_element name: (_) @name default_value: (_)? @value)) @def.field
(property_declaration type: (_)? @type (property_element name: (_) @name) (property_hook_list) @body) @def.field
(property_promotion_parameter type: (_)? @type name: (variable_name) @name) @def.field
(function_call_expression function: (name) @_define arguments: (arguments . (argument (string (string_content) @name))) (#eq? @_define "define")) @def.constant
(base_clause [(name) (qualified_name)] @base)
(class_interface_clause [(name) (qualified_name)] @base)
(use_declaration [(name) (qualified_name)] @base)

; Locals.
(simple_parameter type: (_)? @type name: (variable_name) @local)
(variadic_parameter type: (_)? @type name: (variable_name) @local)
(property_promotion_parameter type: (_)? @type name: (variable_name) @local)
(assignment_expression left: (variable_name) @local)
(assignment_expression left: (variable_name) @local right: [(object_creation_expression) (member_call_expression) (nullsafe_member_call_expression) (scoped_call_expression) (member_access_expression) (nullsafe_member_access_expression)
  (scoped_property_access_expression) (class_constant_access_expression) (function_call_expression) (subscript_expression) (variable_name)] @value)
(assignment_expression left: (variable_name) @local right: (clone_expression (_) @value))
(list_literal (variable_name) @local)
(foreach_statement . (_) @value . (variable_name) @local)
(foreach_statement . (_) @value . (pair (_) . (variable_name) @local))
(foreach_statement (pair . (variable_name) @local))
(foreach_statement (by_ref (variable_name) @local))
(catch_clause type: (type_list . (_) @type) name: (variable_name) @local)
(static_variable_declaration name: (variable_name) @local)
(global_declaration (variable_name) @local)
(if_statement condition: (parenthesized_expression (binary_expression left: (variable_name) @narrow "instanceof" right: (_) @type)) body: (_) @within)
(anonymous_function) @scope.function
(arrow_function) @scope.function

; What functions return.
(return_statement [(variable_name) (object_creation_expression) (member_call_expression) (scoped_call_expression) (member_access_expression) (function_call_expression)] @result)

; Uses.
(named_type (name) @ref.type (#not-any-of? @ref.type "self" "static" "parent"))
(qualified_name prefix: (namespace_name)? @recv (name) @ref.type .)
(attribute (name) @ref.type)
(object_creation_expression . (name) @ref.new (#not-any-of? @ref.new "self" "static" "parent"))
(object_creation_expression . (qualified_name prefix: (namespace_name)? @recv (name) @ref.new .))
(function_call_expression function: (name) @ref.call)
(function_call_expression function: (qualified_name prefix: (namespace_name)? @recv (name) @ref.call .))
(member_call_expression object: (_) @recv name: (name) @ref.call)
(nullsafe_member_call_expression object: (_) @recv name: (name) @ref.call)
(scoped_call_expression scope: (_) @recv name: (name) @ref.call)
(scoped_call_expression scope: (name) @ref.type)
(member_access_expression object: (_) @recv name: (name) @ref.read)
(nullsafe_member_access_expression object: (_) @recv name: (name) @ref.read)
(scoped_property_access_expression scope: (_) @recv name: (variable_name (name) @ref.read))
(scoped_property_access_expression scope: (name) @ref.type)
(class_constant_access_expression . (_) @recv . (name) @ref.read .)
(class_constant_access_expression . (name) @ref.type)
(binary_expression "instanceof" right: (name) @ref.type)
(binary_expression left: (name) @ref.read)
(binary_expression right: (name) @ref.read)
(argument !name (name) @ref.read .)
(argument name: (name) (name) @ref.read .)
(return_statement (name) @ref.read)
(assignment_expression right: (name) @ref.read)
(array_element_initializer (name) @ref.read)
(conditional_expression (name) @ref.read)
(property_element default_value: (name) @ref.read)
(simple_parameter default_value: (name) @ref.read)
(const_element (_) . (name) @ref.read)
(use_as_clause . (name) @ref.member)

; Callables: [Order::class, "cancel"] and [$this, "cancel"].
(array_creation_expression . (array_element_initializer (class_constant_access_expression . (_) @recv . (name) @_class .)) . (array_element_initializer (string (string_content) @ref.call)) . (#eq? @_class "class"))
(array_creation_expression . (array_element_initializer (class_constant_access_expression . (_) @recv . (name) @_class .)) . (array_element_initializer (encapsed_string . (string_content) @ref.call .)) . (#eq? @_class "class"))
(array_creation_expression . (array_element_initializer (variable_name) @recv) . (array_element_initializer (string (string_content) @ref.call)) . (#eq? @recv "$this"))

(comment) @comment
(ERROR) @error

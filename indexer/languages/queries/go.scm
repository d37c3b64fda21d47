; Package and imports.
(package_clause (package_identifier) @package)
(import_spec name: (_)? @import.alias path: (_) @import.path)

; Declarations.
(function_declaration name: (identifier) @name result: (_)? @type body: (_)? @body) @def.function
(method_declaration receiver: (parameter_list (parameter_declaration type: (_) @container)) name: (field_identifier) @name result: (_)? @type body: (_)? @body) @def.method
(type_spec name: (type_identifier) @name) @def.type
(type_spec name: (type_identifier) @name type: [(type_identifier) (qualified_type) (pointer_type) (slice_type) (array_type) (map_type)] @type) @def.type
(type_alias name: (type_identifier) @name type: (_) @type) @def.type
(type_spec name: (type_identifier) @name type: (struct_type (field_declaration_list) @body)) @def.struct
(type_spec name: (type_identifier) @name type: (interface_type) @body) @def.interface
(field_declaration name: (field_identifier) @name type: (_) @type) @def.field
(method_elem name: (field_identifier) @name result: (_)? @type) @def.method
(const_spec name: (identifier) @name type: (_)? @type value: (expression_list . (_) @value)?) @def.constant
(var_spec name: (identifier) @name type: (_)? @type value: (expression_list . (_) @value)?) @def.variable
(var_spec name: (identifier) @name value: (expression_list . (call_expression arguments: (argument_list . (func_literal result: (_) @type))))) @def.variable

; Embedded types.
(field_declaration !name type: (_) @base)
(interface_type (type_elem . (type_identifier) @base .))
(interface_type (type_elem . (qualified_type) @base .))

; Locals.
(parameter_declaration name: (identifier) @local type: (_) @type)
(variadic_parameter_declaration name: (identifier) @local type: (_) @type)
(type_parameter_declaration name: (identifier) @local)
(short_var_declaration left: (expression_list . (identifier) @local) right: (expression_list . (_) @value))
(short_var_declaration left: (expression_list . (_) . (identifier) @local) right: (expression_list . (call_expression) @value.1 .))
(short_var_declaration left: (expression_list . (_) . (identifier) @local) right: (expression_list . (_) . (_) @value))
(short_var_declaration left: (expression_list (_) (_) (identifier) @local))
(short_var_declaration left: (expression_list . (identifier) @local) right: (expression_list . (type_assertion_expression type: (_) @type)))
(range_clause left: (expression_list (identifier) @local) right: (_) @value)
(receive_statement left: (expression_list (identifier) @local))
(type_switch_statement alias: (expression_list (identifier) @local))
(type_switch_statement alias: (expression_list (identifier) @narrow) (type_case type: (_) @type) @within)
(func_literal) @scope
(block) @scope
(if_statement) @scope
(for_statement) @scope
(expression_case) @scope
(type_case) @scope
(communication_case) @scope

; Uses.
(identifier) @ref.read
(type_identifier) @ref.type
(qualified_type) @ref.type
(selector_expression) @ref.read
(call_expression function: (identifier) @ref.call)
(call_expression function: (selector_expression) @ref.call)
(composite_literal type: (type_identifier) @ref.new)
(composite_literal type: (qualified_type) @ref.new)
(composite_literal type: (slice_type element: (type_identifier) @ref.new))
(keyed_element . (literal_element (identifier) @ref.member))

(comment) @comment
(ERROR) @error

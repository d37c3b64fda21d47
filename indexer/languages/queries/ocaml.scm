; Imports.
(open_module (module_path) @import.path @import.all)
(include_module (module_path) @import.path @import.all @export)
(include_module_type (module_type_path) @import.path @import.all @export)
(module_binding name: (module_name) @import.alias body: (module_path) @import.path)
(let_open_expression (open_module (module_path) @import.path @import.all))

; Declarations.
(compilation_unit (value_definition (let_binding pattern: [(value_name) (parenthesized_operator)] @name body: (_)? @body) @def.variable) (#not-eq? @name "_"))
(compilation_unit (value_definition (let_binding pattern: [(value_name) (parenthesized_operator)] @name (parameter) body: (_) @body) @def.function))
(compilation_unit (value_definition (let_binding pattern: (value_name) @name body: [(fun_expression) (function_expression)] @body) @def.function) (#not-eq? @name "_"))
(structure (value_definition (let_binding pattern: [(value_name) (parenthesized_operator)] @name body: (_)? @body) @def.variable) (#not-eq? @name "_"))
(structure (value_definition (let_binding pattern: [(value_name) (parenthesized_operator)] @name (parameter) body: (_) @body) @def.function))
(structure (value_definition (let_binding pattern: (value_name) @name body: [(fun_expression) (function_expression)] @body) @def.function) (#not-eq? @name "_"))
(ERROR (value_definition (let_binding pattern: (value_name) @name body: (_)? @body) @def.variable) (#not-eq? @name "_"))
(ERROR (value_definition (let_binding pattern: (value_name) @name (parameter) body: (_) @body) @def.function))
(value_definition (attribute_id) @_test (let_binding pattern: (string) @name body: (_) @body) (#match? @_test "^test")) @def.test
(value_specification [(value_name) (parenthesized_operator)] @name) @def.variable
(value_specification [(value_name) (parenthesized_operator)] @name (function_type)) @def.function
(external [(value_name) (parenthesized_operator)] @name) @def.function
(type_binding name: (type_constructor) @name) @def.type
(type_binding name: (type_constructor) @name body: (record_declaration) @body) @def.struct
(type_binding name: (type_constructor) @name body: (variant_declaration) @body) @def.enum
(field_declaration (field_name) @name) @def.field
(variant_declaration (constructor_declaration (constructor_name) @name) @def.constant)
(exception_definition (constructor_declaration (constructor_name) @name)) @def.type
(module_definition (module_binding name: (module_name) @name)) @def.module
(module_definition (module_binding name: (module_name) @name [(structure) (signature)] @body)) @def.module
(module_type_definition name: (module_type_name) @name) @def.interface
(module_type_definition name: (module_type_name) @name body: (signature) @body) @def.interface
(class_definition (class_binding name: (class_name) @name body: (_)? @body)) @def.class
(class_type_definition (class_type_binding name: (class_type_name) @name)) @def.interface
(method_definition name: (method_name) @name body: (_)? @body) @def.method
(method_specification (method_name) @name) @def.method
(instance_variable_definition name: (instance_variable_name) @name) @def.field
(inheritance_definition (class_path) @base)

; Locals.
(value_pattern) @local
(let_expression (value_definition (let_binding pattern: (value_name) @local body: (_) @value)))
(let_expression) @scope
(let_binding (parameter)) @scope
(match_case) @scope
(fun_expression) @scope
(for_expression (value_pattern) @local) @scope
(module_parameter name: (module_name) @local)

; Uses.
(value_path (value_name) @ref.read)
(value_path (module_path) @recv (value_name) @ref.read)
(application_expression function: (value_path (value_name) @ref.call))
(application_expression function: (value_path (module_path) @recv (value_name) @ref.call))
(type_constructor_path (type_constructor) @ref.type)
(type_constructor_path (_) @recv (type_constructor) @ref.type)
(constructor_path (constructor_name) @ref.read)
(constructor_path (module_path) @recv (constructor_name) @ref.read)
(module_path (module_name) @ref.type)
(module_path (module_path) @recv (module_name) @ref.type)
(module_type_path (module_type_name) @ref.type)
(module_type_path (_) @recv (module_type_name) @ref.type)
(field_path (field_name) @ref.member)
(method_invocation (method_name) @ref.member)

(comment) @comment
(attribute) @comment
(ERROR) @error

; Includes.
(preproc_include path: (_) @import.path)

; Declarations.
(namespace_definition name: (namespace_identifier) @name body: (_) @body) @def.module
(namespace_definition name: (nested_namespace_specifier (namespace_identifier) @name .) body: (_) @body) @def.module
(namespace_definition name: (nested_namespace_specifier (nested_namespace_specifier (namespace_identifier) @name .)) body: (_) @body) @def.module
(declaration type: (_) @type declarator: (identifier) @name) @def.variable
(declaration type: (_) @type declarator: (pointer_declarator declarator: (identifier) @name)) @def.variable
(declaration type: (_) @type declarator: (array_declarator declarator: (identifier) @name)) @def.variable
(declaration type: (_) @type declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @name)))) @def.variable
(declaration type: (_) @type declarator: (init_declarator declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @name))))) @def.variable
(declaration type: (_) @type declarator: (pointer_declarator declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @name))))) @def.variable
(declaration type: (_) @type declarator: (init_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @name)))))) @def.variable
(declaration type: (_) @type declarator: (init_declarator declarator: (_ declarator: (_ declarator: (identifier) @name)))) @def.variable
(declaration type: (_) @type declarator: (init_declarator declarator: (_ declarator: (reference_declarator (identifier) @name)))) @def.variable
(declaration type: (_) @type declarator: (init_declarator declarator: (identifier) @name value: (_)? @value)) @def.variable
(declaration type: (_) @type declarator: (init_declarator declarator: (_ declarator: (identifier) @name))) @def.variable
(declaration type: (_) @type declarator: (init_declarator declarator: (reference_declarator (identifier) @name))) @def.variable
(declaration type: (_) @type declarator: (qualified_identifier scope: (_) @container name: (identifier) @name)) @def.variable
(declaration type: (_) @type declarator: (init_declarator declarator: (qualified_identifier scope: (_) @container name: (identifier) @name))) @def.variable
(declaration type: (_) @type declarator: (init_declarator declarator: (_ declarator: (qualified_identifier scope: (_) @container name: (identifier) @name)))) @def.variable
(declaration type: (_) @type declarator: (init_declarator declarator: (_ declarator: (_ declarator: (qualified_identifier scope: (_) @container name: (identifier) @name))))) @def.variable
(declaration type: (_) @type declarator: (_ (_ (function_declarator declarator: (identifier) @name)))) @def.function
(declaration type: (_) @type declarator: (init_declarator declarator: (_ (function_declarator declarator: (qualified_identifier scope: (_) @container name: (operator_name) @name))))) @def.method
(declaration type: (_) @type declarator: (init_declarator declarator: (_ (function_declarator declarator: (qualified_identifier name: (qualified_identifier scope: (_) @container name: (operator_name) @name)))))) @def.method
(function_definition type: (_) @type declarator: (_ (_ (function_declarator declarator: [(identifier) (field_identifier) (operator_name)] @name))) body: (_) @body) @def.function
(function_definition type: (_) @type declarator: (_ (_ (function_declarator declarator: (qualified_identifier scope: (_) @container name: [(identifier) (operator_name)] @name)))) body: (_) @body) @def.method
(declaration declarator: (function_declarator declarator: [(identifier) (destructor_name)] @name)) @def.function
(declaration type: (_) @type declarator: (_ (function_declarator declarator: (identifier) @name))) @def.function
(declaration type: (_) @type declarator: (function_declarator declarator: (identifier) @name)) @def.function
(function_definition declarator: (function_declarator declarator: [(identifier) (field_identifier) (operator_name) (destructor_name)] @name)) @def.function
(function_definition declarator: (function_declarator declarator: [(identifier) (field_identifier) (operator_name) (destructor_name)] @name) body: (_) @body) @def.function
(function_definition type: (_) @type declarator: (function_declarator declarator: [(identifier) (field_identifier) (operator_name)] @name) body: (_) @body) @def.function
(function_definition type: (_) @type declarator: (_ (function_declarator declarator: [(identifier) (field_identifier) (operator_name)] @name)) body: (_) @body) @def.function
(function_definition declarator: (function_declarator declarator: (qualified_identifier scope: (_) @container name: [(identifier) (operator_name) (destructor_name)] @name)) body: (_) @body) @def.method
(function_definition type: (_) @type declarator: (function_declarator declarator: (qualified_identifier scope: (_) @container name: [(identifier) (operator_name)] @name)) body: (_) @body) @def.method
(function_definition type: (_) @type declarator: (_ (function_declarator declarator: (qualified_identifier scope: (_) @container name: [(identifier) (operator_name)] @name))) body: (_) @body) @def.method
(function_definition type: (_)? @type declarator: (function_declarator declarator: (qualified_identifier name: (qualified_identifier scope: (_) @container name: [(identifier) (operator_name) (destructor_name)] @name))) body: (_) @body) @def.method
(function_definition type: (_) @type declarator: (_ (function_declarator declarator: (qualified_identifier name: (qualified_identifier scope: (_) @container name: [(identifier) (operator_name)] @name)))) body: (_) @body) @def.method
(function_definition declarator: (function_declarator declarator: (qualified_identifier scope: (_) @container name: [(identifier) (operator_name) (destructor_name)] @name)) [(default_method_clause) (delete_method_clause)]) @def.method
(function_definition declarator: (_ (function_declarator declarator: (qualified_identifier scope: (_) @container name: [(identifier) (operator_name)] @name))) [(default_method_clause) (delete_method_clause)]) @def.method
(function_definition declarator: (function_declarator declarator: (qualified_identifier name: (qualified_identifier scope: (_) @container name: [(identifier) (operator_name) (destructor_name)] @name))) [(default_method_clause) (delete_method_clause)]) @def.method
(function_definition declarator: (qualified_identifier name: (qualified_identifier scope: (_) @container name: (operator_cast) @name)) body: (_) @body) @def.method
(function_definition declarator: (operator_cast) @name body: (_)? @body) @def.function
(declaration declarator: (operator_cast) @name) @def.function
(function_definition declarator: (qualified_identifier scope: (_) @container name: (operator_cast) @name) body: (_) @body) @def.method
(template_declaration (function_definition declarator: (function_declarator declarator: [(identifier) (field_identifier)] @name))) @def.function
(template_declaration (function_definition declarator: (_ (function_declarator declarator: [(identifier) (field_identifier)] @name)))) @def.function
(template_declaration (function_definition declarator: (function_declarator declarator: (template_function name: (identifier) @name)) body: (_)? @body)) @def.function
(template_declaration (function_definition declarator: (_ (function_declarator declarator: (template_function name: (identifier) @name))) body: (_)? @body)) @def.function
(template_declaration (function_definition declarator: (function_declarator declarator: (qualified_identifier scope: (_) @container name: [(identifier) (operator_name) (destructor_name)] @name)))) @def.method
(template_declaration (function_definition declarator: (_ (function_declarator declarator: (qualified_identifier scope: (_) @container name: [(identifier) (operator_name)] @name))))) @def.method
(template_declaration (declaration declarator: (function_declarator declarator: (identifier) @name))) @def.function
(template_declaration (declaration declarator: (_ (function_declarator declarator: (identifier) @name)))) @def.function
(template_declaration (declaration declarator: (function_declarator declarator: (template_function name: (identifier) @name)))) @def.function
(template_declaration (declaration declarator: (init_declarator declarator: (identifier) @name))) @def.variable
(template_declaration (class_specifier name: [(type_identifier) @name (template_type name: (_) @name)])) @def.class
(template_declaration (struct_specifier name: [(type_identifier) @name (template_type name: (_) @name)])) @def.struct
(template_declaration (alias_declaration name: (_) @name)) @def.type
(class_specifier name: [(type_identifier) @name (template_type name: (_) @name)] body: (_) @body) @def.class
(struct_specifier name: [(type_identifier) @name (template_type name: (_) @name)] body: (_) @body) @def.struct
(type_definition type: (struct_specifier name: (_) @name body: (_) @body)) @def.struct
(type_definition type: (enum_specifier name: (_) @name body: (_) @body)) @def.enum
(declaration type: (struct_specifier name: (_) @name body: (_) @body)) @def.struct
(class_specifier name: (qualified_identifier scope: (_) @container name: [(type_identifier) @name (template_type name: (_) @name)]) body: (_) @body) @def.class
(struct_specifier name: (qualified_identifier scope: (_) @container name: [(type_identifier) @name (template_type name: (_) @name)]) body: (_) @body) @def.struct
(union_specifier name: (type_identifier) @name body: (_) @body) @def.struct
(enum_specifier name: (type_identifier) @name body: (_) @body) @def.enum
(alias_declaration name: (type_identifier) @name type: (_) @type) @def.type
(type_definition type: (_) @type declarator: (type_identifier) @name) @def.type
(type_definition type: (_) @type declarator: (_ declarator: (type_identifier) @name)) @def.type
(type_definition type: (_) @type declarator: (_ declarator: (_ declarator: (type_identifier) @name))) @def.type
(type_definition type: (_) @type declarator: (function_declarator declarator: (parenthesized_declarator (_ declarator: (type_identifier) @name)))) @def.type
(type_definition type: (_) @type declarator: (_ declarator: (function_declarator declarator: (parenthesized_declarator (_ declarator: (type_identifier) @name))))) @def.type
(type_definition type: (_) declarator: (function_declarator declarator: (parenthesized_declarator (type_identifier) @name))) @def.type
(type_definition type: (_) declarator: (_ declarator: (function_declarator declarator: (parenthesized_declarator (type_identifier) @name)))) @def.type
(type_definition type: (struct_specifier !name body: (_) @body) declarator: (type_identifier) @name) @def.struct
(field_declaration type: (_) @type declarator: (field_identifier) @name) @def.field
(field_declaration type: (_) @type declarator: (_ (field_identifier) @name)) @def.field
(field_declaration declarator: (function_declarator declarator: (parenthesized_declarator (_ (field_identifier) @name)))) @def.field
(field_declaration declarator: (_ (function_declarator declarator: (parenthesized_declarator (_ (field_identifier) @name))))) @def.field
(field_declaration type: (_) @type declarator: (function_declarator declarator: [(field_identifier) (operator_name)] @name)) @def.method
(field_declaration type: (_) @type declarator: (_ (function_declarator declarator: [(field_identifier) (operator_name)] @name))) @def.method
; `T x = 0;` in a class, which the grammar takes for a pure virtual function.
(function_definition type: (_) @type declarator: (field_identifier) @name (pure_virtual_clause)) @def.field
(function_definition type: (_) @type declarator: (pointer_declarator declarator: (field_identifier) @name) (pure_virtual_clause)) @def.field
(function_definition type: (_) @type declarator: (function_declarator declarator: [(field_identifier) (operator_name)] @name)) @def.method
(function_definition type: (_) @type declarator: (_ (function_declarator declarator: [(field_identifier) (operator_name)] @name))) @def.method
(field_declaration type: (_) @type declarator: (_ (pointer_declarator declarator: (field_identifier) @name))) @def.field
(field_declaration type: (_) @type declarator: (_ (reference_declarator (field_identifier) @name))) @def.field
(field_declaration type: (_) @type declarator: (_ (array_declarator declarator: (field_identifier) @name))) @def.field
(field_declaration type: (_) @type declarator: (_ (_ (function_declarator declarator: [(field_identifier) (operator_name)] @name)))) @def.method
(function_definition type: (_) @type declarator: (_ (_ (function_declarator declarator: [(field_identifier) (operator_name)] @name)))) @def.method
(enumerator name: (identifier) @name) @def.constant
(preproc_def . name: (identifier) @name) @def.macro
(preproc_function_def . name: (identifier) @name) @def.macro
(function_definition !type declarator: (function_declarator declarator: (identifier) @_case parameters: (parameter_list . (_) . (_) @name .)) body: (_) @body
  (#any-of? @_case "TEST" "TEST_F" "TEST_P" "TYPED_TEST" "TYPED_TEST_P" "BENCHMARK_F")) @def.test
(base_class_clause [(type_identifier) (template_type) (qualified_identifier)] @base)

; Locals.
(parameter_declaration type: (_) @type declarator: (identifier) @local)
(parameter_declaration type: (_) @type declarator: (_ (identifier) @local))
(optional_parameter_declaration type: (_) @type declarator: (identifier) @local)
(type_parameter_declaration (type_identifier) @local)
(parameter_declaration type: (_) @type declarator: (function_declarator declarator: (parenthesized_declarator (_ declarator: (identifier) @local))))
(for_range_loop declarator: (identifier) @local right: (_) @value)
(for_range_loop declarator: (_ (identifier) @local) right: (_) @value)
(compound_statement) @scope
(for_statement) @scope
(for_range_loop) @scope
(lambda_expression) @scope
(template_declaration) @scope

; Uses.
(identifier) @ref.read
(type_identifier) @ref.type
(namespace_identifier) @ref.read
(true) @ref.read
(false) @ref.read
(field_expression) @ref.read
(qualified_identifier) @ref.read
(call_expression function: (identifier) @ref.call)
(call_expression function: (field_expression) @ref.call)
(call_expression function: (qualified_identifier) @ref.call)
(call_expression function: (template_function name: (identifier) @ref.call))
(call_expression function: (qualified_identifier name: (template_function name: (identifier) @ref.call)))
(new_expression type: (type_identifier) @ref.new)
(new_expression type: (qualified_identifier) @ref.new)

(comment) @comment
(ERROR) @error

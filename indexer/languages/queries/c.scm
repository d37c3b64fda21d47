; Includes.
(preproc_include path: (_) @import.path)

; Declarations.
(declaration type: (_) @type declarator: (identifier) @name) @def.variable
(declaration type: (_) @type declarator: (_ declarator: (identifier) @name)) @def.variable
(declaration type: (_) @type declarator: (init_declarator declarator: (_ declarator: (identifier) @name))) @def.variable
(declaration type: (_) @type declarator: (init_declarator declarator: (_ declarator: (_ declarator: (identifier) @name)))) @def.variable
(declaration type: (_) @type declarator: (_ declarator: (_ declarator: (identifier) @name))) @def.variable
(declaration type: (_) @type declarator: (_ declarator: (_ declarator: (_ declarator: (identifier) @name)))) @def.variable
(declaration type: (_) @type declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (_ declarator: (identifier) @name))))) @def.variable
(declaration type: (_) @type declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @name)))) @def.variable
(declaration type: (_) @type declarator: (init_declarator declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @name))))) @def.variable
(declaration type: (_) @type declarator: (pointer_declarator declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @name))))) @def.variable
(declaration type: (_) @type declarator: (init_declarator declarator: (pointer_declarator declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @name)))))) @def.variable
(declaration type: (_) @type declarator: (init_declarator declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (_ declarator: (identifier) @name)))))) @def.variable
(declaration type: (_) @type declarator: (function_declarator declarator: (identifier) @name)) @def.function
(declaration type: (_) @type declarator: (_ declarator: (function_declarator declarator: (identifier) @name))) @def.function
(declaration type: (_) @type declarator: (_ declarator: (_ declarator: (function_declarator declarator: (identifier) @name)))) @def.function
(function_definition type: (_) @type declarator: (function_declarator declarator: (identifier) @name) body: (_) @body) @def.function
(function_definition type: (_) @type declarator: (_ declarator: (function_declarator declarator: (identifier) @name)) body: (_) @body) @def.function
(function_definition type: (_) @type declarator: (_ declarator: (_ declarator: (function_declarator declarator: (identifier) @name))) body: (_) @body) @def.function
(struct_specifier name: (type_identifier) @name body: (_) @body) @def.struct
(union_specifier name: (type_identifier) @name body: (_) @body) @def.struct
(enum_specifier name: (type_identifier) @name body: (_) @body) @def.enum
(type_definition type: (_) @type declarator: (type_identifier) @name) @def.type
(type_definition type: (_) @type declarator: (_ declarator: (type_identifier) @name)) @def.type
(type_definition type: (_) @type declarator: (_ declarator: (_ declarator: (type_identifier) @name))) @def.type
(type_definition declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name)))) @def.type
(type_definition declarator: (_ declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (type_identifier) @name))))) @def.type
(type_definition type: (_) declarator: (function_declarator declarator: (parenthesized_declarator (type_identifier) @name))) @def.type
(type_definition type: (_) declarator: (_ declarator: (function_declarator declarator: (parenthesized_declarator (type_identifier) @name)))) @def.type
(type_definition type: (struct_specifier name: (_) @type) declarator: (type_identifier) @name) @def.type
(type_definition type: (struct_specifier !name body: (_) @body) declarator: (type_identifier) @name) @def.struct
(type_definition type: (union_specifier !name body: (_) @body) declarator: (type_identifier) @name) @def.struct
(type_definition type: (enum_specifier !name body: (_) @body) declarator: (type_identifier) @name) @def.enum
(field_declaration type: (_) @type declarator: (field_identifier) @name) @def.field
(field_declaration type: (_) @type declarator: (_ declarator: (field_identifier) @name)) @def.field
(field_declaration type: (_) @type declarator: (_ declarator: (_ declarator: (field_identifier) @name))) @def.field
(field_declaration type: (_) @type declarator: (_ declarator: (_ declarator: (_ declarator: (field_identifier) @name)))) @def.field
(field_declaration declarator: (_ declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (field_identifier) @name))))) @def.field
(field_declaration declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (field_identifier) @name)))) @def.field
(type_definition type: (struct_specifier name: (_) @name body: (_) @body)) @def.struct
(type_definition type: (union_specifier name: (_) @name body: (_) @body)) @def.struct
(type_definition type: (enum_specifier name: (_) @name body: (_) @body)) @def.enum
(declaration type: (struct_specifier name: (_) @name body: (_) @body)) @def.struct
(declaration type: (union_specifier name: (_) @name body: (_) @body)) @def.struct
(declaration type: (enum_specifier name: (_) @name body: (_) @body)) @def.enum
(enumerator name: (identifier) @name) @def.constant
(preproc_def . name: (identifier) @name) @def.macro
(preproc_function_def . name: (identifier) @name) @def.macro

; Locals.
(parameter_declaration type: (_) @type declarator: (identifier) @local)
(parameter_declaration type: (_) @type declarator: (_ declarator: (identifier) @local))
(parameter_declaration type: (_) @type declarator: (_ declarator: (_ declarator: (identifier) @local)))
(parameter_declaration type: (_) @type declarator: (function_declarator declarator: (parenthesized_declarator (pointer_declarator declarator: (identifier) @local))))
(compound_statement) @scope
(for_statement) @scope

; Uses.
(identifier) @ref.read
(true) @ref.read
(false) @ref.read
(type_identifier) @ref.type
(field_expression) @ref.read
(call_expression function: (identifier) @ref.call)
(call_expression function: (field_expression) @ref.call)

(comment) @comment
(ERROR) @error

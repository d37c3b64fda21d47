; Imports.
(use_declaration argument: (_) @import.tree)
(extern_crate_declaration name: (_) @import.name alias: (_) @import.alias)

; Declarations.
(function_item name: (_) @name return_type: (_)? @type body: (_) @body) @def.function
(function_signature_item name: (_) @name return_type: (_)? @type) @def.function
(struct_item name: (_) @name) @def.struct
(struct_item name: (_) @name body: (field_declaration_list) @body) @def.struct
(union_item name: (_) @name body: (_) @body) @def.struct
(enum_item name: (_) @name body: (_) @body) @def.enum
(enum_variant name: (_) @name) @def.field
(enum_variant name: (_) @name body: (ordered_field_declaration_list . type: (_) @type .)) @def.field
(field_declaration name: (_) @name type: (_) @type) @def.field
(trait_item name: (_) @name body: (_) @body) @def.interface
(impl_item type: (type_identifier) @name body: (_) @body) @def.impl
(impl_item type: (generic_type type: (type_identifier) @name) body: (_) @body) @def.impl
(impl_item type: (reference_type type: (type_identifier) @name) body: (_) @body) @def.impl
(impl_item type: (scoped_type_identifier name: (type_identifier) @name) body: (_) @body) @def.impl
(impl_item type: (generic_type type: (scoped_type_identifier name: (type_identifier) @name)) body: (_) @body) @def.impl
(impl_item type: (reference_type type: (generic_type type: (type_identifier) @name)) body: (_) @body) @def.impl
(impl_item type: (reference_type type: (scoped_type_identifier name: (type_identifier) @name)) body: (_) @body) @def.impl
(impl_item type: (dynamic_type trait: (type_identifier) @name) body: (_) @body) @def.impl
(impl_item type: (bounded_type (dynamic_type trait: (type_identifier) @name)) body: (_) @body) @def.impl
(mod_item name: (_) @name body: (_) @body) @def.module
(macro_definition name: (_) @name) @def.macro
(const_item name: (_) @name type: (_) @type) @def.constant
(static_item name: (_) @name type: (_) @type) @def.variable
(type_item name: (_) @name type: (_) @type) @def.type
(associated_type name: (_) @name) @def.type
(associated_type bounds: (trait_bounds (_) @base))
(trait_item bounds: (trait_bounds (_) @base))
(impl_item trait: (_) @base)

; Locals.
(parameter pattern: (identifier) @local type: (_) @type)
(closure_parameters (identifier) @local)
(closure_parameters (parameter pattern: (identifier) @local type: (_) @type))
(let_declaration pattern: (identifier) @local type: (_)? @type value: (_)? @value)
(let_declaration pattern: (tuple_pattern . (identifier) @local) type: (_)? @type value: (_)? @value)
(let_declaration pattern: (tuple_pattern . (_) . (identifier) @local) value: (_)? @value.1)
(let_declaration pattern: (tuple_pattern (_) (_) (identifier) @local))
(let_declaration pattern: (struct_pattern (field_pattern name: (shorthand_field_identifier) @local)) value: (_) @owner)
(let_declaration pattern: (struct_pattern (field_pattern name: (field_identifier) @key pattern: (identifier) @local)) value: (_) @owner)
(let_declaration pattern: (tuple_struct_pattern type: (_) (identifier) @local) value: (_) @value)
(let_condition pattern: (tuple_struct_pattern type: (_) (identifier) @local) value: (_) @value)
(match_expression value: (_) @value body: (match_block (match_arm pattern: (match_pattern (tuple_struct_pattern type: (identifier) @_wrap (identifier) @local))))
  (#any-of? @_wrap "Some" "Ok"))
(tuple_struct_pattern type: (_) (identifier) @local)
(tuple_struct_pattern type: (scoped_identifier) @value . (identifier) @local .)
(ref_pattern (identifier) @local)
(mut_pattern (identifier) @local)
(field_pattern pattern: (identifier) @local)
(call_expression function: (field_expression value: (_) @value) arguments: (arguments . (closure_expression parameters: (closure_parameters . (identifier) @local))))
(call_expression function: (field_expression value: (_) @value) arguments: (arguments . (_) . (closure_expression parameters: (closure_parameters . (identifier) @local))))
(for_expression pattern: (identifier) @local value: (_) @value)
(for_expression pattern: (_ (identifier) @local))
(shorthand_field_identifier) @local
(type_parameters (type_identifier) @local)
(type_parameters (constrained_type_parameter left: (type_identifier) @local))
(constrained_type_parameter left: (type_identifier) @narrow bounds: (trait_bounds [(type_identifier) (scoped_type_identifier) (generic_type)] @type))
(where_predicate left: (type_identifier) @narrow bounds: (trait_bounds [(type_identifier) (scoped_type_identifier) (generic_type)] @type))
(block) @scope
(closure_expression) @scope
(match_arm) @scope
(for_expression) @scope
(if_expression) @scope

; Uses.
(identifier) @ref.read
(type_identifier) @ref.type
(scoped_type_identifier) @ref.type
(scoped_identifier) @ref.read
(field_expression) @ref.read
(call_expression function: (identifier) @ref.call)
(call_expression function: (field_expression) @ref.call)
(call_expression function: (scoped_identifier) @ref.call)
(call_expression function: (generic_function function: (_) @ref.call))
(macro_invocation macro: [(identifier) (scoped_identifier)] @ref.call)
(token_tree (identifier) @ref.token)
(struct_expression name: (type_identifier) @ref.new)
(struct_expression name: (scoped_type_identifier) @ref.new)

(attribute . (identifier) @skip)
(lifetime (identifier) @skip)

(line_comment) @comment
(block_comment) @comment
(attribute_item) @comment
(ERROR) @error

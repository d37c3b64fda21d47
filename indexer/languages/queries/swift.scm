; Imports.
(import_declaration (modifiers (attribute (user_type) @export)) (identifier) @import.path (#eq? @export "_exported"))
(import_declaration (identifier) @import.path)

; Declarations.
(class_declaration declaration_kind: ["class" "actor"] name: (type_identifier) @name body: (_) @body) @def.class
(class_declaration declaration_kind: "struct" name: (type_identifier) @name body: (_) @body) @def.struct
(class_declaration declaration_kind: "enum" name: (type_identifier) @name body: (_) @body) @def.enum
(class_declaration declaration_kind: "extension" . (_) @name body: (_) @body) @def.impl
(protocol_declaration name: (type_identifier) @name body: (_) @body) @def.interface
(class_declaration (inheritance_specifier (user_type) @base))
(protocol_declaration (inheritance_specifier (user_type) @base))
(typealias_declaration name: (type_identifier) @name "=" . (_) @type) @def.type
(associatedtype_declaration name: (type_identifier) @name) @def.type
(associatedtype_declaration ":" . (user_type) @base)
(function_declaration "func" . [(simple_identifier) (custom_operator) (bang) "==" "!=" "===" "!==" "<" ">" "<=" ">=" "+" "-" "*" "/" "%" "+=" "-=" "*=" "/=" "%=" "~" "|" "^" "&" "<<" ">>"] @name body: (_) @body) @def.function
(function_declaration "func" . (simple_identifier) @name "->" . (_) @type) @def.function
(protocol_function_declaration "func" . [(simple_identifier) (custom_operator) (bang) "==" "!=" "<" ">" "<=" ">=" "+" "-" "*" "/" "%" "+=" "-=" "*=" "/=" "~" "|" "^" "&" "<<" ">>"] @name) @def.function
(protocol_function_declaration "func" . (simple_identifier) @name "->" . (_) @type) @def.function
(init_declaration "init" @name body: (_)? @body) @def.method
(deinit_declaration "deinit" @name body: (_) @body) @def.method
(subscript_declaration "subscript" @name (computed_property) @body) @def.method
(subscript_declaration "subscript" @name "->" . (_) @type) @def.method
(macro_declaration "macro" . (simple_identifier) @name) @def.macro
(enum_entry name: (simple_identifier) @name) @def.field
(property_declaration (pattern . (simple_identifier) @name .)) @def.field
(property_declaration (pattern . (simple_identifier) @name .) . (type_annotation . (_) @type)) @def.field
(property_declaration (pattern . (simple_identifier) @name .) . "=" . (_) @value) @def.field
(property_declaration (pattern . (simple_identifier) @name .) . "=" . (as_expression (as_operator) . (_) @type)) @def.field
(property_declaration (pattern . (simple_identifier) @name .) (computed_property) @body) @def.field
(property_declaration (pattern (pattern . (simple_identifier) @name .))) @def.field
(protocol_property_declaration (pattern (simple_identifier) @name .) (type_annotation . (_) @type)) @def.field

; Locals.
(type_parameter . (type_identifier) @local)
(type_parameter . (type_identifier) @local ":" . (_) @type)
(parameter name: (simple_identifier) @local ":" . (parameter_modifiers)? . (_) @type)
(parameter external_name: (simple_identifier) @skip)
(lambda_parameter name: (simple_identifier) @local)
(lambda_parameter name: (simple_identifier) @local ":" . (parameter_modifiers)? . (_) @type)
(lambda_parameter external_name: (simple_identifier) @skip)
(capture_list_item name: (simple_identifier) @local "=" . (_) @value)
(simple_identifier (#any-of? @local "$0" "$1" "$2" "$3")) @local
(if_statement (value_binding_pattern) . bound_identifier: (simple_identifier) @local . "=" . (_) @value)
(if_statement (value_binding_pattern) . bound_identifier: (simple_identifier) @local . "=" . (as_expression (as_operator) . (_) @type))
(guard_statement (value_binding_pattern) . bound_identifier: (simple_identifier) @local . "=" . (_) @value)
(guard_statement (value_binding_pattern) . bound_identifier: (simple_identifier) @local . "=" . (as_expression (as_operator) . (_) @type))
(while_statement (value_binding_pattern) . bound_identifier: (simple_identifier) @local . "=" . (_) @value)
(while_statement (value_binding_pattern) . bound_identifier: (simple_identifier) @local . "=" . (as_expression (as_operator) . (_) @type))
(pattern (value_binding_pattern) . bound_identifier: (simple_identifier) @local)
(pattern (simple_identifier) @skip . ":")
(pattern (value_binding_pattern) "(" (pattern . (simple_identifier) @local .))
(if_statement (value_binding_pattern) . "." . (simple_identifier) . "(" (pattern . (simple_identifier) @local .))
(guard_statement (value_binding_pattern) . "." . (simple_identifier) . "(" (pattern . (simple_identifier) @local .))
(pattern (pattern (value_binding_pattern) . bound_identifier: (simple_identifier) @local) "as" . (_) @type)
(pattern (value_binding_pattern) . (pattern . (simple_identifier) @local) "as" . (_) @type)
(for_statement item: (pattern . (simple_identifier) @local) collection: (_) @value)
(for_statement item: (pattern (pattern . (simple_identifier) @local)))
(computed_setter (simple_identifier) @local)
(willset_clause (simple_identifier) @local)
(didset_clause (simple_identifier) @local)
(call_expression . (navigation_expression . (_) @value (navigation_suffix (simple_identifier) @_each)) (call_suffix (lambda_literal (lambda_function_type (lambda_function_type_parameters . (lambda_parameter . (simple_identifier) @local .)))))
  (#any-of? @_each "map" "filter" "forEach" "flatMap" "compactMap" "first" "contains" "allSatisfy" "sorted" "sort" "min" "max" "drop" "prefix" "removeAll" "firstIndex" "mapValues"))
(if_statement) @scope
(for_statement) @scope
(while_statement) @scope
(repeat_while_statement) @scope
(do_statement) @scope
(catch_block) @scope
(switch_entry) @scope
(computed_property) @scope
(computed_getter) @scope
(computed_setter) @scope
(willset_clause) @scope
(didset_clause) @scope
(lambda_literal) @scope.function

; Uses.
(simple_identifier) @ref.read
(user_type . (type_identifier) @ref.type)
(user_type (type_identifier) @recv "." . (type_identifier) @ref.type)
(key_path_expression (type_identifier) @ref.type)
(navigation_expression . (_) @recv (navigation_suffix (simple_identifier) @ref.read))
(call_expression . (simple_identifier) @ref.call (call_suffix (value_arguments . "(")))
(call_expression . (simple_identifier) @ref.call (call_suffix . (lambda_literal)))
(call_expression . (navigation_expression . (_) @recv (navigation_suffix (simple_identifier) @ref.call)) (call_suffix (value_arguments . "(")))
(call_expression . (navigation_expression . (_) @recv (navigation_suffix (simple_identifier) @ref.call)) (call_suffix . (lambda_literal)))
(navigation_suffix (simple_identifier) @skip (#eq? @skip "self"))
(import_declaration (modifiers (attribute (user_type (type_identifier) @skip))))
(constructor_expression (user_type . (type_identifier) @ref.new .))
(prefix_expression "." . (simple_identifier) @ref.member)
(pattern "." . (simple_identifier) @ref.member)
(if_statement "." . (simple_identifier) @ref.member)
(guard_statement "." . (simple_identifier) @ref.member)
(value_argument_label (simple_identifier) @skip)
(tuple_expression name: (simple_identifier) @skip)
(tuple_type_item name: (simple_identifier) @skip)
(enum_type_parameters (simple_identifier) @skip)
(call_suffix name: (simple_identifier) @skip)

(comment) @comment
(multiline_comment) @comment
(ERROR) @error

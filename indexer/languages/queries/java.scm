; Package and imports.
(package_declaration (_) @package)
(import_declaration [(scoped_identifier) (identifier)] @import.path .)
(import_declaration (_) @import.path (asterisk) @import.all)

; Declarations.
(class_declaration name: (_) @name body: (_) @body) @def.class
(interface_declaration name: (_) @name body: (_) @body) @def.interface
(annotation_type_declaration name: (_) @name body: (_) @body) @def.interface
(enum_declaration name: (_) @name body: (_) @body) @def.enum
(record_declaration name: (_) @name body: (_) @body) @def.class
(record_declaration parameters: (formal_parameters (formal_parameter type: (_) @type name: (_) @name) @def.field))
(constructor_declaration name: (_) @name body: (_) @body) @def.method
(method_declaration type: (_) @type name: (_) @name body: (_)? @body) @def.method
(annotation_type_element_declaration type: (_) @type name: (_) @name) @def.method
(field_declaration type: (_) @type declarator: (variable_declarator name: (_) @name)) @def.field
(constant_declaration type: (_) @type declarator: (variable_declarator name: (_) @name)) @def.constant
(enum_constant name: (_) @name) @def.field
(superclass (_) @base)
(super_interfaces (type_list (_) @base))
(extends_interfaces (type_list (_) @base))

; Locals.
(method_declaration parameters: (formal_parameters (formal_parameter type: (_) @type name: (_) @local)))
(constructor_declaration parameters: (formal_parameters (formal_parameter type: (_) @type name: (_) @local)))
(lambda_expression parameters: (identifier) @local)
(lambda_expression parameters: (inferred_parameters (identifier) @local))
(lambda_expression parameters: (formal_parameters (formal_parameter type: (_) @type name: (_) @local)))
(spread_parameter (_) @type . "..." (variable_declarator name: (_) @local))
(local_variable_declaration type: (_) @type declarator: (variable_declarator name: (_) @local value: (_)? @value))
(enhanced_for_statement type: (_) @type name: (_) @local value: (_) @value)
(resource type: (_) @type name: (_) @local value: (_) @value)
(catch_formal_parameter (catch_type (_) @type) name: (_) @local)
(type_parameter (type_identifier) @local)
(instanceof_expression right: (_) @type name: (identifier) @local)
(method_invocation object: (_) @value name: (identifier) @_each arguments: (argument_list . (lambda_expression parameters: (identifier) @local))
  (#any-of? @_each "forEach" "map" "filter" "anyMatch" "allMatch" "noneMatch" "flatMap" "ifPresent" "removeIf" "peek" "computeIfAbsent"))
(method_invocation object: (_)? @recv name: (identifier) @callee arguments: (argument_list [
  (lambda_expression parameters: (identifier) @local)
  (lambda_expression parameters: (inferred_parameters (identifier) @local))]))
(object_creation_expression type: (_) @callee arguments: (argument_list [
  (lambda_expression parameters: (identifier) @local)
  (lambda_expression parameters: (inferred_parameters (identifier) @local))]))
(block) @scope
(for_statement) @scope
(enhanced_for_statement) @scope
(lambda_expression) @scope
(try_with_resources_statement) @scope
(catch_clause) @scope

; Uses.
(identifier) @ref.read
(type_identifier) @ref.type
(scoped_type_identifier) @ref.type
(field_access) @ref.read
(method_invocation !object name: (identifier) @ref.call arguments: (_) @arguments)
(method_invocation object: (_) @recv name: (identifier) @ref.call arguments: (_) @arguments)
(object_creation_expression type: (type_identifier) @ref.new arguments: (_) @arguments)
(object_creation_expression type: (generic_type (type_identifier) @ref.new) arguments: (_) @arguments)
(object_creation_expression type: (scoped_type_identifier) @ref.new arguments: (_) @arguments)
(object_creation_expression type: (generic_type (scoped_type_identifier) @ref.new) arguments: (_) @arguments)
(explicit_constructor_invocation constructor: (_) @ref.call arguments: (_) @arguments)
(method_reference . (_) @recv (identifier) @ref.call .)
(switch_expression condition: (parenthesized_expression (_) @value) body: (switch_block (switch_block_statement_group (switch_label (identifier) @ref.member))))
(switch_expression condition: (parenthesized_expression (_) @value) body: (switch_block (switch_rule (switch_label (identifier) @ref.member))))
(marker_annotation name: (identifier) @ref.type)
(annotation name: (identifier) @ref.type)

(block_comment) @comment
(line_comment) @comment
(ERROR) @error

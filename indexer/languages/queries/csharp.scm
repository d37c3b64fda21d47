; Namespaces and usings.
(namespace_declaration name: (_) @package)
(file_scoped_namespace_declaration name: (_) @package)
(using_directive "global"? @export !name [(identifier) (qualified_name) (alias_qualified_name)] @import.path @import.all)
(using_directive name: (identifier) @import.alias . (_) @import.path)

; Declarations.
(class_declaration name: (_) @name body: (_)? @body) @def.class
(record_declaration name: (_) @name body: (_)? @body) @def.class
(struct_declaration name: (_) @name body: (_)? @body) @def.struct
(interface_declaration name: (_) @name body: (_)? @body) @def.interface
(enum_declaration name: (_) @name body: (_)? @body) @def.enum
(delegate_declaration name: (_) @name) @def.type
(class_declaration (parameter_list (parameter type: (_) @type name: (_) @name) @def.field))
(record_declaration (parameter_list (parameter type: (_) @type name: (_) @name) @def.field))
(struct_declaration (parameter_list (parameter type: (_) @type name: (_) @name) @def.field))
(enum_member_declaration name: (_) @name) @def.field
(constructor_declaration name: (_) @name body: (_)? @body) @def.method
(destructor_declaration name: (_) @name body: (_)? @body) @def.method
(method_declaration returns: (_) @type name: (_) @name body: (_)? @body) @def.method
(operator_declaration type: (_) @type operator: ["+" "-" "*" "/" "%" "!" "~" "++" "--" "==" "!=" "<=" ">=" "&" "|" "^" "<<" ">>" "true" "false"] @name body: (_)? @body) @def.method
(conversion_operator_declaration type: (_) @name @type body: (_)? @body) @def.method
(local_function_statement type: (_) @type name: (_) @name body: (_)? @body) @def.function
(indexer_declaration type: (_) @type "this" @name) @def.method
(indexer_declaration type: (_) @type "this" @name accessors: (_) @body) @def.method
(property_declaration type: (_) @type name: (_) @name) @def.field
(property_declaration type: (_) @type name: (_) @name accessors: (accessor_list (accessor_declaration body: (_))) @body) @def.method
(property_declaration type: (_) @type name: (_) @name value: (arrow_expression_clause) @body) @def.method
(event_declaration type: (_) @type name: (_) @name accessors: (_) @body) @def.method
(event_field_declaration (variable_declaration type: (_) @type (variable_declarator name: (_) @name))) @def.field
(field_declaration (variable_declaration type: (_) @type (variable_declarator name: (_) @name))) @def.field
(field_declaration (modifier) @_const (variable_declaration type: (_) @type (variable_declarator name: (_) @name)) (#eq? @_const "const")) @def.constant
(base_list [(identifier) (qualified_name) (generic_name)] @base)
(base_list (primary_constructor_base_type . (_) @base))

; Locals.
(parameter type: (_)? @type name: (_) @local)
(parameter_list type: (_) @type name: (_) @local)
(implicit_parameter) @local
(type_parameter name: (_) @local)
(local_declaration_statement (variable_declaration type: (_) @type (variable_declarator name: (identifier) @local (_)? @value)))
(local_declaration_statement (variable_declaration type: (implicit_type) (variable_declarator name: (identifier) @local (as_expression right: (_) @type))))
(local_declaration_statement (variable_declaration type: (implicit_type) (variable_declarator name: (identifier) @local (cast_expression type: (_) @type))))
(local_declaration_statement (variable_declaration (variable_declarator (tuple_pattern name: (_) @local))))
(for_statement (variable_declaration type: (_) @type (variable_declarator name: (identifier) @local (_)? @value)))
(using_statement (variable_declaration type: (_) @type (variable_declarator name: (identifier) @local (_)? @value)))
(fixed_statement (variable_declaration type: (_) @type (variable_declarator name: (identifier) @local)))
(foreach_statement type: (_) @type left: (identifier) @local right: (_) @value)
(foreach_statement left: (tuple_pattern name: (_) @local))
(declaration_expression type: (_) @type name: (identifier) @local)
(declaration_pattern type: (_) @type name: (identifier) @local)
(recursive_pattern type: (_)? @type name: (identifier) @local)
(var_pattern name: (identifier) @local)
(parenthesized_variable_designation name: (identifier) @local)
(catch_declaration type: (_) @type name: (identifier) @local)
(from_clause name: (identifier) @local . (_) @value)
(invocation_expression function: (member_access_expression expression: (_) @value name: (identifier) @_each) arguments: (argument_list . (argument (lambda_expression parameters: (implicit_parameter) @local)))
  (#any-of? @_each "Where" "Select" "SelectMany" "ForEach" "Any" "All" "First" "FirstOrDefault" "Single" "SingleOrDefault" "Last" "LastOrDefault" "OrderBy" "OrderByDescending" "GroupBy" "ToDictionary" "Count" "Sum" "Max" "Min" "RemoveAll" "Find" "FindAll" "Exists"))
(block) @scope
(lambda_expression) @scope.function
(anonymous_method_expression) @scope.function
(for_statement) @scope
(foreach_statement) @scope
(using_statement) @scope
(catch_clause) @scope
(switch_section) @scope
(query_expression) @scope

; Uses.
(identifier) @ref.read
(member_access_expression) @ref.read
(member_access_expression expression: (_) @recv name: (generic_name . (identifier) @ref.read))
(conditional_access_expression condition: (_) @recv (member_binding_expression name: (identifier) @ref.read))
(invocation_expression function: (identifier) @ref.call)
(invocation_expression function: (generic_name . (identifier) @ref.call))
(invocation_expression function: (member_access_expression) @ref.call)
(invocation_expression function: (member_access_expression expression: (_) @recv name: (generic_name . (identifier) @ref.call)))
(invocation_expression function: (conditional_access_expression condition: (_) @recv (member_binding_expression name: (identifier) @ref.call)))
(object_creation_expression type: (identifier) @ref.new)
(object_creation_expression type: (qualified_name) @ref.new)
(object_creation_expression type: (generic_name . (identifier) @ref.new))
(object_creation_expression type: (_) @owner initializer: (initializer_expression (assignment_expression left: (identifier) @ref.member)))
(qualified_name) @ref.type
(qualified_name qualifier: (_) @recv name: (generic_name . (identifier) @ref.type))
(generic_name . (identifier) @ref.type)
(type_argument_list (identifier) @ref.type)
(parameter type: (identifier) @ref.type)
(parameter_list type: (array_type type: (identifier) @ref.type))
(variable_declaration type: (identifier) @ref.type)
(method_declaration returns: (identifier) @ref.type)
(local_function_statement type: (identifier) @ref.type)
(property_declaration type: (identifier) @ref.type)
(indexer_declaration type: (identifier) @ref.type)
(delegate_declaration type: (identifier) @ref.type)
(nullable_type type: (identifier) @ref.type)
(array_type type: (identifier) @ref.type)
(cast_expression type: (identifier) @ref.type)
(as_expression right: (identifier) @ref.type)
(is_expression right: (identifier) @ref.type)
(typeof_expression type: (identifier) @ref.type)
(default_expression type: (identifier) @ref.type)
(declaration_pattern type: (identifier) @ref.type)
(declaration_expression type: (identifier) @ref.type)
(recursive_pattern type: (identifier) @ref.type)
(foreach_statement type: (identifier) @ref.type)
(catch_declaration type: (identifier) @ref.type)
(type_parameter_constraint type: (identifier) @ref.type)
(attribute name: (identifier) @ref.type)
(attribute name: (qualified_name) @ref.type)
(argument name: (identifier) @skip)
(labeled_statement . (identifier) @skip)
(goto_statement (identifier) @skip)

(comment) @comment
(ERROR) @error

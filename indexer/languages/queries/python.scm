; Imports.
(import_statement name: (dotted_name) @import.path)
(import_statement name: (aliased_import name: (_) @import.path alias: (_) @import.alias))
(import_from_statement module_name: (_) @import.path name: (dotted_name) @import.name)
(import_from_statement module_name: (_) @import.path name: (aliased_import name: (_) @import.name alias: (_) @import.alias))
(import_from_statement module_name: (_) @import.path (wildcard_import) @import.all)

; Declarations.
(function_definition name: (identifier) @name return_type: (_)? @type body: (_) @body) @def.function
(class_definition name: (identifier) @name body: (_) @body) @def.class
(decorated_definition definition: (function_definition name: (identifier) @name body: (_) @body)) @def.function
(decorated_definition definition: (class_definition name: (identifier) @name body: (_) @body)) @def.class
(assignment left: (identifier) @name type: (_)? @type right: (_)? @value) @def.variable
(assignment right: (assignment left: (identifier) @name)) @def.variable
(assignment left: (pattern_list (_) (_) (identifier) @name)) @def.variable
(assignment left: (pattern_list . (identifier) @name) right: (_) @value) @def.variable
(assignment left: (pattern_list . (_) . (identifier) @name) right: (_) @value.1) @def.variable
(assignment left: (pattern_list . (identifier) @name) right: (expression_list . (_) @value)) @def.variable
(assignment left: (pattern_list . (_) . (identifier) @name) right: (expression_list . (_) . (_) @value)) @def.variable
(assignment left: (pattern_list (attribute object: (identifier) @container attribute: (identifier) @name))
  (#any-of? @container "self" "cls")) @def.field
(class_definition body: (block (expression_statement (assignment left: (identifier) @name type: (_)? @type right: (_)? @value) @def.field)))
(assignment left: (attribute object: (identifier) @container attribute: (identifier) @name) type: (_)? @type right: (_)? @value
  (#any-of? @container "self" "cls")) @def.field
(class_definition superclasses: (argument_list [(identifier) (attribute) (subscript)] @base))
(class_definition body: (block . (expression_statement (string) @doc)))
(function_definition body: (block . (expression_statement (string) @doc)))
(class_definition body: (block (expression_statement (assignment right: (call))) @directive))

; Locals.
(parameters (identifier) @local)
(lambda_parameters (identifier) @local)
(typed_parameter (identifier) @local type: (_) @type)
(typed_parameter (list_splat_pattern (identifier) @local) type: (_) @type)
(typed_parameter (dictionary_splat_pattern (identifier) @local))
(default_parameter name: (identifier) @local value: (_) @value)
(typed_default_parameter name: (identifier) @local type: (_) @type)
(parameters (list_splat_pattern (identifier) @local))
(parameters (dictionary_splat_pattern (identifier) @local))
(assignment left: (tuple_pattern (identifier) @local))
(for_statement left: (identifier) @local right: (_) @value)
(for_statement left: (_ (identifier) @local))
(for_statement left: (pattern_list . (_) . (identifier) @local) right: (_) @value)
(for_in_clause left: (identifier) @local right: (_) @value)
(for_in_clause left: (_ (identifier) @local))
(as_pattern (_) @value alias: (as_pattern_target (identifier) @local))
(except_clause (as_pattern (tuple . (_) @type) alias: (as_pattern_target (identifier) @local)))
(if_statement condition: (call function: (identifier) @_is arguments: (argument_list . (identifier) @narrow . [(identifier) (attribute)] @type .)) consequence: (block) @within
  (#eq? @_is "isinstance"))
(named_expression name: (identifier) @local value: (_) @value)
(list_comprehension) @scope
(set_comprehension) @scope
(dictionary_comprehension) @scope
(generator_expression) @scope
(lambda) @scope

; What functions return.
(return_statement [(identifier) (call) (attribute) (await)] @result)

; Uses.
(identifier) @ref.read
(attribute) @ref.read
(call function: (identifier) @ref.call)
(call function: (attribute) @ref.call)
(keyword_argument name: (identifier) @ref.member)
(type (identifier) @ref.type)
(type (attribute) @ref.type)
(type (string (string_content) @ref.type))
(decorator (identifier) @ref.call)
(decorator (attribute) @ref.call)
(raise_statement (call function: (identifier) @ref.new))

(comment) @comment
(ERROR) @error

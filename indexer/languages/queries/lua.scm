; Imports.
(assignment_statement (variable_list . name: (identifier) @import.alias) (expression_list . value: (function_call name: (identifier) @_require arguments: (arguments . (string content: (_) @import.path))))
  (#eq? @_require "require"))
(assignment_statement (variable_list . (_) . name: (identifier) @import.alias) (expression_list . (_) . value: (function_call name: (identifier) @_require arguments: (arguments . (string content: (_) @import.path))))
  (#eq? @_require "require"))
(assignment_statement (variable_list . name: (identifier) @import.alias)
  (expression_list . value: (dot_index_expression table: (function_call name: (identifier) @_require arguments: (arguments . (string content: (_) @import.path))) field: (identifier) @import.name))
  (#eq? @_require "require"))
(function_call name: (identifier) @_require arguments: (arguments . (string content: (_) @import.path))
  (#any-of? @_require "require" "dofile" "loadfile"))

; Declarations.
(function_declaration name: (identifier) @name body: (_)? @body) @def.function
(function_declaration name: (dot_index_expression table: (_) @container field: (identifier) @name) body: (_)? @body) @def.function
(function_declaration name: (method_index_expression table: (_) @container method: (identifier) @name) body: (_)? @body) @def.method
(chunk (variable_declaration (assignment_statement (variable_list name: (identifier) @name))) @def.variable)
(chunk (variable_declaration (assignment_statement (variable_list . name: (identifier) @name .) (expression_list . value: (_) @value .))) @def.variable)
(chunk (variable_declaration (variable_list name: (identifier) @name)) @def.variable)
(chunk (assignment_statement (variable_list name: (identifier) @name)) @def.variable)
(chunk (assignment_statement (variable_list name: (dot_index_expression table: (identifier) @container field: (identifier) @name))) @def.variable)
(assignment_statement (variable_list . name: (identifier) @name) (expression_list . value: (function_definition body: (_)? @body))) @def.function
(assignment_statement (variable_list . name: (dot_index_expression table: (_) @container field: (identifier) @name)) (expression_list . value: (function_definition body: (_)? @body))) @def.function
(assignment_statement (variable_list . name: (bracket_index_expression table: (_) @container field: (string content: (_) @name))) (expression_list . value: (function_definition body: (_)? @body))) @def.function
(field name: (identifier) @name value: (function_definition body: (_)? @body)) @def.function
(field name: (string content: (_) @name) value: (function_definition body: (_)? @body)) @def.function
(function_call name: (identifier) @_case arguments: (arguments . (string content: (_) @name) (function_definition body: (_) @body))
  (#any-of? @_case "describe" "context" "it" "test" "pending" "insulate" "expose")) @def.test

; Locals.
(parameters name: (identifier) @local)
(variable_declaration (assignment_statement (variable_list . name: (identifier) @local) (expression_list . value: (_) @value)))
(variable_declaration (assignment_statement (variable_list name: (identifier) @local)))
(variable_declaration (variable_list name: (identifier) @local))
(for_generic_clause (variable_list name: (identifier) @local))
(for_numeric_clause name: (identifier) @local)
(function_definition) @scope.function
(do_statement) @scope
(for_statement) @scope
(while_statement) @scope
(repeat_statement) @scope
(if_statement) @scope

; What functions return.
(return_statement (expression_list . [(identifier) (dot_index_expression)] @result))
(return_statement (expression_list . (function_call name: (_) @_function) @result) (#not-eq? @_function "setmetatable"))
(return_statement (expression_list . (function_call name: (identifier) @_function arguments: (arguments (_) . (identifier) @result .))) (#eq? @_function "setmetatable"))

; Uses.
(identifier (#eq? @skip "self")) @skip
(identifier) @ref.read
(dot_index_expression table: (_) @recv field: (identifier) @ref.read)
(method_index_expression table: (_) @recv method: (identifier) @ref.call)
(function_call name: (identifier) @ref.call)
(function_call name: (dot_index_expression table: (_) @recv field: (identifier) @ref.call))
(field name: (identifier) @skip)

(comment) @comment
(ERROR) @error

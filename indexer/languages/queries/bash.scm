; Imports: source x, . x, and load of bats.
(command name: (command_name (word) @_source) . argument: (_) @import.path
  (#any-of? @_source "source" "." "load" "bats_load_library"))

; Declarations.
(function_definition name: (word) @name body: (_) @body) @def.function
(function_definition name: (word) @name body: (_) @body (#match? @name "^[\"']")) @def.test
(program (variable_assignment name: (variable_name) @name) @def.variable)
(program (declaration_command (variable_assignment name: (variable_name) @name)) @def.variable)

; Locals.
(declaration_command "local" (variable_assignment name: (variable_name) @local))
(declaration_command "local" (variable_name) @local)
(compound_statement (declaration_command (variable_assignment name: (variable_name) @local)))
(compound_statement (declaration_command "declare" (variable_name) @local))
(for_statement variable: (variable_name) @local)

; Uses.
(command name: (command_name (word) @ref.call))
(command argument: (word) @ref.read (#match? @ref.read "^[A-Za-z_][A-Za-z0-9_:.-]*$"))
(simple_expansion (variable_name) @ref.read (#match? @ref.read "^[A-Za-z_]"))
(expansion (variable_name) @ref.read)
(subscript name: (variable_name) @ref.read)
(variable_assignment name: (variable_name) @ref.read)

(comment) @comment
(ERROR) @error

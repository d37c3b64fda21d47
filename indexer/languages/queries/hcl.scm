; The source of a module.
(block . (identifier) @_module (body (attribute (identifier) @_source (expression (literal_value (string_lit) @import.path))))
  (#eq? @_module "module") (#eq? @_source "source"))

; Declarations. hclName makes their names those that expressions use.
(config_file (body (block . (identifier) @container . (string_lit) @name . (block_start) (body)? @body) @def.variable (#any-of? @container "variable" "output")))
(config_file (body (block . (identifier) @container . (string_lit) @name . (block_start) (body)? @body) @def.struct (#not-any-of? @container "variable" "output" "module")))
(config_file (body (block . (identifier) @container . (string_lit) @name . (block_start) (body)? @body) @def.module (#eq? @container "module")))
(config_file (body (block . (identifier) @_kind . (string_lit) @container . (string_lit) @name (block_start) (body)? @body) @def.struct (#not-eq? @_kind "data")))
(config_file (body (block . (identifier) @_kind . (string_lit) @container . (string_lit) @name (block_start) (body)? @body) @def.type (#eq? @_kind "data")))
(config_file (body (block . (identifier) @_kind . (block_start) (body (attribute (identifier) @name) @def.constant)) (#eq? @_kind "locals")))
(config_file (body (block . (identifier) @name . (block_start) (body)? @body) @def.section (#not-eq? @name "locals")))

; Locals.
(for_intro (identifier) @local)
(for_expr) @scope

; Uses.
(variable_expr (identifier) @ref.read)

(comment) @comment
(ERROR) @error

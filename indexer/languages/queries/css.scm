; Imports.
(import_statement (string_value) @import.path @import.all)
(import_statement (call_expression (arguments [(string_value) (plain_value)] @import.path)) @import.all)

; Rules, by depth, and what other rules name.
(stylesheet (rule_set (selectors) @name (block) @body) @def.section)
(stylesheet (media_statement . (_) @name (block) @body) @def.section)
(stylesheet (supports_statement . (_) @name (block) @body) @def.section)
(stylesheet (at_rule (at_keyword) @name . (block) @body) @def.section)
(stylesheet (at_rule (at_keyword) . (_) @name . (block) @body) @def.section)
(keyframes_statement (keyframes_name) @name (_) @body) @def.section
(media_statement (block (rule_set (selectors) @name (block) @body) @def.section))
(at_rule (block (rule_set (selectors) @name (block) @body) @def.section))
(declaration (property_name) @name (#match? @name "^--")) @def.variable

; Uses.
(call_expression (function_name) @_var (arguments . (plain_value) @ref.read) (#eq? @_var "var"))

(comment) @comment
(ERROR) @error

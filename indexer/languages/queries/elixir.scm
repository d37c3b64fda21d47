; Imports.
(call target: (identifier) @_alias (arguments . (alias) @import.path @import.name .) (#any-of? @_alias "alias" "require"))
(call target: (identifier) @_alias (arguments . (alias) @import.path @import.name (keywords (pair key: (keyword) @_as value: (alias) @import.alias)))
  (#any-of? @_alias "alias" "require") (#match? @_as "^as:"))
(call target: (identifier) @_alias (arguments . (dot left: (alias) @import.path right: (tuple (alias) @import.name))) (#any-of? @_alias "alias" "require"))
(call target: (identifier) @_import (arguments . (alias) @import.path @import.all) (#any-of? @_import "import" "use"))

; Declarations.
(call target: (identifier) @_def (arguments . (alias) @name) (do_block) @body (#eq? @_def "defmodule")) @def.module
(call target: (identifier) @_def (arguments . (alias) @name) (do_block) @body (#eq? @_def "defprotocol")) @def.interface
(call target: (identifier) @_def (arguments . (alias) @name .) (do_block) @body (#eq? @_def "defimpl")) @def.impl
(call target: (identifier) @_def (arguments . (alias) @base (keywords (pair value: (alias) @name))) (do_block) @body (#eq? @_def "defimpl")) @def.impl
(call target: (identifier) @_def (arguments . (call target: (identifier) @name)) (do_block)? @body
  (#any-of? @_def "def" "defp" "defdelegate" "defn" "defnp")) @def.function
(call target: (identifier) @_def (arguments . (identifier) @name) (do_block)? @body
  (#any-of? @_def "def" "defp" "defdelegate" "defn" "defnp")) @def.function
(call target: (identifier) @_def (arguments . (binary_operator left: (call target: (identifier) @name) "when")) (do_block)? @body
  (#any-of? @_def "def" "defp" "defn" "defnp")) @def.function
(call target: (identifier) @_def (arguments . (binary_operator left: (identifier) @name "when")) (do_block)? @body
  (#any-of? @_def "def" "defp")) @def.function
(call target: (identifier) @_def (arguments . (call target: (identifier) @name)) (do_block)? @body
  (#any-of? @_def "defmacro" "defmacrop" "defguard" "defguardp")) @def.macro
(call target: (identifier) @_def (arguments . (identifier) @name) (do_block)? @body (#any-of? @_def "defmacro" "defmacrop")) @def.macro
(call target: (identifier) @_def (arguments . (binary_operator left: (call target: (identifier) @name) "when")) (do_block)? @body
  (#any-of? @_def "defmacro" "defmacrop" "defguard" "defguardp")) @def.macro
(unary_operator operand: (call target: (identifier) @_type (arguments . (binary_operator left: (identifier) @name))) (#any-of? @_type "type" "typep" "opaque")) @def.type
(unary_operator operand: (call target: (identifier) @_type (arguments . (binary_operator left: (call target: (identifier) @name)))) (#any-of? @_type "type" "typep" "opaque")) @def.type
(unary_operator operand: (call target: (identifier) @_type (arguments . (binary_operator left: (call target: (identifier) @name)))) (#any-of? @_type "callback" "macrocallback")) @def.method
(call target: (identifier) @_field (arguments . (atom) @name) (#any-of? @_field "field" "belongs_to" "has_many" "has_one" "many_to_many" "embeds_one" "embeds_many")) @def.field
(call target: (identifier) @_case (arguments . (string) @name) (do_block) @body (#any-of? @_case "test" "describe" "property" "feature")) @def.test
(unary_operator operand: (call target: (identifier) @_base (arguments (alias) @base)) (#eq? @_base "behaviour"))
(unary_operator operand: (call target: (identifier) @_doc (arguments (string) @doc)) (#eq? @_doc "moduledoc"))
(unary_operator operand: (call target: (identifier) @_attribute (#any-of? @_attribute "doc" "typedoc" "spec" "impl" "deprecated" "since" "dialyzer" "tag" "describetag"))) @comment

; Locals.
(call target: (identifier) @_def (arguments . (call (arguments (identifier) @local))) (#any-of? @_def "def" "defp" "defmacro" "defmacrop" "defguard" "defguardp"))
(call target: (identifier) @_def (arguments . (call (arguments (binary_operator (identifier) @local)))) (#any-of? @_def "def" "defp" "defmacro" "defmacrop"))
(call target: (identifier) @_def (arguments . (call (arguments [(tuple (identifier) @local) (list (identifier) @local)]))) (#any-of? @_def "def" "defp" "defmacro"))
(call target: (identifier) @_def (arguments . (call (arguments (map (map_content (keywords (pair value: (identifier) @local))))))) (#any-of? @_def "def" "defp"))
(call target: (identifier) @_def (arguments . (call (arguments (binary_operator left: (map (map_content (keywords (pair value: (identifier) @local)))))))) (#any-of? @_def "def" "defp"))
(call target: (identifier) @_def (arguments . (call (arguments (binary_operator left: (map (struct (alias) @type)) right: (identifier) @local)))) (#any-of? @_def "def" "defp"))
(call target: (identifier) @_def (arguments . (binary_operator left: (call (arguments (identifier) @local)))) (#any-of? @_def "def" "defp" "defmacro" "defmacrop" "defguard" "defguardp"))
(call target: (identifier) @_def (arguments . (binary_operator left: (call (arguments (binary_operator (identifier) @local))))) (#any-of? @_def "def" "defp"))
(call target: (identifier) @_case (arguments (map (map_content (keywords (pair value: (identifier) @local))))) (#any-of? @_case "test" "setup"))
(binary_operator left: (identifier) @local "=" right: (_) @value)
(binary_operator left: (identifier) @local "<-")
(binary_operator left: [(tuple (identifier) @local) (list (identifier) @local)] "=")
(binary_operator left: [(tuple (identifier) @local) (list (identifier) @local)] "<-")
(binary_operator left: (map (map_content (keywords (pair value: (identifier) @local)))) "=")
(stab_clause left: (arguments (identifier) @local))
(stab_clause left: (arguments [(tuple (identifier) @local) (list (identifier) @local)]))
(stab_clause left: (arguments (binary_operator (identifier) @local "=")))
(stab_clause) @scope

; Uses.
(identifier) @ref.read
(alias) @ref.type
(struct (alias) @ref.new)
(call target: (identifier) @ref.call)
(call target: (dot left: (_) @recv right: (identifier) @ref.call))
(unary_operator operand: (binary_operator left: (identifier) @ref.call right: (integer)))
(unary_operator operand: (binary_operator left: (call target: (dot left: (_) @recv right: (identifier) @ref.call)) right: (integer)))

(comment) @comment
(ERROR) @error

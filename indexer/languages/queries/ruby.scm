; Imports.
(call method: (identifier) @_require arguments: (argument_list . (string (string_content) @import.path))
  (#any-of? @_require "require" "require_relative" "load" "autoload"))

; Declarations.
(class name: (constant) @name) @def.class
(class name: (constant) @name body: (_) @body) @def.class
(class name: (scope_resolution scope: (_) @container name: (constant) @name)) @def.class
(class name: (scope_resolution scope: (_) @container name: (constant) @name) body: (_) @body) @def.class
(module name: (constant) @name) @def.module
(module name: (constant) @name body: (_) @body) @def.module
(module name: (scope_resolution scope: (_) @container name: (constant) @name) body: (_) @body) @def.module
(method name: (_) @name) @def.method
(method name: (_) @name body: (_) @body) @def.method
(singleton_method name: (_) @name) @def.method
(singleton_method name: (_) @name body: (_) @body) @def.method
(assignment left: (constant) @name right: (_) @value) @def.constant
(assignment left: (scope_resolution name: (constant) @name) right: (_) @value) @def.constant
(operator_assignment left: (constant) @name right: (_) @value) @def.constant
(assignment left: (left_assignment_list (constant) @name)) @def.constant
(assignment left: (instance_variable) @name @container right: (_) @value) @def.field
(call method: (identifier) @_attr arguments: (argument_list (simple_symbol) @name)
  (#any-of? @_attr "attr_accessor" "attr_reader" "attr_writer")) @def.field
(call method: (identifier) @_alias arguments: (argument_list . (simple_symbol) @name . (simple_symbol))
  (#eq? @_alias "alias_method")) @def.method
(alias name: (_) @name) @def.method
(call method: (identifier) @_case arguments: (argument_list . (_) @name) block: (_) @body
  (#any-of? @_case "describe" "context" "it" "specify" "feature" "scenario" "test")) @def.test
(superclass (_) @base)
(call method: (identifier) @_include arguments: (argument_list [(constant) (scope_resolution)] @base)
  (#any-of? @_include "include" "extend" "prepend"))

; What a class declares to its framework.
(class body: (body_statement (call !receiver method: (identifier)) @directive))
(module body: (body_statement (call !receiver method: (identifier)) @directive))
(module body: (body_statement (call !receiver method: (identifier) @_wrapper block: (do_block body: (body_statement (call !receiver method: (identifier)) @directive))) (#eq? @_wrapper "included")))
(call !receiver method: (identifier) @_table arguments: (argument_list . (string)) block: (_) (#eq? @_table "create_table")) @table
(class body: (body_statement (identifier) @directive) (#any-of? @directive "private" "protected"))

; Locals.
(method_parameters (identifier) @local)
(optional_parameter name: (identifier) @local)
(splat_parameter name: (identifier) @local)
(keyword_parameter name: (identifier) @local)
(hash_splat_parameter name: (identifier) @local)
(block_parameter name: (identifier) @local)
(block_parameters (identifier) @local)
(assignment left: (identifier) @local right: (_) @value)
(left_assignment_list (identifier) @local)
(exception_variable (identifier) @local)
(rescue exceptions: (exceptions . (_) @type) variable: (exception_variable (identifier) @local))
(call receiver: (_) @value method: (identifier) @_each block: (_ parameters: (block_parameters . (identifier) @local))
  (#any-of? @_each "each" "map" "select" "reject" "find" "detect" "any?" "all?" "each_with_index" "flat_map" "sort_by" "group_by" "tap" "then" "sum" "min_by" "max_by"))
(block) @scope
(do_block) @scope

; What methods return.
(method body: (body_statement [(identifier) (call) (constant) (instance_variable)] @result .))
(return (argument_list . [(identifier) (call) (instance_variable)] @result .))

; Uses.
(identifier) @ref.read
(instance_variable) @ref.read
(constant) @ref.type
(scope_resolution) @ref.type
(call !receiver method: (identifier) @ref.call)
(call receiver: (_) @recv method: (identifier) @ref.call)

(comment) @comment
(ERROR) @error

; What assignments to members and to the exports of a CommonJS module declare.
(assignment_expression left: (member_expression object: (identifier) @container property: (property_identifier) @name) right: [(function_expression body: (_) @body) (arrow_function body: (_) @body)]
  (#not-eq? @container "exports") (#not-eq? @container "module")) @def.method
(assignment_expression left: (member_expression object: (identifier) @container property: (property_identifier) @name) right: [(function_expression !name body: (_) @body) (arrow_function body: (_) @body)]
  (#eq? @container "module")) @def.method
(assignment_expression left: (member_expression) @_exports right: (function_expression name: (identifier) @name body: (_) @body)
  (#eq? @_exports "module.exports")) @def.function
(assignment_expression left: (member_expression) @_exports right: (class name: (_) @name body: (_) @body)
  (#eq? @_exports "module.exports")) @def.class
(assignment_expression left: (member_expression object: (identifier) @_exports property: (property_identifier) @name) right: [(function_expression body: (_) @body) (arrow_function body: (_) @body)]
  (#eq? @_exports "exports")) @def.function

; What a CommonJS module exports by another name, and what it passes on.
(assignment_expression left: (member_expression object: (identifier) @_module property: (property_identifier) @import.alias) right: (identifier) @import.name
  (#eq? @_module "module") (#eq? @import.alias "exports")) @export
(assignment_expression left: (member_expression object: (identifier) @_module property: (property_identifier) @import.alias) right: (call_expression function: (identifier) @_require arguments: (arguments . (string) @import.path))
  (#eq? @_module "module") (#eq? @import.alias "exports") (#eq? @_require "require")) @export
(assignment_expression left: (member_expression object: (identifier) @_exports property: (property_identifier) @import.alias) right: (identifier) @import.name
  (#eq? @_exports "exports")) @export
(assignment_expression left: (member_expression object: (member_expression) @_exports property: (property_identifier) @import.alias) right: (identifier) @import.name
  (#eq? @_exports "module.exports")) @export
(assignment_expression left: (member_expression object: (identifier) @_exports property: (property_identifier) @import.alias) right: (call_expression function: (identifier) @_require arguments: (arguments . (string) @import.path))
  (#eq? @_exports "exports") (#eq? @_require "require")) @export
(assignment_expression left: (member_expression object: (member_expression) @_exports property: (property_identifier) @import.alias) right: (call_expression function: (identifier) @_require arguments: (arguments . (string) @import.path))
  (#eq? @_exports "module.exports") (#eq? @_require "require")) @export
(assignment_expression left: (member_expression) @_exports right: (object (pair key: (property_identifier) @import.alias value: (identifier) @import.name))
  (#eq? @_exports "module.exports")) @export
(assignment_expression left: (member_expression) @_exports right: (object (pair key: (property_identifier) @import.alias value: (call_expression function: (identifier) @_require arguments: (arguments . (string) @import.path))))
  (#eq? @_exports "module.exports") (#eq? @_require "require")) @export
(variable_declarator name: (identifier) @import.alias value: (member_expression object: (call_expression function: (identifier) @_require arguments: (arguments . (string) @import.path)) property: (property_identifier) @import.name)
  (#eq? @_require "require"))
(variable_declarator name: (identifier) @import.alias value: (await_expression (call_expression function: (import) arguments: (arguments . (string) @import.path))))
(variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @import.name) value: (await_expression (call_expression function: (import) arguments: (arguments . (string) @import.path))))
(variable_declarator name: (object_pattern (pair_pattern key: (_) @import.name value: (identifier) @import.alias)) value: (await_expression (call_expression function: (import) arguments: (arguments . (string) @import.path))))

; Modules that are loaded when they are needed: the default export, () => import("./a"), or the one that then takes.
(arrow_function body: (call_expression function: (import) arguments: (arguments . (string (string_fragment) @import.default @ref.read) @import.path)))
(return_statement (call_expression function: (import) arguments: (arguments . (string (string_fragment) @import.default @ref.read) @import.path)))
(call_expression function: (member_expression object: (call_expression function: (import) arguments: (arguments . (string (string_fragment) @import.alias @ref.read) @import.path)) property: (property_identifier) @_then)
  arguments: (arguments . (arrow_function body: (member_expression property: (property_identifier) @import.name))) (#eq? @_then "then"))

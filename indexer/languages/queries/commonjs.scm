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

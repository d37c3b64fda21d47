; Elements: a component is called, a tag of HTML is no name.
(jsx_opening_element name: (identifier) @ref.call (#match? @ref.call "^[A-Z]"))
(jsx_self_closing_element name: (identifier) @ref.call (#match? @ref.call "^[A-Z]"))
(jsx_opening_element name: (identifier) @skip (#match? @skip "^[a-z]"))
(jsx_self_closing_element name: (identifier) @skip (#match? @skip "^[a-z]"))
(jsx_opening_element name: (member_expression) @ref.call)
(jsx_self_closing_element name: (member_expression) @ref.call)
(jsx_closing_element name: (identifier) @skip)

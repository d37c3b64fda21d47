; The component is its template, see nameComponent.
(document (element (start_tag (tag_name) @name)) @def.function (#eq? @name "template"))

; Expressions.
(attribute (attribute_name) @_name (quoted_attribute_value (attribute_value) @embed.expression) (#match? @_name "^(v-|:|@|#|\\.)"))

; Components.
(start_tag (tag_name) @ref.new (#match? @ref.new "^[A-Z]|-"))
(self_closing_tag (tag_name) @ref.new (#match? @ref.new "^[A-Z]|-"))

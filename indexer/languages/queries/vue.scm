; The component is its template, see nameComponent.
(document (element (start_tag (tag_name) @name)) @def.function (#eq? @name "template"))

; Elements with an id. A long component is cut at its elements.
(element (start_tag (attribute (attribute_name) @_id (quoted_attribute_value (attribute_value) @name))) (#eq? @_id "id")) @def.section
(element) @body

; Other languages.
(script_element (raw_text) @embed.script)
(style_element (start_tag) @_tag (raw_text) @embed.style (#not-match? @_tag "lang"))
(attribute (attribute_name) @_name (quoted_attribute_value (attribute_value) @embed.expression) (#match? @_name "^(v-|:|@|#|\\.)"))

; Components.
(start_tag (tag_name) @ref.new (#match? @ref.new "^[A-Z]|-"))
(self_closing_tag (tag_name) @ref.new (#match? @ref.new "^[A-Z]|-"))

(comment) @comment
(ERROR) @error

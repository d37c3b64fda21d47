; Expressions.
(svelte_raw_text) @embed.expression

; Components.
(start_tag (tag_name) @ref.new (#match? @ref.new "^[A-Z]"))
(self_closing_tag (tag_name) @ref.new (#match? @ref.new "^[A-Z]"))

; A long template is cut at its elements.
(element) @body

; Other languages.
(script_element (raw_text) @embed.script)
(style_element (raw_text) @embed.style)

(comment) @comment
(ERROR) @error

; What all pages have. A long page is cut at its elements.
(element) @body

; Other languages.
(script_element (start_tag) @_tag (raw_text) @embed.script (#not-match? @_tag "(?i)type\\s*=\\s*[\"']?(application/(ld.)?json|text/(x-|html|template|plain)|importmap|speculationrules)"))
(style_element (start_tag) @_tag (raw_text) @embed.style (#not-match? @_tag "(?i)\\slang\\s*="))

(comment) @comment
(ERROR) @error

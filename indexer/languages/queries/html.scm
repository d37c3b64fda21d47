; Imports.
(script_element (start_tag (attribute (attribute_name) @_src (quoted_attribute_value (attribute_value) @import.path))) (#eq? @_src "src"))
(element (start_tag (tag_name) @_link (attribute (attribute_name) @_href (quoted_attribute_value (attribute_value) @import.path)))
  (#eq? @_link "link") (#eq? @_href "href"))

; Elements with an id. A long page is cut at its elements.
(element (start_tag (attribute (attribute_name) @_id (quoted_attribute_value (attribute_value) @name))) (#eq? @_id "id")) @def.section
(element) @body

; Other languages.
(script_element (start_tag) @_tag (raw_text) @embed.script (#not-match? @_tag "(?i)type\\s*=\\s*[\"']?(application/(ld.)?json|text/(x-|html|template|plain)|importmap|speculationrules)"))
(style_element (raw_text) @embed.style)

(comment) @comment
(ERROR) @error

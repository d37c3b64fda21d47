; Tables, and the keys of lists and inline tables.
(table . [(bare_key) (dotted_key) (quoted_key)] @name . (pair)? @body) @def.section
(table_array_element . [(bare_key) (dotted_key) (quoted_key)] @name . (pair)? @body) @def.section
(document (pair . [(bare_key) (dotted_key) (quoted_key)] @name [(array) (inline_table)] @body) @def.section)
(table (pair . [(bare_key) (dotted_key) (quoted_key)] @name [(array) (inline_table)] @body) @def.section)

(comment) @comment
(ERROR) @error

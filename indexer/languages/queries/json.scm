; The keys of objects and lists, by depth. A long list is cut at its items.
(document (object (pair key: (string) @name value: [(object) (array)] @body) @def.section))
(document (object (pair value: (object (pair key: (string) @name value: [(object) (array)] @body) @def.section))))
(document (object (pair value: (object (pair value: (object (pair key: (string) @name value: [(object) (array)] @body) @def.section))))))
(document (array) @body)

(comment) @comment
(ERROR) @error

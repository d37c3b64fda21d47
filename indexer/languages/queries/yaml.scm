; The keys of mappings and lists, by depth. A long list is cut at its items.
(document (block_node (block_mapping (block_mapping_pair key: (flow_node) @name value: (block_node) @body) @def.section)))
(document (block_node (block_mapping (block_mapping_pair value: (block_node (block_mapping (block_mapping_pair key: (flow_node) @name value: (block_node) @body) @def.section))))))
(document (block_node (block_mapping (block_mapping_pair value: (block_node (block_mapping
  (block_mapping_pair value: (block_node (block_mapping (block_mapping_pair key: (flow_node) @name value: (block_node) @body) @def.section)))))))))
(document (block_node (block_sequence) @body))
(ERROR (block_node (block_mapping (block_mapping_pair key: (flow_node) @name value: (block_node) @body) @def.section)))
(ERROR (block_mapping_pair key: (flow_node) @name value: (block_node) @body) @def.section)

; A resource of Kubernetes: its kind and name.
(document (block_node (block_mapping
  (block_mapping_pair key: (flow_node) @_kind value: (flow_node) @container)
  (block_mapping_pair key: (flow_node) @_metadata value: (block_node (block_mapping (block_mapping_pair key: (flow_node) @_name value: (flow_node) @name)))))
  (#eq? @_kind "kind") (#eq? @_metadata "metadata") (#eq? @_name "name"))) @def.section

(comment) @comment
(ERROR) @error

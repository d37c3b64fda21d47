; Package and imports.
(package (full_ident) @package)
(import "public" @export path: (_) @import.path) @import.all
(import path: (_) @import.path) @import.all

; Declarations.
(message (message_name) @name (message_body) @body) @def.class
(enum (enum_name) @name (enum_body) @body) @def.enum
(service (service_name) @name "{" @body) @def.interface
(rpc (rpc_name) @name "{"? @body) @def.method
(field (type) @type (identifier) @name) @def.field
(map_field (type) @type (identifier) @name) @def.field
(oneof (identifier) @name) @def.field
(oneof_field (type) @type (identifier) @name) @def.field
(enum_field (identifier) @name) @def.constant

; Uses.
(message_or_enum_type) @ref.type

(comment) @comment
(ERROR) @error

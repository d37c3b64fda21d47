// How tree-sitter keeps a tree, a language and a lexer in memory, as in subtree.h, tree.h, parser.h
// and lexer.h of its version in github.com/smacker/go-tree-sitter, which go.mod pins. A test compares what
// is read with it with what the functions of the library say, in every language.
#ifndef AMBIT_TREE_H
#define AMBIT_TREE_H

#include <stdbool.h>
#include <stdint.h>

typedef uint16_t TSSymbol;
typedef uint16_t TSStateId;

typedef struct {
  uint16_t field_id;
  uint8_t child_index;
  bool inherited;
} TSFieldMapEntry;

typedef struct {
  uint16_t index, length;
} TSFieldMapSlice;

typedef struct {
  bool visible, named, supertype;
} TSSymbolMetadata;

typedef struct TSLexer TSLexer;

typedef struct TSLanguage {
  uint32_t version, symbol_count, alias_count, token_count, external_token_count, state_count, large_state_count,
      production_id_count, field_count;
  uint16_t max_alias_sequence_length;
  const uint16_t *parse_table, *small_parse_table;
  const uint32_t *small_parse_table_map;
  const void *parse_actions;
  const char *const *symbol_names, *const *field_names;
  const TSFieldMapSlice *field_map_slices;
  const TSFieldMapEntry *field_map_entries;
  const TSSymbolMetadata *symbol_metadata;
  const TSSymbol *public_symbol_map;
  const uint16_t *alias_map;
  const TSSymbol *alias_sequences;
  const void *lex_modes;
  bool (*lex_fn)(TSLexer *, TSStateId);
  bool (*keyword_lex_fn)(TSLexer *, TSStateId);
  TSSymbol keyword_capture_token;
  struct {
    const bool *states;
    const TSSymbol *symbol_map;
    void *(*create)(void);
    void (*destroy)(void *);
    bool (*scan)(void *, TSLexer *, const bool *);
    unsigned (*serialize)(void *, char *);
    void (*deserialize)(void *, const char *, unsigned);
  } external_scanner;
  const TSStateId *primary_state_ids; // from version 14 on
} TSLanguage;

#define SUBTREE_BITS \
  bool visible : 1;  \
  bool named : 1;    \
  bool extra : 1;    \
  bool has_changes : 1; \
  bool is_missing : 1;  \
  bool is_keyword : 1;

#define SUBTREE_SIZE           \
  uint8_t padding_columns;     \
  uint8_t padding_rows : 4;    \
  uint8_t lookahead_bytes : 4; \
  uint8_t padding_bytes;       \
  uint8_t size_bytes;

// SubtreeInlineData is a small leaf. is_inline is where a pointer has its lowest bit, which is 0.
typedef struct {
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#if UINTPTR_MAX == 0xFFFFFFFF
  uint16_t parse_state;
  uint8_t symbol;
  SUBTREE_BITS
  bool unused : 1;
  bool is_inline : 1;
  SUBTREE_SIZE
#else
  SUBTREE_SIZE
  uint16_t parse_state;
  uint8_t symbol;
  SUBTREE_BITS
  bool unused : 1;
  bool is_inline : 1;
#endif
#else
  bool is_inline : 1;
  SUBTREE_BITS
  uint8_t symbol;
  uint16_t parse_state;
  SUBTREE_SIZE
#endif
} SubtreeInlineData;

#undef SUBTREE_BITS
#undef SUBTREE_SIZE

typedef struct {
  uint32_t bytes, row, column;
} Length;

// SubtreeHeapData is any other subtree. Its children, which are Subtrees, end where it starts.
typedef struct {
  volatile uint32_t ref_count;
  Length padding, size;
  uint32_t lookahead_bytes, error_cost, child_count;
  TSSymbol symbol;
  TSStateId parse_state;
  bool visible : 1;
  bool named : 1;
  bool extra : 1;
  bool fragile_left : 1;
  bool fragile_right : 1;
  bool has_changes : 1;
  bool has_external_tokens : 1;
  bool has_external_scanner_state_change : 1;
  bool depends_on_column : 1;
  bool is_missing : 1;
  bool is_keyword : 1;
  union {
    struct { // with children
      uint32_t visible_child_count, named_child_count, visible_descendant_count;
      int32_t dynamic_precedence;
      uint16_t repeat_depth, production_id;
    } inner;
    struct { // a token of an external scanner
      char data[24];
      uint32_t length;
    } external;
    char *long_data; // aligns the union as the library does
  };
} SubtreeHeapData;

typedef union {
  SubtreeInlineData data;
  const SubtreeHeapData *ptr;
} Subtree;

// TSTree is the start of the library's type.
typedef struct {
  Subtree root;
  const TSLanguage *language;
} TSTree;

typedef struct {
  uint32_t row, column;
} TSPoint;
typedef struct {
  void *payload;
  const char *(*read)(void *payload, uint32_t at, TSPoint, uint32_t *n);
  int encoding; // 0 for UTF-8
} TSInput;

struct TSLexer {
  int32_t lookahead;
  TSSymbol result_symbol;
  void (*advance)(TSLexer *, bool);
  void (*mark_end)(TSLexer *);
  uint32_t (*get_column)(TSLexer *);
  bool (*is_at_included_range_start)(const TSLexer *);
  bool (*eof)(const TSLexer *);
};

// Lexer is the start of the library's type.
typedef struct {
  TSLexer data;
  Length current_position, token_start_position, token_end_position;
  void *included_ranges;
  const char *chunk; // the piece of the text that was read, from chunk_start on
  TSInput input;
  struct {
    void *payload;
    void (*log)(void *payload, int type, const char *);
  } logger;
  uint32_t included_range_count, current_included_range_index;
  uint32_t chunk_start, chunk_size;
  uint32_t lookahead_size; // bytes of the current character
} Lexer;

#define OF(t, field) ((t).data.is_inline ? (t).data.field : (t).ptr->field)
static inline TSSymbol symbol_of(Subtree t) { return OF(t, symbol); }
static inline bool visible_of(Subtree t) { return OF(t, visible); }
static inline bool named_of(Subtree t) { return OF(t, named); }
static inline bool extra_of(Subtree t) { return OF(t, extra); }
static inline bool has_error(Subtree t) { return OF(t, is_missing) || (!t.data.is_inline && t.ptr->error_cost > 0); }
#undef OF
static inline uint32_t padding_of(Subtree t) { return t.data.is_inline ? t.data.padding_bytes : t.ptr->padding.bytes; }
static inline uint32_t size_of(Subtree t) { return t.data.is_inline ? t.data.size_bytes : t.ptr->size.bytes; }

// visible_children reports whether a subtree has nodes in it.
static inline bool visible_children(Subtree t) {
  return !t.data.is_inline && t.ptr->child_count > 0 && t.ptr->inner.visible_child_count > 0;
}

// An error has the last symbols, which no table knows.
static inline TSSymbol public_symbol(const TSLanguage *l, TSSymbol s) { return s == 0xFFFF ? s : l->public_symbol_map[s]; }
static inline bool alias_named(const TSLanguage *l, TSSymbol s) {
  return s == 0xFFFF || (s != 0xFFFE && l->symbol_metadata[s].named);
}

#endif

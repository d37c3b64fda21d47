#include "scan.h"

#include <stdbool.h>
#include <stdlib.h>

// The part of tree-sitter's C API that is used here, as in its api.h (ABI 13–14).
// The functions are linked in by github.com/smacker/go-tree-sitter.
typedef struct TSParser TSParser;
typedef struct TSTree TSTree;
typedef struct TSQueryCursor TSQueryCursor;
typedef struct {
  uint32_t context[4];
  const void *id;
  const TSTree *tree;
} TSNode;
typedef struct {
  const void *tree;
  const void *id;
  uint32_t context[3];
} TSTreeCursor;
typedef struct {
  TSNode node;
  uint32_t index;
} TSQueryCapture;
typedef struct {
  uint32_t id;
  uint16_t pattern_index;
  uint16_t capture_count;
  const TSQueryCapture *captures;
} TSQueryMatch;

TSParser *ts_parser_new(void);
void ts_parser_delete(TSParser *);
void ts_parser_reset(TSParser *);
bool ts_parser_set_language(TSParser *, const void *);
void ts_parser_set_timeout_micros(TSParser *, uint64_t);
TSTree *ts_parser_parse_string(TSParser *, const TSTree *, const char *, uint32_t);
void ts_tree_delete(TSTree *);
TSNode ts_tree_root_node(const TSTree *);
uint32_t ts_node_start_byte(TSNode);
uint32_t ts_node_end_byte(TSNode);
bool ts_node_is_named(TSNode);
TSTreeCursor ts_tree_cursor_new(TSNode);
void ts_tree_cursor_delete(TSTreeCursor *);
TSNode ts_tree_cursor_current_node(const TSTreeCursor *);
bool ts_tree_cursor_goto_first_child(TSTreeCursor *);
bool ts_tree_cursor_goto_next_sibling(TSTreeCursor *);
bool ts_tree_cursor_goto_parent(TSTreeCursor *);
TSQueryCursor *ts_query_cursor_new(void);
void ts_query_cursor_delete(TSQueryCursor *);
void ts_query_cursor_exec(TSQueryCursor *, const void *, TSNode);
void ts_query_cursor_set_match_limit(TSQueryCursor *, uint32_t);
void ts_query_cursor_set_max_start_depth(TSQueryCursor *, uint32_t);
bool ts_query_cursor_next_match(TSQueryCursor *, TSQueryMatch *);

// Patterns that are still open at once; only pathological input comes near.
#define MATCH_LIMIT 4096

struct ambit_scanner {
  TSParser *parser;
  TSQueryCursor *cursor;
  ambit_capture *captures;
  int64_t n, cap;
};

ambit_scanner *ambit_scanner_new(void) {
  ambit_scanner *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->parser = ts_parser_new();
  s->cursor = ts_query_cursor_new();
  ts_query_cursor_set_match_limit(s->cursor, MATCH_LIMIT);
  return s;
}

void ambit_scanner_delete(ambit_scanner *s) {
  if (!s) return;
  ts_parser_delete(s->parser);
  ts_query_cursor_delete(s->cursor);
  free(s->captures);
  free(s);
}

static bool push(ambit_scanner *s, ambit_capture c) {
  if (s->n == s->cap) {
    int64_t cap = s->cap ? s->cap * 2 : 4096;
    ambit_capture *p = realloc(s->captures, (size_t)cap * sizeof *p);
    if (!p) return false;
    s->captures = p;
    s->cap = cap;
  }
  s->captures[s->n++] = c;
  return true;
}

// breaks pushes the starts of node's named children, and of the children of those
// that are themselves larger than size, down to max_depth levels.
static bool breaks(ambit_scanner *s, TSNode node, uint32_t match, uint32_t size, uint32_t max_depth) {
  TSTreeCursor c = ts_tree_cursor_new(node);
  uint32_t depth = 0;
  bool ok = true, down = ts_tree_cursor_goto_first_child(&c);
  if (down) depth = 1;
  while (ok && depth > 0) {
    TSNode n = ts_tree_cursor_current_node(&c);
    uint32_t start = ts_node_start_byte(n), end = ts_node_end_byte(n);
    if (ts_node_is_named(n)) ok = push(s, (ambit_capture){match, 0, AMBIT_BREAK, start, end});
    if (end - start > size && depth < max_depth && ts_tree_cursor_goto_first_child(&c)) {
      depth++;
      continue;
    }
    while (depth > 0 && !ts_tree_cursor_goto_next_sibling(&c)) {
      if (!ts_tree_cursor_goto_parent(&c)) depth = 1;
      depth--;
    }
  }
  ts_tree_cursor_delete(&c);
  return ok;
}

int64_t ambit_scan(ambit_scanner *s, const void *language, const void *query, const char *text, uint32_t n,
                   uint64_t timeout_micros, uint32_t max_depth, uint16_t body_capture, uint32_t breaks_bytes,
                   ambit_capture **out) {
  s->n = 0;
  ts_parser_reset(s->parser);
  ts_parser_set_language(s->parser, language);
  ts_parser_set_timeout_micros(s->parser, timeout_micros);
  TSTree *tree = ts_parser_parse_string(s->parser, NULL, text, n);
  if (!tree) {
    ts_parser_reset(s->parser);
    return -1;
  }
  bool ok = true;
  if (query) {
    ts_query_cursor_set_max_start_depth(s->cursor, max_depth);
    ts_query_cursor_exec(s->cursor, query, ts_tree_root_node(tree));
    TSQueryMatch m;
    uint32_t match = 0, broken_to = 0;
    for (; ok && ts_query_cursor_next_match(s->cursor, &m); match++) {
      for (uint16_t i = 0; ok && i < m.capture_count; i++) {
        TSNode node = m.captures[i].node;
        uint32_t start = ts_node_start_byte(node), end = ts_node_end_byte(node);
        ok = push(s, (ambit_capture){match, m.pattern_index, (uint16_t)m.captures[i].index, start, end});
        // A body is cut once: bodies inside it were visited with it.
        if (ok && m.captures[i].index == body_capture && end - start > breaks_bytes && end > broken_to) {
          ok = breaks(s, node, match, breaks_bytes, max_depth);
          broken_to = end;
        }
      }
    }
  }
  ts_tree_delete(tree);
  *out = s->captures;
  return ok ? s->n : -2;
}

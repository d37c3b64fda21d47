#include "scan.h"

#include "arena.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// The part of tree-sitter's C API that is used here, as in its api.h (ABI 13–14).
// github.com/smacker/go-tree-sitter compiles the functions; see scan.go on linking.
typedef struct TSParser TSParser;
typedef struct TSTree TSTree;
typedef struct {
  uint32_t row, column;
} TSPoint;
typedef struct {
  void *payload;
  const char *(*read)(void *payload, uint32_t at, TSPoint, uint32_t *n);
  int encoding; // 0 for UTF-8
} TSInput;
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

TSParser *ts_parser_new(void);
void ts_parser_delete(TSParser *);
bool ts_parser_set_language(TSParser *, const void *);
void ts_parser_set_cancellation_flag(TSParser *, const size_t *);
TSTree *ts_parser_parse(TSParser *, const TSTree *, TSInput);
void ts_set_allocator(void *(*)(size_t), void *(*)(size_t, size_t), void *(*)(void *, size_t), void (*)(void *));
TSNode ts_tree_root_node(const TSTree *);
uint32_t ts_node_start_byte(TSNode);
uint32_t ts_node_end_byte(TSNode);
uint16_t ts_node_symbol(TSNode);
bool ts_node_is_named(TSNode);
bool ts_node_has_error(TSNode);
TSTreeCursor ts_tree_cursor_new(TSNode);
void ts_tree_cursor_delete(TSTreeCursor *);
TSNode ts_tree_cursor_current_node(const TSTreeCursor *);
uint16_t ts_tree_cursor_current_field_id(const TSTreeCursor *);
bool ts_tree_cursor_goto_first_child(TSTreeCursor *);
bool ts_tree_cursor_goto_next_sibling(TSTreeCursor *);
bool ts_tree_cursor_goto_parent(TSTreeCursor *);
uint16_t ts_language_symbol_for_name(const void *, const char *, uint32_t, bool);
uint16_t ts_language_field_id_for_name(const void *, const char *, uint32_t);

// The parser can do three things without end: read text, allocate, and copy. An allocation
// stands for the steps around it; copies go to memory that was just allocated. The prices
// are about nanoseconds: of 90 hostile texts each in Go, Python and TypeScript the costliest
// parses took 2 ns a unit, and those of ordinary files take 0.6.
enum { PRICE_READ = 20, PRICE_ALLOC = 700, PRICE_COPY = 2 }; // a byte, a call, a byte
enum { PIECE = 512, STRICT_PIECE = 128 };                    // bytes; what the parser reads at once

// meter counts the work of the parser on this thread. The parser looks at stop after every
// 100 steps.
static _Thread_local struct {
  uint64_t work, limit;
  size_t stop;
  ambit_arena *arena; // of the scan that runs on this thread; NULL outside of one
  bool strict;        // the parse ends at the first syntax error
  uint32_t broken;    // the bytes that a strict parse had seen at an error, 0 for none
  uint32_t seen;      // bytes of the text that the parser has seen
  bool ended;         // it has seen the end
  size_t before;      // the size of the last allocation, 0 for one of another kind
} meter;

static void spend(uint64_t work) {
  meter.work += work;
  if (meter.work > meter.limit) meter.stop = 1;
}

// This version of the library cannot be told to end a parse at the first syntax error, which
// costs it more than the rest of a small text. It summarizes its stack when it begins to recover
// from an error that stays in the tree: it allocates an array, and then room for the first
// entries. It allocates nothing else of these sizes in a row. Behind the end of the text an error
// can be that of a second reading beside a complete one. A test holds this against whole parses;
// from version 0.25 on the library tells of an error while it parses.
enum { SUMMARY = sizeof(struct { void *entries; uint32_t size, capacity; }) };
enum { ENTRIES = 8 * sizeof(struct { uint32_t length[3], depth; uint16_t state; }) };

static void watch(size_t n) {
  if (meter.strict && !meter.ended && n == ENTRIES && meter.before == SUMMARY) {
    meter.broken = meter.seen;
    meter.stop = 1;
  }
  meter.before = n;
}

static void *allocated(void *p, size_t n) {
  if (!p && n) abort(); // as the library does
  spend(PRICE_ALLOC + PRICE_COPY * n);
  return p;
}

// What a scan allocates is in its arena, and dies with the scan. Other users of the library,
// whose memory no scan sees, get theirs from the general allocator.
static void *metered_malloc(size_t n) {
  watch(n);
  return allocated(meter.arena ? ambit_arena_malloc(meter.arena, n) : malloc(n), n);
}

static void *metered_calloc(size_t n, size_t size) {
  if (!meter.arena) return allocated(calloc(n, size), n * size);
  return memset(metered_malloc(n * size), 0, n * size);
}

static void *metered_realloc(void *p, size_t n) {
  meter.before = 0;
  return allocated(meter.arena ? ambit_arena_realloc(meter.arena, p, n) : realloc(p, n), n);
}

static void metered_free(void *p) {
  if (meter.arena)
    ambit_arena_free(meter.arena, p);
  else
    free(p);
}

void ambit_meter(void) { ts_set_allocator(metered_malloc, metered_calloc, metered_realloc, metered_free); }

typedef struct {
  const char *text;
  uint32_t n;
} source;

// read_piece hands the text to the parser piece by piece, so that reading again is counted. When
// the work is spent, the text ends: a scanner of a grammar that reads on to the end of 1 MB in
// each of 100 steps would take a second before the parser looks at stop. It ends before an ASCII
// character only: the lexer asks again for a character of which it has the first bytes, and then
// reads from NULL when it gets nothing.
static const char *read_piece(void *payload, uint32_t at, TSPoint point, uint32_t *n) {
  (void)point;
  const source *s = payload;
  uint32_t piece = meter.strict ? STRICT_PIECE : PIECE;
  if (at > s->n) at = s->n;
  *n = s->n - at < piece ? s->n - at : piece;
  meter.ended |= *n == 0;
  if (at + *n > meter.seen) meter.seen = at + *n;
  spend(PRICE_READ * piece);
  if (meter.stop && *n > 0) {
    uint32_t character = (unsigned char)s->text[at] < 0x80 ? 0 : 4; // the longest one in UTF-8
    if (*n > character) *n = character;
  }
  return s->text + at;
}

// parse returns NULL when the work exceeds limit, or when a strict parse meets an error. A parser that parsed before has memory
// left over and would do less work, so each parse has a new one. The tree is in the arena.
static TSTree *parse(ambit_arena *arena, const void *language, const char *text, uint32_t n, uint64_t limit, bool strict) {
  memset(&meter, 0, sizeof meter);
  meter.limit = limit;
  meter.strict = strict;
  meter.arena = arena;
  TSParser *parser = ts_parser_new();
  ts_parser_set_language(parser, language);
  ts_parser_set_cancellation_flag(parser, &meter.stop);
  source s = {text, n};
  TSTree *tree = ts_parser_parse(parser, NULL, (TSInput){&s, read_piece, 0});
  ts_parser_delete(parser);
  return meter.stop ? NULL : tree; // of a text that ended too early
}

struct ambit_scanner {
  ambit_arena *arena;
  ambit_node *nodes;
  uint32_t *open; // indexes of the nodes around the current one, max_depth of them
  uint32_t depth_cap;
  int64_t n, cap;
};

ambit_scanner *ambit_scanner_new(void) {
  ambit_scanner *s = calloc(1, sizeof(ambit_scanner));
  if (!s || !(s->arena = ambit_arena_new())) abort();
  return s;
}

void ambit_scanner_delete(ambit_scanner *s) {
  if (!s) return;
  ambit_arena_delete(s->arena);
  free(s->nodes);
  free(s->open);
  free(s);
}

static bool push(ambit_scanner *s, ambit_node node) {
  if (s->n == s->cap) {
    int64_t cap = s->cap ? s->cap * 2 : 1 << 14;
    ambit_node *p = realloc(s->nodes, (size_t)cap * sizeof *p);
    if (!p) return false;
    s->nodes = p;
    s->cap = cap;
  }
  s->nodes[s->n++] = node;
  return true;
}

// flatten lists the nodes of a tree in one pass of a cursor.
static bool flatten(ambit_scanner *s, TSTree *tree, const uint8_t *wanted, uint32_t max_depth) {
  TSNode root = ts_tree_root_node(tree);
  TSTreeCursor c = ts_tree_cursor_new(root);
  bool broken = ts_node_has_error(root);
  uint32_t depth = 0;
  bool ok = true, fields = false;
  while (ok) {
    TSNode node = ts_tree_cursor_current_node(&c);
    uint16_t symbol = ts_node_symbol(node);
    bool named = ts_node_is_named(node);
    if (named || (wanted[symbol] & AMBIT_TOKEN)) {
      uint16_t field = fields ? ts_tree_cursor_current_field_id(&c) : 0;
      uint32_t at = (uint32_t)s->n;
      if (named) field |= AMBIT_NAMED;
      if (broken && ts_node_has_error(node)) field |= AMBIT_BROKEN;
      ok = push(s, (ambit_node){symbol, field, ts_node_start_byte(node), ts_node_end_byte(node), at + 1});
      if (!ok) break;
      if (depth < max_depth && ts_tree_cursor_goto_first_child(&c)) {
        s->open[depth++] = at;
        fields = wanted[symbol] & AMBIT_FIELDS;
        continue;
      }
    }
    while (!ts_tree_cursor_goto_next_sibling(&c)) {
      if (depth == 0 || !ts_tree_cursor_goto_parent(&c)) goto done;
      s->nodes[s->open[--depth]].next = (uint32_t)s->n;
      fields = depth > 0 && (wanted[s->nodes[s->open[depth - 1]].symbol] & AMBIT_FIELDS);
    }
  }
done:
  ts_tree_cursor_delete(&c);
  return ok;
}

int64_t ambit_scan(ambit_scanner *s, const void *language, const uint8_t *wanted, const char *text, uint32_t n,
                   uint64_t *work, uint32_t max_depth, ambit_node **out) {
  s->n = 0;
  if (s->depth_cap < max_depth) {
    uint32_t *p = realloc(s->open, max_depth * sizeof *p);
    if (!p) return -2;
    s->open = p;
    s->depth_cap = max_depth;
  }
  TSTree *tree = parse(s->arena, language, text, n, *work, false);
  *work = meter.work;
  bool ok = tree && flatten(s, tree, wanted, max_depth);
  meter.arena = NULL;
  ambit_arena_reset(s->arena);
  *out = s->nodes;
  return !tree ? -1 : ok ? s->n : -2;
}

int64_t ambit_sound(ambit_scanner *s, const void *language, const char *text, uint32_t n, uint64_t *work) {
  TSTree *tree = parse(s->arena, language, text, n, *work, true);
  *work = meter.work;
  bool sound = tree && !ts_node_has_error(ts_tree_root_node(tree));
  meter.arena = NULL;
  ambit_arena_reset(s->arena);
  if (meter.broken) return meter.broken;
  return !tree ? -1 : sound ? 0 : (int64_t)n + 1;
}

uint16_t ambit_symbol(const void *language, const char *name, uint32_t n, int named) {
  return ts_language_symbol_for_name(language, name, n, named != 0);
}

uint16_t ambit_field(const void *language, const char *name, uint32_t n) {
  return ts_language_field_id_for_name(language, name, n);
}

#ifdef __GLIBC__
#include <malloc.h>

void ambit_release(void) { malloc_trim(0); }
#else
void ambit_release(void) {}
#endif

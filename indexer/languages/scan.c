#include "scan.h"

#include "arena.h"
#include "tree.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// The part of tree-sitter's C API that is used here, as in its api.h (ABI 13–14).
// github.com/smacker/go-tree-sitter compiles the functions; see scan.go on linking.
typedef struct TSParser TSParser;
typedef struct {
  uint32_t context[4];
  const void *id;
  const TSTree *tree;
} TSNode;
TSParser *ts_parser_new(void);
void ts_parser_delete(TSParser *);
bool ts_parser_set_language(TSParser *, const void *);
void ts_parser_set_cancellation_flag(TSParser *, const size_t *);
TSTree *ts_parser_parse(TSParser *, const TSTree *, TSInput);
void ts_set_allocator(void *(*)(size_t), void *(*)(size_t, size_t), void *(*)(void *, size_t), void (*)(void *));
TSNode ts_tree_root_node(const TSTree *);
bool ts_node_has_error(TSNode);
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
  void (*advance)(TSLexer *, bool); // the library's
  void (*mark_end)(TSLexer *);
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

// advance moves a lexer to the next character, as the library does: with less ado when that is
// ASCII and in the piece that was read. A grammar calls it for each character.
static void advance(TSLexer *lexer, bool skip) {
  Lexer *l = (Lexer *)lexer;
  uint32_t size = l->lookahead_size, next = l->current_position.bytes + size, at = next - l->chunk_start;
  if (!l->chunk || size == 0 || at >= l->chunk_size || (unsigned char)l->chunk[at] >= 0x80) {
    meter.advance(lexer, skip);
    return;
  }
  l->current_position.bytes = next;
  if (lexer->lookahead == '\n') {
    l->current_position.row++;
    l->current_position.column = 0;
  } else {
    l->current_position.column += size;
  }
  if (skip) l->token_start_position = l->current_position;
  lexer->lookahead = l->chunk[at];
  l->lookahead_size = 1;
}

static void mark_end(TSLexer *lexer) {
  Lexer *l = (Lexer *)lexer;
  if (l->current_included_range_index == 0) // a text is one range
    l->token_end_position = l->current_position;
  else
    meter.mark_end(lexer);
}

// parse returns NULL when the work exceeds limit, or when a strict parse meets an error. A parser that parsed before has memory
// left over and would do less work, so each parse has a new one. The tree is in the arena.
static TSTree *parse(ambit_arena *arena, const void *language, const char *text, uint32_t n, uint64_t limit, bool strict) {
  memset(&meter, 0, sizeof meter);
  meter.limit = limit;
  meter.strict = strict;
  meter.arena = arena;
  TSParser *parser = ts_parser_new();
  TSLexer *lexer = (TSLexer *)parser; // a parser starts with its lexer
  meter.advance = lexer->advance;
  meter.mark_end = lexer->mark_end;
  lexer->advance = advance;
  lexer->mark_end = mark_end;
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
  struct level *levels; // the current one is the last
  uint32_t n_levels, levels_cap;
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
  free(s->levels);
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

// level is a subtree whose children are being listed.
struct level {
  const Subtree *child, *end;
  const TSSymbol *aliases;              // of the children that are no extras, NULL for none
  const TSFieldMapEntry *fields, *last; // of the same children
  uint32_t nth;                         // how many of them are before child
  uint32_t behind;                      // where the subtree ends
  uint32_t node;                        // its index, unless it is hidden
  uint16_t field;                       // that its children have from it, when it is hidden
  bool hidden, first, wanted;           // wanted: fields
};

// enter makes a subtree that starts at a byte the current level.
static bool enter(ambit_scanner *s, const TSLanguage *language, Subtree t, uint32_t at, struct level l) {
  if (s->n_levels == s->levels_cap) {
    uint32_t cap = s->levels_cap ? s->levels_cap * 2 : 256;
    struct level *p = realloc(s->levels, cap * sizeof *p);
    if (!p) return false;
    s->levels = p;
    s->levels_cap = cap;
  }
  l.end = (const Subtree *)t.ptr;
  l.child = l.end - t.ptr->child_count;
  l.behind = at + t.ptr->size.bytes;
  l.first = true;
  uint32_t production = t.ptr->inner.production_id;
  if (production) l.aliases = &language->alias_sequences[production * language->max_alias_sequence_length];
  if (l.wanted && language->field_count) {
    TSFieldMapSlice slice = language->field_map_slices[production];
    l.fields = &language->field_map_entries[slice.index];
    l.last = l.fields + slice.length;
  }
  s->levels[s->n_levels++] = l;
  return true;
}

// field_of returns the field of the child of a level, which is no extra.
static inline uint16_t field_of(const struct level *l) {
  for (const TSFieldMapEntry *f = l->fields; f < l->last; f++)
    if (!f->inherited && f->child_index == l->nth) return f->field_id;
  return l->field;
}

// flatten lists the nodes of a tree. A hidden subtree is no node: its children stand in its
// place. This is what a cursor of the library does, which is most of its own time away from
// the tree: it keeps rows and columns, and reads the way up again for each field.
static bool flatten(ambit_scanner *s, const TSTree *tree, const uint8_t *wanted, uint32_t max_depth) {
  const TSLanguage *language = tree->language;
  Subtree t = tree->root;
  uint32_t at = padding_of(t), depth = 0;
  uint16_t symbol = public_symbol(language, symbol_of(t)), field = 0;
  bool named = named_of(t);
  s->n_levels = 0;
  for (;;) {
    // t is a node that starts at byte at.
    if (named || (wanted[symbol] & AMBIT_TOKEN)) {
      uint32_t node = (uint32_t)s->n;
      if (named) field |= AMBIT_NAMED;
      if (has_error(t)) field |= AMBIT_BROKEN;
      if (!push(s, (ambit_node){symbol, field, at, at + size_of(t), node + 1})) return false;
      if (depth < max_depth && visible_children(t)) {
        depth++;
        if (!enter(s, language, t, at, (struct level){.node = node, .wanted = wanted[symbol] & AMBIT_FIELDS})) return false;
      } else {
        at += size_of(t);
      }
    } else {
      at += size_of(t);
    }
    for (bool found = false; !found;) { // the next node
      if (s->n_levels == 0) return true;
      struct level *l = &s->levels[s->n_levels - 1];
      if (l->child == l->end) {
        at = l->behind;
        if (!l->hidden) {
          s->nodes[l->node].next = (uint32_t)s->n;
          depth--;
        }
        s->n_levels--;
        continue;
      }
      t = *l->child++;
      if (!l->first) at += padding_of(t);
      l->first = false;
      uint16_t alias = 0;
      field = 0;
      if (!extra_of(t)) {
        if (l->aliases) alias = l->aliases[l->nth];
        if (l->wanted) field = field_of(l);
        l->nth++;
      }
      if (alias || visible_of(t)) {
        symbol = public_symbol(language, alias ? alias : symbol_of(t));
        named = alias ? alias_named(language, alias) : named_of(t);
        found = true;
      } else if (visible_children(t)) {
        if (!enter(s, language, t, at, (struct level){.hidden = true, .field = field, .wanted = l->wanted})) return false;
      } else {
        at += size_of(t);
      }
    }
  }
}

int64_t ambit_scan(ambit_scanner *s, const void *language, const uint8_t *wanted, const char *text, uint32_t n,
                   uint64_t *work, uint32_t max_depth, ambit_node **out) {
  s->n = 0;
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

const void *ambit_wide(const void *language, size_t max_bytes) {
  const TSLanguage *l = language;
  size_t n_symbols = l->symbol_count, n_states = l->state_count, bytes = n_states * n_symbols * sizeof(uint16_t);
  if (l->version != 14 || bytes > max_bytes) return language;
  TSLanguage *wide = malloc(sizeof *wide);
  uint16_t *table = calloc(n_states * n_symbols, sizeof *table);
  if (!wide || !table) {
    free(wide);
    free(table);
    return language;
  }
  memcpy(table, l->parse_table, l->large_state_count * n_symbols * sizeof *table);
  for (size_t state = l->large_state_count; state < n_states; state++) {
    const uint16_t *data = &l->small_parse_table[l->small_parse_table_map[state - l->large_state_count]];
    for (uint16_t n_groups = *data++; n_groups > 0; n_groups--) {
      uint16_t value = *data++;
      for (uint16_t n = *data++; n > 0; n--) table[state * n_symbols + *data++] = value;
    }
  }
  *wide = *l;
  wide->parse_table = table;
  wide->large_state_count = l->state_count;
  return wide;
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

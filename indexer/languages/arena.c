#include "arena.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// A piece is a header with its size, and the memory behind it. Pieces are cut off the current
// block from its start on. A freed piece goes into the list of its size, from which the next
// piece of that size comes. Sizes include the header.

typedef struct block {
  struct block *next;
  size_t size; // with this header
} block;

typedef struct free_piece {
  struct free_piece *next; // of the same size
} free_piece;

enum {
  ALIGN = 16,      // of the memory of a piece, which is what malloc aligns to
  HEADER = 8,      // bytes of the header of a piece
  SMALL = 512,     // sizes up to this are multiples of ALIGN; above, there are four in each power of two
  BLOCK = 1 << 18, // bytes of a block that is not made for one large piece
  LARGE = BLOCK / 8,
  KEPT = 8 << 20, // bytes of the blocks that a reset keeps, enough to parse 100 KB of code
  N_SMALL = SMALL / ALIGN + 1,
  N_LISTS = N_SMALL + 4 * 64,
};

struct ambit_arena {
  block *used, *spare; // the current block is the first one of used
  char *at, *end;      // the free part of the current block; at + HEADER is aligned
  free_piece *lists[N_LISTS];
};

ambit_arena *ambit_arena_new(void) { return calloc(1, sizeof(ambit_arena)); }

static void delete_blocks(block *b) {
  while (b) {
    block *next = b->next;
    free(b);
    b = next;
  }
}

void ambit_arena_delete(ambit_arena *a) {
  if (!a) return;
  delete_blocks(a->used);
  delete_blocks(a->spare);
  free(a);
}

void ambit_arena_reset(ambit_arena *a) {
  size_t kept = 0;
  for (block *b = a->spare; b; b = b->next) kept += b->size;
  while (a->used) {
    block *b = a->used;
    a->used = b->next;
    if (kept + b->size > KEPT) {
      free(b);
      continue;
    }
    kept += b->size;
    b->next = a->spare;
    a->spare = b;
  }
  a->at = a->end = NULL;
  memset(a->lists, 0, sizeof a->lists);
}

// list rounds a size up to the next one that has a list, and returns the number of the list.
static inline size_t list(size_t *size) {
  if (*size <= SMALL) {
    *size = (*size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    return *size / ALIGN;
  }
  int shift = 61 - __builtin_clzll((unsigned long long)*size - 1);
  size_t quarters = (*size - 1) >> shift; // 4 to 7
  *size = (quarters + 1) << shift;
  return N_SMALL + 4 * (size_t)shift + quarters - 4;
}

static inline size_t *header(void *p) { return (size_t *)((char *)p - HEADER); }

// new_block returns a block with room for a piece: a spare one or a new one.
static block *new_block(ambit_arena *a, size_t size) {
  size_t need = sizeof(block) + ALIGN + size;
  for (block **b = &a->spare; *b; b = &(*b)->next) {
    if ((*b)->size < need) continue;
    block *found = *b;
    *b = found->next;
    return found;
  }
  if (need < BLOCK) need = BLOCK;
  block *b = malloc(need);
  if (b) b->size = need;
  return b;
}

static char *first_piece(block *b) {
  uintptr_t start = (uintptr_t)(b + 1) + HEADER;
  return (char *)((start + ALIGN - 1) & ~(uintptr_t)(ALIGN - 1)) - HEADER;
}

// cut returns a piece behind all others of a block.
static void *cut(ambit_arena *a, size_t size) {
  if ((size_t)(a->end - a->at) < size) {
    block *b = new_block(a, size);
    if (!b) return NULL;
    if (size >= LARGE && a->used) { // the current block has room for others
      b->next = a->used->next;
      a->used->next = b;
      *(size_t *)first_piece(b) = size;
      return first_piece(b) + HEADER;
    }
    b->next = a->used;
    a->used = b;
    a->at = first_piece(b);
    a->end = (char *)b + b->size;
  }
  char *p = a->at;
  a->at += size;
  *(size_t *)p = size;
  return p + HEADER;
}

void *ambit_arena_malloc(ambit_arena *a, size_t n) {
  if (n > SIZE_MAX / 2) return NULL;
  size_t size = n + HEADER;
  free_piece **free_list = &a->lists[list(&size)];
  free_piece *p = *free_list;
  if (!p) return cut(a, size);
  *free_list = p->next;
  return p;
}

void ambit_arena_free(ambit_arena *a, void *p) {
  if (!p) return;
  free_piece **free_list = &a->lists[list(header(p))];
  free_piece *f = p;
  f->next = *free_list;
  *free_list = f;
}

void *ambit_arena_realloc(ambit_arena *a, void *p, size_t n) {
  if (!p) return ambit_arena_malloc(a, n);
  size_t old = *header(p);
  if (n <= old - HEADER) return p;
  void *q = ambit_arena_malloc(a, n);
  if (!q) return NULL;
  memcpy(q, p, old - HEADER);
  ambit_arena_free(a, p);
  return q;
}

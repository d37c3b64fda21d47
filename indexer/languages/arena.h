// The memory of one parse, which is freed as a whole. A parser asks for memory 10,000 times in
// 100 KB of code and frees each piece by itself. With this instead of malloc, and without the
// pages that malloc gives back and asks for again, a file of C costs a tenth less.
#ifndef AMBIT_ARENA_H
#define AMBIT_ARENA_H

#include <stddef.h>

typedef struct ambit_arena ambit_arena;

// ambit_arena_new returns an empty arena, NULL without memory. One thread uses it at a time.
ambit_arena *ambit_arena_new(void);
void ambit_arena_delete(ambit_arena *a);

// ambit_arena_reset frees all that was allocated. The arena keeps some blocks for what follows.
void ambit_arena_reset(ambit_arena *a);

// These are malloc, realloc and free in an arena. The memory is aligned as malloc's.
void *ambit_arena_malloc(ambit_arena *a, size_t n);
void *ambit_arena_realloc(ambit_arena *a, void *p, size_t n);
void ambit_arena_free(ambit_arena *a, void *p);

#endif

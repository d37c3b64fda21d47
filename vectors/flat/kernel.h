#ifndef AMBIT_FLAT_KERNEL_H
#define AMBIT_FLAT_KERNEL_H

#include <stdint.h>

// flat_hit is one row whose score reached the floor.
typedef struct {
	int32_t row;
	float score;
} flat_hit;

// The kernels, in ascending order of speed; flat_kernel tells which one to use.
enum { FLAT_PORTABLE, FLAT_AVX2, FLAT_VNNI };

// flat_kernel returns the fastest kernel that this machine can run; it can run
// the lower ones too.
int flat_kernel(void);

// flat_scan scores rows 0..n-1 of codes against query. A row is stride bytes, a
// multiple of 64, each of two components: the even one in the lower half, as a number in
// [1, 15] that is 8 more than its code. The query is 2*stride codes in [-127, 127]: those of
// the even components, then those of the odd ones. The score of row i is the dot product of
// their codes times scales[i]; the rows whose score is at least floor are written to hits,
// which has room for n, in their order. It returns how many there are. Every kernel gives
// the same scores.
int32_t flat_scan(int kernel, const uint8_t *codes, const float *scales, int32_t n, int32_t stride,
                  const int8_t *query, float floor, flat_hit *hits);

#endif

#include "kernel.h"

// The scan is bound by memory. One sequential stream of loads gets about 60 % of
// the bandwidth of a core, eight streams nearly all of it: so the rows are read as
// STREAMS regions that advance in turns of about TURN_BYTES.
#define STREAMS 8
#define TURN_BYTES 1024

// SCAN defines a kernel over DOT(row, query, stride), which yields an int32_t.
// Each kernel is compiled for its own instruction set, so DOT is inlined.
#define SCAN(NAME, TARGET, DOT)                                                                \
	TARGET static int32_t NAME(const int8_t *codes, const float *scales, int32_t n,            \
	                           int32_t stride, const int8_t *query, float floor,               \
	                           flat_hit *hits) {                                               \
		int32_t turn = stride >= TURN_BYTES ? 1 : TURN_BYTES / stride;                         \
		int32_t region = (n + STREAMS - 1) / STREAMS;                                          \
		int32_t nhits = 0;                                                                     \
		for (int32_t at = 0; at < region; at += turn) {                                        \
			int32_t to = at + turn < region ? at + turn : region;                              \
			for (int32_t s = 0; s < STREAMS; s++) {                                            \
				int32_t base = s * region;                                                     \
				int32_t end = base + to < n ? base + to : n;                                   \
				for (int32_t i = base + at; i < end; i++) {                                    \
					float score = (float)DOT(codes + (int64_t)i * stride, query, stride) *     \
					              scales[i];                                                   \
					if (score >= floor) {                                                      \
						hits[nhits].row = i;                                                   \
						hits[nhits].score = score;                                             \
						nhits++;                                                               \
					}                                                                          \
				}                                                                              \
			}                                                                                  \
		}                                                                                      \
		return nhits;                                                                          \
	}

#if defined(__aarch64__) && defined(__ARM_NEON)

#include <arm_neon.h>

static inline int32_t dot_portable(const int8_t *a, const int8_t *b, int32_t n) {
	int32x4_t sum = vdupq_n_s32(0);
	for (int32_t j = 0; j < n; j += 16) {
		int8x16_t x = vld1q_s8(a + j), y = vld1q_s8(b + j);
#if defined(__ARM_FEATURE_DOTPROD)
		sum = vdotq_s32(sum, x, y);
#else
		sum = vpadalq_s16(sum, vmull_s8(vget_low_s8(x), vget_low_s8(y)));
		sum = vpadalq_s16(sum, vmull_high_s8(x, y));
#endif
	}
	return vaddvq_s32(sum);
}

#else

static inline int32_t dot_portable(const int8_t *a, const int8_t *b, int32_t n) {
	int32_t sum = 0;
	for (int32_t j = 0; j < n; j++) sum += (int32_t)a[j] * b[j];
	return sum;
}

#endif

SCAN(scan_portable, , dot_portable)

#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))

#include <immintrin.h>

#define AVX2 __attribute__((target("avx2")))
#define VNNI __attribute__((target("avx512f,avx512bw,avx512vnni")))

// maddubs multiplies unsigned by signed bytes: |b| * (a with the sign of b). The
// sum of two products is at most 2*127*127 and does not saturate.
AVX2 static inline int32_t dot_avx2(const int8_t *a, const int8_t *b, int32_t n) {
	__m256i sum = _mm256_setzero_si256(), ones = _mm256_set1_epi16(1);
	for (int32_t j = 0; j < n; j += 32) {
		__m256i x = _mm256_loadu_si256((const __m256i *)(a + j));
		__m256i y = _mm256_loadu_si256((const __m256i *)(b + j));
		__m256i p = _mm256_maddubs_epi16(_mm256_abs_epi8(y), _mm256_sign_epi8(x, y));
		sum = _mm256_add_epi32(sum, _mm256_madd_epi16(p, ones));
	}
	__m128i s = _mm_add_epi32(_mm256_castsi256_si128(sum), _mm256_extracti128_si256(sum, 1));
	s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0x4e));
	s = _mm_add_epi32(s, _mm_shuffle_epi32(s, 0xb1));
	return _mm_cvtsi128_si32(s);
}

// dpbusd multiplies unsigned by signed bytes too. Flipping the top bit of a makes
// it a + 128; what that adds, 128 times the sum of b, is subtracted lane by lane.
VNNI static inline int32_t dot_vnni(const int8_t *a, const int8_t *b, int32_t n) {
	__m512i flip = _mm512_set1_epi8((char)0x80);
	__m512i even = _mm512_setzero_si512(), odd = even;
	for (int32_t j = 0; j < n; j += 64) {
		__m512i y = _mm512_loadu_si512(b + j);
		__m512i x = _mm512_loadu_si512(a + j);
		even = _mm512_dpbusd_epi32(even, _mm512_xor_si512(x, flip), y);
		odd = _mm512_dpbusd_epi32(odd, flip, y);
	}
	return _mm512_reduce_add_epi32(_mm512_sub_epi32(even, odd));
}

SCAN(scan_avx2, AVX2, dot_avx2)
SCAN(scan_vnni, VNNI, dot_vnni)

int flat_kernel(void) {
	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vnni")) return FLAT_VNNI;
	if (__builtin_cpu_supports("avx2")) return FLAT_AVX2;
	return FLAT_PORTABLE;
}

int32_t flat_scan(int kernel, const int8_t *codes, const float *scales, int32_t n, int32_t stride,
                  const int8_t *query, float floor, flat_hit *hits) {
	switch (kernel) {
	case FLAT_VNNI:
		return scan_vnni(codes, scales, n, stride, query, floor, hits);
	case FLAT_AVX2:
		return scan_avx2(codes, scales, n, stride, query, floor, hits);
	}
	return scan_portable(codes, scales, n, stride, query, floor, hits);
}

#else

int flat_kernel(void) { return FLAT_PORTABLE; }

int32_t flat_scan(int kernel, const int8_t *codes, const float *scales, int32_t n, int32_t stride,
                  const int8_t *query, float floor, flat_hit *hits) {
	(void)kernel;
	return scan_portable(codes, scales, n, stride, query, floor, hits);
}

#endif

/* Sixteen numbers in one register, and products of bytes, on processors with AVX512-VNNI. */
#ifndef REDRAFT_AVX512_H
#define REDRAFT_AVX512_H

#include <immintrin.h>
#include <stdint.h>
#include <string.h>

typedef __m512 lanes;
typedef __mmask16 mask;
typedef __m512i counts; /* sixteen whole numbers */

/* A panel is two registers wide, and sums of so many rows fit beside it. All levels of a byte are used. */
enum { HALVES = 2, TALLEST = 14, MOST = 255, OFFSET = 0 };

INLINE lanes all(float value) { return _mm512_set1_ps(value); }
INLINE lanes load(const float *from) { return _mm512_loadu_ps(from); }
INLINE lanes load_some(mask some, const float *from) { return _mm512_maskz_loadu_ps(some, from); }
INLINE void save(float *to, lanes x) { _mm512_storeu_ps(to, x); }
INLINE void save_some(float *to, mask some, lanes x) { _mm512_mask_storeu_ps(to, some, x); }
INLINE lanes plus(lanes x, lanes y) { return _mm512_add_ps(x, y); }
INLINE lanes minus(lanes x, lanes y) { return _mm512_sub_ps(x, y); }
INLINE lanes times(lanes x, lanes y) { return _mm512_mul_ps(x, y); }
INLINE lanes over(lanes x, lanes y) { return _mm512_div_ps(x, y); }
INLINE lanes times_plus(lanes x, lanes y, lanes z) { return _mm512_fmadd_ps(x, y, z); }
INLINE lanes higher(lanes x, lanes y) { return _mm512_max_ps(x, y); }
INLINE lanes magnitude(lanes x) { return _mm512_abs_ps(x); }
INLINE lanes nearest(lanes x) { return _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC); }
INLINE lanes times_power_of_two(lanes x, lanes power) { return _mm512_scalef_ps(x, power); }
INLINE float total(lanes x) { return _mm512_reduce_add_ps(x); }
INLINE float peak(lanes x) { return _mm512_reduce_max_ps(x); }

/* The lanes that the next of `left` numbers fill. */
INLINE mask first(long left) { return left >= 16 ? 0xffff : left <= 0 ? 0 : (mask)((1u << left) - 1); }
INLINE mask above(lanes x, lanes y) { return _mm512_cmp_ps_mask(x, y, _CMP_GT_OQ); }
INLINE mask same(lanes x, lanes y) { return _mm512_cmp_ps_mask(x, y, _CMP_EQ_OQ); }
INLINE lanes where(mask some, lanes x, lanes otherwise) { return _mm512_mask_mov_ps(otherwise, some, x); }
INLINE uint32_t bits(mask some) { return some; }

INLINE counts load_counts(const int32_t *from) { return _mm512_loadu_si512(from); }
INLINE counts counts_times(counts x, int factor) { return _mm512_mullo_epi32(x, _mm512_set1_epi32(factor)); }
INLINE lanes difference(counts x, counts y) { return _mm512_cvtepi32_ps(_mm512_sub_epi32(x, y)); }

/* Rounds to whole numbers, adds the zero, and saves the first `count` as bytes. */
INLINE void save_bytes(uint8_t *to, long count, lanes x, int zero) {
    const __m512i whole = _mm512_add_epi32(_mm512_cvtps_epi32(x), _mm512_set1_epi32(zero));
    _mm512_mask_cvtusepi32_storeu_epi8(to, first(count), _mm512_max_epi32(whole, _mm512_setzero_si512()));
}

/* Sums of products of rows of unsigned bytes with a panel of signed ones, four at a time. `rows` is known where this is
   called, so that all sums stay in registers. */
INLINE void sum_panel(
    const int rows, const int8_t *panel, long groups, const uint8_t *from, long stride, counts to[][HALVES]
) {
    __m512i sums[TALLEST][HALVES];
    UNROLL
    for (int r = 0; r < rows; r++) sums[r][0] = sums[r][1] = _mm512_setzero_si512();
    for (long group = 0; group < groups; group++, panel += 128) {
        const __m512i left = _mm512_load_si512(panel), right = _mm512_load_si512(panel + 64);
        _mm_prefetch(panel + 2048, _MM_HINT_T0);
        _mm_prefetch(panel + 2048 + 64, _MM_HINT_T0);
        UNROLL
        for (int r = 0; r < rows; r++) {
            int32_t four;
            memcpy(&four, from + r * stride + group * 4, sizeof four);
            const __m512i bytes = _mm512_set1_epi32(four);
            /* sum += bytes · weights; as assembly, since compilers copy the sums around if given the intrinsic. */
            __asm__("vpdpbusd %2, %1, %0" : "+v"(sums[r][0]) : "v"(bytes), "v"(left));
            __asm__("vpdpbusd %2, %1, %0" : "+v"(sums[r][1]) : "v"(bytes), "v"(right));
        }
    }
    UNROLL
    for (int r = 0; r < rows; r++) to[r][0] = sums[r][0], to[r][1] = sums[r][1];
}

#endif

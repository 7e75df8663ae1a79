/* Vectors of sixteen floats in one register, and products of bytes, on processors with AVX512-VNNI. */
#ifndef REDRAFT_AVX512_H
#define REDRAFT_AVX512_H

#include <immintrin.h>
#include <stdint.h>
#include <string.h>

typedef __m512 vector;
typedef __mmask16 mask;
typedef __m512i int_vector; /* sixteen 32-bit integers */

/* A panel of columns is two registers wide, and the sums of 14 rows fit into the other registers. */
enum { PANEL_VECTORS = 2, MAX_ROWS = 14, MAX_BYTE = 255, BYTE_OFFSET = 0 };

INLINE vector broadcast(float value) { return _mm512_set1_ps(value); }
INLINE vector load(const float *from) { return _mm512_loadu_ps(from); }
INLINE vector load_masked(mask some, const float *from) { return _mm512_maskz_loadu_ps(some, from); }
INLINE void save(float *to, vector x) { _mm512_storeu_ps(to, x); }
INLINE void save_masked(float *to, mask some, vector x) { _mm512_mask_storeu_ps(to, some, x); }
INLINE vector plus(vector x, vector y) { return _mm512_add_ps(x, y); }
INLINE vector minus(vector x, vector y) { return _mm512_sub_ps(x, y); }
INLINE vector times(vector x, vector y) { return _mm512_mul_ps(x, y); }
INLINE vector divided_by(vector x, vector y) { return _mm512_div_ps(x, y); }
INLINE vector times_plus(vector x, vector y, vector z) { return _mm512_fmadd_ps(x, y, z); }
INLINE vector maximum(vector x, vector y) { return _mm512_max_ps(x, y); }
INLINE vector absolute(vector x) { return _mm512_abs_ps(x); }
INLINE vector to_nearest_int(vector x) {
    return _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
INLINE vector times_power_of_two(vector x, vector power) { return _mm512_scalef_ps(x, power); }
INLINE float sum_of(vector x) { return _mm512_reduce_add_ps(x); }
INLINE float maximum_of(vector x) { return _mm512_reduce_max_ps(x); }

/* A mask of the first `left` lanes, of all sixteen at most. */
INLINE mask first_lanes(long left) { return left >= 16 ? 0xffff : left <= 0 ? 0 : (mask)((1u << left) - 1); }
INLINE mask greater(vector x, vector y) { return _mm512_cmp_ps_mask(x, y, _CMP_GT_OQ); }
INLINE mask equal_lanes(vector x, vector y) { return _mm512_cmp_ps_mask(x, y, _CMP_EQ_OQ); }
INLINE vector where(mask some, vector x, vector otherwise) { return _mm512_mask_mov_ps(otherwise, some, x); }
INLINE uint32_t mask_bits(mask some) { return some; }

INLINE int_vector load_ints(const int32_t *from) { return _mm512_loadu_si512(from); }
INLINE int_vector ints_times(int_vector x, int factor) { return _mm512_mullo_epi32(x, _mm512_set1_epi32(factor)); }
INLINE vector difference(int_vector x, int_vector y) { return _mm512_cvtepi32_ps(_mm512_sub_epi32(x, y)); }

/* Rounds to integers, adds the zero point, and saves the first `count` as bytes. */
INLINE void save_bytes(uint8_t *to, long count, vector x, int zero) {
    const __m512i whole = _mm512_add_epi32(_mm512_cvtps_epi32(x), _mm512_set1_epi32(zero));
    _mm512_mask_cvtusepi32_storeu_epi8(to, first_lanes(count), _mm512_max_epi32(whole, _mm512_setzero_si512()));
}

/* Sums of products of rows of unsigned bytes with a panel of signed ones, four at a time. `rows` is known where this is
   called, so that all sums stay in registers. */
INLINE void sum_panel(
    const int rows, const int8_t *panel, long groups, const uint8_t *from, long stride, int_vector to[][PANEL_VECTORS]
) {
    __m512i sums[MAX_ROWS][PANEL_VECTORS];
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

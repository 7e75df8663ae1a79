/* Sixteen numbers in two registers, and products of bytes, on processors with AVX2 and FMA; quicker with AVX-VNNI.

   Without AVX-VNNI two products are added in 16 bits, where 255 · 127 twice does not fit: then activations use half the
   levels of a byte. */
#ifndef REDRAFT_AVX2_H
#define REDRAFT_AVX2_H

#include <immintrin.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    __m256 low, high;
} lanes;
typedef struct {
    __m256i low, high;
} mask;
typedef mask counts; /* sixteen whole numbers */

#ifdef REDRAFT_VNNI
enum { HALVES = 1, TALLEST = 6, MOST = 255, OFFSET = 0 };
#else
enum { HALVES = 1, TALLEST = 5, MOST = 127, OFFSET = 0 };
#endif

INLINE lanes all(float value) { return (lanes){_mm256_set1_ps(value), _mm256_set1_ps(value)}; }
INLINE lanes load(const float *from) { return (lanes){_mm256_loadu_ps(from), _mm256_loadu_ps(from + 8)}; }
INLINE lanes load_some(mask some, const float *from) {
    return (lanes){_mm256_maskload_ps(from, some.low), _mm256_maskload_ps(from + 8, some.high)};
}
INLINE void save(float *to, lanes x) {
    _mm256_storeu_ps(to, x.low);
    _mm256_storeu_ps(to + 8, x.high);
}
INLINE void save_some(float *to, mask some, lanes x) {
    _mm256_maskstore_ps(to, some.low, x.low);
    _mm256_maskstore_ps(to + 8, some.high, x.high);
}
INLINE lanes plus(lanes x, lanes y) { return (lanes){_mm256_add_ps(x.low, y.low), _mm256_add_ps(x.high, y.high)}; }
INLINE lanes minus(lanes x, lanes y) { return (lanes){_mm256_sub_ps(x.low, y.low), _mm256_sub_ps(x.high, y.high)}; }
INLINE lanes times(lanes x, lanes y) { return (lanes){_mm256_mul_ps(x.low, y.low), _mm256_mul_ps(x.high, y.high)}; }
INLINE lanes over(lanes x, lanes y) { return (lanes){_mm256_div_ps(x.low, y.low), _mm256_div_ps(x.high, y.high)}; }
INLINE lanes times_plus(lanes x, lanes y, lanes z) {
    return (lanes){_mm256_fmadd_ps(x.low, y.low, z.low), _mm256_fmadd_ps(x.high, y.high, z.high)};
}
INLINE lanes higher(lanes x, lanes y) { return (lanes){_mm256_max_ps(x.low, y.low), _mm256_max_ps(x.high, y.high)}; }
INLINE lanes magnitude(lanes x) {
    const __m256 sign = _mm256_set1_ps(-0.0f);
    return (lanes){_mm256_andnot_ps(sign, x.low), _mm256_andnot_ps(sign, x.high)};
}
INLINE lanes nearest(lanes x) {
    enum { HOW = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC };
    return (lanes){_mm256_round_ps(x.low, HOW), _mm256_round_ps(x.high, HOW)};
}
INLINE __m256 power_of_two(__m256 power) {
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(_mm256_cvtps_epi32(power), _mm256_set1_epi32(127)), 23));
}
INLINE lanes times_power_of_two(lanes x, lanes power) {
    return (lanes){_mm256_mul_ps(x.low, power_of_two(power.low)), _mm256_mul_ps(x.high, power_of_two(power.high))};
}
INLINE float total(lanes x) {
    const __m256 eight = _mm256_add_ps(x.low, x.high);
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}
INLINE float peak(lanes x) {
    const __m256 eight = _mm256_max_ps(x.low, x.high);
    const __m128 four = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    const __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
}

INLINE mask places(void) {
    return (mask){_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_setr_epi32(8, 9, 10, 11, 12, 13, 14, 15)};
}
/* The lanes that the next of `left` numbers fill. */
INLINE mask first(long left) {
    const __m256i end = _mm256_set1_epi32(left > 16 ? 16 : (int)left);
    return (mask){_mm256_cmpgt_epi32(end, places().low), _mm256_cmpgt_epi32(end, places().high)};
}
INLINE mask above(lanes x, lanes y) {
    return (mask){_mm256_castps_si256(_mm256_cmp_ps(x.low, y.low, _CMP_GT_OQ)),
                  _mm256_castps_si256(_mm256_cmp_ps(x.high, y.high, _CMP_GT_OQ))};
}
INLINE mask same(lanes x, lanes y) {
    return (mask){_mm256_castps_si256(_mm256_cmp_ps(x.low, y.low, _CMP_EQ_OQ)),
                  _mm256_castps_si256(_mm256_cmp_ps(x.high, y.high, _CMP_EQ_OQ))};
}
INLINE lanes where(mask some, lanes x, lanes otherwise) {
    return (lanes){_mm256_blendv_ps(otherwise.low, x.low, _mm256_castsi256_ps(some.low)),
                   _mm256_blendv_ps(otherwise.high, x.high, _mm256_castsi256_ps(some.high))};
}
INLINE uint32_t bits(mask some) {
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(some.low)) |
           (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(some.high)) << 8;
}

INLINE counts load_counts(const int32_t *from) {
    return (counts){_mm256_loadu_si256((const __m256i *)from), _mm256_loadu_si256((const __m256i *)(from + 8))};
}
INLINE counts counts_times(counts x, int factor) {
    const __m256i factors = _mm256_set1_epi32(factor);
    return (counts){_mm256_mullo_epi32(x.low, factors), _mm256_mullo_epi32(x.high, factors)};
}
INLINE lanes difference(counts x, counts y) {
    return (lanes){_mm256_cvtepi32_ps(_mm256_sub_epi32(x.low, y.low)),
                   _mm256_cvtepi32_ps(_mm256_sub_epi32(x.high, y.high))};
}

/* Rounds to whole numbers, adds the zero, and saves the first `count` as bytes. */
INLINE void save_bytes(uint8_t *to, long count, lanes x, int zero) {
    const __m256i low = _mm256_add_epi32(_mm256_cvtps_epi32(x.low), _mm256_set1_epi32(zero));
    const __m256i high = _mm256_add_epi32(_mm256_cvtps_epi32(x.high), _mm256_set1_epi32(zero));
    const __m128i words_low = _mm_packs_epi32(_mm256_castsi256_si128(low), _mm256_extracti128_si256(low, 1));
    const __m128i words_high = _mm_packs_epi32(_mm256_castsi256_si128(high), _mm256_extracti128_si256(high, 1));
    const __m128i bytes = _mm_packus_epi16(words_low, words_high);
    if (count >= 16) {
        _mm_storeu_si128((__m128i *)to, bytes);
    } else {
        uint8_t some[16];
        _mm_storeu_si128((__m128i *)some, bytes);
        memcpy(to, some, count);
    }
}

/* sum += bytes · weights, unsigned by signed, four at a time. */
INLINE void add_products(__m256i *sum, __m256i bytes, __m256i weights, __m256i ones) {
#ifdef REDRAFT_VNNI
    (void)ones;
    __asm__("%{vex%} vpdpbusd %2, %1, %0" : "+x"(*sum) : "x"(bytes), "x"(weights));
#else
    *sum = _mm256_add_epi32(*sum, _mm256_madd_epi16(_mm256_maddubs_epi16(bytes, weights), ones));
#endif
}

/* Sums of products of rows of unsigned bytes with a panel of signed ones, four at a time. `rows` is known where this is
   called, so that all sums stay in registers. */
INLINE void sum_panel(
    const int rows, const int8_t *panel, long groups, const uint8_t *from, long stride, counts to[][HALVES]
) {
    const __m256i ones = _mm256_set1_epi16(1);
    __m256i low[TALLEST], high[TALLEST];
    UNROLL
    for (int r = 0; r < rows; r++) low[r] = high[r] = _mm256_setzero_si256();
    for (long group = 0; group < groups; group++, panel += 64) {
        const __m256i left = _mm256_load_si256((const __m256i *)panel);
        const __m256i right = _mm256_load_si256((const __m256i *)(panel + 32));
        _mm_prefetch(panel + 2048, _MM_HINT_T0);
        UNROLL
        for (int r = 0; r < rows; r++) {
            int32_t four;
            memcpy(&four, from + r * stride + group * 4, sizeof four);
            const __m256i bytes = _mm256_set1_epi32(four);
            add_products(&low[r], bytes, left, ones);
            add_products(&high[r], bytes, right, ones);
        }
    }
    UNROLL
    for (int r = 0; r < rows; r++) to[r][0] = (counts){low[r], high[r]};
}

#endif

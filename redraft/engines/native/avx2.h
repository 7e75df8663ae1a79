/* Vectors of sixteen floats in two registers, and products of bytes, on processors with AVX2 and FMA; faster with
   AVX-VNNI.

   Without AVX-VNNI products are added in 16 bits, where 2 · 255 · 127 overflows; activations then use 7 bits. */
#ifndef REDRAFT_AVX2_H
#define REDRAFT_AVX2_H

#include <immintrin.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    __m256 low, high;
} vector;
typedef struct {
    __m256i low, high;
} mask;
typedef mask int_vector; /* sixteen 32-bit integers */

#ifdef REDRAFT_VNNI
enum { PANEL_VECTORS = 1, MAX_ROWS = 6, MAX_BYTE = 255, BYTE_OFFSET = 0 };
#else
#define SUMS_IN_16_BITS
enum { PANEL_VECTORS = 1, MAX_ROWS = 8, MAX_BYTE = 127, BYTE_OFFSET = 0 };
#endif

INLINE vector broadcast(float value) { return (vector){_mm256_set1_ps(value), _mm256_set1_ps(value)}; }
INLINE vector load(const float *from) { return (vector){_mm256_loadu_ps(from), _mm256_loadu_ps(from + 8)}; }
INLINE vector load_masked(mask some, const float *from) {
    return (vector){_mm256_maskload_ps(from, some.low), _mm256_maskload_ps(from + 8, some.high)};
}
INLINE void save(float *to, vector x) {
    _mm256_storeu_ps(to, x.low);
    _mm256_storeu_ps(to + 8, x.high);
}
/* Saves the first lanes. Masked stores are slow on processors by AMD, and all lanes are saved mostly. */
INLINE void save_masked(float *to, mask some, vector x) {
    if (_mm256_movemask_ps(_mm256_castsi256_ps(some.high)) == 0xff) {
        save(to, x);
        return;
    }
    _mm256_maskstore_ps(to, some.low, x.low);
    _mm256_maskstore_ps(to + 8, some.high, x.high);
}
INLINE vector plus(vector x, vector y) { return (vector){_mm256_add_ps(x.low, y.low), _mm256_add_ps(x.high, y.high)}; }
INLINE vector minus(vector x, vector y) { return (vector){_mm256_sub_ps(x.low, y.low), _mm256_sub_ps(x.high, y.high)}; }
INLINE vector times(vector x, vector y) { return (vector){_mm256_mul_ps(x.low, y.low), _mm256_mul_ps(x.high, y.high)}; }
INLINE vector divided_by(vector x, vector y) {
    return (vector){_mm256_div_ps(x.low, y.low), _mm256_div_ps(x.high, y.high)};
}
INLINE vector times_plus(vector x, vector y, vector z) {
    return (vector){_mm256_fmadd_ps(x.low, y.low, z.low), _mm256_fmadd_ps(x.high, y.high, z.high)};
}
INLINE vector maximum(vector x, vector y) {
    return (vector){_mm256_max_ps(x.low, y.low), _mm256_max_ps(x.high, y.high)};
}
INLINE vector absolute(vector x) {
    const __m256 sign = _mm256_set1_ps(-0.0f);
    return (vector){_mm256_andnot_ps(sign, x.low), _mm256_andnot_ps(sign, x.high)};
}
INLINE vector to_nearest_int(vector x) {
    enum { HOW = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC };
    return (vector){_mm256_round_ps(x.low, HOW), _mm256_round_ps(x.high, HOW)};
}
INLINE __m256 power_of_two(__m256 power) {
    const __m256i exponent = _mm256_add_epi32(_mm256_cvtps_epi32(power), _mm256_set1_epi32(127));
    return _mm256_castsi256_ps(_mm256_slli_epi32(exponent, 23));
}
INLINE vector times_power_of_two(vector x, vector power) {
    return (vector){_mm256_mul_ps(x.low, power_of_two(power.low)), _mm256_mul_ps(x.high, power_of_two(power.high))};
}
INLINE float sum_of(vector x) {
    const __m256 eight = _mm256_add_ps(x.low, x.high);
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
}
INLINE float maximum_of(vector x) {
    const __m256 eight = _mm256_max_ps(x.low, x.high);
    const __m128 four = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    const __m128 two = _mm_max_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_max_ss(two, _mm_movehdup_ps(two)));
}

INLINE mask places(void) {
    return (mask){_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7), _mm256_setr_epi32(8, 9, 10, 11, 12, 13, 14, 15)};
}
/* A mask of the first `left` lanes, of all sixteen at most. */
INLINE mask first_lanes(long left) {
    const __m256i end = _mm256_set1_epi32(left > 16 ? 16 : (int)left);
    return (mask){_mm256_cmpgt_epi32(end, places().low), _mm256_cmpgt_epi32(end, places().high)};
}
INLINE mask greater(vector x, vector y) {
    return (mask){_mm256_castps_si256(_mm256_cmp_ps(x.low, y.low, _CMP_GT_OQ)),
                  _mm256_castps_si256(_mm256_cmp_ps(x.high, y.high, _CMP_GT_OQ))};
}
INLINE mask equal_lanes(vector x, vector y) {
    return (mask){_mm256_castps_si256(_mm256_cmp_ps(x.low, y.low, _CMP_EQ_OQ)),
                  _mm256_castps_si256(_mm256_cmp_ps(x.high, y.high, _CMP_EQ_OQ))};
}
INLINE vector where(mask some, vector x, vector otherwise) {
    return (vector){_mm256_blendv_ps(otherwise.low, x.low, _mm256_castsi256_ps(some.low)),
                   _mm256_blendv_ps(otherwise.high, x.high, _mm256_castsi256_ps(some.high))};
}
INLINE uint32_t mask_bits(mask some) {
    return (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(some.low)) |
           (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(some.high)) << 8;
}

INLINE int_vector load_ints(const int32_t *from) {
    return (int_vector){_mm256_loadu_si256((const __m256i *)from), _mm256_loadu_si256((const __m256i *)(from + 8))};
}
INLINE int_vector ints_times(int_vector x, int factor) {
    const __m256i factors = _mm256_set1_epi32(factor);
    return (int_vector){_mm256_mullo_epi32(x.low, factors), _mm256_mullo_epi32(x.high, factors)};
}
INLINE vector difference(int_vector x, int_vector y) {
    return (vector){_mm256_cvtepi32_ps(_mm256_sub_epi32(x.low, y.low)),
                   _mm256_cvtepi32_ps(_mm256_sub_epi32(x.high, y.high))};
}

/* Rounds to integers, adds the zero point, and saves the first `count` as bytes. */
INLINE void save_bytes(uint8_t *to, long count, vector x, int zero) {
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

INLINE __m256i four_bytes(const uint8_t *from) {
    int32_t four;
    memcpy(&four, from, sizeof four);
    return _mm256_set1_epi32(four);
}

#ifdef REDRAFT_VNNI

/* sum += bytes · weights, unsigned by signed, four at a time. */
INLINE void add_products(__m256i *sum, __m256i bytes, __m256i weights) {
    __asm__("%{vex%} vpdpbusd %2, %1, %0" : "+x"(*sum) : "x"(bytes), "x"(weights));
}

/* Sums of products of rows of unsigned bytes with a panel of signed ones, four at a time. `rows` is known where this is
   called, so that all sums stay in registers. */
INLINE void sum_panel(
    const int rows, const int8_t *panel, long groups, const uint8_t *from, long stride, int_vector to[][PANEL_VECTORS]
) {
    __m256i low[MAX_ROWS], high[MAX_ROWS];
    UNROLL
    for (int r = 0; r < rows; r++) low[r] = high[r] = _mm256_setzero_si256();
    for (long group = 0; group < groups; group++, panel += 64) {
        const __m256i left = _mm256_load_si256((const __m256i *)panel);
        const __m256i right = _mm256_load_si256((const __m256i *)(panel + 32));
        _mm_prefetch(panel + 2048, _MM_HINT_T0);
        UNROLL
        for (int r = 0; r < rows; r++) {
            const __m256i bytes = four_bytes(from + r * stride + group * 4);
            add_products(&low[r], bytes, left);
            add_products(&high[r], bytes, right);
        }
    }
    UNROLL
    for (int r = 0; r < rows; r++) to[r][0] = (int_vector){low[r], high[r]};
}

#else

/* Four numbers of eight columns whose products are added after all others. */
typedef struct {
    int32_t group;
    int8_t weights[32];
} late_group;

/* Sums of eight columns. The products of two groups are added in 16 bits before they are widened: a quarter less work for
   the multipliers, which limit the speed. Where that could overflow, the weights of the second group are zeros, and the
   group is among the late ones. */
INLINE void sum_columns(
    const int rows, const int8_t *weights, long groups, const late_group *late, long late_count, const uint8_t *from,
    long stride, __m256i sums[MAX_ROWS]
) {
    const __m256i ones = _mm256_set1_epi16(1);
    UNROLL
    for (int r = 0; r < rows; r++) sums[r] = _mm256_setzero_si256();
    for (long group = 0; group < groups; group += 2, weights += 128) {
        const __m256i first = _mm256_load_si256((const __m256i *)weights);
        const __m256i second = _mm256_load_si256((const __m256i *)(weights + 64));
        _mm_prefetch(weights + 2048, _MM_HINT_T0);
        _mm_prefetch(weights + 2048 + 64, _MM_HINT_T0);
        UNROLL
        for (int r = 0; r < rows; r++) {
            const uint8_t *bytes = from + r * stride + group * 4;
            const __m256i both = _mm256_add_epi16(
                _mm256_maddubs_epi16(four_bytes(bytes), first), _mm256_maddubs_epi16(four_bytes(bytes + 4), second)
            );
            sums[r] = _mm256_add_epi32(sums[r], _mm256_madd_epi16(both, ones));
        }
    }
    for (long number = 0; number < late_count; number++) {
        const __m256i some = _mm256_loadu_si256((const __m256i *)late[number].weights);
        UNROLL
        for (int r = 0; r < rows; r++) {
            const __m256i bytes = four_bytes(from + r * stride + late[number].group * 4);
            sums[r] = _mm256_add_epi32(sums[r], _mm256_madd_epi16(_mm256_maddubs_epi16(bytes, some), ones));
        }
    }
}

/* Sums of products of rows of unsigned bytes with a panel of signed ones. `rows` is known where this is called, so that
   all sums stay in registers. `starts` has the first late group of each half of the panel, and the end. */
INLINE void sum_panel(
    const int rows, const int8_t *panel, long groups, const late_group *late, const int32_t *starts,
    const uint8_t *from, long stride, int_vector to[][PANEL_VECTORS]
) {
    __m256i low[MAX_ROWS], high[MAX_ROWS];
    sum_columns(rows, panel, groups, late + starts[0], starts[1] - starts[0], from, stride, low);
    sum_columns(rows, panel + 32, groups, late + starts[1], starts[2] - starts[1], from, stride, high);
    UNROLL
    for (int r = 0; r < rows; r++) to[r][0] = (int_vector){low[r], high[r]};
}

#endif

#endif

/* Vectors of sixteen floats in four registers, and products of bytes, on ARM processors with dot products.

   These multiply signed bytes, so 128 is subtracted from activations. */
#ifndef REDRAFT_NEON_H
#define REDRAFT_NEON_H

#include <arm_neon.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    float32x4_t part[4];
} vector;
typedef struct {
    uint32x4_t part[4];
    long count; /* lanes that `first_lanes` set */
} mask;
typedef struct {
    int32x4_t part[4];
} int_vector; /* sixteen 32-bit integers */

enum { PANEL_VECTORS = 1, MAX_ROWS = 6, MAX_BYTE = 255, BYTE_OFFSET = 128 };

/* A vector from an expression for each of its four registers. */
#define FOUR(type, expression)                                        \
    ({                                                                \
        type result_;                                                   \
        UNROLL for (int i = 0; i < 4; i++) result_.part[i] = (expression); \
        result_;                                                        \
    })

INLINE vector broadcast(float value) { return FOUR(vector, vdupq_n_f32(value)); }
INLINE vector load(const float *from) { return FOUR(vector, vld1q_f32(from + 4 * i)); }
INLINE vector load_masked(mask some, const float *from) {
    if (some.count >= 16) return load(from);
    float padded[16] = {0};
    memcpy(padded, from, some.count * sizeof(float));
    return load(padded);
}
INLINE void save(float *to, vector x) {
    for (int i = 0; i < 4; i++) vst1q_f32(to + 4 * i, x.part[i]);
}
INLINE void save_masked(float *to, mask some, vector x) {
    if (some.count >= 16) {
        save(to, x);
    } else {
        float padded[16];
        save(padded, x);
        memcpy(to, padded, some.count * sizeof(float));
    }
}
INLINE vector plus(vector x, vector y) { return FOUR(vector, vaddq_f32(x.part[i], y.part[i])); }
INLINE vector minus(vector x, vector y) { return FOUR(vector, vsubq_f32(x.part[i], y.part[i])); }
INLINE vector times(vector x, vector y) { return FOUR(vector, vmulq_f32(x.part[i], y.part[i])); }
INLINE vector divided_by(vector x, vector y) { return FOUR(vector, vdivq_f32(x.part[i], y.part[i])); }
INLINE vector times_plus(vector x, vector y, vector z) {
    return FOUR(vector, vfmaq_f32(z.part[i], x.part[i], y.part[i]));
}
INLINE vector maximum(vector x, vector y) { return FOUR(vector, vmaxq_f32(x.part[i], y.part[i])); }
INLINE vector absolute(vector x) { return FOUR(vector, vabsq_f32(x.part[i])); }
INLINE vector to_nearest_int(vector x) { return FOUR(vector, vrndnq_f32(x.part[i])); }
INLINE float32x4_t power_of_two(float32x4_t power) {
    return vreinterpretq_f32_s32(vshlq_n_s32(vaddq_s32(vcvtnq_s32_f32(power), vdupq_n_s32(127)), 23));
}
INLINE vector times_power_of_two(vector x, vector power) {
    return FOUR(vector, vmulq_f32(x.part[i], power_of_two(power.part[i])));
}
INLINE float sum_of(vector x) {
    return vaddvq_f32(vaddq_f32(vaddq_f32(x.part[0], x.part[2]), vaddq_f32(x.part[1], x.part[3])));
}
INLINE float maximum_of(vector x) {
    return vmaxvq_f32(vmaxq_f32(vmaxq_f32(x.part[0], x.part[2]), vmaxq_f32(x.part[1], x.part[3])));
}

INLINE int32x4_t places(int part) {
    const int32_t four[4] = {0, 1, 2, 3};
    return vaddq_s32(vld1q_s32(four), vdupq_n_s32(4 * part));
}
/* A mask of the first `left` lanes, of all sixteen at most. */
INLINE mask first_lanes(long left) {
    const long count = left > 16 ? 16 : left < 0 ? 0 : left;
    mask some = FOUR(mask, vcltq_s32(places(i), vdupq_n_s32((int)count)));
    some.count = count;
    return some;
}
INLINE mask greater(vector x, vector y) { return FOUR(mask, vcgtq_f32(x.part[i], y.part[i])); }
INLINE mask equal_lanes(vector x, vector y) { return FOUR(mask, vceqq_f32(x.part[i], y.part[i])); }
INLINE vector where(mask some, vector x, vector otherwise) {
    return FOUR(vector, vbslq_f32(some.part[i], x.part[i], otherwise.part[i]));
}
INLINE uint32_t mask_bits(mask some) {
    uint32_t found = 0;
    for (int i = 0; i < 4; i++) {
        uint32_t four[4];
        vst1q_u32(four, some.part[i]);
        for (int place = 0; place < 4; place++) found |= (four[place] & 1) << (4 * i + place);
    }
    return found;
}

INLINE int_vector load_ints(const int32_t *from) { return FOUR(int_vector, vld1q_s32(from + 4 * i)); }
INLINE int_vector ints_times(int_vector x, int factor) { return FOUR(int_vector, vmulq_n_s32(x.part[i], factor)); }
INLINE vector difference(int_vector x, int_vector y) {
    return FOUR(vector, vcvtq_f32_s32(vsubq_s32(x.part[i], y.part[i])));
}

/* Rounds to integers, adds the zero point, and saves the first `count` as bytes. */
INLINE void save_bytes(uint8_t *to, long count, vector x, int zero) {
    const int_vector whole = FOUR(int_vector, vaddq_s32(vcvtnq_s32_f32(x.part[i]), vdupq_n_s32(zero)));
    const uint16x8_t low = vcombine_u16(vqmovun_s32(whole.part[0]), vqmovun_s32(whole.part[1]));
    const uint16x8_t high = vcombine_u16(vqmovun_s32(whole.part[2]), vqmovun_s32(whole.part[3]));
    const uint8x16_t bytes = veorq_u8(vcombine_u8(vqmovn_u16(low), vqmovn_u16(high)), vdupq_n_u8(BYTE_OFFSET));
    if (count >= 16) {
        vst1q_u8(to, bytes);
    } else {
        uint8_t some[16];
        vst1q_u8(some, bytes);
        memcpy(to, some, count);
    }
}

/* Sums of products of rows of bytes with a panel of them, four at a time. `rows` is known where this is called, so that
   all sums stay in registers. */
INLINE void sum_panel(
    const int rows, const int8_t *panel, long groups, const uint8_t *from, long stride, int_vector to[][PANEL_VECTORS]
) {
    int32x4_t sums[MAX_ROWS][4];
    UNROLL
    for (int r = 0; r < rows; r++)
        UNROLL
        for (int i = 0; i < 4; i++) sums[r][i] = vdupq_n_s32(0);
    for (long group = 0; group < groups; group++, panel += 64) {
        const int8x16_t weights[4] = {vld1q_s8(panel), vld1q_s8(panel + 16), vld1q_s8(panel + 32), vld1q_s8(panel + 48)};
        __builtin_prefetch(panel + 2048);
        UNROLL
        for (int r = 0; r < rows; r++) {
            int32_t four;
            memcpy(&four, from + r * stride + group * 4, sizeof four);
            const int8x16_t bytes = vreinterpretq_s8_s32(vdupq_n_s32(four));
            UNROLL
            for (int i = 0; i < 4; i++) sums[r][i] = vdotq_s32(sums[r][i], weights[i], bytes);
        }
    }
    UNROLL
    for (int r = 0; r < rows; r++)
        UNROLL
        for (int i = 0; i < 4; i++) to[r][0].part[i] = sums[r][i];
}

#endif

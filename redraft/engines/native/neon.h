/* Sixteen numbers in four registers, and products of bytes, on ARM processors with dot products.

   Their products are of signed bytes, so activations are saved with 128 taken off. */
#ifndef REDRAFT_NEON_H
#define REDRAFT_NEON_H

#include <arm_neon.h>
#include <stdint.h>
#include <string.h>

typedef struct {
    float32x4_t part[4];
} lanes;
typedef struct {
    uint32x4_t part[4];
    long count; /* of those made by `first` */
} mask;
typedef struct {
    int32x4_t part[4];
} counts; /* sixteen whole numbers */

enum { HALVES = 1, TALLEST = 6, MOST = 255, OFFSET = 128 };

/* One of four parts after another, in registers. */
#define FOUR(type, expression)                                        \
    ({                                                                \
        type made_;                                                   \
        UNROLL for (int i = 0; i < 4; i++) made_.part[i] = (expression); \
        made_;                                                        \
    })

INLINE lanes all(float value) { return FOUR(lanes, vdupq_n_f32(value)); }
INLINE lanes load(const float *from) { return FOUR(lanes, vld1q_f32(from + 4 * i)); }
INLINE lanes load_some(mask some, const float *from) {
    if (some.count >= 16) return load(from);
    float padded[16] = {0};
    memcpy(padded, from, some.count * sizeof(float));
    return load(padded);
}
INLINE void save(float *to, lanes x) {
    for (int i = 0; i < 4; i++) vst1q_f32(to + 4 * i, x.part[i]);
}
INLINE void save_some(float *to, mask some, lanes x) {
    if (some.count >= 16) {
        save(to, x);
    } else {
        float padded[16];
        save(padded, x);
        memcpy(to, padded, some.count * sizeof(float));
    }
}
INLINE lanes plus(lanes x, lanes y) { return FOUR(lanes, vaddq_f32(x.part[i], y.part[i])); }
INLINE lanes minus(lanes x, lanes y) { return FOUR(lanes, vsubq_f32(x.part[i], y.part[i])); }
INLINE lanes times(lanes x, lanes y) { return FOUR(lanes, vmulq_f32(x.part[i], y.part[i])); }
INLINE lanes over(lanes x, lanes y) { return FOUR(lanes, vdivq_f32(x.part[i], y.part[i])); }
INLINE lanes times_plus(lanes x, lanes y, lanes z) { return FOUR(lanes, vfmaq_f32(z.part[i], x.part[i], y.part[i])); }
INLINE lanes higher(lanes x, lanes y) { return FOUR(lanes, vmaxq_f32(x.part[i], y.part[i])); }
INLINE lanes magnitude(lanes x) { return FOUR(lanes, vabsq_f32(x.part[i])); }
INLINE lanes nearest(lanes x) { return FOUR(lanes, vrndnq_f32(x.part[i])); }
INLINE float32x4_t power_of_two(float32x4_t power) {
    return vreinterpretq_f32_s32(vshlq_n_s32(vaddq_s32(vcvtnq_s32_f32(power), vdupq_n_s32(127)), 23));
}
INLINE lanes times_power_of_two(lanes x, lanes power) {
    return FOUR(lanes, vmulq_f32(x.part[i], power_of_two(power.part[i])));
}
INLINE float total(lanes x) {
    return vaddvq_f32(vaddq_f32(vaddq_f32(x.part[0], x.part[2]), vaddq_f32(x.part[1], x.part[3])));
}
INLINE float peak(lanes x) {
    return vmaxvq_f32(vmaxq_f32(vmaxq_f32(x.part[0], x.part[2]), vmaxq_f32(x.part[1], x.part[3])));
}

INLINE int32x4_t places(int part) {
    const int32_t four[4] = {0, 1, 2, 3};
    return vaddq_s32(vld1q_s32(four), vdupq_n_s32(4 * part));
}
/* The lanes that the next of `left` numbers fill. */
INLINE mask first(long left) {
    const long count = left > 16 ? 16 : left < 0 ? 0 : left;
    mask some = FOUR(mask, vcltq_s32(places(i), vdupq_n_s32((int)count)));
    some.count = count;
    return some;
}
INLINE mask above(lanes x, lanes y) { return FOUR(mask, vcgtq_f32(x.part[i], y.part[i])); }
INLINE mask same(lanes x, lanes y) { return FOUR(mask, vceqq_f32(x.part[i], y.part[i])); }
INLINE lanes where(mask some, lanes x, lanes otherwise) {
    return FOUR(lanes, vbslq_f32(some.part[i], x.part[i], otherwise.part[i]));
}
INLINE uint32_t bits(mask some) {
    uint32_t found = 0;
    for (int i = 0; i < 4; i++) {
        uint32_t four[4];
        vst1q_u32(four, some.part[i]);
        for (int place = 0; place < 4; place++) found |= (four[place] & 1) << (4 * i + place);
    }
    return found;
}

INLINE counts load_counts(const int32_t *from) { return FOUR(counts, vld1q_s32(from + 4 * i)); }
INLINE counts counts_times(counts x, int factor) { return FOUR(counts, vmulq_n_s32(x.part[i], factor)); }
INLINE lanes difference(counts x, counts y) {
    return FOUR(lanes, vcvtq_f32_s32(vsubq_s32(x.part[i], y.part[i])));
}

/* Rounds to whole numbers, adds the zero, and saves the first `count` as bytes. */
INLINE void save_bytes(uint8_t *to, long count, lanes x, int zero) {
    const counts whole = FOUR(counts, vaddq_s32(vcvtnq_s32_f32(x.part[i]), vdupq_n_s32(zero)));
    const uint16x8_t low = vcombine_u16(vqmovun_s32(whole.part[0]), vqmovun_s32(whole.part[1]));
    const uint16x8_t high = vcombine_u16(vqmovun_s32(whole.part[2]), vqmovun_s32(whole.part[3]));
    const uint8x16_t bytes = veorq_u8(vcombine_u8(vqmovn_u16(low), vqmovn_u16(high)), vdupq_n_u8(OFFSET));
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
    const int rows, const int8_t *panel, long groups, const uint8_t *from, long stride, counts to[][HALVES]
) {
    int32x4_t sums[TALLEST][4];
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

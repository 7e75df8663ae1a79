/* Functions of sixteen numbers at a time. What they return for a number does not depend on its neighbours. */
#ifndef REDRAFT_LANES_H
#define REDRAFT_LANES_H

#include <immintrin.h>

#define INLINE static inline __attribute__((always_inline))

enum { LANES = 16 };

typedef __m512 lanes;

/* The lanes that the next of `left` numbers fill. */
static inline __mmask16 first(long left) { return left >= LANES ? 0xffff : (__mmask16)((1u << left) - 1); }

static inline lanes all(float value) { return _mm512_set1_ps(value); }

static inline lanes negated(lanes x) { return _mm512_sub_ps(_mm512_setzero_ps(), x); }

/* e to the x for x ≤ 88; exactly 0 below -87. */
static inline lanes exponential(lanes x) {
    const __mmask16 some = _mm512_cmp_ps_mask(x, all(-87.0f), _CMP_GE_OQ);
    const lanes whole = _mm512_roundscale_ps(_mm512_mul_ps(x, all(1.44269504f)), _MM_FROUND_TO_NEAREST_INT);
    lanes rest = _mm512_fnmadd_ps(whole, all(0.693359375f), x);
    rest = _mm512_fnmadd_ps(whole, all(-2.12194440e-4f), rest);
    lanes sum = all(1.0f / 5040);
    sum = _mm512_fmadd_ps(sum, rest, all(1.0f / 720));
    sum = _mm512_fmadd_ps(sum, rest, all(1.0f / 120));
    sum = _mm512_fmadd_ps(sum, rest, all(1.0f / 24));
    sum = _mm512_fmadd_ps(sum, rest, all(1.0f / 6));
    sum = _mm512_fmadd_ps(sum, rest, all(0.5f));
    sum = _mm512_fmadd_ps(sum, rest, all(1.0f));
    sum = _mm512_fmadd_ps(sum, rest, all(1.0f));
    return _mm512_maskz_scalef_ps(some, sum, whole);
}

/* x/2 · (1 + erf(x/√2)); the error function by Abramowitz and Stegun's formula 7.1.26, good to 1.5e-7. */
static inline lanes gelu(lanes x) {
    const lanes scaled = _mm512_mul_ps(_mm512_abs_ps(x), all(0.70710678f));
    const lanes t = _mm512_div_ps(all(1.0f), _mm512_fmadd_ps(scaled, all(0.3275911f), all(1.0f)));
    lanes sum = all(1.061405429f);
    sum = _mm512_fmadd_ps(sum, t, all(-1.453152027f));
    sum = _mm512_fmadd_ps(sum, t, all(1.421413741f));
    sum = _mm512_fmadd_ps(sum, t, all(-0.284496736f));
    sum = _mm512_fmadd_ps(sum, t, all(0.254829592f));
    const lanes tail = _mm512_mul_ps(_mm512_mul_ps(sum, t), exponential(negated(_mm512_mul_ps(scaled, scaled))));
    const lanes half = _mm512_mul_ps(x, all(0.5f));
    /* For positive x the result is x - x/2 · tail, for negative x it is x/2 · tail. */
    const __mmask16 positive = _mm512_cmp_ps_mask(x, _mm512_setzero_ps(), _CMP_GT_OQ);
    const lanes below = _mm512_mul_ps(half, tail);
    return _mm512_mask_sub_ps(below, positive, x, below);
}

static inline lanes swish(lanes x) {
    const lanes bounded = _mm512_max_ps(x, all(-80.0f));
    return _mm512_div_ps(x, _mm512_add_ps(all(1.0f), exponential(negated(bounded))));
}

#endif

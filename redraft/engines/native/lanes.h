/* Functions of sixteen numbers at a time. What they return for a number does not depend on its neighbours. */
#ifndef REDRAFT_LANES_H
#define REDRAFT_LANES_H

#define INLINE static inline __attribute__((always_inline))

/* In front of a loop whose number of rounds is known: all of them, one after another. */
#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

enum { LANES = 16 };

#if defined(__AVX512F__)
#include "avx512.h"
#elif defined(__AVX2__)
#include "avx2.h"
#else
#include "neon.h"
#endif

/* e to the x for x ≤ 88; exactly 0 below -87. */
INLINE lanes exponential(lanes x) {
    const mask some = above(x, all(-87.0f));
    const lanes bounded = higher(x, all(-87.0f)), whole = nearest(times(bounded, all(1.44269504f)));
    lanes rest = times_plus(whole, all(-0.693359375f), bounded);
    rest = times_plus(whole, all(2.12194440e-4f), rest);
    lanes sum = all(1.0f / 5040);
    sum = times_plus(sum, rest, all(1.0f / 720));
    sum = times_plus(sum, rest, all(1.0f / 120));
    sum = times_plus(sum, rest, all(1.0f / 24));
    sum = times_plus(sum, rest, all(1.0f / 6));
    sum = times_plus(sum, rest, all(0.5f));
    sum = times_plus(sum, rest, all(1.0f));
    sum = times_plus(sum, rest, all(1.0f));
    return where(some, times_power_of_two(sum, whole), all(0));
}

/* x/2 · (1 + erf(x/√2)); the error function by Abramowitz and Stegun's formula 7.1.26, good to 1.5e-7. */
INLINE lanes gelu(lanes x) {
    const lanes scaled = times(magnitude(x), all(0.70710678f));
    const lanes t = over(all(1.0f), times_plus(scaled, all(0.3275911f), all(1.0f)));
    lanes sum = all(1.061405429f);
    sum = times_plus(sum, t, all(-1.453152027f));
    sum = times_plus(sum, t, all(1.421413741f));
    sum = times_plus(sum, t, all(-0.284496736f));
    sum = times_plus(sum, t, all(0.254829592f));
    const lanes tail = times(times(sum, t), exponential(minus(all(0), times(scaled, scaled))));
    /* For positive x the result is x - x/2 · tail, for negative x it is x/2 · tail. */
    const lanes below = times(times(x, all(0.5f)), tail);
    return where(above(x, all(0)), minus(x, below), below);
}

INLINE lanes swish(lanes x) {
    const lanes bounded = higher(x, all(-80.0f));
    return over(x, plus(all(1.0f), exponential(minus(all(0), bounded))));
}

#endif

/* Functions of vectors of sixteen floats. The result of a lane does not depend on the other lanes. */
#ifndef REDRAFT_VECTOR_H
#define REDRAFT_VECTOR_H

#define INLINE static inline __attribute__((always_inline))

/* Unrolls the loop that follows, whose number of iterations is a constant. */
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
INLINE vector exponential(vector x) {
    const mask some = greater(x, broadcast(-87.0f));
    const vector bounded = maximum(x, broadcast(-87.0f));
    const vector whole = to_nearest_int(times(bounded, broadcast(1.44269504f)));
    vector rest = times_plus(whole, broadcast(-0.693359375f), bounded);
    rest = times_plus(whole, broadcast(2.12194440e-4f), rest);
    vector sum = broadcast(1.0f / 5040);
    sum = times_plus(sum, rest, broadcast(1.0f / 720));
    sum = times_plus(sum, rest, broadcast(1.0f / 120));
    sum = times_plus(sum, rest, broadcast(1.0f / 24));
    sum = times_plus(sum, rest, broadcast(1.0f / 6));
    sum = times_plus(sum, rest, broadcast(0.5f));
    sum = times_plus(sum, rest, broadcast(1.0f));
    sum = times_plus(sum, rest, broadcast(1.0f));
    return where(some, times_power_of_two(sum, whole), broadcast(0));
}

/* x/2 · (1 + erf(x/√2)); the error function by Abramowitz and Stegun's formula 7.1.26, good to 1.5e-7. */
INLINE vector gelu(vector x) {
    const vector scaled = times(absolute(x), broadcast(0.70710678f));
    const vector t = divided_by(broadcast(1.0f), times_plus(scaled, broadcast(0.3275911f), broadcast(1.0f)));
    vector sum = broadcast(1.061405429f);
    sum = times_plus(sum, t, broadcast(-1.453152027f));
    sum = times_plus(sum, t, broadcast(1.421413741f));
    sum = times_plus(sum, t, broadcast(-0.284496736f));
    sum = times_plus(sum, t, broadcast(0.254829592f));
    const vector tail = times(times(sum, t), exponential(minus(broadcast(0), times(scaled, scaled))));
    /* For positive x the result is x - x/2 · tail, for negative x it is x/2 · tail. */
    const vector below = times(times(x, broadcast(0.5f)), tail);
    return where(greater(x, broadcast(0)), minus(x, below), below);
}

INLINE vector swish(vector x) {
    const vector bounded = maximum(x, broadcast(-80.0f));
    return divided_by(x, plus(broadcast(1.0f), exponential(minus(broadcast(0), bounded))));
}

#endif

/* Attention of a few queries to the keys of one head.

   Keys are stored transposed, (head width, keys), so that sixteen are computed together; values are (keys, head width).
   A query's sums run over its keys in order, whichever queries are computed beside it, and keys that it may not see add
   exact zeros. */
#ifndef REDRAFT_ATTENTION_H
#define REDRAFT_ATTENTION_H

#include <math.h>

#include "vector.h"

enum { QUERIES_AT_ONCE = 4 };

typedef struct {
    const float *keys;
    long key_stride;
    const float *values;
    long value_stride;
    long width;
    float scale;
} head;

/* `count` queries; query i sees the first seen + i · growth keys. `weights` is scratch for QUERIES_AT_ONCE rows. */
INLINE void attend_some(
    const int count, const head *head, const float *queries, long stride, long seen, long growth, float *weights,
    long weight_stride, float *to, long to_stride
) {
    const long most = seen + (count - 1) * growth;
    float sums[QUERIES_AT_ONCE];
    for (long key = 0; key < most; key += LANES) {
        vector scores[QUERIES_AT_ONCE];
        for (int q = 0; q < count; q++) scores[q] = broadcast(0);
        for (long at = 0; at < head->width; at++) {
            const vector keys = load(head->keys + at * head->key_stride + key);
            for (int q = 0; q < count; q++)
                scores[q] = times_plus(broadcast(queries[q * stride + at]), keys, scores[q]);
        }
        for (int q = 0; q < count; q++) {
            const long left = seen + q * growth - key;
            const vector scaled = times(scores[q], broadcast(head->scale));
            save(weights + q * weight_stride + key, where(first_lanes(left), scaled, broadcast(-INFINITY)));
        }
    }
    for (int q = 0; q < count; q++) {
        float *row = weights + q * weight_stride;
        vector highest = broadcast(-INFINITY), sum = broadcast(0);
        for (long key = 0; key < most; key += LANES) highest = maximum(highest, load(row + key));
        highest = broadcast(maximum_of(highest));
        for (long key = 0; key < most; key += LANES) {
            const vector weight = exponential(minus(load(row + key), highest));
            save(row + key, weight);
            sum = plus(sum, weight);
        }
        sums[q] = sum_of(sum);
    }
    for (long at = 0; at < head->width; at += LANES) {
        const mask some = first_lanes(head->width - at);
        vector attended[QUERIES_AT_ONCE];
        for (int q = 0; q < count; q++) attended[q] = broadcast(0);
        for (long key = 0; key < most; key++) {
            const vector value = load_masked(some, head->values + key * head->value_stride + at);
            for (int q = 0; q < count; q++)
                attended[q] = times_plus(broadcast(weights[q * weight_stride + key]), value, attended[q]);
        }
        for (int q = 0; q < count; q++)
            save_masked(to + q * to_stride + at, some, divided_by(attended[q], broadcast(sums[q])));
    }
}

static void attend(
    const head *head, const float *queries, long stride, long count, long seen, long growth, float *weights,
    long weight_stride, float *to, long to_stride
) {
    long query = 0;
    for (; query + QUERIES_AT_ONCE <= count; query += QUERIES_AT_ONCE)
        attend_some(
            QUERIES_AT_ONCE, head, queries + query * stride, stride, seen + query * growth, growth, weights,
            weight_stride, to + query * to_stride, to_stride
        );
    for (; query < count; query++)
        attend_some(
            1, head, queries + query * stride, stride, seen + query * growth, growth, weights, weight_stride,
            to + query * to_stride, to_stride
        );
}

#endif

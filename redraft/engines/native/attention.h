/* Attention of a few queries to the keys of one head.

   Keys lie transposed, (head width, keys), so that sixteen of them are looked at together; values lie as they are,
   (keys, head width). A query's sums run over its keys in order, whichever queries are computed beside it, and keys that
   it may not see add exact zeros. */
#ifndef REDRAFT_ATTENTION_H
#define REDRAFT_ATTENTION_H

#include <math.h>

#include "lanes.h"

enum { BESIDE = 4 };

typedef struct {
    const float *keys;
    long key_stride;
    const float *values;
    long value_stride;
    long width;
    float scale;
} head;

/* Queries 0 to count, of which number i sees the first seen + i · growth keys. `shares` has room for BESIDE rows. */
INLINE void attend_some(
    const int count, const head *head, const float *queries, long stride, long seen, long growth, float *shares,
    long share_stride, float *to, long to_stride
) {
    const long most = seen + (count - 1) * growth;
    float sums[BESIDE];
    for (long key = 0; key < most; key += LANES) {
        lanes scores[BESIDE];
        for (int q = 0; q < count; q++) scores[q] = all(0);
        for (long at = 0; at < head->width; at++) {
            const lanes keys = load(head->keys + at * head->key_stride + key);
            for (int q = 0; q < count; q++) scores[q] = times_plus(all(queries[q * stride + at]), keys, scores[q]);
        }
        for (int q = 0; q < count; q++) {
            const long left = seen + q * growth - key;
            save(
                shares + q * share_stride + key, where(first(left), times(scores[q], all(head->scale)), all(-INFINITY))
            );
        }
    }
    for (int q = 0; q < count; q++) {
        float *row = shares + q * share_stride;
        lanes highest = all(-INFINITY), sum = all(0);
        for (long key = 0; key < most; key += LANES) highest = higher(highest, load(row + key));
        highest = all(peak(highest));
        for (long key = 0; key < most; key += LANES) {
            const lanes share = exponential(minus(load(row + key), highest));
            save(row + key, share);
            sum = plus(sum, share);
        }
        sums[q] = total(sum);
    }
    for (long at = 0; at < head->width; at += LANES) {
        const mask some = first(head->width - at);
        lanes attended[BESIDE];
        for (int q = 0; q < count; q++) attended[q] = all(0);
        for (long key = 0; key < most; key++) {
            const lanes value = load_some(some, head->values + key * head->value_stride + at);
            for (int q = 0; q < count; q++)
                attended[q] = times_plus(all(shares[q * share_stride + key]), value, attended[q]);
        }
        for (int q = 0; q < count; q++)
            save_some(to + q * to_stride + at, some, over(attended[q], all(sums[q])));
    }
}

static void attend(
    const head *head, const float *queries, long stride, long count, long seen, long growth, float *shares,
    long share_stride, float *to, long to_stride
) {
    long query = 0;
    for (; query + BESIDE <= count; query += BESIDE)
        attend_some(
            BESIDE, head, queries + query * stride, stride, seen + query * growth, growth, shares, share_stride,
            to + query * to_stride, to_stride
        );
    for (; query < count; query++)
        attend_some(
            1, head, queries + query * stride, stride, seen + query * growth, growth, shares, share_stride,
            to + query * to_stride, to_stride
        );
}

#endif

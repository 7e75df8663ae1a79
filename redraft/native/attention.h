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
        for (int q = 0; q < count; q++) scores[q] = _mm512_setzero_ps();
        for (long at = 0; at < head->width; at++) {
            const lanes keys = _mm512_loadu_ps(head->keys + at * head->key_stride + key);
            for (int q = 0; q < count; q++) scores[q] = _mm512_fmadd_ps(all(queries[q * stride + at]), keys, scores[q]);
        }
        for (int q = 0; q < count; q++) {
            const long left = seen + q * growth - key;
            const __mmask16 visible = left > 0 ? first(left) : 0;
            scores[q] = _mm512_mask_mul_ps(all(-INFINITY), visible, scores[q], all(head->scale));
            _mm512_storeu_ps(shares + q * share_stride + key, scores[q]);
        }
    }
    for (int q = 0; q < count; q++) {
        float *row = shares + q * share_stride;
        lanes highest = all(-INFINITY), sum = _mm512_setzero_ps();
        for (long key = 0; key < most; key += LANES) highest = _mm512_max_ps(highest, _mm512_loadu_ps(row + key));
        highest = all(_mm512_reduce_max_ps(highest));
        for (long key = 0; key < most; key += LANES) {
            const lanes share = exponential(_mm512_sub_ps(_mm512_loadu_ps(row + key), highest));
            _mm512_storeu_ps(row + key, share);
            sum = _mm512_add_ps(sum, share);
        }
        sums[q] = _mm512_reduce_add_ps(sum);
    }
    for (long at = 0; at < head->width; at += LANES) {
        const __mmask16 mask = first(head->width - at);
        lanes attended[BESIDE];
        for (int q = 0; q < count; q++) attended[q] = _mm512_setzero_ps();
        for (long key = 0; key < most; key++) {
            const lanes value = _mm512_maskz_loadu_ps(mask, head->values + key * head->value_stride + at);
            for (int q = 0; q < count; q++)
                attended[q] = _mm512_fmadd_ps(all(shares[q * share_stride + key]), value, attended[q]);
        }
        for (int q = 0; q < count; q++)
            _mm512_mask_storeu_ps(to + q * to_stride + at, mask, _mm512_div_ps(attended[q], all(sums[q])));
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

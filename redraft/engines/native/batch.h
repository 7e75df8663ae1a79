/* Tokens of several rows, the cache of their keys and values, and the checks of both: no id, position or length that
   Python gives may lead outside a table or a cache. */
#ifndef REDRAFT_BATCH_H
#define REDRAFT_BATCH_H

#include "network.h"

enum { NO_MEMORY = -1, OUT_OF_RANGE = -2, MAX_TOKENS = 1 << 30 };

/* Keys (layers, rows, heads, head width, capacity) and values (layers, rows, heads, capacity, head width). */
typedef struct {
    float *keys, *values;
    int64_t capacity;
} kv_cache;

typedef struct {
    int64_t rows;
    const int64_t *ids, *positions; /* of all tokens */
    const int64_t *offsets;         /* rows + 1: the first token of each row, and the end */
} batch;

static bool is_valid_cache(const kv_cache *cache) {
    return is_within(cache->capacity, LANES, MAX_SIZE) && cache->capacity % LANES == 0;
}

/* True if every id is in the vocabulary, and the tokens have consecutive positions within the tables and the cache. */
static bool is_valid_row(const network *n, const batch *batch, int64_t capacity, int64_t row) {
    const int64_t start = batch->offsets[row], end = batch->offsets[row + 1];
    if (!is_within(start, 0, MAX_TOKENS) || !is_within(end, start, MAX_TOKENS)) return false;
    if (start == end) return true;
    const int64_t most = capacity <= n->shape.max_tokens ? capacity : n->shape.max_tokens + 1;
    const int64_t position = batch->positions[start];
    if (end - start > most || !is_within(position, 0, most - (end - start))) return false;
    bool valid = true;
    for (int64_t token = start; token < end; token++)
        valid &= is_within(batch->ids[token], 0, n->shape.vocabulary - 1) &
                 (batch->positions[token] == position + token - start);
    return valid;
}

/* Without a cache, the tables alone limit a row. */
static bool is_valid_batch(const network *n, const batch *batch, const kv_cache *cache) {
    if (!is_within(batch->rows, 1, MAX_TOKENS / n->shape.heads) || batch->offsets[0] ||
        (cache && !is_valid_cache(cache)))
        return false;
    for (int64_t row = 0; row < batch->rows; row++)
        if (!is_valid_row(n, batch, cache ? cache->capacity : n->longest, row)) return false;
    return true;
}

/* A source is whole: its first position is 0. */
static bool are_valid_sources(const network *n, const batch *batch, const kv_cache *cross) {
    if (!is_valid_batch(n, batch, cross)) return false;
    for (int64_t row = 0; row < batch->rows; row++)
        if (batch->offsets[row] < batch->offsets[row + 1] && batch->positions[batch->offsets[row]]) return false;
    return true;
}

static bool are_valid_targets(
    const network *n, const batch *batch, const int64_t *source_lengths, const kv_cache *cross, const kv_cache *past
) {
    if (!is_valid_batch(n, batch, past) || !is_valid_cache(cross)) return false;
    const int64_t most = cross->capacity < n->longest ? cross->capacity : n->longest;
    for (int64_t row = 0; row < batch->rows; row++)
        if (!is_within(source_lengths[row], 1, most)) return false;
    return true;
}

#endif

/* The network's data structures, and how they are filled from the tensors of a weights file. */
#ifndef REDRAFT_NETWORK_H
#define REDRAFT_NETWORK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "attention.h"
#include "product.h"
#include "thread_pool.h"

/* The names of functions that Python calls end in the variant they are compiled for: redraft_open_avx2. */
#define JOIN_NAMES(name, variant) redraft_##name##_##variant
#define EXPAND_NAMES(name, variant) JOIN_NAMES(name, variant)
#define EXPORTED(name) EXPAND_NAMES(name, REDRAFT_VARIANT)

typedef struct {
    int64_t vocabulary, width, ffn, heads, encoder_layers, decoder_layers, max_tokens;
    int64_t post_norm, norm_embedding, tie_output, output_bias, activation, threads;
    float embedding_factor; /* multiplies the embeddings */
    float least;            /* lower bound of the activation function */
    const float *positions[2]; /* added to embeddings, (max_tokens + 1, width) for encoder and decoder; or NULL */
    const float *cosines, *sines; /* (max_tokens + 1, head width / 2), for rotary positions; or NULL */
} shape;

/* A matrix of bytes has scales. A table of embeddings also has second bytes, `rest`, for more precision. A vector of
   floats has neither. */
typedef struct {
    const void *values;
    const float *scales;
    const int8_t *rest;
} tensor;

typedef struct {
    const float *weight, *bias;
} norm;

typedef struct {
    norm self_norm, cross_norm, ffn_norm;
    matrix qkv, out, query, key_value, cross_out, up, down;
} layer;

typedef struct {
    const float *positions;
    norm embedding_norm, final_norm;
    layer *layers;
    long depth;
} stack;

typedef struct {
    float *queries, *keys, *weights;
} scratch;

typedef struct {
    bool is_shared; /* true if the weights belong to another network */
    shape shape;
    long head_width, longest; /* longest source or target, rounded up to a multiple of LANES */
    tensor embedding;
    stack encoder, decoder;
    matrix vocabulary;
    pool *pool;
    scratch *scratches;
    pthread_mutex_t lock; /* protects what follows: one run at a time */
    long capacity;        /* of the buffers, in tokens */
    float *x, *normed, *y, *factors;
    uint8_t *bytes;
    panel_best *panel_bests;
    long panel_best_capacity;
} network;

/* A decoder layer takes 14 steps of a run, and the rest of a run less than 16. */
enum { MAX_SIZE = 1 << 20, MAX_LAYERS = (MAX_STEPS - 16) / 14, MAX_THREADS = 1024 };

static bool is_within(int64_t value, int64_t least, int64_t most) { return least <= value && value <= most; }

/* Sizes are so small that the product of any three of them fits into a long. */
static bool is_valid_shape(const shape *s) {
    const int64_t sizes[] = {s->vocabulary, s->width, s->ffn, s->heads, s->max_tokens};
    for (int index = 0; index < 5; index++)
        if (!is_within(sizes[index], 1, MAX_SIZE)) return false;
    return is_within(s->encoder_layers, 1, MAX_LAYERS) && is_within(s->decoder_layers, 1, MAX_LAYERS) &&
           is_within(s->threads, 1, MAX_THREADS) && is_within(s->activation, RELU, SWISH) &&
           s->width % s->heads == 0 && (!s->cosines || s->width / s->heads % 2 == 0);
}

static float *new_floats(long rows, long columns) { return new_array(rows, columns, sizeof(float)); }

static norm read_norm(const tensor **next) {
    const norm norm = {(*next)[0].values, (*next)[1].values};
    *next += 2;
    return norm;
}

static int read_matrix(const tensor *weight, const tensor *bias, matrix *to, long out, long in) {
    *to = (matrix){.out = out, .in = in, .scales = weight->scales, .bias = bias ? bias->values : NULL};
    return pack(to, weight->values);
}

static int read_linear(const tensor **next, matrix *to, long out, long in) {
    *next += 2;
    return read_matrix(*next - 2, *next - 1, to, out, in);
}

static int read_layer(const tensor **next, layer *layer, const shape *shape, bool cross) {
    const long d = shape->width;
    int failed = 0;
    layer->self_norm = read_norm(next);
    failed |= read_linear(next, &layer->qkv, 3 * d, d);
    failed |= read_linear(next, &layer->out, d, d);
    if (cross) {
        layer->cross_norm = read_norm(next);
        failed |= read_linear(next, &layer->query, d, d);
        failed |= read_linear(next, &layer->key_value, 2 * d, d);
        failed |= read_linear(next, &layer->cross_out, d, d);
    }
    layer->ffn_norm = read_norm(next);
    failed |= read_linear(next, &layer->up, shape->ffn, d);
    return failed | read_linear(next, &layer->down, d, shape->ffn);
}

static int read_stack(const tensor **next, stack *stack, const shape *shape, bool is_decoder) {
    stack->positions = shape->positions[is_decoder];
    stack->depth = is_decoder ? shape->decoder_layers : shape->encoder_layers;
    stack->layers = calloc(stack->depth, sizeof(layer));
    if (!stack->layers) return -1;
    if (shape->norm_embedding) stack->embedding_norm = read_norm(next);
    int failed = 0;
    for (long index = 0; index < stack->depth; index++)
        failed |= read_layer(next, &stack->layers[index], shape, is_decoder);
    if (!shape->post_norm) stack->final_norm = read_norm(next);
    return failed;
}

static int allocate_scratches(network *n, int workers) {
    n->scratches = calloc(workers, sizeof(scratch));
    if (!n->scratches) return -1;
    for (int index = 0; index < workers; index++) {
        scratch *scratch = &n->scratches[index];
        scratch->queries = new_floats(n->longest, n->head_width);
        scratch->keys = new_floats(n->longest, n->head_width);
        scratch->weights = new_floats(n->longest, QUERIES_AT_ONCE);
        if (!scratch->queries || !scratch->keys || !scratch->weights) return -1;
    }
    return 0;
}

static void free_matrix(matrix *matrix) {
    free(matrix->packed);
    free(matrix->sums);
#ifdef SUMS_IN_16_BITS
    free(matrix->late);
    free(matrix->late_starts);
#endif
}

static void free_stack(stack *stack) {
    for (long index = 0; stack->layers && index < stack->depth; index++) {
        layer *layer = &stack->layers[index];
        matrix *all_of_them[] = {&layer->qkv,       &layer->out, &layer->query, &layer->key_value,
                                 &layer->cross_out, &layer->up,  &layer->down};
        for (int each = 0; each < 7; each++) free_matrix(all_of_them[each]);
    }
    free(stack->layers);
}

static void free_buffers(network *n) {
    float *floats[] = {n->x, n->normed, n->y, n->factors};
    for (int each = 0; each < 4; each++) free(floats[each]);
    free(n->bytes);
    n->x = n->normed = n->y = n->factors = NULL;
    n->bytes = NULL;
    n->capacity = 0;
}

void EXPORTED(close)(network *n) {
    const int workers = n->pool ? n->pool->extra_threads + 1 : 0;
    if (n->pool) close_pool(n->pool);
    for (int index = 0; n->scratches && index < workers; index++) {
        free(n->scratches[index].queries);
        free(n->scratches[index].keys);
        free(n->scratches[index].weights);
    }
    free(n->scratches);
    if (!n->is_shared) {
        free_stack(&n->encoder);
        free_stack(&n->decoder);
        free_matrix(&n->vocabulary);
    }
    free_buffers(n);
    free(n->panel_bests);
    pthread_mutex_destroy(&n->lock);
    free(n);
}

/* Starts the threads again, in a forked process, which has a copy of everything but the threads. The thread that ran a
   computation at the moment of the fork may have held the lock, or been about to replace a buffer: those are left as they
   are, and new ones are used. Returns 0, or another number if there is not enough memory. */
int EXPORTED(restart)(network *n) {
    pool *started = open_pool(n->pool->extra_threads + 1);
    if (!started) return -1;
    n->pool = started;
    pthread_mutex_init(&n->lock, NULL);
    n->x = n->normed = n->y = n->factors = NULL;
    n->bytes = NULL;
    n->panel_bests = NULL;
    n->capacity = n->panel_best_capacity = 0;
    return 0;
}

/* A network of one thread with the weights of another one, which must outlive it: several of them run at the same time.
   Returns NULL if there is not enough memory. */
network *EXPORTED(share)(const network *owner) {
    network *n = calloc(1, sizeof(network));
    if (!n) return NULL;
    n->is_shared = true;
    n->shape = owner->shape;
    n->head_width = owner->head_width;
    n->longest = owner->longest;
    n->embedding = owner->embedding;
    n->encoder = owner->encoder;
    n->decoder = owner->decoder;
    n->vocabulary = owner->vocabulary;
    pthread_mutex_init(&n->lock, NULL);
    n->pool = open_pool(1);
    if (!n->pool || allocate_scratches(n, 1)) {
        EXPORTED(close)(n);
        return NULL;
    }
    return n;
}

/* Takes tensors in the order of ModelConfig.tensors(), without tables of positions. The data they point to must outlive
   the network. Returns NULL if there is not enough memory or a size is out of range. */
network *EXPORTED(open)(const shape *shape, const tensor *tensors) {
    if (!is_valid_shape(shape)) return NULL;
    network *n = calloc(1, sizeof(network));
    if (!n) return NULL;
    n->shape = *shape;
    n->head_width = shape->width / shape->heads;
    n->longest = round_up(shape->max_tokens + 1, LANES);
    pthread_mutex_init(&n->lock, NULL);
    n->embedding = *tensors;
    const tensor *next = tensors + 1;
    int failed = read_stack(&next, &n->encoder, shape, false);
    if (!failed) failed = read_stack(&next, &n->decoder, shape, true);
    if (!failed) {
        const tensor *output = shape->tie_output ? tensors : next++, *bias = shape->output_bias ? next : NULL;
        failed = read_matrix(output, bias, &n->vocabulary, shape->vocabulary, shape->width);
    }
    if (!failed) n->pool = open_pool((int)shape->threads);
    if (failed || !n->pool || allocate_scratches(n, n->pool->extra_threads + 1)) {
        EXPORTED(close)(n);
        return NULL;
    }
    return n;
}

#endif

/* What a network is made of, and how it is made from the tensors of a weights file. */
#ifndef REDRAFT_OPENING_H
#define REDRAFT_OPENING_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "attention.h"
#include "product.h"
#include "team.h"

/* Functions that Python calls are called redraft_open_avx2 and so on, after the processors they are compiled for. */
#define JOINED(name, variant) redraft_##name##_##variant
#define EXPANDED(name, variant) JOINED(name, variant)
#define NAMED(name) EXPANDED(name, REDRAFT_VARIANT)

typedef struct {
    int64_t vocabulary, width, ffn, heads, encoder_layers, decoder_layers, max_tokens;
    int64_t post_norm, norm_embedding, tie_output, output_bias, activation, threads;
    float embedding_factor; /* what embeddings are multiplied by */
    float least;            /* no number is less behind the activation function */
    const float *positions[2]; /* added to embeddings, (max_tokens + 1, width) for encoder and decoder; or NULL */
    const float *cosines, *sines; /* (max_tokens + 1, head width / 2), for rotary positions; or NULL */
} shape;

/* A matrix of bytes has scales, a table of bytes what refines them besides; a vector has neither. */
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
    norm embedding_norm, last;
    layer *layers;
    long depth;
} side;

typedef struct {
    float *queries, *keys, *shares;
} desk;

typedef struct {
    shape shape;
    long head_width, longest; /* a multiple of LANES */
    tensor embedding;
    side encoder, decoder;
    matrix vocabulary;
    team *team;
    desk *desks;
    pthread_mutex_t lock; /* of what follows: one run at a time */
    long room;            /* for so many tokens */
    float *x, *normed, *y, *factors;
    uint8_t *bytes;
    contender *contenders;
    long contender_room;
} network;

static float *new_floats(long count) { return aligned_alloc(64, rounded_up(count * sizeof(float), 64)); }

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

static int read_side(const tensor **next, side *side, const shape *shape, bool is_decoder) {
    side->positions = shape->positions[is_decoder];
    side->depth = is_decoder ? shape->decoder_layers : shape->encoder_layers;
    side->layers = calloc(side->depth, sizeof(layer));
    if (!side->layers) return -1;
    if (shape->norm_embedding) side->embedding_norm = read_norm(next);
    int failed = 0;
    for (long index = 0; index < side->depth; index++) failed |= read_layer(next, &side->layers[index], shape, is_decoder);
    if (!shape->post_norm) side->last = read_norm(next);
    return failed;
}

static int set_desks(network *n, int members) {
    n->desks = calloc(members, sizeof(desk));
    if (!n->desks) return -1;
    for (int index = 0; index < members; index++) {
        desk *desk = &n->desks[index];
        desk->queries = new_floats(n->longest * n->head_width);
        desk->keys = new_floats(n->longest * n->head_width);
        desk->shares = new_floats(n->longest * BESIDE);
        if (!desk->queries || !desk->keys || !desk->shares) return -1;
    }
    return 0;
}

static void free_matrix(matrix *matrix) {
    free(matrix->packed);
    free(matrix->sums);
}

static void free_side(side *side) {
    for (long index = 0; side->layers && index < side->depth; index++) {
        layer *layer = &side->layers[index];
        matrix *all_of_them[] = {&layer->qkv,       &layer->out, &layer->query, &layer->key_value,
                                 &layer->cross_out, &layer->up,  &layer->down};
        for (int each = 0; each < 7; each++) free_matrix(all_of_them[each]);
    }
    free(side->layers);
}

static void free_room(network *n) {
    float *floats[] = {n->x, n->normed, n->y, n->factors};
    for (int each = 0; each < 4; each++) free(floats[each]);
    free(n->bytes);
    n->x = n->normed = n->y = n->factors = NULL;
    n->bytes = NULL;
    n->room = 0;
}

void NAMED(close)(network *n) {
    const int members = n->team ? n->team->workers + 1 : 0;
    if (n->team) dismiss(n->team);
    for (int index = 0; n->desks && index < members; index++) {
        free(n->desks[index].queries);
        free(n->desks[index].keys);
        free(n->desks[index].shares);
    }
    free(n->desks);
    free_side(&n->encoder);
    free_side(&n->decoder);
    free_matrix(&n->vocabulary);
    free_room(n);
    free(n->contenders);
    pthread_mutex_destroy(&n->lock);
    free(n);
}

/* Tensors in the order of ModelConfig.tensors(), without tables of positions; what they point to must stay where it is.
   NULL where there is not enough memory. */
network *NAMED(open)(const shape *shape, const tensor *tensors) {
    network *n = calloc(1, sizeof(network));
    if (!n) return NULL;
    n->shape = *shape;
    n->head_width = shape->width / shape->heads;
    n->longest = rounded_up(shape->max_tokens + 1, LANES);
    pthread_mutex_init(&n->lock, NULL);
    n->embedding = *tensors;
    const tensor *next = tensors + 1;
    int failed = read_side(&next, &n->encoder, shape, false);
    if (!failed) failed = read_side(&next, &n->decoder, shape, true);
    if (!failed) {
        const tensor *output = shape->tie_output ? tensors : next++, *bias = shape->output_bias ? next : NULL;
        failed = read_matrix(output, bias, &n->vocabulary, shape->vocabulary, shape->width);
    }
    if (!failed) n->team = gather((int)shape->threads);
    if (failed || !n->team || set_desks(n, n->team->workers + 1)) {
        NAMED(close)(n);
        return NULL;
    }
    return n;
}

#endif

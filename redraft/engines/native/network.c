/* The network in 8-bit integers, compiled once for each variant of processor. It computes what the graph of
   redraft/lab/export/network.py computes.

   Tokens of all rows are stored one after another without padding. A token's results depend on its row alone, to the
   last bit: not on how many tokens share the pass, nor on the other rows, nor on the number of threads. */
#include "batch.h"
#include "network.h"

enum { TOKENS_AN_ITEM = 4, ITEMS_A_MEMBER = 16, FINENESS = 254 };

typedef struct {
    network *network;
    const batch *batch;
    kv_cache *past, *cross;
    const int64_t *source_lengths;
    float *hidden;
} pass;

/* Layers first…last of the encoder. Pointers to what is not wanted are NULL. */
typedef struct {
    network *network;
    const batch *batch;
    int64_t first, last;
    const float *from; /* states before layer `first`, if that is not 0 */
    float *states;     /* states after the last of the layers */
    float *final;      /* states after the final norm, if these layers end the stack */
    kv_cache *cross;   /* keys and values that the decoder attends to, if these layers end the stack */
} encoder_pass;

/* ---- rows ---- */

#define EACH_TOKEN(self, tokens, token)                                                              \
    for (int item_; (item_ = claim_item(self, ((tokens) + TOKENS_AN_ITEM - 1) / TOKENS_AN_ITEM)) >= 0;)     \
        for (long token = (long)item_ * TOKENS_AN_ITEM;                                                \
             token < (tokens) && token < ((long)item_ + 1) * TOKENS_AN_ITEM; token++)

static void normalize(const norm *norm, const float *x, long size, float *to) {
    vector sum = broadcast(0), squares = broadcast(0);
    for (long at = 0; at < size; at += LANES) sum = plus(sum, load_masked(first_lanes(size - at), x + at));
    const vector mean = broadcast(sum_of(sum) / size);
    for (long at = 0; at < size; at += LANES) {
        const mask some = first_lanes(size - at);
        const vector off = where(some, minus(load_masked(some, x + at), mean), broadcast(0));
        squares = times_plus(off, off, squares);
    }
    const vector scale = broadcast(1.0f / sqrtf(sum_of(squares) / size + 1e-5f));
    for (long at = 0; at < size; at += LANES) {
        const mask some = first_lanes(size - at);
        const vector off = times(minus(load_masked(some, x + at), mean), scale);
        const vector weight = load_masked(some, norm->weight + at), bias = load_masked(some, norm->bias + at);
        save_masked(to + at, some, times_plus(off, weight, bias));
    }
}

static void embed(worker *self, const network *n, const stack *stack, const batch *batch) {
    const long width = n->shape.width, tokens = batch->offsets[batch->rows];
    EACH_TOKEN(self, tokens, token) {
        const int64_t id = batch->ids[token];
        const int8_t *values = (const int8_t *)n->embedding.values + id * width, *rest = n->embedding.rest + id * width;
        const float *place = stack->positions ? stack->positions + batch->positions[token] * width : NULL;
        const float scale = n->embedding.scales[id];
        float *x = n->x + token * width;
        for (long at = 0; at < width; at++) {
            x[at] = (values[at] + rest[at] / (float)FINENESS) * scale * n->shape.embedding_factor;
            if (place) x[at] += place[at];
        }
        if (stack->embedding_norm.weight) normalize(&stack->embedding_norm, x, width, x);
    }
}

/* Quantizes the input of a block. With norms after blocks, `norm` is that of the block before. */
static quantized normalize_and_quantize(worker *self, const network *n, const norm *norm, long tokens) {
    const long width = n->shape.width;
    const quantized to = {n->bytes, n->factors, round_up(width, BYTES_AT_ONCE), ZERO_POINT};
    EACH_TOKEN(self, tokens, token) {
        float *x = n->x + token * width, *normed = n->shape.post_norm ? x : n->normed + token * width;
        if (norm) normalize(norm, x, width, normed);
        quantize_row(normed, width, 1, &to, token);
    }
    return to;
}

static quantized quantize_rows(
    worker *self, const network *n, const float *rows, long width, long tokens, float least
) {
    const quantized to = {n->bytes, n->factors, round_up(width, BYTES_AT_ONCE), least <= 0 ? LOW_ZERO_POINT : ZERO_POINT};
    EACH_TOKEN(self, tokens, token) quantize_row(rows + token * width, width, least, &to, token);
    return to;
}

static void multiply(worker *self, const matrix *w, const quantized *a, long rows, const destination *to) {
    const long items = ITEMS_A_MEMBER * (self->pool->extra_threads + 1);
    const long each = w->panels > items ? w->panels / items : 1;
    for (int item; (item = claim_item(self, (int)((w->panels + each - 1) / each))) >= 0;)
        for (long panel = item * each; panel < w->panels && panel < (item + 1) * each; panel++)
            multiply_panel(w, panel, a, rows, to);
}

static void multiply_to(worker *self, const matrix *w, const quantized *a, long rows, output_kind kind, float *to) {
    multiply(self, w, a, rows, &(destination){.output_kind = kind, .rows = to});
}

/* ---- heads ---- */

/* Rotates one head of a token by its position; `stride` is the distance between its numbers in `to`. */
static void rotate(const network *n, const float *from, int64_t position, float *to, long stride) {
    const long half = n->head_width / 2;
    if (!n->shape.cosines) {
        for (long at = 0; at < n->head_width; at++) to[at * stride] = from[at];
        return;
    }
    const float *cosines = n->shape.cosines + position * half, *sines = n->shape.sines + position * half;
    for (long at = 0; at < half; at++) {
        to[at * stride] = from[at] * cosines[at] - from[at + half] * sines[at];
        to[(at + half) * stride] = from[at + half] * cosines[at] + from[at] * sines[at];
    }
}

static head cached_head(const network *n, const kv_cache *kv_cache, long layer, long rows, long row, long head_number) {
    const long number = (layer * rows + row) * n->shape.heads + head_number, size = n->head_width * kv_cache->capacity;
    return (head){kv_cache->keys + number * size, kv_cache->capacity, kv_cache->values + number * size,
                  n->head_width, n->head_width, 1.0f / sqrtf(n->head_width)};
}

/* Copies keys and values of a row's head from y, at offsets `key` and `value` of each token, into the cache. */
static void save_keys_and_values(
    const network *n, const batch *batch, const head *to, long row, long head, long stride, long key, long value
) {
    for (long token = batch->offsets[row]; token < batch->offsets[row + 1]; token++) {
        const float *from = n->y + token * stride + head * n->head_width;
        const int64_t position = batch->positions[token];
        rotate(n, from + key, position, (float *)to->keys + position, to->key_stride);
        memcpy((float *)to->values + position * to->value_stride, from + value, n->head_width * sizeof(float));
    }
}

static void rotate_queries(
    const network *n, const batch *batch, const scratch *scratch, long row, long head, long stride
) {
    for (long token = batch->offsets[row]; token < batch->offsets[row + 1]; token++)
        rotate(n, n->y + token * stride + head * n->head_width, batch->positions[token],
             scratch->queries + (token - batch->offsets[row]) * n->head_width, 1);
}

/* The row's first query sees `seen` keys, each following one `growth` keys more. */
static void attend_row(
    const network *n, const batch *batch, const scratch *scratch, const head *head, long row, long number, long seen,
    long growth
) {
    attend(
        head, scratch->queries, n->head_width, batch->offsets[row + 1] - batch->offsets[row], seen, growth,
        scratch->weights, n->longest, n->normed + batch->offsets[row] * n->shape.width + number * n->head_width,
        n->shape.width
    );
}

/* Attention writes its results into `normed`. */
#define EACH_HEAD(self, n, batch, row, head)                                               \
    for (int item_; (item_ = claim_item(self, (int)((batch)->rows * (n)->shape.heads))) >= 0;)     \
        for (long row = item_ / (n)->shape.heads, head = item_ % (n)->shape.heads, once_ = 1; once_; once_ = 0)

static void attend_to_source(worker *self, const network *n, const batch *batch) {
    const scratch *scratch = &n->scratches[self->number];
    const long width = n->shape.width;
    EACH_HEAD(self, n, batch, row, number) {
        const long count = batch->offsets[row + 1] - batch->offsets[row], start = batch->offsets[row];
        for (long token = 0; token < count; token++)
            rotate(n, n->y + (start + token) * 3 * width + width + number * n->head_width, token, scratch->keys + token,
                 n->longest);
        rotate_queries(n, batch, scratch, row, number, 3 * width);
        const head head = {scratch->keys, n->longest, n->y + start * 3 * width + 2 * width + number * n->head_width,
                           3 * width, n->head_width, 1.0f / sqrtf(n->head_width)};
        attend_row(n, batch, scratch, &head, row, number, count, 0);
    }
}

static void attend_to_target(worker *self, const pass *pass, long layer) {
    const network *n = pass->network;
    const batch *batch = pass->batch;
    const long width = n->shape.width;
    EACH_HEAD(self, n, batch, row, number) {
        const head head = cached_head(n, pass->past, layer, batch->rows, row, number);
        if (batch->offsets[row] == batch->offsets[row + 1]) continue;
        save_keys_and_values(n, batch, &head, row, number, 3 * width, width, 2 * width);
        rotate_queries(n, batch, &n->scratches[self->number], row, number, 3 * width);
        const long seen = batch->positions[batch->offsets[row]] + 1;
        attend_row(n, batch, &n->scratches[self->number], &head, row, number, seen, 1);
    }
}

static void attend_across(worker *self, const pass *pass, long layer) {
    const network *n = pass->network;
    const batch *batch = pass->batch;
    EACH_HEAD(self, n, batch, row, number) {
        const head head = cached_head(n, pass->cross, layer, batch->rows, row, number);
        rotate_queries(n, batch, &n->scratches[self->number], row, number, n->shape.width);
        attend_row(n, batch, &n->scratches[self->number], &head, row, number, pass->source_lengths[row], 0);
    }
}

/* ---- passes ---- */

/* The norm before a block; with norms after blocks, that of the block before. */
static const norm *next_norm(const network *n, const norm **behind, const norm *own) {
    const norm *before = n->shape.post_norm ? *behind : own;
    *behind = own;
    return before;
}

static void add_attended(worker *self, const network *n, const matrix *out, long tokens) {
    const quantized attended = quantize_rows(self, n, n->normed, n->shape.width, tokens, 1);
    multiply_to(self, out, &attended, tokens, ADD, n->x);
}

static void add_ffn(worker *self, const network *n, const layer *layer, const norm *norm, long tokens) {
    const quantized in = normalize_and_quantize(self, n, norm, tokens);
    multiply(self, &layer->up, &in, tokens, &(destination){
        .output_kind = ACTIVATE, .rows = n->y, .activation = (activation)n->shape.activation});
    const quantized inner = quantize_rows(self, n, n->y, n->shape.ffn, tokens, n->shape.least);
    multiply_to(self, &layer->down, &inner, tokens, ADD, n->x);
}

static void project(worker *self, const network *n, const norm *norm, const matrix *w, long tokens) {
    const quantized in = normalize_and_quantize(self, n, norm, tokens);
    multiply_to(self, w, &in, tokens, STORE, n->y);
}

/* Copies states between passes. With norms after blocks, the norm that is still to come is applied. */
static void save_states(worker *self, const network *n, const norm *behind, long tokens, float *to) {
    const long width = n->shape.width;
    EACH_TOKEN(self, tokens, token) {
        const float *x = n->x + token * width;
        if (n->shape.post_norm && behind)
            normalize(behind, x, width, to + token * width);
        else
            memcpy(to + token * width, x, width * sizeof(float));
    }
}

static void load_states(worker *self, const network *n, const float *from, long tokens) {
    const long width = n->shape.width;
    EACH_TOKEN(self, tokens, token) memcpy(n->x + token * width, from + token * width, width * sizeof(float));
}

/* The final norm of the encoder, and the keys and values of its states. */
static void end_encoder(worker *self, const encoder_pass *pass, const norm *norm) {
    const network *n = pass->network;
    const batch *batch = pass->batch;
    const long tokens = batch->offsets[batch->rows], width = n->shape.width;
    const quantized in = normalize_and_quantize(self, n, norm, tokens);
    const float *normed = n->shape.post_norm ? n->x : n->normed;
    if (pass->final)
        EACH_TOKEN(self, tokens, token)
            memcpy(pass->final + token * width, normed + token * width, width * sizeof(float));
    for (long index = 0; pass->cross && index < n->decoder.depth; index++) {
        multiply_to(self, &n->decoder.layers[index].key_value, &in, tokens, STORE, n->y);
        EACH_HEAD(self, n, batch, row, number) {
            const head head = cached_head(n, pass->cross, index, batch->rows, row, number);
            save_keys_and_values(n, batch, &head, row, number, 2 * width, 0, width);
        }
    }
}

static void encode(worker *self, void *state) {
    const encoder_pass *pass = state;
    const network *n = pass->network;
    const long tokens = pass->batch->offsets[pass->batch->rows];
    const norm *behind = NULL;
    if (pass->first)
        load_states(self, n, pass->from, tokens);
    else
        embed(self, n, &n->encoder, pass->batch);
    for (long index = pass->first; index < pass->last; index++) {
        const layer *layer = &n->encoder.layers[index];
        project(self, n, next_norm(n, &behind, &layer->self_norm), &layer->qkv, tokens);
        attend_to_source(self, n, pass->batch);
        add_attended(self, n, &layer->out, tokens);
        add_ffn(self, n, layer, next_norm(n, &behind, &layer->ffn_norm), tokens);
    }
    if (pass->states) save_states(self, n, behind, tokens, pass->states);
    if (pass->final || pass->cross) end_encoder(self, pass, next_norm(n, &behind, &n->encoder.final_norm));
}

static void decode(worker *self, void *state) {
    const pass *pass = state;
    const network *n = pass->network;
    const batch *batch = pass->batch;
    const long tokens = batch->offsets[batch->rows], width = n->shape.width;
    const norm *behind = NULL;
    embed(self, n, &n->decoder, batch);
    for (long index = 0; index < n->decoder.depth; index++) {
        const layer *layer = &n->decoder.layers[index];
        project(self, n, next_norm(n, &behind, &layer->self_norm), &layer->qkv, tokens);
        attend_to_target(self, pass, index);
        add_attended(self, n, &layer->out, tokens);
        project(self, n, next_norm(n, &behind, &layer->cross_norm), &layer->query, tokens);
        attend_across(self, pass, index);
        add_attended(self, n, &layer->cross_out, tokens);
        add_ffn(self, n, layer, next_norm(n, &behind, &layer->ffn_norm), tokens);
    }
    const norm *final_norm = next_norm(n, &behind, &n->decoder.final_norm);
    EACH_TOKEN(self, tokens, token) normalize(final_norm, n->x + token * width, width, pass->hidden + token * width);
}

typedef struct {
    const network *network;
    const float *hidden;
    long tokens;
    destination destination;
    int64_t *ids; /* NULL if all logits are wanted */
    float *log_probabilities;
} vocabulary_pass;

static void project_to_vocabulary(worker *self, void *state) {
    const vocabulary_pass *pass = state;
    const network *n = pass->network;
    const quantized in = quantize_rows(self, n, pass->hidden, n->shape.width, pass->tokens, 1);
    multiply(self, &n->vocabulary, &in, pass->tokens, &pass->destination);
    if (!pass->ids) return;
    EACH_TOKEN(self, pass->tokens, token) {
        const panel_best *panel_bests = n->panel_bests + token * n->vocabulary.panels;
        panel_best best = panel_bests[0];
        for (long panel = 1; panel < n->vocabulary.panels; panel++)
            if (panel_bests[panel].highest > best.highest) best = panel_bests[panel];
        float sum = 0;
        for (long panel = 0; panel < n->vocabulary.panels; panel++)
            sum += panel_bests[panel].sum * expf(panel_bests[panel].highest - best.highest);
        pass->ids[token] = best.column;
        pass->log_probabilities[token] = -logf(sum);
    }
}

/* ---- functions that Python calls: they return 0, NO_MEMORY, or OUT_OF_RANGE for ids, positions or lengths that would
   be read or written outside a table or a cache ---- */

/* Only the last layer has a final norm behind it, and only the first one needs no states before it. */
static bool is_valid_encoder_pass(const encoder_pass *pass) {
    const int64_t depth = pass->network->encoder.depth;
    return is_within(pass->last, 1, depth) && is_within(pass->first, 0, pass->last) &&
           (pass->first == 0 || pass->from) && (pass->last == depth || (!pass->final && !pass->cross)) &&
           are_valid_sources(pass->network, pass->batch, pass->cross);
}

static int reserve(network *n, long tokens) {
    if (tokens <= n->capacity) return 0;
    free_buffers(n);
    const long capacity = round_up(tokens, 64), width = n->shape.width, ffn = n->shape.ffn;
    const long widest = 3 * width > ffn ? 3 * width : ffn;
    n->x = new_floats(capacity, width);
    n->normed = new_floats(capacity, width);
    n->y = new_floats(capacity, widest);
    n->factors = new_floats(capacity, 1);
    n->bytes = new_array(capacity, round_up(ffn > width ? ffn : width, BYTES_AT_ONCE), 1);
    if (!n->x || !n->normed || !n->y || !n->factors || !n->bytes) {
        free_buffers(n);
        return NO_MEMORY;
    }
    n->capacity = capacity;
    return 0;
}

static int run(network *n, long tokens, program *program, void *state) {
    int failed = reserve(n, tokens);
    if (!failed) run_on_pool(n->pool, program, state);
    return failed;
}

static int run_encoder(encoder_pass *pass) {
    if (!is_valid_encoder_pass(pass)) return OUT_OF_RANGE;
    pthread_mutex_lock(&pass->network->lock);
    const int failed = run(pass->network, pass->batch->offsets[pass->batch->rows], encode, pass);
    pthread_mutex_unlock(&pass->network->lock);
    return failed;
}

int EXPORTED(encode)(network *n, const batch *sources, kv_cache *cross) {
    return run_encoder(&(encoder_pass){.network = n, .batch = sources, .last = n->encoder.depth, .cross = cross});
}

/* Layers first…last of the encoder, from the states before them; from embeddings if `first` is 0. All states are
   (tokens, width). `states`, `final` and `cross` may be NULL; the last two must be if layers are left. `first` may be
   `last`, if only the final norm is left. */
int EXPORTED(encode_layers)(
    network *n, const batch *sources, int64_t first, int64_t last, const float *from, float *states, float *final,
    kv_cache *cross
) {
    return run_encoder(&(encoder_pass){n, sources, first, last, from, states, final, cross});
}

int EXPORTED(decode)(
    network *n, const batch *targets, const int64_t *source_lengths, kv_cache *cross, kv_cache *past, float *hidden
) {
    pass pass = {n, targets, past, cross, source_lengths, hidden};
    if (!are_valid_targets(n, targets, source_lengths, cross, past)) return OUT_OF_RANGE;
    pthread_mutex_lock(&n->lock);
    const int failed = run(n, targets->offsets[targets->rows], decode, &pass);
    pthread_mutex_unlock(&n->lock);
    return failed;
}

/* The likeliest token after each hidden state, and its log-probability. */
int EXPORTED(best)(network *n, const float *hidden, int64_t tokens, int64_t *ids, float *scores) {
    if (!is_within(tokens, 1, MAX_TOKENS)) return OUT_OF_RANGE;
    pthread_mutex_lock(&n->lock);
    const long needed = tokens * n->vocabulary.panels;
    if (needed > n->panel_best_capacity) {
        free(n->panel_bests);
        n->panel_bests = new_array(tokens, n->vocabulary.panels, sizeof(panel_best));
        n->panel_best_capacity = n->panel_bests ? needed : 0;
    }
    const destination destination = {.output_kind = KEEP_BEST, .panel_bests = n->panel_bests};
    vocabulary_pass vocabulary_pass = {n, hidden, tokens, destination, ids, scores};
    const int failed = n->panel_bests ? run(n, tokens, project_to_vocabulary, &vocabulary_pass) : NO_MEMORY;
    pthread_mutex_unlock(&n->lock);
    return failed;
}

/* All logits: (tokens, vocabulary). */
int EXPORTED(logits)(network *n, const float *hidden, int64_t tokens, float *logits) {
    vocabulary_pass vocabulary_pass = {n, hidden, tokens, {.output_kind = STORE, .rows = logits}, NULL, NULL};
    if (!is_within(tokens, 1, MAX_TOKENS)) return OUT_OF_RANGE;
    pthread_mutex_lock(&n->lock);
    const int failed = run(n, tokens, project_to_vocabulary, &vocabulary_pass);
    pthread_mutex_unlock(&n->lock);
    return failed;
}

/* The number of levels of an activation on either side of zero. */
int EXPORTED(levels)(void) { return POSITIVE_LEVELS; }

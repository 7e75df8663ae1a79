/* The whole network in 8-bit integers: what redraft/lab/export/network.py says as a graph, compiled once for
   each kind of processor.

   Tokens of all rows lie one behind another without padding. A token's numbers depend on its row alone, to the last bit:
   not on how many tokens share the pass, nor on the other rows, nor on the number of threads. */
#include "opening.h"

enum { TOKENS_AN_ITEM = 4, ITEMS_A_MEMBER = 16, FINENESS = 254 };

/* Keys (layers, rows, heads, head width, capacity) and values (layers, rows, heads, capacity, head width). */
typedef struct {
    float *keys, *values;
    int64_t capacity;
} memory;

typedef struct {
    int64_t rows;
    const int64_t *ids, *positions; /* of all tokens */
    const int64_t *offsets;         /* rows + 1: the first token of each row, and the end */
} batch;

typedef struct {
    network *network;
    const batch *batch;
    memory *past, *cross;
    const int64_t *source_lengths;
    float *hidden;
} pass;

/* ---- rows ---- */

#define EACH_TOKEN(self, tokens, token)                                                              \
    for (int item_; (item_ = claim(self, ((tokens) + TOKENS_AN_ITEM - 1) / TOKENS_AN_ITEM)) >= 0;)     \
        for (long token = (long)item_ * TOKENS_AN_ITEM;                                                \
             token < (tokens) && token < ((long)item_ + 1) * TOKENS_AN_ITEM; token++)

static void normalize(const norm *norm, const float *x, long size, float *to) {
    lanes sum = all(0), squares = all(0);
    for (long at = 0; at < size; at += LANES) sum = plus(sum, load_some(first(size - at), x + at));
    const lanes mean = all(total(sum) / size);
    for (long at = 0; at < size; at += LANES) {
        const mask some = first(size - at);
        const lanes off = where(some, minus(load_some(some, x + at), mean), all(0));
        squares = times_plus(off, off, squares);
    }
    const lanes scale = all(1.0f / sqrtf(total(squares) / size + 1e-5f));
    for (long at = 0; at < size; at += LANES) {
        const mask some = first(size - at);
        const lanes off = times(minus(load_some(some, x + at), mean), scale);
        const lanes weight = load_some(some, norm->weight + at), bias = load_some(some, norm->bias + at);
        save_some(to + at, some, times_plus(off, weight, bias));
    }
}

static void embed(member *self, const network *n, const side *side, const batch *batch) {
    const long width = n->shape.width, tokens = batch->offsets[batch->rows];
    EACH_TOKEN(self, tokens, token) {
        const int64_t id = batch->ids[token];
        const int8_t *values = (const int8_t *)n->embedding.values + id * width, *rest = n->embedding.rest + id * width;
        const float *place = side->positions ? side->positions + batch->positions[token] * width : NULL;
        const float scale = n->embedding.scales[id];
        float *x = n->x + token * width;
        for (long at = 0; at < width; at++) {
            x[at] = (values[at] + rest[at] / (float)FINENESS) * scale * n->shape.embedding_factor;
            if (place) x[at] += place[at];
        }
        if (side->embedding_norm.weight) normalize(&side->embedding_norm, x, width, x);
    }
}

/* Rounds what a block of a layer takes in. Where blocks are normalized behind, `norm` is that of the block before. */
static rounded take_in(member *self, const network *n, const norm *norm, long tokens) {
    const long width = n->shape.width;
    const rounded to = {n->bytes, n->factors, rounded_up(width, GROUP), ZERO};
    EACH_TOKEN(self, tokens, token) {
        float *x = n->x + token * width, *normed = n->shape.post_norm ? x : n->normed + token * width;
        if (norm) normalize(norm, x, width, normed);
        round_row(normed, width, 1, &to, token);
    }
    return to;
}

static rounded round_rows(member *self, const network *n, const float *rows, long width, long tokens, float least) {
    const rounded to = {n->bytes, n->factors, rounded_up(width, GROUP), least <= 0 ? LOW_ZERO : ZERO};
    EACH_TOKEN(self, tokens, token) round_row(rows + token * width, width, least, &to, token);
    return to;
}

static void multiply(member *self, const matrix *w, const rounded *a, long rows, const target *to) {
    const long items = ITEMS_A_MEMBER * (self->team->workers + 1);
    const long each = w->panels > items ? w->panels / items : 1;
    for (int item; (item = claim(self, (int)((w->panels + each - 1) / each))) >= 0;)
        for (long panel = item * each; panel < w->panels && panel < (item + 1) * each; panel++)
            multiply_panel(w, panel, a, rows, to);
}

static void multiply_to(member *self, const matrix *w, const rounded *a, long rows, ending ending, float *to) {
    multiply(self, w, a, rows, &(target){.ending = ending, .rows = to});
}

/* ---- heads ---- */

/* A head of a token, turned by its position, with `stride` floats between two of its numbers. */
static void turn(const network *n, const float *from, int64_t position, float *to, long stride) {
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

static head look_at(const network *n, const memory *memory, long layer, long rows, long row, long head_number) {
    const long number = (layer * rows + row) * n->shape.heads + head_number, size = n->head_width * memory->capacity;
    return (head){memory->keys + number * size, memory->capacity, memory->values + number * size,
                  n->head_width, n->head_width, 1.0f / sqrtf(n->head_width)};
}

/* Keys and values of a row's head, found `key` and `value` numbers into rows of y, into the memory. */
static void memorize(
    const network *n, const batch *batch, const head *to, long row, long head, long stride, long key, long value
) {
    for (long token = batch->offsets[row]; token < batch->offsets[row + 1]; token++) {
        const float *from = n->y + token * stride + head * n->head_width;
        const int64_t position = batch->positions[token];
        turn(n, from + key, position, (float *)to->keys + position, to->key_stride);
        memcpy((float *)to->values + position * to->value_stride, from + value, n->head_width * sizeof(float));
    }
}

static void turn_queries(const network *n, const batch *batch, const desk *desk, long row, long head, long stride) {
    for (long token = batch->offsets[row]; token < batch->offsets[row + 1]; token++)
        turn(n, n->y + token * stride + head * n->head_width, batch->positions[token],
             desk->queries + (token - batch->offsets[row]) * n->head_width, 1);
}

/* The row's queries see `seen` keys each, or one more each from the first on. */
static void attend_row(const network *n, const batch *batch, const desk *desk, const head *head, long row, long number, long seen, long growth) {
    attend(
        head, desk->queries, n->head_width, batch->offsets[row + 1] - batch->offsets[row], seen, growth, desk->shares,
        n->longest, n->normed + batch->offsets[row] * n->shape.width + number * n->head_width, n->shape.width
    );
}

/* Attention leaves its results in `normed`. */
#define EACH_HEAD(self, n, batch, row, head)                                               \
    for (int item_; (item_ = claim(self, (int)((batch)->rows * (n)->shape.heads))) >= 0;)     \
        for (long row = item_ / (n)->shape.heads, head = item_ % (n)->shape.heads, once_ = 1; once_; once_ = 0)

static void attend_to_source(member *self, const network *n, const batch *batch) {
    const desk *desk = &n->desks[self->number];
    const long width = n->shape.width;
    EACH_HEAD(self, n, batch, row, number) {
        const long count = batch->offsets[row + 1] - batch->offsets[row], start = batch->offsets[row];
        for (long token = 0; token < count; token++)
            turn(n, n->y + (start + token) * 3 * width + width + number * n->head_width, token, desk->keys + token,
                 n->longest);
        turn_queries(n, batch, desk, row, number, 3 * width);
        const head head = {desk->keys, n->longest, n->y + start * 3 * width + 2 * width + number * n->head_width,
                           3 * width, n->head_width, 1.0f / sqrtf(n->head_width)};
        attend_row(n, batch, desk, &head, row, number, count, 0);
    }
}

static void attend_to_target(member *self, const pass *pass, long layer) {
    const network *n = pass->network;
    const batch *batch = pass->batch;
    const long width = n->shape.width;
    EACH_HEAD(self, n, batch, row, number) {
        const head head = look_at(n, pass->past, layer, batch->rows, row, number);
        if (batch->offsets[row] == batch->offsets[row + 1]) continue;
        memorize(n, batch, &head, row, number, 3 * width, width, 2 * width);
        turn_queries(n, batch, &n->desks[self->number], row, number, 3 * width);
        attend_row(n, batch, &n->desks[self->number], &head, row, number, batch->positions[batch->offsets[row]] + 1, 1);
    }
}

static void attend_across(member *self, const pass *pass, long layer) {
    const network *n = pass->network;
    const batch *batch = pass->batch;
    EACH_HEAD(self, n, batch, row, number) {
        const head head = look_at(n, pass->cross, layer, batch->rows, row, number);
        turn_queries(n, batch, &n->desks[self->number], row, number, n->shape.width);
        attend_row(n, batch, &n->desks[self->number], &head, row, number, pass->source_lengths[row], 0);
    }
}

/* ---- passes ---- */

/* The norm in front of a block, or behind the one before it. */
static const norm *next_norm(const network *n, const norm **behind, const norm *own) {
    const norm *before = n->shape.post_norm ? *behind : own;
    *behind = own;
    return before;
}

static void add_attended(member *self, const network *n, const matrix *out, long tokens) {
    const rounded attended = round_rows(self, n, n->normed, n->shape.width, tokens, 1);
    multiply_to(self, out, &attended, tokens, ADD, n->x);
}

static void add_ffn(member *self, const network *n, const layer *layer, const norm *norm, long tokens) {
    const rounded in = take_in(self, n, norm, tokens);
    multiply(self, &layer->up, &in, tokens, &(target){
        .ending = ACTIVATE, .rows = n->y, .activation = (activation)n->shape.activation});
    const rounded inner = round_rows(self, n, n->y, n->shape.ffn, tokens, n->shape.least);
    multiply_to(self, &layer->down, &inner, tokens, ADD, n->x);
}

static void project(member *self, const network *n, const norm *norm, const matrix *w, long tokens) {
    const rounded in = take_in(self, n, norm, tokens);
    multiply_to(self, w, &in, tokens, STORE, n->y);
}

static void encode(member *self, void *state) {
    const pass *pass = state;
    const network *n = pass->network;
    const batch *batch = pass->batch;
    const long tokens = batch->offsets[batch->rows], width = n->shape.width;
    const norm *behind = NULL;
    embed(self, n, &n->encoder, batch);
    for (long index = 0; index < n->encoder.depth; index++) {
        const layer *layer = &n->encoder.layers[index];
        project(self, n, next_norm(n, &behind, &layer->self_norm), &layer->qkv, tokens);
        attend_to_source(self, n, batch);
        add_attended(self, n, &layer->out, tokens);
        add_ffn(self, n, layer, next_norm(n, &behind, &layer->ffn_norm), tokens);
    }
    const rounded in = take_in(self, n, next_norm(n, &behind, &n->encoder.last), tokens);
    for (long index = 0; index < n->decoder.depth; index++) {
        multiply_to(self, &n->decoder.layers[index].key_value, &in, tokens, STORE, n->y);
        EACH_HEAD(self, n, batch, row, number) {
            const head head = look_at(n, pass->cross, index, batch->rows, row, number);
            memorize(n, batch, &head, row, number, 2 * width, 0, width);
        }
    }
}

static void decode(member *self, void *state) {
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
    const norm *last = next_norm(n, &behind, &n->decoder.last);
    EACH_TOKEN(self, tokens, token) normalize(last, n->x + token * width, width, pass->hidden + token * width);
}

typedef struct {
    const network *network;
    const float *hidden;
    long tokens;
    target target;
    int64_t *ids; /* NULL: no contest, all logits are wanted */
    float *log_probabilities;
} question;

static void answer(member *self, void *state) {
    const question *question = state;
    const network *n = question->network;
    const rounded in = round_rows(self, n, question->hidden, n->shape.width, question->tokens, 1);
    multiply(self, &n->vocabulary, &in, question->tokens, &question->target);
    if (!question->ids) return;
    EACH_TOKEN(self, question->tokens, token) {
        const contender *contenders = n->contenders + token * n->vocabulary.panels;
        contender best = contenders[0];
        for (long panel = 1; panel < n->vocabulary.panels; panel++)
            if (contenders[panel].highest > best.highest) best = contenders[panel];
        float sum = 0;
        for (long panel = 0; panel < n->vocabulary.panels; panel++)
            sum += contenders[panel].sum * expf(contenders[panel].highest - best.highest);
        question->ids[token] = best.column;
        question->log_probabilities[token] = -logf(sum);
    }
}

/* ---- calls: 0, or -1 where there is not enough memory ---- */

static int make_room(network *n, long tokens) {
    if (tokens <= n->room) return 0;
    free_room(n);
    const long room = rounded_up(tokens, 64), width = n->shape.width, ffn = n->shape.ffn;
    const long widest = 3 * width > ffn ? 3 * width : ffn;
    n->x = new_floats(room * width);
    n->normed = new_floats(room * width);
    n->y = new_floats(room * widest);
    n->factors = new_floats(room);
    n->bytes = aligned_alloc(64, rounded_up(room * rounded_up(ffn > width ? ffn : width, GROUP), 64));
    if (!n->x || !n->normed || !n->y || !n->factors || !n->bytes) {
        free_room(n);
        return -1;
    }
    n->room = room;
    return 0;
}

static int run(network *n, long tokens, program *program, void *state) {
    int failed = make_room(n, tokens);
    if (!failed) assemble(n->team, program, state);
    return failed;
}

int NAMED(encode)(network *n, const batch *sources, memory *cross) {
    pass pass = {.network = n, .batch = sources, .cross = cross};
    pthread_mutex_lock(&n->lock);
    const int failed = run(n, sources->offsets[sources->rows], encode, &pass);
    pthread_mutex_unlock(&n->lock);
    return failed;
}

int NAMED(decode)(
    network *n, const batch *targets, const int64_t *source_lengths, memory *cross, memory *past, float *hidden
) {
    pass pass = {n, targets, past, cross, source_lengths, hidden};
    pthread_mutex_lock(&n->lock);
    const int failed = run(n, targets->offsets[targets->rows], decode, &pass);
    pthread_mutex_unlock(&n->lock);
    return failed;
}

/* The likeliest token behind each hidden state, with its log-probability. */
int NAMED(best)(network *n, const float *hidden, int64_t tokens, int64_t *ids, float *scores) {
    pthread_mutex_lock(&n->lock);
    const long needed = tokens * n->vocabulary.panels;
    if (needed > n->contender_room) {
        free(n->contenders);
        n->contenders = malloc(needed * sizeof(contender));
        n->contender_room = n->contenders ? needed : 0;
    }
    const target target = {.ending = CONTEST, .contenders = n->contenders};
    question question = {n, hidden, tokens, target, ids, scores};
    const int failed = n->contenders ? run(n, tokens, answer, &question) : -1;
    pthread_mutex_unlock(&n->lock);
    return failed;
}

/* (tokens, vocabulary) */
int NAMED(logits)(network *n, const float *hidden, int64_t tokens, float *logits) {
    question question = {n, hidden, tokens, {.ending = STORE, .rows = logits}, NULL, NULL};
    pthread_mutex_lock(&n->lock);
    const int failed = run(n, tokens, answer, &question);
    pthread_mutex_unlock(&n->lock);
    return failed;
}

/* How many levels activations have on either side of zero. */
int NAMED(levels)(void) { return ABOVE; }

/* Products with matrices of signed bytes.

   Each row of activations is quantized to unsigned bytes with a factor of its own, so a token's results depend on that
   token alone; sums of integers are exact in any order. A matrix is packed into panels of PANEL columns: four numbers
   of each column, then the next four of each. */
#ifndef REDRAFT_PRODUCT_H
#define REDRAFT_PRODUCT_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "vector.h"

#ifdef SUMS_IN_16_BITS
enum { PANEL = PANEL_VECTORS * LANES, GROUP = 4, GROUPS_AT_ONCE = 2, NEGATIVE_PART = 8 };
#else
enum { PANEL = PANEL_VECTORS * LANES, GROUP = 4, GROUPS_AT_ONCE = 1, NEGATIVE_PART = 8 };
#endif
/* Rows of bytes are filled up to a multiple of this number. */
enum { BYTES_AT_ONCE = GROUP * GROUPS_AT_ONCE };

/* The byte that means zero, and the levels above it. Negative numbers get half of the bytes, or an eighth where the
   activation function has few of them. */
enum {
    ZERO_POINT = (MAX_BYTE + 1) / 2,
    POSITIVE_LEVELS = MAX_BYTE - ZERO_POINT,
    LOW_ZERO_POINT = (MAX_BYTE + 1) / NEGATIVE_PART,
    LOW_POSITIVE_LEVELS = MAX_BYTE - LOW_ZERO_POINT
};

typedef struct {
    long out, in;
    long groups, panels;
    int8_t *packed;
    int32_t *sums; /* of each column, to subtract the zero point of the activations */
    const float *scales;
    const float *bias; /* or NULL */
#ifdef SUMS_IN_16_BITS
    late_group *late;
    int32_t *late_starts; /* (panels, halves) and the end: the first late group of each half of a panel */
#endif
} matrix;

typedef enum { RELU, GELU, SWISH } activation;

/* Rows of bytes, and the factor that turns sums of products with each row into floats. */
typedef struct {
    uint8_t *bytes;
    float *factors;
    long stride;
    int zero;
} quantized;

static inline long round_up(long value, long step) { return (value + step - 1) / step * step; }

/* Aligned memory for rows × columns items of `size` bytes. NULL if there is not enough, or if the number of bytes does not
   fit into a long. */
static void *new_array(long rows, long columns, long size) {
    long bytes;
    if (rows < 0 || columns < 0 || __builtin_mul_overflow(rows, columns, &bytes) ||
        __builtin_mul_overflow(bytes, size, &bytes) || __builtin_add_overflow(bytes, 63, &bytes))
        return NULL;
    return aligned_alloc(64, bytes / 64 * 64);
}

#ifdef SUMS_IN_16_BITS
enum { HALF = 8 * GROUP, HALVES = PANEL * GROUP / HALF };

/* Whether the products of two groups of eight columns with any bytes can be added in 16 bits. A register has two sums for
   each column, of two products of each group. */
static bool fit_16_bits(const int8_t *first, const int8_t *second) {
    for (int at = 0; at < HALF; at += 2) {
        const int8_t weights[] = {first[at], first[at + 1], second[at], second[at + 1]};
        int positive = 0, negative = 0;
        for (int each = 0; each < 4; each++) *(weights[each] > 0 ? &positive : &negative) += weights[each];
        if (positive * MAX_BYTE > INT16_MAX || negative * MAX_BYTE < INT16_MIN) return false;
    }
    return true;
}

/* Moves groups that do not fit beside the one before them to the late groups. The first pass counts them. */
static int separate_late_groups(matrix *matrix) {
    matrix->late_starts = new_array(matrix->panels * HALVES + 1, 1, sizeof(int32_t));
    if (!matrix->late_starts) return -1;
    for (int moves = 0; moves < 2; moves++) {
        int32_t count = 0;
        for (long half = 0; half < matrix->panels * HALVES; half++) {
            matrix->late_starts[half] = count;
            int8_t *weights = matrix->packed + half / HALVES * matrix->groups * GROUP * PANEL + half % HALVES * HALF;
            for (long group = 0; group < matrix->groups; group += 2, weights += 2 * GROUP * PANEL) {
                int8_t *second = weights + GROUP * PANEL;
                if (fit_16_bits(weights, second)) continue;
                if (moves) {
                    matrix->late[count].group = (int32_t)group + 1;
                    memcpy(matrix->late[count].weights, second, HALF);
                    memset(second, 0, HALF);
                }
                count++;
            }
        }
        matrix->late_starts[matrix->panels * HALVES] = count;
        if (!moves) matrix->late = new_array(count + 1, 1, sizeof(late_group));
        if (!matrix->late) return -1;
    }
    return 0;
}
#endif

static int pack(matrix *matrix, const int8_t *values) {
    matrix->groups = round_up(matrix->in, BYTES_AT_ONCE) / GROUP;
    matrix->panels = round_up(matrix->out, PANEL) / PANEL;
    const long panel_bytes = matrix->groups * GROUP * PANEL;
    matrix->packed = new_array(matrix->panels, panel_bytes, 1);
    matrix->sums = new_array(matrix->panels, PANEL, sizeof(int32_t));
    if (!matrix->packed || !matrix->sums) return -1;
    memset(matrix->sums, 0, matrix->panels * PANEL * sizeof(int32_t));
    if (matrix->in % BYTES_AT_ONCE || matrix->out % PANEL) memset(matrix->packed, 0, matrix->panels * panel_bytes);
    for (long column = 0; column < matrix->out; column++) {
        const int8_t *from = values + column * matrix->in;
        int8_t *to = matrix->packed + column / PANEL * panel_bytes + column % PANEL * GROUP;
        int32_t sum = 0;
        for (long index = 0; index < matrix->in; index++) sum += from[index];
        matrix->sums[column] = sum;
        for (long group = 0; group < matrix->in / GROUP; group++)
            memcpy(to + group * GROUP * PANEL, from + group * GROUP, GROUP);
        const long whole = matrix->in / GROUP * GROUP;
        memcpy(to + matrix->in / GROUP * GROUP * PANEL, from + whole, matrix->in - whole);
    }
#ifdef SUMS_IN_16_BITS
    return separate_late_groups(matrix);
#else
    return 0;
#endif
}

/* `least` is a lower bound of the numbers: if it is 0 or less, negative numbers get an eighth of the bytes; 1 means
   that no bound is known. */
static void quantize_row(const float *x, long size, float least, const quantized *to, long row) {
    const bool bounded = least <= 0;
    vector highest = broadcast(0);
    for (long at = 0; at < size; at += LANES) {
        const vector some = load_masked(first_lanes(size - at), x + at);
        highest = maximum(highest, bounded ? some : absolute(some));
    }
    float top = maximum_of(highest);
    if (bounded) top = fmaxf(top, -least * (NEGATIVE_PART - 1));
    const float levels = bounded ? LOW_POSITIVE_LEVELS : POSITIVE_LEVELS;
    const vector scale = broadcast(top > 0 ? levels / top : 0);
    for (long at = 0; at < size; at += LANES) {
        const vector scaled = times(load_masked(first_lanes(size - at), x + at), scale);
        save_bytes(to->bytes + row * to->stride + at, size - at, scaled, to->zero);
    }
    to->factors[row] = top / levels;
}

/* What is needed to turn the integer sums of sixteen columns into floats. */
typedef struct {
    mask some;
    int_vector correction;
    vector scales, bias;
} columns;

INLINE columns read_columns(const matrix *w, int zero, long column) {
    const mask some = first_lanes(w->out - column);
    return (columns){some, ints_times(load_ints(w->sums + column), zero - BYTE_OFFSET),
                     load_masked(some, w->scales + column),
                     w->bias ? load_masked(some, w->bias + column) : broadcast(0)};
}

INLINE vector scaled(const columns *columns, int_vector sum, float factor) {
    return times_plus(times(difference(sum, columns->correction), columns->scales), broadcast(factor), columns->bias);
}

INLINE vector activated(vector x, activation kind) {
    return kind == GELU ? gelu(x) : kind == SWISH ? swish(x) : maximum(x, broadcast(0));
}

/* The highest logit of a panel's columns for one token, its column, and the sum of exp(logit - highest). */
typedef struct {
    float highest, sum;
    int32_t column;
} panel_best;

typedef enum { STORE, ACTIVATE, ADD, KEEP_BEST } output_kind;

/* What to do with a product: store it, store its activation, add it to the rows, or keep each panel's best column. */
typedef struct {
    output_kind output_kind;
    float *rows;
    activation activation;
    panel_best *panel_bests; /* (tokens, panels) */
} destination;

INLINE void store(
    const int rows, const matrix *w, long panel, const quantized *a, long row, int_vector sums[][PANEL_VECTORS],
    const destination *to
) {
    for (int half = 0; half < PANEL_VECTORS; half++) {
        const long column = panel * PANEL + half * LANES;
        if (column >= w->out) break;
        const columns columns = read_columns(w, a->zero, column);
        for (int r = 0; r < rows; r++) {
            float *place = to->rows + (row + r) * w->out + column;
            vector value = scaled(&columns, sums[r][half], a->factors[row + r]);
            if (to->output_kind == ACTIVATE) value = activated(value, to->activation);
            if (to->output_kind == ADD) value = plus(value, load_masked(columns.some, place));
            save_masked(place, columns.some, value);
        }
    }
}

static void find_panel_best(
    const matrix *w, long panel, const quantized *a, long row, const int_vector sums[PANEL_VECTORS],
    const destination *to
) {
    vector values[PANEL_VECTORS], highest = broadcast(-INFINITY), powers = broadcast(0);
    for (int half = 0; half < PANEL_VECTORS; half++) {
        const long column = panel * PANEL + half * LANES;
        values[half] = broadcast(-INFINITY);
        if (column >= w->out) continue;
        const columns columns = read_columns(w, a->zero, column);
        values[half] = where(columns.some, scaled(&columns, sums[half], a->factors[row]), values[half]);
        highest = maximum(highest, values[half]);
    }
    const float top = maximum_of(highest);
    uint32_t equal = 0;
    for (int half = 0; half < PANEL_VECTORS; half++) {
        equal |= mask_bits(equal_lanes(values[half], broadcast(top))) << half * LANES;
        powers = plus(powers, exponential(minus(values[half], broadcast(top))));
    }
    /* If all numbers are NaN, the highest is the minus infinity of columns that the matrix does not have. */
    const long present = w->out - panel * PANEL;
    if (present < PANEL) equal &= (1u << present) - 1;
    const int32_t column = (int32_t)(panel * PANEL + (equal ? __builtin_ctz(equal) : 0));
    to->panel_bests[row * w->panels + panel] = (panel_best){top, sum_of(powers), column};
}

INLINE void block(const int rows, const matrix *w, long panel, const quantized *a, long row, const destination *to) {
    int_vector sums[MAX_ROWS][PANEL_VECTORS];
    const int8_t *packed = w->packed + panel * w->groups * GROUP * PANEL;
#ifdef SUMS_IN_16_BITS
    const int32_t *starts = w->late_starts + panel * HALVES;
    sum_panel(rows, packed, w->groups, w->late, starts, a->bytes + row * a->stride, a->stride, sums);
#else
    sum_panel(rows, packed, w->groups, a->bytes + row * a->stride, a->stride, sums);
#endif
    if (to->output_kind == KEEP_BEST)
        for (int r = 0; r < rows; r++) find_panel_best(w, panel, a, row + r, sums[r], to);
    else
        store(rows, w, panel, a, row, sums, to);
}

/* One panel of columns for all rows, in blocks of about the same number of rows. */
static void multiply_panel(const matrix *w, long panel, const quantized *a, long rows, const destination *to) {
    const long blocks = (rows + MAX_ROWS - 1) / MAX_ROWS;
    for (long number = 0; number < blocks; number++) {
        const long row = rows * number / blocks, end = rows * (number + 1) / blocks;
        switch (end - row) {
#define HEIGHT(rows) case rows: if (rows <= MAX_ROWS) block(rows <= MAX_ROWS ? rows : 1, w, panel, a, row, to); break;
            HEIGHT(1) HEIGHT(2) HEIGHT(3) HEIGHT(4) HEIGHT(5) HEIGHT(6) HEIGHT(7)
            HEIGHT(8) HEIGHT(9) HEIGHT(10) HEIGHT(11) HEIGHT(12) HEIGHT(13) HEIGHT(14)
#undef HEIGHT
        }
    }
}

#endif

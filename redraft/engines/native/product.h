/* Products with matrices of signed bytes.

   A row of activations becomes unsigned bytes with a factor of its own, so a token's numbers depend on that token alone;
   sums of integers are exact in any order. A matrix is packed in panels as wide as two registers of sums: four numbers
   of each column, then the next four. */
#ifndef REDRAFT_PRODUCT_H
#define REDRAFT_PRODUCT_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lanes.h"

enum { PANEL = HALVES * LANES, GROUP = 4, BELOW_ZERO = 8 };

/* How the bytes are shared between numbers above and below zero: evenly, or an eighth for those below. */
enum { ZERO = (MOST + 1) / 2, ABOVE = MOST - ZERO, LOW_ZERO = (MOST + 1) / BELOW_ZERO, MORE_ABOVE = MOST - LOW_ZERO };

typedef struct {
    long out, in;
    long groups, panels;
    int8_t *packed;
    int32_t *sums; /* of each column, to take the zero of the activations out again */
    const float *scales;
    const float *bias; /* or NULL */
} matrix;

typedef enum { RELU, GELU, SWISH } activation;

/* Rows of bytes, and what a sum of products with them is to be multiplied by. */
typedef struct {
    uint8_t *bytes;
    float *factors;
    long stride;
    int zero;
} rounded;

static inline long rounded_up(long value, long step) { return (value + step - 1) / step * step; }

static int pack(matrix *matrix, const int8_t *values) {
    matrix->groups = rounded_up(matrix->in, GROUP) / GROUP;
    matrix->panels = rounded_up(matrix->out, PANEL) / PANEL;
    const long panel_bytes = matrix->groups * GROUP * PANEL;
    matrix->packed = aligned_alloc(64, matrix->panels * panel_bytes);
    matrix->sums = aligned_alloc(64, matrix->panels * PANEL * sizeof(int32_t));
    if (!matrix->packed || !matrix->sums) return -1;
    memset(matrix->sums, 0, matrix->panels * PANEL * sizeof(int32_t));
    if (matrix->in % GROUP || matrix->out % PANEL) memset(matrix->packed, 0, matrix->panels * panel_bytes);
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
    return 0;
}

/* `least`: no number is less, and those below zero get an eighth of the bytes; 1 if nothing is known. */
static void round_row(const float *x, long size, float least, const rounded *to, long row) {
    const bool bounded = least <= 0;
    lanes highest = all(0);
    for (long at = 0; at < size; at += LANES) {
        const lanes some = load_some(first(size - at), x + at);
        highest = higher(highest, bounded ? some : magnitude(some));
    }
    float top = peak(highest);
    if (bounded) top = fmaxf(top, -least * (BELOW_ZERO - 1));
    const float levels = bounded ? MORE_ABOVE : ABOVE;
    const lanes scale = all(top > 0 ? levels / top : 0);
    for (long at = 0; at < size; at += LANES)
        save_bytes(
            to->bytes + row * to->stride + at, size - at, times(load_some(first(size - at), x + at), scale), to->zero
        );
    to->factors[row] = top / levels;
}

/* What turns sums of sixteen columns into numbers. */
typedef struct {
    mask some;
    counts correction;
    lanes scales, bias;
} columns;

INLINE columns read_columns(const matrix *w, int zero, long column) {
    const mask some = first(w->out - column);
    return (columns){some, counts_times(load_counts(w->sums + column), zero - OFFSET), load_some(some, w->scales + column),
                     w->bias ? load_some(some, w->bias + column) : all(0)};
}

INLINE lanes scaled(const columns *columns, counts sum, float factor) {
    return times_plus(times(difference(sum, columns->correction), columns->scales), all(factor), columns->bias);
}

INLINE lanes activated(lanes x, activation kind) {
    return kind == GELU ? gelu(x) : kind == SWISH ? swish(x) : higher(x, all(0));
}

/* The best of a panel's columns for a token, and the sum of exponentials around it. */
typedef struct {
    float highest, sum;
    int32_t column;
} contender;

typedef enum { STORE, ACTIVATE, ADD, CONTEST } ending;

/* What becomes of the product: stored, activated or added as rows of numbers, or contended for. */
typedef struct {
    ending ending;
    float *rows;
    activation activation;
    contender *contenders; /* (tokens, panels) */
} target;

INLINE void store(
    const int rows, const matrix *w, long panel, const rounded *a, long row, counts sums[][HALVES], const target *to
) {
    for (int half = 0; half < HALVES; half++) {
        const long column = panel * PANEL + half * LANES;
        if (column >= w->out) break;
        const columns columns = read_columns(w, a->zero, column);
        for (int r = 0; r < rows; r++) {
            float *place = to->rows + (row + r) * w->out + column;
            lanes value = scaled(&columns, sums[r][half], a->factors[row + r]);
            if (to->ending == ACTIVATE) value = activated(value, to->activation);
            if (to->ending == ADD) value = plus(value, load_some(columns.some, place));
            save_some(place, columns.some, value);
        }
    }
}

static void contend(const matrix *w, long panel, const rounded *a, long row, const counts sums[HALVES], const target *to) {
    lanes values[HALVES], highest = all(-INFINITY), powers = all(0);
    for (int half = 0; half < HALVES; half++) {
        const long column = panel * PANEL + half * LANES;
        values[half] = all(-INFINITY);
        if (column >= w->out) continue;
        const columns columns = read_columns(w, a->zero, column);
        values[half] = where(columns.some, scaled(&columns, sums[half], a->factors[row]), values[half]);
        highest = higher(highest, values[half]);
    }
    const float top = peak(highest);
    uint32_t equal = 0;
    for (int half = 0; half < HALVES; half++) {
        equal |= bits(same(values[half], all(top))) << half * LANES;
        powers = plus(powers, exponential(minus(values[half], all(top))));
    }
    const int32_t column = (int32_t)(panel * PANEL + (equal ? __builtin_ctz(equal) : 0));
    to->contenders[row * w->panels + panel] = (contender){top, total(powers), column};
}

INLINE void block(const int rows, const matrix *w, long panel, const rounded *a, long row, const target *to) {
    counts sums[TALLEST][HALVES];
    sum_panel(
        rows, w->packed + panel * w->groups * GROUP * PANEL, w->groups, a->bytes + row * a->stride, a->stride, sums
    );
    if (to->ending == CONTEST)
        for (int r = 0; r < rows; r++) contend(w, panel, a, row + r, sums[r], to);
    else
        store(rows, w, panel, a, row, sums, to);
}

/* One panel of columns for all rows, which are cut into blocks of about the same height. */
static void multiply_panel(const matrix *w, long panel, const rounded *a, long rows, const target *to) {
    const long blocks = (rows + TALLEST - 1) / TALLEST;
    for (long number = 0; number < blocks; number++) {
        const long row = rows * number / blocks, end = rows * (number + 1) / blocks;
        switch (end - row) {
#define HEIGHT(rows) case rows: if (rows <= TALLEST) block(rows <= TALLEST ? rows : 1, w, panel, a, row, to); break;
            HEIGHT(1) HEIGHT(2) HEIGHT(3) HEIGHT(4) HEIGHT(5) HEIGHT(6) HEIGHT(7)
            HEIGHT(8) HEIGHT(9) HEIGHT(10) HEIGHT(11) HEIGHT(12) HEIGHT(13) HEIGHT(14)
#undef HEIGHT
        }
    }
}

#endif

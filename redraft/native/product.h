/* Products with matrices of signed bytes.

   A row of activations becomes unsigned bytes with a factor of its own, so a token's numbers depend on that token alone;
   sums of integers are exact in any order. A matrix is packed in panels of 32 columns: four numbers of each column, then
   the next four. */
#ifndef REDRAFT_PRODUCT_H
#define REDRAFT_PRODUCT_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "lanes.h"

enum { PANEL = 32, GROUP = 4, TALLEST = 14, LEVELS = 127, ZERO = 128, LOW_ZERO = 32, HIGH_LEVELS = 223, AHEAD = 2048 };

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

static inline void round_lanes(uint8_t *to, __mmask16 mask, lanes x, lanes levels, __m512i zero) {
    const __m512i whole = _mm512_add_epi32(_mm512_cvtps_epi32(_mm512_mul_ps(x, levels)), zero);
    _mm512_mask_cvtusepi32_storeu_epi8(to, mask, _mm512_max_epi32(whole, _mm512_setzero_si512()));
}

/* `least`: no number is less, and those below zero get an eighth of the bytes; 1 if nothing is known. */
static void round_row(const float *x, long size, float least, const rounded *to, long row) {
    const bool bounded = least <= 0;
    lanes highest = _mm512_setzero_ps();
    for (long at = 0; at < size; at += LANES) {
        const lanes some = _mm512_maskz_loadu_ps(first(size - at), x + at);
        highest = _mm512_max_ps(highest, bounded ? some : _mm512_abs_ps(some));
    }
    float peak = _mm512_reduce_max_ps(highest);
    if (bounded) peak = fmaxf(peak, -least * 7);
    const float levels = bounded ? HIGH_LEVELS : LEVELS;
    const lanes scale = all(peak > 0 ? levels / peak : 0);
    const __m512i zero = _mm512_set1_epi32(to->zero);
    for (long at = 0; at < size; at += LANES) {
        const __mmask16 mask = first(size - at);
        round_lanes(to->bytes + row * to->stride + at, mask, _mm512_maskz_loadu_ps(mask, x + at), scale, zero);
    }
    to->factors[row] = peak / levels;
}

/* Rows of sums for one panel: what a block of activations gives. Unrolled for each number of rows. */
INLINE void sum_panel(const int rows, const matrix *w, long panel, const rounded *a, long row, __m512i to[][2]) {
    const int8_t *b = w->packed + panel * w->groups * GROUP * PANEL;
    const uint8_t *from = a->bytes + row * a->stride;
    const long stride = a->stride, groups = w->groups;
    __m512i sums[TALLEST][2];
#pragma GCC unroll 14
    for (int r = 0; r < rows; r++) sums[r][0] = sums[r][1] = _mm512_setzero_si512();
    for (long group = 0; group < groups; group++, b += GROUP * PANEL) {
        const __m512i left = _mm512_load_si512(b), right = _mm512_load_si512(b + 64);
        _mm_prefetch(b + AHEAD, _MM_HINT_T0);
        _mm_prefetch(b + AHEAD + 64, _MM_HINT_T0);
#pragma GCC unroll 14
        for (int r = 0; r < rows; r++) {
            int32_t four;
            memcpy(&four, from + r * stride + group * GROUP, sizeof four);
            const __m512i bytes = _mm512_set1_epi32(four);
            /* sum += bytes · weights; as assembly, since compilers copy the sums around if given the intrinsic. */
            __asm__("vpdpbusd %2, %1, %0" : "+v"(sums[r][0]) : "v"(bytes), "v"(left));
            __asm__("vpdpbusd %2, %1, %0" : "+v"(sums[r][1]) : "v"(bytes), "v"(right));
        }
    }
#pragma GCC unroll 14
    for (int r = 0; r < rows; r++) to[r][0] = sums[r][0], to[r][1] = sums[r][1];
}

/* What turns sums of sixteen columns into numbers. */
typedef struct {
    __mmask16 mask;
    __m512i correction;
    lanes scales, bias;
} columns;

INLINE columns read_columns(const matrix *w, int zero, long column) {
    const __mmask16 mask = first(w->out - column);
    return (columns){
        mask, _mm512_mullo_epi32(_mm512_load_si512(w->sums + column), _mm512_set1_epi32(zero)),
        _mm512_maskz_loadu_ps(mask, w->scales + column),
        w->bias ? _mm512_maskz_loadu_ps(mask, w->bias + column) : _mm512_setzero_ps()
    };
}

INLINE lanes scaled(const columns *columns, __m512i sum, float factor) {
    const lanes exact = _mm512_cvtepi32_ps(_mm512_sub_epi32(sum, columns->correction));
    return _mm512_fmadd_ps(_mm512_mul_ps(exact, columns->scales), all(factor), columns->bias);
}

static inline lanes activated(lanes x, activation kind) {
    return kind == GELU ? gelu(x) : kind == SWISH ? swish(x) : _mm512_max_ps(x, _mm512_setzero_ps());
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
    contender *contenders;   /* (tokens, panels) */
    const int64_t *favoured; /* whose number gains the bias, one for each token; or NULL */
    float bias;
} target;

INLINE void store(
    const int rows, const matrix *w, long panel, const rounded *a, long row, __m512i sums[][2], const target *to
) {
    for (int half = 0; half < 2; half++) {
        const long column = panel * PANEL + half * LANES;
        if (column >= w->out) break;
        const columns columns = read_columns(w, a->zero, column);
        for (int r = 0; r < rows; r++) {
            float *place = to->rows + (row + r) * w->out + column;
            lanes value = scaled(&columns, sums[r][half], a->factors[row + r]);
            if (to->ending == ACTIVATE) value = activated(value, to->activation);
            if (to->ending == ADD) value = _mm512_add_ps(value, _mm512_maskz_loadu_ps(columns.mask, place));
            _mm512_mask_storeu_ps(place, columns.mask, value);
        }
    }
}

static void contend(const matrix *w, long panel, const rounded *a, long row, const __m512i sums[2], const target *to) {
    const __m512i places = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    lanes values[2] = {all(-INFINITY), all(-INFINITY)};
    for (int half = 0; half < 2; half++) {
        const long column = panel * PANEL + half * LANES;
        if (column >= w->out) break;
        const columns columns = read_columns(w, a->zero, column);
        const lanes value = scaled(&columns, sums[half], a->factors[row]);
        values[half] = _mm512_mask_mov_ps(values[half], columns.mask, value);
        if (to->favoured) {
            const __m512i wanted = _mm512_set1_epi32((int32_t)(to->favoured[row] - column));
            values[half] = _mm512_mask_add_ps(
                values[half], _mm512_cmpeq_epi32_mask(places, wanted), values[half], all(to->bias)
            );
        }
    }
    const float highest = _mm512_reduce_max_ps(_mm512_max_ps(values[0], values[1]));
    const uint32_t equal = _mm512_cmpeq_ps_mask(values[0], all(highest)) |
                           (uint32_t)_mm512_cmpeq_ps_mask(values[1], all(highest)) << LANES;
    const lanes powers = _mm512_add_ps(
        exponential(_mm512_sub_ps(values[0], all(highest))), exponential(_mm512_sub_ps(values[1], all(highest)))
    );
    const int32_t column = (int32_t)(panel * PANEL + (equal ? __builtin_ctz(equal) : 0));
    to->contenders[row * w->panels + panel] = (contender){highest, _mm512_reduce_add_ps(powers), column};
}

INLINE void block(const int rows, const matrix *w, long panel, const rounded *a, long row, const target *to) {
    __m512i sums[TALLEST][2];
    sum_panel(rows, w, panel, a, row, sums);
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
#define HEIGHT(rows) case rows: block(rows, w, panel, a, row, to); break;
            HEIGHT(1) HEIGHT(2) HEIGHT(3) HEIGHT(4) HEIGHT(5) HEIGHT(6) HEIGHT(7)
            HEIGHT(8) HEIGHT(9) HEIGHT(10) HEIGHT(11) HEIGHT(12) HEIGHT(13) HEIGHT(14)
#undef HEIGHT
        }
    }
}

#endif

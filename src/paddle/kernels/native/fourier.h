/* Discrete Fourier transforms along an axis: what callers ask for, and what the files of this subject share. */
#ifndef PADDLE_NATIVE_FOURIER_H
#define PADDLE_NATIVE_FOURIER_H

#include "common.h"

#define FOURIER_MOST ((index_t)1 << 26) /* the largest size of a transform */

/* y [outer, to, inner] = scale times the transform of x [outer, from, inner], of `n` numbers along the axis; complex numbers are pairs.
 *   real_x: from is n; to is n, or n / 2 + 1: the first half, which the second one mirrors
 *   real_y: to is n; x has the first half (what is missing counts as 0, what is more is not read)
 *   neither: from and to are n, and y may be x */
typedef struct {
    const void *x;
    void *y;
    index_t outer, inner, n, from, to;
    int single, real_x, real_y; /* float or double */
    int inverse;                /* the sign of the exponent is + */
    double scale;
} fourier_t;

int fourier_transform(const fourier_t *t); /* n from 1 to FOURIER_MOST */

/* ---- plans (fourier_plan.c) ---- */

enum { FOURIER_STAGES = 32, FOURIER_PRIME = 97 }; /* factors of a size; larger primes go by a convolution */

/* A size as a product of small factors, and the factors between the stages in the order of their use. */
typedef struct {
    index_t n;
    int stages, radix[FOURIER_STAGES];
    void *turns;
} fourier_sweep_t;

struct fourier_loops;

/* All that transforms of one size read. Lines are taken one in each lane of a vector; a line `alone` is a matrix [columns, rows] whose
 * columns are transformed in lanes, then turned by `twist` and transposed, then its rows. */
typedef struct {
    const struct fourier_loops *loops;
    index_t n;
    int halved, alone;        /* halved: the n real numbers of a line are transformed as n / 2 complex ones */
    index_t size, core;       /* complex numbers of a line; those transformed: more if it is a convolution with the chirp */
    fourier_sweep_t along[2]; /* of columns (or whole lines), of rows */
    void *twist, *chirp, *filter, *fold;
    size_t bytes;
} fourier_plan_t;

/* A plan for n numbers of so many lines, until it is given back; NULL: no memory. */
fourier_plan_t *fourier_plan(const struct fourier_loops *loops, index_t n, int halved, index_t lines);
void fourier_plan_back(fourier_plan_t *plan);

/* The transform of a line of plan->core pairs at their place, times a scale, without the chirp. */
int fourier_core(const fourier_plan_t *plan, void *x, double scale);

/* ---- loops (fourier.inc) ---- */

/* Lines of numbers in memory, in units of real numbers: `inner` lines are `lane` apart, and `outer` is from those to the next ones. */
typedef struct {
    void *data;
    index_t inner, lane, outer;
    index_t step, gap, count; /* from a number of a line to the next; to its imaginary part, 0: it has none; how many there are */
} fourier_side_t;

typedef struct fourier_loops {
    index_t bytes, lanes; /* of a real number; of a vector */
    void *(*sweep)(const fourier_sweep_t *w, void *x, void *y, int inverse);
    void (*take)(const fourier_side_t *s, index_t first, index_t lines, void *buffer, index_t room, index_t w);
    void (*put)(const fourier_side_t *s, index_t first, index_t lines, const void *buffer, index_t w, double scale);
    void (*twist)(void *buffer, const void *twist, index_t count, int inverse);
    void (*times)(void *buffer, const void *table, index_t count, int inverse, index_t w);
    void (*fold)(void *buffer, index_t h, const void *table, int back, index_t w);
} fourier_loops_t;

const fourier_loops_t *fourier_loops(int single); /* those that fit the processor */

#endif

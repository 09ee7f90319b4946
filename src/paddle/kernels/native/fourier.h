/* Discrete Fourier transforms along an axis: what callers ask for, and what the loops of fourier.inc get from fourier_plan.c. */
#ifndef PADDLE_NATIVE_FOURIER_H
#define PADDLE_NATIVE_FOURIER_H

#include "common.h"

#define FOURIER_MOST ((index_t)1 << 26) /* the largest size of a transform */
enum { FOURIER_STAGES = 32, FOURIER_PRIME = 61 }; /* factors of a size; larger primes go by a convolution */

/* y [outer, to, inner] = scale times the transform of x [outer, from, inner], of `n` numbers along the axis; complex numbers are pairs.
 *   real_x: from is n; to is n, or n / 2 + 1: the first half, which the second one mirrors
 *   real_y: to is n; x has the first half (what is missing counts as 0, what is more is not read)
 *   neither: from and to are n */
typedef struct {
    const void *x;
    void *y;
    index_t outer, inner, n, from, to;
    int single, real_x, real_y; /* float or double */
    int inverse;                /* the sign of the exponent is + */
    double scale;
} fourier_t;

int fourier_transform(const fourier_t *t); /* n from 1 to FOURIER_MOST */

/* A size as a product of small factors, and the factors between the stages in the order of their use. */
typedef struct {
    index_t n;
    int stages, radix[FOURIER_STAGES];
    void *turns;
} fourier_sweep_t;

/* All that transforms of one size read. Lines are taken one in each lane of a vector; a line `alone` is a matrix [columns, rows] whose
 * columns are transformed in lanes, then turned by `twist` and transposed, then its rows. */
typedef struct {
    index_t n;
    int single, lanes, alone, halved; /* halved: the n real numbers of a line are transformed as n / 2 complex ones */
    index_t size, core;               /* complex numbers of a line; those transformed: more if it is a convolution with the chirp */
    fourier_sweep_t along[2];         /* of columns (or whole lines), of rows */
    void *twist, *chirp, *filter, *fold;
    size_t bytes;
} fourier_plan_t;

/* Lines of numbers in memory, in units of real numbers: `inner` lines are `lane` apart, and `outer` is from those to the next ones. */
typedef struct {
    void *data;
    index_t inner, lane, outer;
    index_t step, gap, count; /* from a number of a line to the next; to its imaginary part, 0: it has none; how many there are */
} fourier_side_t;

typedef struct {
    const fourier_plan_t *plan;
    fourier_side_t x, y;
    index_t lines;
    int fold_before, fold_behind; /* between the halves of real lines and their spectra */
    int mirror_before, mirror_behind, negate_before, negate_behind, inverse;
    double scale;
} fourier_job_t;

DECLARE_VERSIONS(f32, int, fourier_lanes, void); /* of a vector */
DECLARE_VERSIONS(f64, int, fourier_lanes, void);
DECLARE_VERSIONS(f32, int, fourier_run, const fourier_job_t *job);
DECLARE_VERSIONS(f64, int, fourier_run, const fourier_job_t *job);

#endif

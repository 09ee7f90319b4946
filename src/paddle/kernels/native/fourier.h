/* What fourier.c hands to the loops of fourier.inc. */
#ifndef PADDLE_NATIVE_FOURIER_H
#define PADDLE_NATIVE_FOURIER_H

#include "common.h"

enum { FOURIER_STAGES = 16, FOURIER_MOST = 8192 }; /* factors of a size; the largest one */

/* The transform of x [outer, n, inner] along the axis of n; complex numbers are pairs. */
typedef struct {
    index_t outer, n, inner;
    int stages, radix[FOURIER_STAGES]; /* n as a product of 4, 2, 3 and 5 */
    int real_x;                        /* x has no imaginary parts */
    index_t first;                     /* so many results are stored along the axis: n, or n / 2 + 1 */
    int inverse;
    double scale;
    const double *turns; /* cos and -sin of 2 pi k / n, k < n */
    const void *x;
    void *y;
} fourier_t;

#endif

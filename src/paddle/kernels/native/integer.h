/* Convolutions and products of whole numbers: x is rounded to steps of a grid, or bytes of such numbers; weights are the numbers of their steps.
 *
 * y = act(sums * factors + bias + residual), where sums are those of steps(x) and w, exactly; as floats, or rounded to another grid. */
#ifndef PADDLE_NATIVE_INTEGER_H
#define PADDLE_NATIVE_INTEGER_H

#include "blocked.h"

typedef struct {
    blocked_conv_t b;       /* x is of floats, plain or in blocks, or NULL; `ready` is what integer_prepare() made, or NULL; y or NULL */
    const uint8_t *bytes;   /* x as steps, in place of floats */
    int rows;               /* x and y are matrices, a row for each pixel: q has kernels of one pixel and images of one row */
    const int8_t *w;        /* [o, c / g, kh, kw] */
    const float *factors;   /* o values: what one is worth in the sums */
    grid_t in;              /* of x */
    const grid_t *out;      /* of the result, which goes to `y`; or NULL: it goes to b.y as floats */
    uint8_t *y;
} integer_conv_t;

/* integer_unit(): numbers in a word on this processor. integer_ready_size(q): floats of `ready`.
 * integer_prepare(q, plain, w, ready), integer_fits(q, plain, ready, size): as with blocked_prepare().
 * integer_conv(q, i): NATIVE_OK, NATIVE_NO_MEMORY or INTEGER_NAN. */
int integer_unit(void);
DECLARE_VERSIONS(f32, index_t, integer_ready_size, const conv_t *q);
DECLARE_VERSIONS(f32, void, integer_prepare, const conv_t *q, int plain, const int8_t *w, float *ready);
DECLARE_VERSIONS(f32, int, integer_fits, const conv_t *q, int plain, const float *ready, index_t size);
DECLARE_VERSIONS(f32, int, integer_conv, const conv_t *q, const integer_conv_t *i);

#define LONGEST_SUM 131071 /* products of two bytes with signs, which 32 bits hold */

/* The product of a matrix of so many rows with one [columns, inner]: a convolution of kernels of one pixel, where every row is one. */
static inline conv_t integer_product(index_t rows, index_t columns, index_t inner) {
    return (conv_t){.n = 1, .c = inner, .h = 1, .w = rows, .o = columns, .kh = 1, .kw = 1, .g = 1, .sh = 1, .sw = 1, .dh = 1, .dw = 1, .oh = 1,
                    .ow = rows};
}

/* x rounded to a grid, as floats again; NaN stays. */
DECLARE_VERSIONS(f32, void, on_grid, grid_t grid, index_t count, const float *x, float *y);

#endif

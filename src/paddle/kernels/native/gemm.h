/* Matrix product, for other kernels. */
#ifndef PADDLE_NATIVE_GEMM_H
#define PADDLE_NATIVE_GEMM_H

#include "common.h"

/* What is done to each element of a product on its way to memory. */
enum { ACT_NONE, ACT_RELU, ACT_GELU, ACT_GELU_TANH, ACT_COUNT };

/* C = act(A B + C or added + bias). Strides count elements and may be anything for A and B; C's columns are adjacent.
 * Pointers are to float or double, as the version called. */
typedef struct {
    index_t m, n, k;
    const void *a;
    index_t a_row, a_col;
    const void *b;
    index_t b_row, b_col;
    void *c;
    index_t c_row;
    const void *bias; /* n values, or NULL */
    int act, accumulate;
    const void *added; /* laid out as C is, instead of what C holds, or NULL */
    const void *ready; /* B, or a matrix that begins with it, as gemm_prepare() made it, or NULL; used where it fits and B isn't better */
} gemm_t;

/* A right operand that is packed once for many products: elements that say what it is (instruction set and sizes), then its tiles,
 * slice by slice. */
#define READY_PRODUCT 32
static inline index_t gemm_ready_size(index_t k, index_t n) { return READY_PRODUCT + round_up(n, 32) * k; }

DECLARE_VERSIONS(f32, int, gemm, const gemm_t *product);
DECLARE_VERSIONS(f64, int, gemm, const gemm_t *product);
/* gemm_prepare(product, ready): pack the product's B; of its fields n, k and those of b count. */
DECLARE_VERSIONS(f32, int, gemm_prepare, const gemm_t *product, void *ready);
DECLARE_VERSIONS(f64, int, gemm_prepare, const gemm_t *product, void *ready);

/* Products of a batch; strides between items count elements, 0 repeats an operand. */
typedef struct {
    gemm_t product; /* of the first item */
    index_t items, a_batch, b_batch, c_batch;
    int (*run)(const gemm_t *product); /* a version of gemm, and what its numbers have: 4 or 8 bytes */
    index_t bytes;
} gemm_batch_t;

int gemm_batch(const gemm_batch_t *batch);

#endif

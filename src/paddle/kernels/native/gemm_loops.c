/* Matrix products: the loops, and the way through a batch. */
#include <math.h>

#include "gemm.h"
#if NATIVE_X86
#include <immintrin.h>
#endif

#include "elementwise.h"
#include "tile.h"
#define BODY "gemm.inc"
#define BODY_TYPES 2
#include "multiversion.h"

static int multiply_item(void *context, index_t item) {
    const gemm_batch_t *batch = context;
    const index_t size = batch->bytes;
    gemm_t product = batch->product;
    product.a = (const char *)product.a + item * batch->a_batch * size;
    product.b = (const char *)product.b + item * batch->b_batch * size;
    product.c = (char *)product.c + item * batch->c_batch * size;
    if (product.added) product.added = (const char *)product.added + item * batch->c_batch * size;
    return batch->run(&product);
}

/* All products of a batch: side by side if there are enough of them, else one after the other on all threads. */
int gemm_batch(const gemm_batch_t *given) {
    gemm_batch_t batch = *given;
    gemm_t *g = &batch.product;
    /* a batch of rows against one matrix is a single, taller product */
    if (batch.items > 1 && batch.b_batch == 0 && batch.a_batch == g->m * g->a_row && batch.c_batch == g->m * g->c_row) {
        g->m *= batch.items;
        batch.items = 1;
    }
    double work = (double)g->m * (double)g->n * (double)g->k;
    int small = work < 2e6 || batch.items >= 4 * (index_t)threads_count();
    if (batch.items > 1 && small && work * (double)batch.items > 40000) return parallel_for(batch.items, multiply_item, &batch);
    for (index_t item = 0; item < batch.items; item++) {
        int status = multiply_item(&batch, item);
        if (status != NATIVE_OK) return status;
    }
    return NATIVE_OK;
}

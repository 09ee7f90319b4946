/* Matrices beyond products: the inverse. */
#include <math.h>
#include <stdlib.h>

#include "sizes.h"

/* work holds a matrix n x n and right of it the unit matrix, which becomes the inverse; 0, or 1 if there is none. */
static int eliminate(double *work, index_t n) {
    index_t wide = 2 * n;
    for (index_t k = 0; k < n; k++) {
        index_t best = k;
        for (index_t i = k + 1; i < n; i++)
            if (fabs(work[i * wide + k]) > fabs(work[best * wide + k])) best = i;
        if (!(fabs(work[best * wide + k]) > 0)) return 1;
        for (index_t j = 0; j < wide && best != k; j++) {
            double other = work[k * wide + j];
            work[k * wide + j] = work[best * wide + j];
            work[best * wide + j] = other;
        }
        double pivot = work[k * wide + k];
        for (index_t j = k; j < wide; j++) work[k * wide + j] /= pivot;
        for (index_t i = 0; i < n; i++) {
            double factor = work[i * wide + k];
            for (index_t j = k; j < wide && i != k && factor != 0; j++) work[i * wide + j] -= factor * work[k * wide + j];
        }
    }
    return 0;
}

static int inverse(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "Input");
    tensor_t y;
    if (!x || check_float(x, "Input")) return -1;
    index_t n = x->ndim > 1 ? x->dims[x->ndim - 1] : -1;
    if (n < 0 || x->dims[x->ndim - 2] != n || n > 1 << 14) return fail("Input must be square matrices");
    double *work = malloc((size_t)(2 * n * n + 1) * sizeof *work);
    if (!work) return fail_memory();
    int status = make_like(run, &y, x);
    for (index_t first = 0; !status && n && first < x->size; first += n * n) {
        for (index_t i = 0; i < n; i++)
            for (index_t j = 0; j < n; j++) work[i * 2 * n + j] = tensor_number(x, first + i * n + j), work[i * 2 * n + n + j] = i == j;
        if (eliminate(work, n)) {
            tensor_drop(&y);
            status = fail("a matrix is singular, it has no inverse");
            break;
        }
        for (index_t i = 0; i < n * n; i++) tensor_set(&y, first + i, work[i / n * 2 * n + n + i % n]);
    }
    free(work);
    return status ? -1 : give(run, op, "Output", &y);
}

OPERATOR_TABLE(matrices) = {{"inverse", inverse, 0}, {0}};

/* Matrices beyond products: the inverse. */
#include "inverse.h"
#include "sizes.h"

static int inverse(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "Input");
    tensor_t y;
    if (!x || check_float(x, "Input")) return -1;
    index_t n = x->ndim > 1 ? x->dims[x->ndim - 1] : -1;
    if (n < 0 || x->dims[x->ndim - 2] != n || n > 1 << 14) return fail("Input must be square matrices");
    if (make_like(run, &y, x)) return -1;
    inverse_t t = {.n = n, .doubles = x->dtype == TYPE_FLOAT64, .x = x->data, .y = y.data};
    int status = x->size && DISPATCH(f32, inverse_run, &t, x->size / (n * n)) ? fail_memory() : 0;
    return finish(run, op, "Output", &y, t.singular ? fail("a matrix is singular, it has no inverse") : status);
}

OPERATOR_TABLE(matrices) = {{"inverse", inverse, 0}, {0}};

/* Matrix products. */
#include "small.h"

#include "gemm.h"

#include "formula.h"
#include "reduce.h"
#include "sizes.h"

/* A vector becomes a matrix of one row (left) or one column. */
static tensor_t as_matrix(const tensor_t *t, int left) {
    tensor_t m = *t;
    if (t->ndim != 1) return m;
    m.ndim = 2;
    m.dims[left ? 1 : 0] = t->dims[0];
    m.dims[left ? 0 : 1] = 1;
    return m;
}

static int same_batch(const tensor_t *t, int ndim, const index_t *dims) {
    for (int i = 0; i < ndim; i++)
        if (t->ndim != ndim + 2 || t->dims[i] != dims[i]) return 0;
    return 1;
}

/* Batches that are neither alike nor single are repeated. */
static int unify(run_t *run, tensor_t *m, int ndim, const index_t *batch, index_t items, tensor_t *owned, index_t *stride) {
    index_t own = span(m, 0, m->ndim - 2), matrix = m->dims[m->ndim - 2] * m->dims[m->ndim - 1];
    *stride = own == 1 ? 0 : matrix;
    if (own == 1 || same_batch(m, ndim, batch) || own == items) return 0;
    index_t dims[MAX_DIMS];
    memcpy(dims, batch, (size_t)ndim * sizeof *dims);
    dims[ndim] = m->dims[m->ndim - 2];
    dims[ndim + 1] = m->dims[m->ndim - 1];
    if (expand_into(run, m, ndim + 2, dims, owned)) return -1;
    *m = *owned;
    return 0;
}

static int multiply(run_t *run, tensor_t *a, tensor_t *b, int trans_a, int trans_b, const product_end_t *end, int ndim,
                    const index_t *batch, index_t items, tensor_t *y) {
    tensor_t owned[2] = {{.dtype = TYPE_NONE}, {.dtype = TYPE_NONE}};
    gemm_batch_t g = {.items = items, .run = VERSION_TYPE(a->dtype, gemm), .bytes = (index_t)type_size(a->dtype)};
    int status = unify(run, a, ndim, batch, items, &owned[0], &g.a_batch) || unify(run, b, ndim, batch, items, &owned[1], &g.b_batch);
    const index_t *da = a->dims + a->ndim - 2, *db = b->dims + b->ndim - 2;
    g.product = (gemm_t){.m = da[trans_a], .k = da[!trans_a], .n = db[!trans_b], .a = a->data, .b = b->data, .c = y->data,
                         .a_row = trans_a ? 1 : da[1], .a_col = trans_a ? da[1] : 1, .b_row = trans_b ? 1 : db[1],
                         .b_col = trans_b ? db[1] : 1, .bias = end->bias, .act = end->act, .ready = end->ready};
    gemm_t *p = &g.product;
    g.c_batch = p->m * p->n;
    p->c_row = p->n;
    if (p->k == 1) p->a_col = 1; /* the stride of a single column or row means nothing: take the one of the fast ways */
    if (p->n == 1) p->b_col = 1;
    if (!status && y->size) status = gemm_batch(&g) ? fail_memory() : 0;
    tensor_drop(&owned[0]);
    tensor_drop(&owned[1]);
    return status ? -1 : 0;
}

/* Complex matrices by four products of real ones. */
static int complex_product(run_t *run, const tensor_t *a, const tensor_t *b, int trans_a, int trans_b, tensor_t *y) {
    tensor_t parts[4], found[4] = {{.dtype = TYPE_NONE}, {.dtype = TYPE_NONE}, {.dtype = TYPE_NONE}, {.dtype = TYPE_NONE}};
    const product_end_t plain = {0};
    int status = 0, made = 0;
    for (; made < 4 && !status; made += !status) status = part_into(run, made < 2 ? a : b, made % 2, &parts[made]);
    for (int i = 0; i < 4 && !status; i++) status = product_into(run, &parts[i / 2], &parts[2 + i % 2], trans_a, trans_b, &plain, &found[i]);
    for (index_t i = 0; !status && i < found[0].size; i++) {
        tensor_set(&found[0], i, tensor_number(&found[0], i) - tensor_number(&found[3], i));
        tensor_set(&found[1], i, tensor_number(&found[1], i) + tensor_number(&found[2], i));
    }
    if (!status) status = join_parts(run, &found[0], &found[1], y);
    while (made) tensor_drop(&parts[--made]);
    for (int i = 0; i < 4; i++) tensor_drop(&found[i]);
    return status;
}

int product_into(run_t *run, const tensor_t *a, const tensor_t *b, int trans_a, int trans_b, const product_end_t *end, tensor_t *y) {
    *y = (tensor_t){.dtype = TYPE_NONE};
    if (type_is_complex(a->dtype) && a->dtype == b->dtype && !end->bias && !end->act) return complex_product(run, a, b, trans_a, trans_b, y);
    if (check_float(a, "X")) return -1;
    if (a->dtype != b->dtype) return fail("X is %s and Y %s", type_name(a->dtype), type_name(b->dtype));
    if (!a->ndim || !b->ndim) return fail("a product needs operands with axes");
    sizes_t left = sizes_of(a), right = sizes_of(b), sizes;
    if (size_multiplied(&left, &right, trans_a, trans_b, &sizes) || make_sized(run, y, a->dtype, &sizes)) return -1;
    tensor_t x = as_matrix(a, 1), z = as_matrix(b, 0);
    int ndim = sizes.count - (a->ndim > 1) - (b->ndim > 1);
    index_t items = 1;
    for (int i = 0; i < ndim; i++) items *= sizes.at[i];
    if (!multiply(run, &x, &z, a->ndim > 1 && trans_a, b->ndim > 1 && trans_b, end, ndim, sizes.at, items, y)) return 0;
    tensor_drop(y);
    return -1;
}

/* The activation behind a product that it does on the way to memory. */
static int act_of(const op_t *op) {
    if (op->relu) return ACT_RELU;
    if (!op->after || strcmp(op->after->type, "gelu")) return ACT_NONE;
    return attr_bool(op->after, "approximate") ? ACT_GELU_TANH : ACT_GELU;
}

/* What passes have put into slots of an operator: a bias, one number for each column, the packed matrix, an activation. */
static int read_end(run_t *run, const op_t *op, const tensor_t *x, product_end_t *end) {
    const tensor_t *t = find_input(run, op, "Bias"), *ready = find_input(run, op, SLOT_READY);
    *end = (product_end_t){.bias = t ? t->data : NULL, .ready = ready ? ready->data : NULL, .act = act_of(op)};
    const tensor_t *w = t ? need_input(run, op, "Y") : NULL;
    if (!t) return 0;
    int trans = attr_bool(op, "trans_y") || attr_bool(op, "transpose_Y");
    if (w && w->ndim == 2 && t->dtype == x->dtype && t->size == w->dims[!trans]) return 0;
    return fail("Bias doesn't fit the product");
}

#define PACKED_ROWS 4 /* a product of so many rows reads the matrix where it lies */

int product_ready(const op_t *op, const var_t *x, const tensor_t *w, tensor_t *ready) {
    index_t rows = 1;
    int trans = attr_bool(op, "trans_y"), left = !strcmp(op->type, "mul") ? (int)attr_int(op, "x_num_col_dims") : x->ndim - 1;
    if (w->ndim != 2 || !w->size || x->ndim < 2 || left < 1 || left >= x->ndim || attr_bool(op, "trans_x")) return 0;
    for (int i = 0; i < left; i++) rows = x->dims[i] < 0 || x->dims[i] > PACKED_ROWS ? PACKED_ROWS + 1 : rows * x->dims[i];
    if (rows <= PACKED_ROWS) return 0;
    gemm_t g = {.k = w->dims[trans], .n = w->dims[!trans], .b = w->data, .b_row = trans ? 1 : w->dims[1], .b_col = trans ? w->dims[1] : 1};
    index_t size = gemm_ready_size(g.k, g.n);
    if (tensor_new(NULL, ready, w->dtype, 1, &size)) return -1;
    if (!DISPATCH_TYPE(w->dtype, gemm_prepare, &g, ready->data)) return 1;
    tensor_drop(ready);
    return fail_memory();
}

static int matmul(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *y = x ? need_input(run, op, "Y") : NULL;
    tensor_t out;
    product_end_t end;
    if (!y) return -1;
    int old = !strcmp(op->type, "matmul");
    int trans_x = attr_bool(op, old ? "transpose_X" : "trans_x"), trans_y = attr_bool(op, old ? "transpose_Y" : "trans_y");
    if (read_end(run, op, x, &end) || product_into(run, x, y, trans_x, trans_y, &end, &out)) return -1;
    double alpha = old ? attr_float(op, "alpha") : 1;
    for (index_t i = 0; alpha != 1 && i < out.size; i++) tensor_set(&out, i, tensor_number(&out, i) * alpha);
    if (old && out.ndim == 0) out.ndim = 1, out.dims[0] = 1;
    return finish(run, op, "Out", &out, end.act ? 0 : apply_activation(op, &out));
}

/* mul flattens both operands to matrices first. */
static int mul(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *y = x ? need_input(run, op, "Y") : NULL;
    tensor_t out;
    product_end_t end;
    if (!y) return -1;
    int64_t cx = attr_int(op, "x_num_col_dims"), cy = attr_int(op, "y_num_col_dims");
    if (cx < 1 || cx >= x->ndim || cy < 1 || cy >= y->ndim) return fail("x_num_col_dims or y_num_col_dims doesn't fit");
    sizes_t left = sizes_of(x), right = sizes_of(y), sizes;
    if (size_flat_product(&left, &right, (index_t)cx, (index_t)cy, &sizes)) return -1;
    tensor_t a = *x, b = *y;
    a.ndim = b.ndim = 2;
    a.dims[0] = span(x, 0, (int)cx), a.dims[1] = span(x, (int)cx, x->ndim);
    b.dims[0] = span(y, 0, (int)cy), b.dims[1] = span(y, (int)cy, y->ndim);
    if (read_end(run, op, x, &end) || product_into(run, &a, &b, 0, 0, &end, &out)) return -1;
    int status = tensor_reshape(&out, sizes.count, sizes.at);
    return finish(run, op, "Out", &out, status || end.act ? status : apply_activation(op, &out));
}

static int bmm(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *y = x ? need_input(run, op, "Y") : NULL;
    tensor_t out;
    if (!y) return -1;
    if (x->ndim != 3 || y->ndim != 3 || x->dims[0] != y->dims[0]) return fail("X and Y must be batches of the same number of matrices");
    return product_into(run, x, y, 0, 0, &(product_end_t){0}, &out) ? -1 : give(run, op, "Out", &out);
}

static int dot(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *y = x ? need_input(run, op, "Y") : NULL;
    tensor_t out;
    if (!y) return -1;
    if (x->size != y->size || x->ndim < 1 || x->ndim != y->ndim) return fail("X and Y must have one shape");
    if (make_by_record(run, op, "Out", x->dtype, NULL, &out)) return -1;
    index_t n = x->dims[x->ndim - 1];
    if (type_is_float(x->dtype) && x->dtype == y->dtype && x->size) {
        tensor_t each;
        if (make_like(run, &each, x)) return finish(run, op, "Out", &out, -1);
        formula_t f;
        formula_open(&f, run, &each);
        int a = formula_tensor(&f, x), b = formula_tensor(&f, y);
        formula_keep(&f, formula_step(&f, STEP_mul, a, b, 0), &each);
        int status = formula_run(&f) || reduce_axis(REDUCE_SUM, &each, each.ndim - 1, &out);
        tensor_drop(&each);
        return finish(run, op, "Out", &out, status);
    }
    for (index_t k = 0; k < out.size; k++) {
        double sum = 0;
        int64_t exact = 0;
        for (index_t i = k * n; i < (k + 1) * n; i++) {
            if (x->dtype <= TYPE_INT64) exact += tensor_int(x, i) * tensor_int(y, i);
            else sum += tensor_number(x, i) * tensor_number(y, i);
        }
        if (x->dtype <= TYPE_INT64) tensor_set_int(&out, k, exact);
        else tensor_set(&out, k, sum);
    }
    return give(run, op, "Out", &out);
}

/* fc of exported programs that Paddle's own passes have fused: X W + b, and ReLU. */
static int fc(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "Input"), *w = x ? need_input(run, op, "W") : NULL, *bias = find_input(run, op, "Bias");
    tensor_t out;
    if (!w) return -1;
    int64_t columns = attr_int(op, "in_num_col_dims");
    if (columns < 1 || columns >= x->ndim || w->ndim != 2) return fail("in_num_col_dims %lld doesn't fit", (long long)columns);
    if (bias && (bias->size != w->dims[1] || bias->dtype != x->dtype)) return fail("Bias doesn't fit the product");
    sizes_t left = sizes_of(x), right = sizes_of(w), sizes;
    if (size_flat_product(&left, &right, (index_t)columns, 1, &sizes)) return -1;
    tensor_t a = *x;
    a.ndim = 2;
    a.dims[0] = span(x, 0, (int)columns);
    a.dims[1] = span(x, (int)columns, x->ndim);
    int act = !strcmp(attr_text(op, "activation_type"), "relu") ? ACT_RELU : ACT_NONE;
    if (product_into(run, &a, w, 0, 0, &(product_end_t){.bias = bias ? bias->data : NULL, .act = act}, &out)) return -1;
    return finish(run, op, "Out", &out, tensor_reshape(&out, sizes.count, sizes.at));
}

static int addmm(run_t *run, const op_t *op) {
    const tensor_t *input = need_input(run, op, "Input"), *x = input ? need_input(run, op, "X") : NULL,
                   *y = x ? need_input(run, op, "Y") : NULL;
    tensor_t out, wide;
    if (!y || product_into(run, x, y, 0, 0, &(product_end_t){0}, &out)) return -1;
    if (expand_into(run, input, out.ndim, out.dims, &wide)) return finish(run, op, "Out", &out, -1);
    double alpha = attr_float(op, "Alpha"), beta = attr_float(op, "Beta");
    for (index_t i = 0; i < out.size; i++) tensor_set(&out, i, alpha * tensor_number(&out, i) + beta * tensor_number(&wide, i));
    tensor_drop(&wide);
    return give(run, op, "Out", &out);
}

OPERATOR_TABLE(linear) = {
    {"matmul_v2", matmul, OPERATOR_COMPLEX}, {"matmul", matmul, 0}, {"mul", mul, 0}, {"bmm", bmm, OPERATOR_COMPLEX}, {"dot", dot, 0}, {"fc", fc, 0},
    {"addmm", addmm, 0}, {0}};

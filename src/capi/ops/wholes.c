/* Convolutions and products of whole numbers (native/integer.h). layout.c and integers.c put them in; no file names them. */
#include "roundings.h"
#include "sizes.h"

/* x rounded to a grid, as floats: what is done where whole numbers don't help, that is with a NaN in x. */
static int round_floats(run_t *run, const grid_t *grid, const tensor_t *x, tensor_t *y) {
    if (make_like(run, y, x)) return -1;
    DISPATCH(f32, on_grid, *grid, x->size, x->data, y->data);
    return 0;
}

/* The slots that are the same for both; 0, or -1 with a message. */
static int read_whole(run_t *run, const op_t *op, const conv_t *q, int plain, integer_conv_t *i) {
    const tensor_t *steps = need_input(run, op, SLOT_STEPS), *factors = need_input(run, op, SLOT_FACTORS), *ready = find_input(run, op, SLOT_READY);
    if (!steps || !factors) return -1;
    if (steps->size != q->o * (q->c / q->g) * q->kh * q->kw || factors->size != q->o) return fail("the packed weights don't fit");
    const tensor_t *bias = find_input(run, op, "Bias");
    if (bias && (bias->size != q->o || bias->dtype != TYPE_FLOAT32)) return fail("Bias must have %td elements of type float32", q->o);
    i->b.plain = plain;
    i->b.bias = bias ? bias->data : NULL;
    i->w = steps->data;
    i->factors = factors->data;
    i->in = *op->in_grid;
    i->out = op->out_grid;
    const int act = blocked_activation(op);
    i->b.act = act < BLOCKED_ACTIVATIONS ? act : 0;
    if (ready && DISPATCH(f32, integer_fits, q, plain, ready->data, ready->size)) i->b.ready = ready->data;
    return 0;
}

/* The kernel on x, floats or bytes: 0, 1 if there is a NaN, -1. */
static int run_whole(const conv_t *q, integer_conv_t *i, const tensor_t *x, tensor_t *y) {
    if (x->dtype == TYPE_UINT8) i->bytes = x->data;
    else i->b.x = x->data;
    if (i->out) i->y = y->data;
    else i->b.y = y->data;
    const int status = DISPATCH(f32, integer_conv, q, i);
    return status == INTEGER_NAN ? 1 : status ? fail_memory() : 0;
}

static int convolve_floats(run_t *run, const op_t *op, const conv_t *q, const tensor_t *x, const blocked_conv_t *end, tensor_t *y) {
    const tensor_t *w = need_input(run, op, "Filter"), shape = *y;
    tensor_t rounded;
    tensor_drop(y);
    if (!w || round_floats(run, op->in_grid, x, &rounded)) return -1;
    int status = make(run, y, TYPE_FLOAT32, shape.ndim, shape.dims);
    blocked_conv_t b = {.x = rounded.data, .plain = end->plain, .bias = end->bias, .residual = end->residual, .act = end->act, .y = y->data};
    if (!status && blocked_run(q, &b, w->data)) status = fail_memory();
    tensor_drop(&rounded);
    return status;
}

int convolve_whole(run_t *run, const op_t *op, const conv_t *q, const tensor_t *x, tensor_t *y) {
    integer_conv_t i = {.rows = 0};
    tensor_t repeated;
    const void *residual;
    if (read_whole(run, op, q, x->ndim == 4, &i)) return -1;
    if (make(run, y, op->out_grid ? TYPE_UINT8 : TYPE_FLOAT32, 5, (index_t[]){q->n, blocks_of(q->o), q->oh, q->ow, BLOCK})) return -1;
    int status = conv_residual(run, op, y, &repeated, &residual);
    i.b.residual = residual;
    if (!status && y->size && !x->size) status = fail("a convolution over no channels is not supported");
    if (!status && y->size) status = run_whole(q, &i, x, y);
    if (status == 1) status = convolve_floats(run, op, q, x, &i.b, y);
    tensor_drop(&repeated);
    if (!status && blocked_activation(op) == BLOCKED_ACTIVATIONS) status = apply_activation(op, y);
    if (status) tensor_drop(y);
    return status;
}

/* ---- products ---- */

/* The sizes of a product's result. */
static int product_sizes(const op_t *op, const tensor_t *x, const tensor_t *w, sizes_t *sizes) {
    const sizes_t left = sizes_of(x), right = sizes_of(w);
    if (!type_is(op, "mul")) return size_multiplied(&left, &right, 0, results_along(op) == 0, sizes);
    const int64_t columns = attr_int(op, "x_num_col_dims");
    if (columns < 1 || columns >= x->ndim) return fail("x_num_col_dims or y_num_col_dims doesn't fit");
    return size_flat_product(&left, &right, (index_t)columns, 1, sizes);
}

static int linear(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *w = x ? need_input(run, op, "Y") : NULL;
    tensor_t y, rounded;
    sizes_t sizes;
    if (!w) return -1;
    if (x->dtype != TYPE_FLOAT32 && x->dtype != TYPE_UINT8) return fail("X is %s and Y %s", type_name(x->dtype), type_name(w->dtype));
    if (!x->ndim) return fail("a product needs operands with axes");
    if (product_sizes(op, x, w, &sizes)) return -1;
    const int axis = results_along(op);
    const index_t columns = w->dims[axis], inner = w->dims[1 - axis];
    const conv_t q = integer_product(x->size / inner, columns, inner);
    integer_conv_t i = {.rows = 1};
    if (read_whole(run, op, &q, 1, &i) || make_sized(run, &y, op->out_grid ? TYPE_UINT8 : TYPE_FLOAT32, &sizes)) return -1;
    int status = y.size ? run_whole(&q, &i, x, &y) : 0;
    if (status == 1) {
        tensor_t a, flat;
        tensor_drop(&y);
        y = (tensor_t){.dtype = TYPE_NONE};
        if (round_floats(run, op->in_grid, x, &rounded)) return -1;
        a = rounded;
        a.ndim = 2, a.dims[0] = q.ow, a.dims[1] = inner;
        status = product_into(run, &a, w, 0, axis == 0, &(product_end_t){.bias = i.b.bias}, &flat);
        tensor_drop(&rounded);
        if (!status) status = tensor_reshape(&flat, sizes.count, sizes.at) || apply_activation(op, &flat) ? -1 : 0, y = flat;
    } else if (!status && blocked_activation(op) == BLOCKED_ACTIVATIONS)
        status = apply_activation(op, &y);
    return finish(run, op, "Out", &y, status);
}

OPERATOR_TABLE(wholes) = {{"@linear", linear, 0}, {0}};

/* Operators on images whose channels lie in blocks (native/blocked.h). layout.c puts them in; no file names them. */
#include "small.h"

#include "blocked.h"

#include "roundings.h"

/* Is it float32, or of another type, in blocks that hold so many channels? */
static int check_blocks(const tensor_t *x, dtype_t type, index_t channels) {
    if (x->dtype == type && x->ndim == 5 && x->dims[4] == BLOCK && x->dims[1] == blocks_of(channels)) return 0;
    return fail("an image of %td channels does not lie in blocks of %d", channels, BLOCK);
}

static int to_blocks(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    tensor_t y;
    if (!x) return -1;
    if (x->ndim != 4 || x->dtype != TYPE_FLOAT32) return fail("Input must have 4 axes and be float32, not %d and %s", x->ndim, type_name(x->dtype));
    if (op->blocked && x->dims[1] != op->blocked) return fail("Input has %td channels, its first reader wants %d", x->dims[1], op->blocked);
    if (make(run, &y, x->dtype, 5, (index_t[]){x->dims[0], blocks_of(x->dims[1]), x->dims[2], x->dims[3], BLOCK})) return -1;
    return finish(run, op, "Out", &y, y.size ? DISPATCH(f32, blocked_from, x->dims[0], x->dims[1], x->dims[2] * x->dims[3], x->data, y.data) : 0);
}

static int from_blocks(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    tensor_t y;
    if (!x || check_blocks(x, TYPE_FLOAT32, op->blocked)) return -1;
    if (make(run, &y, x->dtype, 4, (index_t[]){x->dims[0], op->blocked, x->dims[2], x->dims[3]})) return -1;
    return finish(run, op, "Out", &y, y.size ? DISPATCH(f32, blocked_to, x->dims[0], op->blocked, x->dims[2] * x->dims[3], x->data, y.data) : 0);
}

/* ---- convolution ---- */

int blocked_activation(const op_t *op) {
    if (!op->after) return op->relu;
    if (!strcmp(op->after->type, "relu6") && attr_float(op->after, "threshold") == 6) return RELU6;
    const int usual = !strcmp(op->after->type, "hard_swish") && attr_float(op->after, "threshold") == 6 && attr_float(op->after, "scale") == 6 &&
                      attr_float(op->after, "offset") == 3;
    return usual ? HARD_SWISH : BLOCKED_ACTIVATIONS;
}

static int convolve(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "Input"), *w = need_input(run, op, "Filter"), *bias = find_input(run, op, "Bias");
    if (!x || !w) return -1;
    tensor_t image = *x, y, repeated;
    const int plain = x->ndim == 4, act = blocked_activation(op);
    conv_t q;
    if (!plain) {
        const index_t channels = w->ndim == 4 ? w->dims[1] * (index_t)attr_int(op, "groups") : 0;
        if (check_blocks(x, op->in_grid && x->dtype == TYPE_UINT8 ? TYPE_UINT8 : TYPE_FLOAT32, channels)) return -1;
        image.ndim = 4;
        image.dtype = TYPE_FLOAT32;
        image.dims[1] = channels;
    }
    if (conv_sizes(op, &image, w, &q)) return -1;
    if (w->dtype != TYPE_FLOAT32 || !blocked_takes(&q) || (plain && q.g > 1)) return fail("a convolution of %td groups does not go with blocks", q.g);
    if (op->in_grid) return convolve_whole(run, op, &q, x, &y) ? -1 : give(run, op, "Output", &y);
    if (bias && (bias->size != q.o || bias->dtype != TYPE_FLOAT32)) return fail("Bias must have %td elements of type float32", q.o);
    if (make(run, &y, TYPE_FLOAT32, 5, (index_t[]){q.n, blocks_of(q.o), q.oh, q.ow, BLOCK})) return -1;
    const void *residual;
    const tensor_t *ready = find_input(run, op, SLOT_READY);
    int status = conv_residual(run, op, &y, &repeated, &residual);
    if (!status && y.size && !x->size) status = fail("a convolution over no channels is not supported");
    if (!status && y.size) {
        blocked_conv_t b = {.x = x->data, .plain = plain, .bias = bias ? bias->data : NULL, .residual = residual,
                            .act = act < BLOCKED_ACTIVATIONS ? act : 0, .y = y.data};
        if (ready && DISPATCH(f32, blocked_fits, &q, plain, ready->data, ready->size)) b.ready = ready->data;
        if (blocked_run(&q, &b, w->data)) status = fail_memory();
    }
    tensor_drop(&repeated);
    if (!status && act == BLOCKED_ACTIVATIONS) status = apply_activation(op, &y);
    return finish(run, op, "Output", &y, status);
}

int blocked_ready(const op_t *op, const var_t *x, const tensor_t *w, int plain, tensor_t *ready) {
    tensor_t image = {.dtype = w->dtype, .ndim = 4, .dims = {1, w->dims[1] * (index_t)attr_int(op, "groups"), 64, 64}};
    for (int i = 2; i < 4 && x->ndim == 4; i++)
        if (x->dims[i] > 0 && x->dims[i] <= 4096) image.dims[i] = x->dims[i]; /* else one of many sizes: a usual one */
    conv_t q;
    if (conv_sizes(op, &image, w, &q) || q.oh < 1 || q.ow < 1) { /* it says so again when it is run */
        clear_error();
        return 0;
    }
    const int kind = DISPATCH(f32, blocked_kind, &q, plain);
    index_t size = DISPATCH(f32, blocked_ready_size, &q, kind);
    if (tensor_new(NULL, ready, TYPE_FLOAT32, 1, &size)) return -1;
    if (!DISPATCH(f32, blocked_prepare, &q, plain, kind, w->data, ready->data)) return 1;
    tensor_drop(ready);
    return fail_memory();
}

/* ---- factors of channels ---- */

/* A product one of whose operands has a number for each image and channel; of other sizes it is like any other. */
static int scale(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *y = need_input(run, op, "Y");
    if (!x || !y) return -1;
    const tensor_t *image = x->size >= y->size ? x : y, *factor = image == x ? y : x;
    const int fits = image->ndim == 5 && factor->ndim == 5 && image->dtype == TYPE_FLOAT32 && factor->dtype == TYPE_FLOAT32 &&
                     image->dims[4] == BLOCK && factor->size == image->dims[0] * image->dims[1] * BLOCK && factor->dims[0] == image->dims[0] &&
                     factor->dims[1] == image->dims[1] && factor->dims[4] == BLOCK && image->size && !op->relu;
    tensor_t z;
    if (!fits) return find_operator(op->type)->run(run, op);
    if (make_like(run, &z, image)) return -1;
    int status = DISPATCH(f32, blocked_scale, image->dims[0] * image->dims[1], image->dims[2] * image->dims[3], image->data, factor->data, z.data);
    if (!status) status = apply_activation(op, &z);
    return finish(run, op, "Out", &z, status);
}

OPERATOR_TABLE(blocked) = {{"@to_blocks", to_blocks, 0}, {"@from_blocks", from_blocks, 0}, {"@conv", convolve, 0}, {"@scale", scale, 0}, {0}};

/* Numbers on a grid of 2^bits steps: rounded to it, and back. */
#include <math.h>

#include "run.h"

/* The largest step: 127 for 8 bits. */
static int read_limit(const op_t *op, double *limit) {
    int64_t bits = attr_int(op, "bit_length");
    if (bits < 2 || bits > 16) return fail("bit_length must be from 2 to 16, not %lld", (long long)bits);
    *limit = (double)((1 << (bits - 1)) - 1);
    return 0;
}

/* Which number of `scale` belongs to element i: elements per number, and how many numbers there are. */
static int read_scale(const op_t *op, const tensor_t *x, const tensor_t *scale, index_t *inner, index_t *count) {
    *inner = 1;
    *count = scale->size;
    if (scale->size == 1) return 0;
    int axis = read_axis(attr_int(op, "quant_axis"), x->ndim, 0);
    if (axis < 0) return -1;
    if (scale->size != x->dims[axis]) return fail("Scale has %td numbers for %td slices", scale->size, x->dims[axis]);
    *inner = span(x, axis + 1, x->ndim);
    return 0;
}

static int quantize_linear(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *scale = x ? need_input(run, op, "Scale") : NULL, *zero = find_input(run, op, "ZeroPoint");
    index_t inner, count;
    double limit = 127;
    tensor_t y;
    if (!scale || check_float(x, "X") || read_limit(op, &limit) || read_scale(op, x, scale, &inner, &count) || make_like(run, &y, x)) return -1;
    for (index_t i = 0; i < x->size; i++) {
        index_t k = i / inner % count;
        double size = tensor_number(scale, k), shift = zero && zero->size == scale->size ? tensor_number(zero, k) : 0;
        double step = x->dtype == TYPE_FLOAT32 ? (double)rintf(((const float *)x->data)[i] / (float)(size == 0 ? 1e-30 : size) * (float)limit)
                                               : rint(tensor_number(x, i) / (size == 0 ? 1e-30 : size) * limit);
        tensor_set(&y, i, fmin(fmax(step + shift, -limit - 1), limit));
    }
    return give(run, op, "Y", &y);
}

static int dequantize_linear(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *scale = x ? need_input(run, op, "Scale") : NULL, *zero = find_input(run, op, "ZeroPoint");
    index_t inner, count;
    double limit = 127;
    tensor_t y;
    if (!scale || read_limit(op, &limit) || read_scale(op, x, scale, &inner, &count)) return -1;
    if (make(run, &y, type_is_float(x->dtype) ? x->dtype : scale->dtype, x->ndim, x->dims)) return -1;
    for (index_t i = 0; i < x->size; i++) {
        index_t k = i / inner % count;
        double shift = zero && zero->size == scale->size ? tensor_number(zero, k) : 0;
        tensor_set(&y, i, (tensor_number(x, i) - shift) * (double)(float)(tensor_number(scale, k) / limit));
    }
    return give(run, op, "Y", &y);
}

static int fake_quantize(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *scale = x ? need_input(run, op, "InScale") : NULL;
    double limit = 127;
    tensor_t y, same;
    if (!scale || check_float(x, "X") || read_limit(op, &limit)) return -1;
    if (!attr_bool(op, "is_test")) return fail("the moving scale is for training; export the model in evaluation mode");
    if (scale->size != 1) return fail("InScale must be one number");
    if (make_like(run, &y, x)) return -1;
    double size = tensor_number(scale, 0);
    if (size == 0) size = 1e-30;
    for (index_t i = 0; i < x->size; i++) {
        double value = fmin(fmax(tensor_number(x, i), -size), size) * (limit / size);
        tensor_set(&y, i, round(value) * (size / limit));
    }
    static const char *const kept[][2] = {{"InScale", "OutScale"}, {"InState", "OutState"}, {"InAccum", "OutAccum"}};
    for (int i = 0; i < 3; i++) {
        const tensor_t *given = find_input(run, op, kept[i][0]);
        if (!given) continue;
        same = tensor_share(given);
        give(run, op, kept[i][1], &same);
    }
    return give(run, op, "Out", &y);
}

OPERATOR_TABLE(quantization) = {
    {"quantize_linear", quantize_linear, 0}, {"dequantize_linear", dequantize_linear, 0},
    {"fake_quantize_dequantize_moving_average_abs_max", fake_quantize, 0}, {0}};

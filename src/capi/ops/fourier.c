/* Fourier transforms along axes, and frames of signals. */
#include "fourier.h"

#include <math.h>

#include "sizes.h"

/* y = x transformed along an axis; x keeps it or gets a new size n there, of which `to` places of type `dtype` are wanted. y may be x, which
 * keeps size and type then. */
static int transform_axis(run_t *run, const op_t *op, const tensor_t *x, int axis, index_t n, index_t to, dtype_t dtype, tensor_t *y) {
    const char *norm = attr_text(op, "normalization");
    const int inverse = !attr_bool(op, "forward"), ortho = !strcmp(norm, "ortho"), behind = !strcmp(norm, inverse ? "backward" : "forward");
    if (!ortho && !behind && strcmp(norm, inverse ? "forward" : "backward")) return fail("there is no normalization %s", norm);
    if (n < 1 || n > FOURIER_MOST) return fail("%td numbers can't be transformed", n);
    sizes_t old = sizes_of(x), sizes;
    if (y != x && (size_with_size(&old, axis, to, &sizes) || make_sized(run, y, dtype, &sizes))) return -1;
    fourier_t t = {.x = x->data, .y = y->data, .outer = span(x, 0, axis), .inner = span(x, axis + 1, x->ndim), .n = n, .from = x->dims[axis], .to = to,
                   .single = type_size(dtype) == (type_is_float(dtype) ? 4 : 8), .real_x = type_is_float(x->dtype), .real_y = type_is_float(dtype),
                   .inverse = inverse, .scale = ortho ? 1 / sqrt((double)n) : behind ? 1 / (double)n : 1};
    if (!fourier_transform(&t)) return 0;
    if (y != x) tensor_drop(y);
    return fail_memory();
}

/* Complex x along `count` axes; takes x, and writes over it if nobody else has it. */
static int transform_axes(run_t *run, const op_t *op, tensor_t *x, int own, const int *axes, int count, tensor_t *y) {
    *y = *x;
    for (int i = count - 1; i >= 0; i--, own = 1) {
        tensor_t before = *y;
        int status = transform_axis(run, op, own ? y : &before, axes[i], before.dims[axes[i]], before.dims[axes[i]], before.dtype, y);
        if (!own || status) tensor_drop(&before);
        if (status) return -1;
    }
    return 0;
}

/* How many axes there are, or -1. */
static int read_axes(const op_t *op, const tensor_t *x, int least, int *axes) {
    int64_t given[MAX_DIMS];
    int count = attr_ints(op, "axes", given, MAX_DIMS);
    for (int i = 0; i < count; i++)
        if ((axes[i] = read_axis(given[i], x->ndim, 0)) < 0) return -1;
    return count >= 0 && count < least ? fail("axes must name one") : count;
}

static int to_complex(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    int axes[MAX_DIMS], count = x ? read_axes(op, x, 1, axes) : -1;
    tensor_t half, y;
    if (count < 0 || check_float(x, "X")) return -1;
    const index_t n = x->dims[axes[count - 1]];
    if (transform_axis(run, op, x, axes[count - 1], n, attr_bool(op, "onesided") ? n / 2 + 1 : n,
                       x->dtype == TYPE_FLOAT32 ? TYPE_COMPLEX64 : TYPE_COMPLEX128, &half))
        return -1;
    return transform_axes(run, op, &half, 1, axes, count - 1, &y) ? -1 : give(run, op, "Out", &y);
}

static const tensor_t *complex_input(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    if (!x || type_is_complex(x->dtype)) return x;
    fail("X must be complex64 or complex128, not %s", type_name(x->dtype));
    return NULL;
}

static int among_complex(run_t *run, const op_t *op) {
    const tensor_t *x = complex_input(run, op);
    int axes[MAX_DIMS], count = x ? read_axes(op, x, 0, axes) : -1;
    tensor_t y;
    if (count < 0) return -1;
    tensor_t own = tensor_share(x);
    return transform_axes(run, op, &own, 0, axes, count, &y) ? -1 : give(run, op, "Out", &y);
}

static int to_real(run_t *run, const op_t *op) {
    const tensor_t *x = complex_input(run, op);
    int axes[MAX_DIMS], count = x ? read_axes(op, x, 1, axes) : -1;
    tensor_t others, y;
    if (count < 0) return -1;
    const int last = axes[count - 1];
    const int64_t size = attr_int(op, "last_dim_size");
    tensor_t own = tensor_share(x);
    if (transform_axes(run, op, &own, 0, axes, count - 1, &others)) return -1;
    const index_t n = size ? (index_t)size : 2 * (others.dims[last] - 1);
    int status = transform_axis(run, op, &others, last, n, n, others.dtype == TYPE_COMPLEX64 ? TYPE_FLOAT32 : TYPE_FLOAT64, &y);
    tensor_drop(&others);
    return status ? -1 : give(run, op, "Out", &y);
}

/* ---- frames ---- */

/* 0, or the last axis of x; -1 with a message. */
static int frame_axis(const op_t *op, const tensor_t *x, int least) {
    const int64_t axis = attr_int(op, "axis");
    if ((axis != 0 && axis != -1) || x->ndim < least) return fail("axis must be 0 or -1 of a tensor of at least %d axes", least);
    return axis ? x->ndim - 1 : 0;
}

/* Numbers i of all frames, one after the other, are every hop-th of a signal; each is so many of a type. */
#define SPREAD(type, each)                                                                    \
    for (index_t k = 0; k < outer; k++)                                                       \
        for (index_t i = 0; i < length; i++) {                                                \
            const type *from = (const type *)x->data + (size_t)(k * size + i) * (each);       \
            type *to = (type *)y.data + (size_t)((k * length + i) * count) * (each);          \
            for (index_t f = 0; f < count; f++, to += (each))                                 \
                for (size_t part = 0; part < (each); part++)                                  \
                    to[part] = from[(size_t)(f * hop) * (each) + part];                       \
        }

/* A place's frames are added one after the other, whichever way they lie. */
#define COLLECT(type)                                                                 \
    for (index_t k = 0; last && k < outer; k++)                                       \
        for (index_t i = length - 1; i >= 0; i--) {                                   \
            const type *from = (const type *)x->data + (k * length + i) * count;      \
            type *to = (type *)y.data + k * whole + i;                                \
            for (index_t f = 0; f < count; f++) to[f * hop] += from[f];               \
        }                                                                             \
    for (index_t f = 0; !last && f < count; f++) {                                    \
        const type *from = (const type *)x->data + f * length * inner;                \
        type *to = (type *)y.data + f * hop * inner;                                  \
        for (index_t i = 0; i < length * inner; i++) to[i] += from[i];                \
    }

/* Pieces of a signal: [..., length, frames], or [frames, length, ...] along the first axis. */
static int frame(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    const index_t length = (index_t)attr_int(op, "frame_length"), hop = (index_t)attr_int(op, "hop_length");
    tensor_t y;
    int axis = x ? frame_axis(op, x, 1) : -1;
    if (axis < 0) return -1;
    if (length < 1 || hop < 1 || length > x->dims[axis]) return fail("frames of %td numbers every %td don't fit %td", length, hop, x->dims[axis]);
    const int last = attr_int(op, "axis") != 0;
    const index_t count = size_window_count(x->dims[axis], length, hop, 0, 0, 1);
    sizes_t old = sizes_of(x), counted, sizes;
    if (size_with_size(&old, axis, count, &counted) || size_with_axis(&counted, last ? axis : 1, length, &sizes) || make_sized(run, &y, x->dtype, &sizes)) return -1;
    const index_t outer = last ? span(x, 0, axis) : 1, size = x->dims[axis];
    const size_t item = (size_t)(last ? 1 : span(x, 1, x->ndim)) * type_size(x->dtype);
    if (!last)
        for (index_t f = 0; f < count; f++)
            memcpy((char *)y.data + (size_t)(f * length) * item, (const char *)x->data + (size_t)(f * hop) * item, (size_t)length * item);
    else if (item == 4) SPREAD(uint32_t, 1)
    else if (item == 8) SPREAD(uint64_t, 1)
    else SPREAD(uint8_t, item)
    return give(run, op, "Out", &y);
}

/* Frames added up at their places. */
static int overlap_add(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    const index_t hop = (index_t)attr_int(op, "hop_length");
    tensor_t y;
    int axis = x ? frame_axis(op, x, 2) : -1;
    if (axis < 0 || check_float(x, "X")) return -1;
    const int last = attr_int(op, "axis") != 0;
    const index_t count = x->dims[axis], length = x->dims[last ? axis - 1 : 1];
    if (hop < 1 || count < 1 || count > FOURIER_MOST || hop > FOURIER_MOST) return fail("%td frames can't be put at every %td", count, hop);
    sizes_t old = sizes_of(x), reduced, sizes;
    if (size_reduced(&old, &(sizes_t){1, {last ? axis - 1 : 1}}, 0, &reduced) ||
        size_with_size(&reduced, last ? axis - 1 : 0, (count - 1) * hop + length, &sizes) || make_sized(run, &y, x->dtype, &sizes))
        return -1;
    const index_t whole = (count - 1) * hop + length, outer = last ? span(x, 0, axis - 1) : 1, inner = last ? 1 : span(x, 2, x->ndim);
    memset(y.data, 0, (size_t)y.size * type_size(y.dtype));
    if (x->dtype == TYPE_FLOAT32) {
        COLLECT(float)
    } else {
        COLLECT(double)
    }
    return give(run, op, "Out", &y);
}

OPERATOR_TABLE(fourier) = {
    {"fft_r2c", to_complex, 0}, {"fft_c2c", among_complex, OPERATOR_COMPLEX}, {"fft_c2r", to_real, OPERATOR_COMPLEX},
    {"frame", frame, OPERATOR_COMPLEX}, {"overlap_add", overlap_add, 0}, {0}};

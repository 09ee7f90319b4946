/* Padding, rearrangements of images, and resizing. */
#include "small.h"

#include "sizes.h"

enum { PAD_CONSTANT, PAD_REFLECT, PAD_REPLICATE, PAD_CIRCULAR };

/* The place of x that a padded place shows; -1: the constant. */
static index_t source_place(index_t at, index_t n, int mode) {
    if (at >= 0 && at < n) return at;
    switch (mode) {
    case PAD_REFLECT:
        if (at < 0) at = -at;
        return at >= n ? 2 * (n - 1) - at : at;
    case PAD_REPLICATE: return at < 0 ? 0 : n - 1;
    case PAD_CIRCULAR: return ((at % n) + n) % n;
    default: return -1;
    }
}

/* Pad every axis by before[i] and after[i], which may be negative. */
static int pad_into(run_t *run, const tensor_t *x, const int64_t *before, const int64_t *after, int mode, double value, tensor_t *y) {
    const int64_t *tables[MAX_DIMS];
    for (int i = 0; i < x->ndim; i++) {
        if (before[i] < -x->dims[i] || after[i] < -x->dims[i] || before[i] > 0x7fffffff || after[i] > 0x7fffffff) return fail("axis %d can't be padded by %lld and %lld", i, (long long)before[i], (long long)after[i]);
        int64_t most = max_of(before[i], after[i]);
        if (mode == PAD_REFLECT && most >= x->dims[i]) return fail("reflection needs a padding smaller than the %td places of axis %d", x->dims[i], i);
        if (mode != PAD_CONSTANT && most > 0 && x->dims[i] == 0) return fail("axis %d has nothing to pad with", i);
    }
    sizes_t old = sizes_of(x), front = sizes_from(x->ndim, before), behind = sizes_from(x->ndim, after), sizes;
    if (size_padded(&old, &front, &behind, &sizes) || dims_size(sizes.count, sizes.at) < 0) return -1;
    size_t mark = scratch_mark();
    int status = 0;
    for (int i = 0; i < x->ndim && !status; i++) {
        int64_t *table = before[i] || after[i] ? scratch((size_t)sizes.at[i] * sizeof *table) : NULL;
        if ((before[i] || after[i]) && !table) status = fail_memory();
        for (index_t k = 0; table && k < sizes.at[i]; k++) table[k] = source_place(k - (index_t)before[i], x->dims[i], mode);
        tables[i] = table;
    }
    if (!status) status = remap_into(run, x, tables, sizes.at, value, y);
    scratch_release(mark);
    return status;
}

static int pad_mode(const char *name) {
    if (!strcmp(name, "reflect")) return PAD_REFLECT;
    if (!strcmp(name, "replicate") || !strcmp(name, "edge")) return PAD_REPLICATE;
    if (!strcmp(name, "circular")) return PAD_CIRCULAR;
    return !strcmp(name, "constant") ? PAD_CONSTANT : fail("there is no padding mode %s", name);
}

/* pad2d and pad3d: numbers for the spatial axes, the last axis first in pad3d. */
static int pad_image(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    int64_t given[6], before[MAX_DIMS] = {0}, after[MAX_DIMS] = {0};
    tensor_t y;
    if (!x) return -1;
    int cube = !strcmp(op->type, "pad3d"), spatial = cube ? 3 : 2;
    int count = read_ints(run, op, NULL, "Paddings", "paddings", given, 6), mode = pad_mode(attr_text(op, "mode"));
    if (count < 0 || mode < 0) return -1;
    if (x->ndim != spatial + 2 || count != 2 * spatial) return fail("X has %d axes and paddings %d numbers", x->ndim, count);
    const char *format = attr_text(op, "data_format");
    int first = format[0] && format[strlen(format) - 1] == 'C' ? 1 : 2;
    for (int i = 0; i < spatial; i++) {
        int axis = cube ? first + spatial - 1 - i : first + i;
        before[axis] = given[2 * i];
        after[axis] = given[2 * i + 1];
    }
    double value = attr_float(op, cube ? "value" : "pad_value");
    return pad_into(run, x, before, after, mode, value, &y) ? -1 : give(run, op, "Out", &y);
}

static int pad(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    int64_t given[2 * MAX_DIMS], before[MAX_DIMS], after[MAX_DIMS];
    tensor_t y;
    if (!x) return -1;
    int count = attr_ints(op, "paddings", given, 2 * MAX_DIMS);
    if (count < 0) return -1;
    if (count != 2 * x->ndim) return fail("paddings has %d numbers for %d axes", count, x->ndim);
    for (int i = 0; i < x->ndim; i++) before[i] = given[2 * i], after[i] = given[2 * i + 1];
    return pad_into(run, x, before, after, PAD_CONSTANT, attr_float(op, "pad_value"), &y) ? -1 : give(run, op, "Out", &y);
}

/* ---- channels ---- */

/* A view of six axes in another order. */
static int reorder(run_t *run, const op_t *op, const tensor_t *x, int ndim, const index_t *dims, const int *order, const index_t *result) {
    tensor_t view = *x, y;
    if (tensor_reshape(&view, ndim, dims) || transpose_into(run, &view, order, &y)) return -1;
    return finish(run, op, "Out", &y, tensor_reshape(&y, 4, result));
}

static int read_blocks(const op_t *op, const tensor_t *x, const char *attr, int64_t *r) {
    *r = attr_int(op, attr);
    if (x->ndim != 4) return fail("X must have 4 axes");
    if (*r < 1 || *r > 4096) return fail("%s can't be %lld", attr, (long long)*r);
    if (!strcmp(attr_text(op, "data_format"), "NHWC")) return fail("%s with channels last is not supported", op->type);
    return 0;
}

static int pixel_shuffle(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    int64_t r;
    if (!x || read_blocks(op, x, "upscale_factor", &r)) return -1;
    index_t n = x->dims[0], c = x->dims[1] / (index_t)(r * r), h = x->dims[2], w = x->dims[3], f = (index_t)r;
    return reorder(run, op, x, 6, (index_t[]){n, c, f, f, h, w}, (int[]){0, 1, 4, 2, 5, 3}, (index_t[]){n, c, h * f, w * f});
}

static int pixel_unshuffle(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    int64_t r;
    if (!x || read_blocks(op, x, "downscale_factor", &r)) return -1;
    index_t n = x->dims[0], c = x->dims[1], f = (index_t)r, h = x->dims[2] / f, w = x->dims[3] / f;
    return reorder(run, op, x, 6, (index_t[]){n, c, h, f, w, f}, (int[]){0, 1, 3, 5, 2, 4}, (index_t[]){n, c * f * f, h, w});
}

static int shuffle_channel(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    int64_t g;
    if (!x || read_blocks(op, x, !strcmp(op->type, "channel_shuffle") ? "groups" : "group", &g)) return -1;
    index_t n = x->dims[0], f = (index_t)g, c = x->dims[1] / f, area = x->dims[2] * x->dims[3];
    return reorder(run, op, x, 4, (index_t[]){n, f, c, area}, (int[]){0, 2, 1, 3}, (index_t[]){n, c * f, x->dims[2], x->dims[3]});
}

OPERATOR_TABLE(padding) = {
    {"pad3d", pad_image, 0}, {"pad2d", pad_image, 0}, {"pad", pad, OPERATOR_COMPLEX}, {"pixel_shuffle", pixel_shuffle, 0},
    {"pixel_unshuffle", pixel_unshuffle, 0}, {"shuffle_channel", shuffle_channel, 0}, {"channel_shuffle", shuffle_channel, 0}, {0}};

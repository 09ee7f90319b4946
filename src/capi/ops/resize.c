/* Resizing images: nearest, linear and cubic interpolation along one to three axes, one axis after the other. */
#include <math.h>
#include <stdlib.h>

#include "pick.h"
#include "resample.h"
#include "sizes.h"

enum method { NEAREST, LINEAR, CUBIC };

/* For each output place along an axis: places of the input, as many for each one, and their weights in the type of the data. */
typedef struct {
    int each;
    int64_t *starts, *index; /* those of place i from number starts[i] on */
    void *weight;
} taps_t;

static double near_weight(double t) { return ((-0.75 + 2) * t - (-0.75 + 3)) * t * t + 1; }
static double far_weight(double t) { return ((-0.75 * t + 5 * 0.75) * t - 8 * 0.75) * t + 4 * 0.75; }
static index_t clamp(index_t i, index_t n) { return i < 0 ? 0 : i >= n ? n - 1 : i; }

/* Positions are worked out in the type of the data: the last bit decides about a nearest place. */
static double in_type(double value, int single) { return single ? (double)(float)value : value; }

/* One place: up to four places of the input and their weights; how many. */
static int find_taps(enum method method, index_t i, index_t size, double ratio, int align, int64_t mode, int single, int64_t *at, double *weight) {
    if (method == NEAREST) {
        at[0] = clamp((index_t)in_type(in_type(ratio * (double)i, single) + (align ? 0.5 : 0), single), size), weight[0] = 1;
        return 1;
    }
    double source = align || (method == LINEAR && mode) ? in_type(ratio * (double)i, single)
                                                        : in_type(in_type(ratio * in_type((double)i + 0.5, single), single) - 0.5, single);
    if (method == LINEAR) {
        if (source < 0) source = 0;
        index_t low = min_of((index_t)source, size - 1);
        double share = low + 1 < size ? in_type(source - (double)low, single) : 0;
        at[0] = low, at[1] = min_of(low + 1, size - 1), weight[0] = 1 - share, weight[1] = share;
        return 2;
    }
    double first = floor(source), rest = in_type(source - first, single);
    weight[0] = far_weight(rest + 1), weight[1] = near_weight(rest), weight[2] = near_weight(1 - rest), weight[3] = far_weight(2 - rest);
    for (int k = 0; k < 4; k++) at[k] = clamp((index_t)first - 1 + k, size);
    return 4;
}

/* The taps of all places, in memory that begins at their starts. */
static int make_taps(const op_t *op, enum method method, index_t size, index_t out, double scale, int single, taps_t *t) {
    const int align = attr_bool(op, "align_corners");
    const int64_t mode = attr_int(op, "align_mode");
    const double ratio = out <= 1 ? 0  /* a single cell is taken from the first one */
                         : align ? in_type((double)(size - 1) / (double)(out - 1), single)
                                 : in_type(scale > 0 ? 1 / scale : (double)size / (double)out, single);
    t->each = method == NEAREST ? 1 : method == LINEAR ? 2 : 4;
    const size_t all = (size_t)out * (size_t)t->each;
    t->starts = malloc(((size_t)out + 1) * sizeof *t->starts + all * (sizeof *t->index + sizeof(double)));
    if (!t->starts) return fail_memory();
    t->index = t->starts + out + 1;
    t->weight = t->index + all;
    for (index_t i = 0; i <= out; i++) t->starts[i] = i * t->each;
    for (index_t i = 0; i < out; i++) {
        double weight[4];
        find_taps(method, i, size, ratio, align, mode, single, t->index + i * t->each, weight);
        for (int k = 0; k < t->each; k++)
            if (single) ((float *)t->weight)[i * t->each + k] = (float)weight[k];
            else ((double *)t->weight)[i * t->each + k] = weight[k];
    }
    return 0;
}

/* One axis, by the kernels of sums with weights and of elements by ids, which training has, too. */
static int resize_axis(run_t *run, const tensor_t *x, int axis, index_t out, const taps_t *taps, tensor_t *y) {
    const index_t outer = span(x, 0, axis), n = x->dims[axis], inner = span(x, axis + 1, x->ndim);
    sizes_t old = sizes_of(x), sizes;
    if (size_with_size(&old, axis, out, &sizes) || make_sized(run, y, x->dtype, &sizes)) return -1;
    if (!y->size) return 0;
    if (taps->each == 1) {
        take_t t = {.outer = outer, .size = n, .inner = inner * (index_t)type_size(x->dtype), .count = out, .x = x->data, .y = y->data,
                    .ids = taps->index, .wide_ids = 1, .padding = -1};
        take_run(&t);
        return 0;
    }
    const resample_t r = {outer, n, inner, out, taps->starts, taps->index, taps->weight, x->data, y->data};
    if (DISPATCH_TYPE(x->dtype, resample_run, &r) == NATIVE_OK) return 0;
    tensor_drop(y);
    return fail_memory();
}

/* Sizes of the result, and scales (0: cells are as far apart as the sizes say): by a list of tensors, or by scales, which a tensor of
 * sizes goes before, or by numbers. Operators of 1.x leave the scales aside once the sizes are known. */
static int read_sizes(run_t *run, const op_t *op, const index_t *size, int n, index_t *out, double *scale) {
    static const char *const names[] = {"out_d", "out_h", "out_w"};
    const slot_t *list = find_in(op, "SizeTensor");
    const tensor_t *factors = find_input(run, op, "Scale");
    const attr_t *attr = find_attr(op, "scale");
    int64_t given[3];
    int count = read_ints(run, op, "SizeTensor", "OutSize", "none", given, 3);
    index_t all = list && list->count ? 0 : factors ? factors->size : attr && !(attr->count == 1 && attr->floats[0] == 0) ? attr->count : 0;
    if (count < 0) return -1;
    if (count && count != n) return fail("%d sizes are given for %d axes", count, n);
    if (all && all != 1 && all != n) return fail("%td scales are given for %d axes", all, n);
    for (int i = 0; i < n; i++) {
        scale[i] = !all ? 0 : factors ? tensor_number(factors, all == 1 ? 0 : i) : attr->floats[all == 1 ? 0 : i];
        if (all && (!(scale[i] > 0) || !(scale[i] * (double)size[i] < 1e9))) return fail("a scale of %g can't be used", scale[i]);
        out[i] = count ? (index_t)given[i] : all ? (index_t)(scale[i] * (double)size[i]) : (index_t)attr_int(op, names[3 - n + i]);
        if (out[i] < 1 || out[i] > 0x7fffffff) return fail("an image can't be resized to %td", out[i]);
        if (op->type[strlen(op->type) - 1] == 'p') scale[i] = 0; /* without _v2 */
    }
    return 0;
}

static int resize(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    tensor_t y, next;
    index_t out[3], cells = 1, more = 1;
    double scale[3];
    if (!x) return -1;
    const char kind = op->type[0], *format = attr_text(op, "data_layout"); /* nearest, linear, bilinear, bicubic, trilinear */
    const enum method method = kind == 'n' ? NEAREST : !strncmp(op->type, "bicubic", 7) ? CUBIC : LINEAR;
    const int n = x->ndim - 2, first = format[0] && format[strlen(format) - 1] == 'C' ? 1 : 2, only = kind == 'l' ? 1 : kind == 'b' ? 2 : kind == 't' ? 3 : n;
    if (method != NEAREST && check_float(x, "X")) return -1;
    if (n < 1 || n > 3) return fail("X must have 3 to 5 axes, not %d", x->ndim);
    if (n != only) return fail("X must have %d axes, not %d", only + 2, x->ndim);
    for (int i = 0; i < n; i++)
        if (x->dims[first + i] < 1) return fail("X has no pixels");
    if (read_sizes(run, op, x->dims + first, n, out, scale)) return -1;
    for (int i = 0; i < n; i++) cells *= x->dims[first + i], more = more > (index_t)1 << 40 ? more : more * out[i];
    y = tensor_share(x);
    for (int i = 0; i < n; i++) {
        const int k = more > cells ? n - 1 - i : i; /* along rows while they are short */
        taps_t taps = {0};
        int status = make_taps(op, method, x->dims[first + k], out[k], scale[k], x->dtype != TYPE_FLOAT64, &taps);
        if (!status) {
            status = resize_axis(run, &y, first + k, out[k], &taps, &next);
            free(taps.starts);
        }
        tensor_drop(&y);
        if (status) return -1;
        y = next;
    }
    return give(run, op, "Out", &y);
}

OPERATOR_TABLE(resize) = {
    {"nearest_interp_v2", resize, 0}, {"bilinear_interp_v2", resize, 0}, {"bicubic_interp_v2", resize, 0}, {"linear_interp_v2", resize, 0},
    {"trilinear_interp_v2", resize, 0}, {"nearest_interp", resize, 0}, {"bilinear_interp", resize, 0},
    {"linear_interp", resize, 0}, {"trilinear_interp", resize, 0}, {"bicubic_interp", resize, 0}, {0}};

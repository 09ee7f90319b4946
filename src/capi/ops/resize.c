/* Resizing images: nearest, linear and cubic interpolation along one to three axes, one axis after the other. */
#include <math.h>
#include <stdlib.h>

#include "resample.h"
#include "sizes.h"

enum method { NEAREST, LINEAR, CUBIC };

/* For each output place along an axis: up to four places of the input and their weights. */
typedef struct {
    int count;
    index_t at[4];
    double weight[4];
} taps_t;

static double near_weight(double t) { return ((-0.75 + 2) * t - (-0.75 + 3)) * t * t + 1; }
static double far_weight(double t) { return ((-0.75 * t + 5 * 0.75) * t - 8 * 0.75) * t + 4 * 0.75; }
static index_t clamp(index_t i, index_t n) { return i < 0 ? 0 : i >= n ? n - 1 : i; }

/* Positions are worked out in the type of the data: the last bit decides about a nearest place. */
static double in_type(double value, int single) { return single ? (double)(float)value : value; }

static taps_t find_taps(enum method method, index_t i, index_t size, double ratio, int align, int64_t mode, int single) {
    taps_t t = {.count = 1, .weight = {1}};
    if (method == NEAREST) {
        t.at[0] = clamp((index_t)in_type(in_type(ratio * (double)i, single) + (align ? 0.5 : 0), single), size);
        return t;
    }
    double source = align || (method == LINEAR && mode) ? in_type(ratio * (double)i, single)
                                                        : in_type(in_type(ratio * in_type((double)i + 0.5, single), single) - 0.5, single);
    if (method == LINEAR) {
        if (source < 0) source = 0;
        index_t low = min_of((index_t)source, size - 1);
        double share = low + 1 < size ? in_type(source - (double)low, single) : 0;
        return (taps_t){.count = 2, .at = {low, min_of(low + 1, size - 1)}, .weight = {1 - share, share}};
    }
    double first = floor(source), rest = in_type(source - first, single);
    t = (taps_t){.count = 4, .weight = {far_weight(rest + 1), near_weight(rest), near_weight(1 - rest), far_weight(2 - rest)}};
    for (int k = 0; k < 4; k++) t.at[k] = clamp((index_t)first - 1 + k, size);
    return t;
}

/* Weighted sums of floats along an axis, by the kernel that training has, too. */
static int mix_floats(const tensor_t *x, index_t outer, index_t n, index_t inner, index_t out, const taps_t *taps, tensor_t *y) {
    const index_t each = taps[0].count;
    int64_t *starts = malloc((size_t)(out + 1 + out * each) * sizeof *starts), *index = starts + out + 1;
    float *weight = malloc((size_t)(out * each) * sizeof *weight);
    int status = starts && weight ? 0 : fail_memory();
    for (index_t i = 0; !status && i <= out; i++) starts[i] = i * each;
    for (index_t k = 0; !status && k < out * each; k++)
        index[k] = taps[k / each].at[k % each], weight[k] = (float)taps[k / each].weight[k % each];
    const resample_t r = {outer, n, inner, out, starts, index, weight, x->data, y->data};
    if (!status && y->size) status = DISPATCH(f32, resample_run, &r) == NATIVE_OK ? 0 : fail_memory();
    free(starts);
    free(weight);
    return status;
}

static int resize_axis(run_t *run, const tensor_t *x, int axis, index_t out, const taps_t *taps, tensor_t *y) {
    index_t outer = span(x, 0, axis), n = x->dims[axis], inner = span(x, axis + 1, x->ndim);
    sizes_t old = sizes_of(x), sizes;
    if (size_with_size(&old, axis, out, &sizes) || make_sized(run, y, x->dtype, &sizes)) return -1;
    if (x->dtype == TYPE_FLOAT32 && taps[0].count > 1) {
        if (!mix_floats(x, outer, n, inner, out, taps, y)) return 0;
        tensor_drop(y);
        return -1;
    }
    size_t line = (size_t)inner * type_size(x->dtype);
    for (index_t k = 0; k < outer; k++)
        for (index_t i = 0; i < out; i++) {
            const taps_t *t = &taps[i];
            index_t to = (k * out + i) * inner;
            if (t->count == 1) {
                memcpy((char *)y->data + (size_t)to * type_size(x->dtype), (const char *)x->data + (size_t)(k * n + t->at[0]) * line, line);
                continue;
            }
            for (index_t j = 0; j < inner; j++) {
                double sum = 0;
                for (int m = 0; m < t->count; m++) sum += tensor_number(x, (k * n + t->at[m]) * inner + j) * t->weight[m];
                tensor_set(y, to + j, sum);
            }
        }
    return 0;
}

/* Sizes of the result, and scales (0 where a size was given). */
static int read_sizes(run_t *run, const op_t *op, const index_t *size, int n, index_t *out, double *scale) {
    int64_t given[3];
    int count = read_ints(run, op, "SizeTensor", "OutSize", "none", given, 3);
    if (count < 0) return -1;
    const tensor_t *factors = find_input(run, op, "Scale");
    const attr_t *attr = find_attr(op, "scale");
    for (int i = 0; i < n; i++) {
        static const char *const names[] = {"out_d", "out_h", "out_w"};
        index_t all = factors ? factors->size : attr ? attr->count : 0;
        scale[i] = 0;
        if (count == n) out[i] = (index_t)given[i];
        else if (count) return fail("%d sizes are given for %d axes", count, n);
        else if (all == 1 || all == n) {
            index_t k = all == 1 ? 0 : i;
            scale[i] = factors ? tensor_number(factors, k) : attr->floats[k];
            if (!(scale[i] > 0) && !factors && attr->count == 1 && attr->floats[0] == 0) all = 0, scale[i] = 0;
            else if (!(scale[i] > 0) || !(scale[i] * (double)size[i] < 1e9)) return fail("a scale of %g can't be used", scale[i]);
            else out[i] = (index_t)(scale[i] * (double)size[i]);
        }
        if (!count && scale[i] == 0) out[i] = (index_t)attr_int(op, names[3 - n + i]);
        if (out[i] < 1 || out[i] > 0x7fffffff) return fail("an image can't be resized to %td", out[i]);
    }
    return 0;
}

static int resize_first(run_t *run, const op_t *op, const tensor_t *x, enum method method, tensor_t *y) {
    int n = x->ndim - 2, align = attr_bool(op, "align_corners"), single = x->dtype != TYPE_FLOAT64;
    index_t out[3];
    double scale[3];
    if (n < 1 || n > 3) return fail("X must have 3 to 5 axes, not %d", x->ndim);
    for (int i = 0; i < n; i++)
        if (x->dims[2 + i] < 1) return fail("X has no pixels");
    if (read_sizes(run, op, x->dims + 2, n, out, scale)) return -1;
    *y = tensor_share(x);
    for (int i = 0; i < n; i++) {
        index_t size = x->dims[2 + i];
        double ratio = out[i] <= 1 ? 0  /* a single cell is taken from the first one */
                       : align ? in_type((double)(size - 1) / (double)(out[i] - 1), single)
                               : in_type(scale[i] > 0 ? 1 / scale[i] : (double)size / (double)out[i], single);
        taps_t *taps = malloc((size_t)out[i] * sizeof *taps);
        tensor_t next;
        int status = taps ? 0 : fail_memory();
        for (index_t k = 0; taps && k < out[i]; k++) taps[k] = find_taps(method, k, size, ratio, align, attr_int(op, "align_mode"), single);
        if (!status) status = resize_axis(run, y, 2 + i, out[i], taps, &next);
        free(taps);
        tensor_drop(y);
        if (status) return -1;
        *y = next;
    }
    return 0;
}

static int resize(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    tensor_t y, z, swapped;
    if (!x) return -1;
    enum method method = !strncmp(op->type, "nearest", 7) ? NEAREST : !strncmp(op->type, "bicubic", 7) ? CUBIC : LINEAR;
    if (method != NEAREST && check_float(x, "X")) return -1;
    const char *format = attr_text(op, "data_layout");
    if (!format[0] || format[strlen(format) - 1] != 'C') return resize_first(run, op, x, method, &y) ? -1 : give(run, op, "Out", &y);
    int first[MAX_DIMS] = {0, x->ndim - 1}, last[MAX_DIMS] = {0};
    if (x->ndim < 3 || x->ndim > 5) return fail("X must have 3 to 5 axes, not %d", x->ndim);
    for (int i = 0; i < x->ndim - 2; i++) first[2 + i] = 1 + i, last[1 + i] = 2 + i;
    last[x->ndim - 1] = 1;
    if (transpose_into(run, x, first, &swapped)) return -1;
    int status = resize_first(run, op, &swapped, method, &y);
    tensor_drop(&swapped);
    if (status) return -1;
    status = transpose_into(run, &y, last, &z);
    tensor_drop(&y);
    return status ? -1 : give(run, op, "Out", &z);
}

OPERATOR_TABLE(resize) = {
    {"nearest_interp_v2", resize, 0}, {"bilinear_interp_v2", resize, 0}, {"bicubic_interp_v2", resize, 0}, {"linear_interp_v2", resize, 0},
    {"trilinear_interp_v2", resize, 0}, {"nearest_interp", resize, 0}, {"bilinear_interp", resize, 0},
    {"linear_interp", resize, 0}, {"trilinear_interp", resize, 0}, {"bicubic_interp", resize, 0}, {0}};

/* Windows of images as columns of a matrix, and channels that are moved or joined: unfold, fold, deformable convolution, maxout. */
#include "formula.h"
#include "geometry.h"
#include "images.h"
#include "sizes.h"
#include "thresholds.h"

/* kernel_sizes, strides, dilations and paddings (top, left, bottom, right, or one number for both sides) of columns. */
static int read_columns(const op_t *op, index_t h, index_t w, window_t *window, index_t *outs) {
    int64_t kernel[2], stride[2], dilation[2], padding[4];
    int count = attr_ints(op, "paddings", padding, 4);
    if (attr_ints(op, "kernel_sizes", kernel, 2) != 2 || attr_ints(op, "strides", stride, 2) != 2 || attr_ints(op, "dilations", dilation, 2) != 2 ||
        (count != 2 && count != 4))
        return fail("kernel_sizes, strides and dilations must be 2 numbers, paddings 2 or 4");
    if (count == 2) padding[2] = padding[0], padding[3] = padding[1];
    index_t image[] = {h, w};
    *window = (window_t){.spatial = 2};
    for (int i = 0; i < 2; i++) {
        int64_t most = 1 << 24;
        if (kernel[i] < 1 || stride[i] < 1 || dilation[i] < 1 || padding[i] < 0 || padding[2 + i] < 0 || kernel[i] > most || stride[i] > most ||
            dilation[i] > most || padding[i] > most || padding[2 + i] > most)
            return fail("the windows' sizes can't be used");
        window->kernel[i] = (index_t)kernel[i], window->stride[i] = (index_t)stride[i], window->dilation[i] = (index_t)dilation[i];
        window->padding[2 * i] = (index_t)padding[i], window->padding[2 * i + 1] = (index_t)padding[2 + i];
        if ((outs[i] = window_outputs(window, i, image[i])) < 0) return -1;
    }
    return 0;
}

/* Columns [planes, cells, places] of planes [h, w], or the other way. */
typedef struct {
    const window_t *window;
    const index_t *outs;
    index_t h, w, planes;
    const char *x;
    char *y;
    size_t item;
} columns_t;

/* Row r of the windows as cell `cell` sees it: the row of the image (-1: outside), and which windows (from, to) lie inside with what
 * column of the image first. */
static index_t row_under(const columns_t *t, index_t cell, index_t r, index_t *from, index_t *to, index_t *column) {
    const window_t *window = t->window;
    index_t row = r * window->stride[0] - window->padding[0] + cell / window->kernel[1] * window->dilation[0];
    index_t shift = cell % window->kernel[1] * window->dilation[1] - window->padding[2], stride = window->stride[1];
    *from = shift < 0 ? min_of(ceil_div(-shift, stride), t->outs[1]) : 0;
    *to = shift < t->w ? max_of(*from, min_of(t->outs[1], ceil_div(t->w - shift, stride))) : *from;
    *column = *from * stride + shift;
    return row < 0 || row >= t->h ? -1 : row;
}

#define TAKE_ROW(T)                                                                                               \
    for (index_t k = from; k < to; k++) ((T *)y)[k] = ((const T *)x)[column + (k - from) * stride];               \
    break

static int unfold_range(void *context, index_t begin, index_t end) {
    const columns_t *t = context;
    const index_t cells = t->window->kernel[0] * t->window->kernel[1], rows = t->outs[0], n = t->outs[1], stride = t->window->stride[1];
    const size_t item = t->item;
    for (index_t i = begin; i < end; i++) /* one cell of one plane */
        for (index_t r = 0; r < rows; r++) {
            char *y = t->y + (size_t)((i * rows + r) * n) * item;
            index_t from, to, column, row = row_under(t, i % cells, r, &from, &to, &column);
            const char *x = t->x + (size_t)((i / cells * t->h + max_of(row, 0)) * t->w) * item;
            if (row < 0) from = to = 0;
            memset(y, 0, (size_t)from * item);
            memset(y + (size_t)to * item, 0, (size_t)(n - to) * item);
            if (stride == 1) {
                memcpy(y + (size_t)from * item, x + column * (index_t)item * (from < to), (size_t)(to - from) * item);
                continue;
            }
            switch (item) {
            case 1: TAKE_ROW(uint8_t);
            case 2: TAKE_ROW(uint16_t);
            case 4: TAKE_ROW(uint32_t);
            default: TAKE_ROW(uint64_t);
            }
        }
    return NATIVE_OK;
}

#define FOLD_RANGE(T)                                                                                                      \
    LOOPS static int fold_range_##T(void *context, index_t begin, index_t end) {                                                \
        const columns_t *t = context;                                                                                      \
        const index_t cells = t->window->kernel[0] * t->window->kernel[1], rows = t->outs[0], n = t->outs[1], stride = t->window->stride[1]; \
        memset((T *)t->y + begin * t->h * t->w, 0, (size_t)((end - begin) * t->h * t->w) * sizeof(T));                    \
        for (index_t i = begin * cells; i < end * cells; i++)                                                              \
            for (index_t r = 0; r < rows; r++) {                                                                           \
                const T *x = (const T *)t->x + (i * rows + r) * n;                                                         \
                index_t from, to, column, row = row_under(t, i % cells, r, &from, &to, &column);                           \
                T *y = (T *)t->y + (i / cells * t->h + max_of(row, 0)) * t->w + column;                                    \
                if (row < 0) continue;                                                                                     \
                if (stride == 1)                                                                                           \
                    for (index_t k = 0; k < to - from; k++) y[k] += x[from + k];                                           \
                else                                                                                                       \
                    for (index_t k = 0; k < to - from; k++) y[k * stride] += x[from + k];                                  \
            }                                                                                                              \
        return NATIVE_OK;                                                                                                  \
    }
FOLD_RANGE(float)
FOLD_RANGE(double)

static int unfold(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    window_t window;
    index_t outs[2];
    tensor_t y;
    if (!x) return -1;
    if (x->ndim != 4) return fail("X must have 4 axes, not %d", x->ndim);
    index_t h = x->dims[2], w = x->dims[3];
    if (read_columns(op, h, w, &window, outs)) return -1;
    index_t cells = window.kernel[0] * window.kernel[1], places = outs[0] * outs[1];
    if (make(run, &y, x->dtype, 3, (index_t[]){x->dims[0], x->dims[1] * cells, places})) return -1;
    columns_t t = {&window, outs, h, w, x->dims[0] * x->dims[1], x->data, y.data, type_size(x->dtype)};
    if (y.size) parallel_range(t.planes * cells, max_of(1, MOVE_GRAIN / (places * (index_t)t.item)), unfold_range, &t);
    return give(run, op, "Y", &y);
}

static int fold(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    int64_t size[2];
    window_t window;
    index_t outs[2];
    tensor_t y;
    if (!x || check_float(x, "X")) return -1;
    if (attr_ints(op, "output_sizes", size, 2) != 2 || size[0] < 1 || size[1] < 1 || size[0] > 1 << 24 || size[1] > 1 << 24) return fail("output_sizes must be 2 sizes");
    index_t h = (index_t)size[0], w = (index_t)size[1];
    if (read_columns(op, h, w, &window, outs)) return -1;
    index_t cells = window.kernel[0] * window.kernel[1], places = outs[0] * outs[1];
    if (x->ndim != 3 || x->dims[1] % cells || x->dims[2] != places) return fail("X must be [N, C * %td, %td]", cells, places);
    if (make(run, &y, x->dtype, 4, (index_t[]){x->dims[0], x->dims[1] / cells, h, w})) return -1;
    columns_t t = {&window, outs, h, w, x->dims[0] * (x->dims[1] / cells), x->data, y.data, type_size(x->dtype)};
    if (y.size) parallel_range(t.planes, max_of(1, MOVE_GRAIN / (places * cells * (index_t)t.item)), x->dtype == TYPE_FLOAT32 ? fold_range_float : fold_range_double, &t);
    return give(run, op, "Y", &y);
}

/* ---- deformable convolution ---- */

/* Columns [C * cells, places] of picture n, each cell shifted by its offsets and weighed by its mask. */
static void shifted_columns(const tensor_t *x, const tensor_t *offset, const tensor_t *mask, const window_t *window, const index_t *outs, index_t shifts,
                            index_t n, tensor_t *columns) {
    index_t channels = x->dims[1], h = x->dims[2], w = x->dims[3], cells = window->kernel[0] * window->kernel[1], places = outs[0] * outs[1];
    for (index_t i = 0; i < columns->size; i++) {
        index_t place = i % places, cell = i / places % cells, channel = i / places / cells, group = channel / (channels / shifts);
        index_t at = ((n * shifts + group) * cells + cell) * 2;
        double row = (double)(place / outs[1] * window->stride[0] - window->padding[0] + cell / window->kernel[1] * window->dilation[0]);
        double column = (double)(place % outs[1] * window->stride[1] - window->padding[2] + cell % window->kernel[1] * window->dilation[1]);
        double value = value_between(x, n * channels + channel, h, w, row + tensor_number(offset, at * places + place), column + tensor_number(offset, (at + 1) * places + place));
        tensor_set(columns, i, mask ? value * tensor_number(mask, ((n * shifts + group) * cells + cell) * places + place) : value);
    }
}

static int deformable_conv(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "Input"), *offset = x ? need_input(run, op, "Offset") : NULL, *weight = offset ? need_input(run, op, "Filter") : NULL,
                   *mask = find_input(run, op, "Mask");
    window_t window;
    index_t outs[2];
    tensor_t y, columns;
    if (!weight || check_float(x, "Input")) return -1;
    if (x->ndim != 4 || offset->ndim != 4 || weight->ndim != 4 || x->dtype != weight->dtype) return fail("Input, Offset and Filter must have 4 axes and one element type");
    if (read_window(op, 2, weight->dims + 2, x->dims + 2, &window)) return -1;
    for (int i = 0; i < 2; i++)
        if ((outs[i] = window_outputs(&window, i, x->dims[2 + i])) < 0) return -1;
    index_t groups = (index_t)attr_int(op, "groups"), shifts = (index_t)attr_int(op, "deformable_groups"), cells = window.kernel[0] * window.kernel[1];
    index_t places = outs[0] * outs[1], channels = x->dims[1], filters = weight->dims[0];
    if (groups < 1 || shifts < 1 || channels % groups || channels % shifts || filters % groups || weight->dims[1] != channels / groups || channels < 1)
        return fail("%td channels don't fit %td groups and %td groups of offsets", channels, groups, shifts);
    if (offset->size != x->dims[0] * 2 * shifts * cells * places || (mask && mask->size != x->dims[0] * shifts * cells * places))
        return fail("Offset or Mask doesn't fit %td cells at %td places", cells, places);
    if (make(run, &y, x->dtype, 4, (index_t[]){x->dims[0], filters, outs[0], outs[1]})) return -1;
    if (make(run, &columns, x->dtype, 2, (index_t[]){channels * cells, places})) return finish(run, op, "Output", &y, -1);
    size_t item = type_size(x->dtype);
    int status = 0;
    for (index_t n = 0; n < x->dims[0] && !status; n++) {
        shifted_columns(x, offset, mask, &window, outs, shifts, n, &columns);
        for (index_t g = 0; g < groups && !status; g++) {
            index_t rows = filters / groups, depth = channels / groups * cells;
            tensor_t kernels = {.dtype = x->dtype, .ndim = 2, .dims = {rows, depth}, .size = rows * depth, .data = (char *)weight->data + (size_t)(g * rows * depth) * item};
            tensor_t part = {.dtype = x->dtype, .ndim = 2, .dims = {depth, places}, .size = depth * places, .data = (char *)columns.data + (size_t)(g * depth * places) * item}, out;
            status = product_into(run, &kernels, &part, 0, 0, &(product_end_t){0}, &out);
            if (status) break;
            memcpy((char *)y.data + (size_t)((n * filters + g * rows) * places) * item, out.data, (size_t)out.size * item);
            tensor_drop(&out);
        }
    }
    tensor_drop(&columns);
    return finish(run, op, "Output", &y, status);
}

/* ---- channels ---- */

typedef struct {
    const void *x;
    void *y;
    index_t groups, inner;
} maxout_t;

#define MAXOUT(T)                                                                                        \
    LOOPS static int maxout_##T(void *context, index_t begin, index_t end) {                            \
        const maxout_t *t = context;                                                                    \
        for (index_t line = begin; line < end; line++) {                                                \
            const T *restrict x = (const T *)t->x + line * t->groups * t->inner;                        \
            T *restrict y = (T *)t->y + line * t->inner;                                                \
            memcpy(y, x, (size_t)t->inner * sizeof *y);                                                 \
            for (index_t k = 1; k < t->groups; k++)                                                     \
                for (index_t i = 0; i < t->inner; i++) {                                                \
                    const T other = x[k * t->inner + i];                                                \
                    y[i] = other > y[i] || other != other ? other : y[i];                               \
                }                                                                                       \
        }                                                                                               \
        return NATIVE_OK;                                                                               \
    }
MAXOUT(float)
MAXOUT(double)

static int maxout(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    index_t groups = (index_t)attr_int(op, "groups");
    tensor_t y;
    if (!x || check_float(x, "X")) return -1;
    int axis = read_axis(attr_int(op, "axis"), x->ndim, 0);
    if (axis < 0) return -1;
    if (groups < 1 || x->dims[axis] % groups) return fail("%td groups don't divide %td channels", groups, x->dims[axis]);
    sizes_t old = sizes_of(x), sizes;
    if (size_with_size(&old, axis, x->dims[axis] / groups, &sizes) || make_sized(run, &y, x->dtype, &sizes)) return -1;
    maxout_t t = {x->data, y.data, groups, span(x, axis + 1, x->ndim)};
    if (y.size) parallel_range(y.size / t.inner, max_of(1, 16384 / (groups * t.inner)), x->dtype == TYPE_FLOAT32 ? maxout_float : maxout_double, &t);
    return give(run, op, "Out", &y);
}

static int affine_channel(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *scale = x ? need_input(run, op, "Scale") : NULL, *bias = scale ? need_input(run, op, "Bias") : NULL;
    tensor_t y;
    if (!bias || check_float(x, "X")) return -1;
    int axis = !strcmp(attr_text(op, "data_layout"), "NHWC") ? x->ndim - 1 : 1;
    if (x->ndim < 2 || scale->size != x->dims[axis] || bias->size != x->dims[axis]) return fail("Scale and Bias must have a number for each channel of X");
    if (make_like(run, &y, x)) return -1;
    tensor_t by = *scale, more = *bias; /* with axes of one element behind them */
    by.ndim = more.ndim = x->ndim - axis;
    for (int i = 0; i < by.ndim; i++) by.dims[i] = more.dims[i] = i ? 1 : x->dims[axis];
    formula_t f;
    formula_open(&f, run, &y);
    int a = formula_tensor(&f, x), b = formula_tensor(&f, &by), c = formula_tensor(&f, &more);
    formula_keep(&f, formula_step(&f, STEP_add, formula_step(&f, STEP_mul, a, b, 0), c, 0), &y);
    return finish(run, op, "Out", &y, formula_run(&f));
}

/* Frames begin .. end: channels up to `first` come from the frame before, those up to `second` from the one behind. */
typedef struct {
    index_t frames, channels, first, second, pixels, unit; /* pixels: places that have all channels behind each other; unit: bytes of a channel there */
    const char *x;
    char *y;
} shift_t;

static int shift_frames(void *context, index_t begin, index_t end) {
    const shift_t *t = context;
    const index_t line = t->channels * t->unit, one = t->pixels * line, ends[] = {0, t->first * t->unit, t->second * t->unit, line};
    for (index_t i = begin; i < end; i++)
        for (int part = 0; part < 3; part++) {
            const index_t step = part == 2 ? 0 : 2 * part - 1, frame = i % t->frames + step;
            for (index_t p = 0; p < t->pixels; p++) {
                const index_t at = i * one + p * line + ends[part];
                const size_t bytes = (size_t)(ends[part + 1] - ends[part]);
                if (frame < 0 || frame >= t->frames) memset(t->y + at, 0, bytes);
                else memcpy(t->y + at, t->x + at + step * one, bytes);
            }
        }
    return NATIVE_OK;
}

static int temporal_shift(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    index_t frames = (index_t)attr_int(op, "seg_num");
    double ratio = attr_float(op, "shift_ratio");
    tensor_t y;
    if (!x) return -1;
    if (x->ndim != 4 || frames < 1 || x->dims[0] % frames || !(ratio > 0 && ratio <= 0.5)) return fail("X must have 4 axes, the first divided by seg_num %td", frames);
    int last = !strcmp(attr_text(op, "data_format"), "NHWC");
    index_t channels = x->dims[last ? 3 : 1], inner = last ? 1 : x->dims[2] * x->dims[3], one = span(x, 1, 4);
    index_t first = (index_t)((double)channels * ratio), second = (index_t)((double)channels * 2 * ratio);
    if (make_like(run, &y, x)) return -1;
    shift_t t = {frames, channels, first, second, last ? one / max_of(channels, 1) : 1, inner * (index_t)type_size(x->dtype), x->data, y.data};
    if (x->size) parallel_range(x->dims[0], max_of(1, MOVE_GRAIN / (one * (index_t)type_size(x->dtype))), shift_frames, &t);
    return give(run, op, "Out", &y);
}

OPERATOR_TABLE(columns) = {
    {"unfold", unfold, 0}, {"fold", fold, 0}, {"deformable_conv", deformable_conv, 0}, {"deformable_conv_v1", deformable_conv, 0},
    {"maxout", maxout, 0}, {"affine_channel", affine_channel, 0}, {"temporal_shift", temporal_shift, 0}, {0}};

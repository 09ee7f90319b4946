/* Places between pixels: regions of interest, sampling grids; and boxes coded by prior boxes. */
#include <math.h>

#include "boxes.h"
#include "grid.h"
#include "images.h"
#include "sizes.h"

double value_between(const tensor_t *t, index_t plane, index_t h, index_t w, double y, double x) {
    double low_y = floor(y), low_x = floor(x), sum = 0;
    if (!(fabs(y) < 1e9 && fabs(x) < 1e9)) return 0;
    for (int k = 0; k < 4; k++) {
        index_t row = (index_t)low_y + k / 2, column = (index_t)low_x + k % 2;
        double share = (k / 2 ? y - low_y : low_y + 1 - y) * (k % 2 ? x - low_x : low_x + 1 - x);
        if (share != 0 && row >= 0 && row < h && column >= 0 && column < w) sum += share * tensor_number(t, (plane * h + row) * w + column);
    }
    return sum;
}

typedef struct {
    const tensor_t *x, *boxes;
    index_t rows, columns;
    int64_t ratio;
    double scale;
    int aligned;
} align_t;

#define MOST_SAMPLES 4096 /* along one side of a cell */

/* The mean of samples in one cell of one box. */
static double cell_mean(const align_t *a, index_t box, index_t plane, index_t row, index_t column) {
    double side[4], offset = a->aligned ? 0.5 : 0, sum = 0;
    for (int k = 0; k < 4; k++) side[k] = tensor_number(a->boxes, box * 4 + k) * a->scale - offset;
    double w = side[2] - side[0], h = side[3] - side[1];
    if (!a->aligned) w = fmax(w, 1), h = fmax(h, 1);
    double down = a->ratio > 0 ? (double)a->ratio : fmin(fmax(ceil(h / (double)a->rows), 1), MOST_SAMPLES);
    double right = a->ratio > 0 ? (double)a->ratio : fmin(fmax(ceil(w / (double)a->columns), 1), MOST_SAMPLES);
    index_t height = a->x->dims[2], width = a->x->dims[3];
    for (double i = 0; i < down; i++)
        for (double j = 0; j < right; j++) {
            double y = side[1] + ((double)row * down + i + 0.5) * h / ((double)a->rows * down);
            double x = side[0] + ((double)column * right + j + 0.5) * w / ((double)a->columns * right);
            if (!(y >= -1 && y <= (double)height && x >= -1 && x <= (double)width)) continue;
            sum += value_between(a->x, plane, height, width, fmin(fmax(y, 0), (double)height - 1), fmin(fmax(x, 0), (double)width - 1));
        }
    return sum / (down * right);
}

static int roi_align(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *boxes = x ? need_input(run, op, "ROIs") : NULL, *counts = find_input(run, op, "RoisNum");
    tensor_t y;
    if (!boxes || check_float(x, "X")) return -1;
    if (x->ndim != 4 || boxes->ndim != 2 || boxes->dims[1] != 4) return fail("X must have 4 axes and ROIs be [boxes, 4]");
    align_t a = {.x = x, .boxes = boxes, .rows = (index_t)attr_int(op, "pooled_height"), .columns = (index_t)attr_int(op, "pooled_width"),
                 .ratio = attr_int(op, "sampling_ratio"), .scale = attr_float(op, "spatial_scale"), .aligned = attr_bool(op, "aligned")};
    if (a.rows < 1 || a.columns < 1 || a.ratio > MOST_SAMPLES) return fail("the size of the result or sampling_ratio can't be used");
    if (check_counts(counts, x->dims[0], boxes->dims[0])) return -1;
    index_t channels = x->dims[1], at = 0, box = 0;
    if (make_by_record(run, op, "Out", x->dtype, NULL, &y)) return -1;
    for (index_t n = 0; n < x->dims[0]; n++)
        for (int64_t left = tensor_int(counts, n); left > 0; left--, box++)
            for (index_t k = 0; k < channels * a.rows * a.columns; k++)
                tensor_set(&y, at++, cell_mean(&a, box, n * channels + k / (a.rows * a.columns), k / a.columns % a.rows, k % a.columns));
    return give(run, op, "Out", &y);
}

/* Where cell i of `cells` over [low, high) begins and ends, inside an image of `size`. */
static void cell_edges(double low, double high, index_t i, index_t cells, index_t size, index_t *begin, index_t *end) {
    double step = (high - low) / (double)cells, first = floor((double)i * step) + low, last = ceil((double)(i + 1) * step) + low;
    *begin = (index_t)fmin(fmax(first, 0), (double)size);
    *end = (index_t)fmin(fmax(last, 0), (double)size);
}

static int roi_pool(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *boxes = x ? need_input(run, op, "ROIs") : NULL, *counts = find_input(run, op, "RoisNum");
    index_t rows = (index_t)attr_int(op, "pooled_height"), columns = (index_t)attr_int(op, "pooled_width"), at = 0, box = 0;
    double scale = attr_float(op, "spatial_scale");
    tensor_t y, places;
    if (!boxes || check_float(x, "X")) return -1;
    if (x->ndim != 4 || boxes->ndim != 2 || boxes->dims[1] != 4 || rows < 1 || columns < 1) return fail("X must have 4 axes and ROIs be [boxes, 4]");
    if (check_counts(counts, x->dims[0], boxes->dims[0])) return -1;
    index_t channels = x->dims[1], h = x->dims[2], w = x->dims[3];
    if (make_by_record(run, op, "Out", x->dtype, NULL, &y)) return -1;
    if (make_by_record(run, op, "Argmax", TYPE_INT64, NULL, &places)) return finish(run, op, "Out", &y, -1);
    for (index_t n = 0; n < x->dims[0]; n++)
        for (int64_t left = tensor_int(counts, n); left > 0; left--, box++) {
            double side[4];
            for (int k = 0; k < 4; k++) side[k] = fmin(fmax(floor(tensor_number(boxes, box * 4 + k) * scale + 0.5), -1e9), 1e9);
            for (index_t k = 0; k < channels * rows * columns; k++, at++) {
                index_t top, bottom, first, last, plane = (n * channels + k / (rows * columns)) * h * w;
                int64_t best = -1;
                cell_edges(side[1], side[1] + fmax(side[3] - side[1] + 1, 1), k / columns % rows, rows, h, &top, &bottom);
                cell_edges(side[0], side[0] + fmax(side[2] - side[0] + 1, 1), k % columns, columns, w, &first, &last);
                for (index_t i = top; i < bottom; i++)
                    for (index_t j = first; j < last; j++)
                        if (best < 0 || tensor_number(x, plane + i * w + j) > tensor_number(x, plane + (index_t)best)) best = i * w + j;
                tensor_set(&y, at, best < 0 ? 0 : tensor_number(x, plane + (index_t)best));
                ((int64_t *)places.data)[at] = best;
            }
        }
    give(run, op, "Argmax", &places);
    return give(run, op, "Out", &y);
}

/* ---- sampling grids ---- */

/* Place i of n from -1 to 1: at the corners' centres, or at the pixels'. */
static double line_place(index_t i, index_t n, int align) {
    if (n == 1) return align ? -1 : 0;
    double place = -1 + 2.0 * (double)i / (double)(n - 1);
    return align ? place : place * (double)(n - 1) / (double)n;
}

static int affine_grid(run_t *run, const op_t *op) {
    const tensor_t *theta = need_input(run, op, "Theta");
    int64_t shape[5];
    tensor_t y;
    if (!theta || check_float(theta, "Theta")) return -1;
    int count = read_ints(run, op, "none", "OutputShape", "output_shape", shape, 5), n = count - 2, align = attr_bool(op, "align_corners");
    if (count < 0) return -1;
    if (n < 2 || n > 3 || theta->ndim != 3 || theta->dims[1] != n || theta->dims[2] != n + 1)
        return fail("an output of %d axes needs a Theta [N, %d, %d]", count, n, n + 1);
    for (int i = 0; i < n; i++)
        if (shape[2 + i] < 1 || shape[2 + i] > 1 << 24) return fail("a grid can't have %lld places along an axis", (long long)shape[2 + i]);
    sizes_t old = sizes_of(theta), given = sizes_from(count, shape), grid;
    if (size_grid_over(&old, &given, &grid) || make_sized(run, &y, theta->dtype, &grid)) return -1;
    const index_t *dims = y.dims;
    const index_t wide = dims[n];
    size_t mark = scratch_mark();
    double *line = scratch((size_t)wide * sizeof *line); /* places along the last axis */
    for (index_t k = 0; line && k < wide; k++) line[k] = line_place(k, wide, align);
    for (index_t row = 0; line && y.size && row < y.size / (n * wide); row++) {
        double place[3];
        index_t rest = row;
        for (int i = n - 2; i >= 0; rest /= dims[1 + i--]) place[n - 1 - i] = line_place(rest % dims[1 + i], dims[1 + i], align); /* x is the last axis */
        for (int i = 0; i < n; i++) {
            const index_t at = (rest * n + i) * (n + 1);
            double base = tensor_number(theta, at + n), by = tensor_number(theta, at);
            for (int j = 1; j < n; j++) base += place[j] * tensor_number(theta, at + j);
            if (y.dtype == TYPE_FLOAT32)
                for (index_t k = 0; k < wide; k++) ((float *)y.data)[(row * wide + k) * n + i] = (float)(base + line[k] * by);
            else
                for (index_t k = 0; k < wide; k++) ((double *)y.data)[(row * wide + k) * n + i] = base + line[k] * by;
        }
    }
    scratch_release(mark);
    if (!line) return finish(run, op, "Output", &y, fail_memory());
    return give(run, op, "Output", &y);
}

/* Which of some words a text is; -1 with an error. */
static int find_word(const char *name, const char *text, const char *const *words, int count) {
    for (int i = 0; i < count; i++)
        if (!strcmp(text, words[i])) return i;
    return fail("%s can't be '%s'", name, text);
}

static int grid_sampler(run_t *run, const op_t *op) {
    static const char *const modes[] = {"bilinear", "nearest"}, *const paddings[] = {"zeros", "border", "reflection"};
    const tensor_t *x = need_input(run, op, "X"), *grid = x ? need_input(run, op, "Grid") : NULL;
    tensor_t y;
    if (!grid || check_float(x, "X")) return -1;
    grid_t t = {.axes = x->ndim - 2, .n = x->dims[0], .c = x->dims[1], .places = 1, .cells = 1, .x = x->data, .grid = grid->data,
                .nearest = find_word("mode", attr_text(op, "mode"), modes, 2), .corners = attr_bool(op, "align_corners"),
                .padding = find_word("padding_mode", attr_text(op, "padding_mode"), paddings, 3)};
    if (t.nearest < 0 || t.padding < 0) return -1;
    if (t.axes < 2 || t.axes > 3 || grid->ndim != x->ndim || grid->dims[t.axes + 1] != t.axes || grid->dims[0] != t.n || grid->dtype != x->dtype)
        return fail("X must be [N, C, H, W] and Grid [N, h, w, 2] of its type, or 3 of 5 axes");
    for (int i = 0; i < t.axes; i++) t.size[i] = x->dims[2 + i], t.cells *= t.size[i], t.places *= grid->dims[1 + i];
    if (t.cells > INT32_MAX) return fail("X has more than 2^31 cells");
    if (make_by_record(run, op, "Output", x->dtype, NULL, &y)) return -1;
    t.y = y.data;
    if (t.cells && y.size) (x->dtype == TYPE_FLOAT32 ? UP_TO_AVX2(f32, grid_run) : grid_run_f64_plain)(&t);
    else memset(y.data, 0, (size_t)y.size * type_size(y.dtype));
    return give(run, op, "Output", &y);
}

/* ---- boxes coded by prior boxes ---- */

typedef struct {
    double x, y, w, h;
} centre_t;

static centre_t centre_of(const tensor_t *boxes, index_t i, double extra) {
    double side[4];
    for (int k = 0; k < 4; k++) side[k] = tensor_number(boxes, i * 4 + k);
    double w = side[2] - side[0] + extra, h = side[3] - side[1] + extra;
    return (centre_t){side[0] + w / 2, side[1] + h / 2, w, h};
}

static int box_coder(run_t *run, const op_t *op) {
    const tensor_t *prior = need_input(run, op, "PriorBox"), *target = prior ? need_input(run, op, "TargetBox") : NULL,
                   *spread = find_input(run, op, "PriorBoxVar");
    const attr_t *given = find_attr(op, "variance");
    tensor_t y;
    if (!target || check_float(target, "TargetBox")) return -1;
    int encode = !strcmp(attr_text(op, "code_type"), "encode_center_size");
    int64_t axis = attr_int(op, "axis");
    double extra = attr_bool(op, "box_normalized") ? 0 : 1;
    if (prior->ndim != 2 || prior->dims[1] != 4 || target->ndim != (encode ? 2 : 3) || target->dims[target->ndim - 1] != 4 || axis < 0 ||
        axis > 1)
        return fail("PriorBox must be [M, 4] and TargetBox %s", encode ? "[N, 4]" : "[N, M, 4]");
    if (spread && spread->size != 4 && spread->size != prior->size) return fail("PriorBoxVar must have 4 numbers, or 4 for each box");
    if (!encode && target->dims[axis ? 0 : 1] != prior->dims[0]) return fail("TargetBox doesn't have the boxes of PriorBox along its axis");
    index_t rows = target->dims[0], columns = encode ? prior->dims[0] : target->dims[1];
    if (make(run, &y, target->dtype, 3, (index_t[]){rows, columns, 4})) return -1;
    for (index_t i = 0; i < rows * columns; i++) {
        index_t which = encode || !axis ? i % columns : i / columns;
        double factor[4] = {1, 1, 1, 1}, code[4];
        for (int k = 0; k < 4; k++) {
            if (spread) factor[k] = tensor_number(spread, spread->size == 4 ? k : which * 4 + k);
            else if (given && given->count == 4) factor[k] = given->floats[k];
        }
        centre_t p = centre_of(prior, which, extra);
        if (encode) {
            centre_t t = centre_of(target, i / columns, 0);
            double raw[4] = {(t.x - p.x) / p.w, (t.y - p.y) / p.h, log(fabs((t.w + extra) / p.w)), log(fabs((t.h + extra) / p.h))};
            for (int k = 0; k < 4; k++) code[k] = raw[k] / factor[k];
        } else {
            for (int k = 0; k < 4; k++) code[k] = tensor_number(target, i * 4 + k) * factor[k];
            double x = code[0] * p.w + p.x, v = code[1] * p.h + p.y, w = exp(code[2]) * p.w / 2, h = exp(code[3]) * p.h / 2;
            code[0] = x - w, code[1] = v - h, code[2] = x + w - extra, code[3] = v + h - extra;
        }
        for (int k = 0; k < 4; k++) tensor_set(&y, i * 4 + k, code[k]);
    }
    return give(run, op, "OutputBox", &y);
}

OPERATOR_TABLE(regions) = {
    {"roi_align", roi_align, 0}, {"roi_pool", roi_pool, 0}, {"affine_grid", affine_grid, 0}, {"grid_sampler", grid_sampler, 0}, {"box_coder", box_coder, 0}, {0}};

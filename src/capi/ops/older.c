/* Operators of earlier releases that saved models still have, and of decoders and detectors built with them. */
#include <math.h>

#include "formula.h"
#include "reduce.h"
#include "sizes.h"

/* x over its Euclidean norm along an axis, and the norm. */
static int norm(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    tensor_t y, length;
    if (!x || check_float(x, "X")) return -1;
    int axis = read_axis(attr_int(op, "axis"), x->ndim, 0);
    sizes_t old = sizes_of(x), sizes;
    if (axis < 0 || size_with_size(&old, axis, 1, &sizes) || make_like(run, &y, x)) return -1;
    if (make_sized(run, &length, x->dtype, &sizes)) return finish(run, op, "Out", &y, -1);
    int status = x->size ? reduce_axis(REDUCE_SUM_SQUARES, x, axis, &length) : (memset(length.data, 0, (size_t)length.size * type_size(length.dtype)), 0);
    for (index_t k = 0; k < length.size && !status; k++) tensor_set(&length, k, sqrt(tensor_number(&length, k) + attr_float(op, "epsilon")));
    formula_t f;
    formula_open(&f, run, &y);
    int a = formula_tensor(&f, x), b = formula_tensor(&f, &length);
    formula_keep(&f, formula_step(&f, STEP_div, a, b, 0), &y);
    if (formula_run(&f) || status) return tensor_drop(&length), finish(run, op, "Out", &y, -1);
    give(run, op, "Norm", &length);
    return give(run, op, "Out", &y);
}

typedef struct {
    const tensor_t *x;
    tensor_t *middle;
    index_t count, inner, half; /* channels, what lies behind them, how many are seen on either side */
    double k, alpha;
} window_sum_t;

/* Lines begin .. end, one of which is a channel of a picture. */
#define LRN_LINES(T)                                                                                                                  \
    LOOPS static int lrn_lines_##T(void *context, index_t begin, index_t end) {                                                            \
        const window_sum_t *t = context;                                                                                              \
        const index_t inner = t->inner;                                                                                               \
        for (index_t line = begin; line < end; line++) {                                                                              \
            const index_t channel = line % t->count, first = max_of(0, channel - t->half), last = min_of(t->count - 1, channel + t->half); \
            const T *x = (const T *)t->x->data + line * inner;                                                                        \
            T *middle = (T *)t->middle->data + line * inner;                                                                                                   \
            for (index_t i = 0; i < inner; i++) middle[i] = 0;                                                                        \
            for (index_t c = first; c <= last; c++) {                                                                                 \
                const T *other = x + (c - channel) * inner;                                                                           \
                for (index_t i = 0; i < inner; i++) middle[i] += other[i] * other[i];                                                 \
            }                                                                                                                         \
            for (index_t i = 0; i < inner; i++) middle[i] = middle[i] * (T)t->alpha + (T)t->k;                                        \
        }                                                                                                                             \
        return NATIVE_OK;                                                                                                             \
    }
LRN_LINES(float)
LRN_LINES(double)

/* x / (k + alpha * the squares of n channels around it)^beta, and what is in brackets. */
static int lrn(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    tensor_t y, middle;
    int64_t n = attr_int(op, "n");
    if (!x || check_float(x, "X")) return -1;
    if (x->ndim != 4 || n < 1 || n % 2 == 0) return fail("X must have 4 axes and n be odd");
    int axis = strcmp(attr_text(op, "data_format"), "NHWC") ? 1 : 3;
    index_t count = x->dims[axis], inner = span(x, axis + 1, 4);
    if (make_like(run, &y, x)) return -1;
    if (make_like(run, &middle, x)) return finish(run, op, "Out", &y, -1);
    window_sum_t t = {x, &middle, count, inner, (index_t)(n / 2), attr_float(op, "k"), attr_float(op, "alpha")};
    if (x->size) parallel_range(x->size / inner, max_of(1, 4096 / inner), x->dtype == TYPE_FLOAT32 ? lrn_lines_float : lrn_lines_double, &t);
    formula_t f; /* x e^(-beta log middle) */
    formula_open(&f, run, &y);
    int a = formula_tensor(&f, x), b = formula_tensor(&f, &middle), power = formula_number(&f, -attr_float(op, "beta"));
    power = formula_step(&f, STEP_exp, formula_step(&f, STEP_mul, power, formula_step(&f, STEP_log, b, 0, 0), 0), 0, 0);
    formula_keep(&f, formula_step(&f, STEP_mul, a, power, 0), &y);
    if (formula_run(&f)) return tensor_drop(&middle), finish(run, op, "Out", &y, -1);
    give(run, op, "MidOut", &middle);
    return give(run, op, "Out", &y);
}

static int mv(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *vec = x ? need_input(run, op, "Vec") : NULL;
    tensor_t y;
    if (!vec) return -1;
    if (x->ndim != 2 || vec->ndim != 1) return fail("X must be a matrix and Vec a vector");
    return product_into(run, x, vec, 0, 0, &(product_end_t){0}, &y) ? -1 : give(run, op, "Out", &y);
}

typedef struct {
    const tensor_t *x, *w;
    tensor_t *y;
    const index_t *ends; /* of packed sequences, or NULL */
    index_t width, length; /* length: of sequences that are not packed */
} rows_ahead_t;

#define AHEAD(T)                                                                                                              \
    LOOPS static int ahead_##T(void *context, index_t begin, index_t end) {                                                         \
        const rows_ahead_t *t = context;                                                                                      \
        const index_t width = t->width;                                                                                       \
        for (index_t row = begin, s = 0; row < end; row++) {                                                                  \
            while (t->ends && t->ends[s + 1] <= row) s++;                                                                     \
            const index_t last = t->ends ? t->ends[s + 1] : (row / t->length + 1) * t->length;                                \
            const T *x = (const T *)t->x->data + row * width, *w = t->w->data;                                                \
            T *y = (T *)t->y->data + row * width;                                                                             \
            for (index_t k = 0; k < width; k++) y[k] = 0;                                                                     \
            for (index_t step = 0; step < t->w->dims[0] && row + step < last; step++)                                         \
                for (index_t k = 0; k < width; k++) y[k] += x[step * width + k] * w[step * width + k];                        \
        }                                                                                                                     \
        return NATIVE_OK;                                                                                                     \
    }
AHEAD(float)
AHEAD(double)

/* Each step of [batch, time, width] times Filter[0], plus the k-th after it times Filter[k]. */
static int row_conv(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *w = x ? need_input(run, op, "Filter") : NULL;
    tensor_t y;
    if (!w || check_float(x, "X")) return -1;
    int packed = x->ndim == 2 && x->lod; /* or the rows of sequences */
    if ((x->ndim != 3 && !packed) || w->ndim != 2 || w->dtype != x->dtype || w->dims[1] != x->dims[x->ndim - 1])
        return fail("X must be [batch, time, width] or sequences of rows, and Filter [steps, width]");
    const index_t *ends = packed ? x->lod->offsets[x->lod->levels - 1] : NULL;
    index_t width = w->dims[1], sequences = packed ? x->lod->counts[x->lod->levels - 1] - 1 : x->dims[0];
    if (packed && ends[sequences] != x->dims[0]) return fail("the offsets of X don't end at its rows");
    if (make_like(run, &y, x)) return -1;
    rows_ahead_t t = {x, w, &y, ends, width, packed ? 0 : x->dims[1]};
    if (x->size) parallel_range(x->size / width, max_of(1, 8192 / width), x->dtype == TYPE_FLOAT32 ? ahead_float : ahead_double, &t);
    return give(run, op, "Out", &y);
}

typedef struct {
    const tensor_t *ids, *parents;
    tensor_t *y;
    index_t beams, step;
    volatile int bad; /* a beam is not there, this one; tasks only ever set it */
    volatile index_t missing;
} tree_t;

/* Sequences begin .. end, all beams of one together, so that memory is read in lines. */
static int follow_beams(void *context, index_t begin, index_t end) {
    tree_t *t = context;
    const int wide = t->ids->dtype == TYPE_INT64;
    const index_t beams = t->beams, step = t->step;
    for (index_t row = begin * beams; row < end * beams; row += beams)
        for (index_t from = 0, n; from < beams; from += n) {
            index_t beam[64];
            n = min_of(64, beams - from);
            for (index_t k = 0; k < n; k++) beam[k] = from + k;
            for (index_t i = t->ids->dims[0] - 1; i >= 0; i--)
                for (index_t k = 0; k < n; k++) {
                    const index_t at = i * step + row + beam[k], to = i * step + row + from + k;
                    if (wide) ((int64_t *)t->y->data)[to] = ((const int64_t *)t->ids->data)[at];
                    else ((int32_t *)t->y->data)[to] = ((const int32_t *)t->ids->data)[at];
                    beam[k] = (index_t)id_at(t->parents->data, wide, at);
                    if (beam[k] >= 0 && beam[k] < beams) continue;
                    if (i) t->missing = beam[k], t->bad = 1;
                    beam[k] = 0;
                }
        }
    return NATIVE_OK;
}

/* Whole sequences of a beam search [steps, batch, beams], from the tokens of each step and the beams they came from. */
static int gather_tree(run_t *run, const op_t *op) {
    const tensor_t *ids = need_input(run, op, "Ids"), *parents = ids ? need_input(run, op, "Parents") : NULL;
    tensor_t y;
    if (!parents) return -1;
    if (ids->ndim != 3 || parents->ndim != 3 || parents->size != ids->size || parents->dims[2] != ids->dims[2]) return fail("Ids and Parents must be [steps, batch, beams]");
    if (make_like(run, &y, ids)) return -1;
    index_t beams = ids->dims[2], step = ids->dims[1] * beams;
    if (ids->dtype != parents->dtype || (ids->dtype != TYPE_INT64 && ids->dtype != TYPE_INT32))
        return finish(run, op, "Out", &y, fail("Ids and Parents must be int32 or int64, both"));
    tree_t t = {.ids = ids, .parents = parents, .y = &y, .beams = beams, .step = step};
    if (y.size) parallel_range(step / beams, max_of(1, 8192 / (beams * ids->dims[0])), follow_beams, &t);
    return finish(run, op, "Out", &y, t.bad ? fail("there is no beam %td", t.missing) : 0);
}

/* Row i is row i of the input that Ids[i] names. */
static int multiplex(run_t *run, const op_t *op) {
    const slot_t *slot = find_in(op, "X");
    const tensor_t *first = slot ? input_at(run, op, slot, 0) : NULL, *ids = first ? need_input(run, op, "Ids") : NULL;
    tensor_t y;
    if (!ids) return slot ? -1 : fail("input X is missing");
    if (first->ndim < 2 || ids->size > first->dims[0]) return fail("Ids must have at most one number for each row");
    sizes_t old = sizes_of(first), sizes;
    if (size_with_size(&old, 0, ids->size, &sizes) || make_sized(run, &y, first->dtype, &sizes)) return -1;
    size_t row = (size_t)span(first, 1, first->ndim) * type_size(first->dtype);
    for (index_t i = 0; i < ids->size; i++) {
        int64_t id = tensor_int(ids, i);
        const tensor_t *x = id >= 0 && id < slot->count ? input_at(run, op, slot, (int)id) : NULL;
        if (!x || x->size != first->size || x->dtype != first->dtype) return finish(run, op, "Out", &y, fail("id %lld names no input like the first", (long long)id));
        memcpy((char *)y.data + (size_t)i * row, (const char *)x->data + (size_t)i * row, row);
    }
    return give(run, op, "Out", &y);
}

typedef struct {
    const tensor_t *x;
    tensor_t *y;
} places_t;

#define PLACES(T)                                                                                          \
    LOOPS static int places_##T(void *context, index_t begin, index_t end) {                              \
        const places_t *t = context;                                                                      \
        const index_t h = t->x->dims[2], w = t->x->dims[3];                                               \
        for (index_t line = begin; line < end; line++) {                                                  \
            const T *restrict x = (const T *)t->x->data + line * w;                                       \
            T *restrict y = (T *)t->y->data + line * w, row = (T)(4 * (line % h));                        \
            if (line / h % 2)                                                                             \
                for (index_t i = 0; i < w; i++) y[i] = row - x[i];                                        \
            else                                                                                          \
                for (index_t i = 0; i < w; i++) y[i] = (T)(4 * (int32_t)i) - x[i];                        \
        }                                                                                                 \
        return NATIVE_OK;                                                                                 \
    }
PLACES(float)
PLACES(double)

/* Distances from cells of 4 pixels as places: 4 column - x on even channels, 4 row - x on odd ones. */
static int polygon_box_transform(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "Input");
    tensor_t y;
    if (!x || check_float(x, "Input")) return -1;
    if (x->ndim != 4 || x->dims[1] % 2) return fail("Input must be [N, an even number of channels, H, W]");
    if (make_like(run, &y, x)) return -1;
    const places_t t = {x, &y};
    if (x->size) parallel_range(x->size / x->dims[3], max_of(1, 16384 / x->dims[3]), x->dtype == TYPE_FLOAT32 ? places_float : places_double, (void *)&t);
    return give(run, op, "Output", &y);
}

OPERATOR_TABLE(older) = {
    {"norm", norm, 0}, {"lrn", lrn, 0}, {"mv", mv, 0}, {"row_conv", row_conv, 0},
    {"gather_tree", gather_tree, 0}, {"multiplex", multiplex, 0}, {"polygon_box_transform", polygon_box_transform, 0}, {0}};

/* Operators of earlier releases that saved models still have, and of decoders and detectors built with them. */
#include <math.h>

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
    index_t n = x->dims[axis], inner = span(x, axis + 1, x->ndim);
    for (index_t k = 0; k < length.size; k++) {
        index_t base = k / inner * n * inner + k % inner;
        double sum = attr_float(op, "epsilon");
        for (index_t i = 0; i < n; i++) sum += tensor_number(x, base + i * inner) * tensor_number(x, base + i * inner);
        tensor_set(&length, k, sqrt(sum));
        for (index_t i = 0; i < n; i++) tensor_set(&y, base + i * inner, tensor_number(x, base + i * inner) / sqrt(sum));
    }
    give(run, op, "Norm", &length);
    return give(run, op, "Out", &y);
}

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
    for (index_t i = 0; i < x->size; i++) {
        index_t channel = i / inner % count, base = i - channel * inner;
        double sum = 0;
        for (index_t c = max_of(0, channel - (index_t)(n / 2)); c <= min_of(count - 1, channel + (index_t)(n / 2)); c++)
            sum += tensor_number(x, base + c * inner) * tensor_number(x, base + c * inner);
        double around = attr_float(op, "k") + attr_float(op, "alpha") * sum;
        tensor_set(&middle, i, around);
        tensor_set(&y, i, tensor_number(x, i) * pow(around, -attr_float(op, "beta")));
    }
    give(run, op, "MidOut", &middle);
    return give(run, op, "Out", &y);
}

static int huber_loss(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *y = x ? need_input(run, op, "Y") : NULL;
    tensor_t out, residual;
    if (!y || check_float(y, "Y")) return -1;
    if (x->size != y->size || x->dtype != y->dtype) return fail("X and Y must have as many elements of one type");
    if (make_like(run, &out, y)) return -1;
    if (make_like(run, &residual, y)) return finish(run, op, "Out", &out, -1);
    double delta = attr_float(op, "delta");
    for (index_t i = 0; i < y->size; i++) {
        double r = tensor_number(y, i) - tensor_number(x, i), far = fabs(r);
        tensor_set(&residual, i, r);
        tensor_set(&out, i, far <= delta ? 0.5 * r * r : delta * (far - 0.5 * delta));
    }
    give(run, op, "Residual", &residual);
    return give(run, op, "Out", &out);
}

static int mv(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *vec = x ? need_input(run, op, "Vec") : NULL;
    tensor_t y;
    if (!vec) return -1;
    if (x->ndim != 2 || vec->ndim != 1) return fail("X must be a matrix and Vec a vector");
    return product_into(run, x, vec, 0, 0, &(product_end_t){0}, &y) ? -1 : give(run, op, "Out", &y);
}

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
    for (index_t s = 0; s < sequences; s++)
        for (index_t begin = packed ? ends[s] : s * x->dims[1], end = packed ? ends[s + 1] : begin + x->dims[1], t = begin; t < end; t++)
            for (index_t k = 0; k < width; k++) {
                double sum = 0;
                for (index_t step = 0; step < w->dims[0] && t + step < end; step++)
                    sum += tensor_number(x, (t + step) * width + k) * tensor_number(w, step * width + k);
                tensor_set(&y, t * width + k, sum);
            }
    return give(run, op, "Out", &y);
}

/* Whole sequences of a beam search [steps, batch, beams], from the tokens of each step and the beams they came from. */
static int gather_tree(run_t *run, const op_t *op) {
    const tensor_t *ids = need_input(run, op, "Ids"), *parents = ids ? need_input(run, op, "Parents") : NULL;
    tensor_t y;
    if (!parents) return -1;
    if (ids->ndim != 3 || parents->ndim != 3 || parents->size != ids->size || parents->dims[2] != ids->dims[2]) return fail("Ids and Parents must be [steps, batch, beams]");
    if (make_like(run, &y, ids)) return -1;
    index_t beams = ids->dims[2], step = ids->dims[1] * beams;
    size_t item = type_size(ids->dtype);
    for (index_t k = 0; k < step; k++) {
        index_t beam = k % beams, row = k - beam;
        for (index_t t = ids->dims[0] - 1; t >= 0; t--) {
            if (beam < 0 || beam >= beams) return finish(run, op, "Out", &y, fail("there is no beam %td", beam));
            memcpy((char *)y.data + (size_t)(t * step + k) * item, (const char *)ids->data + (size_t)(t * step + row + beam) * item, item);
            beam = (index_t)tensor_int(parents, t * step + row + beam);
        }
    }
    return give(run, op, "Out", &y);
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

/* Distances from cells of 4 pixels as places: 4 column - x on even channels, 4 row - x on odd ones. */
static int polygon_box_transform(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "Input");
    tensor_t y;
    if (!x || check_float(x, "Input")) return -1;
    if (x->ndim != 4 || x->dims[1] % 2) return fail("Input must be [N, an even number of channels, H, W]");
    if (make_like(run, &y, x)) return -1;
    index_t h = x->dims[2], w = x->dims[3];
    for (index_t i = 0; i < x->size; i++) tensor_set(&y, i, 4 * (double)(i / (h * w) % 2 ? i / w % h : i % w) - tensor_number(x, i));
    return give(run, op, "Output", &y);
}

OPERATOR_TABLE(older) = {
    {"norm", norm, 0}, {"lrn", lrn, 0}, {"huber_loss", huber_loss, 0}, {"mv", mv, 0}, {"row_conv", row_conv, 0},
    {"gather_tree", gather_tree, 0}, {"multiplex", multiplex, 0}, {"polygon_box_transform", polygon_box_transform, 0}, {0}};

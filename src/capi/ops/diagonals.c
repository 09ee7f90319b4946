/* Diagonals, blocks and repetitions: diag, trace, kron, crop, put_along_axis, repeat_interleave; and small compositions. */
#include <math.h>
#include <stdlib.h>

#include "formula.h"
#include "pick.h"
#include "scatter.h"
#include "sizes.h"

static int diag_v2(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    int64_t offset = attr_int(op, "offset");
    tensor_t y;
    if (!x) return -1;
    if (offset > 1 << 24 || offset < -(1 << 24)) return fail("a diagonal can't be %lld places away", (long long)offset);
    index_t down = offset < 0 ? (index_t)-offset : 0, right = offset > 0 ? (index_t)offset : 0;
    size_t item = type_size(x->dtype);
    sizes_t old = sizes_of(x), sizes;
    if (size_on_diagonal(&old, (index_t)offset, &sizes) || make_sized(run, &y, x->dtype, &sizes)) return -1;
    const int matrix = x->ndim == 2;
    if (!matrix) fill_tensor(&y, attr_float(op, "padding_value"), 0);
    for (index_t i = 0, wide = matrix ? x->dims[1] : y.dims[1]; i < (matrix ? y.size : x->size); i++) {
        const index_t line = i, place = (i + down) * wide + i + right;
        memcpy((char *)y.data + (size_t)(matrix ? line : place) * item, (const char *)x->data + (size_t)(matrix ? place : line) * item, item);
    }
    return give(run, op, "Out", &y);
}

static int trace(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "Input");
    int64_t offset = attr_int(op, "offset");
    tensor_t y;
    if (!x) return -1;
    int a = read_axis(attr_int(op, "axis1"), x->ndim, 0), b = a < 0 ? -1 : read_axis(attr_int(op, "axis2"), x->ndim, 0);
    if (b < 0) return -1;
    if (a == b || offset > 1 << 24 || offset < -(1 << 24)) return fail("axis1 and axis2 must differ");
    index_t rows = x->dims[a], columns = x->dims[b], down = offset < 0 ? (index_t)-offset : 0, right = offset > 0 ? (index_t)offset : 0;
    const index_t by_row = span(x, a + 1, x->ndim), by_column = span(x, b + 1, x->ndim), count = size_diagonal_length(rows, columns, (index_t)offset);
    sizes_t old = sizes_of(x), sizes;
    if (size_reduced(&old, &(sizes_t){2, {min_of(a, b), max_of(a, b)}}, 0, &sizes) || make_sized(run, &y, x->dtype, &sizes)) return -1;
    for (index_t k = 0; k < y.size; k++) {
        double sum = 0;
        int64_t exact = 0;
        index_t at = down * by_row + right * by_column, rest = k;
        for (int i = x->ndim - 1; i >= 0; i--) {
            if (i == a || i == b) continue;
            at += rest % x->dims[i] * span(x, i + 1, x->ndim);
            rest /= x->dims[i];
        }
        for (index_t i = 0; i < count; i++, at += by_row + by_column) {
            if (x->dtype == TYPE_FLOAT32) sum += ((const float *)x->data)[at];
            else if (x->dtype == TYPE_FLOAT64) sum += ((const double *)x->data)[at];
            else if (x->dtype <= TYPE_INT64) exact += tensor_int(x, at);
            else sum += tensor_number(x, at);
        }
        if (x->dtype <= TYPE_INT64) tensor_set_int(&y, k, exact);
        else tensor_set(&y, k, sum);
    }
    return give(run, op, "Out", &y);
}

/* Lines of a product of Kronecker: each number of x times a line of y. */
typedef struct {
    const tensor_t *x, *z;
    tensor_t *y;
    int ndim;
    index_t a[MAX_DIMS], b[MAX_DIMS]; /* sizes of x and z, seen with as many axes as y */
} kron_t;

#define KRON_LINE(T)                                                                                             \
    for (index_t i = 0; i < n; i++)                                                                              \
        for (index_t k = 0; k < m; k++) ((T *)t->y->data)[line * n * m + i * m + k] = (T)(((const T *)t->x->data)[from + i] * ((const T *)t->z->data)[other + k]); \
    break

LOOPS static int kron_lines(void *context, index_t begin, index_t end) {
    const kron_t *t = context;
    const int last = t->ndim - 1;
    const index_t n = t->ndim ? t->a[last] : 1, m = t->ndim ? t->b[last] : 1;
    for (index_t line = begin; line < end; line++) {
        index_t rest = line, from = 0, other = 0, stride = n, step = m;
        for (int i = last - 1; i >= 0; i--) {
            index_t at = rest % (t->a[i] * t->b[i]);
            rest /= t->a[i] * t->b[i];
            from += at / t->b[i] * stride, other += at % t->b[i] * step;
            stride *= t->a[i], step *= t->b[i];
        }
        switch (t->x->dtype) {
        case TYPE_FLOAT32: KRON_LINE(float);
        case TYPE_FLOAT64: KRON_LINE(double);
        case TYPE_INT64: KRON_LINE(int64_t);
        default: KRON_LINE(int32_t);
        }
    }
    return NATIVE_OK;
}

static int kron(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *z = x ? need_input(run, op, "Y") : NULL;
    tensor_t y;
    if (!z) return -1;
    if (x->dtype != z->dtype || !(type_is_float(x->dtype) || x->dtype == TYPE_INT32 || x->dtype == TYPE_INT64))
        return fail("X is %s and Y %s: floats, int32 or int64 of one type were expected", type_name(x->dtype), type_name(z->dtype));
    sizes_t one = sizes_of(x), times = sizes_of(z), sizes;
    for (int i = 0; i < z->ndim && i < x->ndim; i++)
        if (z->dims[z->ndim - 1 - i] && x->dims[x->ndim - 1 - i] > 0x7fffffff / z->dims[z->ndim - 1 - i]) return fail("the result is too large");
    if (size_tiled(&one, &times, &sizes) || make_sized(run, &y, x->dtype, &sizes)) return -1;
    kron_t t = {.x = x, .z = z, .y = &y, .ndim = y.ndim};
    for (int i = 0; i < y.ndim; i++) {
        t.a[i] = i < y.ndim - x->ndim ? 1 : x->dims[i - (y.ndim - x->ndim)];
        t.b[i] = i < y.ndim - z->ndim ? 1 : z->dims[i - (y.ndim - z->ndim)];
    }
    index_t line = y.ndim ? y.dims[y.ndim - 1] : 1;
    if (y.size) parallel_range(y.size / line, max_of(1, 16384 / line), kron_lines, &t);
    return give(run, op, "Out", &y);
}

static int crop(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    int64_t size[MAX_DIMS], start[MAX_DIMS];
    tensor_t y;
    if (!x) return -1;
    int sizes = read_ints(run, op, "ShapeTensor", "Shape", "shape", size, MAX_DIMS), starts = read_ints(run, op, "OffsetsTensor", "Offsets", "offsets", start, MAX_DIMS);
    if (sizes < 0 || starts < 0) return -1;
    for (int i = 0; i < x->ndim && !starts; i++) start[i] = 0;
    sizes_t old = sizes_of(x), given = sizes_from(sizes, size), first = sizes_from(starts ? starts : x->ndim, start), part;
    if (size_cropped(&old, &given, &first, &part)) return -1;
    return part_of(run, x, first.at, part.at, &y) ? -1 : give(run, op, "Out", &y);
}

static int repeat_interleave(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *counts = find_input(run, op, "RepeatsTensor");
    int64_t each = attr_int(op, "Repeats"), total = 0;
    tensor_t y;
    if (!x) return -1;
    int axis = x->ndim ? read_axis(attr_int(op, "dim"), x->ndim, 0) : 0;
    if (axis < 0) return -1;
    const attr_t *given = find_attr(op, "Repeats");
    if (!x->ndim || (given && given->count > 1)) return fail("X must have at least one axis, and Repeats be one number");
    index_t n = x->dims[axis], at = 0;
    if (counts && counts->size != n && counts->size != 1) return fail("RepeatsTensor must have %td numbers", n);
    for (index_t i = 0; i < n; i++) {
        int64_t count = counts ? tensor_int(counts, counts->size == 1 ? 0 : i) : each;
        if (count < 0 || count > 1 << 24) return fail("a slice can't be repeated %lld times", (long long)count);
        total += count;
    }
    sizes_t old = sizes_of(x), sizes;
    if (size_with_size(&old, axis, (index_t)total, &sizes) || make_sized(run, &y, x->dtype, &sizes)) return -1;
    size_t mark = scratch_mark();
    int64_t *ids = scratch((size_t)total * sizeof *ids);
    for (index_t i = 0; ids && i < n; i++)
        for (int64_t left = counts ? tensor_int(counts, counts->size == 1 ? 0 : i) : each; left > 0; left--) ids[at++] = i;
    take_t t = {.outer = span(x, 0, axis), .size = n, .inner = span(x, axis + 1, x->ndim) * (index_t)type_size(x->dtype), .count = (index_t)total,
                .x = x->data, .y = y.data, .ids = ids, .wide_ids = 1, .padding = -1};
    if (ids && y.size) take_run(&t);
    scratch_release(mark);
    return finish(run, op, "Out", &y, ids ? 0 : fail_memory());
}

enum meeting { ASSIGN, ADD, MULTIPLY, MEAN, LARGEST, SMALLEST };

static int read_meeting(const op_t *op, enum meeting *how) {
    static const char *const names[][2] = {{"assign", "assign"}, {"add", "sum"}, {"multiply", "mul"}, {"mean", "mean"}, {"amax", "max"}, {"amin", "min"}};
    const char *given = attr_text(op, "Reduce");
    for (int i = 0; i < 6; i++)
        if (!strcmp(given, names[i][0]) || !strcmp(given, names[i][1])) {
            *how = (enum meeting)i;
            return 0;
        }
    return fail("Reduce %s is not supported", given);
}

static double meet(enum meeting how, double there, double value) {
    switch (how) {
    case ADD:
    case MEAN: return there + value;
    case MULTIPLY: return there * value;
    case LARGEST: return value > there || isnan(value) ? value : there;
    case SMALLEST: return value < there || isnan(value) ? value : there;
    default: return value;
    }
}

static int64_t meet_whole(enum meeting how, int64_t there, int64_t value) {
    switch (how) {
    case ADD:
    case MEAN: return there + value;
    case MULTIPLY: return there * value;
    case LARGEST: return value > there ? value : there;
    case SMALLEST: return value < there ? value : there;
    default: return value;
    }
}

static int put_along_axis(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "Input"), *index = x ? need_input(run, op, "Index") : NULL, *value = index ? need_input(run, op, "Value") : NULL;
    enum meeting how = ASSIGN;
    int own = attr_bool(op, "Include_self");
    tensor_t y;
    if (!value || read_meeting(op, &how)) return -1;
    int axis = read_axis(attr_int(op, "Axis"), x->ndim, 0);
    if (axis < 0) return -1;
    if (index->ndim != x->ndim || value->size != index->size || value->dtype != x->dtype) return fail("Index and Value must have one shape and as many axes as Input");
    for (int i = 0; i < x->ndim; i++)
        if (i != axis && index->dims[i] > x->dims[i]) return fail("Index is longer than Input along axis %d", i);
    static const int ways[] = {PUT_ASSIGN, PUT_ADD, PUT_MULTIPLY, -1, PUT_MAX, PUT_MIN};
    const size_t item = type_size(x->dtype);
    int corner = 0, way = ways[how];
    for (int i = 0; i < x->ndim; i++) corner |= i != axis && index->dims[i] != x->dims[i];
    if (!corner && way >= 0 && (own || how == ASSIGN) && (how == ASSIGN ? item == 4 || item == 8 : type_is_float(x->dtype)) && x->size) {
        ids_t ids;
        if (read_ids(run, index, x->dims[axis], 1, &ids)) return -1;
        if (make_like(run, &y, x)) return tensor_drop(&ids.own), -1;
        put_t t = {.outer = span(x, 0, axis), .size = x->dims[axis], .inner = span(x, axis + 1, x->ndim), .count = index->dims[axis], .x = x->data,
                   .values = value->data, .y = y.data, .ids = ids.at, .wide_ids = ids.wide, .way = way};
        if (item == 4) put_run_f32_plain(&t);
        else put_run_f64_plain(&t);
        tensor_drop(&ids.own);
        return give(run, op, "Result", &y);
    }
    if (!corner && own && how != MEAN && (x->dtype == TYPE_INT32 || x->dtype == TYPE_INT64)) {
        ids_t ids;
        if (read_ids(run, index, x->dims[axis], 1, &ids)) return -1;
        if (make_like(run, &y, x)) return tensor_drop(&ids.own), -1;
        memcpy(y.data, x->data, (size_t)x->size * item);
        const index_t inner = span(x, axis + 1, x->ndim), count = index->dims[axis];
        for (index_t k = 0, line = 0; k < index->size; line++) /* one (outer, count) */
            for (index_t i = 0, base = count ? line / count * x->dims[axis] * inner : 0; i < inner; i++, k++) {
                const index_t to = base + (index_t)id_at(ids.at, ids.wide, k) * inner + i;
                if (item == 8) ((int64_t *)y.data)[to] = meet_whole(how, ((int64_t *)y.data)[to], ((const int64_t *)value->data)[k]);
                else ((int32_t *)y.data)[to] = (int32_t)meet_whole(how, ((int32_t *)y.data)[to], ((const int32_t *)value->data)[k]);
            }
        tensor_drop(&ids.own);
        return give(run, op, "Result", &y);
    }
    int32_t *met = calloc((size_t)max_of(x->size, 1), sizeof *met); /* how many values came to each place */
    if (!met) return fail_memory();
    int status = make_like(run, &y, x);
    if (!status) memcpy(y.data, x->data, (size_t)x->size * type_size(x->dtype));
    for (index_t k = 0; k < index->size && !status; k++) {
        index_t rest = k, to = 0, stride = 1;
        for (int i = x->ndim - 1; i >= 0; i--) {
            int64_t at = i == axis ? tensor_int(index, k) : rest % index->dims[i];
            rest /= index->dims[i];
            if (at < 0) at += x->dims[i];
            if (at < 0 || at >= x->dims[i]) {
                free(met);
                return finish(run, op, "Result", &y, fail("index %lld is not one of %td places", (long long)at, x->dims[i]));
            }
            to += (index_t)at * stride, stride *= x->dims[i];
        }
        const int meets = met[to]++ || own;
        if (type_is_whole(x->dtype)) tensor_set_int(&y, to, meets ? meet_whole(how, tensor_int(&y, to), tensor_int(value, k)) : tensor_int(value, k));
        else tensor_set(&y, to, meets ? meet(how, tensor_number(&y, to), tensor_number(value, k)) : tensor_number(value, k));
    }
    for (index_t i = 0; how == MEAN && i < x->size && !status; i++) {
        const int64_t count = met[i] + own, sum = tensor_int(&y, i);
        if (met[i] && type_is_whole(x->dtype)) tensor_set_int(&y, i, sum / count - (sum % count < 0)); /* downwards */
        else if (met[i]) tensor_set(&y, i, tensor_number(&y, i) / (double)count);
    }
    free(met);
    return status ? -1 : give(run, op, "Result", &y);
}

/* x + weight * (y - x). */
static int lerp(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *to = x ? need_input(run, op, "Y") : NULL, *weight = to ? need_input(run, op, "Weight") : NULL;
    tensor_t y, all;
    index_t dims[MAX_DIMS];
    int ndim;
    if (!weight || check_float(x, "X") || broadcast_dims(x, to, &ndim, dims)) return -1;
    all = (tensor_t){.ndim = ndim};
    memcpy(all.dims, dims, sizeof dims);
    if (broadcast_dims(weight, &all, &ndim, dims) || make(run, &y, x->dtype, ndim, dims)) return -1;
    formula_t f;
    formula_open(&f, run, &y);
    int a = formula_tensor(&f, x), b = formula_tensor(&f, to), w = formula_tensor(&f, weight);
    formula_keep(&f, formula_step(&f, STEP_add, a, formula_step(&f, STEP_mul, w, formula_step(&f, STEP_sub, b, a, 0), 0), 0), &y);
    return finish(run, op, "Out", &y, formula_run(&f));
}

static int label_smooth(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *prior = find_input(run, op, "PriorDist");
    double share = attr_float(op, "epsilon");
    tensor_t y, row;
    if (!x || check_float(x, "X")) return -1;
    index_t classes = x->ndim ? x->dims[x->ndim - 1] : 1;
    if (prior && prior->size != classes) return fail("PriorDist must have %td numbers", classes);
    if (make_like(run, &y, x)) return -1;
    formula_t f;
    formula_open(&f, run, &y);
    if (prior) row = *prior, row.ndim = 1, row.dims[0] = classes;
    int a = formula_tensor(&f, x), b = prior ? formula_tensor(&f, &row) : 0, keep = formula_number(&f, 1 - share),
        more = formula_number(&f, prior ? share : share / (double)max_of(classes, 1));
    if (prior) more = formula_step(&f, STEP_mul, b, more, 0);
    formula_keep(&f, formula_step(&f, STEP_add, formula_step(&f, STEP_mul, a, keep, 0), more, 0), &y);
    return finish(run, op, "Out", &y, formula_run(&f));
}

OPERATOR_TABLE(diagonals) = {
    {"diag_v2", diag_v2, 0}, {"trace", trace, 0}, {"kron", kron, 0}, {"crop_tensor", crop, 0},
    {"repeat_interleave", repeat_interleave, 0}, {"put_along_axis", put_along_axis, 0}, {"lerp", lerp, 0}, {"label_smooth", label_smooth, 0}, {0}};

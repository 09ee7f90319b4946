/* Diagonals, blocks and repetitions: diag, trace, kron, crop, put_along_axis, repeat_interleave; and small compositions. */
#include <math.h>
#include <stdlib.h>

#include "sizes.h"

static int diag_v2(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    int64_t offset = attr_int(op, "offset");
    tensor_t y;
    if (!x) return -1;
    if (x->ndim > 2 || offset > 1 << 24 || offset < -(1 << 24)) return fail("X must be a vector or a matrix, not of %d axes", x->ndim);
    index_t down = offset < 0 ? (index_t)-offset : 0, right = offset > 0 ? (index_t)offset : 0;
    size_t item = type_size(x->dtype);
    if (x->ndim == 2) {
        index_t columns = x->dims[1], count = max_of(min_of(x->dims[0] - down, columns - right), 0);
        if (make(run, &y, x->dtype, 1, &count)) return -1;
        for (index_t i = 0; i < count; i++) memcpy((char *)y.data + (size_t)i * item, (const char *)x->data + (size_t)((i + down) * columns + i + right) * item, item);
        return give(run, op, "Out", &y);
    }
    index_t n = x->size + down + right;
    if (make(run, &y, x->dtype, 2, (index_t[]){n, n})) return -1;
    for (index_t i = 0; i < y.size; i++) tensor_set(&y, i, attr_float(op, "padding_value"));
    for (index_t i = 0; i < x->size; i++) memcpy((char *)y.data + (size_t)((i + down) * n + i + right) * item, (const char *)x->data + (size_t)i * item, item);
    return give(run, op, "Out", &y);
}

static int trace(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "Input");
    int64_t offset = attr_int(op, "offset");
    tensor_t moved, y;
    if (!x) return -1;
    int a = read_axis(attr_int(op, "axis1"), x->ndim, 0), b = a < 0 ? -1 : read_axis(attr_int(op, "axis2"), x->ndim, 0), order[MAX_DIMS], n = 0;
    if (b < 0) return -1;
    if (a == b || offset > 1 << 24 || offset < -(1 << 24)) return fail("axis1 and axis2 must differ");
    for (int i = 0; i < x->ndim; i++)
        if (i != a && i != b) order[n++] = i;
    order[n] = a, order[n + 1] = b;
    if (transpose_into(run, x, order, &moved)) return -1;
    index_t rows = x->dims[a], columns = x->dims[b], down = offset < 0 ? (index_t)-offset : 0, right = offset > 0 ? (index_t)offset : 0;
    sizes_t old = sizes_of(x), sizes;
    int status = size_reduced(&old, &(sizes_t){2, {min_of(a, b), max_of(a, b)}}, 0, &sizes) || make_sized(run, &y, x->dtype, &sizes), whole = !type_is_float(x->dtype);
    for (index_t k = 0; !status && k < y.size; k++) {
        double sum = 0;
        int64_t exact = 0;
        for (index_t i = 0; i < min_of(rows - down, columns - right); i++) {
            index_t at = (k * rows + i + down) * columns + i + right;
            if (whole) exact += tensor_int(&moved, at);
            else sum += tensor_number(&moved, at);
        }
        tensor_set(&y, k, whole ? (double)exact : sum);
    }
    tensor_drop(&moved);
    return status ? -1 : give(run, op, "Out", &y);
}

static int kron(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *z = x ? need_input(run, op, "Y") : NULL;
    index_t a[MAX_DIMS], b[MAX_DIMS], dims[MAX_DIMS];
    tensor_t y;
    if (!z) return -1;
    if (x->dtype != z->dtype) return fail("X is %s and Y %s", type_name(x->dtype), type_name(z->dtype));
    int n = max_of(x->ndim, z->ndim);
    for (int i = 0; i < n; i++) {
        a[i] = i < n - x->ndim ? 1 : x->dims[i - (n - x->ndim)];
        b[i] = i < n - z->ndim ? 1 : z->dims[i - (n - z->ndim)];
        if (b[i] && a[i] > 0x7fffffff / b[i]) return fail("the result is too large");
        dims[i] = a[i] * b[i];
    }
    sizes_t one = sizes_of(x), times = sizes_of(z), sizes;
    if (size_tiled(&one, &times, &sizes) || make_sized(run, &y, x->dtype, &sizes)) return -1;
    for (index_t k = 0; k < y.size; k++) {
        index_t rest = k, from = 0, other = 0, stride = 1, step = 1;
        for (int i = n - 1; i >= 0; i--) {
            index_t at = rest % dims[i];
            rest /= dims[i];
            from += at / b[i] * stride, other += at % b[i] * step;
            stride *= a[i], step *= b[i];
        }
        if (type_is_float(x->dtype)) tensor_set(&y, k, tensor_number(x, from) * tensor_number(z, other));
        else tensor_set(&y, k, (double)(tensor_int(x, from) * tensor_int(z, other)));
    }
    return give(run, op, "Out", &y);
}

static int crop(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    int64_t size[MAX_DIMS], start[MAX_DIMS];
    index_t dims[MAX_DIMS];
    tensor_t y;
    if (!x) return -1;
    int sizes = read_ints(run, op, "ShapeTensor", "Shape", "shape", size, MAX_DIMS), starts = read_ints(run, op, "OffsetsTensor", "Offsets", "offsets", start, MAX_DIMS);
    if (sizes < 0 || starts < 0) return -1;
    if (sizes != x->ndim || (starts && starts != x->ndim)) return fail("shape and offsets must have a number for each of %d axes", x->ndim);
    for (int i = 0; i < x->ndim; i++) {
        if (!starts) start[i] = 0;
        int64_t stop = size[i] == -1 ? x->dims[i] : start[i] + size[i];
        if (start[i] < 0 || start[i] > x->dims[i] || size[i] < -1 || stop > x->dims[i] || stop < start[i]) return fail("offset %lld and size %lld don't fit axis %d", (long long)start[i], (long long)size[i], i);
        dims[i] = (index_t)(stop - start[i]);
    }
    if (make(run, &y, x->dtype, x->ndim, dims)) return -1;
    size_t item = type_size(x->dtype);
    for (index_t k = 0; k < y.size; k++) {
        index_t rest = k, from = 0, stride = 1;
        for (int i = x->ndim - 1; i >= 0; i--) {
            from += (rest % dims[i] + (index_t)start[i]) * stride;
            rest /= dims[i], stride *= x->dims[i];
        }
        memcpy((char *)y.data + (size_t)k * item, (const char *)x->data + (size_t)from * item, item);
    }
    return give(run, op, "Out", &y);
}

static int repeat_interleave(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *counts = find_input(run, op, "RepeatsTensor");
    int64_t each = attr_int(op, "Repeats"), total = 0;
    tensor_t y;
    if (!x) return -1;
    int axis = x->ndim ? read_axis(attr_int(op, "dim"), x->ndim, 0) : 0;
    if (axis < 0) return -1;
    if (!x->ndim) return fail("X must have at least one axis");
    index_t n = x->dims[axis], outer = span(x, 0, axis), at = 0;
    if (counts && counts->size != n && counts->size != 1) return fail("RepeatsTensor must have %td numbers", n);
    for (index_t i = 0; i < n; i++) {
        int64_t count = counts ? tensor_int(counts, counts->size == 1 ? 0 : i) : each;
        if (count < 0 || count > 1 << 24) return fail("a slice can't be repeated %lld times", (long long)count);
        total += count;
    }
    sizes_t old = sizes_of(x), sizes;
    if (size_with_size(&old, axis, (index_t)total, &sizes) || make_sized(run, &y, x->dtype, &sizes)) return -1;
    size_t line = (size_t)span(x, axis + 1, x->ndim) * type_size(x->dtype);
    for (index_t k = 0; k < outer; k++)
        for (index_t i = 0; i < n; i++)
            for (int64_t left = counts ? tensor_int(counts, counts->size == 1 ? 0 : i) : each; left > 0; left--)
                memcpy((char *)y.data + (size_t)at++ * line, (const char *)x->data + (size_t)(k * n + i) * line, line);
    return give(run, op, "Out", &y);
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
        tensor_set(&y, to, met[to]++ || own ? meet(how, tensor_number(&y, to), tensor_number(value, k)) : tensor_number(value, k));
    }
    for (index_t i = 0; how == MEAN && i < x->size && !status; i++) {
        double count = met[i] + own;
        if (met[i]) tensor_set(&y, i, type_is_float(x->dtype) ? tensor_number(&y, i) / count : floor(tensor_number(&y, i) / count));
    }
    free(met);
    return status ? -1 : give(run, op, "Result", &y);
}

/* x + weight * (y - x). */
static int lerp(run_t *run, const op_t *op) {
    const tensor_t *parts[3] = {need_input(run, op, "X"), need_input(run, op, "Y"), need_input(run, op, "Weight")};
    tensor_t y, wide[3] = {{.dtype = TYPE_NONE}, {.dtype = TYPE_NONE}, {.dtype = TYPE_NONE}}, all;
    index_t dims[MAX_DIMS];
    int ndim, status = 0;
    if (!parts[0] || !parts[1] || !parts[2] || check_float(parts[0], "X") || broadcast_dims(parts[0], parts[1], &ndim, dims)) return -1;
    all = (tensor_t){.ndim = ndim};
    memcpy(all.dims, dims, sizeof dims);
    if (broadcast_dims(parts[2], &all, &ndim, dims)) return -1;
    for (int i = 0; i < 3 && !status; i++) status = expand_into(run, parts[i], ndim, dims, &wide[i]);
    if (!status && !(status = make(run, &y, parts[0]->dtype, ndim, dims))) {
        for (index_t i = 0; i < y.size; i++) {
            double from = tensor_number(&wide[0], i);
            tensor_set(&y, i, from + tensor_number(&wide[2], i) * (tensor_number(&wide[1], i) - from));
        }
        give(run, op, "Out", &y);
    }
    for (int i = 0; i < 3; i++) tensor_drop(&wide[i]);
    return status;
}

static int label_smooth(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *prior = find_input(run, op, "PriorDist");
    double share = attr_float(op, "epsilon");
    tensor_t y;
    if (!x || check_float(x, "X")) return -1;
    index_t classes = x->ndim ? x->dims[x->ndim - 1] : 1;
    if (prior && prior->size != classes) return fail("PriorDist must have %td numbers", classes);
    if (make_like(run, &y, x)) return -1;
    for (index_t i = 0; i < x->size; i++)
        tensor_set(&y, i, (1 - share) * tensor_number(x, i) + share * (prior ? tensor_number(prior, i % classes) : 1 / (double)classes));
    return give(run, op, "Out", &y);
}

OPERATOR_TABLE(diagonals) = {
    {"diag_v2", diag_v2, 0}, {"trace", trace, 0}, {"kron", kron, 0}, {"crop_tensor", crop, 0},
    {"repeat_interleave", repeat_interleave, 0}, {"put_along_axis", put_along_axis, 0}, {"lerp", lerp, 0}, {"label_smooth", label_smooth, 0}, {0}};

/* Picking elements: embedding, gather, where, top-k, sorting. */
#include <math.h>
#include <stdlib.h>

#include "sizes.h"

static int lookup(run_t *run, const op_t *op) {
    const tensor_t *w = need_input(run, op, "W"), *ids = w ? need_input(run, op, "Ids") : NULL;
    tensor_t y;
    if (!ids) return -1;
    if (w->ndim != 2) return fail("W must be a matrix");
    sizes_t table = sizes_of(w), places = sizes_of(ids), sizes;
    if (!strcmp(op->type, "lookup_table") && places.count && places.at[places.count - 1] == 1) places.count--;
    if (size_picked(&table, &places, 0, &sizes) || make_sized(run, &y, w->dtype, &sizes)) return -1;
    int64_t padding = attr_int(op, "padding_idx");
    size_t row = (size_t)w->dims[1] * type_size(w->dtype);
    for (index_t i = 0; i < ids->size; i++) {
        int64_t id = tensor_int(ids, i);
        char *to = (char *)y.data + (size_t)i * row;
        if (id == padding && padding >= 0) memset(to, 0, row);
        else if (id < 0 || id >= w->dims[0])
            return finish(run, op, "Out", &y, fail("id %lld is not one of the %td rows", (long long)id, w->dims[0]));
        else memcpy(to, (const char *)w->data + (size_t)id * row, row);
    }
    return give(run, op, "Out", &y);
}

/* Slices of x along an axis by their numbers. */
static int take_along(run_t *run, const op_t *op, const tensor_t *x, const tensor_t *index, int axis, int flat_index) {
    tensor_t y;
    sizes_t old = sizes_of(x), places = flat_index ? (sizes_t){1, {index->size}} : sizes_of(index), sizes;
    if (size_picked(&old, &places, axis, &sizes) || make_sized(run, &y, x->dtype, &sizes)) return -1;
    index_t outer = span(x, 0, axis), n = x->dims[axis];
    size_t inner = (size_t)span(x, axis + 1, x->ndim) * type_size(x->dtype);
    for (index_t k = 0; k < outer; k++)
        for (index_t i = 0; i < index->size; i++) {
            int64_t at = tensor_int(index, i);
            if (at < 0) at += n;
            if (at < 0 || at >= n) return finish(run, op, "Out", &y, fail("index %lld is not one of %td places", (long long)tensor_int(index, i), n));
            memcpy((char *)y.data + (size_t)(k * index->size + i) * inner, (const char *)x->data + (size_t)(k * n + at) * inner, inner);
        }
    return give(run, op, "Out", &y);
}

static int gather(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *index = x ? need_input(run, op, "Index") : NULL, *given = find_input(run, op, "Axis");
    if (!index) return -1;
    int axis = read_axis(given && given->size ? tensor_int(given, 0) : attr_int(op, "axis"), x->ndim, 0);
    return axis < 0 ? -1 : take_along(run, op, x, index, axis, index->ndim == 2 && index->dims[1] == 1);
}

static int index_select(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *index = x ? need_input(run, op, "Index") : NULL;
    if (!index) return -1;
    int axis = read_axis(attr_int(op, "dim"), x->ndim, 0);
    return axis < 0 ? -1 : take_along(run, op, x, index, axis, 1);
}

static int gather_nd(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *index = x ? need_input(run, op, "Index") : NULL;
    tensor_t y;
    if (!index) return -1;
    sizes_t old = sizes_of(x), places = sizes_of(index), sizes;
    if (size_picked_nd(&old, &places, &sizes) || make_sized(run, &y, x->dtype, &sizes)) return -1;
    int depth = (int)index->dims[index->ndim - 1];
    size_t inner = (size_t)span(x, depth, x->ndim) * type_size(x->dtype);
    index_t count = span(index, 0, index->ndim - 1);
    for (index_t k = 0; k < count; k++) {
        index_t at = 0;
        for (int i = 0; i < depth; i++) {
            int64_t place = tensor_int(index, k * depth + i);
            if (place < 0) place += x->dims[i];
            if (place < 0 || place >= x->dims[i]) return finish(run, op, "Out", &y, fail("index %lld is not one of %td places", (long long)place, x->dims[i]));
            at = at * x->dims[i] + (index_t)place;
        }
        memcpy((char *)y.data + (size_t)k * inner, (const char *)x->data + (size_t)at * inner, inner);
    }
    return give(run, op, "Out", &y);
}

static int take_along_axis(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "Input"), *index = x ? need_input(run, op, "Index") : NULL;
    tensor_t y;
    if (!index) return -1;
    int axis = read_axis(attr_int(op, "Axis"), x->ndim, 0);
    if (axis < 0) return -1;
    if (index->ndim != x->ndim) return fail("Index and Input must have one number of axes");
    for (int i = 0; i < x->ndim; i++)
        if (i != axis && index->dims[i] > x->dims[i]) return fail("Index is longer than Input along axis %d", i);
    if (make(run, &y, x->dtype, index->ndim, index->dims)) return -1;
    size_t item = type_size(x->dtype);
    for (index_t k = 0; k < index->size; k++) {
        index_t rest = k, from = 0, stride = 1;
        for (int i = x->ndim - 1; i >= 0; i--) {
            int64_t at = rest % index->dims[i];
            rest /= index->dims[i];
            if (i == axis) at = tensor_int(index, k);
            if (at < 0) at += x->dims[i];
            if (at < 0 || at >= x->dims[i]) return finish(run, op, "Result", &y, fail("index %lld is not one of %td places", (long long)at, x->dims[i]));
            from += (index_t)at * stride;
            stride *= x->dims[i];
        }
        memcpy((char *)y.data + (size_t)k * item, (const char *)x->data + (size_t)from * item, item);
    }
    return give(run, op, "Result", &y);
}

static int where(run_t *run, const op_t *op) {
    const tensor_t *condition = need_input(run, op, "Condition"), *x = condition ? need_input(run, op, "X") : NULL, *z = x ? need_input(run, op, "Y") : NULL;
    tensor_t y, wide[3] = {{.dtype = TYPE_NONE}, {.dtype = TYPE_NONE}, {.dtype = TYPE_NONE}};
    index_t dims[MAX_DIMS];
    int ndim, status = 0;
    if (!z) return -1;
    if (x->dtype != z->dtype) return fail("X is %s and Y %s", type_name(x->dtype), type_name(z->dtype));
    if (broadcast_dims(x, z, &ndim, dims)) return -1;
    tensor_t all = {.ndim = ndim};
    memcpy(all.dims, dims, sizeof dims);
    if (broadcast_dims(condition, &all, &ndim, dims)) return -1;
    const tensor_t *parts[3] = {condition, x, z};
    for (int i = 0; i < 3 && !status; i++) status = expand_into(run, parts[i], ndim, dims, &wide[i]);
    if (!status && !(status = make(run, &y, x->dtype, ndim, dims))) {
        size_t item = type_size(x->dtype);
        for (index_t i = 0; i < y.size; i++)
            memcpy((char *)y.data + (size_t)i * item, (const char *)wide[tensor_number(&wide[0], i) != 0 ? 1 : 2].data + (size_t)i * item, item);
        give(run, op, "Out", &y);
    }
    for (int i = 0; i < 3; i++) tensor_drop(&wide[i]);
    return status;
}

static int where_index(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "Condition");
    tensor_t y;
    index_t count = 0, at = 0;
    if (!x) return -1;
    for (index_t i = 0; i < x->size; i++) count += tensor_number(x, i) != 0;
    if (make(run, &y, TYPE_INT64, 2, (index_t[]){count, x->ndim})) return -1;
    for (index_t i = 0; i < x->size; i++) {
        if (tensor_number(x, i) == 0) continue;
        index_t rest = i;
        for (int k = x->ndim - 1; k >= 0; k--) {
            ((int64_t *)y.data)[at * x->ndim + k] = rest % x->dims[k];
            rest /= x->dims[k];
        }
        at++;
    }
    return give(run, op, "Out", &y);
}

static int masked_select(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *mask = x ? need_input(run, op, "Mask") : NULL;
    tensor_t y;
    index_t count = 0, at = 0;
    if (!mask) return -1;
    if (mask->size != x->size) return fail("Mask must have the shape of X");
    for (index_t i = 0; i < mask->size; i++) count += tensor_number(mask, i) != 0;
    if (make_by_record(run, op, "Y", x->dtype, &count, &y)) return -1;
    size_t item = type_size(x->dtype);
    for (index_t i = 0; i < mask->size; i++)
        if (tensor_number(mask, i) != 0) memcpy((char *)y.data + (size_t)at++ * item, (const char *)x->data + (size_t)i * item, item);
    return give(run, op, "Y", &y);
}

/* ---- order ---- */

typedef struct {
    double value;
    index_t place;
} ranked_t;

static int ascending(const void *a, const void *b) {
    const ranked_t *x = a, *y = b;
    int nan_x = isnan(x->value), nan_y = isnan(y->value);
    if (nan_x != nan_y) return nan_x ? 1 : -1; /* NaN counts as the largest */
    if (!nan_x && x->value != y->value) return x->value < y->value ? -1 : 1;
    return x->place < y->place ? -1 : x->place > y->place;
}

static int descending(const void *a, const void *b) {
    const ranked_t *x = a, *y = b;
    ranked_t left = {y->value, x->place}, right = {x->value, y->place};
    return ascending(&left, &right);
}

/* The first k along an axis in order, with their places. */
static int rank_into(run_t *run, const op_t *op, const tensor_t *x, int axis, int64_t k, int down, const char *indices) {
    index_t n = x->ndim ? x->dims[axis] : 1, inner = x->ndim ? span(x, axis + 1, x->ndim) : 1;
    tensor_t values, places;
    if (k < 0 || k > n) return fail("%lld elements are asked for, an axis has %td", (long long)k, n);
    sizes_t old = sizes_of(x), sizes;
    if (size_with_size(&old, axis, (index_t)k, &sizes)) return -1;
    ranked_t *line = malloc((size_t)max_of(n, 1) * sizeof *line);
    if (!line) return fail_memory();
    if (make_sized(run, &values, x->dtype, &sizes)) {
        free(line);
        return -1;
    }
    if (make_sized(run, &places, TYPE_INT64, &sizes)) {
        free(line);
        tensor_drop(&values);
        return -1;
    }
    size_t item = type_size(x->dtype);
    for (index_t row = 0; n && row < x->size / n; row++) {
        index_t from = row / inner * n * inner + row % inner, to = row / inner * (index_t)k * inner + row % inner;
        for (index_t i = 0; i < n; i++) line[i] = (ranked_t){tensor_number(x, from + i * inner), i};
        qsort(line, (size_t)n, sizeof *line, down ? descending : ascending);
        for (index_t i = 0; i < k; i++) {
            ((int64_t *)places.data)[to + i * inner] = line[i].place;
            memcpy((char *)values.data + (size_t)(to + i * inner) * item, (const char *)x->data + (size_t)(from + line[i].place * inner) * item, item);
        }
    }
    free(line);
    give(run, op, "Out", &values);
    return give(run, op, indices, &places);
}

static int top_k(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *given = find_input(run, op, "K");
    if (!x) return -1;
    int old = !strcmp(op->type, "top_k"); /* along the last axis, the largest */
    int axis = x->ndim ? read_axis(old ? -1 : attr_int(op, "axis"), x->ndim, 0) : 0;
    if (axis < 0) return -1;
    return rank_into(run, op, x, axis, given && given->size ? tensor_int(given, 0) : attr_int(op, "k"), old || attr_bool(op, "largest"), "Indices");
}

static int argsort(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    if (!x) return -1;
    int axis = x->ndim ? read_axis(attr_int(op, "axis"), x->ndim, 0) : 0;
    return axis < 0 ? -1 : rank_into(run, op, x, axis, x->ndim ? x->dims[axis] : 1, attr_bool(op, "descending"), "Indices");
}

static int scatter(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *ids = x ? need_input(run, op, "Ids") : NULL, *updates = ids ? need_input(run, op, "Updates") : NULL;
    tensor_t y;
    if (!updates) return -1;
    if (x->ndim < 1 || updates->dtype != x->dtype) return fail("X and Updates don't fit together");
    index_t inner = span(x, 1, x->ndim);
    if (updates->size != ids->size * inner) return fail("Updates must have one slice of X for each of %td Ids", ids->size);
    if (make_like(run, &y, x)) return -1;
    size_t row = (size_t)inner * type_size(x->dtype);
    memcpy(y.data, x->data, (size_t)x->dims[0] * row);
    int overwrite = attr_bool(op, "overwrite");
    for (int pass = overwrite; pass < 2; pass++)
        for (index_t i = 0; i < ids->size; i++) {
            int64_t id = tensor_int(ids, i);
            if (id < 0 || id >= x->dims[0]) return finish(run, op, "Out", &y, fail("id %lld is not one of %td rows", (long long)id, x->dims[0]));
            char *to = (char *)y.data + (size_t)id * row;
            const char *from = (const char *)updates->data + (size_t)i * row;
            if (overwrite) memcpy(to, from, row);
            else if (!pass) memset(to, 0, row);
            else
                for (index_t k = 0; k < inner; k++)
                    tensor_set(&y, (index_t)id * inner + k, tensor_number(&y, (index_t)id * inner + k) + tensor_number(updates, i * inner + k));
        }
    return give(run, op, "Out", &y);
}

OPERATOR_TABLE(index) = {
    {"lookup_table_v2", lookup, 0}, {"lookup_table", lookup, 0}, {"gather", gather, OPERATOR_COMPLEX}, {"index_select", index_select, OPERATOR_COMPLEX},
    {"gather_nd", gather_nd, OPERATOR_COMPLEX}, {"take_along_axis", take_along_axis, 0}, {"where", where, 0}, {"where_index", where_index, 0},
    {"masked_select", masked_select, 0}, {"top_k_v2", top_k, 0}, {"top_k", top_k, 0}, {"argsort", argsort, 0}, {"scatter", scatter, 0}, {0}};

/* Picking elements: embedding, gather, where, top-k, sorting. */
#include "small.h"

#include <stdlib.h>

#include "mask.h"
#include "order.h"
#include "pick.h"
#include "scatter.h"
#include "sizes.h"

/* Slices of x [outer, size, inner] at ids along its axis, into y. */
static int take_into(run_t *run, const tensor_t *x, const tensor_t *index, int axis, int negative, int64_t padding, tensor_t *y) {
    ids_t ids;
    if (read_ids(run, index, x->dims[axis], negative, &ids)) return -1;
    take_t t = {.outer = span(x, 0, axis), .size = x->dims[axis], .inner = span(x, axis + 1, x->ndim) * (index_t)type_size(x->dtype), .count = index->size,
                .x = x->data, .y = y->data, .ids = ids.at, .wide_ids = ids.wide, .padding = padding};
    if (y->size) take_run(&t);
    tensor_drop(&ids.own);
    return 0;
}

static int lookup(run_t *run, const op_t *op) {
    const tensor_t *w = need_input(run, op, "W"), *ids = w ? need_input(run, op, "Ids") : NULL;
    tensor_t y;
    if (!ids) return -1;
    if (w->ndim != 2) return fail("W must be a matrix");
    sizes_t table = sizes_of(w), places = sizes_of(ids), sizes;
    if (!strcmp(op->type, "lookup_table") && places.count && places.at[places.count - 1] == 1) places.count--;
    if (size_picked(&table, &places, 0, &sizes) || make_sized(run, &y, w->dtype, &sizes)) return -1;
    return finish(run, op, "Out", &y, take_into(run, w, ids, 0, 0, attr_int(op, "padding_idx"), &y));
}

/* Slices of x along an axis by their numbers. */
static int take_along(run_t *run, const op_t *op, const tensor_t *x, const tensor_t *index, int axis, int flat_index) {
    tensor_t y;
    sizes_t old = sizes_of(x), places = flat_index ? (sizes_t){1, {index->size}} : sizes_of(index), sizes;
    if (size_picked(&old, &places, axis, &sizes) || make_sized(run, &y, x->dtype, &sizes)) return -1;
    return finish(run, op, "Out", &y, take_into(run, x, index, axis, 1, -1, &y));
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

/* The last axis of `index` addresses the first axes of x: the numbers of the slices, in int64. */
static int flat_ids(run_t *run, const tensor_t *x, const tensor_t *index, tensor_t *rows) {
    const int depth = (int)index->dims[index->ndim - 1];
    const index_t count = span(index, 0, index->ndim - 1);
    tensor_t list = {.dtype = TYPE_NONE}, columns, wide = {.dtype = TYPE_NONE};
    flat_t t = {.axes = depth, .negative = 1};
    if (type_is_float(index->dtype)) return fail("ids must be whole numbers, not %s", type_name(index->dtype));
    if (tensor_new(run->memory, rows, TYPE_INT64, 1, &count)) return -1;
    if (!depth || !count) return memset(rows->data, 0, (size_t)count * sizeof(int64_t)), 0;
    const tensor_t *ids = index;
    int status = 0;
    if (index->dtype != TYPE_INT32 && index->dtype != TYPE_INT64) {
        status = make(run, &wide, TYPE_INT64, index->ndim, index->dims) || tensor_convert(index, &wide);
        ids = &wide;
    }
    list = *ids, list.ndim = 2, list.dims[0] = count, list.dims[1] = depth;
    if (!status && !(status = transpose_into(run, &list, (int[]){1, 0}, &columns))) {
        for (int i = 0; i < depth; i++) {
            t.size[i] = x->dims[i], t.wide[i] = ids->dtype == TYPE_INT64;
            t.ids[i] = (const char *)columns.data + (size_t)(i * count) * type_size(ids->dtype);
        }
        t.rows = rows->data;
        flat_run(&t, count);
        tensor_drop(&columns);
        if (t.bad) status = fail("an id of Index is not one of the places of X");
    }
    tensor_drop(&wide);
    if (status) tensor_drop(rows);
    return status ? -1 : 0;
}

/* x as a matrix of its slices along the first `depth` axes. */
static tensor_t as_rows(const tensor_t *x, int depth) {
    tensor_t rows = *x;
    rows.ndim = 2, rows.dims[0] = span(x, 0, depth), rows.dims[1] = span(x, depth, x->ndim);
    return rows;
}

static int gather_nd(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *index = x ? need_input(run, op, "Index") : NULL;
    tensor_t y, rows;
    if (!index) return -1;
    sizes_t old = sizes_of(x), places = sizes_of(index), sizes;
    if (size_picked_nd(&old, &places, &sizes) || flat_ids(run, x, index, &rows)) return -1;
    if (make_sized(run, &y, x->dtype, &sizes)) return tensor_drop(&rows), -1;
    const tensor_t table = as_rows(x, (int)index->dims[index->ndim - 1]);
    int status = take_into(run, &table, &rows, 0, 0, -1, &y);
    tensor_drop(&rows);
    return finish(run, op, "Out", &y, status);
}

/* What take_along_axis and put_along_axis read: ids that fit x. corner: do they leave parts of other axes out? */
static int read_along(run_t *run, const tensor_t *x, const tensor_t *index, int axis, int *corner, ids_t *ids) {
    *corner = 0;
    if (index->ndim != x->ndim) return fail("Index and Input must have one number of axes");
    for (int i = 0; i < x->ndim; i++) {
        if (i != axis && index->dims[i] > x->dims[i]) return fail("Index is longer than Input along axis %d", i);
        *corner |= i != axis && index->dims[i] != x->dims[i];
    }
    return read_ids(run, index, x->dims[axis], 1, ids);
}

static int take_elements(run_t *run, const op_t *op, const tensor_t *x, const tensor_t *index, int axis, const char *slot) {
    tensor_t y, part = {.dtype = TYPE_NONE};
    ids_t ids;
    int corner, status = 0;
    if (read_along(run, x, index, axis, &corner, &ids)) return -1;
    if (make(run, &y, x->dtype, index->ndim, index->dims)) return tensor_drop(&ids.own), -1;
    if (corner) {
        index_t dims[MAX_DIMS];
        for (int i = 0; i < x->ndim; i++) dims[i] = i == axis ? x->dims[i] : index->dims[i];
        status = part_of(run, x, NULL, dims, &part);
        x = &part;
    }
    along_t t = {.outer = span(index, 0, axis), .size = x->dims[axis], .inner = span(index, axis + 1, index->ndim), .count = index->dims[axis],
                 .x = x->data, .y = y.data, .ids = ids.at, .wide_ids = ids.wide, .item = (index_t)type_size(x->dtype)};
    if (!status && y.size) take_along_run(&t);
    tensor_drop(&part);
    tensor_drop(&ids.own);
    return finish(run, op, slot, &y, status);
}

static int take_along_axis(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "Input"), *index = x ? need_input(run, op, "Index") : NULL;
    int axis = index ? read_axis(attr_int(op, "Axis"), x->ndim, 0) : -1;
    return axis < 0 ? -1 : take_elements(run, op, x, index, axis, "Result");
}

static int index_sample(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *index = x ? need_input(run, op, "Index") : NULL;
    if (!index) return -1;
    if (x->ndim != 2 || index->ndim != 2 || x->dims[0] != index->dims[0]) return fail("X and Index must be matrices with the same number of rows");
    return take_elements(run, op, x, index, 1, "Out");
}

/* A condition as bytes of 0 and 1, repeated to a shape if need be; *own is to be dropped. */
static const uint8_t *read_mask(run_t *run, const tensor_t *mask, int ndim, const index_t *dims, tensor_t *own) {
    tensor_t wide = {.dtype = TYPE_NONE};
    *own = wide;
    if (mask->dtype != TYPE_BOOL) {
        if (make(run, own, TYPE_BOOL, mask->ndim, mask->dims) || tensor_convert(mask, own)) return NULL;
        mask = own;
    }
    int same = mask->ndim == ndim;
    for (int i = 0; same && i < ndim; i++) same = mask->dims[i] == dims[i];
    if (!same) {
        int status = expand_into(run, mask, ndim, dims, &wide);
        tensor_drop(own);
        if (status) return NULL;
        *own = wide, mask = own;
    }
    return mask->data;
}

/* One of two tensors for each element of a shape: `parts` are of it, of one element, or repeated to it. */
static int choose_into(run_t *run, const tensor_t *condition, const tensor_t *const parts[2], int ndim, const index_t *dims, tensor_t *y) {
    tensor_t own, wide[2] = {{.dtype = TYPE_NONE}, {.dtype = TYPE_NONE}};
    const uint8_t *mask = read_mask(run, condition, ndim, dims, &own);
    int status = !mask || make(run, y, parts[0]->dtype, ndim, dims);
    const void *from[2];
    for (int i = 0; i < 2 && !status; i++) {
        from[i] = parts[i]->data;
        if (parts[i]->size == y->size || parts[i]->size == 1) continue;
        if ((status = expand_into(run, parts[i], ndim, dims, &wide[i]))) tensor_drop(y);
        from[i] = wide[i].data;
    }
    if (!status && y->size) {
        choose_t t = {mask, from[0], from[1], y->data, parts[0]->size != 1, parts[1]->size != 1, (index_t)type_size(y->dtype)};
        choose_elements(&t, y->size);
    }
    tensor_drop(&own);
    tensor_drop(&wide[0]);
    tensor_drop(&wide[1]);
    return status ? -1 : 0;
}

static int where(run_t *run, const op_t *op) {
    const tensor_t *condition = need_input(run, op, "Condition"), *x = condition ? need_input(run, op, "X") : NULL, *z = x ? need_input(run, op, "Y") : NULL;
    index_t dims[MAX_DIMS];
    int ndim;
    tensor_t y, all = {.dtype = TYPE_NONE};
    if (!z) return -1;
    if (x->dtype != z->dtype) return fail("X is %s and Y %s", type_name(x->dtype), type_name(z->dtype));
    if (broadcast_dims(x, z, &ndim, dims)) return -1;
    all.ndim = ndim;
    memcpy(all.dims, dims, sizeof dims);
    if (broadcast_dims(condition, &all, &ndim, dims) || choose_into(run, condition, (const tensor_t *const[]){x, z}, ndim, dims, &y)) return -1;
    return give(run, op, "Out", &y);
}

static int masked_fill(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *mask = x ? need_input(run, op, "Mask") : NULL, *value = mask ? need_input(run, op, "Value") : NULL;
    tensor_t y;
    if (!value) return -1;
    if (value->size != 1 || value->dtype != x->dtype) return fail("Value must be one number of X's type");
    return choose_into(run, mask, (const tensor_t *const[]){value, x}, x->ndim, x->dims, &y) ? -1 : give(run, op, "Out", &y);
}

/* The elements that are not zero: their places, or those of another tensor. */
static int where_index(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "Condition");
    tensor_t y, own;
    if (!x) return -1;
    mask_t t = {.size = x->size, .mask = read_mask(run, x, x->ndim, x->dims, &own), .ndim = x->ndim, .shape = x->dims};
    size_t mark = scratch_mark();
    index_t count = t.mask ? mask_count(&t) : -1;
    int status = count < 0 ? (t.mask ? fail_memory() : -1) : make(run, &y, TYPE_INT64, 2, (index_t[]){count, x->ndim});
    if (!status && y.size) t.y = y.data, mask_locate(&t);
    scratch_release(mark);
    tensor_drop(&own);
    return status ? -1 : give(run, op, "Out", &y);
}

static int masked_select(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *mask = x ? need_input(run, op, "Mask") : NULL;
    index_t dims[MAX_DIMS];
    tensor_t y, own, wide = {.dtype = TYPE_NONE};
    int ndim;
    if (!mask || broadcast_dims(x, mask, &ndim, dims)) return -1;
    if (dims_size(ndim, dims) != x->size) {
        if (expand_into(run, x, ndim, dims, &wide)) return -1;
        x = &wide;
    }
    mask_t t = {.size = x->size, .unit = (index_t)type_size(x->dtype), .mask = read_mask(run, mask, ndim, dims, &own), .x = x->data};
    size_t mark = scratch_mark();
    index_t count = t.mask ? mask_count(&t) : -1;
    int status = count < 0 ? (t.mask ? fail_memory() : -1) : make_by_record(run, op, "Y", x->dtype, &count, &y);
    if (!status && count) t.y = y.data, mask_select(&t);
    scratch_release(mark);
    tensor_drop(&own);
    tensor_drop(&wide);
    return status ? -1 : give(run, op, "Y", &y);
}

/* ---- order ---- */

/* Elements as the kernel orders them: floats or whole numbers of 4 or 8 bytes. */
static dtype_t ordered_type(dtype_t dtype) {
    return dtype == TYPE_FLOAT16 || dtype == TYPE_BFLOAT16 ? TYPE_FLOAT32 : dtype < TYPE_INT32 ? TYPE_INT32 : dtype;
}

int order_rows(run_t *run, const tensor_t *x, index_t k, int down, tensor_t *values, tensor_t *places) {
    tensor_t keys = {.dtype = TYPE_NONE}, found = {.dtype = TYPE_NONE};
    const dtype_t type = ordered_type(x->dtype);
    const tensor_t *from = x;
    int status = 0;
    if (type != x->dtype) {
        status = make(run, &keys, type, x->ndim, x->dims) || tensor_convert(x, &keys) || make(run, &found, type, values->ndim, values->dims);
        from = &keys;
    }
    order_t o = {.rows = x->dims[0], .n = x->dims[1], .k = k, .x = from->data, .values = from == x ? values->data : found.data, .positions = places->data,
                 .descending = down, .integers = type <= TYPE_INT64};
    if (!status && o.rows && k) status = (type_size(type) == 4 ? order_run_f32_plain(&o) : order_run_f64_plain(&o)) ? fail_memory() : 0;
    if (!status && from != x) status = tensor_convert(&found, values);
    tensor_drop(&keys);
    tensor_drop(&found);
    return status ? -1 : 0;
}

/* The first k along an axis in order, with their places. */
static int rank_into(run_t *run, const op_t *op, const tensor_t *x, int axis, int64_t k, int down, const char *indices) {
    index_t n = x->ndim ? x->dims[axis] : 1;
    tensor_t turned = {.dtype = TYPE_NONE}, results[2], last[2];
    sizes_t old = sizes_of(x), sizes;
    int order[MAX_DIMS], moved = x->ndim && span(x, axis + 1, x->ndim) > 1, status = 0, made = 0;
    if (k < 0 || k > n || n > UINT32_MAX) return fail("%lld elements are asked for, an axis has %td", (long long)k, n);
    for (int i = 0; i < x->ndim; i++) order[i] = i;
    if (moved) order[axis] = x->ndim - 1, order[x->ndim - 1] = axis;
    if (moved && transpose_into(run, x, order, &turned)) return -1;
    tensor_t rows = moved ? turned : *x;
    if (x->ndim) size_with_size(&old, axis, (index_t)k, &sizes);
    else sizes = old;
    if (moved) sizes = sizes_of(&turned), sizes.at[x->ndim - 1] = (index_t)k;
    for (; made < 2 && !status; made += !status) status = make_sized(run, &results[made], made ? TYPE_INT64 : x->dtype, &sizes);
    rows.ndim = 2, rows.dims[0] = n ? x->size / n : 0, rows.dims[1] = n;
    if (!status) status = order_rows(run, &rows, (index_t)k, down, &results[0], &results[1]);
    tensor_drop(&turned);
    for (int i = 0; moved && i < 2 && !status; i++) { /* back to where the axis was */
        status = transpose_into(run, &results[i], order, &last[i]);
        tensor_drop(&results[i]);
        if (!status) results[i] = last[i];
    }
    if (!status) {
        give(run, op, "Out", &results[0]);
        return give(run, op, indices, &results[1]);
    }
    while (made--) tensor_drop(&results[made]);
    return -1;
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

/* ---- places that take values ---- */

/* Rows of updates put into a copy of x by their ids, or added there; `clear`: to zeros. */
static int put_rows(run_t *run, const tensor_t *x, const tensor_t *rows, const tensor_t *updates, int add, int clear, tensor_t *y) {
    ids_t ids;
    if (read_ids(run, rows, x->dims[0], 0, &ids)) return -1;
    const index_t bytes = x->dims[1] * (index_t)type_size(x->dtype);
    char *none = add && clear ? calloc(1, (size_t)max_of(bytes, 1)) : NULL;
    int status = add && clear && !none ? fail_memory() : 0;
    rows_t t = {.rows = x->dims[0], .count = rows->size, .bytes = bytes, .ids = ids.at, .wide_ids = ids.wide, .x = x->data,
                .values = add ? none : (const char *)updates->data, .y = y->data, .values_step = add ? 0 : bytes};
    if (!status && y->size && (!add || clear)) set_rows_run(&t);
    else if (!status) memcpy(y->data, x->data, (size_t)x->size * type_size(x->dtype));
    add_rows_t a = {.count = rows->size, .rows = x->dims[0], .columns = x->dims[1], .ids = ids.at, .dy = updates->data, .wide_ids = ids.wide, .padding = -1, .out = y->data};
    if (!status && add && y->size && rows->size) {
        if (type_is_float(x->dtype)) status = (x->dtype == TYPE_FLOAT32 ? add_rows_run_f32_plain(&a) : add_rows_run_f64_plain(&a)) ? fail_memory() : 0;
        else
            for (index_t i = 0; i < updates->size; i++) {
                index_t at = (index_t)id_at(ids.at, ids.wide, i / x->dims[1]) * x->dims[1] + i % x->dims[1];
                if (x->dtype == TYPE_INT64) ((int64_t *)y->data)[at] += ((const int64_t *)updates->data)[i];
                else tensor_set(y, at, tensor_number(y, at) + tensor_number(updates, i));
            }
    }
    free(none);
    tensor_drop(&ids.own);
    return status;
}

static int scatter(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *ids = x ? need_input(run, op, "Ids") : NULL, *updates = ids ? need_input(run, op, "Updates") : NULL;
    tensor_t y;
    if (!updates) return -1;
    if (x->ndim < 1 || updates->dtype != x->dtype) return fail("X and Updates don't fit together");
    const tensor_t table = as_rows(x, 1);
    if (updates->size != ids->size * table.dims[1]) return fail("Updates must have one slice of X for each of %td Ids", ids->size);
    if (make_like(run, &y, x)) return -1;
    return finish(run, op, "Out", &y, put_rows(run, &table, ids, updates, !attr_bool(op, "overwrite"), 1, &y));
}

static int scatter_nd_add(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *index = x ? need_input(run, op, "Index") : NULL, *updates = index ? need_input(run, op, "Updates") : NULL;
    tensor_t y, rows;
    if (!updates) return -1;
    if (index->ndim < 1 || index->dims[index->ndim - 1] > x->ndim) return fail("Index names more axes than X has");
    const tensor_t table = as_rows(x, (int)index->dims[index->ndim - 1]);
    if (updates->size != span(index, 0, index->ndim - 1) * table.dims[1] || updates->dtype != x->dtype) return fail("Updates must have one slice of X for each place");
    if (flat_ids(run, x, index, &rows)) return -1;
    if (make_like(run, &y, x)) return tensor_drop(&rows), -1;
    int status = put_rows(run, &table, &rows, updates, 1, 0, &y);
    tensor_drop(&rows);
    return finish(run, op, "Out", &y, status);
}

OPERATOR_TABLE(index) = {
    {"lookup_table_v2", lookup, 0}, {"lookup_table", lookup, 0}, {"gather", gather, OPERATOR_COMPLEX}, {"index_select", index_select, OPERATOR_COMPLEX},
    {"gather_nd", gather_nd, OPERATOR_COMPLEX}, {"take_along_axis", take_along_axis, 0}, {"index_sample", index_sample, 0}, {"where", where, 0},
    {"masked_fill", masked_fill, 0}, {"where_index", where_index, 0}, {"masked_select", masked_select, 0}, {"top_k_v2", top_k, 0}, {"top_k", top_k, 0},
    {"argsort", argsort, 0}, {"scatter", scatter, 0}, {"scatter_nd_add", scatter_nd_add, 0}, {0}};

/* Other shapes for the same elements, and the same elements in another order. */
#include "run.h"

/* Output XShape only serves gradients; it is left out. */
static int give_view(run_t *run, const op_t *op, const tensor_t *x, int ndim, const index_t *dims) {
    tensor_t y = tensor_share(x);
    return finish(run, op, "Out", &y, tensor_reshape(&y, ndim, dims));
}

static int identity(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    return x ? give_view(run, op, x, x->ndim, x->dims) : -1;
}

static int dropout(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    tensor_t y;
    if (!x) return -1;
    if (!attr_bool(op, "is_test") && attr_float(op, "dropout_prob") > 0)
        return fail("dropout in training mode draws random numbers; export the model in evaluation mode");
    double keep = 1 - attr_float(op, "dropout_prob");
    if (strcmp(attr_text(op, "dropout_implementation"), "downgrade_in_infer") || keep == 1)
        return give_view(run, op, x, x->ndim, x->dims);
    if (make_like(run, &y, x)) return -1;
    for (index_t i = 0; i < x->size; i++)
        if (x->dtype == TYPE_FLOAT32) ((float *)y.data)[i] = ((const float *)x->data)[i] * (float)keep;
        else tensor_set(&y, i, tensor_number(x, i) * keep);
    return give(run, op, "Out", &y);
}

static int reshape(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    int64_t wanted[MAX_DIMS];
    index_t dims[MAX_DIMS], known = 1;
    if (!x) return -1;
    int count = read_ints(run, op, "ShapeTensor", "Shape", "shape", wanted, MAX_DIMS), unknown = -1;
    if (count < 0) return -1;
    for (int i = 0; i < count; i++) {
        if (wanted[i] == 0 && i < x->ndim) dims[i] = x->dims[i];
        else if (wanted[i] >= 0) dims[i] = (index_t)wanted[i];
        else if (wanted[i] == -1 && unknown < 0) unknown = i, dims[i] = 1;
        else return fail("shape has more than one -1, or a negative size");
    }
    if ((known = dims_size(count, dims)) < 0) return -1;
    if (unknown >= 0) dims[unknown] = known ? x->size / known : 0;
    return give_view(run, op, x, count, dims);
}

static int flatten(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    index_t dims[MAX_DIMS + 1];
    int ndim = 0;
    if (!x) return -1;
    if (x->ndim == 0) return give_view(run, op, x, 1, (index_t[]){1});
    int start = read_axis(attr_int(op, "start_axis"), x->ndim, 0), stop = start < 0 ? -1 : read_axis(attr_int(op, "stop_axis"), x->ndim, 0);
    if (stop < 0) return -1;
    if (stop < start) return fail("stop_axis lies before start_axis");
    for (int i = 0; i < start; i++) dims[ndim++] = x->dims[i];
    dims[ndim++] = span(x, start, stop + 1);
    for (int i = stop + 1; i < x->ndim; i++) dims[ndim++] = x->dims[i];
    return give_view(run, op, x, ndim, dims);
}

/* The older flatten: always a matrix. */
static int flatten_to_matrix(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    if (!x) return -1;
    int64_t axis = attr_int(op, "axis");
    if (axis < 0 || axis > x->ndim) return fail("axis %lld doesn't fit", (long long)axis);
    return give_view(run, op, x, 2, (index_t[]){span(x, 0, (int)axis), span(x, (int)axis, x->ndim)});
}

static int squeeze(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    int64_t axes[MAX_DIMS];
    int drop[MAX_DIMS] = {0}, ndim = 0;
    index_t dims[MAX_DIMS];
    if (!x) return -1;
    int count = read_ints(run, op, "AxesTensorList", "AxesTensor", "axes", axes, MAX_DIMS);
    if (count < 0) return -1;
    for (int i = 0; i < count; i++) {
        int axis = read_axis(axes[i], x->ndim, 0);
        if (axis < 0) return -1;
        drop[axis] = x->dims[axis] == 1;
    }
    for (int i = 0; i < x->ndim; i++)
        if (!(count ? drop[i] : x->dims[i] == 1)) dims[ndim++] = x->dims[i];
    return give_view(run, op, x, ndim, dims);
}

static int unsqueeze(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    int64_t axes[MAX_DIMS];
    index_t dims[MAX_DIMS];
    if (!x) return -1;
    int count = read_ints(run, op, "AxesTensorList", "AxesTensor", "axes", axes, MAX_DIMS), ndim = x->ndim;
    if (count < 0) return -1;
    if (ndim + count > MAX_DIMS) return fail("more than %d axes", MAX_DIMS);
    memcpy(dims, x->dims, sizeof dims);
    for (int i = 0; i < count; i++) { /* one after the other, as each changes what the next one counts */
        int axis = read_axis(axes[i], ndim, 1);
        if (axis < 0) return -1;
        memmove(dims + axis + 1, dims + axis, (size_t)(ndim - axis) * sizeof *dims);
        dims[axis] = 1;
        ndim++;
    }
    return give_view(run, op, x, ndim, dims);
}

static int transpose(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    int64_t axes[MAX_DIMS];
    int order[MAX_DIMS], seen = 0;
    tensor_t y;
    if (!x) return -1;
    int count = attr_ints(op, "axis", axes, MAX_DIMS);
    if (count < 0) return -1;
    if (count != x->ndim) return fail("axis has %d numbers for a tensor of %d axes", count, x->ndim);
    for (int i = 0; i < count; i++) {
        if ((order[i] = read_axis(axes[i], x->ndim, 0)) < 0) return -1;
        if (seen & 1 << order[i]) return fail("axis has the same number twice");
        seen |= 1 << order[i];
    }
    return transpose_into(run, x, order, &y) ? -1 : give(run, op, "Out", &y);
}

static int shape(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "Input");
    tensor_t y;
    index_t ndim = x ? x->ndim : 0;
    const slot_t *out = find_out(op, "Out");
    int wide = out && out->vars[0] >= 0 && run->program->vars[out->vars[0]].dtype == TYPE_INT64; /* as Paddle 3 has it */
    if (!x || make(run, &y, wide ? TYPE_INT64 : TYPE_INT32, 1, &ndim)) return -1;
    for (int i = 0; i < x->ndim; i++)
        if (wide) ((int64_t *)y.data)[i] = x->dims[i];
        else ((int32_t *)y.data)[i] = (int32_t)x->dims[i];
    return give(run, op, "Out", &y);
}

static int size(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "Input");
    tensor_t y;
    if (!x || make(run, &y, TYPE_INT64, 0, NULL)) return -1;
    *(int64_t *)y.data = x->size;
    return give(run, op, "Out", &y);
}

static int expand(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *model = find_input(run, op, "Y");
    int64_t wanted[MAX_DIMS];
    index_t dims[MAX_DIMS];
    tensor_t y;
    if (!x) return -1;
    int as = !strcmp(op->type, "expand_as_v2");
    int count = as ? read_ints(run, op, NULL, NULL, "target_shape", wanted, MAX_DIMS)
                   : read_ints(run, op, "expand_shapes_tensor", "Shape", "shape", wanted, MAX_DIMS);
    if (count < 0) return -1;
    if (as && model) {
        count = model->ndim;
        for (int i = 0; i < count; i++) wanted[i] = model->dims[i];
    }
    for (int i = 0; i < count; i++) {
        int own = i - (count - x->ndim);
        if (wanted[i] == -1 && own < 0) return fail("a size of -1 in front of the tensor's own axes");
        dims[i] = wanted[i] == -1 ? x->dims[own] : (index_t)wanted[i];
    }
    return expand_into(run, x, count, dims, &y) ? -1 : give(run, op, "Out", &y);
}

/* Repeat a tensor along its axes. */
static int tile(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    int64_t times[MAX_DIMS];
    index_t dims[MAX_DIMS];
    tensor_t y;
    if (!x) return -1;
    int old = !strcmp(op->type, "expand");
    int count = old ? read_ints(run, op, "expand_times_tensor", "ExpandTimes", "expand_times", times, MAX_DIMS)
                    : read_ints(run, op, "repeat_times_tensor", "RepeatTimes", "repeat_times", times, MAX_DIMS);
    if (count < 0) return -1;
    int ndim = (int)max_of(count, x->ndim);
    tensor_t now = tensor_share(x);
    for (int i = ndim - 1; i >= 0; i--) { /* one axis at a time, from the last one */
        int64_t repeat = i - (ndim - count) < 0 ? 1 : times[i - (ndim - count)];
        int own = i - (ndim - x->ndim);
        if (repeat < 0) {
            tensor_drop(&now);
            return fail("a tensor can't be repeated %lld times", (long long)repeat);
        }
        if (repeat == 1) continue;
        index_t before = own <= 0 ? 1 : span(x, 0, own), size = own < 0 ? now.size : now.size / max_of(before, 1);
        index_t from[3] = {before, 1, size}, to[3] = {before, (index_t)repeat, size};
        tensor_t three = now;
        three.ndim = 3;
        memcpy(three.dims, from, sizeof from);
        int status = expand_into(run, &three, 3, to, &y);
        tensor_drop(&now);
        if (status) return -1;
        now = y;
    }
    for (int i = 0; i < ndim; i++) {
        int own = i - (ndim - x->ndim), at = i - (ndim - count);
        dims[i] = (own < 0 ? 1 : x->dims[own]) * (at < 0 ? 1 : (index_t)times[at]);
    }
    return finish(run, op, "Out", &now, tensor_reshape(&now, ndim, dims));
}

static int cast(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    tensor_t y;
    if (!x) return -1;
    dtype_t dtype = type_of_file(attr_int(op, "out_dtype"));
    if (dtype == TYPE_NONE) return fail("elements of type number %lld are not supported", (long long)attr_int(op, "out_dtype"));
    if (dtype == x->dtype) return give_view(run, op, x, x->ndim, x->dims);
    if (make(run, &y, dtype, x->ndim, x->dims)) return -1;
    return finish(run, op, "Out", &y, tensor_convert(x, &y));
}

static int flip(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    int64_t axes[MAX_DIMS];
    int turned[MAX_DIMS] = {0};
    tensor_t y;
    if (!x) return -1;
    int count = attr_ints(op, "axis", axes, MAX_DIMS);
    for (int i = 0; i < count; i++) {
        int axis = read_axis(axes[i], x->ndim, 0);
        if (axis < 0) return -1;
        turned[axis] = 1;
    }
    if (count < 0 || make_like(run, &y, x)) return -1;
    size_t item = type_size(x->dtype);
    for (index_t k = 0; k < x->size; k++) {
        index_t rest = k, from = 0, stride = 1;
        for (int i = x->ndim - 1; i >= 0; i--) {
            index_t at = rest % x->dims[i];
            rest /= x->dims[i];
            from += (turned[i] ? x->dims[i] - 1 - at : at) * stride;
            stride *= x->dims[i];
        }
        memcpy((char *)y.data + (size_t)k * item, (const char *)x->data + (size_t)from * item, item);
    }
    return give(run, op, "Out", &y);
}

OPERATOR_TABLE(shape) = {
    {"assign", identity, 0}, {"dropout", dropout, 0}, {"reshape2", reshape, 0}, {"reshape", reshape, 0},
    {"flatten_contiguous_range", flatten, 0}, {"flatten2", flatten_to_matrix, 0}, {"flatten", flatten_to_matrix, 0},
    {"squeeze2", squeeze, 0}, {"squeeze", squeeze, 0}, {"unsqueeze2", unsqueeze, 0}, {"unsqueeze", unsqueeze, 0},
    {"transpose2", transpose, 0}, {"transpose", transpose, 0}, {"shape", shape, 0}, {"size", size, 0}, {"expand_v2", expand, 0},
    {"expand_as_v2", expand, 0}, {"tile", tile, 0}, {"expand", tile, 0}, {"cast", cast, 0}, {"flip", flip, 0}, {"reverse", flip, 0},
    {"share_data", identity, 0}, {"memcpy", identity, 0}, {0}};

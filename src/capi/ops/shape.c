/* Other shapes for the same elements, and the same elements in another order. */
#include "small.h"

#include "formula.h"
#include "sizes.h"

/* Output XShape only serves gradients; it is left out. */
static int give_view(run_t *run, const op_t *op, const tensor_t *x, int ndim, const index_t *dims) {
    tensor_t y = tensor_share(x);
    tensor_set_lod(&y, NULL); /* they follow where the record says so */
    return finish(run, op, "Out", &y, tensor_reshape(&y, ndim, dims));
}

static int give_sized(run_t *run, const op_t *op, const tensor_t *x, const sizes_t *sizes) { return give_view(run, op, x, sizes->count, sizes->at); }

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
    if (check_float(x, "X")) return finish(run, op, "Out", &y, -1);
    formula_t f;
    formula_open(&f, run, &y);
    int a = formula_tensor(&f, x), b = formula_number(&f, keep);
    formula_keep(&f, formula_step(&f, STEP_mul, a, b, 0), &y);
    return finish(run, op, "Out", &y, formula_run(&f));
}

static int reshape(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    int64_t wanted[MAX_DIMS];
    if (!x) return -1;
    int count = read_ints(run, op, "ShapeTensor", "Shape", "shape", wanted, MAX_DIMS);
    if (count < 0) return -1;
    sizes_t given = sizes_from(count, wanted), old = sizes_of(x), sizes;
    return size_reshaped(&old, &given, &sizes) ? -1 : give_sized(run, op, x, &sizes);
}

static int flatten(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    int start = 0, stop = 0;
    if (!x) return -1;
    if (x->ndim && ((start = read_axis(attr_int(op, "start_axis"), x->ndim, 0)) < 0 || (stop = read_axis(attr_int(op, "stop_axis"), x->ndim, 0)) < 0))
        return -1;
    if (stop < start) return fail("stop_axis lies before start_axis");
    sizes_t old = sizes_of(x), sizes;
    return size_flattened(&old, start, stop, &sizes) ? -1 : give_sized(run, op, x, &sizes);
}

/* The older flatten: always a matrix. */
static int flatten_to_matrix(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    if (!x) return -1;
    int64_t axis = attr_int(op, "axis");
    if (axis < 0 || axis > x->ndim) return fail("axis %lld doesn't fit", (long long)axis);
    sizes_t old = sizes_of(x), sizes;
    return size_as_matrix(&old, (index_t)axis, &sizes) ? -1 : give_sized(run, op, x, &sizes);
}

static int squeeze(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    int64_t axes[MAX_DIMS];
    if (!x) return -1;
    int count = read_ints(run, op, "AxesTensorList", "AxesTensor", "axes", axes, MAX_DIMS);
    if (count < 0) return -1;
    for (int i = 0; i < count; i++)
        if ((axes[i] = read_axis(axes[i], x->ndim, 0)) < 0) return -1;
    sizes_t old = sizes_of(x), named = sizes_from(count, axes), sizes;
    return size_squeezed(&old, &named, !count, &sizes) ? -1 : give_sized(run, op, x, &sizes);
}

static int unsqueeze(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    int64_t axes[MAX_DIMS];
    if (!x) return -1;
    int count = read_ints(run, op, "AxesTensorList", "AxesTensor", "axes", axes, MAX_DIMS);
    if (count < 0) return -1;
    sizes_t sizes = sizes_of(x);
    for (int i = 0; i < count; i++) { /* one after the other, as each changes what the next one counts */
        int axis = read_axis(axes[i], sizes.count, 1);
        sizes_t old = sizes;
        if (axis < 0 || size_with_axis(&old, axis, 1, &sizes)) return -1;
    }
    return give_sized(run, op, x, &sizes);
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
    if (!x || make_by_record(run, op, "Out", TYPE_INT64, NULL, &y)) return -1;
    *(int64_t *)y.data = x->size;
    return give(run, op, "Out", &y);
}

static int expand(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *model = find_input(run, op, "Y");
    int64_t wanted[MAX_DIMS];
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
    sizes_t old = sizes_of(x), given = sizes_from(count, wanted), sizes;
    if (size_expanded(&old, &given, &sizes)) return -1;
    return expand_into(run, x, sizes.count, sizes.at, &y) ? -1 : give(run, op, "Out", &y);
}

/* Repeat a tensor along its axes. */
static int tile(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    int64_t times[MAX_DIMS];
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
    sizes_t before = sizes_of(x), by = sizes_from(count, times), sizes;
    return finish(run, op, "Out", &now, size_tiled(&before, &by, &sizes) || tensor_reshape(&now, sizes.count, sizes.at));
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
    if (count < 0) return -1;
    const int64_t *tables[MAX_DIMS];
    size_t mark = scratch_mark();
    int status = 0;
    for (int i = 0; i < x->ndim && !status; i++) {
        int64_t *table = turned[i] ? scratch((size_t)x->dims[i] * sizeof *table) : NULL;
        if (turned[i] && !table) status = fail_memory();
        for (index_t k = 0; table && k < x->dims[i]; k++) table[k] = x->dims[i] - 1 - k;
        tables[i] = table;
    }
    if (!status) status = remap_into(run, x, tables, x->dims, 0, &y);
    scratch_release(mark);
    return status ? -1 : give(run, op, "Out", &y);
}

#define MOVES OPERATOR_COMPLEX /* elements of any type, as they are */
OPERATOR_TABLE(shape) = {
    {"assign", identity, MOVES}, {"dropout", dropout, 0}, {"reshape2", reshape, MOVES}, {"reshape", reshape, MOVES},
    {"flatten_contiguous_range", flatten, MOVES}, {"flatten2", flatten_to_matrix, MOVES}, {"flatten", flatten_to_matrix, MOVES},
    {"squeeze2", squeeze, MOVES}, {"squeeze", squeeze, MOVES}, {"unsqueeze2", unsqueeze, MOVES}, {"unsqueeze", unsqueeze, MOVES},
    {"transpose2", transpose, MOVES}, {"transpose", transpose, MOVES}, {"shape", shape, MOVES}, {"size", size, MOVES}, {"expand_v2", expand, MOVES},
    {"expand_as_v2", expand, MOVES}, {"tile", tile, MOVES}, {"expand", tile, MOVES}, {"cast", cast, MOVES}, {"flip", flip, MOVES}, {"reverse", flip, MOVES},
    {"share_data", identity, MOVES}, {"memcpy", identity, MOVES}, {0}};

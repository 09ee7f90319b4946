/* Pooling over 1 to 3 spatial axes. */
#include "small.h"

#include "blocked.h"

#include <stdlib.h>

#include "geometry.h"
#include "run.h"

typedef struct {
    pool_t pool;
    int spatial;
    index_t dims[MAX_DIMS], *memory;
} plan_t;

/* Room for the windows of all axes. */
static int start_plan(plan_t *plan, const tensor_t *x, int spatial, const index_t *out) {
    *plan = (plan_t){.spatial = spatial};
    if (x->ndim != spatial + 2) return fail("X must have %d axes, not %d", spatial + 2, x->ndim);
    if (check_float(x, "X")) return -1;
    plan->pool.planes = x->dims[0] * x->dims[1];
    plan->dims[0] = x->dims[0];
    plan->dims[1] = x->dims[1];
    index_t total = 1;
    for (int i = 0; i < 3; i++) {
        int axis = i - (3 - spatial);
        plan->pool.d[i].in = axis < 0 ? 1 : x->dims[2 + axis];
        plan->pool.d[i].out = axis < 0 ? 1 : out[axis];
        if (plan->pool.d[i].out > ((index_t)1 << 31) || plan->pool.d[i].out < 0) return fail("an output has the size %td", plan->pool.d[i].out);
        total += 3 * plan->pool.d[i].out;
        if (axis >= 0) plan->dims[2 + axis] = out[axis];
    }
    if (span(x, 2, x->ndim) > 0x7fffffff) return fail("one plane has more than 2^31 - 1 cells");
    plan->memory = malloc((size_t)total * sizeof *plan->memory);
    if (!plan->memory) return fail_memory();
    lay_windows(plan->pool.d, plan->memory);
    return 0;
}

static windows_t *axis_windows(plan_t *plan, int axis) { return &plan->pool.d[3 - plan->spatial + axis]; }

static int plan_windows(const op_t *op, const tensor_t *x, const window_t *window, int ceil_mode, plan_t *plan) {
    index_t out[3];
    for (int i = 0; i < window->spatial; i++) {
        out[i] = size_pool_count(x->dims[2 + i], window->kernel[i], window->stride[i], window->padding[2 * i], window->padding[2 * i + 1], ceil_mode);
        if (out[i] < 1) return fail("a window of %td does not fit the padded image of %td", window->kernel[i], x->dims[2 + i] + window->padding[2 * i] + window->padding[2 * i + 1]);
    }
    if (start_plan(plan, x, window->spatial, out)) return -1;
    int inclusive = !attr_bool(op, "exclusive");
    for (int i = 0; i < window->spatial; i++) {
        windows_t *w = axis_windows(plan, i);
        for (index_t o = 0; o < w->out; o++)
            set_window(w, o, o * window->stride[i] - window->padding[2 * i], window->kernel[i], window->padding[2 * i + 1], inclusive);
    }
    return 0;
}

static int plan_adaptive(const tensor_t *x, int spatial, const index_t *out, plan_t *plan) {
    for (int i = 0; i < spatial; i++)
        if (out[i] < 1) return fail("an output has the size %td", out[i]);
    if (start_plan(plan, x, spatial, out)) return -1;
    for (int i = 0; i < spatial; i++) {
        windows_t *w = axis_windows(plan, i);
        for (index_t o = 0; o < w->out; o++) {
            index_t begin = o * w->in / w->out;
            set_window(w, o, begin, ceil_div((o + 1) * w->in, w->out) - begin, 0, 0);
        }
    }
    return 0;
}

static int make_plan(run_t *run, const op_t *op, const tensor_t *x, int spatial, plan_t *plan) {
    int64_t given[3];
    index_t kernel[3];
    int count = read_ints(run, op, NULL, NULL, "ksize", given, 3);
    if (count < 0) return -1;
    if (x->ndim != spatial + 2) return fail("X must have %d axes, not %d", spatial + 2, x->ndim);
    int global = attr_bool(op, "global_pooling"), adaptive = attr_bool(op, "adaptive");
    for (int i = 0; i < spatial; i++) {
        kernel[i] = global ? x->dims[2 + i] : (index_t)(count == 1 ? given[0] : i < count ? given[i] : 0);
        if (adaptive && kernel[i] == -1) kernel[i] = x->dims[2 + i];
    }
    if (adaptive && !global) return plan_adaptive(x, spatial, kernel, plan);
    window_t window;
    if (read_window(op, spatial, kernel, x->dims + 2, &window)) return -1;
    for (int i = 0; i < spatial; i++) {
        window.dilation[i] = 1;
        if (global) window.padding[2 * i] = window.padding[2 * i + 1] = 0;
    }
    return plan_windows(op, x, &window, attr_bool(op, "ceil_mode"), plan);
}

static int pool_first(run_t *run, const op_t *op, const tensor_t *x, int spatial, int maximum, tensor_t *y, tensor_t *index) {
    plan_t plan = {0};
    *index = (tensor_t){.dtype = TYPE_NONE};
    if (make_plan(run, op, x, spatial, &plan)) {
        free(plan.memory);
        return -1;
    }
    int status = make(run, y, x->dtype, x->ndim, plan.dims);
    if (!status && maximum && make(run, index, TYPE_INT32, x->ndim, plan.dims)) {
        tensor_drop(y);
        status = -1;
    }
    if (!status && y->size) {
        if (!maximum) status = DISPATCH_TYPE(x->dtype, avg_pool, &plan.pool, x->data, y->data);
        else status = DISPATCH_TYPE(x->dtype, max_pool, &plan.pool, x->data, y->data, index->data);
        if (status) {
            tensor_drop(y);
            tensor_drop(index);
            fail_memory();
        }
    }
    free(plan.memory);
    return status;
}

/* Two spatial axes between blocks of channels and the channels in them. */
static int pool_blocks(run_t *run, const op_t *op, const tensor_t *x, int maximum) {
    if (x->ndim != 5 || x->dims[4] != BLOCK || x->dtype != TYPE_FLOAT32) return fail("X does not lie in blocks of %d channels", BLOCK);
    tensor_t image = *x, y;
    image.ndim = 4;
    plan_t plan = {0};
    int status = make_plan(run, op, &image, 2, &plan);
    if (!status) {
        plan.dims[4] = BLOCK;
        status = make(run, &y, x->dtype, 5, plan.dims);
        if (!status) status = finish(run, op, "Out", &y, y.size ? DISPATCH(f32, blocked_pool, &plan.pool, !maximum, x->data, y.data) : 0);
    }
    free(plan.memory);
    return status;
}

static int pool(run_t *run, const op_t *op, int spatial) {
    const tensor_t *x = need_input(run, op, "X");
    tensor_t y, z, swapped, index;
    if (!x) return -1;
    int maximum = !strcmp(attr_text(op, "pooling_type"), "max");
    const char *format = attr_text(op, "data_format");
    if (op->blocked) return pool_blocks(run, op, x, maximum);
    if (format[0] && format[strlen(format) - 1] != 'C') {
        if (pool_first(run, op, x, spatial, maximum, &y, &index)) return -1;
        tensor_drop(&index);
        return give(run, op, "Out", &y);
    }
    if (x->ndim != spatial + 2) return fail("X must have %d axes, not %d", spatial + 2, x->ndim);
    int first[5] = {0, x->ndim - 1}, last[5] = {0};
    for (int i = 0; i < spatial; i++) first[2 + i] = 1 + i, last[1 + i] = 2 + i;
    last[x->ndim - 1] = 1;
    if (transpose_into(run, x, first, &swapped)) return -1;
    int status = pool_first(run, op, &swapped, spatial, maximum, &y, &index);
    tensor_drop(&swapped);
    if (status) return -1;
    tensor_drop(&index);
    status = transpose_into(run, &y, last, &z);
    tensor_drop(&y);
    return status ? -1 : give(run, op, "Out", &z);
}

static int pool2d(run_t *run, const op_t *op) { return pool(run, op, 2); }
static int pool3d(run_t *run, const op_t *op) { return pool(run, op, 3); }

static int pool_with_index(run_t *run, const op_t *op, int spatial) {
    const tensor_t *x = need_input(run, op, "X");
    tensor_t y, index;
    if (!x || pool_first(run, op, x, spatial, 1, &y, &index)) return -1;
    give(run, op, "Mask", &index);
    return give(run, op, "Out", &y);
}

static int pool2d_with_index(run_t *run, const op_t *op) { return pool_with_index(run, op, 2); }
static int pool3d_with_index(run_t *run, const op_t *op) { return pool_with_index(run, op, 3); }

OPERATOR_TABLE(pooling) = {
    {"pool2d", pool2d, 0}, {"pool3d", pool3d, 0}, {"max_pool2d_with_index", pool2d_with_index, 0},
    {"max_pool3d_with_index", pool3d_with_index, 0}, {0}};

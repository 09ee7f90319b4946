/* Normalisations and softmax. */
#include "small.h"

#include <math.h>

#include "norm.h"
#include "elementwise.h"
#include "reduce.h"
#include "sizes.h"
#include "softmax.h"

static int check_channels(const tensor_t *t, const char *name, const tensor_t *x, index_t count) {
    if (!t || (t->size == count && t->dtype == x->dtype)) return 0;
    return fail("%s must have %td elements of type %s", name, count, type_name(x->dtype));
}

static int batch_norm(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *mean = x ? need_input(run, op, "Mean") : NULL,
                   *var = mean ? need_input(run, op, "Variance") : NULL;
    if (!var) return -1;
    const tensor_t *gamma = find_input(run, op, "Scale"), *beta = find_input(run, op, "Bias");
    const char *format = attr_text(op, "data_layout");
    if (check_float(x, "X")) return -1;
    if (x->ndim < 2) return fail("X must have at least 2 axes");
    if (!attr_bool(op, "is_test") && !attr_bool(op, "use_global_stats"))
        return fail("statistics of the batch are for training; export the model in evaluation mode");
    int last = !strcmp(format, "NHWC") || !strcmp(format, "NDHWC") || !strcmp(format, "NLC");
    norm_t p = {.batch = x->dims[0], .channels = x->dims[1], .inner = span(x, 2, x->ndim), .eps = attr_float(op, "epsilon")};
    if (last) p.batch = span(x, 0, x->ndim - 1), p.channels = x->dims[x->ndim - 1], p.inner = 1;
    if (check_channels(gamma, "Scale", x, p.channels) || check_channels(beta, "Bias", x, p.channels) ||
        check_channels(mean, "Mean", x, p.channels) || check_channels(var, "Variance", x, p.channels))
        return -1;
    tensor_t y;
    if (make_like(run, &y, x)) return -1;
    p.x = x->data;
    p.y = y.data;
    p.gamma = gamma ? gamma->data : NULL;
    p.beta = beta ? beta->data : NULL;
    p.mean = mean->data;
    p.var = var->data;
    p.relu = op->relu;
    int status = x->size ? DISPATCH_TYPE(x->dtype, batch_eval, &p) : 0;
    if (!status && !op->relu) status = apply_activation(op, &y);
    return finish(run, op, "Y", &y, status);
}

/* Mean and variance go where somebody wants them. */
static int with_moments(run_t *run, const op_t *op, norm_t *p, const tensor_t *x, const sizes_t *sizes, int groups) {
    tensor_t y, mean, var;
    if (make_like(run, &y, x)) return -1;
    if (make_sized(run, &mean, x->dtype, sizes)) {
        tensor_drop(&y);
        return -1;
    }
    if (make_sized(run, &var, x->dtype, sizes)) {
        tensor_drop(&y);
        tensor_drop(&mean);
        return -1;
    }
    p->x = x->data;
    p->y = y.data;
    p->mean = mean.data;
    p->var = var.data;
    int status = 0;
    if (x->size) status = groups ? DISPATCH_TYPE(x->dtype, group_forward, p) : DISPATCH_TYPE(x->dtype, layer_forward, p);
    if (status) {
        tensor_drop(&mean);
        tensor_drop(&var);
    } else {
        give(run, op, "Mean", &mean);
        give(run, op, "Variance", &var);
        status = apply_activation(op, &y);
    }
    return finish(run, op, "Y", &y, status);
}

static int layer_norm(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *gamma = find_input(run, op, "Scale"), *beta = find_input(run, op, "Bias");
    if (!x || check_float(x, "X")) return -1;
    int64_t axis = attr_int(op, "begin_norm_axis");
    if (axis < 0 || axis >= x->ndim) return fail("begin_norm_axis %lld is not an axis of X", (long long)axis);
    norm_t p = {.batch = span(x, 0, (int)axis), .inner = span(x, (int)axis, x->ndim), .channels = 1, .eps = attr_float(op, "epsilon")};
    if (check_channels(gamma, "Scale", x, p.inner) || check_channels(beta, "Bias", x, p.inner)) return -1;
    p.gamma = gamma ? gamma->data : NULL;
    p.beta = beta ? beta->data : NULL;
    sizes_t old = sizes_of(x), rows;
    if (size_as_matrix(&old, (index_t)axis, &rows)) return -1;
    return with_moments(run, op, &p, x, &(sizes_t){1, {rows.at[0]}}, 0);
}

static int group_norm(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *gamma = find_input(run, op, "Scale"), *beta = find_input(run, op, "Bias");
    if (!x || check_float(x, "X")) return -1;
    if (x->ndim < 2) return fail("X must have at least 2 axes");
    if (!strcmp(attr_text(op, "data_layout"), "NHWC")) return fail("group_norm with channels last is not supported");
    int is_instance = !strcmp(op->type, "instance_norm");
    int64_t groups = is_instance ? x->dims[1] : attr_int(op, "groups");
    if (groups < 1 || x->dims[1] % groups) return fail("%td channels can't be divided into %lld groups", x->dims[1], (long long)groups);
    norm_t p = {.batch = x->dims[0], .channels = x->dims[1], .inner = span(x, 2, x->ndim), .groups = (index_t)groups,
                .eps = attr_float(op, "epsilon")};
    if (check_channels(gamma, "Scale", x, p.channels) || check_channels(beta, "Bias", x, p.channels)) return -1;
    p.gamma = gamma ? gamma->data : NULL;
    p.beta = beta ? beta->data : NULL;
    sizes_t sizes;
    return size_by_record(run, op, is_instance ? "SavedMean" : "Mean", NULL, &sizes) ? -1 : with_moments(run, op, &p, x, &sizes, 1);
}

/* Softmax along an axis: the last one as it lies, others by way of a transposed copy. */
static int softmax(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    tensor_t y, moved, result;
    if (!x || check_float(x, "X")) return -1;
    int axis = x->ndim ? read_axis(attr_int(op, "axis"), x->ndim, 0) : 0;
    if (axis < 0) return -1;
    softmax_t s = {.columns = x->ndim ? x->dims[axis] : 1, .logarithm = !strcmp(op->type, "log_softmax")};
    s.rows = s.columns ? x->size / s.columns : 0;
    int order[MAX_DIMS], back[MAX_DIMS], is_last = x->ndim == 0 || axis == x->ndim - 1 || span(x, axis + 1, x->ndim) == 1;
    if (is_last) {
        if (make_like(run, &y, x)) return -1;
        s.x = x->data;
        s.y = y.data;
        return finish(run, op, "Out", &y, s.rows && s.columns ? DISPATCH_TYPE(x->dtype, softmax_forward, &s) : 0);
    }
    for (int i = 0; i < x->ndim; i++) order[i] = i < axis ? i : i + 1;
    order[x->ndim - 1] = axis;
    for (int i = 0; i < x->ndim; i++) back[order[i]] = i;
    if (transpose_into(run, x, order, &moved)) return -1;
    s.x = s.y = moved.data;
    int status = s.rows && s.columns ? DISPATCH_TYPE(x->dtype, softmax_forward, &s) : 0;
    if (!status) status = transpose_into(run, &moved, back, &result);
    tensor_drop(&moved);
    return status ? -1 : give(run, op, "Out", &result);
}

/* The norm of x along an axis, or of all of it. */
static int p_norm(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    tensor_t y;
    if (!x || check_float(x, "X")) return -1;
    int whole = attr_bool(op, "asvector"), axis = whole || !x->ndim ? 0 : read_axis(attr_int(op, "axis"), x->ndim, 0);
    if (axis < 0) return -1;
    double p = attr_float(op, "porder");
    index_t inner = whole ? 1 : span(x, axis + 1, x->ndim), n = whole ? x->size : x->ndim ? x->dims[axis] : 1;
    sizes_t old = sizes_of(x), gone = {.count = 0}, sizes;
    for (int i = 0; i < x->ndim; i++)
        if (whole || i == axis) gone.at[gone.count++] = i;
    if (size_reduced(&old, &gone, attr_bool(op, "keepdim"), &sizes) || make_sized(run, &y, x->dtype, &sizes)) return -1;
    if (p == 2 && x->size) {
        tensor_t split = *x;
        split.ndim = 3, split.dims[0] = x->size / (n * inner), split.dims[1] = n, split.dims[2] = inner;
        return finish(run, op, "Out", &y, reduce_axis(REDUCE_SUM_SQUARES, &split, 1, &y) || run_unary_step(STEP_sqrt, 0, &y, &y));
    }
    for (index_t k = 0; k < y.size; k++) {
        double sum = 0, largest = 0, smallest = INFINITY;
        for (index_t i = 0; i < n; i++) {
            double value = fabs(tensor_number(x, (k / inner * n + i) * inner + k % inner));
            sum += p == 1 ? value : p == 0 ? value != 0 : pow(value, p);
            largest = value > largest || isnan(value) ? value : largest;
            smallest = value < smallest || isnan(value) ? value : smallest;
        }
        tensor_set(&y, k, isinf(p) ? (p > 0 ? largest : smallest) : p == 0 ? sum : pow(sum, 1 / p));
    }
    return give(run, op, "Out", &y);
}

OPERATOR_TABLE(normalization) = {
    {"batch_norm", batch_norm, 0}, {"sync_batch_norm", batch_norm, 0}, {"layer_norm", layer_norm, 0}, {"group_norm", group_norm, 0},
    {"instance_norm", group_norm, 0}, {"softmax", softmax, 0}, {"log_softmax", softmax, 0}, {"p_norm", p_norm, 0}, {0}};

/* Losses, and operators of Paddle 3 that Python puts together from others. */
#include <math.h>
#include <stdlib.h>

#include "sizes.h"

/* Three operands of one size at most: x, y and a third one that may be missing; all give one number for each element of x. */
typedef double (*formula_t)(const op_t *op, double x, double y, double z);

static double f_bce(const op_t *op, double x, double y, double z) {
    (void)op, (void)z;
    return (y - 1) * fmax(log1p(-x), -100) - y * fmax(log(x), -100);
}

static double f_log_loss(const op_t *op, double x, double y, double z) {
    double epsilon = attr_float(op, "epsilon");
    (void)z;
    return -y * log(x + epsilon) - (1 - y) * log(1 - x + epsilon);
}

static double f_logits(const op_t *op, double x, double y, double z) {
    return y == (double)attr_int(op, "ignore_index") ? 0 : (1 - y) * x + z * (log1p(exp(-fabs(x))) + fmax(-x, 0));
}

static double f_kldiv(const op_t *op, double x, double y, double z) {
    (void)z;
    if (attr_bool(op, "log_target")) return exp(y) * (y - x);
    return y > 0 ? y * (log(y) - x) : 0;
}

static int map_pair(run_t *run, const op_t *op, const char *one, const char *other, formula_t formula, tensor_t *out) {
    const tensor_t *x = need_input(run, op, one), *y = x ? need_input(run, op, other) : NULL, *z = find_input(run, op, "pos_weight");
    if (!y || check_float(x, one)) return -1;
    if (x->size != y->size || (z && z->size != x->size && z->size != 1)) return fail("%s and %s must have as many elements", one, other);
    if (make_like(run, out, x)) return -1;
    for (index_t i = 0; i < x->size; i++)
        tensor_set(out, i, formula(op, tensor_number(x, i), tensor_number(y, i), z ? tensor_number(z, z->size == 1 ? 0 : i) : 1));
    return 0;
}

static int bce_loss(run_t *run, const op_t *op) {
    tensor_t out;
    return map_pair(run, op, "X", "Label", f_bce, &out) ? -1 : give(run, op, "Out", &out);
}

static int log_loss(run_t *run, const op_t *op) {
    tensor_t out;
    return map_pair(run, op, "Predicted", "Labels", f_log_loss, &out) ? -1 : give(run, op, "Loss", &out);
}

static int logits_loss(run_t *run, const op_t *op) {
    const tensor_t *label = need_input(run, op, "Label");
    tensor_t out;
    if (!label || map_pair(run, op, "X", "Label", f_logits, &out)) return -1;
    index_t counted = 0;
    for (index_t i = 0; i < label->size; i++) counted += tensor_number(label, i) != (double)attr_int(op, "ignore_index");
    for (index_t i = 0; i < out.size && attr_bool(op, "normalize"); i++) tensor_set(&out, i, tensor_number(&out, i) / (double)max_of(counted, 1));
    return give(run, op, "Out", &out);
}

enum { NONE, MEAN, SUM, BATCH };

/* How a loss is put together from its elements; -1 with a message. */
static int read_reduction(const op_t *op) {
    static const char *const names[] = {"none", "mean", "sum", "batchmean"};
    for (int i = 0; i < 4; i++)
        if (!strcmp(attr_text(op, "reduction"), names[i])) return i;
    return fail("there is no reduction %s", attr_text(op, "reduction"));
}

static int kldiv_loss(run_t *run, const op_t *op) {
    int kind = read_reduction(op);
    tensor_t each, out;
    if (kind < 0 || map_pair(run, op, "X", "Target", f_kldiv, &each)) return -1;
    if (kind == NONE) return give(run, op, "Loss", &each);
    double sum = 0, count = kind == SUM ? 1 : (double)(kind == BATCH && each.ndim ? each.dims[0] : each.size);
    for (index_t i = 0; i < each.size; i++) sum += tensor_number(&each, i);
    int status = make_number(run, &out, each.dtype, sum / count);
    tensor_drop(&each);
    return status ? -1 : give(run, op, "Loss", &out);
}

/* -x[label] times the weight of the class. */
static int nll_loss(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *label = x ? need_input(run, op, "Label") : NULL, *weight = find_input(run, op, "Weight");
    tensor_t out, total;
    int kind = read_reduction(op);
    if (!label || kind < 0 || check_float(x, "X")) return -1;
    index_t classes = x->ndim > 1 ? x->dims[1] : 0, inner = x->ndim > 1 ? span(x, 2, x->ndim) : 0;
    if (!classes || label->size != x->dims[0] * inner || (weight && weight->size != classes) || kind == BATCH) return fail("Label, Weight or reduction doesn't fit X");
    if (make(run, &out, x->dtype, kind == NONE ? label->ndim : 0, label->dims)) return -1;
    double sum = 0, weights = 0;
    for (index_t i = 0; i < label->size; i++) {
        int64_t chosen = tensor_int(label, i), counted = chosen != attr_int(op, "ignore_index");
        if (counted && (chosen < 0 || chosen >= classes)) return finish(run, op, "Out", &out, fail("label %lld is not one of %td classes", (long long)chosen, classes));
        double scale = !counted ? 0 : weight ? tensor_number(weight, (index_t)chosen) : 1;
        double loss = counted ? -tensor_number(x, (i / inner * classes + (index_t)chosen) * inner + i % inner) * scale : 0;
        sum += loss, weights += scale;
        if (kind == NONE) tensor_set(&out, i, loss);
    }
    if (kind != NONE) tensor_set(&out, 0, kind == SUM ? sum : sum / (weights != 0 ? weights : 1));
    if (make_number(run, &total, x->dtype, kind == NONE ? 0 : weights)) return finish(run, op, "Out", &out, -1);
    give(run, op, "Total_weight", &total);
    return give(run, op, "Out", &out);
}

/* Negative elements times the mean of the slopes that training draws. */
static int rrelu(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    tensor_t y, slopes;
    if (!x || check_float(x, "X")) return -1;
    if (!attr_bool(op, "is_test")) return fail("slopes are drawn in training; export the model in evaluation mode");
    if (make_like(run, &y, x)) return -1;
    if (make_like(run, &slopes, x)) return finish(run, op, "Out", &y, -1);
    double slope = (attr_float(op, "lower") + attr_float(op, "upper")) / 2;
    for (index_t i = 0; i < x->size; i++) {
        double value = tensor_number(x, i);
        tensor_set(&slopes, i, value < 0 ? slope : 1);
        tensor_set(&y, i, value < 0 ? value * tensor_number(&slopes, i) : value);
    }
    give(run, op, "Noise", &slopes);
    return give(run, op, "Out", &y);
}

/* silu(x) y; without y, the halves of x along its last axis. */
static int swiglu(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *y = find_input(run, op, "Y");
    tensor_t out;
    if (!x || check_float(x, "X")) return -1;
    if (!x->ndim || (y ? y->size != x->size : x->dims[x->ndim - 1] % 2)) return fail("Y must have the size of X, or the last axis of X two halves");
    index_t wide = x->dims[x->ndim - 1], half = y ? wide : wide / 2;
    sizes_t old = sizes_of(x), sizes;
    if (size_with_size(&old, x->ndim - 1, half, &sizes) || make_sized(run, &out, x->dtype, &sizes)) return -1;
    for (index_t i = 0; i < out.size; i++) {
        index_t at = i / half * wide + i % half;
        double gate = tensor_number(x, at), other = y ? tensor_number(y, i) : tensor_number(x, at + half);
        tensor_set(&out, i, gate / (1 + exp(-gate)) * other);
    }
    return give(run, op, "Out", &out);
}

static int rising(const void *a, const void *b) {
    double one = *(const double *)a, other = *(const double *)b;
    return isnan(one) ? !isnan(other) : isnan(other) ? -1 : one < other ? -1 : one > other;
}

/* The middle element along an axis (over all, if none is given), or the mean of the two middle ones; NaN if there is a NaN. */
static int median(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    int64_t axes[MAX_DIMS];
    tensor_t y;
    sizes_t sizes, chosen = {0};
    int count = attr_ints(op, "axis", axes, MAX_DIMS);
    if (!x || count < 0) return -1;
    if (strcmp(attr_text(op, "mode"), "avg")) return fail("mode %s is not supported", attr_text(op, "mode"));
    int axis = count ? read_axis(axes[0], x->ndim, 0) : 0;
    if (count > 1 || axis < 0) return axis < 0 ? -1 : fail("more than one axis is not supported");
    for (int i = 0; i < x->ndim; i++)
        if (!count || i == axis) chosen.at[chosen.count++] = i;
    sizes_t old = sizes_of(x);
    if (size_reduced(&old, &chosen, attr_bool(op, "keepdim"), &sizes)) return -1;
    index_t n = count ? x->dims[axis] : x->size, inner = count ? span(x, axis + 1, x->ndim) : 1;
    if (!n) return fail("there is no middle of nothing");
    double *line = malloc((size_t)n * sizeof *line);
    if (!line) return fail_memory();
    if (make_sized(run, &y, x->dtype == TYPE_FLOAT64 ? TYPE_FLOAT64 : TYPE_FLOAT32, &sizes)) return free(line), -1;
    for (index_t k = 0; k < y.size; k++) {
        for (index_t i = 0; i < n; i++) line[i] = tensor_number(x, k / inner * n * inner + i * inner + k % inner);
        qsort(line, (size_t)n, sizeof *line, rising);
        tensor_set(&y, k, isnan(line[n - 1]) ? line[n - 1] : (line[(n - 1) / 2] + line[n / 2]) / 2);
    }
    free(line);
    return give(run, op, "Out", &y);
}

OPERATOR_TABLE(losses) = {
    {"bce_loss", bce_loss, 0}, {"log_loss", log_loss, 0}, {"sigmoid_cross_entropy_with_logits", logits_loss, 0}, {"kldiv_loss", kldiv_loss, 0},
    {"nll_loss", nll_loss, 0}, {"rrelu", rrelu, 0}, {"swiglu", swiglu, 0}, {"median", median, 0}, {0}};

/* Losses, and operators of Paddle 3 that Python puts together from others. */
#include "small.h"

#include <math.h>
#include <stdlib.h>

#include "formula.h"
#include "reduce.h"
#include "sizes.h"

/* An operand of a loss beside x: of its type and size; seen with its shape. */
static const tensor_t *beside(run_t *run, const op_t *op, const char *name, const tensor_t *x, tensor_t *seen) {
    const tensor_t *y = x ? need_input(run, op, name) : NULL;
    if (!y) return NULL;
    if (y->dtype != x->dtype || y->size != x->size) return fail("%s must have as many elements of one type", name), NULL;
    *seen = *y, seen->ndim = x->ndim;
    memcpy(seen->dims, x->dims, sizeof x->dims);
    return seen;
}

static const tensor_t *need_floats(run_t *run, const op_t *op, const char *name) {
    const tensor_t *x = need_input(run, op, name);
    return x && !check_float(x, name) ? x : NULL;
}

/* (y - 1) max(log(1 - x), -100) - y max(log x, -100). */
static int bce_loss(run_t *run, const op_t *op) {
    tensor_t out, seen;
    const tensor_t *x = need_floats(run, op, "X"), *label = beside(run, op, "Label", x, &seen);
    if (!label || make_like(run, &out, x)) return -1;
    formula_t f;
    formula_open(&f, run, &out);
    int p = formula_tensor(&f, x), y = formula_tensor(&f, label), one = formula_number(&f, 1), low = formula_number(&f, -100);
    int no = formula_step(&f, STEP_max, formula_step(&f, STEP_log1p, formula_step(&f, STEP_neg, p, 0, 0), 0, 0), low, 0);
    int yes = formula_step(&f, STEP_max, formula_step(&f, STEP_log, p, 0, 0), low, 0);
    no = formula_step(&f, STEP_mul, formula_step(&f, STEP_sub, y, one, 0), no, 0);
    formula_keep(&f, formula_step(&f, STEP_sub, no, formula_step(&f, STEP_mul, y, yes, 0), 0), &out);
    return finish(run, op, "Out", &out, formula_run(&f));
}

/* -y log(x + epsilon) - (1 - y) log(1 - x + epsilon). */
static int log_loss(run_t *run, const op_t *op) {
    tensor_t out, seen;
    const tensor_t *x = need_floats(run, op, "Predicted"), *label = beside(run, op, "Labels", x, &seen);
    if (!label || make_like(run, &out, x)) return -1;
    formula_t f;
    formula_open(&f, run, &out);
    int p = formula_tensor(&f, x), y = formula_tensor(&f, label), one = formula_number(&f, 1), more = formula_number(&f, attr_float(op, "epsilon"));
    int yes = formula_step(&f, STEP_log, formula_step(&f, STEP_add, p, more, 0), 0, 0);
    int no = formula_step(&f, STEP_log, formula_step(&f, STEP_add, formula_step(&f, STEP_sub, one, p, 0), more, 0), 0, 0);
    yes = formula_step(&f, STEP_mul, formula_step(&f, STEP_neg, y, 0, 0), yes, 0);
    no = formula_step(&f, STEP_mul, formula_step(&f, STEP_sub, one, y, 0), no, 0);
    formula_keep(&f, formula_step(&f, STEP_sub, yes, no, 0), &out);
    return finish(run, op, "Loss", &out, formula_run(&f));
}

/* (1 - y) x + z log(1 + e^-x), 0 where y is ignore_index; over how many are not, if normalize. */
static int logits_loss(run_t *run, const op_t *op) {
    tensor_t out, seen, like;
    const tensor_t *x = need_floats(run, op, "X"), *label = beside(run, op, "Label", x, &seen), *z = find_input(run, op, "pos_weight");
    const double ignored = (double)attr_int(op, "ignore_index");
    index_t counted = 0;
    if (!label) return -1;
    if (z && z->size != 1 && !(z = beside(run, op, "pos_weight", x, &like))) return -1;
    if (make_like(run, &out, x)) return -1;
    for (index_t i = 0; attr_bool(op, "normalize") && i < label->size; i++) counted += tensor_number(label, i) != ignored;
    formula_t f;
    formula_open(&f, run, &out);
    int a = formula_tensor(&f, x), y = formula_tensor(&f, label), weight = z ? formula_tensor(&f, z) : 0, one = formula_number(&f, 1),
        none = formula_number(&f, ignored), count = formula_number(&f, (double)max_of(counted, 1)), zero = formula_number(&f, 0);
    int e = formula_step(&f, STEP_exp, formula_step(&f, STEP_neg, formula_step(&f, STEP_abs, a, 0, 0), 0, 0), 0, 0);
    int soft = formula_step(&f, STEP_add, formula_step(&f, STEP_log1p, e, 0, 0), formula_step(&f, STEP_max, formula_step(&f, STEP_neg, a, 0, 0), zero, 0), 0);
    if (z) soft = formula_step(&f, STEP_mul, weight, soft, 0);
    int loss = formula_step(&f, STEP_add, formula_step(&f, STEP_mul, formula_step(&f, STEP_sub, one, y, 0), a, 0), soft, 0);
    int far = formula_step(&f, STEP_abs, formula_step(&f, STEP_sub, y, none, 0), 0, 0);
    loss = formula_step(&f, STEP_select, far, loss, far);
    if (attr_bool(op, "normalize")) loss = formula_step(&f, STEP_div, loss, count, 0);
    formula_keep(&f, loss, &out);
    return finish(run, op, "Out", &out, formula_run(&f));
}

/* Half the square of y - x up to delta, a line beyond; and y - x. */
static int huber_loss(run_t *run, const op_t *op) {
    tensor_t out, residual, seen;
    const tensor_t *y = need_floats(run, op, "Y"), *x = beside(run, op, "X", y, &seen);
    const double delta = attr_float(op, "delta");
    if (!x || make_like(run, &out, y)) return -1;
    if (make_like(run, &residual, y)) return finish(run, op, "Out", &out, -1);
    formula_t f;
    formula_open(&f, run, &out);
    int to = formula_tensor(&f, y), from = formula_tensor(&f, x), half = formula_number(&f, 0.5), most = formula_number(&f, delta), less = formula_number(&f, 0.5 * delta);
    int r = formula_step(&f, STEP_sub, to, from, 0), far = formula_step(&f, STEP_abs, r, 0, 0);
    int square = formula_step(&f, STEP_mul, formula_step(&f, STEP_mul, half, r, 0), r, 0);
    int line = formula_step(&f, STEP_mul, most, formula_step(&f, STEP_sub, far, less, 0), 0);
    formula_keep(&f, r, &residual);
    formula_keep(&f, formula_step(&f, STEP_select, formula_step(&f, STEP_sub, far, most, 0), line, square), &out);
    if (formula_run(&f)) return tensor_drop(&residual), finish(run, op, "Out", &out, -1);
    give(run, op, "Residual", &residual);
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

/* y (log y - x) where y is positive, else 0 x; of logarithms e^y (y - x). */
static int kldiv_loss(run_t *run, const op_t *op) {
    int kind = read_reduction(op);
    tensor_t each, out, seen;
    const tensor_t *x = kind < 0 ? NULL : need_floats(run, op, "X"), *target = beside(run, op, "Target", x, &seen);
    if (!target || make_like(run, &each, x)) return -1;
    formula_t f;
    formula_open(&f, run, &each);
    int a = formula_tensor(&f, x), y = formula_tensor(&f, target), zero = formula_number(&f, 0), logs = attr_bool(op, "log_target");
    int apart = formula_step(&f, STEP_sub, logs ? y : formula_step(&f, STEP_log, y, 0, 0), a, 0);
    int loss = formula_step(&f, STEP_mul, logs ? formula_step(&f, STEP_exp, y, 0, 0) : y, apart, 0);
    if (!logs) loss = formula_step(&f, STEP_select, y, loss, formula_step(&f, STEP_mul, a, zero, 0));
    formula_keep(&f, loss, &each);
    if (formula_run(&f)) return finish(run, op, "Loss", &each, -1);
    if (kind == NONE) return give(run, op, "Loss", &each);
    double count = kind == SUM ? 1 : (double)(kind == BATCH && each.ndim ? each.dims[0] : each.size);
    int status = make_number(run, &out, each.dtype, 0);
    reduce_t r = {.rule = REDUCE_SUM, .outer = 1, .kept = 1, .inner = each.size, .x = each.data, .y = out.data};
    if (!status && each.size) status = DISPATCH_TYPE(each.dtype, reduce_run, &r);
    if (!status) tensor_set(&out, 0, tensor_number(&out, 0) / count);
    tensor_drop(&each);
    return finish(run, op, "Loss", &out, status);
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
    formula_t f;
    formula_open(&f, run, &y);
    int a = formula_tensor(&f, x), slope = formula_number(&f, (attr_float(op, "lower") + attr_float(op, "upper")) / 2), one = formula_number(&f, 1);
    int noise = formula_step(&f, STEP_select, formula_step(&f, STEP_neg, a, 0, 0), slope, one);
    formula_keep(&f, noise, &slopes);
    formula_keep(&f, formula_step(&f, STEP_mul, a, noise, 0), &y);
    if (formula_run(&f)) return tensor_drop(&slopes), finish(run, op, "Out", &y, -1);
    give(run, op, "Noise", &slopes);
    return give(run, op, "Out", &y);
}

/* silu(x) y; without y, the halves of x along its last axis. */
static int swiglu(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *y = find_input(run, op, "Y");
    tensor_t out;
    if (!x || check_float(x, "X")) return -1;
    if (!x->ndim || (y ? y->size != x->size : x->dims[x->ndim - 1] % 2)) return fail("Y must have the size of X, or the last axis of X two halves");
    index_t wide = x->dims[x->ndim - 1], half = y ? wide : wide / 2, start[MAX_DIMS] = {0};
    sizes_t old = sizes_of(x), sizes;
    tensor_t gate = {0}, other = {0};
    if (size_with_size(&old, x->ndim - 1, half, &sizes) || make_sized(run, &out, x->dtype, &sizes)) return -1;
    int status = y ? 0 : part_of(run, x, NULL, out.dims, &gate);
    start[x->ndim - 1] = half;
    if (!y && !status) status = part_of(run, x, start, out.dims, &other);
    if (!status && out.size) {
        formula_t f;
        tensor_t factor = y ? *y : other;
        factor.ndim = out.ndim;
        memcpy(factor.dims, out.dims, sizeof out.dims);
        formula_open(&f, run, &out);
        const int a = formula_tensor(&f, y ? x : &gate), b = formula_tensor(&f, &factor);
        formula_keep(&f, formula_step(&f, STEP_mul, formula_step(&f, STEP_silu, a, 0, 0), b, 0), &out);
        status = formula_run(&f);
    }
    tensor_drop(&gate);
    tensor_drop(&other);
    return finish(run, op, "Out", &out, status);
}

/* The middle element along an axis (over all, if none is given), or the mean of the two middle ones; NaN if there is a NaN. */
static int median(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    int64_t axes[MAX_DIMS];
    int order[MAX_DIMS], kept = 0, count = attr_ints(op, "axis", axes, MAX_DIMS);
    tensor_t y, lines = {.dtype = TYPE_NONE}, sorted = {.dtype = TYPE_NONE}, places = {.dtype = TYPE_NONE};
    sizes_t sizes, chosen = {0};
    if (!x || count < 0) return -1;
    if (strcmp(attr_text(op, "mode"), "avg")) return fail("mode %s is not supported", attr_text(op, "mode"));
    int axis = count ? read_axis(axes[0], x->ndim, 0) : 0;
    if (count > 1 || axis < 0) return axis < 0 ? -1 : fail("more than one axis is not supported");
    for (int i = 0; i < x->ndim; i++)
        if (!count || i == axis) chosen.at[chosen.count++] = i;
        else order[kept++] = i;
    for (int i = 0; i < chosen.count; i++) order[kept + i] = (int)chosen.at[i];
    sizes_t old = sizes_of(x);
    index_t n = count ? x->dims[axis] : x->size;
    if (!n) return fail("there is no middle of nothing");
    dtype_t dtype = x->dtype == TYPE_FLOAT64 ? TYPE_FLOAT64 : TYPE_FLOAT32;
    if (size_reduced(&old, &chosen, attr_bool(op, "keepdim"), &sizes) || make_sized(run, &y, dtype, &sizes)) return -1;
    int status = transpose_into(run, x, order, &lines);
    lines.ndim = 2, lines.dims[0] = y.size, lines.dims[1] = n;
    status = status || make(run, &sorted, x->dtype, 2, lines.dims) || make(run, &places, TYPE_INT64, 2, lines.dims) || order_rows(run, &lines, n, 0, &sorted, &places);
    for (index_t k = 0; k < y.size && !status; k++) {
        const double last = tensor_number(&sorted, (k + 1) * n - 1), low = tensor_number(&sorted, k * n + (n - 1) / 2), high = tensor_number(&sorted, k * n + n / 2);
        tensor_set(&y, k, isnan(last) ? last : (low + high) / 2);
    }
    tensor_drop(&lines);
    tensor_drop(&sorted);
    tensor_drop(&places);
    return finish(run, op, "Out", &y, status);
}

OPERATOR_TABLE(losses) = {
    {"bce_loss", bce_loss, 0}, {"huber_loss", huber_loss, 0}, {"log_loss", log_loss, 0}, {"sigmoid_cross_entropy_with_logits", logits_loss, 0}, {"kldiv_loss", kldiv_loss, 0},
    {"nll_loss", nll_loss, 0}, {"rrelu", rrelu, 0}, {"swiglu", swiglu, 0}, {"median", median, 0}, {0}};

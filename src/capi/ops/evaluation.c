/* What models that are evaluated have behind their answer: cross entropies of labels, and the share of right answers. */
#include "small.h"

#include <float.h>
#include <math.h>

#include "sizes.h"
#include "softmax.h"

/* Labels are classes, or ignored. */
static int check_labels(const op_t *op, const tensor_t *label, index_t rows, index_t classes) {
    if (label->size != rows) return fail("Label must have a class for each of %td rows, not %td numbers", rows, label->size);
    for (index_t i = 0; i < rows; i++) {
        int64_t chosen = tensor_int(label, i);
        if (chosen != attr_int(op, "ignore_index") && (chosen < 0 || chosen >= classes)) return fail("label %lld is not one of %td classes", (long long)chosen, classes);
    }
    return 0;
}

/* ---- of probabilities ---- */

static double negative_log(double p) { return fmin(-log(p), 1e20); }

/* cross_entropy, cross_entropy2: X has the probabilities of all classes in its last axis. */
static int cross_entropy(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *label = x ? need_input(run, op, "Label") : NULL;
    int soft = attr_bool(op, "soft_label");
    tensor_t loss, picked;
    if (!label || check_float(x, "X")) return -1;
    if (!x->ndim) return fail("X must have an axis of classes");
    index_t classes = x->dims[x->ndim - 1], rows = classes ? x->size / classes : 0;
    if (soft ? label->size != x->size : check_labels(op, label, rows, classes)) return soft ? fail("soft labels must be as many as X has elements") : -1;
    sizes_t all = sizes_of(x), each;
    if (size_with_size(&all, x->ndim - 1, 1, &each) || make_sized(run, &picked, x->dtype, &each)) return -1;
    if (!soft && label->ndim < x->ndim ? make(run, &loss, x->dtype, label->ndim, label->dims) : make_sized(run, &loss, x->dtype, &each)) return finish(run, op, "MatchX", &picked, -1);
    for (index_t r = 0; r < rows; r++) {
        double sum = 0;
        int64_t chosen = soft ? 0 : tensor_int(label, r);
        int ignored = !soft && chosen == attr_int(op, "ignore_index");
        for (index_t k = 0; soft && k < classes; k++) sum += tensor_number(label, r * classes + k) * negative_log(tensor_number(x, r * classes + k));
        double p = soft || ignored ? 0 : tensor_number(x, r * classes + (index_t)chosen);
        tensor_set(&picked, r, p);
        tensor_set(&loss, r, soft ? sum : ignored ? 0 : negative_log(p));
    }
    give(run, op, "MatchX", &picked);
    return give(run, op, "Y", &loss);
}

/* ---- of logits ---- */

/* x in another type if it has that: as it is, or in `own`, to be dropped; NULL with a message. */
static const tensor_t *converted(run_t *run, const tensor_t *x, dtype_t dtype, tensor_t *own) {
    if (x->dtype == dtype) return x;
    return make(run, own, dtype, x->ndim, x->dims) || tensor_convert(x, own) ? NULL : own;
}

/* Labels that are classes: p and the loss of each place beside the axis. */
static int hard_entropies(run_t *run, const op_t *op, const tensor_t *x, const tensor_t *label, int axis, tensor_t *p, tensor_t *loss) {
    tensor_t own = {.dtype = TYPE_NONE};
    const tensor_t *classes = label->dtype == TYPE_INT32 ? label : converted(run, label, TYPE_INT64, &own);
    softmax_t s = {.rows = loss->size, .columns = x->dims[axis], .inner = span(x, axis + 1, x->ndim), .x = x->data, .y = p->data, .loss = loss->data,
                   .labels = classes ? classes->data : NULL, .wide_labels = label->dtype != TYPE_INT32, .ignore_index = attr_int(op, "ignore_index")};
    int status = !classes || check_labels(op, label, loss->size, s.columns) ? -1 : x->size && DISPATCH_TYPE(x->dtype, entropy_forward, &s) ? fail_memory() : 0;
    tensor_drop(&own);
    return status;
}

/* Labels that are distributions, and logits whose classes lie in the last axis. */
static int soft_entropies(run_t *run, const tensor_t *x, const tensor_t *label, tensor_t *p, tensor_t *loss) {
    tensor_t own = {.dtype = TYPE_NONE};
    const tensor_t *shares = converted(run, label, x->dtype, &own);
    softmax_t s = {.rows = loss->size, .columns = x->dims[x->ndim - 1], .inner = 1, .x = x->data, .y = p->data, .loss = loss->data, .dy = shares ? shares->data : NULL};
    int status = !shares ? -1 : x->size && DISPATCH_TYPE(x->dtype, entropy_forward, &s) ? fail_memory() : 0;
    tensor_drop(&own);
    return status;
}

/* Probabilities instead of logits, in the last axis. */
static int probable_entropies(const op_t *op, const tensor_t *x, const tensor_t *label, tensor_t *p, tensor_t *loss) {
    index_t classes = x->dims[x->ndim - 1];
    int soft = attr_bool(op, "soft_label");
    double least = x->dtype == TYPE_FLOAT32 ? FLT_MIN : DBL_MIN;
    if (!soft && check_labels(op, label, loss->size, classes)) return -1;
    for (index_t r = 0; r < loss->size; r++) {
        double sum = 0;
        int64_t chosen = soft ? 0 : tensor_int(label, r);
        for (index_t k = 0; soft && k < classes; k++) sum -= tensor_number(label, r * classes + k) * log(fmax(tensor_number(x, r * classes + k), least));
        if (!soft && chosen != attr_int(op, "ignore_index")) sum = -log(fmax(tensor_number(x, r * classes + (index_t)chosen), least));
        tensor_set(loss, r, sum);
    }
    memcpy(p->data, x->data, (size_t)x->size * type_size(x->dtype));
    return 0;
}

/* What needs the classes in the last axis, by way of transposed copies. */
static int along_last(run_t *run, const op_t *op, const tensor_t *x, const tensor_t *label, int axis, tensor_t *p, tensor_t *loss) {
    tensor_t lines = {.dtype = TYPE_NONE}, answers = {.dtype = TYPE_NONE}, found = {.dtype = TYPE_NONE};
    int order[MAX_DIMS], again[MAX_DIMS], soft = attr_bool(op, "soft_label");
    for (int i = 0; i < x->ndim; i++) order[i] = i == x->ndim - 1 ? axis : i < axis ? i : i + 1;
    for (int i = 0; i < x->ndim; i++) again[order[i]] = i;
    int status = transpose_into(run, x, order, &lines);
    if (soft && !status) status = transpose_into(run, label, order, &answers);
    if (!status) status = make_like(run, &found, &lines);
    if (!status) status = attr_bool(op, "use_softmax") ? soft_entropies(run, &lines, &answers, &found, loss) : probable_entropies(op, &lines, soft ? &answers : label, &found, loss);
    if (!status) status = transpose_into(run, &found, again, p);
    tensor_drop(&lines);
    tensor_drop(&answers);
    tensor_drop(&found);
    return status;
}

/* Softmax and loss along an axis. */
static int softmax_with_cross_entropy(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "Logits"), *label = x ? need_input(run, op, "Label") : NULL;
    tensor_t p = {.dtype = TYPE_NONE}, loss;
    if (!label || check_float(x, "Logits")) return -1;
    int axis = read_axis(attr_int(op, "axis"), x->ndim, 0), soft = attr_bool(op, "soft_label");
    if (axis < 0) return -1;
    if (soft && (label->ndim != x->ndim || memcmp(label->dims, x->dims, (size_t)x->ndim * sizeof *x->dims)))
        return fail("soft labels must have the shape of Logits");
    sizes_t all = sizes_of(x), each;
    if (size_with_size(&all, axis, 1, &each) || make_sized(run, &loss, x->dtype, &each)) return -1;
    int status = soft || !attr_bool(op, "use_softmax") ? along_last(run, op, x, label, axis, &p, &loss)
                                                       : make_like(run, &p, x) || hard_entropies(run, op, x, label, axis, &p, &loss);
    if (status) tensor_drop(&p);
    else give(run, op, "Softmax", &p);
    return finish(run, op, "Loss", &loss, status);
}

/* ---- right answers ---- */

/* How many rows of Indices, the best classes of each, have their label among them. */
static int accuracy(run_t *run, const op_t *op) {
    const tensor_t *best = need_input(run, op, "Indices"), *label = best ? need_input(run, op, "Label") : NULL;
    tensor_t share, right, all;
    if (!label) return -1;
    if (best->ndim != 2 || label->size != best->dims[0]) return fail("Indices must be [rows, best] with a label for each row");
    index_t rows = best->dims[0], width = best->dims[1], hits = 0;
    for (index_t r = 0; r < rows; r++) {
        int hit = 0;
        for (index_t k = 0; k < width && !hit; k++) hit = tensor_int(best, r * width + k) == tensor_int(label, r);
        hits += hit;
    }
    if (make_number(run, &share, TYPE_FLOAT32, (double)hits / (double)max_of(rows, 1))) return -1;
    if (make_number(run, &right, TYPE_INT32, (double)hits)) return finish(run, op, "Accuracy", &share, -1);
    give(run, op, "Accuracy", &share);
    if (make_number(run, &all, TYPE_INT32, (double)rows)) return finish(run, op, "Correct", &right, -1);
    give(run, op, "Correct", &right);
    return give(run, op, "Total", &all);
}

OPERATOR_TABLE(evaluation) = {{"cross_entropy", cross_entropy, 0}, {"cross_entropy2", cross_entropy, 0},
                              {"softmax_with_cross_entropy", softmax_with_cross_entropy, 0}, {"accuracy", accuracy, 0}, {0}};

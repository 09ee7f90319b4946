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

/* p, of the shape of x with its classes last, and the loss of each row. */
static int entropies(const op_t *op, const tensor_t *x, const tensor_t *label, tensor_t *p, tensor_t *loss) {
    index_t classes = x->dims[x->ndim - 1], rows = classes ? x->size / classes : 0;
    int soft = attr_bool(op, "soft_label"), logits = attr_bool(op, "use_softmax");
    softmax_t s = {.rows = rows, .columns = classes, .x = x->data, .y = p->data, .logarithm = 1};
    double least = x->dtype == TYPE_FLOAT32 ? FLT_MIN : DBL_MIN;
    if (!soft && check_labels(op, label, rows, classes)) return -1;
    if (logits && x->size && DISPATCH_TYPE(x->dtype, softmax_forward, &s)) return fail_memory();
    for (index_t i = 0; !logits && i < x->size; i++) tensor_set(p, i, log(fmax(tensor_number(x, i), least)));
    for (index_t r = 0; r < rows; r++) {
        double sum = 0;
        int64_t chosen = soft ? 0 : tensor_int(label, r);
        for (index_t k = 0; soft && k < classes; k++) sum -= tensor_number(label, r * classes + k) * tensor_number(p, r * classes + k);
        if (!soft && chosen != attr_int(op, "ignore_index")) sum = -tensor_number(p, r * classes + (index_t)chosen);
        tensor_set(loss, r, sum);
    }
    for (index_t i = 0; i < x->size; i++) tensor_set(p, i, logits ? exp(tensor_number(p, i)) : tensor_number(x, i));
    return 0;
}

/* Softmax and loss along an axis; other axes than the last by way of a transposed copy. */
static int softmax_with_cross_entropy(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "Logits"), *label = x ? need_input(run, op, "Label") : NULL;
    tensor_t lines, answers, p = {.dtype = TYPE_NONE}, back = {.dtype = TYPE_NONE}, loss = {.dtype = TYPE_NONE};
    if (!label || check_float(x, "Logits")) return -1;
    int axis = read_axis(attr_int(op, "axis"), x->ndim, 0), soft = attr_bool(op, "soft_label"), order[MAX_DIMS], again[MAX_DIMS];
    if (axis < 0) return -1;
    if (soft && (label->ndim != x->ndim || memcmp(label->dims, x->dims, (size_t)x->ndim * sizeof *x->dims)))
        return fail("soft labels must have the shape of Logits");
    for (int i = 0; i < x->ndim; i++) order[i] = i == x->ndim - 1 ? axis : i < axis ? i : i + 1;
    for (int i = 0; i < x->ndim; i++) again[order[i]] = i;
    sizes_t all = sizes_of(x), each;
    if (transpose_into(run, x, order, &lines)) return -1;
    int status = soft ? transpose_into(run, label, order, &answers) : (answers = tensor_share(label), 0);
    if (status) return tensor_drop(&lines), -1;
    status = make_like(run, &p, &lines) || size_with_size(&all, axis, 1, &each) || make_sized(run, &loss, x->dtype, &each) ||
             entropies(op, &lines, &answers, &p, &loss) || transpose_into(run, &p, again, &back);
    tensor_drop(&lines);
    tensor_drop(&answers);
    tensor_drop(&p);
    if (status) return finish(run, op, "Loss", &loss, -1);
    give(run, op, "Softmax", &back);
    return give(run, op, "Loss", &loss);
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

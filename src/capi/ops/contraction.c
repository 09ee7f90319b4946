/* einsum of one or two operands, as a batched matrix product of transposed copies. */
#include "small.h"

#include "run.h"

/* The letters of an operand or of the result. */
typedef struct {
    char letters[MAX_DIMS + 1];
    int count;
} labels_t;

static int read_labels(const char **text, const char *stops, labels_t *labels) {
    *labels = (labels_t){.count = 0};
    for (; **text && !strchr(stops, **text); ++*text) {
        char c = **text;
        if (c == ' ') continue;
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))) return fail("equations with %c are not supported", c);
        if (labels->count == MAX_DIMS) return fail("an operand has more than %d axes", MAX_DIMS);
        if (strchr(labels->letters, c)) return fail("an axis that is named twice in one operand is not supported");
        labels->letters[labels->count++] = c;
    }
    return 0;
}

static int has(const labels_t *labels, char c) { return c && strchr(labels->letters, c) != NULL; }

/* "ab,bc->ac": labels of the operands and of the result. Without an arrow: letters that occur once, in the alphabet's order. */
static int read_equation(const char *text, int operands, labels_t *in, labels_t *out) {
    for (int i = 0; i < operands; i++) {
        if (read_labels(&text, ",-", &in[i])) return -1;
        if (i + 1 < operands && *text++ != ',') return fail("the equation has other operands than are given");
    }
    *out = (labels_t){.count = 0};
    if (text[0] == '-' && text[1] == '>') {
        text += 2;
        return read_labels(&text, "", out);
    }
    if (*text) return fail("the equation has other operands than are given");
    for (char c = 'A'; c <= 'z'; c++)
        if (has(&in[0], c) + (operands > 1 && has(&in[1], c)) == 1 && out->count < MAX_DIMS) out->letters[out->count++] = c;
    return 0;
}

/* Letters of `labels` that are (or are not) in a and in b, behind those that are there. */
static void pick(labels_t *to, const labels_t *labels, const labels_t *a, int in_a, const labels_t *b, int in_b) {
    for (int i = 0; i < labels->count; i++)
        if (has(a, labels->letters[i]) == in_a && has(b, labels->letters[i]) == in_b && to->count < MAX_DIMS) to->letters[to->count++] = labels->letters[i];
}

static index_t size_of(const tensor_t *x, const labels_t *labels, char c) {
    const char *at = strchr(labels->letters, c);
    return at && c ? x->dims[at - labels->letters] : 1;
}

/* x with its axes in the order of `wanted`, seen as [batch, rows, columns]: groups of letters in that order. */
static int arrange(run_t *run, const tensor_t *x, const labels_t *own, const labels_t *groups, tensor_t *y) {
    int order[MAX_DIMS], n = 0;
    index_t dims[3] = {1, 1, 1};
    for (int g = 0; g < 3; g++)
        for (int i = 0; i < groups[g].count; i++) {
            if (n == x->ndim) return fail("the equation doesn't fit the operands");
            order[n++] = (int)(strchr(own->letters, groups[g].letters[i]) - own->letters);
            dims[g] *= size_of(x, own, groups[g].letters[i]);
        }
    if (n != x->ndim) return fail("an axis that is summed over within one operand is not supported");
    if (transpose_into(run, x, order, y)) return -1;
    return tensor_reshape(y, 3, dims);
}

/* The product [batch, rows, columns] with the result's axes in their order. */
static int restore(run_t *run, const op_t *op, tensor_t *product, const labels_t *groups, const labels_t *out, const tensor_t *const *x, const labels_t *in) {
    labels_t all = {.count = 0};
    index_t dims[MAX_DIMS];
    int order[MAX_DIMS];
    tensor_t y;
    for (int g = 0; g < 3; g++)
        for (int i = 0; i < groups[g].count; i++) {
            char c = groups[g].letters[i];
            dims[all.count] = has(&in[0], c) ? size_of(x[0], &in[0], c) : size_of(x[1], &in[1], c);
            all.letters[all.count++] = c;
        }
    if (all.count != out->count) return finish(run, op, "Out", product, fail("the result has axes that no operand has"));
    for (int i = 0; i < out->count; i++) order[i] = (int)(strchr(all.letters, out->letters[i]) - all.letters);
    int status = tensor_reshape(product, all.count, dims) || transpose_into(run, product, order, &y);
    tensor_drop(product);
    return status ? -1 : give(run, op, "Out", &y);
}

static int einsum(run_t *run, const op_t *op) {
    const slot_t *slot = find_in(op, "Operands");
    labels_t in[2], out, none = {.count = 0}, batch = none, rows = none, columns = none, inner = none;
    const tensor_t *x[2] = {NULL, NULL};
    tensor_t a, b, product;
    if (!slot || slot->count > 2) return fail("einsum of %d operands is not supported", slot ? slot->count : 0);
    for (int i = 0; i < slot->count; i++)
        if (!(x[i] = input_at(run, op, slot, i))) return -1;
    in[1] = none;
    if (read_equation(attr_text(op, "equation"), slot->count, in, &out)) return -1;
    for (int i = 0; i < slot->count; i++)
        if (in[i].count != x[i]->ndim) return fail("operand %d has %d axes, the equation names %d", i, x[i]->ndim, in[i].count);
    pick(&batch, &out, &in[0], 1, &in[1], 1);
    pick(&rows, &out, &in[0], 1, &in[1], 0);
    pick(&columns, &out, &in[0], 0, &in[1], 1);
    pick(&inner, &in[0], &out, 0, slot->count > 1 ? &in[1] : &none, slot->count > 1);
    for (int i = 0; slot->count > 1 && i < in[0].count; i++)
        if (has(&in[1], in[0].letters[i]) && size_of(x[0], &in[0], in[0].letters[i]) != size_of(x[1], &in[1], in[0].letters[i]))
            return fail("the operands differ along axis %c", in[0].letters[i]);
    if (arrange(run, x[0], &in[0], (labels_t[]){batch, rows, inner}, &a)) return -1;
    if (slot->count > 1) {
        if (arrange(run, x[1], &in[1], (labels_t[]){batch, inner, columns}, &b)) {
            tensor_drop(&a);
            return -1;
        }
    } else { /* the sum over the inner letters is a product with ones */
        if (make(run, &b, a.dtype, 3, (index_t[]){1, a.dims[2], 1})) {
            tensor_drop(&a);
            return -1;
        }
        for (index_t i = 0; i < b.size; i++) tensor_set(&b, i, 1);
    }
    int status = product_into(run, &a, &b, 0, 0, &(product_end_t){0}, &product);
    tensor_drop(&a);
    tensor_drop(&b);
    return status ? -1 : restore(run, op, &product, (labels_t[]){batch, rows, columns}, &out, x, in);
}

OPERATOR_TABLE(contraction) = {{"einsum", einsum, OPERATOR_COMPLEX}, {0}};

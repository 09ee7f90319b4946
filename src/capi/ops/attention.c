/* Attention that was put together from products, scale, mask and softmax (attend.c); no file names it. */
#include "small.h"

#include "attention.h"

#include "attend.h"

static heads_t view_of(const tensor_t *t, const int *order) {
    index_t strides[4] = {t->dims[1] * t->dims[2] * t->dims[3], t->dims[2] * t->dims[3], t->dims[3], 1};
    return (heads_t){t->data, strides[order[0]], strides[order[1]], strides[order[2]]};
}

/* Do the operands fit the kernel? Sizes go to t. */
static int fits(const attention_plan_t *plan, const tensor_t *const *x, const tensor_t *mask, attention_t *t) {
    index_t sizes[3][4];
    for (int i = 0; i < 3; i++) {
        if (!x[i] || x[i]->ndim != 4 || !type_is_float(x[i]->dtype) || x[i]->dtype != x[0]->dtype || !x[i]->size) return 0;
        for (int k = 0; k < 4; k++) sizes[i][k] = x[i]->dims[plan->order[i][k]];
    }
    const index_t *q = sizes[ATTEND_QUERY], *k = sizes[ATTEND_KEY], *v = sizes[ATTEND_VALUE];
    if (q[0] != k[0] || q[1] != k[1] || q[3] != k[3] || v[0] != q[0] || v[1] != q[1] || v[2] != k[2]) return 0;
    *t = (attention_t){.batch = q[0], .heads = q[1], .queries = q[2], .keys = k[2], .size = q[3], .width = v[3], .scale = plan->scale,
                       .q = view_of(x[0], plan->order[0]), .k = view_of(x[1], plan->order[1]), .v = view_of(x[2], plan->order[2])};
    if (!mask) return 1;
    const index_t dims[4] = {t->batch, t->heads, t->queries, t->keys};
    index_t strides[4], step = 1;
    if (mask->ndim != 4 || mask->dtype != x[0]->dtype) return 0;
    for (int i = 3; i >= 0; step *= mask->dims[i--]) {
        if (mask->dims[i] != 1 && mask->dims[i] != dims[i]) return 0;
        strides[i] = mask->dims[i] == 1 ? 0 : step;
    }
    t->mask = (heads_t){mask->data, strides[0], strides[1], strides[2]};
    t->mask_key = strides[3];
    return 1;
}

/* The operators that this one stands for. */
static int run_parts(run_t *run, const attention_plan_t *plan) {
    int status = 0;
    for (int i = 0; i < plan->count && !status; i++) {
        status = run_operator(run, &plan->parts[i]);
        if (status) put_context("%s: ", plan->parts[i].type);
        else if (run->sequences) follow_rows(run, &plan->parts[i]);
    }
    for (int i = 0; i + 1 < plan->count; i++)
        for (int s = 0; s < plan->parts[i].out_count; s++)
            for (int k = 0; k < plan->parts[i].out[s].count; k++)
                if (plan->parts[i].out[s].vars[k] >= 0) tensor_drop(&run->values[plan->parts[i].out[s].vars[k]].tensor);
    return status;
}

static int attend(run_t *run, const op_t *op) {
    const attention_plan_t *plan = op->attention;
    const tensor_t *x[3] = {find_input(run, op, SLOT_QUERY), find_input(run, op, SLOT_KEY), find_input(run, op, SLOT_VALUE)};
    const tensor_t *mask = find_input(run, op, SLOT_MASK);
    const int masked = find_in(op, SLOT_MASK) != NULL, *order = plan->order[ATTEND_OUT];
    attention_t t;
    tensor_t y;
    if (run->sequences || (masked && !mask) || !fits(plan, x, mask, &t)) return run_parts(run, plan);
    const index_t sizes[4] = {t.batch, t.heads, t.queries, t.width};
    if (make(run, &y, x[0]->dtype, 4, (index_t[]){sizes[0], sizes[order[1]], sizes[order[2]], sizes[3]})) return -1;
    t.out = view_of(&y, order);
    return finish(run, op, "Out", &y, DISPATCH_TYPE(y.dtype, attention_forward, &t));
}

OPERATOR_TABLE(attention) = {{"@attention", attend, OPERATOR_COMPLEX}, {0}};

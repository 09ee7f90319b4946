/* Attention as one operator, as static/ir/passes/fuse_attention.py has it for plans: the product of queries and keys, scale, mask,
 * softmax and the product with the values. Its kernel has the weights of a block of queries in memory at a time, and reads heads where
 * they lie, so that transposes around it go, too. */
#include "small.h"

#include "attend.h"

#include <stdlib.h>

#define PARTS 12 /* most operators of a group: three transposes, two scales, a mask, dropout ... */

typedef struct {
    program_t *program;
    block_t *block;
    int *readers, *writers; /* by variable: how many operators of the whole program */
    int *maker, *reader;    /* by variable: the last operator of this block that makes it, that reads it; -1: none */
    char *gone;             /* by operator: is it part of a group? */
} attend_t;

typedef struct {
    int ops[PARTS], count;
} group_t;

static void join_group(group_t *g, int op) { g->ops[g->count++] = op; }

/* The operator of a type that alone makes a variable, for one reader; -1: none. */
static int made_by(const attend_t *a, int var, const char *type) {
    const int at = var < 0 || a->readers[var] != 1 || a->writers[var] != 1 ? -1 : a->maker[var];
    return at >= 0 && !a->gone[at] && type_is(&a->block->ops[at], type) ? at : -1;
}

/* The operator that alone reads a variable, as its X; -1: there are several, or it reads other parts of the program. */
static int read_by(const attend_t *a, int var) {
    const int at = var < 0 || a->readers[var] != 1 || a->writers[var] != 1 ? -1 : a->reader[var];
    return at >= 0 && !a->gone[at] && input_var(&a->block->ops[at], "X") == var ? at : -1;
}

static int is_fixed(const attend_t *a, int var) { return var >= 0 && a->writers[var] <= 1 && a->program->vars[var].ndim == 4; }

/* A product of this form, without anything behind it; its factor goes to *alpha. */
static int is_product(const op_t *op, int trans_y, double *alpha) {
    const int old = type_is(op, "matmul");
    *alpha = old ? attr_float(op, "alpha") : 1;
    if ((!old && !type_is(op, "matmul_v2")) || op->relu || op->after || find_in(op, "Bias")) return 0;
    return !attr_bool(op, old ? "transpose_X" : "trans_x") && attr_bool(op, old ? "transpose_Y" : "trans_y") == trans_y;
}

/* A multiple of its input X: the factor; 0: it is none. */
static double factor_of(const attend_t *a, const op_t *op) {
    if (op->relu || op->after) return 0;
    if (type_is(op, "scale")) return op->in_count == 1 && attr_float(op, "bias") == 0 ? attr_float(op, "scale") : 0;
    const int times = type_is(op, "elementwise_mul"), y = times || type_is(op, "elementwise_div") ? input_var(op, "Y") : -1;
    const tensor_t *t = y < 0 || a->writers[y] ? NULL : &a->program->constants[y];
    if (!t || !t->data || t->size != 1 || t->ndim > 1 || !type_is_float(t->dtype) || tensor_number(t, 0) == 0) return 0;
    return times ? tensor_number(t, 0) : 1 / tensor_number(t, 0);
}

/* Step over a scale in front of a variable: what it is a multiple of. */
static int unscaled(const attend_t *a, int var, group_t *g, double *scale) {
    const int at = var < 0 || a->readers[var] != 1 || a->writers[var] != 1 ? -1 : a->maker[var];
    const double factor = at < 0 || a->gone[at] ? 0 : factor_of(a, &a->block->ops[at]);
    if (factor == 0) return var;
    *scale *= factor;
    join_group(g, at);
    return input_var(&a->block->ops[at], "X");
}

/* The order that a transpose brings four axes into; 0: it isn't one of four. */
static int four_axes(const op_t *op, int *order) {
    const attr_t *axes = type_is(op, "transpose2") ? find_attr(op, "axis") : NULL;
    int seen = 0;
    for (int i = 0; axes && axes->count == 4 && i < 4; i++) {
        const int64_t axis = axes->ints[i] < 0 ? axes->ints[i] + 4 : axes->ints[i];
        if (axis < 0 || axis > 3) return 0;
        seen |= 1 << axis;
        order[i] = (int)axis;
    }
    return seen == 15;
}

/* Step over a transpose of four axes in front of a variable; `order` is that of the axes behind it, and becomes that of those before. */
static int unturned(const attend_t *a, int var, group_t *g, int *order) {
    const int at = made_by(a, var, "transpose2"), from = at < 0 ? -1 : input_var(&a->block->ops[at], "X");
    int axes[4], found[4];
    if (!is_fixed(a, from) || !four_axes(&a->block->ops[at], axes)) return var;
    for (int i = 0; i < 4; i++) found[i] = axes[order[i]];
    if (found[3] != 3) return var; /* the elements of a row must lie side by side */
    memcpy(order, found, sizeof found);
    join_group(g, at);
    return from;
}

/* Is dropout here the identity? */
static int is_idle_dropout(const op_t *op) {
    if (!type_is(op, "dropout") || op->in_count != 1) return 0;
    return attr_float(op, "dropout_prob") == 0 || (attr_bool(op, "is_test") && strcmp(attr_text(op, "dropout_implementation"), "downgrade_in_infer"));
}

/* From softmax to the product with the values: the variable of these, -1 if that isn't what follows. *out: the result's. */
static int weighted_values(const attend_t *a, int softmax, group_t *g, int *out) {
    int weights = output_var(&a->block->ops[softmax], "Out"), at = read_by(a, weights);
    double alpha;
    if (at >= 0 && is_idle_dropout(&a->block->ops[at])) {
        join_group(g, at);
        weights = output_var(&a->block->ops[at], "Out");
        at = read_by(a, weights);
    }
    if (at < 0 || !is_product(&a->block->ops[at], 0, &alpha) || alpha != 1 || input_var(&a->block->ops[at], "X") != weights) return -1;
    join_group(g, at);
    *out = output_var(&a->block->ops[at], "Out");
    return input_var(&a->block->ops[at], "Y");
}

/* The scores before mask and scale: the product of queries and keys, or -1. */
static int scored(const attend_t *a, int scores, group_t *g, int *mask, double *scale) {
    const int add = made_by(a, scores, "elementwise_add");
    *mask = -1;
    if (add >= 0) {
        const op_t *op = &a->block->ops[add];
        if (op->relu || op->after || attr_int(op, "axis") != -1) return -1;
        join_group(g, add);
        scores = input_var(op, "X");
        *mask = input_var(op, "Y");
        if (!is_fixed(a, *mask)) return -1;
    }
    scores = unscaled(a, scores, g, scale);
    const int at = made_by(a, scores, "matmul_v2") >= 0 ? a->maker[scores] : made_by(a, scores, "matmul");
    if (at >= 0) join_group(g, at);
    return at;
}

/* Is what operators of the group read made before? In a damaged program it may not be. */
static int is_ordered(const attend_t *a, const group_t *g) {
    for (int i = 0; i < g->count; i++) {
        const op_t *op = &a->block->ops[g->ops[i]];
        for (int s = 0; s < op->in_count; s++)
            for (int k = 0; k < op->in[s].count; k++)
                if (op->in[s].vars[k] >= 0 && a->maker[op->in[s].vars[k]] >= g->ops[i]) return 0;
    }
    return 1;
}

static int by_number(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

/* Write the operator in the place of the last of the group. */
static int write_attention(attend_t *a, group_t *g, const attention_plan_t *plan, const int *vars, int out) {
    program_t *program = a->program;
    static const char *const names[] = {SLOT_QUERY, SLOT_KEY, SLOT_VALUE, SLOT_MASK};
    op_t *parts = arena_take(&program->arena, (size_t)g->count, sizeof *parts);
    attention_plan_t *own = arena_take(&program->arena, 1, sizeof *own);
    slot_t *slot = arena_take(&program->arena, 1, sizeof *slot);
    int *made = arena_take(&program->arena, 1, sizeof *made);
    if (!parts || !own || !slot || !made) return -1;
    qsort(g->ops, (size_t)g->count, sizeof *g->ops, by_number);
    for (int i = 0; i < g->count; i++) parts[i] = a->block->ops[g->ops[i]], a->gone[g->ops[i]] = 1;
    *own = *plan;
    own->parts = parts;
    own->count = g->count;
    *made = out;
    *slot = (slot_t){.name = "Out", .count = 1, .vars = made};
    op_t op = {.type = parts[g->count - 1].type, .operator = find_operator("@attention"), .out_count = 1, .out = slot, .attention = own};
    for (int i = 0; i < 4; i++)
        if (vars[i] >= 0 && set_input(program, &op, names[i], vars[i])) return -1;
    a->gone[g->ops[g->count - 1]] = 0;
    a->block->ops[g->ops[g->count - 1]] = op;
    return 0;
}

/* Put what stands around a softmax over the last axis together; 0, also if it isn't attention, or -1. */
static int fuse_softmax(attend_t *a, int softmax) {
    const op_t *op = &a->block->ops[softmax];
    attention_plan_t plan = {.scale = 1};
    group_t g = {.count = 0};
    for (int i = 0; i < ATTEND_VIEWS; i++)
        for (int k = 0; k < 4; k++) plan.order[i][k] = k;
    int out, mask, v = weighted_values(a, softmax, &g, &out);
    const int64_t axis = attr_int(op, "axis");
    if (v < 0 || (axis != -1 && axis != 3)) return 0;
    join_group(&g, softmax);
    const int product = scored(a, input_var(op, "X"), &g, &mask, &plan.scale);
    double alpha;
    if (product < 0) return 0;
    const op_t *scores = &a->block->ops[product];
    const int turned = is_product(scores, 1, &alpha);
    if (!turned && !is_product(scores, 0, &alpha)) return 0;
    plan.scale *= alpha;
    int q = unscaled(a, input_var(scores, "X"), &g, &plan.scale), k = input_var(scores, "Y");
    if (!turned) plan.order[ATTEND_KEY][2] = 3, plan.order[ATTEND_KEY][3] = 2; /* of [batch, head, size, key] */
    q = unturned(a, q, &g, plan.order[ATTEND_QUERY]);
    k = unturned(a, k, &g, plan.order[ATTEND_KEY]);
    v = unturned(a, v, &g, plan.order[ATTEND_VALUE]);
    if (plan.order[ATTEND_KEY][3] != 3 || !is_fixed(a, q) || !is_fixed(a, k) || !is_fixed(a, v)) return 0;
    const int last = read_by(a, out), result = last < 0 ? -1 : output_var(&a->block->ops[last], "Out");
    int axes[4];
    if (result >= 0 && four_axes(&a->block->ops[last], axes) && axes[0] == 0 && axes[1] == 2 && axes[3] == 3 && a->writers[result] == 1) {
        join_group(&g, last);
        memcpy(plan.order[ATTEND_OUT], axes, sizeof axes);
        out = result;
    }
    if (!is_ordered(a, &g)) return 0;
    return write_attention(a, &g, &plan, (int[]){q, k, v, mask}, out);
}

static void note_uses(attend_t *a, int number) {
    for (int b = 0; b < a->program->block_count; b++)
        for (int i = 0; i < a->program->blocks[b].op_count; i++) {
            const op_t *op = &a->program->blocks[b].ops[i];
            for (int side = 0; side < 2; side++)
                for (int s = 0; s < (side ? op->out_count : op->in_count); s++) {
                    const slot_t *slot = side ? &op->out[s] : &op->in[s];
                    for (int k = 0; k < slot->count; k++) {
                        const int var = slot->vars[k];
                        if (var < 0) continue;
                        (side ? a->writers : a->readers)[var]++;
                        if (b == number) (side ? a->maker : a->reader)[var] = i;
                    }
                }
        }
}

int fuse_attention(program_t *program, int number) {
    block_t *block = &program->blocks[number];
    int some = 0, status = 0, kept = 0;
    for (int i = 0; i < block->op_count; i++) some |= type_is(&block->ops[i], "softmax");
    if (!some) return 0;
    const size_t vars = (size_t)program->var_count + 1;
    int *memory = calloc(4 * vars, sizeof *memory);
    char *gone = calloc((size_t)block->op_count, 1);
    if (!memory || !gone) status = fail_memory();
    attend_t a = {.program = program, .block = block, .readers = memory, .writers = memory + vars, .maker = memory + 2 * vars, .reader = memory + 3 * vars, .gone = gone};
    for (size_t i = 0; !status && i < 2 * vars; i++) a.maker[i] = -1;
    if (!status) note_uses(&a, number);
    for (int i = 0; i < block->op_count && !status; i++)
        if (!gone[i] && type_is(&block->ops[i], "softmax")) status = fuse_softmax(&a, i);
    for (int i = 0; i < block->op_count && !status; i++)
        if (!gone[i]) block->ops[kept++] = block->ops[i];
    if (!status) block->op_count = kept;
    free(memory);
    free(gone);
    return status;
}

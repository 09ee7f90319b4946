/* Convolutions and products of rounded values and whole weights (roundings.c) as operators of whole numbers; results that only such
 * operators read, rounded alike, are handed on as bytes. As static/ir/passes/channel_blocks.py and whole_products.py do it for plans. */
#include <math.h>
#include <stdlib.h>

#include "roundings.h"

/* What was rounded to make a variable, and the grid; -1: nothing was, or it may change in between. */
static int read_rounded(const program_t *program, const int *maker, const int *writers, const op_t *ops, int x, const grid_t **grid) {
    if (x < 0 || writers[x] != 1 || maker[x] < 0 || !type_is(&ops[maker[x]], ROUNDING)) return -1;
    const op_t *rounding = &ops[maker[x]];
    const int from = input_var(rounding, "X");
    *grid = rounding->in_grid;
    return from >= 0 && writers[from] <= 1 && program->vars[from].kind == KIND_TENSOR ? from : -1;
}

/* What one is worth in the sums of each slice along the first axis. */
static int factors_of(program_t *program, const tensor_t *weights, const tensor_t *steps, int turned, const grid_t *grid) {
    const index_t slices = steps->dims[0], inner = steps->size / slices;
    const float step = grid->scale / grid->limit;
    tensor_t factors;
    if (tensor_new(NULL, &factors, TYPE_FLOAT32, 1, &slices)) return -1;
    for (index_t o = 0; o < slices; o++) {
        const int8_t *whole = (const int8_t *)steps->data + o * inner;
        index_t largest = 0;
        for (index_t k = 1; k < inner; k++)
            if (abs(whole[k]) > abs(whole[largest])) largest = k;
        const double value = ((const float *)weights->data)[turned ? largest * slices + o : o * inner + largest];
        ((float *)factors.data)[o] = (float)(value / (whole[largest] ? whole[largest] : 1) * step);
    }
    return add_constant(program, &factors);
}

/* The slots of an operator with sizes q (NULL: not known, it packs its weights each time), whose weights' steps are constant `steps`. */
static int add_slots(program_t *program, op_t *op, const conv_t *q, int plain, const tensor_t *weights, int steps, int turned) {
    const int factors = factors_of(program, weights, &program->constants[steps], turned, op->in_grid);
    if (factors < 0 || set_input(program, op, SLOT_STEPS, steps) || set_input(program, op, SLOT_FACTORS, factors)) return -1;
    index_t size = q ? DISPATCH(f32, integer_ready_size, q) : 0;
    tensor_t ready;
    if (!q) return 0;
    if (tensor_new(NULL, &ready, TYPE_FLOAT32, 1, &size)) return -1;
    DISPATCH(f32, integer_prepare, q, plain, program->constants[steps].data, ready.data);
    const int packed = add_constant(program, &ready);
    return packed < 0 ? -1 : set_input(program, op, SLOT_READY, packed);
}

int add_whole_conv(program_t *program, op_t *op, const tensor_t *given, int plain) {
    const tensor_t w = *given; /* constants move; its elements don't */
    const int steps = whole_of(program, input_var(op, "Filter"))->steps;
    tensor_t image = {.dtype = w.dtype, .ndim = 4, .dims = {1, w.dims[1] * (index_t)attr_int(op, "groups"), 4096, 4096}};
    conv_t q;
    const int unknown = conv_sizes(op, &image, &w, &q);
    if (unknown) clear_error(); /* it says so again when it is run */
    return add_slots(program, op, unknown ? NULL : &q, plain, &w, steps, 0);
}

/* ---- products ---- */

/* A matrix with rows as columns. */
static int turn(program_t *program, int var) {
    const tensor_t t = program->constants[var];
    tensor_t turned;
    if (tensor_new(NULL, &turned, TYPE_INT8, 2, (index_t[]){t.dims[1], t.dims[0]})) return -1;
    for (index_t i = 0; i < t.size; i++) ((int8_t *)turned.data)[i % t.dims[1] * t.dims[0] + i / t.dims[1]] = ((const int8_t *)t.data)[i];
    return add_constant(program, &turned);
}

static int use_product(program_t *program, const int *maker, const int *writers, const op_t *ops, int vars, op_t *op) {
    const int axis = results_along(op), x = input_var(op, "X"), y = input_var(op, "Y");
    const grid_t *grid = NULL;
    const int from = axis < 0 || x < 0 || x >= vars || y < 0 ? -1 : read_rounded(program, maker, writers, ops, x, &grid);
    const whole_t *whole = from < 0 || (y < vars && writers[y]) ? NULL : whole_of(program, y);
    const tensor_t *w = whole ? &program->constants[y] : NULL;
    const int bias = input_var(op, "Bias"), known_bias = bias < 0 || (program->constants[bias].data && program->constants[bias].dtype == TYPE_FLOAT32);
    if (!w || w->ndim != 2 || (whole->axis >= 0 && whole->axis != axis) || w->dims[1 - axis] > LONGEST_SUM || !known_bias) return 0;
    const tensor_t weights = *w;
    const int steps = axis ? turn(program, whole->steps) : whole->steps;
    const conv_t q = integer_product(1, weights.dims[axis], weights.dims[1 - axis]);
    op->in_grid = grid;
    if (steps < 0 || set_input(program, op, "X", from) || add_slots(program, op, &q, 1, &weights, steps, axis)) return -1;
    op->operator = find_operator("@linear");
    return 0;
}

/* ---- what is read, and how ---- */

typedef struct {
    int readers, wholes; /* operators that read it, and those of them that round it themselves */
    const grid_t *grid;  /* of those: the first one's */
    int alike;
} reading_t;

static int is_whole_op(const op_t *op) { return op->in_grid && !type_is(op, ROUNDING); }
static int whole_input(const op_t *op) { return input_var(op, type_is(op, "conv2d") || type_is(op, "depthwise_conv2d") ? "Input" : "X"); }

static void note_readings(const program_t *program, reading_t *read) {
    for (int b = 0; b < program->block_count; b++)
        for (int i = 0; i < program->blocks[b].op_count; i++) {
            const op_t *op = &program->blocks[b].ops[i];
            for (int s = 0; s < op->in_count; s++)
                for (int k = 0; k < op->in[s].count; k++) {
                    reading_t *r = op->in[s].vars[k] < 0 ? NULL : &read[op->in[s].vars[k]];
                    if (!r) continue;
                    r->readers++;
                    if (!is_whole_op(op) || whole_input(op) != op->in[s].vars[k] || !strcmp(op->in[s].name, SLOT_RESIDUAL)) continue;
                    const grid_t *g = op->in_grid;
                    if (!r->wholes++) r->grid = g, r->alike = 1;
                    r->alike = r->alike && g->scale == r->grid->scale && g->limit == r->grid->limit && g->away == r->grid->away;
                }
        }
}

/* Roundings, and ways into blocks and back, that nobody reads any more: no file names them, so that nobody misses them. */
static int drop_unread(const program_t *program, block_t *block, const reading_t *read) {
    int kept = 0;
    for (int i = 0; i < block->op_count; i++) {
        const op_t *op = &block->ops[i];
        const int out = op->type[0] == '@' ? output_var(op, "Out") : -1;
        int fetched = 0;
        for (int k = 0; k < program->fetch_count; k++) fetched |= program->fetches[k] == out;
        if (out >= 0 && !read[out].readers && !fetched) continue;
        if (kept != i) block->ops[kept] = *op;
        kept++;
    }
    const int dropped = block->op_count - kept;
    block->op_count = kept;
    return dropped;
}

static int is_finite(const program_t *program, const op_t *op, const char *slot) {
    const int var = input_var(op, slot);
    const tensor_t *t = var < 0 ? NULL : &program->constants[var];
    for (index_t i = 0; t && i < t->size; i++)
        if (!isfinite(tensor_number(t, i))) return 0;
    return !t || (t->data && t->dtype == TYPE_FLOAT32);
}

int hand_on_bytes(program_t *program, int number) {
    block_t *block = &program->blocks[number];
    int some = 0;
    for (int i = 0; i < block->op_count; i++) some |= block->ops[i].in_grid != NULL;
    if (!some) return 0;
    reading_t *read = malloc(((size_t)program->var_count + 1) * sizeof *read);
    if (!read) return fail_memory();
    do {
        memset(read, 0, ((size_t)program->var_count + 1) * sizeof *read);
        note_readings(program, read);
    } while (drop_unread(program, block, read));
    for (int i = 0; i < block->op_count; i++) {
        op_t *op = &block->ops[i];
        const int out = output_var(op, type_is(op, "conv2d") || type_is(op, "depthwise_conv2d") ? "Output" : "Out");
        if (!is_whole_op(op) || out < 0 || find_in(op, SLOT_RESIDUAL) || blocked_activation(op) == BLOCKED_ACTIVATIONS) continue;
        const reading_t *r = &read[out];
        if (r->readers && r->readers == r->wholes && r->alike && is_finite(program, op, "Bias") && is_finite(program, op, SLOT_FACTORS)) op->out_grid = r->grid;
    }
    free(read);
    return 0;
}

int use_whole_products(program_t *program, int number) {
    block_t *block = &program->blocks[number];
    const int vars = program->var_count;
    int some = 0, status = 0;
    for (int i = 0; i < block->op_count; i++) some |= type_is(&block->ops[i], ROUNDING);
    if (!some) return 0;
    int *memory = calloc(2 * (size_t)vars + 1, sizeof *memory), *writers = memory, *maker = memory + vars;
    if (!memory) return fail_memory();
    for (int i = 0; i < vars; i++) maker[i] = -1;
    for (int b = 0; b < program->block_count; b++)
        for (int i = 0; i < program->blocks[b].op_count; i++) {
            const op_t *op = &program->blocks[b].ops[i];
            for (int s = 0; s < op->out_count; s++)
                for (int k = 0; k < op->out[s].count; k++)
                    if (op->out[s].vars[k] >= 0) writers[op->out[s].vars[k]]++;
        }
    for (int i = 0; i < block->op_count && !status; i++) {
        op_t *op = &block->ops[i];
        if (!op->in_grid) status = use_product(program, maker, writers, block->ops, vars, op);
        for (int s = 0; s < op->out_count; s++)
            for (int k = 0; k < op->out[s].count; k++)
                if (op->out[s].vars[k] >= 0 && op->out[s].vars[k] < vars) maker[op->out[s].vars[k]] = i;
    }
    free(memory);
    return status;
}

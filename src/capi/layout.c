/* Channels in blocks (native/blocked.h) through chains of convolutions, poolings and elementwise functions, as
 * static/ir/passes/channel_blocks.py does it for plans: operators go into the layout and back at the ends of a chain.
 *
 * What an operator of a chain makes is a new variable in blocks; whoever else reads the old one gets it from an operator that brings
 * it back. Programs of one block only: readers in other blocks are not looked for. */
#include "small.h"

#include <stdlib.h>

#include "roundings.h"

#define FEW 8  /* channels of an image that is read as it is */
#define ENDS 2 /* convolutions that pay for one end of a chain */

typedef struct {
    program_t *program;
    block_t *block;
    int vars;           /* before any are added */
    int *writers, *maker; /* by variable: how many operators write it, and the last that does */
    int *channels;      /* by variable: those of what can be in blocks, else 0 */
    int *single;        /* by variable: an image of one pixel */
    int *plain;         /* by variable: read outside chains */
    int *chain;         /* by operator: another of its chain, itself if it stands for it, -1 if it is in none */
    int *convs, *ends;  /* by operator that stands for a chain */
    int *twin;          /* by variable: the same in blocks, or -1 */
    int *source;        /* by variable that is rounded: what it was before, else -1 */
} layout_t;

static const tensor_t *weights_of(const layout_t *l, const op_t *op) {
    const slot_t *slot = type_is(op, "conv2d") || type_is(op, "depthwise_conv2d") ? find_in(op, "Filter") : NULL;
    const tensor_t *w = slot && slot->vars[0] >= 0 && !l->writers[slot->vars[0]] ? &l->program->constants[slot->vars[0]] : NULL;
    if (!w || !w->data || w->ndim != 4 || w->dtype != TYPE_FLOAT32 || !w->size || op->pooled || !strcmp(attr_text(op, "data_format"), "NHWC")) return NULL;
    const int64_t groups = attr_int(op, "groups");
    return groups == 1 || (groups == w->dims[0] && w->dims[1] == 1) ? w : NULL;
}

/* The one variable that an operator makes, -1 if it makes several, or others make it too. */
static int result_of(const layout_t *l, const op_t *op) {
    int found = -1, count = 0;
    for (int s = 0; s < op->out_count; s++)
        for (int k = 0; k < op->out[s].count; k++)
            if (op->out[s].vars[k] >= 0) found = op->out[s].vars[k], count++;
    const int usual = count == 1 && found < l->vars && l->writers[found] == 1;
    return usual && l->program->vars[found].kind == KIND_TENSOR && !l->program->vars[found].persistable ? found : -1;
}

static int is_whole_pool(const op_t *op) {
    int64_t size[4];
    if (!type_is(op, "pool2d")) return 0;
    if (attr_bool(op, "global_pooling")) return 1;
    const int count = attr_bool(op, "adaptive") ? attr_ints(op, "ksize", size, 4) : 0;
    return count > 0 && size[0] == 1 && size[count - 1] == 1;
}

/* The channels of what an operator makes of inputs in blocks, 0 if it can't stay in them. */
static int kept_channels(const layout_t *l, const op_t *op) {
    const int x = input_var(op, "X"), channels = x >= 0 && x < l->vars ? l->channels[x] : 0;
    if (type_is(op, "pool2d")) return !strcmp(attr_text(op, "data_format"), "NCHW") && (is_whole_pool(op) || !attr_bool(op, "adaptive")) ? channels : 0;
    if (is_activation(op->type) || type_is(op, ROUNDING)) return op->in_count == 1 ? channels : 0;
    if (type_is(op, "elementwise_add") || type_is(op, "elementwise_mul")) {
        const int y = input_var(op, "Y");
        return y >= 0 && y < l->vars && l->channels[y] == channels && attr_int(op, "axis") == -1 ? channels : 0;
    }
    const slot_t *parts = type_is(op, "concat") && op->in_count == 1 ? find_in(op, "X") : NULL;
    int sum = 0;
    for (int k = 0; parts && k < parts->count; k++) {
        const int part = parts->vars[k] >= 0 && parts->vars[k] < l->vars ? l->channels[parts->vars[k]] : 0;
        if (!part || part % BLOCK || sum > (1 << 24)) return 0;
        sum += part;
    }
    return parts && attr_int(op, "axis") == 1 ? sum : 0;
}

static int chain_of(const layout_t *l, int op) {
    while (l->chain[op] != op) op = l->chain[op] = l->chain[l->chain[op]]; /* the way gets shorter each time */
    return op;
}

static void join(layout_t *l, int var, int op) {
    if (var >= 0 && var < l->vars && l->channels[var]) l->chain[chain_of(l, l->maker[var])] = chain_of(l, op);
}

static int reads_plain(const layout_t *l, const op_t *op) { return weights_of(l, op)->dims[1] <= FEW && attr_int(op, "groups") == 1; }

/* Is what a convolution reads the same whenever it is read? */
static int reads_fixed(const layout_t *l, const op_t *conv) {
    const int x = input_var(conv, "Input"), residual = input_var(conv, SLOT_RESIDUAL);
    return x >= 0 && l->writers[x] <= 1 && (residual < 0 || l->writers[residual] <= 1);
}

/* Is an input of an operator, which has weights w if it is a convolution, an image? */
static int is_image(const op_t *op, const tensor_t *w, int slot) {
    return !w || !strcmp(op->in[slot].name, "Input") || !strcmp(op->in[slot].name, SLOT_RESIDUAL);
}

/* Has a convolution a kernel of one pixel, and no padding? */
static int is_pixel_kernel(const op_t *op, const tensor_t *w) {
    int64_t paddings[4];
    const int count = attr_ints(op, "paddings", paddings, 4);
    if (count < 0) clear_error(); /* it says so again when it is run */
    int inside = count >= 0 && w->dims[2] == 1 && w->dims[3] == 1;
    for (int k = 0; k < count; k++) inside = inside && paddings[k] == 0;
    return inside;
}

/* The channels that a convolution reads. */
static int channels_read(const op_t *conv, const tensor_t *w) { return (int)(w->dims[1] * attr_int(conv, "groups")); }

/* Are those what its input has, if that lies in blocks? In blocks the number can't be seen any more. */
static int fits_input(const layout_t *l, const op_t *conv, const tensor_t *w) {
    const int x = input_var(conv, "Input"), known = x >= 0 && x < l->vars ? l->channels[x] : 0;
    return !known || known == channels_read(conv, w);
}

/* Take an operator into the chains of what it reads, or let it begin one. */
static void consider(layout_t *l, int number) {
    const op_t *op = &l->block->ops[number];
    const tensor_t *w = weights_of(l, op);
    const int out = w && (!reads_fixed(l, op) || !fits_input(l, op, w)) ? -1 : result_of(l, op);
    const int channels = out < 0 ? 0 : w ? (int)w->dims[0] : kept_channels(l, op);
    l->chain[number] = -1;
    if (channels < 1) return;
    l->chain[number] = number;
    l->channels[out] = channels;
    int one = !w || is_pixel_kernel(op, w);
    for (int s = 0; s < op->in_count; s++)
        for (int k = 0; k < op->in[s].count; k++) {
            const int var = op->in[s].vars[k];
            join(l, var, number);
            if (is_image(op, w, s)) one = one && var >= 0 && var < l->vars && l->single[var];
        }
    l->single[out] = one || is_whole_pool(op);
}

/* Convolutions and ends of all chains. */
static void count_ends(layout_t *l) {
    for (int i = 0; i < l->block->op_count; i++) {
        const op_t *op = &l->block->ops[i];
        const int own = l->chain[i] < 0 ? -1 : chain_of(l, i);
        const int conv = own >= 0 && weights_of(l, op);
        if (conv) l->convs[own]++;
        for (int s = 0; s < op->in_count; s++)
            for (int k = 0; k < op->in[s].count; k++) {
                const int var = op->in[s].vars[k];
                const int inside = var >= 0 && var < l->vars && l->channels[var];
                if (inside && own < 0 && !l->single[var]) l->ends[chain_of(l, l->maker[var])]++;
                if (conv && !inside && is_image(op, weights_of(l, op), s) && !(!strcmp(op->in[s].name, "Input") && reads_plain(l, op))) l->ends[own]++;
            }
    }
}

/* ---- rewriting ---- */

static int is_accepted(const layout_t *l, int op) {
    const int own = l->chain[op] < 0 ? -1 : chain_of(l, op);
    return own >= 0 && l->convs[own] && l->convs[own] >= ENDS * l->ends[own];
}

static int new_var(program_t *program) {
    tensor_t none = {.dtype = TYPE_NONE};
    return add_constant(program, &none);
}

/* An operator of one input and one output. */
static int write_op(program_t *program, op_t *op, const char *type, int x, int out, int channels) {
    slot_t *slots = arena_take(&program->arena, 2, sizeof *slots);
    int *vars = arena_take(&program->arena, 2, sizeof *vars);
    if (!slots || !vars) return -1;
    vars[0] = x, vars[1] = out;
    slots[0] = (slot_t){.name = "X", .count = 1, .vars = vars};
    slots[1] = (slot_t){.name = "Out", .count = 1, .vars = vars + 1};
    *op = (op_t){.type = type, .operator = find_operator(type), .in_count = 1, .out_count = 1, .in = slots, .out = slots + 1, .blocked = channels};
    return 0;
}

/* Which variables does someone outside accepted chains read? Fetches do. */
static void find_plain_readers(layout_t *l) {
    for (int i = 0; i < l->block->op_count; i++) {
        const op_t *op = &l->block->ops[i];
        if (is_accepted(l, i)) continue;
        for (int s = 0; s < op->in_count; s++)
            for (int k = 0; k < op->in[s].count; k++)
                if (op->in[s].vars[k] >= 0) l->plain[op->in[s].vars[k]] = 1;
    }
}

static int pack(program_t *program, op_t *op, const tensor_t *w, int x, int plain) {
    tensor_t ready;
    const int made = blocked_ready(op, &program->vars[x], w, plain, &ready);
    const int var = made > 0 ? add_constant(program, &ready) : -1;
    return made < 0 || (made && (var < 0 || set_input(program, op, SLOT_READY, var))) ? -1 : 0;
}

/* Bring an operator of a chain into blocks; what must go before it is written to `to`. How many operators that is, or -1. */
static int rewrite(layout_t *l, int number, op_t *to) {
    program_t *program = l->program;
    op_t op = l->block->ops[number];
    const tensor_t *w = weights_of(l, &op);
    const int out = result_of(l, &op), channels = l->channels[out];
    const int reads = w ? channels_read(&op, w) : 0; /* before constants move */
    int count = 0, plain = 0, x = w ? input_var(&op, "Input") : -1, one = 0;
    if (x >= 0 && l->source[x] >= 0 && whole_of(program, input_var(&op, "Filter"))) { /* it rounds what it reads itself */
        op.in_grid = l->block->ops[l->maker[x]].in_grid;
        x = l->source[x];
        if (set_input(program, &op, "Input", x)) return -1;
    }
    for (int s = 0; s < op.in_count; s++)
        for (int k = 0; k < op.in[s].count; k++) {
            const int var = op.in[s].vars[k];
            if (var < 0 || !is_image(&op, w, s)) continue;
            one += l->single[var];
            if (l->twin[var] < 0 && var == x && reads_plain(l, &op)) {
                plain = 1;
                continue;
            }
            if (l->twin[var] < 0) {
                const int made = new_var(program);
                if (made < 0 || write_op(program, &to[count++], "@to_blocks", var, made, var == x ? reads : 0)) return -1;
                l->twin[var] = made;
            }
            op.in[s].vars[k] = l->twin[var];
        }
    const int made = new_var(program);
    if (made < 0) return -1;
    for (int s = 0; s < op.out_count; s++)
        for (int k = 0; k < op.out[s].count; k++)
            if (op.out[s].vars[k] == out) op.out[s].vars[k] = made;
    l->twin[out] = made;
    op.blocked = channels;
    if (w) {
        op.operator = find_operator("@conv");
        w = weights_of(l, &op); /* constants have moved */
        if (x < 0 || (op.in_grid ? add_whole_conv(program, &op, w, plain) : pack(program, &op, w, x, plain))) return -1;
    }
    if (type_is(&op, "elementwise_mul") && one == 1) op.operator = find_operator("@scale");
    to[count++] = op;
    if (!l->plain[out]) return count;
    return write_op(program, &to[count++], "@from_blocks", made, out, channels) ? -1 : count;
}

static int rewrite_chains(layout_t *l) {
    int most = 0, count = 0;
    for (int i = 0; i < l->block->op_count; i++) most += 2 + l->block->ops[i].in_count * 4;
    op_t *ops = arena_take(&l->program->arena, (size_t)most + 1, sizeof *ops);
    if (!ops) return -1;
    for (int i = 0; i < l->block->op_count; i++) {
        int now = 1;
        if (is_accepted(l, i)) now = rewrite(l, i, ops + count);
        else ops[count] = l->block->ops[i];
        if (now < 0) return -1;
        count += now;
    }
    l->block->ops = ops;
    l->block->op_count = count;
    return 0;
}

int keep_blocks(program_t *program) {
    block_t *block = &program->blocks[0];
    const size_t vars = (size_t)program->var_count + 1, ops = (size_t)block->op_count + 1;
    if (program->block_count != 1) return 0;
    int *memory = calloc(7 * vars + 3 * ops, sizeof *memory), accepted = 0;
    if (!memory) return fail_memory();
    layout_t l = {.program = program, .block = block, .vars = program->var_count, .writers = memory, .maker = memory + vars,
                  .channels = memory + 2 * vars, .single = memory + 3 * vars, .twin = memory + 4 * vars, .plain = memory + 5 * vars, .source = memory + 6 * vars,
                  .chain = memory + 7 * vars, .convs = memory + 7 * vars + ops, .ends = memory + 7 * vars + 2 * ops};
    for (size_t i = 0; i < vars; i++) l.twin[i] = l.source[i] = -1;
    for (int i = 0; i < block->op_count; i++)
        for (int s = 0; s < block->ops[i].out_count; s++)
            for (int k = 0; k < block->ops[i].out[s].count; k++)
                if (block->ops[i].out[s].vars[k] >= 0) {
                    l.writers[block->ops[i].out[s].vars[k]]++;
                    l.maker[block->ops[i].out[s].vars[k]] = i;
                }
    for (int i = 0; i < block->op_count; i++) {
        const int from = type_is(&block->ops[i], ROUNDING) ? input_var(&block->ops[i], "X") : -1;
        if (from >= 0 && l.writers[from] <= 1) l.source[output_var(&block->ops[i], "Out")] = from;
    }
    for (int i = 0; i < block->op_count; i++) consider(&l, i);
    count_ends(&l);
    for (int i = 0; i < block->op_count; i++) accepted += is_accepted(&l, i);
    find_plain_readers(&l);
    const int status = accepted ? rewrite_chains(&l) : 0;
    free(memory);
    return status;
}

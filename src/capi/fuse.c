/* Putting operators together: batch norm and bias into convolutions and products, residuals, activations and poolings behind them.
 * Constant weights are packed afterwards.
 *
 * Operators are visited in order. One whose input was made by another of the same block, for it alone, is merged into that
 * one where a rule says so; the merged operator takes over its output, so that chains of any length come together. */
#include "small.h"

#include <math.h>
#include <stdlib.h>

#include "roundings.h"
#include "sizes.h"

typedef struct {
    program_t *program;
    block_t *block;
    int *readers, *writers; /* by variable: how many operators of the whole program */
    int *producer;          /* by variable: the operator of this block that has made it, or -1 */
} fusion_t;

int add_constant(program_t *program, tensor_t *t) {
    char name[40];
    int number = program->var_count;
    index_t digits = 0;
    name[digits++] = '@';
    for (int rest = number; rest || digits == 1; rest /= 10) name[digits++] = (char)('0' + rest % 10);
    const char *text = arena_text(&program->arena, name, (size_t)digits);
    tensor_t *constants = text ? realloc(program->constants, ((size_t)number + 1) * sizeof *constants) : NULL;
    int var = constants ? number : text ? fail_memory() : -1;
    if (constants) { /* there before the variable is, which is dropped by its number */
        program->constants = constants;
        constants[number] = (tensor_t){.dtype = TYPE_NONE};
        var = program_add_var(program, 0, text);
        if (var >= 0 && var < number) var = fail("the program is damaged: two variables have one name");
    }
    if (var < 0) {
        tensor_drop(t);
        return -1;
    }
    constants[var] = *t;
    *t = (tensor_t){.dtype = TYPE_NONE};
    return var;
}

static const tensor_t *constant_in(const fusion_t *f, const op_t *op, const char *slot_name) {
    const slot_t *slot = find_in(op, slot_name);
    if (!slot || slot->vars[0] < 0 || f->writers[slot->vars[0]]) return NULL;
    const tensor_t *t = &f->program->constants[slot->vars[0]];
    return t->data ? t : NULL;
}

int set_input(program_t *program, op_t *op, const char *name, int var) {
    for (int i = 0; i < op->in_count; i++)
        if (!strcmp(op->in[i].name, name) && op->in[i].count) {
            op->in[i].vars[0] = var;
            return 0;
        }
    slot_t *slots = arena_take(&program->arena, (size_t)op->in_count + 1, sizeof *slots);
    int *vars = arena_take(&program->arena, 1, sizeof *vars);
    if (!slots || !vars) return -1;
    if (op->in_count) memcpy(slots, op->in, (size_t)op->in_count * sizeof *slots);
    vars[0] = var;
    slots[op->in_count] = (slot_t){.name = name, .count = 1, .vars = vars};
    op->in = slots;
    op->in_count++;
    return 0;
}

static int is_conv(const op_t *op) { return type_is(op, "conv2d") || type_is(op, "depthwise_conv2d"); }
static int is_product(const op_t *op) { return type_is(op, "matmul_v2") || type_is(op, "mul"); }
static int is_plain(const op_t *op) { return !op->relu && !op->after && !op->pooled; }

/* Weights and bias of a convolution as new constants: channel c times scale[c], bias as given. */
static int replace_weights(fusion_t *f, op_t *conv, const tensor_t *w, const double *scale, const double *bias) {
    tensor_t weights, shift;
    index_t channels = w->dims[0], inner = span(w, 1, w->ndim);
    if (tensor_new(NULL, &weights, w->dtype, w->ndim, w->dims)) return -1;
    for (index_t i = 0; i < w->size; i++) tensor_set(&weights, i, tensor_number(w, i) * scale[i / max_of(inner, 1)]);
    if (tensor_new(NULL, &shift, w->dtype, 1, &channels)) {
        tensor_drop(&weights);
        return -1;
    }
    for (index_t i = 0; i < channels; i++) tensor_set(&shift, i, bias[i]);
    int filter = add_constant(f->program, &weights), offset = add_constant(f->program, &shift);
    return filter < 0 || offset < 0 || share_whole(f->program, input_var(conv, "Filter"), filter) || set_input(f->program, conv, "Filter", filter) || set_input(f->program, conv, "Bias", offset) ? -1 : 0;
}

/* conv, then batch norm with constant statistics. 1: merged, 0: not possible, -1: failed. */
static int fold_batch_norm(fusion_t *f, op_t *conv, const op_t *norm) {
    const tensor_t *w = constant_in(f, conv, "Filter"), *bias = constant_in(f, conv, "Bias");
    const tensor_t *gamma = constant_in(f, norm, "Scale"), *beta = constant_in(f, norm, "Bias"), *mean = constant_in(f, norm, "Mean"),
                   *var = constant_in(f, norm, "Variance");
    if (!is_conv(conv) || !is_plain(conv) || find_in(conv, SLOT_RESIDUAL) || !w || !mean || !var || (find_in(conv, "Bias") && !bias) || !type_is_float(w->dtype)) return 0;
    if ((find_in(norm, "Scale") && !gamma) || (find_in(norm, "Bias") && !beta) || w->ndim != 4) return 0;
    if (!attr_bool(norm, "is_test") && !attr_bool(norm, "use_global_stats")) return 0;
    int last = !strcmp(attr_text(conv, "data_format"), "NHWC");
    if (last != !strcmp(attr_text(norm, "data_layout"), "NHWC")) return 0;
    index_t n = w->dims[0];
    if (mean->size != n || var->size != n || (gamma && gamma->size != n) || (beta && beta->size != n) || (bias && bias->size != n)) return 0;
    double *scale = malloc(2 * (size_t)max_of(n, 1) * sizeof *scale), *shift = scale + n, eps = attr_float(norm, "epsilon");
    if (!scale) return fail_memory();
    for (index_t i = 0; i < n; i++) {
        scale[i] = (gamma ? tensor_number(gamma, i) : 1) / sqrt(tensor_number(var, i) + eps);
        shift[i] = ((bias ? tensor_number(bias, i) : 0) - tensor_number(mean, i)) * scale[i] + (beta ? tensor_number(beta, i) : 0);
    }
    int status = replace_weights(f, conv, w, scale, shift);
    free(scale);
    return status ? -1 : 1;
}

/* Is a constant one number for each channel of a convolution's result? */
static int fits_channels(const op_t *conv, const op_t *add, const tensor_t *t, index_t channels) {
    int last = !strcmp(attr_text(conv, "data_format"), "NHWC");
    int64_t axis = attr_int(add, "axis");
    if (t->size != channels || channels < 1) return 0;
    if (t->ndim == 1) return axis == (last ? 3 : 1) || (last && axis == -1);
    if (t->ndim == 4 && (axis == -1 || axis == 0)) return t->dims[last ? 3 : 1] == channels;
    return t->ndim == 3 && axis == -1 && t->dims[last ? 2 : 0] == channels;
}

/* Constant t, which variable `var` has, as the bias of an operator, or added to the one that it has. */
static int add_bias(fusion_t *f, op_t *op, int var, const tensor_t *t) {
    const tensor_t *bias = constant_in(f, op, "Bias");
    if (!find_in(op, "Bias")) return set_input(f->program, op, "Bias", var) ? -1 : 1;
    if (!bias || bias->size != t->size || bias->dtype != t->dtype) return 0;
    tensor_t sum;
    if (tensor_new(NULL, &sum, t->dtype, 1, &t->size)) return -1;
    for (index_t i = 0; i < t->size; i++) tensor_set(&sum, i, tensor_number(bias, i) + tensor_number(t, i));
    const int made = add_constant(f->program, &sum);
    return made < 0 || set_input(f->program, op, "Bias", made) ? -1 : 1;
}

/* conv or product, then a constant added to every channel or column. */
static int fold_bias(fusion_t *f, op_t *first, const op_t *add) {
    const tensor_t *t = constant_in(f, add, "Y");
    if (!t || !is_plain(first) || !is_plain(add) || !type_is_float(t->dtype)) return 0;
    const slot_t *y = find_in(add, "Y");
    if (is_conv(first)) {
        const tensor_t *w = constant_in(f, first, "Filter");
        if (!w || w->ndim != 4 || w->dtype != t->dtype || !fits_channels(first, add, t, w->dims[0])) return 0;
        return add_bias(f, first, y->vars[0], t);
    }
    const slot_t *x = find_in(add, "X");
    const tensor_t *w = is_product(first) && t->ndim == 1 ? constant_in(f, first, "Y") : NULL;
    const int trans = attr_bool(first, "trans_y"), ndim = x ? f->program->vars[x->vars[0]].ndim : 0;
    const int64_t axis = attr_int(add, "axis");
    if (!w || w->ndim != 2 || w->dtype != t->dtype || t->size != w->dims[!trans] || ndim < 2 || (axis != -1 && axis != ndim - 1)) return 0;
    if (type_is(first, "mul") && attr_int(first, "y_num_col_dims") != 1) return 0;
    return add_bias(f, first, y->vars[0], t);
}

/* Two products behind each other with constant matrices: one with their product, where that is less work. */
static int fold_product(fusion_t *f, op_t *first, const op_t *second) {
    const tensor_t *w = constant_in(f, first, "Y"), *z = constant_in(f, second, "Y"), *bias = constant_in(f, first, "Bias");
    if (!is_product(first) || !type_is(second, first->type) || !is_plain(first) || !w || !z || w->ndim != 2 || z->ndim != 2 || w->dtype != z->dtype) return 0;
    if ((find_in(first, "Bias") && (!bias || bias->ndim != 1)) || find_in(second, "Bias") || attr_bool(second, "trans_x") || !type_is_float(w->dtype)) return 0;
    if (type_is(first, "mul") && (attr_int(first, "y_num_col_dims") != 1 || attr_int(second, "y_num_col_dims") != 1 ||
                                  attr_int(first, "x_num_col_dims") != attr_int(second, "x_num_col_dims")))
        return 0;
    const int turned = attr_bool(first, "trans_y"), other = attr_bool(second, "trans_y");
    if (w->dims[!turned] != z->dims[other] || (bias && bias->size != z->dims[other]) || !w->size || !z->size || w->dims[turned] * z->dims[!other] > w->size + z->size) return 0;
    run_t run = {.program = f->program};
    tensor_t matrix, shift;
    const int failed = turned ? product_into(&run, z, w, !other, 0, &(product_end_t){0}, &matrix) /* transposed as the first one is */
                              : product_into(&run, w, z, 0, other, &(product_end_t){0}, &matrix);
    if (failed) return -1;
    if (bias && product_into(&run, bias, z, 0, other, &(product_end_t){0}, &shift)) {
        tensor_drop(&matrix);
        return -1;
    }
    const int offset = bias ? add_constant(f->program, &shift) : 0, weight = add_constant(f->program, &matrix);
    return offset < 0 || weight < 0 || set_input(f->program, first, "Y", weight) || (bias && set_input(f->program, first, "Bias", offset)) ? -1 : 1;
}

static int fold_activation(fusion_t *f, op_t *first, const op_t *act) {
    int takes = is_conv(first) || is_product(first) || type_is(first, "batch_norm") || type_is(first, "layer_norm") ||
                type_is(first, "conv2d_transpose") || !strncmp(first->type, "elementwise_", 12);
    if (!takes || !is_plain(first)) return 0;
    int limited = is_conv(first) && type_is(act, "relu6") && attr_float(act, "threshold") == 6;
    if (limited || type_is(act, "relu")) {
        first->relu = limited ? RELU6 : 1;
        return 1;
    }
    op_t *copy = arena_take(&f->program->arena, 1, sizeof *copy);
    if (!copy) return -1;
    *copy = *act;
    first->after = copy;
    return 1;
}

/* The convolution of one group that makes a variable for one reader, and to whose result something can be added; NULL if none does. */
static op_t *summing_conv(const fusion_t *f, int var) {
    if (var < 0 || f->producer[var] < 0 || f->readers[var] != 1 || f->writers[var] != 1) return NULL;
    op_t *conv = &f->block->ops[f->producer[var]];
    if (!is_conv(conv) || !is_plain(conv) || find_in(conv, SLOT_RESIDUAL) || attr_int(conv, "groups") != 1) return NULL;
    return strcmp(attr_text(conv, "data_format"), "NHWC") ? conv : NULL;
}

/* The sum of a convolution and something of its shape that is there before: of two, the operand that is made last takes the other. */
static int fold_residual(fusion_t *f, const op_t *add) {
    const slot_t *x = find_in(add, "X"), *y = find_in(add, "Y"), *out = find_out(add, "Out");
    if (!x || !y || !out || !is_plain(add) || x->vars[0] < 0 || y->vars[0] < 0 || out->vars[0] < 0 || f->writers[out->vars[0]] != 1) return 0;
    int later = f->producer[y->vars[0]] > f->producer[x->vars[0]], sum = (later ? y : x)->vars[0], other = (later ? x : y)->vars[0];
    const var_t *a = &f->program->vars[sum], *b = &f->program->vars[other];
    op_t *conv = summing_conv(f, sum);
    if (!conv || sum == other || a->ndim != 4 || b->ndim != 4 || memcmp(a->dims, b->dims, 4 * sizeof *a->dims) || a->dtype != b->dtype) return 0;
    if (f->writers[other] != 1 || f->producer[other] < 0 || f->producer[other] >= f->producer[sum]) return 0;
    const slot_t *made = find_out(conv, "Output");
    if (!made || made->count != 1 || made->vars[0] != sum) return 0;
    if (set_input(f->program, conv, SLOT_RESIDUAL, other)) return -1;
    made->vars[0] = out->vars[0];
    f->producer[out->vars[0]] = f->producer[sum];
    f->producer[sum] = -1;
    return 1;
}

static int ints_are(const op_t *op, const char *name, int64_t value, int most) {
    const attr_t *attr = find_attr(op, name);
    if (!attr || attr->count > most) return 0;
    for (int i = 0; i < attr->count; i++)
        if (attr->ints[i] != value) return 0;
    return attr->count > 0;
}

/* conv and ReLU, then the maximum of squares of 2 x 2. */
static int fold_pool(const fusion_t *f, op_t *conv, const op_t *pool) {
    const tensor_t *w = constant_in(f, conv, "Filter");
    if (!is_conv(conv) || conv->relu != 1 || find_in(conv, SLOT_RESIDUAL) || (w && w->ndim == 4 && size_pools_apart(w->dims[0], w->dims[1]))) return 0;
    if (strcmp(attr_text(conv, "data_format"), "NHWC") == 0 || strcmp(attr_text(pool, "data_format"), "NCHW")) return 0;
    if (strcmp(attr_text(pool, "pooling_type"), "max") || strcmp(attr_text(pool, "padding_algorithm"), "SAME") == 0) return 0;
    if (attr_bool(pool, "ceil_mode") || attr_bool(pool, "adaptive") || attr_bool(pool, "global_pooling")) return 0;
    if (!ints_are(pool, "ksize", 2, 2) || !ints_are(pool, "strides", 2, 2) || !ints_are(pool, "paddings", 0, 4)) return 0;
    conv->relu = 0;
    conv->pooled = 1;
    return 1;
}

static const char *main_input(const op_t *op) { return type_is(op, "conv2d") || type_is(op, "depthwise_conv2d") ? "Input" : "X"; }
static const char *main_output(const op_t *op) {
    return is_conv(op) || type_is(op, "conv2d_transpose") ? "Output" : type_is(op, "batch_norm") || type_is(op, "layer_norm") ? "Y" : "Out";
}

/* Merge `second` into the operator that made its input; 1, 0 or -1. */
static int merge(fusion_t *f, op_t *second) {
    const slot_t *in = find_in(second, main_input(second)), *out = find_out(second, main_output(second));
    if (!in || !out || in->count != 1 || in->vars[0] < 0 || out->vars[0] < 0) return 0;
    int var = in->vars[0], at = f->producer[var];
    if (at < 0 || f->readers[var] != 1 || f->writers[var] != 1 || f->writers[out->vars[0]] != 1) return 0;
    op_t *first = &f->block->ops[at];
    const slot_t *made = find_out(first, main_output(first));
    if (!made || made->count != 1 || made->vars[0] != var) return 0;
    int merged = 0;
    if (type_is(second, "batch_norm")) merged = fold_batch_norm(f, first, second);
    else if (type_is(second, "elementwise_add")) merged = fold_bias(f, first, second);
    else if (type_is(second, "pool2d")) merged = fold_pool(f, first, second);
    else if (is_product(second)) merged = fold_product(f, first, second);
    else if (is_activation(second->type)) merged = fold_activation(f, first, second);
    if (merged <= 0) return merged;
    made->vars[0] = out->vars[0];
    f->producer[out->vars[0]] = at;
    f->producer[var] = -1;
    return 1;
}

static void count_uses(fusion_t *f) {
    for (int b = 0; b < f->program->block_count; b++)
        for (int i = 0; i < f->program->blocks[b].op_count; i++) {
            const op_t *op = &f->program->blocks[b].ops[i];
            for (int s = 0; s < op->in_count; s++)
                for (int k = 0; k < op->in[s].count; k++)
                    if (op->in[s].vars[k] >= 0) f->readers[op->in[s].vars[k]]++;
            for (int s = 0; s < op->out_count; s++)
                for (int k = 0; k < op->out[s].count; k++)
                    if (op->out[s].vars[k] >= 0) f->writers[op->out[s].vars[k]]++;
        }
}

static int fuse_operators(fusion_t *f) {
    int kept = 0, count = f->block->op_count;
    for (int i = 0; i < count; i++) {
        op_t *op = &f->block->ops[i];
        int merged = merge(f, op);
        if (!merged && type_is(op, "elementwise_add")) merged = fold_residual(f, op);
        if (merged < 0) return -1;
        if (merged) continue;
        if (kept != i) f->block->ops[kept] = *op;
        op = &f->block->ops[kept];
        for (int s = 0; s < op->out_count; s++)
            for (int k = 0; k < op->out[s].count; k++)
                if (op->out[s].vars[k] >= 0) f->producer[op->out[s].vars[k]] = kept;
        kept++;
    }
    f->block->op_count = kept;
    return 0;
}

static int pack_weights(fusion_t *f) {
    for (int i = 0; i < f->block->op_count; i++) {
        op_t *op = &f->block->ops[i];
        int conv = is_conv(op);
        const slot_t *x = find_in(op, conv ? "Input" : "X");
        const tensor_t *w = conv || is_product(op) ? constant_in(f, op, conv ? "Filter" : "Y") : NULL;
        if (!w || !x || x->vars[0] < 0 || !type_is_float(w->dtype) || find_in(op, SLOT_READY)) continue;
        tensor_t ready;
        int made = (conv ? conv_ready : product_ready)(op, &f->program->vars[x->vars[0]], w, &ready);
        int var = made > 0 ? add_constant(f->program, &ready) : -1;
        if (made < 0 || (made && (var < 0 || set_input(f->program, op, SLOT_READY, var)))) return -1;
    }
    return 0;
}

int fuse_block(program_t *program, int block) {
    /* merging adds at most two constants for each operator */
    size_t room = (size_t)program->var_count + 2 * (size_t)program->blocks[block].op_count + 1;
    int *memory = calloc(3 * room, sizeof *memory);
    if (!memory) return fail_memory();
    fusion_t f = {.program = program, .block = &program->blocks[block], .readers = memory, .writers = memory + room, .producer = memory + 2 * room};
    for (size_t i = 0; i < room; i++) f.producer[i] = -1;
    count_uses(&f);
    int status = fuse_operators(&f) || fuse_attention(program, block) || use_whole_products(program, block) ||
                 (block == 0 && keep_blocks(program)) || hand_on_bytes(program, block) || pack_weights(&f) ? -1 : 0;
    free(memory);
    return status;
}

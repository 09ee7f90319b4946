/* What quantization leaves in a program, as static/ir/passes/quantized.py does it for plans: weights remember the numbers of their
 * steps, roundings with fixed scales, there and back, are one operator, and casts to the type that a value has already go. Convolutions
 * and products of such values and weights are then computed with whole numbers (layout.c, integers.c). */
#include "roundings.h"

#include <math.h>
#include <stdlib.h>

/* ---- weights ---- */

static int is_quantized_type(const op_t *op) { return strstr(op->type, "quantize") != NULL; }

static int note(program_t *program, const op_t *maker, int var, int steps, int axis) {
    whole_t *w = arena_take(&program->arena, 1, sizeof *w);
    if (!w) return -1;
    *w = (whole_t){.next = program->whole, .maker = maker, .var = var, .steps = steps, .axis = axis};
    program->whole = w;
    return 0;
}

const whole_t *whole_of(const program_t *program, int var) {
    for (const whole_t *w = program->whole; w; w = w->next)
        if (w->var == var && w->steps >= 0) return w;
    return NULL;
}

int share_whole(program_t *program, int from, int to) {
    const whole_t *w = whole_of(program, from);
    return w ? note(program, w->maker, to, w->steps, 0) : 0;
}

int rounds_weights(const op_t *op) {
    return type_is(op, "fake_quantize_dequantize_abs_max") || type_is(op, "fake_channel_wise_quantize_dequantize_abs_max");
}

int note_constant(program_t *program, const op_t *op) {
    const int rounded = rounds_weights(op), back = type_is(op, "dequantize_linear");
    const int x = input_var(op, "X"), out = output_var(op, back ? "Y" : "Out");
    if (x < 0 || out < 0) return 0;
    if (rounded || (back && !attr_bool(op, "only_observer"))) {
        op_t *copy = arena_take(&program->arena, 1, sizeof *copy);
        if (!copy) return -1;
        *copy = *op;
        return note(program, copy, out, -1, -1);
    }
    for (const whole_t *w = program->whole; w && type_is(op, "cast"); w = w->next)
        if (w->var == x) return note(program, w->maker, out, -1, -1); /* of another type it is left out later */
    return 0;
}

static const tensor_t *constant_of(const program_t *program, int var) {
    return var >= 0 && program->constants[var].data ? &program->constants[var] : NULL;
}

static int largest_step(int64_t bits) { return bits >= 2 && bits <= 16 ? (1 << (bits - 1)) - 1 : 0; }

/* Numbers as int8, if they are: a new constant, -1 if not, -2 if that failed. `finer` are what they are multiplied with first, or NULL. */
static int bytes_of(program_t *program, const tensor_t *x, const float *finer, index_t inner, index_t count) {
    tensor_t steps;
    if (tensor_new(NULL, &steps, TYPE_INT8, x->ndim, x->dims)) return -2;
    int8_t *to = steps.data;
    for (index_t i = 0; i < x->size; i++) {
        const double value = finer ? (double)rintf((float)tensor_number(x, i) * finer[i / inner % count]) : tensor_number(x, i);
        to[i] = value >= -128 && value <= 127 ? (int8_t)value : 0;
        if ((double)to[i] == value) continue;
        tensor_drop(&steps);
        return -1;
    }
    const int var = add_constant(program, &steps);
    return var < 0 ? -2 : var;
}

/* All of a convolution's channel, or of a matrix's row or column, must have one step. */
static int fits_axis(const tensor_t *t, int axis) { return t->size && (t->ndim == 2 || (t->ndim == 4 && axis <= 0)); }

/* What values, of one largest magnitude or one for each slice along an axis, are to be multiplied with to be steps. */
static float *finer_of(const tensor_t *x, int axis, index_t inner, index_t count, int64_t bits) {
    float *finer = calloc((size_t)count, sizeof *finer);
    if (!finer) return fail_memory(), NULL;
    for (index_t i = 0; i < x->size; i++) {
        float *largest = &finer[axis < 0 ? 0 : i / inner % count];
        *largest = fmaxf(*largest, fabsf((float)tensor_number(x, i)));
    }
    for (index_t i = 0; i < count; i++) finer[i] = (float)largest_step(bits) / (finer[i] == 0 ? 1 : finer[i]);
    return finer;
}

static int make_steps(program_t *program, whole_t *w) {
    const op_t *op = w->maker;
    const int back = type_is(op, "dequantize_linear"), slices = back || type_is(op, "fake_channel_wise_quantize_dequantize_abs_max");
    const tensor_t *value = constant_of(program, w->var), *x = constant_of(program, input_var(op, "X"));
    const tensor_t *scale = constant_of(program, input_var(op, "Scale")), *zero = constant_of(program, input_var(op, "ZeroPoint"));
    if (!value || value->dtype != TYPE_FLOAT32 || !x || x->ndim < 1 || (back && (!scale || !zero))) return 0;
    for (const whole_t *other = program->whole; other; other = other->next)
        if (other->maker == op && other->steps >= 0) {
            w->steps = other->steps;
            w->axis = other->axis;
            return 0;
        }
    const int64_t along = slices ? attr_int(op, "quant_axis") : 0;
    const int axis = (int)(along < 0 ? along + x->ndim : along);
    if (axis < 0 || axis >= x->ndim) return 0;
    const index_t count = !slices || (back && scale->size == 1) ? 1 : x->dims[axis];
    w->axis = count == 1 ? -1 : axis;
    if (!fits_axis(value, w->axis)) return 0;
    for (index_t i = 0; back && i < zero->size; i++)
        if (tensor_number(zero, i) != 0) return 0;
    const index_t inner = span(x, axis + 1, x->ndim);
    float *finer = back ? NULL : finer_of(x, w->axis, inner, count, attr_int(op, "bit_length"));
    if (!back && !finer) return -1;
    w->steps = bytes_of(program, back ? x : value, finer, inner, count);
    free(finer);
    return w->steps == -2 ? -1 : 0;
}

/* ---- roundings ---- */

typedef struct {
    program_t *program;
    op_t *ops;               /* what the block becomes */
    int count, vars;         /* vars: room of what goes by variable */
    int *readers, *writers;  /* by variable: operators of all blocks */
    int *maker;              /* by variable: the operator of `ops` that made it, or -1 */
    int *rounded;            /* by variable, of steps: the same as numbers, or -1 */
    int *seen;               /* by variable: has an operator of `ops` read it? */
    int *taken;              /* by operator: it may go when nobody reads what it makes */
} roundings_t;

static void count_uses(roundings_t *r) {
    for (int b = 0; b < r->program->block_count; b++)
        for (int i = 0; i < r->program->blocks[b].op_count; i++) {
            const op_t *op = &r->program->blocks[b].ops[i];
            for (int side = 0; side < 2; side++)
                for (int s = 0; s < (side ? op->out_count : op->in_count); s++) {
                    const slot_t *slot = side ? &op->out[s] : &op->in[s];
                    for (int k = 0; k < slot->count; k++)
                        if (slot->vars[k] >= 0) (side ? r->writers : r->readers)[slot->vars[k]]++;
                }
        }
}

static int is_fetched(const program_t *program, int var) {
    for (int i = 0; i < program->fetch_count; i++)
        if (program->fetches[i] == var) return 1;
    return 0;
}

/* Is it made once, for this program's operators alone? */
static int is_inner(const roundings_t *r, int var) {
    const var_t *v = var >= 0 && var < r->vars ? &r->program->vars[var] : NULL;
    return v && r->writers[var] == 1 && !v->persistable && v->kind == KIND_TENSOR && !is_fetched(r->program, var);
}

/* Has a variable its only value, before operator `by` of `ops`? */
static int is_fixed(const roundings_t *r, int var, int by) {
    return var >= 0 && var < r->vars && (!r->writers[var] || (r->writers[var] == 1 && r->maker[var] >= 0 && r->maker[var] < by));
}

static const tensor_t *known(const roundings_t *r, int var) { return var >= 0 && !r->writers[var] ? constant_of(r->program, var) : NULL; }

/* Whoever reads one variable reads another. */
static void read_instead(roundings_t *r, int from, int to) {
    for (int b = 0; b < r->program->block_count; b++)
        for (int i = 0; i < r->program->blocks[b].op_count; i++) {
            const op_t *op = &r->program->blocks[b].ops[i];
            for (int s = 0; s < op->in_count; s++)
                for (int k = 0; k < op->in[s].count; k++)
                    if (op->in[s].vars[k] == from) op->in[s].vars[k] = to; /* `ops` shares these lists */
        }
    r->readers[to] += r->readers[from];
    r->readers[from] = 0;
}

/* In a test the outputs that training changes are the inputs: nobody need write them. `same`: those of one name. */
static void drop_unchanged(roundings_t *r, op_t *op, int same) {
    static const char *const kept[][2] = {{"InScale", "OutScale"}, {"Scale", "OutScale"}, {"InState", "OutState"}, {"InAccum", "OutAccum"}};
    if (!is_quantized_type(op) || !attr_bool(op, "is_test")) return;
    for (int i = 0; i < 4; i++) {
        const int in = input_var(op, kept[i][0]), out = output_var(op, kept[i][1]);
        const int alike = in >= 0 && in == out;
        if (in < 0 || out < 0 || alike != same || (!alike && !(is_inner(r, out) && !r->seen[out] && known(r, in)))) continue;
        if (!alike) read_instead(r, out, in);
        r->writers[out]--;
        for (int s = 0; s < op->out_count; s++)
            if (!strcmp(op->out[s].name, kept[i][1])) op->out[s].count = 0;
    }
}

/* Are all outputs but the main one unread? */
static int others_unread(const roundings_t *r, const op_t *op, int main) {
    for (int s = 0; s < op->out_count; s++)
        for (int k = 0; k < op->out[s].count; k++) {
            const int var = op->out[s].vars[k];
            if (var >= 0 && var != main && (r->readers[var] || !is_inner(r, var))) return 0;
        }
    return 1;
}

/* A cast to the type that a value has, or an operator that only looks at it. */
static int does_nothing(const roundings_t *r, const op_t *op, int x, int out) {
    const int cast = type_is(op, "cast"), steps = type_is(op, "quantize_linear"), back = type_is(op, "dequantize_linear");
    if (!(cast || ((steps || back) && attr_bool(op, "only_observer") && (back || attr_bool(op, "is_test"))))) return 0;
    if (cast && attr_dtype(op, "in_dtype") != attr_dtype(op, "out_dtype")) return 0;
    if (!is_inner(r, out) || r->seen[out] || !is_fixed(r, x, r->count) || !others_unread(r, op, out)) return 0;
    return r->program->vars[x].dtype == r->program->vars[out].dtype && r->program->vars[x].dtype == TYPE_FLOAT32;
}

static const op_t *made_by(const roundings_t *r, int var) {
    return var >= 0 && var < r->vars && r->maker[var] >= 0 && r->writers[var] == 1 ? &r->ops[r->maker[var]] : NULL;
}

/* The grid of an operator whose scale is one known number; NULL: there is none, or (-1) no memory for it. */
static int read_grid(roundings_t *r, const op_t *op, const char *slot, const struct grid **grid) {
    const tensor_t *scale = known(r, input_var(op, slot));
    const int64_t bits = attr_int(op, "bit_length"), kind = attr_int(op, "round_type");
    *grid = NULL;
    if (!scale || scale->size != 1 || !attr_bool(op, "is_test") || bits < 2 || bits > 8 || (kind != 0 && kind != 1)) return 0;
    const float size = (float)tensor_number(scale, 0), limit = (float)largest_step(bits);
    if (!(size > 0 && size < INFINITY)) return 0;
    grid_t *made = arena_take(&r->program->arena, 1, sizeof *made);
    if (!made) return -1;
    *made = (grid_t){.scale = size, .limit = limit, .away = kind == 1, .factor = limit / size};
    *grid = made;
    return 0;
}

static int all_zero(const tensor_t *t) {
    for (index_t i = 0; t && i < t->size; i++)
        if (tensor_number(t, i) != 0) return 0;
    return t != NULL;
}

static int write_rounding(roundings_t *r, op_t *op, int x, int out, const struct grid *grid) {
    slot_t *slots = arena_take(&r->program->arena, 2, sizeof *slots);
    int *vars = arena_take(&r->program->arena, 2, sizeof *vars);
    if (!slots || !vars) return -1;
    vars[0] = x, vars[1] = out;
    slots[0] = (slot_t){.name = "X", .count = 1, .vars = vars};
    slots[1] = (slot_t){.name = "Out", .count = 1, .vars = vars + 1};
    *op = (op_t){.type = ROUNDING, .operator = find_operator(ROUNDING), .in_count = 1, .out_count = 1, .in = slots, .out = slots + 1, .in_grid = grid};
    r->readers[x]++;
    return 0;
}

/* An operator that rounds a float32 value there and back becomes one: 1, 0 if it does something else, -1. */
static int round_back(roundings_t *r, op_t *op) {
    const int back = type_is(op, "dequantize_linear"), out = output_var(op, back ? "Y" : "Out");
    const op_t *first = op;
    if (back) {
        const int steps = input_var(op, "X");
        first = made_by(r, steps);
        if (!first || !type_is(first, "quantize_linear") || attr_bool(op, "only_observer") || attr_bool(first, "only_observer")) return 0;
        const tensor_t *scale = known(r, input_var(op, "Scale")), *other = known(r, input_var(first, "Scale"));
        if (!scale || !other || scale->size != 1 || other->size != 1 || scale->dtype != TYPE_FLOAT32 || tensor_number(scale, 0) != tensor_number(other, 0)) return 0;
        if (attr_int(op, "bit_length") != attr_int(first, "bit_length") || !all_zero(known(r, input_var(op, "ZeroPoint"))) || !all_zero(known(r, input_var(first, "ZeroPoint")))) return 0;
    } else if (!type_is(op, "fake_quantize_dequantize_moving_average_abs_max"))
        return 0;
    const int x = input_var(first, "X");
    const struct grid *grid;
    if (!is_fixed(r, x, back ? (int)(first - r->ops) : r->count) || r->program->vars[x].dtype != TYPE_FLOAT32 || out < 0 || r->writers[out] != 1 ||
        !others_unread(r, op, out))
        return 0;
    if (read_grid(r, first, back ? "Scale" : "InScale", &grid)) return -1;
    if (!grid) return 0;
    if (back) r->taken[first - r->ops] = others_unread(r, first, output_var(first, "Y"));
    for (int s = 0; s < op->in_count; s++)
        for (int k = 0; k < op->in[s].count; k++)
            if (op->in[s].vars[k] >= 0) r->readers[op->in[s].vars[k]]--;
    return write_rounding(r, op, x, out, grid) ? -1 : 1;
}

/* ---- convolutions and products of steps, and what makes numbers of their sums ---- */

static int is_conv(const op_t *op) { return type_is(op, "conv2d") || type_is(op, "depthwise_conv2d"); }

int results_along(const op_t *op) {
    const int old = type_is(op, "matmul");
    if (type_is(op, "mul")) return attr_int(op, "y_num_col_dims") == 1 ? 1 : -1;
    if (!old && !type_is(op, "matmul_v2")) return -1;
    if (attr_bool(op, old ? "transpose_X" : "trans_x") || (old && attr_float(op, "alpha") != 1)) return -1;
    return attr_bool(op, old ? "transpose_Y" : "trans_y") ? 0 : 1;
}

/* What one in the sums is worth: one number, or one for each of `count` channels; how many, or 0 if that is not known. */
static index_t read_worth(const roundings_t *r, const op_t *op, const op_t *product, index_t count, float *worth) {
    if (type_is(op, "fake_dequantize_max_abs")) {
        const tensor_t *scale = known(r, input_var(op, "Scale"));
        if (!scale || scale->size != 1) return 0;
        worth[0] = (float)tensor_number(scale, 0) / (float)attr_float(op, "max_range");
        return 1;
    }
    const slot_t *scales = find_in(op, "Scales");
    const int out = output_var(op, "Out");
    int64_t bits[2];
    if (!scales || scales->count != 2 || out < 0 || attr_ints(op, "quant_bits", bits, 2) != 2) return clear_error(), 0;
    const tensor_t *first = known(r, scales->vars[0]), *second = known(r, scales->vars[1]);
    const int axis = is_conv(product) ? 1 : r->program->vars[out].ndim - 1, limit = largest_step(bits[0]) * largest_step(bits[1]);
    if (!first || !second || second->size != 1 || attr_int(op, "x_num_col_dims") != axis || (first->size != 1 && first->size != count) || !limit) return 0;
    for (index_t i = 0; i < first->size; i++) worth[i] = (float)tensor_number(first, i) * (float)tensor_number(second, 0) / (float)limit;
    return first->size;
}

/* Weights as numbers, from their steps: a new constant that remembers them, -1 if they are none, -2. */
static int number_weights(roundings_t *r, const op_t *op, const op_t *product, const tensor_t *steps, int axis, const grid_t *grid) {
    const index_t count = steps->dims[axis], inner = span(steps, axis + 1, steps->ndim);
    float *worth = malloc((size_t)max_of(count, 1) * sizeof *worth);
    if (!worth) return fail_memory(), -2;
    const index_t known_worth = read_worth(r, op, product, count, worth);
    tensor_t value, from = tensor_share(steps);
    int var = known_worth ? bytes_of(r->program, &from, NULL, 1, 1) : -1;
    if (var >= 0) {
        const int whole = var;
        var = tensor_new(NULL, &value, TYPE_FLOAT32, from.ndim, from.dims) ? -2 : 0;
        for (index_t i = 0; !var && i < from.size; i++)
            ((float *)value.data)[i] = ((const float *)from.data)[i] * (worth[i / inner % count % known_worth] / (grid->scale / grid->limit));
        if (!var && (var = add_constant(r->program, &value)) < 0) var = -2;
        if (var >= 0 && note(r->program, NULL, var, whole, axis)) var = -2;
    }
    tensor_drop(&from);
    free(worth);
    return var;
}

/* Give a convolution or product of steps numbers, so that the operator behind it can go: 1, 0 or -1. */
static int number_product(roundings_t *r, const op_t *op) {
    if (!type_is(op, "fake_dequantize_max_abs") && !type_is(op, "fake_channel_wise_dequantize_max_abs")) return 0;
    const int sums = input_var(op, "X"), out = output_var(op, "Out");
    const op_t *product = made_by(r, sums);
    if (!product || r->readers[sums] != 1 || !is_inner(r, sums) || out < 0 || r->writers[out] != 1 || r->seen[out] || product->in_count != 2) return 0;
    const int conv = is_conv(product), axis = conv ? 0 : results_along(product), x = input_var(product, conv ? "Input" : "X");
    const tensor_t *steps = known(r, input_var(product, conv ? "Filter" : "Y"));
    const op_t *first = made_by(r, x);
    const int rounded = first ? r->rounded[x] : -1;
    if (axis < 0 || rounded < 0 || !steps || steps->dtype != TYPE_FLOAT32 || steps->ndim != (conv ? 4 : 2) || !steps->size) return 0;
    const op_t *rounding = &r->ops[r->maker[x] + 1]; /* it was put behind `first` */
    const int var = number_weights(r, op, product, steps, axis, rounding->in_grid);
    if (var < 0) return var + 1;
    op_t *changed = &r->ops[product - r->ops];
    if (set_input(r->program, changed, conv ? "Input" : "X", rounded) || set_input(r->program, changed, conv ? "Filter" : "Y", var)) return -1;
    for (int s = 0; s < changed->out_count; s++)
        if (only_var(&changed->out[s]) == sums) changed->out[s].vars[0] = out;
    r->taken[first - r->ops] = 1;
    r->readers[x]--, r->readers[rounded]++, r->readers[sums] = 0;
    r->maker[out] = (int)(product - r->ops);
    return 1;
}

/* Behind an operator that makes steps of a fixed scale: the same numbers, rounded; nobody reads them unless a product turns to them. */
static int offer_rounded(roundings_t *r, const op_t *op) {
    const int steps = output_var(op, "Out"), x = input_var(op, "X");
    const struct grid *grid;
    if (!type_is(op, "fake_quantize_moving_average_abs_max") && !type_is(op, "fake_quantize_range_abs_max")) return 0;
    if (!is_inner(r, steps) || !is_fixed(r, x, r->count - 1) || r->program->vars[x].dtype != TYPE_FLOAT32 || !others_unread(r, op, steps)) return 0;
    if (read_grid(r, op, "InScale", &grid)) return -1;
    tensor_t none = {.dtype = TYPE_NONE};
    const int var = grid ? add_constant(r->program, &none) : 0;
    if (!grid || var < 0) return grid ? -1 : 0;
    if (write_rounding(r, &r->ops[r->count], x, var, grid)) return -1;
    r->taken[r->count++] = 1;
    r->rounded[steps] = var;
    r->writers[var] = 1;
    return 0;
}

/* ---- the block ---- */

static int rewrite(roundings_t *r, const op_t *given) {
    op_t op = *given;
    drop_unchanged(r, &op, 0);
    const int back = type_is(&op, "dequantize_linear") || type_is(&op, "quantize_linear");
    const int x = input_var(&op, "X"), out = output_var(&op, back ? "Y" : "Out");
    if (does_nothing(r, &op, x, out)) {
        r->readers[x]--;
        read_instead(r, out, x);
        return 0;
    }
    const int made = round_back(r, &op), numbered = made ? 0 : number_product(r, &op);
    if (made < 0 || numbered) return numbered > 0 ? 0 : -1;
    const int number = r->count;
    r->ops[r->count++] = op;
    for (int s = 0; s < op.in_count; s++)
        for (int k = 0; k < op.in[s].count; k++)
            if (op.in[s].vars[k] >= 0) r->seen[op.in[s].vars[k]] = 1;
    for (int s = 0; s < op.out_count; s++)
        for (int k = 0; k < op.out[s].count; k++)
            if (op.out[s].vars[k] >= 0) r->maker[op.out[s].vars[k]] = number;
    return offer_rounded(r, &r->ops[number]);
}

/* Operators whose results are read no more. */
static void drop_taken(roundings_t *r, block_t *block) {
    int kept = 0;
    for (int i = 0; i < r->count; i++) {
        const op_t *op = &r->ops[i];
        const slot_t *out = find_out(op, "Out");
        const int var = only_var(out ? out : find_out(op, "Y"));
        if (r->taken[i] && var >= 0 && !r->readers[var] && !is_fetched(r->program, var)) continue;
        r->ops[kept++] = *op;
    }
    block->ops = r->ops;
    block->op_count = kept;
}

int find_roundings(program_t *program) {
    block_t *block = &program->blocks[0];
    int concerned = 0;
    for (int i = 0; i < block->op_count; i++) concerned |= is_quantized_type(&block->ops[i]);
    for (whole_t *w = program->whole; w; w = w->next)
        if (w->steps < 0 && w->maker && make_steps(program, w)) return -1;
    if (!concerned) return 0;
    const size_t room = (size_t)program->var_count + 3 * (size_t)block->op_count + 1, most = 2 * (size_t)block->op_count + 1;
    int *memory = calloc(5 * room + most, sizeof *memory), status = memory ? 0 : fail_memory();
    roundings_t r = {.program = program, .vars = program->var_count, .readers = memory, .writers = memory + room, .maker = memory + 2 * room,
                     .rounded = memory + 3 * room, .seen = memory + 4 * room, .taken = memory + 5 * room, .ops = arena_take(&program->arena, most, sizeof *r.ops)};
    if (!r.ops) status = -1;
    for (size_t i = 0; !status && i < room; i++) r.maker[i] = r.rounded[i] = -1;
    if (!status) count_uses(&r);
    for (int i = 0; !status && i < block->op_count; i++)
        drop_unchanged(&r, &block->ops[i], 1);
    for (int i = 0; !status && i < block->op_count; i++) status = rewrite(&r, &block->ops[i]);
    if (!status) drop_taken(&r, block);
    free(memory);
    return status;
}

/* Slices are taken before what works on each row by itself, as static/ir/passes/early_slices.py does it for plans: of the last layer of
 * an encoder whose first token is all that is read, only that token is computed.
 *
 * Which part of a variable is wanted is found from its readers, backwards. One of which all readers want the same part is made as that
 * part alone; in front of others a slice is put where the parts begin to differ. Programs of one block only. */
#include "small.h"

#include <stdlib.h>

#include "roundings.h"
#include "sizes.h"

#define END INT32_MAX /* beyond every size */

/* The part of a variable that is wanted: places of one axis; axis 0: all of it. */
typedef struct {
    int axis;
    int64_t start, end;
} part_t;

typedef struct {
    program_t *program;
    block_t *block;
    int vars;               /* before any are added */
    int *writers, *seen;    /* by variable: how many operators write it; has a reader been seen? */
    int *part;              /* by variable: is it made as the part that is wanted? */
    int *narrow;            /* by operator: the variable that it makes a part of, or -1 */
    part_t *wanted;         /* by variable */
} slices_t;

/* A list of one number. */
static int one_number(const op_t *op, const char *name, int64_t *value) {
    const attr_t *attr = find_attr(op, name);
    if (!attr || attr->count != 1 || !attr->ints) return 0;
    *value = attr->ints[0];
    return 1;
}

/* Is it the first or the last place, and so the whole of an operand that is repeated along the axis? */
static int is_single(part_t p) { return (p.start == 0 && p.end == 1) || (p.start == -1 && p.end >= END); }

/* What a slice along one axis, from the second on, takes of its input. */
static part_t taken_by(const slices_t *s, const op_t *op) {
    const part_t all = {.axis = 0};
    int64_t axis, start, end;
    const int x = input_var(op, "Input");
    if (!type_is(op, "slice") || x < 0 || op->in_count != 1 || !one_number(op, "axes", &axis) || !one_number(op, "starts", &start) || !one_number(op, "ends", &end))
        return all;
    const int ndim = s->program->vars[x].ndim;
    if (axis < 0) axis += ndim;
    if (axis <= 0 || axis >= ndim) return all;
    end = end > END ? END : size_slice_end((index_t)start, (index_t)end, slice_means_one(op, 0, (int)axis, ndim));
    return (part_t){(int)axis, start, end};
}

/* ---- what is needed of operands X and Y for a part of the result; 0 if an operator can't do with less than all of them ---- */

static int for_elementwise(const slices_t *s, const op_t *op, part_t part, const var_t *out, part_t *needed) {
    const int64_t axis = attr_int(op, "axis");
    for (int i = 0; i < 2; i++) {
        const int v = input_var(op, i ? "Y" : "X");
        const var_t *x = v < 0 ? NULL : &s->program->vars[v];
        const int own = x ? part.axis - out->ndim + x->ndim : -1;
        if (!x || x->ndim < 1 || (axis != -1 && x->ndim != out->ndim)) return 0;
        needed[i] = (part_t){.axis = 0};
        if (own < 0 || x->dims[own] == 1) continue;
        if (own == 0 || (!is_single(part) && (x->dims[own] != out->dims[part.axis] || x->dims[own] < 0))) return 0;
        needed[i] = part;
        needed[i].axis = own;
    }
    return 1;
}

static int for_product(const slices_t *s, const op_t *op, part_t part, const var_t *out, part_t *needed) {
    const int y = input_var(op, "Y"), ndim = s->program->vars[input_var(op, "X")].ndim;
    if (y < 0 || ndim < 2 || s->program->vars[y].ndim < 2 || part.axis != out->ndim - 2) return 0;
    needed[0] = part;
    needed[0].axis = ndim - (attr_bool(op, "trans_x") ? 1 : 2);
    return needed[0].axis > 0;
}

static int for_transpose(const op_t *op, part_t part, int ndim, part_t *needed) {
    int64_t order[MAX_DIMS];
    if (attr_ints(op, "axis", order, MAX_DIMS) != ndim || part.axis >= ndim) return 0;
    needed[0] = part;
    needed[0].axis = (int)(order[part.axis] < 0 ? order[part.axis] + ndim : order[part.axis]);
    return needed[0].axis > 0 && needed[0].axis < ndim;
}

/* Axes up to the one that is cut must stay as they are, whatever their sizes. */
static int for_reshape(const op_t *op, part_t part, int ndim) {
    int64_t sizes[MAX_DIMS];
    const int count = attr_ints(op, "shape", sizes, MAX_DIMS);
    if (op->in_count != 1 || ndim <= part.axis || count <= part.axis) return 0;
    for (int i = 0; i <= part.axis; i++)
        if (sizes[i]) return 0;
    return 1;
}

static int for_softmax(const op_t *op, part_t part, int ndim) {
    const int64_t axis = attr_int(op, "axis");
    return (axis < 0 ? axis + ndim : axis) != part.axis;
}

static int is_pointwise(const op_t *op) {
    if (op->in_count != 1) return 0;
    return is_activation(op->type) || type_is(op, ROUNDING) || type_is(op, "scale") || type_is(op, "assign") || (type_is(op, "dropout") && attr_bool(op, "is_test"));
}

static int needed_by(const slices_t *s, const op_t *op, part_t part, const var_t *out, part_t *needed) {
    const int x = input_var(op, "X"), ndim = x < 0 ? 0 : s->program->vars[x].ndim;
    needed[0] = part;
    needed[1] = (part_t){.axis = 0};
    if (ndim < 2 || out->ndim < 2 || part.axis >= out->ndim) return 0;
    if (is_pointwise(op)) return ndim == out->ndim;
    if (!strncmp(op->type, "elementwise_", 12)) return for_elementwise(s, op, part, out, needed);
    if (type_is(op, "matmul_v2")) return for_product(s, op, part, out, needed);
    if (type_is(op, "layer_norm")) return part.axis < attr_int(op, "begin_norm_axis");
    if (type_is(op, "softmax")) return for_softmax(op, part, ndim);
    if (type_is(op, "transpose2")) return for_transpose(op, part, ndim, needed);
    return type_is(op, "reshape2") && for_reshape(op, part, ndim);
}

/* ---- which parts are wanted ---- */

static void want(slices_t *s, int var, part_t part) {
    if (var < 0) return;
    part_t *before = &s->wanted[var];
    if (s->seen[var] && (before->axis != part.axis || before->start != part.start || before->end != part.end)) part.axis = 0;
    *before = part;
    s->seen[var] = 1;
}

/* The result of which less than all is wanted, if it is the only one that is read; -1 if there is none. */
static int partial_result(const slices_t *s, const op_t *op) {
    int found = -1;
    for (int i = 0; i < op->out_count; i++)
        for (int k = 0; k < op->out[i].count; k++) {
            const int v = op->out[i].vars[k];
            if (v < 0 || !s->seen[v]) continue;
            const var_t *var = &s->program->vars[v];
            if (found >= 0 || !s->wanted[v].axis || s->writers[v] != 1 || var->persistable || var->kind != KIND_TENSOR || s->program->constants[v].data) return -1;
            found = v;
        }
    return found;
}

static int find_parts(slices_t *s) {
    int count = 0;
    for (int i = s->block->op_count - 1; i >= 0; i--) {
        const op_t *op = &s->block->ops[i];
        const int out = partial_result(s, op);
        const part_t own = taken_by(s, op), all = {.axis = 0};
        part_t needed[2] = {all, all};
        const int less = out >= 0 && needed_by(s, op, s->wanted[out], &s->program->vars[out], needed);
        s->narrow[i] = less ? out : -1;
        if (less) s->part[out] = 1, count++;
        for (int k = 0; k < op->in_count; k++) {
            const char *name = op->in[k].name;
            const int first = !strcmp(name, "X"), image = !strcmp(name, "Input");
            for (int j = 0; j < op->in[k].count; j++)
                want(s, op->in[k].vars[j], less ? first ? needed[0] : !strcmp(name, "Y") ? needed[1] : all : image ? own : all);
        }
    }
    return count;
}

/* ---- rewriting ---- */

static attr_t number_attr(program_t *program, const char *name, int64_t value) {
    attr_t attr = {.name = name, .text = "", .type = ATTR_INTS, .count = 1, .ints = arena_take(&program->arena, 1, sizeof *attr.ints),
                   .floats = arena_take(&program->arena, 1, sizeof *attr.floats)};
    if (attr.ints && attr.floats) attr.ints[0] = value, attr.floats[0] = (double)value;
    return attr;
}

static void narrow_sizes(program_t *program, int var, const var_t *from, part_t part) {
    index_t *dims = arena_take(&program->arena, (size_t)from->ndim, sizeof *dims);
    if (!dims) return; /* declared sizes only choose between ways to compute */
    memcpy(dims, from->dims, (size_t)from->ndim * sizeof *dims);
    dims[part.axis] = is_single(part) ? 1 : -1;
    program->vars[var].ndim = from->ndim;
    program->vars[var].dims = dims;
}

/* A slice of a variable, the operator written to `to`; its variable, or -1. */
static int write_slice(slices_t *s, op_t *to, int var, part_t part) {
    program_t *program = s->program;
    tensor_t none = {.dtype = TYPE_NONE};
    slot_t *slots = arena_take(&program->arena, 2, sizeof *slots);
    int *vars = arena_take(&program->arena, 2, sizeof *vars);
    attr_t *attrs = arena_take(&program->arena, 3, sizeof *attrs);
    const int made = slots && vars && attrs ? add_constant(program, &none) : -1;
    if (made < 0) return -1;
    vars[0] = var, vars[1] = made;
    slots[0] = (slot_t){.name = "Input", .count = 1, .vars = vars};
    slots[1] = (slot_t){.name = "Out", .count = 1, .vars = vars + 1};
    attrs[0] = number_attr(program, "axes", part.axis);
    attrs[1] = number_attr(program, "starts", part.start);
    attrs[2] = number_attr(program, "ends", part.end);
    for (int i = 0; i < 3; i++)
        if (!attrs[i].ints || !attrs[i].floats) return -1;
    *to = (op_t){.type = "slice", .operator = find_operator("slice"), .in_count = 1, .out_count = 1, .attr_count = 3, .in = slots,
                 .out = slots + 1, .attrs = attrs};
    narrow_sizes(program, made, &program->vars[var], part);
    return made;
}

/* Give the operator that makes a part of `out` parts of its operands; slices go to `to`. How many, or -1. */
static int narrow_operands(slices_t *s, const op_t *op, int out, op_t *to) {
    part_t needed[2];
    int count = 0;
    needed_by(s, op, s->wanted[out], &s->program->vars[out], needed);
    for (int i = 0; i < 2; i++) {
        const slot_t *slot = needed[i].axis ? find_in(op, i ? "Y" : "X") : NULL;
        if (!slot || s->part[slot->vars[0]]) continue;
        const int made = write_slice(s, to + count++, slot->vars[0], needed[i]);
        if (made < 0) return -1;
        slot->vars[0] = made;
    }
    return count;
}

/* A slice of what is no more than the slice already: all of it. */
static int widen_slice(slices_t *s, op_t *op, part_t own) {
    attr_t *attrs = arena_take(&s->program->arena, (size_t)op->attr_count, sizeof *attrs);
    if (!attrs) return -1;
    for (int i = 0; i < op->attr_count; i++) {
        const char *name = op->attrs[i].name;
        const int start = !strcmp(name, "starts"), end = !strcmp(name, "ends"), axes = !strcmp(name, "axes");
        attrs[i] = start || end || axes ? number_attr(s->program, name, start ? 0 : end ? END : own.axis) : op->attrs[i];
        if ((start || end || axes) && (!attrs[i].ints || !attrs[i].floats)) return -1;
    }
    op->attrs = attrs;
    return 0;
}

/* Was all of a part read by an operator that stands before its maker? Such a program fails when it is run, as it is. */
static int is_consistent(const slices_t *s) {
    for (int v = 0; v < s->vars; v++)
        if (s->part[v] && !s->wanted[v].axis) return 0;
    return 1;
}

static int rewrite(slices_t *s, int narrowed) {
    op_t *ops = arena_take(&s->program->arena, (size_t)(s->block->op_count + 2 * narrowed), sizeof *ops);
    int count = 0;
    if (!ops) return -1;
    for (int i = 0; i < s->block->op_count; i++) {
        op_t op = s->block->ops[i];
        const part_t own = taken_by(s, &op);
        const int more = s->narrow[i] >= 0 ? narrow_operands(s, &op, s->narrow[i], ops + count) : 0;
        if (more < 0 || (own.axis && s->part[input_var(&op, "Input")] && widen_slice(s, &op, own))) return -1;
        count += more;
        ops[count++] = op;
    }
    for (int i = 0; i < s->block->op_count; i++) {
        const int out = s->narrow[i];
        if (out >= 0) narrow_sizes(s->program, out, &s->program->vars[out], s->wanted[out]);
    }
    s->block->ops = ops;
    s->block->op_count = count;
    return 0;
}

int slice_early(program_t *program) {
    block_t *block = &program->blocks[0];
    const size_t vars = (size_t)program->var_count + 1, ops = (size_t)block->op_count + 1;
    slices_t s = {.program = program, .block = block, .vars = program->var_count};
    int some = 0;
    for (int i = 0; i < block->op_count; i++) some |= taken_by(&s, &block->ops[i]).axis;
    if (!some || program->block_count != 1) return 0;
    int *memory = calloc(3 * vars + ops, sizeof *memory);
    s.wanted = calloc(vars, sizeof *s.wanted);
    if (!memory || !s.wanted) {
        free(memory);
        free(s.wanted);
        return fail_memory();
    }
    s.writers = memory, s.seen = memory + vars, s.part = memory + 2 * vars, s.narrow = memory + 3 * vars;
    for (int i = 0; i < block->op_count; i++)
        for (int k = 0; k < block->ops[i].out_count; k++)
            for (int j = 0; j < block->ops[i].out[k].count; j++) {
                const int v = block->ops[i].out[k].vars[j];
                if (v >= 0) s.writers[v]++;
            }
    const int narrowed = find_parts(&s), status = narrowed && is_consistent(&s) ? rewrite(&s, narrowed) : 0;
    if (!status) clear_error(); /* of lists that were too long to be looked at */
    free(memory);
    free(s.wanted);
    return status;
}

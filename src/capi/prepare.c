/* What is settled before the first run: operators by type, inputs and outputs, constants worked out, variables' last uses. */
#include "small.h"

#include <stdio.h>
#include <stdlib.h>

#include "roundings.h"

/* Files name slots that have nothing in them; passes ask how many inputs there are. */
static void drop_empty_inputs(op_t *op) {
    int kept = 0;
    for (int i = 0; i < op->in_count; i++)
        if (op->in[i].count) op->in[kept++] = op->in[i];
    op->in_count = kept;
}

/* Operators whose types are not in the library, in one message. */
int program_bind(program_t *program) {
    char missing[512] = "";
    size_t used = 0;
    for (int b = 0; b < program->block_count; b++)
        for (int i = 0; i < program->blocks[b].op_count; i++) {
            op_t *op = &program->blocks[b].ops[i];
            drop_empty_inputs(op);
            if (complete_attrs(program, op)) return -1;
            if ((op->operator = find_operator(op->type))) continue;
            char entry[128];
            snprintf(entry, sizeof entry, "%s%.100s", used ? ", " : "", op->type);
            if (strstr(missing, op->type) || used + strlen(entry) + 1 > sizeof missing) continue;
            used += (size_t)snprintf(missing + used, sizeof missing - used, "%s", entry);
        }
    return used ? fail("the program has operators that this library lacks: %s", missing) : 0;
}

static int is_read(const program_t *program, int var) {
    for (int b = 0; b < program->block_count; b++)
        for (int i = 0; i < program->blocks[b].op_count; i++) {
            const op_t *op = &program->blocks[b].ops[i];
            for (int s = 0; s < op->in_count; s++)
                for (int k = 0; k < op->in[s].count; k++)
                    if (op->in[s].vars[k] == var) return 1;
        }
    return 0;
}

/* Outputs that only training fills: statistics of batch norm, which name the variables of its inputs, and scales of weights, which are
 * kept although nobody reads them. */
static void drop_training_outputs(program_t *program) {
    for (int b = 0; b < program->block_count; b++)
        for (int i = 0; i < program->blocks[b].op_count; i++) {
            op_t *op = &program->blocks[b].ops[i];
            const int weight = input_var(op, "X"), scale = rounds_weights(op) ? output_var(op, "OutScale") : -1;
            for (int s = 0; s < op->out_count && scale >= 0 && weight >= 0; s++)
                if (!strcmp(op->out[s].name, "OutScale") && program->vars[weight].persistable && !is_read(program, scale)) op->out[s].count = 0;
            if (strcmp(op->type, "batch_norm") && strcmp(op->type, "sync_batch_norm")) continue;
            for (int s = 0; s < op->out_count; s++)
                if (strcmp(op->out[s].name, "Y")) op->out[s].count = 0;
        }
}

/* Columns of feed or fetch operators. */
static int take_columns(program_t *program, const char *type, int feed, int **columns, int *count) {
    const block_t *block = &program->blocks[0];
    int most = 0;
    for (int i = 0; i < block->op_count; i++) most += !strcmp(block->ops[i].type, type);
    *columns = arena_take(&program->arena, (size_t)most + 1, sizeof **columns);
    if (!*columns) return -1;
    for (int i = 0; i < most; i++) (*columns)[i] = -1;
    for (int i = 0; i < block->op_count; i++) {
        const op_t *op = &block->ops[i];
        if (strcmp(op->type, type)) continue;
        const slot_t *slot = feed ? find_out(op, "Out") : find_in(op, "X");
        int64_t column = attr_int(op, "col");
        if (!slot || slot->vars[0] < 0 || column < 0 || column >= most || (*columns)[column] >= 0)
            return fail("the program is damaged: its %s operators don't fit together", type);
        (*columns)[column] = slot->vars[0];
    }
    *count = most;
    return 0;
}

static int is_in(int var, const int *list, int count) {
    for (int i = 0; i < count; i++)
        if (list[i] == var) return 1;
    return 0;
}

/* ---- constants ---- */

#define LARGEST_CONSTANT ((index_t)1 << 22) /* elements of a result that is worth keeping for ever */

/* Can an operator be run once and for all? */
static int is_constant_op(const program_t *program, const op_t *op, const int *writers) {
    if (op->operator->flags & OPERATOR_KEEP || !op->out_count || find_attr(op, "sub_block")) return 0;
    for (int s = 0; s < op->in_count; s++)
        for (int k = 0; k < op->in[s].count; k++) {
            int var = op->in[s].vars[k];
            if (var >= 0 && (!program->constants[var].data || writers[var] > 1)) return 0;
        }
    for (int s = 0; s < op->out_count; s++)
        for (int k = 0; k < op->out[s].count; k++) {
            int var = op->out[s].vars[k];
            if (var < 0) continue;
            const var_t *v = &program->vars[var];
            if (writers[var] != 1 || v->block || v->persistable || v->kind != KIND_TENSOR) return 0;
        }
    return 1;
}

static void keep_results(run_t *run, const op_t *op) {
    for (int s = 0; s < op->out_count; s++)
        for (int k = 0; k < op->out[s].count; k++) {
            int var = op->out[s].vars[k];
            if (var < 0) continue;
            run->program->constants[var] = run->values[var].tensor;
            run->values[var].tensor = (tensor_t){.dtype = TYPE_NONE};
        }
}

/* Those of quantization are as large as the parameters that they are made of. */
static int results_are_large(run_t *run, const op_t *op) {
    if (strstr(op->type, "quantize")) return 0;
    for (int s = 0; s < op->out_count; s++)
        for (int k = 0; k < op->out[s].count; k++)
            if (op->out[s].vars[k] >= 0 && run->values[op->out[s].vars[k]].tensor.size > LARGEST_CONSTANT) return 1;
    return 0;
}

static int fold_constants(program_t *program) {
    int *writers = calloc((size_t)program->var_count + 1, sizeof *writers), kept = 0, status = 0;
    run_t run = {.program = program, .values = calloc((size_t)program->var_count + 1, sizeof(value_t))};
    block_t *block = &program->blocks[0];
    if (!writers || !run.values) status = fail_memory();
    for (int b = 0; !status && b < program->block_count; b++)
        for (int i = 0; i < program->blocks[b].op_count; i++) {
            const op_t *op = &program->blocks[b].ops[i];
            for (int s = 0; s < op->out_count; s++)
                for (int k = 0; k < op->out[s].count; k++)
                    if (op->out[s].vars[k] >= 0) writers[op->out[s].vars[k]]++;
        }
    for (int i = 0; !status && i < block->op_count; i++) {
        op_t *op = &block->ops[i];
        if (is_constant_op(program, op, writers) && !run_operator(&run, op) && !results_are_large(&run, op)) {
            keep_results(&run, op);
            status = note_constant(program, op);
        } else block->ops[kept++] = *op; /* one that fails does so again, with its message, when it is run */
    }
    if (!status) block->op_count = kept;
    if (run.values) run_clear(&run);
    free(run.values);
    free(writers);
    if (!status) clear_error();
    return status;
}

/* ---- last uses ---- */

static void note_use(const program_t *program, const op_t *op, int block, int at, int *last, int depth) {
    for (int side = 0; side < 2; side++) {
        const slot_t *slots = side ? op->out : op->in;
        for (int s = 0; s < (side ? op->out_count : op->in_count); s++)
            for (int k = 0; k < slots[s].count; k++)
                if (slots[s].vars[k] >= 0 && program->vars[slots[s].vars[k]].block == block) last[slots[s].vars[k]] = at;
    }
    int64_t inner = attr_int(op, "sub_block");
    if (inner <= block || inner >= program->block_count || depth > 64) return;
    for (int i = 0; i < program->blocks[inner].op_count; i++) note_use(program, &program->blocks[inner].ops[i], block, at, last, depth + 1);
}

static int may_drop(const program_t *program, int var) {
    const var_t *v = &program->vars[var];
    return !v->persistable && v->kind != KIND_ARRAY && !program->constants[var].data && !is_in(var, program->feeds, program->feed_count) &&
           !is_in(var, program->fetches, program->fetch_count);
}

static int find_last_uses(program_t *program, int number) {
    block_t *block = &program->blocks[number];
    int *last = malloc(((size_t)program->var_count + 1) * sizeof *last);
    if (!last) return fail_memory();
    for (int i = 0; i < program->var_count; i++) last[i] = -1;
    for (int i = 0; i < block->op_count; i++) note_use(program, &block->ops[i], number, i, last, 0);
    for (int pass = 0; pass < 2; pass++) {
        for (int var = 0; var < program->var_count; var++) {
            if (last[var] < 0 || !may_drop(program, var)) continue;
            op_t *op = &block->ops[last[var]];
            if (pass) op->drops[op->drop_count] = var;
            op->drop_count++;
        }
        for (int i = 0; !pass && i < block->op_count; i++) {
            op_t *op = &block->ops[i];
            op->drops = arena_take(&program->arena, (size_t)op->drop_count, sizeof *op->drops);
            op->drop_count = 0;
            if (!op->drops) {
                free(last);
                return -1;
            }
        }
    }
    free(last);
    return 0;
}

/* A loop whose condition nobody changes never ends. */
static int check_loops(const program_t *program) {
    for (int b = 0; b < program->block_count; b++)
        for (int i = 0; i < program->blocks[b].op_count; i++) {
            const op_t *op = &program->blocks[b].ops[i];
            int64_t inner = attr_int(op, "sub_block");
            const slot_t *condition = find_in(op, "Condition");
            if (find_attr(op, "sub_block") && (inner <= b || inner >= program->block_count || program->blocks[inner].parent != b))
                return fail("the program is damaged: %s has block %lld", op->type, (long long)inner);
            if (strcmp(op->type, "while") || !condition) continue;
            int changed = 0;
            for (int k = 0; k < program->blocks[inner].op_count; k++) {
                const op_t *step = &program->blocks[inner].ops[k];
                for (int s = 0; s < step->out_count; s++) changed |= is_in(condition->vars[0], step->out[s].vars, step->out[s].count);
                changed |= find_attr(step, "sub_block") != NULL;
            }
            if (!changed) return fail("a loop never ends: nothing in it changes its condition");
        }
    return 0;
}

int program_prepare(program_t *program, int passes) {
    if (!program->constants) {
        program->constants = calloc((size_t)program->var_count + 1, sizeof *program->constants);
        if (!program->constants) return fail_memory();
    }
    if (program_bind(program) || check_loops(program)) return -1;
    drop_training_outputs(program);
    if (take_columns(program, "feed", 1, &program->feeds, &program->feed_count) ||
        take_columns(program, "fetch", 0, &program->fetches, &program->fetch_count))
        return -1;
    if ((passes & 1 && fold_constants(program)) || (passes & 2 && (find_roundings(program) || slice_early(program)))) return -1;
    for (int b = 0; b < program->block_count; b++)
        if ((passes & 2 && fuse_block(program, b)) || find_last_uses(program, b)) return -1;
    return 0;
}

/* Programs of Paddle 3: inputs, outputs, parameters, constants, lists of values, loops and branches; and the whole file. */
#include "small.h"

#include <stdio.h>
#include <stdlib.h>

#include "pir.h"

/* Let a number stand for a variable that there is. */
static int add_alias(reader_t *r, long long number, int var) {
    note_t *note = var < 0 ? NULL : add_note(r, number);
    if (!note || !(note->vars = arena_take(&r->program->arena, 1, sizeof *note->vars))) return -1;
    note->vars[note->count++] = var;
    return 0;
}

/* ---- operations with a form of their own ---- */

static int read_parameter(reader_t *r, const json_t *source) {
    const json_t *result = json_get(source, "O");
    const char *name = json_text(json_item(json_get(source, "A"), 3), NULL);
    if (!name || !number_of(result)) return fail("the program is damaged: a parameter has no name");
    int var = program_add_var(r->program, 0, name), alias = var < 0 ? -1 : var_of(r, number_of(result));
    if (alias < 0 || set_type(r, var, json_get(result, "TT"))) return -1;
    const json_t *kept = json_item(json_get(source, "OA"), 0);
    r->program->vars[var].persistable = !kept || kept->whole != 0; /* files hold no value of the others */
    return add_alias(r, number_of(result), var);
}

/* An operator with one operand and one result. */
static int add_plain(reader_t *r, const char *type, int from, int to) {
    op_t *op = from < 0 || to < 0 ? NULL : new_op(r, type, 1, 0, 1);
    return !op || set_slot(r->program, &op->in[op->in_count++], "X", 1, &from) || set_slot(r->program, &op->out[op->out_count++], "Out", 1, &to) ? -1 : 0;
}

/* The one variable that a number stands for; -1 with a message. */
static int single_var(reader_t *r, long long number) {
    note_t *note = find_note(r, number);
    if (!number || (note && note->count > 1)) return fail("the program is damaged: a value is missing, or a list");
    return note && note->count == 1 ? note->vars[0] : var_of(r, number);
}

static int add_column(reader_t *r, const char *type, int feed, int var, int64_t column) {
    op_t *op = new_op(r, type, 1, 1, 1);
    if (!op || make_attr(r->program, &op->attrs[op->attr_count++], "col", &(json_t){.kind = JSON_NUMBER, .number = (double)column, .whole = column})) return -1;
    return feed ? set_slot(r->program, &op->out[op->out_count++], "Out", 1, &var) : set_slot(r->program, &op->in[op->in_count++], "X", 1, &var);
}

static int read_data(reader_t *r, const json_t *source) {
    const json_t *name = json_get(attr_of(source, "name"), "D"), *result = json_item(json_get(source, "O"), 0);
    if (!json_text(name, NULL) || !number_of(result)) return fail("the program is damaged: an input has no name");
    int var = program_add_var(r->program, 0, name->text);
    if (var < 0 || set_type(r, var, json_get(result, "TT")) || add_alias(r, number_of(result), var)) return -1;
    return add_column(r, "feed", 1, var, r->feeds++);
}

static int read_fetch(reader_t *r, const json_t *source) {
    const json_t *name = json_get(attr_of(source, "name"), "D"), *column = json_get(attr_of(source, "col"), "D");
    if (!json_text(name, NULL)) return fail("the program is damaged: an output has no name");
    int from = single_var(r, number_of(json_item(json_get(source, "I"), 0))), to = program_add_var(r->program, 0, name->text);
    if (add_plain(r, "assign", from, to) || set_type(r, to, json_get(json_item(json_get(source, "O"), 0), "TT"))) return -1;
    return add_column(r, "fetch", 0, to, column ? column->whole : 0);
}

/* combine makes a list of values, split takes one apart. */
static int read_combine(reader_t *r, const json_t *source) {
    const json_t *ins = json_get(source, "I");
    note_t *note = add_note(r, number_of(json_item(json_get(source, "O"), 0)));
    if (!ins) return fail("the program is damaged: a list has no values");
    if (!note || !(note->vars = arena_take(&r->program->arena, (size_t)ins->count + 1, sizeof *note->vars))) return -1;
    for (const json_t *item = json_item(ins, 0); item; item = item->next) {
        int var = single_var(r, number_of(item));
        if (var < 0) return -1;
        note->vars[note->count++] = var;
    }
    return 0;
}

static int read_split(reader_t *r, const json_t *source) {
    note_t *from = find_note(r, number_of(json_item(json_get(source, "I"), 0)));
    const json_t *outs = json_get(source, "O");
    int i = 0;
    for (const json_t *item = json_item(outs, 0); item; item = item->next, i++) {
        if (!from || i >= from->count) return fail("the program is damaged: a list is too short");
        if (add_alias(r, number_of(item), from->vars[i])) return -1;
    }
    return 0;
}

/* Constants are operators, too: where they serve as attributes nobody reads those. */
static int read_constant(reader_t *r, const json_t *source, int list) {
    const json_t *value = attr_of(source, "value"), *result = json_item(json_get(source, "O"), 0), *type = attr_of(source, "dtype");
    long long number = number_of(result);
    op_t *op = new_op(r, list ? "assign_value" : "fill_constant", 0, 4, 1);
    int var = op && value && number ? var_of(r, number) : -1;
    if (var < 0 || set_type(r, var, json_get(result, "TT"))) return fail("the program is damaged: a constant has no value");
    note_t *note = add_note(r, number);
    if (!note || set_slot(r->program, &op->out[op->out_count++], "Out", 1, &var)) return -1;
    if (list || !r->program->vars[var].ndim || (r->program->vars[var].ndim == 1 && r->program->vars[var].dims[0] == 1)) note->constant = value;
    if (type && make_attr(r->program, &op->attrs[op->attr_count++], "dtype", type)) return -1;
    if (make_attr(r->program, &op->attrs[op->attr_count++], list ? "values" : "value", value)) return -1;
    const json_t *shape = list ? json_item(json_get(json_get(result, "TT"), "D"), 1) : attr_of(source, "shape");
    return shape ? make_attr(r->program, &op->attrs[op->attr_count++], "shape", shape) : 0;
}

/* ---- regions ---- */

/* A new variable of a block that no number stands for. */
static int own_var(reader_t *r, int block) {
    char name[32];
    int length = snprintf(name, sizeof name, "%%own%d", r->names++);
    const char *text = arena_text(&r->program->arena, name, (size_t)length);
    return text ? program_add_var(r->program, block, text) : -1;
}

/* ---- arrays of tensors ---- */

static int is_array(const reader_t *r, int var) { return var >= 0 && r->program->vars[var].kind == KIND_ARRAY; }

static int read_create_array(reader_t *r, const json_t *source) {
    long long number = number_of(json_item(json_get(source, "O"), 0));
    int var = single_var(r, number);
    op_t *op = var < 0 ? NULL : new_op(r, "create_array", 0, 0, 1);
    if (!op) return -1;
    r->program->vars[var].kind = KIND_ARRAY;
    return set_slot(r->program, &op->out[op->out_count++], "Out", 1, &var);
}

/* What an array is written into is itself, whatever number the result has. */
static int read_array_write(reader_t *r, const json_t *source) {
    int vars[3];
    for (int i = 0; i < 3; i++)
        if ((vars[i] = single_var(r, number_of(json_item(json_get(source, "I"), i)))) < 0) return -1;
    if (!is_array(r, vars[0])) return fail("the program is damaged: what is written into is no array");
    op_t *op = new_op(r, "write_to_array", 2, 0, 1);
    if (!op || set_slot(r->program, &op->in[op->in_count++], "X", 1, &vars[1]) || set_slot(r->program, &op->in[op->in_count++], "I", 1, &vars[2]) ||
        set_slot(r->program, &op->out[op->out_count++], "Out", 1, &vars[0]))
        return -1;
    long long number = number_of(json_item(json_get(source, "O"), 0));
    return number ? add_alias(r, number, vars[0]) : 0;
}

/* An operator that runs a block if (or as long as) a variable is true. */
static int add_control(reader_t *r, const char *type, const char *slot, int condition, int block) {
    op_t *op = condition < 0 ? NULL : new_op(r, type, 1, 1, 1);
    const json_t value = {.kind = JSON_NUMBER, .number = block, .whole = block};
    return !op || set_slot(r->program, &op->in[op->in_count++], slot, 1, &condition) || make_attr(r->program, &op->attrs[op->attr_count++], "sub_block", &value) ? -1 : 0;
}

static int read_operation(reader_t *r, const json_t *source);

/* How many operators an operation may become besides its own two: loops and branches need a few more. */
static int room_of(const json_t *op) {
    const json_t *in = json_get(op, "I");
    return json_get(op, "regions") ? 4 + (in ? in->count : 0) : 0;
}

/* The operations of a region's block into block `number`; `results` are given the operands of the yield that ends it. An array is not
 * copied: it is the result (which then was -1), and has to be the same wherever it comes from. */
static int read_region(reader_t *r, const json_t *region, int number, int *results, int count) {
    const json_t *ops = json_get(json_item(json_get(region, "blocks"), 0), "ops");
    int outer = r->block, outer_room = r->room, status = 0, ended = 0;
    block_t *block = &r->program->blocks[number];
    if (!ops) return fail("the program is damaged: a region has no operations");
    r->block = number;
    r->room = 2 * ops->count + 2 * count + 2;
    for (const json_t *op = json_item(ops, 0); op; op = op->next)
        r->room += room_of(op);
    block->ops = arena_take(&r->program->arena, (size_t)r->room, sizeof *block->ops);
    if (!block->ops) status = -1;
    for (const json_t *op = json_item(ops, 0); op && !status && !ended; op = op->next) {
        ended = !strcmp(json_text(json_get(op, "#"), ""), "2.yield");
        if (!ended) {
            status = read_operation(r, op);
            continue;
        }
        const json_t *item = json_item(json_get(op, "I"), 0);
        int kept[256];
        for (int i = 0; i < count && !status; i++, item = item ? item->next : NULL) {
            int from = single_var(r, number_of(item));
            if (is_array(r, from) || is_array(r, results[i]) || results[i] < 0) {
                if (from < 0 || (results[i] >= 0 && results[i] != from)) status = fail("a loop or branch that replaces an array is not supported");
                results[i] = kept[i] = from;
                continue;
            }
            kept[i] = own_var(r, number); /* all of them first: one may be the place of another */
            status = add_plain(r, "assign", from, kept[i]);
        }
        for (int i = 0; i < count && !status; i++)
            if (!is_array(r, results[i])) status = add_plain(r, "assign", kept[i], results[i]);
    }
    r->block = outer;
    r->room = outer_room;
    return status || ended ? status : fail("the program is damaged: a region yields nothing");
}

static int open_block(reader_t *r) {
    int number = r->program->block_count++;
    r->program->blocks[number].parent = r->block;
    return number;
}

static int read_if(reader_t *r, const json_t *source) {
    const json_t *regions = json_get(source, "regions"), *outs = json_get(source, "O");
    int results[256], count = 0, condition = single_var(r, number_of(json_item(json_get(source, "I"), 0))), other = own_var(r, r->block);
    if (add_plain(r, "logical_not", condition, other)) return -1;
    for (const json_t *item = json_item(outs, 0); item; item = item->next) {
        if (count == 256) return fail("a branch has more than 256 results");
        int array = !strcmp(json_text(json_get(json_get(item, "TT"), "#"), ""), "1.t_dense_tensor_array");
        results[count] = array ? -1 : var_of(r, number_of(item));
        if (!array && (results[count] < 0 || set_type(r, results[count], json_get(item, "TT")))) return -1;
        count++;
    }
    for (int side = 0; side < 2; side++) {
        int block = open_block(r);
        note_t *before = r->notes;
        if (add_control(r, "conditional_block", "Cond", side ? other : condition, block) || read_region(r, json_item(regions, side), block, results, count)) return -1;
        r->notes = before;
    }
    const json_t *item = json_item(outs, 0);
    for (int i = 0; i < count; i++, item = item->next)
        if (is_array(r, results[i]) && add_alias(r, number_of(item), results[i])) return -1;
    return 0;
}

static int read_while(reader_t *r, const json_t *source) {
    const json_t *region = json_item(json_get(source, "regions"), 0), *outs = json_get(source, "O");
    const json_t *args = json_get(json_item(json_get(region, "blocks"), 0), "args"), *in = json_item(json_get(source, "I"), 0);
    int vars[256], count = 0;
    for (; in; in = in->next, count++) { /* the condition, then what the loop carries */
        if (count == 256) return fail("a loop carries more than 255 values");
        int from = single_var(r, number_of(in));
        vars[count] = is_array(r, from) ? from : own_var(r, r->block);
        if (vars[count] != from && add_plain(r, "assign", from, vars[count])) return -1;
    }
    int block = open_block(r), i = 1;
    note_t *before = r->notes;
    if (!count) return fail("the program is damaged: a loop has no condition");
    if (add_control(r, "while", "Condition", vars[0], block)) return -1;
    for (const json_t *arg = json_item(args, 0); arg; arg = arg->next, i++) {
        const json_t *number = json_get(arg, "#");
        if (!number || i >= count) return fail("the program is damaged: a loop's values don't fit");
        if (add_alias(r, number->whole, vars[i])) return -1;
    }
    if (read_region(r, region, block, vars, count)) return -1;
    r->notes = before;
    i = 1;
    for (const json_t *item = json_item(outs, 0); item; item = item->next, i++) {
        if (i >= count) return fail("the program is damaged: a loop's values don't fit");
        if (add_alias(r, number_of(item), vars[i])) return -1;
    }
    return 0;
}

/* How many blocks the operations of a list have in them. */
static int count_blocks(const json_t *ops) {
    int count = 0;
    for (const json_t *op = json_item(ops, 0); op; op = op->next) {
        const json_t *regions = json_get(op, "regions");
        for (const json_t *region = json_item(regions, 0); region; region = region->next)
            count += 1 + count_blocks(json_get(json_item(json_get(region, "blocks"), 0), "ops"));
    }
    return count;
}

static int read_operation(reader_t *r, const json_t *source) {
    const char *name = json_text(json_get(source, "#"), "");
    if (!strcmp(name, "p")) return read_parameter(r, source);
    if (!strcmp(name, "0.combine")) return read_combine(r, source);
    if (!strcmp(name, "0.split")) return read_split(r, source);
    if (!strcmp(name, "1.data")) return read_data(r, source);
    if (!strcmp(name, "1.fetch")) return read_fetch(r, source);
    if (!strcmp(name, "1.full")) return read_constant(r, source, 0);
    if (!strcmp(name, "1.full_int_array")) return read_constant(r, source, 1);
    if (!strcmp(name, "1.create_array")) return read_create_array(r, source);
    if (!strcmp(name, "1.array_write_")) return read_array_write(r, source);
    if (!strcmp(name, "1.if")) return read_if(r, source);
    if (!strcmp(name, "1.while")) return read_while(r, source);
    if (json_get(source, "regions") || strncmp(name, "1.", 2)) return fail("the operation %s is not supported in .json models; convert the model with Python", name);
    if (read_by_table(r, source, name + 2)) {
        put_context("%s: ", name + 2);
        return -1;
    }
    return 0;
}

static int read_all(reader_t *r, const char *bytes, size_t size) {
    program_t *program = r->program;
    const json_t *root = json_read(&program->arena, bytes, size);
    const json_t *region = json_item(json_get(json_get(root, "program"), "regions"), 0), *ops = json_get(json_item(json_get(region, "blocks"), 0), "ops");
    if (!root) return -1;
    if (!ops) return fail("this is not a program of Paddle 3: it has no operations");
    r->room = 2 * ops->count + 1;
    for (const json_t *op = json_item(ops, 0); op; op = op->next) r->room += room_of(op);
    program->block_count = 1;
    program->blocks = arena_take(&program->arena, 3 + 2 * (size_t)count_blocks(ops), sizeof *program->blocks);
    if (!program->blocks) return -1;
    program->blocks[0].parent = -1;
    program->blocks[0].ops = arena_take(&program->arena, (size_t)r->room, sizeof(op_t));
    if (!program->blocks[0].ops) return -1;
    for (const json_t *op = json_item(ops, 0); op; op = op->next)
        if (read_operation(r, op)) return -1;
    return 0;
}

program_t *program_read_json(const char *bytes, size_t size) {
    program_t *program = calloc(1, sizeof *program);
    if (!program) {
        fail_memory();
        return NULL;
    }
    atomic_store(&program->references, 1);
    reader_t r = {.program = program};
    if (!read_all(&r, bytes, size)) return program;
    program_release(program);
    return NULL;
}

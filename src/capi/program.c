/* Programs: their parts by name, and the message ProgramDesc. */
#include "small.h"

#include "program.h"

#include <stdio.h>
#include <stdlib.h>

#include "wire.h"

/* ---- variables by name ---- */

static uint32_t hash_name(int block, const char *name) {
    uint32_t hash = 2166136261u ^ (uint32_t)block;
    for (; *name; name++) hash = (hash ^ (uint8_t)*name) * 16777619u;
    return hash;
}

/* The place of a variable in the table, or the free one where it belongs. */
static int *place_of(const program_t *program, int block, const char *name) {
    uint32_t mask = (uint32_t)program->table_room - 1, at = hash_name(block, name) & mask;
    for (;; at = (at + 1) & mask) {
        int var = program->table[at] - 1;
        if (var < 0 || (program->vars[var].block == block && !strcmp(program->vars[var].name, name))) return &program->table[at];
    }
}

static int grow_table(program_t *program) {
    int room = program->table_room ? 2 * program->table_room : 256;
    int *table = calloc((size_t)room, sizeof *table);
    if (!table) return fail_memory();
    free(program->table);
    program->table = table;
    program->table_room = room;
    for (int i = 0; i < program->var_count; i++) *place_of(program, program->vars[i].block, program->vars[i].name) = i + 1;
    return 0;
}

int program_add_var(program_t *program, int block, const char *name) {
    if (2 * (program->var_count + 1) > program->table_room && grow_table(program)) return -1;
    int *place = place_of(program, block, name);
    if (*place) return *place - 1;
    if (program->var_count == program->var_room) {
        int room = program->var_room ? 2 * program->var_room : 128;
        var_t *vars = realloc(program->vars, (size_t)room * sizeof *vars);
        if (!vars) return fail_memory();
        program->vars = vars;
        program->var_room = room;
    }
    program->vars[program->var_count] = (var_t){.name = name, .block = block, .kind = KIND_TENSOR, .dtype = TYPE_NONE};
    *place = ++program->var_count;
    return program->var_count - 1;
}

int program_find_var(const program_t *program, int block, const char *name) {
    if (!program->table_room) return -1;
    for (; block >= 0; block = program->blocks[block].parent) {
        int var = *place_of(program, block, name) - 1;
        if (var >= 0) return var;
    }
    return -1;
}

/* ---- reading ---- */

static const char *read_text(program_t *program, const field_t *field) {
    if (field->kind != 2) {
        fail("the program is damaged: a name is no text");
        return NULL;
    }
    return arena_text(&program->arena, field->bytes.at, wire_size(&field->bytes));
}

/* TensorDesc: element type and sizes. */
static int read_tensor_desc(program_t *program, wire_t wire, var_t *var) {
    field_t field;
    int more, count = 0;
    index_t dims[64];
    while ((more = wire_next(&wire, &field)) > 0) {
        if (field.number == 1 && field.kind == 0) var->dtype = type_of_file((int64_t)field.value);
        if (field.number != 2) continue;
        while (field.kind == 0 || wire_size(&field.bytes)) {
            if (field.kind == 2 && wire_varint(&field.bytes, &field.value)) return -1;
            if (count == 64) return fail("the program is damaged: a variable has more than 64 axes");
            dims[count++] = (index_t)field.value;
            if (field.kind != 2) break;
        }
    }
    var->dims = arena_take(&program->arena, (size_t)count, sizeof *dims);
    if (more < 0 || !var->dims) return -1;
    memcpy(var->dims, dims, (size_t)count * sizeof *dims);
    var->ndim = count;
    return 0;
}

static int read_var_type(program_t *program, wire_t wire, var_t *var, int depth) {
    field_t field;
    int more;
    while ((more = wire_next(&wire, &field)) > 0) {
        if (field.number == 1 && field.kind == 0 && depth == 0) var->kind = (int64_t)field.value;
        int is_nested = depth == 0 && (field.number == 3 || field.number == 4); /* LoDTensorDesc, LoDTensorArrayDesc */
        int is_desc = depth == 0 ? field.number == 2 : field.number == 1;
        if (depth == 1 && field.number == 2 && field.kind == 0) var->levels = (int)field.value;
        if (field.kind != 2) continue;
        if (is_nested && read_var_type(program, field.bytes, var, 1)) return -1;
        if (is_desc && read_tensor_desc(program, field.bytes, var)) return -1;
    }
    return more;
}

static int read_var(program_t *program, int block, wire_t wire) {
    var_t var = {.kind = KIND_TENSOR, .dtype = TYPE_NONE};
    field_t field;
    int more;
    while ((more = wire_next(&wire, &field)) > 0) {
        if (field.number == 1 && !(var.name = read_text(program, &field))) return -1;
        if (field.number == 2 && field.kind == 2 && read_var_type(program, field.bytes, &var, 0)) return -1;
        if (field.number == 3 && field.kind == 0) var.persistable = field.value != 0;
    }
    if (more < 0) return -1;
    if (!var.name) return fail("the program is damaged: a variable has no name");
    int number = program_add_var(program, block, var.name);
    if (number < 0) return -1;
    var.block = block;
    program->vars[number] = var;
    return 0;
}

static int find_or_add(program_t *program, int block, const char *name) {
    if (!*name || !strcmp(name, "@EMPTY@")) return -1;
    int var = program_find_var(program, block, name);
    return var >= 0 ? var : program_add_var(program, block, name);
}

static int read_slot(program_t *program, int block, wire_t wire, slot_t *slot) {
    field_t field;
    int more, count = 0;
    for (wire_t rest = wire; (more = wire_next(&rest, &field)) > 0;) count += field.number == 2;
    if (more < 0) return -1;
    slot->vars = arena_take(&program->arena, (size_t)count, sizeof *slot->vars);
    if (!slot->vars) return -1;
    slot->name = "";
    while (wire_next(&wire, &field) > 0) {
        if (field.number != 1 && field.number != 2) continue;
        const char *text = read_text(program, &field);
        if (!text) return -1;
        if (field.number == 1) slot->name = text;
        else slot->vars[slot->count++] = find_or_add(program, block, text);
    }
    return 0;
}

int read_attr(program_t *program, wire_t wire, attr_t *attr); /* attributes.c */

static int read_op(program_t *program, int block, wire_t wire, op_t *op) {
    field_t field;
    int more, counts[5] = {0};
    for (wire_t rest = wire; (more = wire_next(&rest, &field)) > 0;)
        if (field.number < 5 && field.kind == 2) counts[field.number]++;
    if (more < 0) return -1;
    op->in = arena_take(&program->arena, (size_t)counts[1], sizeof *op->in);
    op->out = arena_take(&program->arena, (size_t)counts[2], sizeof *op->out);
    op->attrs = arena_take(&program->arena, (size_t)counts[4], sizeof *op->attrs);
    if (!op->in || !op->out || !op->attrs) return -1;
    while (wire_next(&wire, &field) > 0) {
        if (field.kind != 2) continue;
        if (field.number == 1 && read_slot(program, block, field.bytes, &op->in[op->in_count++])) return -1;
        if (field.number == 2 && read_slot(program, block, field.bytes, &op->out[op->out_count++])) return -1;
        if (field.number == 3 && !(op->type = read_text(program, &field))) return -1;
        if (field.number == 4 && read_attr(program, field.bytes, &op->attrs[op->attr_count++])) return -1;
    }
    return op->type ? 0 : fail("the program is damaged: an operator has no type");
}

/* The head of a block and its variables, or (second time) its operators. */
static int read_block(program_t *program, int number, wire_t wire, int operators) {
    block_t *block = &program->blocks[number];
    field_t field;
    int more, count = 0;
    int64_t index = number;
    for (wire_t rest = wire; (more = wire_next(&rest, &field)) > 0;) {
        if (field.number == 1 && field.kind == 0) index = (int32_t)field.value;
        if (field.number == 2 && field.kind == 0) block->parent = (int32_t)field.value;
        count += field.number == 4 && field.kind == 2;
    }
    if (more < 0) return -1;
    if (number == 0) block->parent = -1;
    if (index != number || block->parent >= number || (number && block->parent < 0))
        return fail("the program is damaged: block %d says that it is number %lld inside of %d", number, (long long)index,
                    block->parent);
    if (operators && !(block->ops = arena_take(&program->arena, (size_t)count, sizeof *block->ops))) return -1;
    while (wire_next(&wire, &field) > 0) {
        if (field.kind != 2) continue;
        if (!operators && field.number == 3 && read_var(program, number, field.bytes)) return -1;
        if (operators && field.number == 4 && read_op(program, number, field.bytes, &block->ops[block->op_count++])) return -1;
    }
    return 0;
}

static int read_blocks(program_t *program, wire_t wire) {
    field_t field;
    int more;
    for (wire_t rest = wire; (more = wire_next(&rest, &field)) > 0;) program->block_count += field.number == 1 && field.kind == 2;
    if (more < 0) return -1;
    if (!program->block_count) return fail("this is not a program: it has no blocks");
    program->blocks = arena_take(&program->arena, (size_t)program->block_count, sizeof *program->blocks);
    if (!program->blocks) return -1;
    for (int operators = 0; operators < 2; operators++) {
        int number = 0;
        for (wire_t rest = wire; wire_next(&rest, &field) > 0;)
            if (field.number == 1 && field.kind == 2 && read_block(program, number++, field.bytes, operators)) return -1;
    }
    return 0;
}

program_t *program_read(const void *bytes, size_t size) {
    program_t *program = calloc(1, sizeof *program);
    if (!program) {
        fail_memory();
        return NULL;
    }
    atomic_store(&program->references, 1);
    if (read_blocks(program, wire_of(bytes, size))) {
        program_release(program);
        return NULL;
    }
    return program;
}

void program_release(program_t *program) {
    if (!program || atomic_fetch_sub(&program->references, 1) > 1) return;
    for (int i = 0; program->constants && i < program->var_count; i++) tensor_drop(&program->constants[i]);
    free(program->constants);
    free(program->vars);
    free(program->table);
    arena_free(&program->arena);
    free(program);
}

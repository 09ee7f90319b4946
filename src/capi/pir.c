/* Programs of Paddle 3 (.json) as those of Paddle 2: every operation becomes the operator that older files have, by the table that
 * Python's reader uses. A value with number n is the variable %n; regions become blocks. */
#include "json.h"

#include <stdio.h>
#include <stdlib.h>

#include "program.h"

typedef struct {
    const char *name, *type, *operands, *attributes, *results, *via, *adds;
} row_t;

static const row_t rows[] = {
#include "pir_operators.inc"
};

static const row_t *find_row(const char *name) {
    size_t length = strlen(name), in_place = length && name[length - 1] == '_';
    const row_t *base = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!strcmp(rows[i].name, name)) return &rows[i];
        if (in_place && strlen(rows[i].name) == length - 1 && !strncmp(rows[i].name, name, length - 1)) base = &rows[i];
    }
    return base; /* an underscore behind a name: the form that works in place */
}

/* What a number stands for besides a variable: a list of values, or a constant. */
typedef struct note {
    long long number;
    const json_t *constant; /* a number, or a list of attributes */
    int count, *vars;
    struct note *next;
} note_t;

typedef struct {
    program_t *program;
    note_t *notes;
    int feeds, room, block; /* block: the one being read; room: for its operators */
    int names;              /* how many variables of our own there are */
} reader_t;

static note_t *find_note(const reader_t *r, long long number) {
    for (note_t *note = r->notes; note; note = note->next)
        if (note->number == number) return note;
    return NULL;
}

static note_t *add_note(reader_t *r, long long number) {
    note_t *note = arena_take(&r->program->arena, 1, sizeof *note);
    if (!note) return NULL;
    note->number = number;
    note->next = r->notes;
    return r->notes = note;
}

/* The variable of a number. */
static int var_of(reader_t *r, long long number) {
    char name[32];
    int length = snprintf(name, sizeof name, "%%%lld", number);
    int var = program_find_var(r->program, r->block, name);
    if (var >= 0) return var;
    const char *text = arena_text(&r->program->arena, name, (size_t)length);
    return text ? program_add_var(r->program, r->block, text) : -1;
}

static long long number_of(const json_t *value) {
    const json_t *number = json_get(value, "%");
    return number && number->kind == JSON_NUMBER ? number->whole : 0;
}

/* ---- types ---- */

static int64_t file_type(const char *name) {
    static const struct {
        const char *name;
        int64_t kind;
    } types[] = {{"bool", 0}, {"int16", 1}, {"int32", 2}, {"int64", 3}, {"float16", 4}, {"float32", 5}, {"float64", 6}, {"uint8", 20},
                 {"int8", 21}, {"bfloat16", 22}, {"0.t_bool", 0}, {"0.t_i16", 1}, {"0.t_i32", 2}, {"0.t_i64", 3}, {"0.t_f16", 4},
                 {"0.t_f32", 5}, {"0.t_f64", 6}, {"0.t_ui8", 20}, {"0.t_i8", 21}, {"0.t_bf16", 22}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (!strcmp(types[i].name, name)) return types[i].kind;
    return -1;
}

/* Element type and shape of a variable from the type of a result. */
static int set_type(reader_t *r, int var, const json_t *type) {
    const json_t *parts = json_get(type, "D"), *dims = json_item(parts, 1);
    var_t *v = &r->program->vars[var];
    v->dtype = type_of_file(file_type(json_text(json_get(json_item(parts, 0), "#"), "")));
    if (!dims || dims->kind != JSON_LIST || dims->count > 64) return 0;
    v->dims = arena_take(&r->program->arena, (size_t)dims->count, sizeof *v->dims);
    if (!v->dims) return -1;
    for (const json_t *d = dims->first; d; d = d->next) v->dims[v->ndim++] = (index_t)d->whole;
    return 0;
}

/* ---- attributes ---- */

/* The content of an attribute; numbers that JSON can't write are texts in a member of their own. */
static const json_t *content_of(program_t *program, const json_t *value) {
    if (value->kind != JSON_OBJECT) return value;
    const json_t *inner = json_get(value, "D");
    const char *text = json_text(json_get(value, "VD"), NULL);
    json_t *number = inner || !text ? NULL : arena_take(&program->arena, 1, sizeof *number);
    if (!number) return inner;
    *number = (json_t){.kind = JSON_NUMBER, .number = strtod(text, NULL)};
    return number;
}

static int put_value(program_t *program, attr_t *attr, const json_t *value, int i) {
    const json_t *inner = content_of(program, value);
    if (!inner) return fail("the program is damaged: an attribute has no value");
    int64_t type = inner->kind == JSON_TEXT ? file_type(inner->text) : -1;
    attr->ints[i] = type >= 0 ? type : inner->whole;
    attr->floats[i] = type >= 0 ? (double)type : inner->number;
    if (inner->kind == JSON_TEXT) attr->texts[i] = attr->text = inner->text;
    return 0;
}

/* An attribute with the values of a JSON attribute: one, or a list of them. */
static int make_attr(program_t *program, attr_t *attr, const char *name, const json_t *value) {
    const json_t *inner = content_of(program, value);
    if (!inner) return fail("the program is damaged: attribute %s has no value", name);
    int list = inner->kind == JSON_LIST, is_type = !strcmp(json_text(json_get(value, "#"), ""), "1.a_dtype");
    size_t count = list ? (size_t)inner->count : 1;
    *attr = (attr_t){.name = name, .text = "", .count = (int)count, .type = list ? ATTR_LONGS : inner->kind == JSON_TEXT && !is_type ? ATTR_STRING : ATTR_LONG};
    attr->ints = arena_take(&program->arena, count + 1, sizeof *attr->ints);
    attr->floats = arena_take(&program->arena, count + 1, sizeof *attr->floats);
    attr->texts = arena_take(&program->arena, count + 1, sizeof *attr->texts);
    if (!attr->ints || !attr->floats || !attr->texts) return -1;
    if (!list) {
        if (put_value(program, attr, value, 0)) return -1;
        if (is_type && file_type(attr->text) < 0) attr->floats[0] = (double)(attr->ints[0] = -1); /* undefined: as the operands */
        return 0;
    }
    int i = 0;
    for (const json_t *item = inner->first; item; item = item->next)
        if (put_value(program, attr, item, i++)) return -1;
    return 0;
}

static const json_t *attr_of(const json_t *op, const char *name) {
    const json_t *all = json_get(op, "A");
    for (const json_t *item = all && all->kind == JSON_LIST ? all->first : NULL; item; item = item->next)
        if (!strcmp(json_text(json_get(item, "N"), ""), name)) return json_get(item, "AT");
    return NULL;
}

/* ---- parts of the table's texts ---- */

/* The next part of a list with commas: its length; 0 at the end. */
static size_t next_part(const char **list, const char **part) {
    if (!**list) return 0;
    *part = *list;
    size_t length = strcspn(*list, ",");
    *list += length + ((*list)[length] == ',');
    return length;
}

static const char *copy_part(program_t *program, const char *text, size_t length) { return arena_text(&program->arena, text, length); }

static op_t *new_op(reader_t *r, const char *type, int ins, int attrs, int outs) {
    block_t *block = &r->program->blocks[r->block];
    if (block->op_count == r->room) {
        fail("the program is damaged: it has more operations than it says");
        return NULL;
    }
    op_t *op = &block->ops[block->op_count];
    op->type = type;
    op->in = arena_take(&r->program->arena, (size_t)ins + 1, sizeof *op->in);
    op->out = arena_take(&r->program->arena, (size_t)outs + 1, sizeof *op->out);
    op->attrs = arena_take(&r->program->arena, (size_t)attrs + 1, sizeof *op->attrs);
    if (!op->in || !op->out || !op->attrs) return NULL;
    block->op_count++;
    return op;
}

static int set_slot(program_t *program, slot_t *slot, const char *name, int count, const int *vars) {
    *slot = (slot_t){.name = name, .count = count, .vars = arena_take(&program->arena, (size_t)count + 1, sizeof *vars)};
    if (!slot->vars) return -1;
    for (int i = 0; i < count; i++) slot->vars[i] = vars[i];
    return 0;
}

/* An operand as the table's text says: a slot, or an attribute where it is a constant. */
static int put_operand(reader_t *r, op_t *op, const char *part, size_t length, long long number) {
    program_t *program = r->program;
    const char *text = copy_part(program, part, length);
    if (!text) return -1;
    const char *equal = strchr(text, '='), *colon = strchr(text, ':');
    note_t *note = find_note(r, number);
    if (!equal) return fail("the table of operators is damaged");
    int var = var_of(r, number);
    if (var < 0) return -1;
    if (colon && colon < equal) {
        size_t attr = strcspn(equal + 1, "|");
        if (note && note->constant) {
            const char *name = copy_part(program, equal + 1, attr);
            if (!name) return -1;
            attr_t *to = &op->attrs[op->attr_count];
            if (make_attr(program, to, name, note->constant)) return -1;
            if (colon[1] != 'L') to->type = ATTR_LONG;
            op->attr_count++;
            return 0;
        }
        const char *slot = equal + 1 + attr;
        if (!*slot) return fail("operand %.*s must be a constant", (int)(colon - text), text);
        slot++;
        const char *name = copy_part(program, slot, strcspn(slot, "|"));
        return name ? set_slot(program, &op->in[op->in_count++], name, note && note->count ? note->count : 1, note && note->count ? note->vars : &var) : -1;
    }
    if (!equal[1]) return 0; /* older files have no such operand; dropout states of recurrent layers are such */
    return set_slot(program, &op->in[op->in_count++], equal + 1, note && note->count ? note->count : 1, note && note->count ? note->vars : &var);
}

static int put_attribute(reader_t *r, op_t *op, const char *part, size_t length, const json_t *source) {
    program_t *program = r->program;
    const char *text = copy_part(program, part, length), *colon = text ? strchr(text, ':') : NULL;
    if (!colon) return -1;
    const char *name = copy_part(program, text, (size_t)(colon - text)), *mark = strpbrk(colon, "=!~@");
    const json_t *value = name ? attr_of(source, name) : NULL;
    if (!name || !value) return name ? 0 : -1;
    if (colon[1] == 'P' || (mark && (*mark == '~' || *mark == '@'))) return 0;
    attr_t *attr = &op->attrs[op->attr_count];
    if (make_attr(program, attr, mark && *mark == '=' ? mark + 1 : name, value)) return -1;
    if (mark && *mark == '!') {
        int same = !strcmp(mark + 1, "false") || !strcmp(mark + 1, "0") ? attr->count == 1 && attr->floats[0] == 0
                   : !strcmp(mark + 1, "true")                           ? attr->count == 1 && attr->floats[0] == 1
                                                                         : attr->count == 1 && attr->floats[0] == strtod(mark + 1, NULL);
        return same || mark[1] == '"' || mark[1] == '[' ? 0 : fail("attribute %s: only %s is supported", name, mark + 1);
    }
    op->attr_count++;
    return 0;
}

/* Results as slots; a list of values becomes one slot with several variables, numbered by %n/i. */
static int put_result(reader_t *r, op_t *op, const char *part, size_t length, const json_t *result) {
    program_t *program = r->program;
    const char *text = copy_part(program, part, length), *equal = text ? strchr(text, '=') : NULL;
    const json_t *type = json_get(result, "TT");
    long long number = number_of(result);
    if (!text) return -1;
    if (!number || !type) return 0;
    const char *slot = equal && equal[1] ? equal + 1 : NULL;
    if (strcmp(json_text(json_get(type, "#"), ""), "0.t_vec")) {
        int var = var_of(r, number);
        return var < 0 || set_type(r, var, type) ? -1 : slot ? set_slot(program, &op->out[op->out_count++], slot, 1, &var) : 0;
    }
    const json_t *items = json_get(type, "D");
    note_t *note = add_note(r, number);
    if (!note || !items || items->kind != JSON_LIST) return note ? fail("the program is damaged: a list has no types") : -1;
    note->vars = arena_take(&program->arena, (size_t)items->count + 1, sizeof *note->vars);
    if (!note->vars) return -1;
    for (const json_t *item = items->first; item; item = item->next) {
        char name[48];
        int used = snprintf(name, sizeof name, "%%%lld/%d", number, note->count);
        const char *own = arena_text(&program->arena, name, (size_t)used);
        int var = own ? program_add_var(program, r->block, own) : -1;
        if (var < 0 || set_type(r, var, item)) return -1;
        note->vars[note->count++] = var;
    }
    return slot ? set_slot(program, &op->out[op->out_count++], slot, note->count, note->vars) : 0;
}

static int count_parts(const char *list) {
    int count = *list != 0;
    for (; *list; list++) count += *list == ',';
    return count;
}

static int read_by_table(reader_t *r, const json_t *source, const char *name) {
    const row_t *row = find_row(name);
    if (!row) return fail("the operation %s has no counterpart here", name);
    op_t *op = new_op(r, row->type, count_parts(row->operands), count_parts(row->operands) + count_parts(row->attributes) + count_parts(row->adds) + 2, count_parts(row->results));
    if (!op) return -1;
    const char *list = row->operands, *part;
    const json_t *ins = json_get(source, "I"), *outs = json_get(source, "O"), *item = ins && ins->kind == JSON_LIST ? ins->first : NULL;
    for (size_t length; (length = next_part(&list, &part)); item = item ? item->next : NULL)
        if (item && number_of(item) && put_operand(r, op, part, length, number_of(item))) return -1;
    list = row->attributes;
    for (size_t length; (length = next_part(&list, &part));)
        if (put_attribute(r, op, part, length, source)) return -1;
    list = row->adds;
    for (size_t length; (length = next_part(&list, &part));) {
        const char *text = copy_part(r->program, part, length), *equal = text ? strchr(text, '=') : NULL;
        json_t *value = arena_take(&r->program->arena, 1, sizeof *value);
        if (!equal || !value) return -1;
        *value = (json_t){.kind = JSON_NUMBER, .number = atof(equal + 1), .whole = atoll(equal + 1)};
        if (make_attr(r->program, &op->attrs[op->attr_count++], copy_part(r->program, text, (size_t)(equal - text)), value)) return -1;
    }
    item = outs && outs->kind == JSON_LIST ? outs->first : NULL;
    list = row->results;
    for (size_t length; (length = next_part(&list, &part)); item = item ? item->next : NULL)
        if (item && put_result(r, op, part, length, item)) return -1;
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
    note_t *note = add_note(r, number_of(result)); /* the number stands for the parameter itself */
    if (!note || !(note->vars = arena_take(&r->program->arena, 1, sizeof *note->vars))) return -1;
    note->vars[note->count++] = var;
    return 0;
}

static int add_column(reader_t *r, const char *type, int feed, int var, int64_t column) {
    op_t *op = new_op(r, type, 1, 1, 1);
    json_t *value = op ? arena_take(&r->program->arena, 1, sizeof *value) : NULL;
    if (!value) return -1;
    *value = (json_t){.kind = JSON_NUMBER, .number = (double)column, .whole = column};
    if (make_attr(r->program, &op->attrs[op->attr_count++], "col", value)) return -1;
    return feed ? set_slot(r->program, &op->out[op->out_count++], "Out", 1, &var) : set_slot(r->program, &op->in[op->in_count++], "X", 1, &var);
}

static int read_data(reader_t *r, const json_t *source) {
    const json_t *name = json_get(attr_of(source, "name"), "D"), *result = json_item(json_get(source, "O"), 0);
    if (!json_text(name, NULL) || !number_of(result)) return fail("the program is damaged: an input has no name");
    int var = program_add_var(r->program, 0, name->text);
    note_t *note = var < 0 || set_type(r, var, json_get(result, "TT")) ? NULL : add_note(r, number_of(result));
    if (!note || !(note->vars = arena_take(&r->program->arena, 1, sizeof *note->vars))) return -1;
    note->vars[note->count++] = var;
    return add_column(r, "feed", 1, var, r->feeds++);
}

static int operand_var(reader_t *r, const json_t *source) {
    long long number = number_of(json_item(json_get(source, "I"), 0));
    note_t *note = find_note(r, number);
    return note && note->count == 1 ? note->vars[0] : number ? var_of(r, number) : fail("the program is damaged: an operand is missing");
}

static int read_fetch(reader_t *r, const json_t *source) {
    const json_t *name = json_get(attr_of(source, "name"), "D"), *column = json_get(attr_of(source, "col"), "D");
    int from = operand_var(r, source), to = from < 0 || !json_text(name, NULL) ? -1 : program_add_var(r->program, 0, name->text);
    if (to < 0) return fail("the program is damaged: an output has no name");
    if (set_type(r, to, json_get(json_item(json_get(source, "O"), 0), "TT"))) return -1;
    op_t *op = new_op(r, "assign", 1, 0, 1);
    if (!op || set_slot(r->program, &op->in[op->in_count++], "X", 1, &from) || set_slot(r->program, &op->out[op->out_count++], "Out", 1, &to)) return -1;
    return add_column(r, "fetch", 0, to, column ? column->whole : 0);
}

/* combine makes a list of values, split takes one apart. */
static int read_combine(reader_t *r, const json_t *source) {
    const json_t *ins = json_get(source, "I");
    note_t *note = add_note(r, number_of(json_item(json_get(source, "O"), 0)));
    if (!note || !ins || ins->kind != JSON_LIST || !(note->vars = arena_take(&r->program->arena, (size_t)ins->count + 1, sizeof *note->vars))) return -1;
    for (const json_t *item = ins->first; item; item = item->next) {
        note_t *inner = find_note(r, number_of(item));
        int var = inner && inner->count == 1 ? inner->vars[0] : var_of(r, number_of(item));
        if (var < 0) return -1;
        note->vars[note->count++] = var;
    }
    return 0;
}

static int read_split(reader_t *r, const json_t *source) {
    note_t *from = find_note(r, number_of(json_item(json_get(source, "I"), 0)));
    const json_t *outs = json_get(source, "O");
    int i = 0;
    for (const json_t *item = outs && outs->kind == JSON_LIST ? outs->first : NULL; item; item = item->next, i++) {
        if (!from || i >= from->count) return fail("the program is damaged: a list is too short");
        note_t *note = add_note(r, number_of(item));
        if (!note || !(note->vars = arena_take(&r->program->arena, 1, sizeof *note->vars))) return -1;
        note->vars[note->count++] = from->vars[i];
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

/* The one variable that a number stands for; -1 with a message. */
static int single_var(reader_t *r, long long number) {
    note_t *note = find_note(r, number);
    if (!number || (note && note->count > 1)) return fail("a value of a region is missing, or a list");
    return note && note->count == 1 ? note->vars[0] : var_of(r, number);
}

static int add_assign(reader_t *r, int from, int to) {
    op_t *op = from < 0 || to < 0 ? NULL : new_op(r, "assign", 1, 0, 1);
    return !op || set_slot(r->program, &op->in[op->in_count++], "X", 1, &from) || set_slot(r->program, &op->out[op->out_count++], "Out", 1, &to) ? -1 : 0;
}

/* An operator that runs a block if (or as long as) a variable is true. */
static int add_control(reader_t *r, const char *type, const char *slot, int condition, int block) {
    op_t *op = condition < 0 ? NULL : new_op(r, type, 1, 1, 1);
    json_t *value = op ? arena_take(&r->program->arena, 1, sizeof *value) : NULL;
    if (!value) return -1;
    *value = (json_t){.kind = JSON_NUMBER, .number = block, .whole = block};
    return set_slot(r->program, &op->in[op->in_count++], slot, 1, &condition) || make_attr(r->program, &op->attrs[op->attr_count++], "sub_block", value) ? -1 : 0;
}

static int read_operation(reader_t *r, const json_t *source);

/* The operations of a region's block into block `number`; `results` are given the operands of the yield that ends it. */
static int read_region(reader_t *r, const json_t *region, int number, const int *results, int count) {
    const json_t *ops = json_get(json_item(json_get(region, "blocks"), 0), "ops");
    int outer = r->block, outer_room = r->room, status = 0, ended = 0;
    block_t *block = &r->program->blocks[number];
    if (!ops || ops->kind != JSON_LIST) return fail("the program is damaged: a region has no operations");
    r->block = number;
    r->room = 2 * ops->count + 2 * count + 2;
    for (const json_t *op = ops->first; op; op = op->next)
        if (json_get(op, "regions")) r->room += 4 + (json_get(op, "I") ? json_get(op, "I")->count : 0);
    block->ops = arena_take(&r->program->arena, (size_t)r->room, sizeof *block->ops);
    if (!block->ops) status = -1;
    for (const json_t *op = ops->first; op && !status && !ended; op = op->next) {
        ended = !strcmp(json_text(json_get(op, "#"), ""), "2.yield");
        if (!ended) {
            status = read_operation(r, op);
            continue;
        }
        const json_t *item = json_item(json_get(op, "I"), 0);
        int kept[256];
        for (int i = 0; i < count && !status; i++, item = item ? item->next : NULL) {
            kept[i] = own_var(r, number); /* all of them first: one may be the place of another */
            status = add_assign(r, item ? single_var(r, number_of(item)) : fail("the program is damaged: a region yields too little"), kept[i]);
        }
        for (int i = 0; i < count && !status; i++) status = add_assign(r, kept[i], results[i]);
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
    int results[256], count = 0, condition = operand_var(r, source), other = own_var(r, r->block);
    op_t *opposite = condition < 0 || other < 0 ? NULL : new_op(r, "logical_not", 1, 0, 1);
    if (!opposite || set_slot(r->program, &opposite->in[opposite->in_count++], "X", 1, &condition) || set_slot(r->program, &opposite->out[opposite->out_count++], "Out", 1, &other)) return -1;
    for (const json_t *item = outs && outs->kind == JSON_LIST ? outs->first : NULL; item; item = item->next) {
        if (count == 256) return fail("a branch has more than 256 results");
        if ((results[count] = var_of(r, number_of(item))) < 0 || set_type(r, results[count], json_get(item, "TT"))) return -1;
        count++;
    }
    for (int side = 0; side < 2; side++) {
        int block = open_block(r);
        note_t *before = r->notes;
        if (add_control(r, "conditional_block", "Cond", side ? other : condition, block) || read_region(r, json_item(regions, side), block, results, count)) return -1;
        r->notes = before;
    }
    return 0;
}

static int read_while(reader_t *r, const json_t *source) {
    const json_t *region = json_item(json_get(source, "regions"), 0), *outs = json_get(source, "O");
    const json_t *args = json_get(json_item(json_get(region, "blocks"), 0), "args"), *in = json_item(json_get(source, "I"), 0);
    int vars[256], count = 0;
    for (; in; in = in->next, count++) { /* the condition, then what the loop carries */
        if (count == 256) return fail("a loop carries more than 255 values");
        vars[count] = own_var(r, r->block);
        if (add_assign(r, single_var(r, number_of(in)), vars[count])) return -1;
    }
    int block = open_block(r), i = 1;
    note_t *before = r->notes;
    if (!count || add_control(r, "while", "Condition", vars[0], block)) return -1;
    for (const json_t *arg = args && args->kind == JSON_LIST ? args->first : NULL; arg; arg = arg->next, i++) {
        const json_t *number = json_get(arg, "#");
        note_t *note = number && i < count ? add_note(r, number->whole) : NULL;
        if (!note || !(note->vars = arena_take(&r->program->arena, 1, sizeof *note->vars))) return fail("the program is damaged: a loop's values don't fit");
        note->vars[note->count++] = vars[i];
    }
    if (read_region(r, region, block, vars, count)) return -1;
    r->notes = before;
    i = 1;
    for (const json_t *item = outs && outs->kind == JSON_LIST ? outs->first : NULL; item; item = item->next, i++) {
        note_t *note = i < count ? add_note(r, number_of(item)) : NULL;
        if (!note || !(note->vars = arena_take(&r->program->arena, 1, sizeof *note->vars))) return fail("the program is damaged: a loop's values don't fit");
        note->vars[note->count++] = vars[i];
    }
    return 0;
}

/* How many blocks the operations of a list have in them. */
static int count_blocks(const json_t *ops) {
    int count = 0;
    for (const json_t *op = ops && ops->kind == JSON_LIST ? ops->first : NULL; op; op = op->next) {
        const json_t *regions = json_get(op, "regions");
        for (const json_t *region = regions && regions->kind == JSON_LIST ? regions->first : NULL; region; region = region->next)
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
    if (!ops || ops->kind != JSON_LIST) return fail("this is not a program of Paddle 3: it has no operations");
    r->room = 2 * ops->count + 1;
    for (const json_t *op = ops->first; op; op = op->next) { /* loops and branches need a few more */
        const json_t *in = json_get(op, "I");
        if (json_get(op, "regions")) r->room += 4 + (in ? in->count : 0);
    }
    program->block_count = 1;
    program->blocks = arena_take(&program->arena, 3 + 2 * (size_t)count_blocks(ops), sizeof *program->blocks);
    if (!program->blocks) return -1;
    program->blocks[0].parent = -1;
    program->blocks[0].ops = arena_take(&program->arena, (size_t)r->room, sizeof(op_t));
    if (!program->blocks[0].ops) return -1;
    for (const json_t *op = ops->first; op; op = op->next)
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

/* Programs of Paddle 3 (.json) as those of Paddle 2: every operation becomes the operator that older files have, by the table that
 * Python's reader uses. A value with number n is the variable %n; regions become blocks. */
#include "small.h"

#include "pir.h"
#include "table.h"

#include <stdio.h>
#include <stdlib.h>

#include "pir_operators.inc"

/* The row of an operation: the operator's type, behind it the other fields. An underscore behind a name is the form that works in place. */
static const char *find_operation(const char *name) {
    const char *row = FIND_ROW(operations, name);
    size_t length = strlen(name);
    char base[64];
    if (row || !length || name[length - 1] != '_' || length > sizeof base) return row;
    memcpy(base, name, length - 1);
    base[length - 1] = 0;
    return FIND_ROW(operations, base);
}

note_t *find_note(const reader_t *r, long long number) {
    for (note_t *note = r->notes; note; note = note->next)
        if (note->number == number) return note;
    return NULL;
}

note_t *add_note(reader_t *r, long long number) {
    note_t *note = arena_take(&r->program->arena, 1, sizeof *note);
    if (!note) return NULL;
    note->number = number;
    note->next = r->notes;
    return r->notes = note;
}

/* The variable of a number. */
int var_of(reader_t *r, long long number) {
    char name[32];
    int length = snprintf(name, sizeof name, "%%%lld", number);
    int var = program_find_var(r->program, r->block, name);
    if (var >= 0) return var;
    const char *text = arena_text(&r->program->arena, name, (size_t)length);
    return text ? program_add_var(r->program, r->block, text) : -1;
}

long long number_of(const json_t *value) {
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
int set_type(reader_t *r, int var, const json_t *type) {
    const json_t *parts = json_get(type, "D"), *dims = json_item(parts, 1);
    var_t *v = &r->program->vars[var];
    v->dtype = type_of_file(file_type(json_text(json_get(json_item(parts, 0), "#"), "")));
    if (!dims || dims->kind != JSON_LIST || dims->count > 64) return 0;
    v->dims = arena_take(&r->program->arena, (size_t)dims->count, sizeof *v->dims);
    v->ndim = 0; /* a damaged program may give a variable its type twice */
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
int make_attr(program_t *program, attr_t *attr, const char *name, const json_t *value) {
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

const json_t *attr_of(const json_t *op, const char *name) {
    const json_t *all = json_get(op, "A");
    for (const json_t *item = json_item(all, 0); item; item = item->next)
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

static char *copy_part(program_t *program, const char *text, size_t length) { return arena_text(&program->arena, text, length); }

op_t *new_op(reader_t *r, const char *type, int ins, int attrs, int outs) {
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

int set_slot(program_t *program, slot_t *slot, const char *name, int count, const int *vars) {
    *slot = (slot_t){.name = name, .count = count, .vars = arena_take(&program->arena, (size_t)count + 1, sizeof *vars)};
    if (!slot->vars) return -1;
    for (int i = 0; i < count; i++) slot->vars[i] = vars[i];
    return 0;
}

/* An operand as the table's text says: name=Slot, or name:type=attribute|Slot where it may be a constant, or must be. */
static int put_operand(reader_t *r, op_t *op, const char *part, size_t length, long long number) {
    program_t *program = r->program;
    char *text = copy_part(program, part, length);
    int var = text ? var_of(r, number) : -1;
    if (var < 0) return -1;
    char *name = strchr(text, '=') + 1, *rest = name + strcspn(name, "|"), *colon = strchr(text, ':');
    note_t *note = find_note(r, number);
    if (colon && colon < name) {
        int cut = *rest;
        *rest = 0;
        if (note && note->constant) {
            attr_t *to = &op->attrs[op->attr_count++];
            if (make_attr(program, to, name, note->constant)) return -1;
            if (colon[1] != 'L') to->type = ATTR_LONG;
            return 0;
        }
        if (!cut) return fail("operand %.*s must be a constant", (int)(colon - text), text);
        name = rest + 1;
        name[strcspn(name, "|")] = 0;
    }
    if (!*name) return 0; /* older files have no such operand; dropout states of recurrent layers are such */
    return set_slot(program, &op->in[op->in_count++], name, note && note->count ? note->count : 1, note && note->count ? note->vars : &var);
}

/* Is an attribute what the table's text says: a text in quotes, a number, or a truth value? */
static int is_value(const attr_t *attr, const char *text) {
    if (*text == '"') return strlen(attr->text) + 2 == strlen(text) && !strncmp(attr->text, text + 1, strlen(attr->text));
    return attr->count == 1 && attr->floats[0] == strtod(text, NULL) + (*text == 't');
}

static int put_attribute(reader_t *r, op_t *op, const char *part, size_t length, const json_t *source) {
    program_t *program = r->program;
    char *text = copy_part(program, part, length);
    if (!text) return -1;
    const char *name = text, *colon = strchr(text, ':'), *mark = strpbrk(colon, "=!~@");
    text[colon - text] = 0;
    const json_t *value = attr_of(source, name);
    if (!value) return 0;
    if (colon[1] == 'P' || (mark && *mark == '~')) return 0;
    attr_t *attr = &op->attrs[op->attr_count];
    if (make_attr(program, attr, mark && *mark == '=' ? mark + 1 : name, value)) return -1;
    if (mark && *mark == '!') {
        return is_value(attr, mark + 1) ? 0 : fail("attribute %s: only %s is supported", name, mark + 1);
    }
    op->attr_count++;
    return 0;
}

/* Results as slots; a list of values becomes one slot with several variables, numbered by %n/i. */
static int put_result(reader_t *r, op_t *op, const char *part, size_t length, const json_t *result) {
    program_t *program = r->program;
    const char *text = copy_part(program, part, length);
    const json_t *type = json_get(result, "TT");
    long long number = number_of(result);
    if (!text) return -1;
    if (!number || !type) return 0;
    const char *slot = strchr(text, '=') + 1;
    if (!*slot) slot = NULL;
    if (strcmp(json_text(json_get(type, "#"), ""), "0.t_vec")) {
        int var = var_of(r, number);
        return var < 0 || set_type(r, var, type) ? -1 : slot ? set_slot(program, &op->out[op->out_count++], slot, 1, &var) : 0;
    }
    const json_t *items = json_get(type, "D");
    note_t *note = add_note(r, number);
    if (!items) return fail("the program is damaged: a list has no types");
    if (!note || !(note->vars = arena_take(&program->arena, (size_t)items->count + 1, sizeof *note->vars))) return -1;
    for (const json_t *item = json_item(items, 0); item; item = item->next) {
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

int read_by_table(reader_t *r, const json_t *source, const char *name) {
    const char *type = find_operation(name);
    if (!type) return fail("the operation %s has no counterpart here", name);
    const char *operands = next_field(type), *attributes = next_field(operands), *results = next_field(attributes), *adds = next_field(results);
    op_t *op = new_op(r, type, count_parts(operands), count_parts(operands) + count_parts(attributes) + count_parts(adds) + 2, count_parts(results));
    if (!op) return -1;
    const char *list = operands, *part;
    const json_t *ins = json_get(source, "I"), *outs = json_get(source, "O"), *item = json_item(ins, 0);
    for (size_t length; (length = next_part(&list, &part)); item = item ? item->next : NULL)
        if (item && number_of(item) && put_operand(r, op, part, length, number_of(item))) return -1;
    list = attributes;
    for (size_t length; (length = next_part(&list, &part));)
        if (put_attribute(r, op, part, length, source)) return -1;
    list = adds;
    for (size_t length; (length = next_part(&list, &part));) {
        char *text = copy_part(r->program, part, length);
        if (!text) return -1;
        char *equal = strchr(text, '=');
        *equal = 0;
        const json_t value = {.kind = JSON_NUMBER, .number = atof(equal + 1), .whole = atoll(equal + 1)};
        if (make_attr(r->program, &op->attrs[op->attr_count++], text, &value)) return -1;
    }
    item = json_item(outs, 0);
    list = results;
    for (size_t length; (length = next_part(&list, &part)); item = item ? item->next : NULL)
        if (item && put_result(r, op, part, length, item)) return -1;
    return 0;
}

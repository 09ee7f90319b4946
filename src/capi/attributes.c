/* Attributes and slots of operators: reading them, and looking them up. */
#include <stdlib.h>

#include "program.h"
#include "wire.h"

int read_attr(program_t *program, wire_t wire, attr_t *attr);

/* Fields that hold an attribute's value. */
enum { FIELD_NAME = 1, FIELD_TYPE = 2, FIELD_FIRST = 3, FIELD_SCALAR = 20, FIELD_SCALARS = 21 };

/* How a field's numbers are written: 'i' int32 and bool, 'l' int64, 'f' float, 'd' double, 's' text, 0 not of an attribute. */
static char field_form(uint32_t number) {
    static const char forms[] = {0, 0, 0, 'i', 'f', 's', 'i', 'f', 's', 0, 'i', 'i', 'i', 'l', 'i', 'l', 'd', 's', 's', 'd'};
    return number < sizeof forms ? forms[number] : 0;
}

/* Type of the attribute that a field belongs to, by the numbers of the format. */
static int field_type(uint32_t number) {
    static const int types[] = {-1, -1, -1, ATTR_INT, ATTR_FLOAT, ATTR_STRING, ATTR_INTS, ATTR_FLOATS, ATTR_STRINGS, -1,
                                ATTR_BOOL, ATTR_BOOLS, ATTR_BLOCK, ATTR_LONG, ATTR_BLOCKS, ATTR_LONGS, ATTR_FLOAT64S, ATTR_VAR,
                                ATTR_VARS, ATTR_FLOAT64, ATTR_SCALAR, ATTR_SCALARS};
    return number < sizeof types / sizeof *types ? types[number] : -1;
}

/* How many values a field has; packed lists have their bytes in one field. */
static int64_t value_count(const field_t *field) {
    char form = field_form(field->number);
    if (field->kind != 2 || form == 's' || field->number >= FIELD_SCALAR) return 1;
    if (form == 'f') return (int64_t)(wire_size(&field->bytes) / 4);
    if (form == 'd') return (int64_t)(wire_size(&field->bytes) / 8);
    int64_t count = 0;
    for (const uint8_t *at = field->bytes.at; at < field->bytes.end; at++) count += *at < 0x80;
    return count;
}

static void put_number(attr_t *attr, double number, int64_t whole) {
    attr->floats[attr->count] = number;
    attr->ints[attr->count++] = whole;
}

static void put_float(attr_t *attr, double number) {
    put_number(attr, number, number > -9e18 && number < 9e18 ? (int64_t)number : INT64_MIN);
}

static void put_int(attr_t *attr, int64_t whole) { put_number(attr, (double)whole, whole); }

/* The number inside a Scalar. */
static int put_scalar(attr_t *attr, wire_t wire) {
    field_t field;
    int more, done = 0;
    while ((more = wire_next(&wire, &field)) > 0) {
        if (done) continue;
        if (field.number == 4 && field.kind == 1) put_float(attr, field_double(&field)), done = 1;
        else if ((field.number == 2 || field.number == 3) && field.kind == 0) put_int(attr, (int64_t)field.value), done = 1;
    }
    if (!done) put_int(attr, 0);
    return more;
}

static int put_packed(attr_t *attr, char form, wire_t wire) {
    while (wire_size(&wire)) {
        field_t field = {0};
        if (form == 'f' || form == 'd') {
            size_t width = form == 'f' ? 4 : 8;
            if (wire_size(&wire) < width) return fail("the program is damaged: a list of numbers is cut off");
            for (size_t i = 0; i < width; i++) field.value |= (uint64_t)wire.at[i] << (8 * i);
            wire.at += width;
            put_float(attr, form == 'f' ? field_float(&field) : field_double(&field));
        } else {
            if (wire_varint(&wire, &field.value)) return -1;
            put_int(attr, form == 'i' ? (int32_t)field.value : (int64_t)field.value);
        }
    }
    return 0;
}

static int put_field(program_t *program, attr_t *attr, const field_t *field) {
    char form = field_form(field->number);
    if (field->number >= FIELD_SCALAR) return field->kind == 2 ? put_scalar(attr, field->bytes) : 0;
    if (form == 's') {
        if (field->kind != 2) return 0;
        const char *text = arena_text(&program->arena, field->bytes.at, wire_size(&field->bytes));
        if (!text) return -1;
        attr->texts[attr->count++] = attr->text = text;
        return 0;
    }
    if (field->kind == 2) return put_packed(attr, form, field->bytes);
    if (form == 'f' && field->kind == 5) put_float(attr, field_float(field));
    else if (form == 'd' && field->kind == 1) put_float(attr, field_double(field));
    else if (field->kind == 0) put_int(attr, form == 'i' ? (int32_t)field->value : (int64_t)field->value);
    return 0;
}

int read_attr(program_t *program, wire_t wire, attr_t *attr) {
    field_t field;
    int more;
    int64_t count = 0;
    attr->type = -1;
    for (wire_t rest = wire; (more = wire_next(&rest, &field)) > 0;) {
        if (field.number == FIELD_TYPE && field.kind == 0) attr->type = (int)field.value;
        if (field.number == FIELD_NAME && field.kind == 2 &&
            !(attr->name = arena_text(&program->arena, field.bytes.at, wire_size(&field.bytes))))
            return -1;
    }
    if (more < 0) return -1;
    if (!attr->name) return fail("the program is damaged: an attribute has no name");
    for (wire_t rest = wire; wire_next(&rest, &field) > 0;)
        if (field.number >= FIELD_FIRST && field_type(field.number) == attr->type) count += value_count(&field);
    attr->ints = arena_take(&program->arena, (size_t)count + 1, sizeof *attr->ints);
    attr->floats = arena_take(&program->arena, (size_t)count + 1, sizeof *attr->floats);
    attr->texts = arena_take(&program->arena, (size_t)count + 1, sizeof *attr->texts);
    if (!attr->ints || !attr->floats || !attr->texts) return -1;
    attr->text = "";
    while (wire_next(&wire, &field) > 0)
        if (field.number >= FIELD_FIRST && field_type(field.number) == attr->type && put_field(program, attr, &field)) return -1;
    return 0;
}

/* ---- by name ---- */

const attr_t *find_attr(const op_t *op, const char *name) {
    for (int i = 0; i < op->attr_count; i++)
        if (op->attrs[i].name[0] == name[0] && !strcmp(op->attrs[i].name, name)) return &op->attrs[i];
    return NULL;
}

/* A number of whatever type; texts that hold one (as `str_value` does) are not numbers. */
int64_t attr_int(const op_t *op, const char *name) {
    const attr_t *attr = find_attr(op, name);
    return attr && attr->count ? attr->ints[0] : 0;
}

double attr_float(const op_t *op, const char *name) {
    const attr_t *attr = find_attr(op, name);
    return attr && attr->count ? attr->floats[0] : 0;
}

int attr_bool(const op_t *op, const char *name) { return attr_int(op, name) != 0; }

const char *attr_text(const op_t *op, const char *name) {
    const attr_t *attr = find_attr(op, name);
    return attr && attr->type == ATTR_STRING ? attr->text : "";
}

dtype_t attr_dtype(const op_t *op, const char *name) {
    const attr_t *attr = find_attr(op, name);
    return attr && attr->count ? type_of_file(attr->ints[0]) : TYPE_NONE;
}

int attr_ints(const op_t *op, const char *name, int64_t *values, int room) {
    const attr_t *attr = find_attr(op, name);
    if (!attr) return 0;
    if (attr->count > room) return fail("attribute %s has %d numbers, at most %d were expected", name, attr->count, room);
    for (int i = 0; i < attr->count; i++) values[i] = attr->ints[i];
    return attr->count;
}

static const slot_t *find_slot(const slot_t *slots, int count, const char *name) {
    for (int i = 0; i < count; i++)
        if (slots[i].count && !strcmp(slots[i].name, name)) return &slots[i];
    return NULL;
}

const slot_t *find_in(const op_t *op, const char *name) { return find_slot(op->in, op->in_count, name); }
const slot_t *find_out(const op_t *op, const char *name) { return find_slot(op->out, op->out_count, name); }

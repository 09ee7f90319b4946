/* Attributes that a file leaves out. */
#include "small.h"

#include <stdlib.h>

#include "program.h"
#include "table.h"

/* "axis=-1;mode='all;strides=1 1": numbers, or a text behind a quote. What is not in the table is 0, or empty. */
#include "attributes.inc"

static int has_attr(const op_t *op, const char *name, size_t length) {
    for (int i = 0; i < op->attr_count; i++)
        if (!strncmp(op->attrs[i].name, name, length) && !op->attrs[i].name[length]) return 1;
    return 0;
}

static int make_default(program_t *program, attr_t *attr, const char *part, size_t length, const char *end) {
    const char *value = part + length + 1;
    *attr = (attr_t){.name = arena_text(&program->arena, part, length), .text = ""};
    if (!attr->name) return -1;
    if (*value == '\'') {
        attr->type = ATTR_STRING;
        return (attr->text = arena_text(&program->arena, value + 1, (size_t)(end - value - 1))) ? 0 : -1;
    }
    int count = 1;
    for (const char *at = value; at < end; at++) count += *at == ' ';
    attr->type = count > 1 ? ATTR_FLOATS : ATTR_FLOAT;
    attr->ints = arena_take(&program->arena, (size_t)count, sizeof *attr->ints);
    attr->floats = arena_take(&program->arena, (size_t)count, sizeof *attr->floats);
    if (!attr->ints || !attr->floats) return -1;
    for (; attr->count < count; attr->count++) {
        char *next;
        attr->floats[attr->count] = strtod(value, &next);
        attr->ints[attr->count] = (int64_t)attr->floats[attr->count];
        value = next;
    }
    return 0;
}

int complete_attrs(program_t *program, op_t *op) {
    const char *left_out = FIND_ROW(defaults, op->type);
    int missing = 0;
    for (int pass = 0; left_out && pass < 2; pass++) {
        attr_t *attrs = pass && missing ? arena_take(&program->arena, (size_t)(op->attr_count + missing), sizeof *attrs) : NULL;
        if (pass && missing && !attrs) return -1;
        if (attrs) memcpy(attrs, op->attrs, (size_t)op->attr_count * sizeof *attrs);
        int count = op->attr_count;
        for (const char *part = left_out; *part;) {
            size_t length = strcspn(part, "=");
            const char *end = part + strcspn(part, ";");
            if (!has_attr(op, part, length)) {
                if (!pass) missing++;
                else if (make_default(program, &attrs[count++], part, length, end)) return -1;
            }
            part = end + (*end == ';');
        }
        if (attrs) op->attrs = attrs, op->attr_count = count;
        if (!missing) break;
    }
    return 0;
}

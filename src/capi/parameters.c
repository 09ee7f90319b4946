/* Parameters: tensor records of combined files and of single ones. */
#include "small.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "program.h"
#include "wire.h"

void *read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        fail("%s: %s", path, strerror(errno));
        return NULL;
    }
    char *bytes = NULL;
    size_t room = 0;
    *size = 0;
    for (;;) {
        if (*size == room) {
            room = room ? 2 * room : 1 << 16;
            if (!fseek(file, 0, SEEK_END) && ftell(file) > 0 && (size_t)ftell(file) >= room) room = (size_t)ftell(file) + 1;
            fseek(file, (long)*size, SEEK_SET);
            char *more = realloc(bytes, room);
            if (!more) break;
            bytes = more;
        }
        size_t count = fread(bytes + *size, 1, room - *size, file);
        *size += count;
        if (count) continue;
        if (!ferror(file)) {
            fclose(file);
            return bytes;
        }
        break;
    }
    fail("%s can't be read: %s", path, strerror(errno));
    free(bytes);
    fclose(file);
    return NULL;
}

static int take(wire_t *wire, size_t count, wire_t *piece) {
    if (wire_size(wire) < count) return fail("the file of parameters is cut off");
    *piece = (wire_t){wire->at, wire->at + count};
    wire->at += count;
    return 0;
}

static int take_number(wire_t *wire, size_t width, uint64_t *value) {
    wire_t piece = {0};
    if (take(wire, width, &piece)) return -1;
    *value = 0;
    for (size_t i = 0; i < width; i++) *value |= (uint64_t)piece.at[i] << (8 * i);
    return 0;
}

/* Element type and shape of a record. */
static int read_form(wire_t wire, dtype_t *dtype, int *ndim, index_t *dims) {
    field_t field;
    int more;
    *dtype = TYPE_NONE;
    *ndim = 0;
    while ((more = wire_next(&wire, &field)) > 0) {
        if (field.number == 1 && field.kind == 0) {
            *dtype = type_of_file((int64_t)field.value);
            if (*dtype == TYPE_NONE) return fail("elements of type number %lld are not supported", (long long)field.value);
        }
        if (field.number != 2) continue;
        while (field.kind == 0 || wire_size(&field.bytes)) {
            if (field.kind == 2 && wire_varint(&field.bytes, &field.value)) return -1;
            if (*ndim == MAX_DIMS) return fail("a parameter has more than %d axes", MAX_DIMS);
            dims[(*ndim)++] = (index_t)field.value;
            if (field.kind != 2) break;
        }
    }
    return more;
}

/* One record: LoD, element type, shape, elements. */
static int read_record(wire_t *wire, tensor_t *tensor) {
    uint64_t version, levels, bytes, form;
    wire_t piece = {0};
    if (take_number(wire, 4, &version) || take_number(wire, 8, &levels)) return -1;
    if (version) return fail("the parameters have the unknown version %llu", (unsigned long long)version);
    for (uint64_t level = 0; level < levels; level++)
        if (take_number(wire, 8, &bytes) || bytes > wire_size(wire) || take(wire, (size_t)bytes, &piece))
            return fail("the file of parameters is cut off");
    if (take_number(wire, 4, &version) || take_number(wire, 4, &form) || take(wire, (size_t)form, &piece)) return -1;
    dtype_t dtype;
    int ndim;
    index_t dims[MAX_DIMS];
    if (read_form(piece, &dtype, &ndim, dims)) return -1;
    index_t size = dims_size(ndim, dims);
    if (size < 0) return -1;
    if (dtype == TYPE_NONE) return fail("a parameter has no element type");
    if (take(wire, (size_t)size * type_size(dtype), &piece) || tensor_new(NULL, tensor, dtype, ndim, dims)) return -1;
    memcpy(tensor->data, piece.at, wire_size(&piece));
    return 0;
}

static int is_parameter(const var_t *var) {
    return var->persistable && var->block == 0 && var->kind != KIND_FEED && var->kind != KIND_FETCH && strcmp(var->name, "feed") &&
           strcmp(var->name, "fetch");
}

int parameter_count(const program_t *program) {
    int count = 0;
    for (int i = 0; i < program->var_count; i++) count += is_parameter(&program->vars[i]);
    return count;
}

static int by_name(const void *a, const void *b) { return strcmp((*(var_t *const *)a)->name, (*(var_t *const *)b)->name); }

static int make_constants(program_t *program) {
    if (program->constants) return 0;
    program->constants = calloc((size_t)program->var_count + 1, sizeof *program->constants);
    return program->constants ? 0 : fail_memory();
}

int program_read_combined(program_t *program, const void *bytes, size_t size) {
    int count = 0, status = 0;
    const var_t **order = calloc((size_t)parameter_count(program) + 1, sizeof *order);
    if (!order || make_constants(program)) {
        free(order);
        return fail_memory();
    }
    for (int i = 0; i < program->var_count; i++)
        if (is_parameter(&program->vars[i])) order[count++] = &program->vars[i];
    qsort(order, (size_t)count, sizeof *order, by_name);
    wire_t wire = wire_of(bytes, size);
    for (int i = 0; i < count && !status; i++) {
        status = read_record(&wire, &program->constants[order[i] - program->vars]);
        if (status) put_context("parameter %s (number %d of %d): ", order[i]->name, i + 1, count);
    }
    if (!status && wire_size(&wire))
        status = fail("%zu bytes follow the last of %d parameters: the file belongs to another program", wire_size(&wire), count);
    free(order);
    return status;
}

int program_read_folder(program_t *program, const char *folder) {
    if (make_constants(program)) return -1;
    for (int i = 0; i < program->var_count; i++) {
        const var_t *var = &program->vars[i];
        if (!is_parameter(var)) continue;
        if (strstr(var->name, "..")) return fail("a parameter can't be named %s", var->name);
        char path[4096];
        if ((size_t)snprintf(path, sizeof path, "%s/%s", folder, var->name) >= sizeof path) return fail("the path of %s is too long", var->name);
        size_t size;
        void *bytes = read_file(path, &size);
        if (!bytes) return -1;
        wire_t wire = wire_of(bytes, size);
        int status = read_record(&wire, &program->constants[i]);
        free(bytes);
        if (status) {
            put_context("parameter %s: ", var->name);
            return -1;
        }
    }
    return 0;
}

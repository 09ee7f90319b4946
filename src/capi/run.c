/* Running blocks: operator after operator, dropping what nobody reads any more. */
#include "run.h"

#include <stdlib.h>

const tensor_t *var_tensor(run_t *run, int var) {
    if (var < 0) return NULL;
    const tensor_t *value = &run->values[var].tensor;
    if (value->data) return value;
    const tensor_t *constant = run->program->constants ? &run->program->constants[var] : NULL;
    return constant && constant->data ? constant : NULL;
}

value_t *var_array(run_t *run, int var) { return &run->values[var]; }

const tensor_t *input_at(run_t *run, const op_t *op, const slot_t *slot, int i) {
    const tensor_t *t = var_tensor(run, slot->vars[i]);
    if (!t)
        fail("input %s has no value (variable %s)", slot->name,
             slot->vars[i] < 0 ? "left out" : run->program->vars[slot->vars[i]].name);
    (void)op;
    return t;
}

const tensor_t *need_input(run_t *run, const op_t *op, const char *name) {
    const slot_t *slot = find_in(op, name);
    if (!slot) {
        fail("input %s is missing", name);
        return NULL;
    }
    return input_at(run, op, slot, 0);
}

const tensor_t *find_input(run_t *run, const op_t *op, const char *name) {
    const slot_t *slot = find_in(op, name);
    return slot ? var_tensor(run, slot->vars[0]) : NULL;
}

int has_output(const op_t *op, const char *name) {
    const slot_t *slot = find_out(op, name);
    return slot && slot->vars[0] >= 0;
}

int give_var(run_t *run, int var, tensor_t *t) {
    tensor_t old = run->values[var].tensor;
    run->values[var].tensor = *t;
    tensor_drop(&old);
    *t = (tensor_t){.dtype = TYPE_NONE};
    return 0;
}

int give_at(run_t *run, const op_t *op, const char *name, int i, tensor_t *t) {
    const slot_t *slot = find_out(op, name);
    if (!slot || i >= slot->count || slot->vars[i] < 0) {
        tensor_drop(t);
        return 0;
    }
    return give_var(run, slot->vars[i], t);
}

int give(run_t *run, const op_t *op, const char *name, tensor_t *t) { return give_at(run, op, name, 0, t); }

int finish(run_t *run, const op_t *op, const char *slot, tensor_t *t, int status) {
    if (!status) return give(run, op, slot, t);
    tensor_drop(t);
    return last_error()[0] ? -1 : fail_memory();
}

int make(run_t *run, tensor_t *t, dtype_t dtype, int ndim, const index_t *dims) {
    return tensor_new(run->memory, t, dtype, ndim, dims);
}

int make_like(run_t *run, tensor_t *t, const tensor_t *model) { return make(run, t, model->dtype, model->ndim, model->dims); }

int make_number(run_t *run, tensor_t *t, dtype_t dtype, double value) {
    if (make(run, t, dtype, 0, NULL)) return -1;
    tensor_set(t, 0, value);
    return 0;
}

int read_ints(run_t *run, const op_t *op, const char *list, const char *one, const char *attr, int64_t *values, int room) {
    const slot_t *slot = list ? find_in(op, list) : NULL;
    const tensor_t *only = slot && slot->count == 1 ? var_tensor(run, slot->vars[0]) : NULL;
    if (only && only->size != 1) slot = NULL, one = list; /* all numbers in one tensor */
    if (slot) {
        if (slot->count > room) return fail("%s has %d tensors, at most %d were expected", list, slot->count, room);
        for (int i = 0; i < slot->count; i++) {
            const tensor_t *t = input_at(run, op, slot, i);
            if (!t) return -1;
            if (t->size < 1) return fail("%s has an empty tensor", list);
            values[i] = tensor_int(t, 0);
        }
        return slot->count;
    }
    const tensor_t *t = one ? find_input(run, op, one) : NULL;
    if (!t) return attr_ints(op, attr, values, room);
    if (t->size > room) return fail("%s has %td elements, at most %d were expected", one, t->size, room);
    for (index_t i = 0; i < t->size; i++) values[i] = tensor_int(t, i);
    return (int)t->size;
}

int read_axis(int64_t axis, int ndim, int end) {
    int64_t most = ndim + (end ? 1 : 0);
    if (axis < 0) axis += most;
    if (axis < 0 || axis >= most) return fail("axis %lld is not one of a tensor with %d axes", (long long)(axis), ndim);
    return (int)axis;
}

int read_ids(run_t *run, const tensor_t *index, index_t size, int negative, ids_t *ids) {
    *ids = (ids_t){.at = index->data, .wide = index->dtype == TYPE_INT64, .own = {.dtype = TYPE_NONE}};
    int fits = ids->wide || index->dtype == TYPE_INT32;
    for (index_t i = 0; fits && i < index->size; i++) fits = (uint64_t)id_at(ids->at, ids->wide, i) < (uint64_t)size;
    if (fits) return 0;
    if (type_is_float(index->dtype) || index->dtype == TYPE_BOOL) return fail("ids must be whole numbers, not %s", type_name(index->dtype));
    if (make(run, &ids->own, TYPE_INT64, index->ndim, index->dims)) return -1;
    int64_t *own = ids->own.data;
    for (index_t i = 0; i < index->size; i++) {
        int64_t id = tensor_int(index, i);
        own[i] = id < 0 && negative ? id + size : id;
        if (own[i] >= 0 && own[i] < size) continue;
        tensor_drop(&ids->own);
        return fail("index %lld is not one of %td places", (long long)id, size);
    }
    ids->at = own, ids->wide = 1;
    return 0;
}

int check_float(const tensor_t *x, const char *name) {
    if (type_is_float(x->dtype)) return 0;
    return fail("%s must be float32 or float64, not %s", name, type_name(x->dtype));
}

/* ---- blocks ---- */

#define DEEPEST 64 /* blocks inside blocks */

static void drop_values(run_t *run, const op_t *op) {
    for (int i = 0; i < op->drop_count; i++) tensor_drop(&run->values[op->drops[i]].tensor);
}

/* Operators read elements as real numbers unless they say otherwise. */
int run_operator(run_t *run, const op_t *op) {
    for (int s = 0; s < op->in_count && !(op->operator->flags & OPERATOR_COMPLEX); s++)
        for (int k = 0; k < op->in[s].count; k++) {
            const tensor_t *t = var_tensor(run, op->in[s].vars[k]);
            if (t && type_is_complex(t->dtype)) return fail("input %s holds complex numbers, which are not supported here", op->in[s].name);
        }
    return op->operator->run(run, op);
}

int run_block(run_t *run, int number) {
    if (run->depth >= DEEPEST) return fail("blocks are nested more than %d deep", DEEPEST);
    run->depth++;
    const block_t *block = &run->program->blocks[number];
    int status = 0;
    for (int i = 0; i < block->op_count && !status; i++) {
        const op_t *op = &block->ops[i];
        status = run_operator(run, op);
        if (status) {
            put_context("%s (operator %d of block %d): ", op->type, i, number);
            continue;
        }
        if (run->sequences) follow_rows(run, op);
        drop_values(run, op);
    }
    run->depth--;
    return status;
}

void clear_array(value_t *value) {
    for (int i = 0; i < value->count; i++) tensor_drop(&value->items[i]);
    free(value->items);
    value->items = NULL;
    value->count = value->room = 0;
}

void run_clear(run_t *run) {
    for (int i = 0; i < run->program->var_count; i++) {
        clear_array(&run->values[i]);
        int feed = 0;
        for (int k = 0; k < run->program->feed_count; k++) feed |= run->program->feeds[k] == i;
        if (!feed) tensor_drop(&run->values[i].tensor);
    }
}

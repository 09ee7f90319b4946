/* Control flow: loops, branches, arrays of tensors. */
#include "small.h"

#include <stdlib.h>

#include "sizes.h"

static int sub_block(run_t *run, const op_t *op) {
    int64_t block = attr_int(op, "sub_block");
    if (block < 1 || block >= run->program->block_count) return fail("sub_block %lld is not a block of this program", (long long)block);
    return (int)block;
}

static int is_true(const tensor_t *t) { return t->size > 0 && tensor_number(t, 0) != 0; }

static int loop(run_t *run, const op_t *op) {
    int block = sub_block(run, op);
    const slot_t *slot = find_in(op, "Condition");
    if (block < 0) return -1;
    if (!slot) return fail("input Condition is missing");
    for (;;) {
        const tensor_t *condition = input_at(run, op, slot, 0);
        if (!condition) return -1;
        if (!is_true(condition)) return 0;
        if (run_block(run, block)) return -1;
    }
}

static int branch(run_t *run, const op_t *op) {
    int block = sub_block(run, op);
    const slot_t *slot = find_in(op, "Cond");
    if (block < 0) return -1;
    if (!slot) return fail("input Cond is missing");
    for (int i = 0; i < slot->count; i++) {
        const tensor_t *condition = input_at(run, op, slot, i);
        if (!condition) return -1;
        if (!is_true(condition)) return 0;
    }
    return run_block(run, block);
}

static int select_input(run_t *run, const op_t *op) {
    const slot_t *slot = find_in(op, "X");
    const tensor_t *mask = need_input(run, op, "Mask");
    if (!mask || !slot) return slot ? -1 : fail("input X is missing");
    int64_t choice = mask->size ? tensor_int(mask, 0) : 0;
    if (choice < 0 || choice >= slot->count) return fail("Mask asks for input %lld of %d", (long long)choice, slot->count);
    const tensor_t *x = input_at(run, op, slot, (int)choice);
    if (!x) return -1;
    tensor_t y = tensor_share(x);
    return give(run, op, "Out", &y);
}

/* ---- arrays of tensors ---- */

#define MOST_ITEMS (1 << 20)

static int array_place(run_t *run, const op_t *op, int64_t *place) {
    const tensor_t *i = need_input(run, op, "I");
    if (!i) return -1;
    *place = i->size ? tensor_int(i, 0) : 0;
    return *place < 0 || *place >= MOST_ITEMS ? fail("an array has no place %lld", (long long)*place) : 0;
}

static value_t *array_of(run_t *run, const slot_t *slot) {
    if (slot && slot->vars[0] >= 0) return var_array(run, slot->vars[0]);
    fail("the array is missing");
    return NULL;
}

static int write_array(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    value_t *array = array_of(run, find_out(op, "Out"));
    int64_t place;
    if (!x || !array || array_place(run, op, &place)) return -1;
    if (place >= array->room) {
        int room = (int)max_of(place + 1, 2 * array->room);
        tensor_t *items = realloc(array->items, (size_t)room * sizeof *items);
        if (!items) return fail_memory();
        array->items = items;
        array->room = room;
    }
    while (array->count <= place) array->items[array->count++] = (tensor_t){.dtype = TYPE_NONE};
    tensor_t y = tensor_share(x);
    tensor_drop(&array->items[place]);
    array->items[place] = y;
    return 0;
}

/* An empty array, also where a loop comes by again. */
static int create_array(run_t *run, const op_t *op) {
    value_t *array = array_of(run, find_out(op, "Out"));
    if (array) clear_array(array);
    return array ? 0 : -1;
}

static int read_array(run_t *run, const op_t *op) {
    value_t *array = array_of(run, find_in(op, "X"));
    int64_t place;
    if (!array || array_place(run, op, &place)) return -1;
    if (place >= array->count || !array->items[place].data) return fail("the array has nothing at place %lld", (long long)place);
    tensor_t y = tensor_share(&array->items[place]);
    return give(run, op, "Out", &y);
}

static int array_length(run_t *run, const op_t *op) {
    value_t *array = array_of(run, find_in(op, "X"));
    tensor_t y;
    index_t one = 1;
    if (!array || make(run, &y, TYPE_INT64, 1, &one)) return -1;
    *(int64_t *)y.data = array->count;
    return give(run, op, "Out", &y);
}

/* All items of an array joined, or stacked, along an axis; OutIndex has their sizes. */
static int join_array(run_t *run, const op_t *op) {
    value_t *array = array_of(run, find_in(op, "X"));
    index_t total = 0, at = 0, count = array ? array->count : 0;
    tensor_t y, sizes;
    sizes_t joined;
    if (!array) return -1;
    int stacked = attr_bool(op, "use_stack");
    const tensor_t *first = array->count ? &array->items[0] : NULL;
    if (!first || !first->data) return fail("the array is empty");
    int axis = read_axis(attr_int(op, "axis"), first->ndim, stacked);
    if (axis < 0) return -1;
    for (int i = 0; i < array->count; i++) {
        const tensor_t *x = &array->items[i];
        int fits = x->data && x->ndim == first->ndim && x->dtype == first->dtype;
        for (int k = 0; fits && k < x->ndim; k++) fits = x->dims[k] == first->dims[k] || (!stacked && k == axis);
        if (!fits) return fail("items of the array don't fit together");
        total += stacked ? 1 : x->dims[axis];
    }
    sizes_t one = sizes_of(first);
    if ((stacked ? size_with_axis(&one, axis, total, &joined) : size_with_size(&one, axis, total, &joined)) || make_sized(run, &y, first->dtype, &joined)) return -1;
    index_t outer = span(first, 0, axis);
    size_t inner = (size_t)span(first, axis + !stacked, first->ndim) * type_size(first->dtype);
    if (make(run, &sizes, TYPE_INT32, 1, &count)) return finish(run, op, "Out", &y, -1);
    for (int i = 0; i < array->count; i++) {
        const tensor_t *x = &array->items[i];
        index_t n = stacked ? 1 : x->dims[axis];
        for (index_t k = 0; k < outer; k++)
            memcpy((char *)y.data + (size_t)(k * total + at) * inner, (const char *)x->data + (size_t)(k * n) * inner, (size_t)n * inner);
        at += n;
        ((int32_t *)sizes.data)[i] = (int32_t)n;
    }
    give(run, op, "OutIndex", &sizes);
    return give(run, op, "Out", &y);
}

static int nothing(run_t *run, const op_t *op) {
    (void)run, (void)op;
    return 0;
}

#define ANY (OPERATOR_KEEP | OPERATOR_COMPLEX)
OPERATOR_TABLE(control) = {
    {"while", loop, ANY}, {"conditional_block", branch, ANY}, {"conditional_block_infer", branch, ANY},
    {"select_input", select_input, ANY}, {"create_array", create_array, ANY},
    {"write_to_array", write_array, ANY},
    {"read_from_array", read_array, ANY}, {"lod_array_length", array_length, ANY},
    {"tensor_array_to_tensor", join_array, ANY}, {"feed", nothing, ANY}, {"fetch", nothing, ANY}, {0}};

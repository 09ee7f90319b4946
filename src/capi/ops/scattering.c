/* Elements put at given places, and tests of whole tensors. */
#include "sizes.h"

static int roll(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    int64_t shifts[MAX_DIMS], axes[MAX_DIMS];
    index_t moved[MAX_DIMS] = {0}, flat = 0;
    tensor_t y;
    if (!x) return -1;
    int count = read_ints(run, op, NULL, "ShiftsTensor", "shifts", shifts, MAX_DIMS), given = attr_ints(op, "axis", axes, MAX_DIMS);
    if (count < 0 || given < 0) return -1;
    if (given && given != count) return fail("shifts and axis don't have one length");
    for (int i = 0; i < count; i++) {
        int axis = given ? read_axis(axes[i], x->ndim, 0) : 0;
        if (axis < 0) return -1;
        index_t n = given ? x->dims[axis] : x->size, *to = given ? &moved[axis] : &flat;
        if (n) *to = (index_t)(((*to + shifts[i] % n) % n + n) % n);
    }
    if (make_like(run, &y, x)) return -1;
    size_t item = type_size(x->dtype);
    for (index_t k = 0; k < x->size; k++) {
        index_t rest = k, to = 0, stride = 1;
        for (int i = x->ndim - 1; i >= 0; i--) {
            to += (rest % x->dims[i] + moved[i]) % x->dims[i] * stride;
            rest /= x->dims[i];
            stride *= x->dims[i];
        }
        if (!given) to = (k + flat) % x->size;
        memcpy((char *)y.data + (size_t)to * item, (const char *)x->data + (size_t)k * item, item);
    }
    return give(run, op, "Out", &y);
}

static int equal_all(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *z = x ? need_input(run, op, "Y") : NULL;
    tensor_t y;
    if (!z) return -1;
    int same = x->ndim == z->ndim;
    for (int i = 0; same && i < x->ndim; i++) same = x->dims[i] == z->dims[i];
    for (index_t i = 0; same && i < x->size; i++) same = tensor_number(x, i) == tensor_number(z, i);
    return make_number(run, &y, TYPE_BOOL, same) ? -1 : give(run, op, "Out", &y);
}

static int is_empty(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    tensor_t y;
    return !x || make_number(run, &y, TYPE_BOOL, x->size == 0) ? -1 : give(run, op, "Out", &y);
}

/* Ones up to each length. */
static int sequence_mask(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *given = find_input(run, op, "MaxLenTensor");
    tensor_t y;
    sizes_t sizes;
    if (!x) return -1;
    sizes_t old = sizes_of(x);
    dtype_t dtype = type_of_file(attr_int(op, "out_dtype"));
    int64_t length = given && given->size ? tensor_int(given, 0) : attr_int(op, "maxlen");
    int by_longest = length < 0;
    for (index_t i = 0; by_longest && i < x->size; i++) length = max_of(length, tensor_int(x, i));
    index_t wide = max_of(0, length);
    if (size_with_axis(&old, x->ndim, wide, &sizes) || make_sized(run, &y, dtype, &sizes)) return -1;
    for (index_t i = 0; i < y.size; i++) tensor_set(&y, i, i % wide < tensor_int(x, i / wide));
    return give(run, op, "Y", &y);
}

OPERATOR_TABLE(scattering) = {
    {"roll", roll, OPERATOR_COMPLEX}, {"equal_all", equal_all, 0},
    {"is_empty", is_empty, 0}, {"sequence_mask", sequence_mask, 0}, {0}};

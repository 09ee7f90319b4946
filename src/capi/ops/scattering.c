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
    tensor_t from = *x;
    if (!given) from.ndim = 1, from.dims[0] = x->size, moved[0] = flat;
    const int64_t *tables[MAX_DIMS];
    size_t mark = scratch_mark();
    int status = 0;
    for (int i = 0; i < from.ndim && !status; i++) {
        int64_t *table = moved[i] ? scratch((size_t)from.dims[i] * sizeof *table) : NULL;
        if (moved[i] && !table) status = fail_memory();
        for (index_t k = 0; table && k < from.dims[i]; k++) table[k] = k < moved[i] ? k - moved[i] + from.dims[i] : k - moved[i];
        tables[i] = table;
    }
    if (!status) status = remap_into(run, &from, tables, from.dims, 0, &y);
    scratch_release(mark);
    return status ? -1 : finish(run, op, "Out", &y, tensor_reshape(&y, x->ndim, x->dims));
}

LOOPS static int equal_floats(const float *x, const float *y, index_t n) {
    for (index_t i = 0, differ = 0; i < n;) {
        for (index_t stop = min_of(n, i + 256); i < stop; i++) differ |= !(x[i] == y[i]);
        if (differ) return 0;
    }
    return 1;
}

static int equal_all(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *z = x ? need_input(run, op, "Y") : NULL;
    tensor_t y;
    if (!z) return -1;
    int same = x->ndim == z->ndim;
    for (int i = 0; same && i < x->ndim; i++) same = x->dims[i] == z->dims[i];
    if (same && x->dtype == TYPE_FLOAT32 && z->dtype == TYPE_FLOAT32) same = equal_floats(x->data, z->data, x->size);
    else if (same && x->dtype == z->dtype && x->dtype <= TYPE_INT64) same = !memcmp(x->data, z->data, (size_t)x->size * type_size(x->dtype));
    else
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
    memset(y.data, 0, (size_t)y.size * type_size(dtype));
    for (index_t i = 0; wide && i < x->size; i++) {
        tensor_t ones = y;
        ones.data = (char *)y.data + (size_t)(i * wide) * type_size(dtype);
        int64_t whole = tensor_int(x, i);
        ones.size = min_of(max_of(0, whole + (tensor_number(x, i) > (double)whole)), wide); /* before 2.5 are 0, 1 and 2 */
        fill_tensor(&ones, 1, 1);
    }
    return give(run, op, "Y", &y);
}

OPERATOR_TABLE(scattering) = {
    {"roll", roll, OPERATOR_COMPLEX}, {"equal_all", equal_all, 0},
    {"is_empty", is_empty, 0}, {"sequence_mask", sequence_mask, 0}, {0}};

/* Putting tensors together and taking them apart: concat, stack, split, slice, pad. */
#include "small.h"

#include "sizes.h"

#define MANY 4096 /* tensors of one operator */

/* Copy [outer, n, inner] pieces into or out of a tensor whose axis has `all` places, from place `at`. */
static void move_piece(tensor_t *whole, const tensor_t *piece, index_t outer, index_t n, index_t inner, index_t all, index_t at, int in) {
    size_t item = type_size(whole->dtype), run = (size_t)(n * inner) * item;
    for (index_t k = 0; k < outer; k++) {
        char *big = (char *)whole->data + (size_t)((k * all + at) * inner) * item, *small = (char *)piece->data + (size_t)k * run;
        memcpy(in ? big : small, in ? small : big, run);
    }
}

static int concat(run_t *run, const op_t *op) {
    const slot_t *slot = find_in(op, "X");
    const tensor_t *first = slot ? input_at(run, op, slot, 0) : NULL, *given = find_input(run, op, "AxisTensor");
    index_t at = 0;
    tensor_t y;
    if (!first) return slot ? -1 : fail("input X is missing");
    int axis = read_axis(given && given->size ? tensor_int(given, 0) : attr_int(op, "axis"), first->ndim, 0);
    sizes_t sizes = sizes_of(first);
    for (int i = 1; axis >= 0 && i < slot->count; i++) {
        const tensor_t *x = input_at(run, op, slot, i);
        if (!x) return -1;
        if (x->dtype != first->dtype) return fail("tensors to join must have one element type");
        sizes_t before = sizes, more = sizes_of(x);
        if (size_joined(&before, &more, axis, &sizes)) return -1;
    }
    if (axis < 0 || make_sized(run, &y, first->dtype, &sizes)) return -1;
    index_t outer = span(first, 0, axis), inner = span(first, axis + 1, first->ndim);
    for (int i = 0; i < slot->count; i++) {
        const tensor_t *x = input_at(run, op, slot, i);
        move_piece(&y, x, outer, x->dims[axis], inner, sizes.at[axis], at, 1);
        at += x->dims[axis];
    }
    return give(run, op, "Out", &y);
}

static int stack(run_t *run, const op_t *op) {
    const slot_t *slot = find_in(op, "X");
    const tensor_t *first = slot ? input_at(run, op, slot, 0) : NULL;
    tensor_t y;
    if (!first) return slot ? -1 : fail("input X is missing");
    int axis = read_axis(attr_int(op, "axis"), first->ndim, 1);
    if (axis < 0) return -1;
    for (int i = 1; i < slot->count; i++) {
        const tensor_t *x = input_at(run, op, slot, i);
        if (!x) return -1;
        int same = x->ndim == first->ndim && x->dtype == first->dtype;
        for (int k = 0; same && k < x->ndim; k++) same = x->dims[k] == first->dims[k];
        if (!same) return fail("tensors to stack must have one shape and one element type");
    }
    sizes_t old = sizes_of(first), sizes;
    if (size_with_axis(&old, axis, slot->count, &sizes) || make_sized(run, &y, first->dtype, &sizes)) return -1;
    index_t outer = span(first, 0, axis), inner = span(first, axis, first->ndim);
    for (int i = 0; i < slot->count; i++) move_piece(&y, input_at(run, op, slot, i), outer, 1, inner, slot->count, i, 1);
    return give(run, op, "Y", &y);
}

/* Sizes of the pieces of a split. */
static int read_sections(run_t *run, const op_t *op, index_t all, int64_t *sections) {
    int count = read_ints(run, op, "SectionsTensorList", NULL, "sections", sections, MANY), unknown = -1;
    index_t sum = 0;
    if (count < 0) return -1;
    if (count == 0) {
        int64_t number = attr_int(op, "num");
        if (number < 1 || number > MANY || all % number) return fail("%td places can't be divided into %lld", all, (long long)number);
        for (int i = 0; i < number; i++) sections[i] = all / number;
        return (int)number;
    }
    for (int i = 0; i < count; i++) {
        if (sections[i] == -1 && unknown < 0) unknown = i;
        else if (sections[i] < 0 || sections[i] > all) return fail("a section has the size %lld", (long long)sections[i]);
        else sum += (index_t)sections[i];
    }
    if (unknown >= 0) sections[unknown] = all - sum;
    else if (sum != all) return fail("sections make up %td of %td places", sum, all);
    return unknown >= 0 && sections[unknown] < 0 ? fail("sections make up %td of %td places", sum, all) : count;
}

static int split(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *given = find_input(run, op, "AxisTensor");
    int64_t sections[MANY];
    index_t at = 0;
    tensor_t y;
    if (!x) return -1;
    int axis = read_axis(given && given->size ? tensor_int(given, 0) : attr_int(op, "axis"), x->ndim, 0);
    int count = axis < 0 ? -1 : read_sections(run, op, x->dims[axis], sections);
    if (count < 0) return -1;
    sizes_t old = sizes_of(x), sizes;
    tensor_t whole = tensor_share(x); /* an output may be named like the input */
    for (int i = 0; i < count; i++) {
        index_t part = (index_t)sections[i];
        if (size_with_size(&old, axis, part, &sizes) || make_sized(run, &y, whole.dtype, &sizes)) break;
        move_piece(&whole, &y, span(&whole, 0, axis), part, span(&whole, axis + 1, whole.ndim), whole.dims[axis], at, 0);
        at += part;
        give_at(run, op, "Out", i, &y);
        if (i + 1 == count) count = 0;
    }
    tensor_drop(&whole);
    return count ? -1 : 0;
}

static int unstack(run_t *run, const op_t *op) {
    const char *out = !strcmp(op->type, "unstack") ? "Y" : "Out";
    const tensor_t *x = need_input(run, op, "X");
    tensor_t y;
    if (!x) return -1;
    int axis = read_axis(attr_int(op, "axis"), x->ndim, 0);
    sizes_t old = sizes_of(x), sizes;
    if (axis < 0 || size_reduced(&old, &(sizes_t){1, {axis}}, 0, &sizes)) return -1;
    const slot_t *slot = find_out(op, out);
    index_t i = 0, n = x->dims[axis];
    if (!slot || slot->count != n || n > MANY) return fail("axis %d of X has size %td, but there are %d results", axis, n, slot ? slot->count : 0);
    tensor_t whole = tensor_share(x);
    for (; i < n; i++) {
        if (make_sized(run, &y, whole.dtype, &sizes)) break;
        move_piece(&whole, &y, span(&whole, 0, axis), 1, span(&whole, axis + 1, whole.ndim), n, i, 0);
        give_at(run, op, out, (int)i, &y);
    }
    tensor_drop(&whole);
    return i < n ? -1 : 0;
}

/* ---- regions ---- */

/* begin, count and step along every axis. */
typedef struct {
    index_t begin[MAX_DIMS], count[MAX_DIMS], step[MAX_DIMS];
} region_t;

int slice_means_one(const op_t *op, int i, int axis, int ndim) {
    const attr_t *gone = find_attr(op, type_is(op, "set_value") ? "decrease_axes" : "decrease_axis"), *flags = find_attr(op, "infer_flags");
    for (int k = 0; gone && gone->ints && k < gone->count; k++)
        if (gone->ints[k] == axis || gone->ints[k] + ndim == axis) return 1;
    return type_is(op, "slice") && flags && flags->ints && i < flags->count && flags->ints[i] == -1;
}

static int read_region(run_t *run, const op_t *op, const tensor_t *x, int strided, region_t *r) {
    int64_t axes[MAX_DIMS], starts[MAX_DIMS], ends[MAX_DIMS], steps[MAX_DIMS];
    int count = attr_ints(op, "axes", axes, MAX_DIMS), kinds[3];
    kinds[0] = read_ints(run, op, "StartsTensorList", "StartsTensor", "starts", starts, MAX_DIMS);
    kinds[1] = kinds[0] < 0 ? -1 : read_ints(run, op, "EndsTensorList", "EndsTensor", "ends", ends, MAX_DIMS);
    kinds[2] = kinds[1] < 0 ? -1 : !strided ? count : read_ints(run, op, "StridesTensorList", "StridesTensor", strided == 2 ? "steps" : "strides", steps, MAX_DIMS);
    if (count < 0 || kinds[2] < 0) return -1;
    if (strided == 2 && kinds[2] == 0) strided = 0, kinds[2] = count;
    if (kinds[0] != count || kinds[1] != count || kinds[2] != count) return fail("axes, starts and ends don't have one length");
    for (int i = 0; i < x->ndim; i++) r->begin[i] = 0, r->count[i] = x->dims[i], r->step[i] = 1;
    for (int i = 0; i < count; i++) {
        int axis = read_axis(axes[i], x->ndim, 0);
        if (axis < 0) return -1;
        int64_t step = strided ? steps[i] : 1, n = x->dims[axis];
        if (step == 0 || step < -0x7fffffff || step > 0x7fffffff) return fail("a step can't be %lld", (long long)step);
        r->begin[axis] = size_slice_begin((index_t)n, (index_t)starts[i], (index_t)step);
        index_t end = size_slice_end((index_t)starts[i], (index_t)ends[i], step == 1 && slice_means_one(op, i, axis, x->ndim));
        r->count[axis] = size_slice_length((index_t)n, (index_t)starts[i], end, (index_t)step);
        r->step[axis] = (index_t)step;
    }
    return 0;
}

/* Copy a region out of x (or, for `put`, a dense tensor into it); `repeat` are strides of the dense side. */
static void copy_region(const tensor_t *x, const region_t *r, char *dense, const index_t *strides, int put) {
    size_t item = type_size(x->dtype);
    index_t total = 1, own[MAX_DIMS], stride = 1;
    for (int i = x->ndim - 1; i >= 0; i--) {
        own[i] = stride;
        stride *= x->dims[i];
        total *= r->count[i];
    }
    int last = x->ndim - 1;
    index_t line = last >= 0 && r->step[last] == 1 && strides[last] == 1 ? r->count[last] : 1;
    for (index_t k = 0; k < total; k += line) {
        index_t rest = k, from = 0, to = 0;
        for (int i = last; i >= 0; i--) {
            index_t at = rest % r->count[i];
            rest /= r->count[i];
            from += (r->begin[i] + at * r->step[i]) * own[i];
            to += at * strides[i];
        }
        char *there = (char *)x->data + (size_t)from * item, *here = dense + (size_t)to * item;
        memcpy(put ? there : here, put ? here : there, (size_t)line * item);
    }
}

static void dense_strides(int ndim, const index_t *dims, index_t *strides) {
    index_t stride = 1;
    for (int i = ndim - 1; i >= 0; i--) {
        strides[i] = stride;
        stride *= dims[i];
    }
}

/* Axes to leave out of the result, if they have one place. */
static int drop_axes(const op_t *op, tensor_t *y) {
    int64_t axes[MAX_DIMS];
    int count = attr_ints(op, "decrease_axis", axes, MAX_DIMS), ndim = 0;
    index_t dims[MAX_DIMS];
    if (count < 0) return -1;
    for (int i = 0; i < y->ndim; i++) {
        int drop = 0;
        for (int k = 0; k < count; k++) drop |= axes[k] == i || axes[k] + y->ndim == i;
        if (!drop) dims[ndim++] = y->dims[i];
        else if (y->dims[i] != 1) return fail("axis %d is to be left out but has %td places", i, y->dims[i]);
    }
    return tensor_reshape(y, ndim, dims);
}

static int slice(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "Input");
    index_t strides[MAX_DIMS];
    region_t r;
    tensor_t y;
    if (!x || read_region(run, op, x, !strcmp(op->type, "strided_slice"), &r) || make(run, &y, x->dtype, x->ndim, r.count)) return -1;
    dense_strides(y.ndim, y.dims, strides);
    if (y.size) copy_region(x, &r, y.data, strides, 0);
    return finish(run, op, "Out", &y, drop_axes(op, &y));
}

static int set_value(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "Input"), *value = find_input(run, op, "ValueTensor");
    int64_t axes[MAX_DIMS];
    index_t strides[MAX_DIMS], dims[MAX_DIMS];
    region_t r;
    tensor_t y, number = {.dtype = TYPE_NONE}, put, wide;
    int ndim = 0, dropped = attr_ints(op, "decrease_axes", axes, MAX_DIMS);
    if (!x || dropped < 0 || read_region(run, op, x, 2, &r)) return -1;
    if (!value) {
        const attr_t *list = find_attr(op, "values");
        for (int i = 0; !list && i < 6; i++)
            list = find_attr(op, (const char *[]){"fp32_values", "int32_values", "int64_values", "fp64_values", "bool_values", "fp16_values"}[i]);
        if (!list || list->count != 1) return fail("a value that is a list of numbers is not supported");
        if (make_number(run, &number, x->dtype, list->floats[0])) return -1;
        value = &number;
    }
    for (int i = 0; i < x->ndim; i++) {
        int drop = 0;
        for (int k = 0; k < dropped; k++) drop |= axes[k] == i;
        if (!drop) dims[ndim++] = r.count[i];
    }
    int status = expand_into(run, value, ndim, dims, &wide);
    tensor_drop(&number);
    if (status) return -1;
    status = make(run, &put, x->dtype, wide.ndim, wide.dims) || tensor_convert(&wide, &put);
    tensor_drop(&wide);
    if (status || make_like(run, &y, x)) {
        tensor_drop(&put);
        return -1;
    }
    memcpy(y.data, x->data, (size_t)x->size * type_size(x->dtype));
    dense_strides(x->ndim, r.count, strides);
    if (put.size) copy_region(&y, &r, put.data, strides, 1);
    tensor_drop(&put);
    return give(run, op, "Out", &y);
}

#define MOVES OPERATOR_COMPLEX /* elements of any type, as they are */
OPERATOR_TABLE(join) = {
    {"concat", concat, MOVES}, {"stack", stack, MOVES}, {"split", split, MOVES}, {"unstack", unstack, MOVES}, {"unbind", unstack, MOVES},
    {"slice", slice, MOVES}, {"strided_slice", slice, MOVES}, {"set_value", set_value, MOVES}, {0}};

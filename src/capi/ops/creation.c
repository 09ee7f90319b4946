/* Tensors from numbers: constants, ranges, one-hot codes, triangles. */
#include <math.h>
#include <stdlib.h>

#include "remap.h"
#include "sizes.h"

typedef struct {
    tensor_t *y;
    uint64_t bits;
    size_t item;
} filling_t;

LOOPS static int fill_range(void *context, index_t begin, index_t end) {
    const filling_t *t = context;
    if (!t->bits) memset((char *)t->y->data + (size_t)begin * t->item, 0, (size_t)(end - begin) * t->item);
    else if (t->item == 4)
        for (index_t i = begin; i < end; i++) ((uint32_t *)t->y->data)[i] = (uint32_t)t->bits;
    else if (t->item == 8)
        for (index_t i = begin; i < end; i++) ((uint64_t *)t->y->data)[i] = t->bits;
    else if (t->item == 1) memset((char *)t->y->data + begin, (int)t->bits, (size_t)(end - begin));
    else
        for (index_t i = begin; i < end; i++) memcpy((char *)t->y->data + (size_t)i * t->item, &t->bits, t->item);
    return NATIVE_OK;
}

void fill_tensor(tensor_t *y, double value, int64_t whole) {
    double one[2] = {0};
    tensor_t first = {.dtype = y->dtype, .data = one};
    filling_t t = {.y = y, .item = type_size(y->dtype)};
    if (whole && y->dtype == TYPE_INT64) memcpy(one, &whole, sizeof whole);
    else tensor_set(&first, 0, value);
    memcpy(&t.bits, one, min_of(t.item, 8));
    if (t.item > 8) /* complex128 */
        for (index_t i = 0; i < y->size; i++) memcpy((char *)y->data + (size_t)i * t.item, one, t.item);
    else parallel_range(y->size, 65536, fill_range, &t);
}

static int fill(run_t *run, const op_t *op, const char *slot, dtype_t dtype, int ndim, const index_t *dims, double value, int64_t whole) {
    tensor_t y;
    if (make(run, &y, dtype, ndim, dims)) return -1;
    fill_tensor(&y, value, whole);
    return give(run, op, slot, &y);
}

static int read_type(const op_t *op, const char *name, dtype_t fallback, dtype_t *dtype) {
    const attr_t *attr = find_attr(op, name);
    int given = attr && attr->count && attr->ints[0] >= 0; /* -1: as it comes */
    *dtype = given ? attr_dtype(op, name) : fallback;
    return *dtype == TYPE_NONE ? fail("elements of type number %lld are not supported", (long long)attr->ints[0]) : 0;
}

static int64_t as_whole(double value) { return value > -9e18 && value < 9e18 ? (int64_t)value : INT64_MIN; }

static int fill_constant(run_t *run, const op_t *op) {
    int64_t sizes[MAX_DIMS];
    index_t dims[MAX_DIMS];
    dtype_t dtype;
    const tensor_t *given = find_input(run, op, "ValueTensor");
    int count = read_ints(run, op, "ShapeTensorList", "ShapeTensor", "shape", sizes, MAX_DIMS);
    if (count < 0 || read_type(op, "dtype", TYPE_FLOAT32, &dtype)) return -1;
    double value = attr_float(op, "value");
    const char *text = attr_text(op, "str_value");
    int64_t whole = as_whole(value);
    if (*text) {
        char *end;
        value = strtod(text, &end);
        whole = strchr(text, '.') || strchr(text, 'e') || strchr(text, 'n') ? as_whole(value) : strtoll(text, NULL, 10);
    }
    if (given && given->size) value = tensor_number(given, 0), whole = tensor_int(given, 0);
    for (int i = 0; i < count; i++) dims[i] = (index_t)sizes[i];
    return fill(run, op, "Out", dtype, count, dims, value, whole);
}

static int fill_like(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    dtype_t dtype;
    if (!x || read_type(op, "dtype", x->dtype, &dtype)) return -1;
    double value = !strcmp(op->type, "fill_zeros_like") ? 0 : attr_float(op, "value");
    return fill(run, op, "Out", dtype, x->ndim, x->dims, value, as_whole(value));
}

/* A shape with the batch size of another tensor in it. */
static int fill_batch(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "Input");
    int64_t sizes[MAX_DIMS];
    dtype_t dtype;
    int count = attr_ints(op, "shape", sizes, MAX_DIMS);
    if (!x || count < 0 || read_type(op, "dtype", TYPE_FLOAT32, &dtype)) return -1;
    int64_t from = attr_int(op, "input_dim_idx"), to = attr_int(op, "output_dim_idx");
    if (from < 0 || from >= x->ndim || to < 0 || to >= count) return fail("input_dim_idx or output_dim_idx is not an axis");
    sizes_t given = sizes_from(count, sizes), own;
    index_t size = x->lod && !from ? x->lod->counts[x->lod->levels - 1] - 1 : x->dims[from]; /* of rows in sequences: how many of these */
    if (size_with_size(&given, (index_t)to, size, &own)) return -1;
    double value = attr_float(op, "value");
    const char *text = attr_text(op, "str_value");
    if (*text) value = strtod(text, NULL);
    return fill(run, op, "Out", dtype, own.count, own.at, value, as_whole(value));
}

static int assign_value(run_t *run, const op_t *op) {
    int64_t sizes[MAX_DIMS];
    index_t dims[MAX_DIMS];
    dtype_t dtype;
    tensor_t y;
    int count = attr_ints(op, "shape", sizes, MAX_DIMS);
    if (count < 0 || read_type(op, "dtype", TYPE_FLOAT32, &dtype)) return -1;
    for (int i = 0; i < count; i++) dims[i] = (index_t)sizes[i];
    static const char *const names[] = {"values", "fp32_values", "int32_values", "int64_values", "bool_values", "fp64_values", "int8_values"};
    const attr_t *list = NULL;
    for (int i = 0; i < 7 && !(list && list->count); i++) list = find_attr(op, names[i]);
    if (make(run, &y, dtype, count, dims)) return -1;
    if (y.size > (list ? list->count : 0)) return finish(run, op, "Out", &y, fail("values has too few numbers for the shape"));
    for (index_t i = 0; i < y.size; i++) {
        if (dtype == TYPE_INT64) ((int64_t *)y.data)[i] = list->ints[i];
        else tensor_set(&y, i, list->floats[i]);
    }
    return give(run, op, "Out", &y);
}

typedef struct {
    tensor_t *y;
    double first, step;
    int64_t first_whole, step_whole; /* of int64, which a double may not hold */
} spaced_t;

LOOPS static int spaced_range(void *context, index_t begin, index_t end) {
    const spaced_t *t = context;
    void *y = t->y->data;
    if (t->y->dtype == TYPE_INT64)
        for (index_t i = begin; i < end; i++) ((int64_t *)y)[i] = t->first_whole + t->step_whole * i;
    else if (t->y->dtype == TYPE_FLOAT32)
        for (index_t i = begin; i < end; i++) ((float *)y)[i] = (float)(t->first + t->step * (double)i);
    else if (t->y->dtype == TYPE_FLOAT64)
        for (index_t i = begin; i < end; i++) ((double *)y)[i] = t->first + t->step * (double)i;
    else
        for (index_t i = begin; i < end; i++) tensor_set(t->y, i, t->first + t->step * (double)i);
    return NATIVE_OK;
}

/* How many numbers a range of whole ones has. */
static double count_whole(int64_t a, int64_t b, int64_t step) {
    if (step > 0 ? b <= a : b >= a) return 0;
    uint64_t apart = step > 0 ? (uint64_t)b - (uint64_t)a : (uint64_t)a - (uint64_t)b, by = step > 0 ? (uint64_t)step : 0 - (uint64_t)step;
    return (double)((apart - 1) / by + 1);
}

static int range(run_t *run, const op_t *op) {
    static const char *const names[] = {"Start", "End", "Step"};
    const tensor_t *given[3];
    double at[3];
    dtype_t dtype;
    tensor_t y;
    for (int i = 0; i < 3; i++) {
        if (!(given[i] = need_input(run, op, names[i]))) return -1;
        if (!given[i]->size) return fail("%s must hold a number", names[i]);
    }
    if (read_type(op, "dtype", given[0]->dtype, &dtype)) return -1; /* files of Paddle 3 say it, in older ones it is Start's */
    for (int i = 0; i < 3; i++) { /* in the type of the result */
        double one[2] = {0};
        tensor_t number = {.dtype = dtype, .data = one};
        tensor_set(&number, 0, tensor_number(given[i], 0));
        at[i] = tensor_number(&number, 0);
    }
    spaced_t t = {.y = &y, .first = at[0], .step = at[2], .first_whole = tensor_int(given[0], 0), .step_whole = tensor_int(given[2], 0)};
    const int whole = dtype == TYPE_INT64 && t.step_whole;
    const double count = whole ? count_whole(t.first_whole, tensor_int(given[1], 0), t.step_whole) : ceil((at[1] - at[0]) / at[2]);
    if (at[2] == 0 || !(count < 1e12)) return fail("a range from %g to %g with step %g has no end", at[0], at[1], at[2]);
    index_t n = count < 0 ? 0 : (index_t)count;
    if (make(run, &y, dtype, 1, &n)) return -1;
    parallel_range(n, 8192, spaced_range, &t);
    return give(run, op, "Out", &y);
}

static int linspace(run_t *run, const op_t *op) {
    const tensor_t *start = need_input(run, op, "Start"), *stop = start ? need_input(run, op, "Stop") : NULL,
                   *number = stop ? need_input(run, op, "Num") : NULL;
    dtype_t dtype;
    tensor_t y;
    if (!number || read_type(op, "dtype", start->dtype, &dtype)) return -1;
    if (!start->size || !stop->size || !number->size) return fail("Start, Stop and Num must hold a number");
    index_t n = (index_t)tensor_int(number, 0);
    double a = tensor_number(start, 0), b = tensor_number(stop, 0);
    if (n < 1) return fail("Num must be at least 1");
    if (make(run, &y, dtype, 1, &n)) return -1;
    double s = n > 1 ? (b - a) / (double)(n - 1) : 0;
    for (index_t i = 0; i < n; i++) {
        double value = i < n / 2 || n == 1 ? a + s * (double)i : b - s * (double)(n - 1 - i);
        if (dtype == TYPE_FLOAT32) ((float *)y.data)[i] = (float)value;
        else if (dtype == TYPE_FLOAT64) ((double *)y.data)[i] = value;
        else tensor_set(&y, i, value);
    }
    return give(run, op, "Out", &y);
}

static int one_hot(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *given = find_input(run, op, "depth_tensor");
    dtype_t dtype;
    tensor_t y;
    if (!x || read_type(op, "dtype", TYPE_FLOAT32, &dtype)) return -1;
    int64_t depth = given && given->size ? tensor_int(given, 0) : attr_int(op, "depth");
    sizes_t places = sizes_of(x), sizes;
    if (!strcmp(op->type, "one_hot") && places.count && places.at[places.count - 1] == 1) places.count--;
    if (size_with_axis(&places, places.count, (index_t)depth, &sizes) || make_sized(run, &y, dtype, &sizes)) return -1;
    memset(y.data, 0, (size_t)y.size * type_size(dtype));
    for (index_t i = 0; i < x->size; i++) {
        int64_t id = tensor_int(x, i);
        if (id >= 0 && id < depth) tensor_set(&y, i * (index_t)depth + (index_t)id, 1);
        else if (!attr_bool(op, "allow_out_of_range")) return finish(run, op, "Out", &y, fail("%lld is not below the depth %lld", (long long)id, (long long)depth));
    }
    return give(run, op, "Out", &y);
}

static int triangle(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    tensor_t y;
    if (!x) return -1;
    if (x->ndim < 2) return fail("X must have at least 2 axes");
    if (make_like(run, &y, x)) return -1;
    int lower = !strcmp(op->type, "tril") || (!strcmp(op->type, "tril_triu") && attr_bool(op, "lower"));
    triangle_t t = {.rows = x->dims[x->ndim - 2], .columns = x->dims[x->ndim - 1], .diagonal = (index_t)attr_int(op, "diagonal"), .lower = lower,
                    .item = (index_t)type_size(x->dtype), .x = x->data, .y = y.data};
    if (y.size) triangle_run(&t, y.size / t.columns);
    return give(run, op, "Out", &y);
}

static int eye(run_t *run, const op_t *op) {
    dtype_t dtype;
    tensor_t y;
    index_t rows = (index_t)attr_int(op, "num_rows"), columns = (index_t)attr_int(op, "num_columns");
    if (columns < 0) columns = rows;
    if (read_type(op, "dtype", TYPE_FLOAT32, &dtype) || make(run, &y, dtype, 2, (index_t[]){rows, columns})) return -1;
    memset(y.data, 0, (size_t)y.size * type_size(dtype));
    for (index_t i = 0; i < min_of(rows, columns); i++) tensor_set(&y, i * columns + i, 1);
    return give(run, op, "Out", &y);
}

static int meshgrid(run_t *run, const op_t *op) {
    const slot_t *slot = find_in(op, "X");
    index_t dims[MAX_DIMS];
    tensor_t y;
    if (!slot || slot->count > MAX_DIMS) return fail("meshgrid takes 1 to %d tensors", MAX_DIMS);
    for (int i = 0; i < slot->count; i++) {
        const tensor_t *x = input_at(run, op, slot, i);
        if (!x) return -1;
        dims[i] = x->size;
    }
    for (int i = 0; i < slot->count; i++) {
        tensor_t view = *input_at(run, op, slot, i);
        view.ndim = slot->count - i;
        for (int k = 0; k < view.ndim; k++) view.dims[k] = k ? 1 : dims[i];
        if (expand_into(run, &view, slot->count, dims, &y)) return -1;
        give_at(run, op, "Out", i, &y);
    }
    return 0;
}

OPERATOR_TABLE(creation) = {
    {"fill_constant", fill_constant, 0}, {"fill_any_like", fill_like, 0}, {"fill_zeros_like", fill_like, 0},
    {"fill_constant_batch_size_like", fill_batch, 0}, {"assign_value", assign_value, 0}, {"range", range, 0}, {"linspace", linspace, 0},
    {"one_hot_v2", one_hot, 0}, {"one_hot", one_hot, 0}, {"tril_triu", triangle, 0}, {"tril", triangle, 0}, {"triu", triangle, 0},
    {"eye", eye, 0}, {"meshgrid", meshgrid, 0}, {0}};

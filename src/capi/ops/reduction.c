/* Sums, means, extremes and positions along axes. */
#include <math.h>
#include <stdlib.h>

#include "formula.h"
#include "lines.h"
#include "product.h"
#include "recur.h"
#include "reduce.h"
#include "scan.h"
#include "sizes.h"
#include "whole_reduce.h"

enum rule { SUM, MEAN, MAX, MIN, PROD, ALL, ANY, LOGSUMEXP };

/* Which axes go, and the shape of what is left. */
typedef struct {
    int gone[MAX_DIMS];
    sizes_t left;
} axes_t;

/* Axes that the operator names (`count` of them; none: all) and the sizes without them. */
static int set_axes(const tensor_t *x, int count, const int64_t *list, int keep, axes_t *axes) {
    sizes_t named = {.count = 0}, old = sizes_of(x);
    *axes = (axes_t){.gone = {0}};
    for (int i = 0; i < count; i++) {
        if (!x->ndim && (list[i] == 0 || list[i] == -1)) continue;
        int axis = read_axis(list[i], x->ndim, 0);
        if (axis < 0) return -1;
        axes->gone[axis] = 1;
    }
    for (int i = 0; i < x->ndim; i++)
        if (!count || axes->gone[i]) axes->gone[i] = 1, named.at[named.count++] = i;
    return size_reduced(&old, &named, keep, &axes->left);
}

/* The axes by the names that the operator's record has for them. */
static int read_axes(const op_t *op, enum rule rule, const tensor_t *x, axes_t *axes) {
    int64_t list[MAX_DIMS];
    int count = attr_ints(op, rule == LOGSUMEXP ? "axis" : "dim", list, MAX_DIMS);
    if (count < 0) return -1;
    int keep = attr_bool(op, rule == LOGSUMEXP ? "keepdim" : "keep_dim");
    if (set_axes(x, attr_bool(op, "reduce_all") ? 0 : count, list, keep, axes)) return -1;
    if (!axes->left.count && attr_bool(op, "row")) axes->left = (sizes_t){.count = 1, .at = {1}}; /* as before Paddle 2.5 */
    return 0;
}

/* [outer, kept, inner] with outer and inner reduced: what the native kernel takes of the axes from `first` on. 0: another pattern. */
static int find_pattern(const tensor_t *x, const axes_t *axes, int first, reduce_t *r) {
    int part = 0;
    r->outer = r->kept = r->inner = 1;
    for (int i = first; i < x->ndim; i++) {
        if (x->dims[i] == 1) continue;
        if (part == 0 && !axes->gone[i]) part = 1;
        else if (part == 1 && axes->gone[i]) part = 2;
        else if (part == 2 && !axes->gone[i]) return 0;
        *(part == 0 ? &r->outer : part == 1 ? &r->kept : &r->inner) *= x->dims[i];
    }
    return 1;
}

/* Arrays behind each other, each of which the kernel takes. */
typedef struct {
    reduce_t each;
    dtype_t dtype;
} several_t;

static int reduce_several(void *context, index_t begin, index_t end) {
    const several_t *s = context;
    const size_t item = type_size(s->dtype);
    for (index_t i = begin; i < end; i++) {
        reduce_t r = s->each;
        r.x = (const char *)r.x + (size_t)(i * r.outer * r.kept * r.inner) * item;
        r.y = (char *)r.y + (size_t)(i * r.kept) * item;
        if (DISPATCH_TYPE(s->dtype, reduce_run, &r)) return NATIVE_NO_MEMORY;
    }
    return NATIVE_OK;
}

/* Floats by the native kernel: 1, 0 if the pattern of axes is another one, -1 failed. */
static int reduce_native(enum rule rule, const tensor_t *x, const axes_t *axes, tensor_t *y) {
    int first = 0;
    several_t s = {.each = {.x = x->data, .y = y->data}, .dtype = x->dtype};
    if (!type_is_float(x->dtype) || y->dtype != x->dtype || rule > MIN || !x->size) return 0;
    s.each.rule = (enum reduce_rule[]){REDUCE_SUM, REDUCE_MEAN, REDUCE_MAX, REDUCE_MIN}[rule];
    if (!find_pattern(x, axes, 0, &s.each)) {
        while (!axes->gone[first]) first++; /* a pattern from the first one that goes: some do */
        if (!find_pattern(x, axes, first, &s.each)) return 0;
    }
    const index_t count = span(x, 0, first);
    const int status = count == 1 ? DISPATCH_TYPE(x->dtype, reduce_run, &s.each)
                                  : parallel_range(count, max_of(1, REDUCE_GRAIN * count / x->size), reduce_several, &s);
    return status ? fail_memory() : 1;
}

/* All or any, by the native kernel for every part of x behind which a pattern of axes begins: 1, 0 if there is another one. */
static int reduce_truths(int any, const tensor_t *x, const axes_t *axes, tensor_t *y) {
    int first = 0;
    reduce_t r;
    if (line_kind(x->dtype) < 0 || type_is_complex(x->dtype) || y->dtype != TYPE_BOOL) return 0;
    while (first < x->ndim && !axes->gone[first]) first++;
    if (find_pattern(x, axes, 0, &r)) first = 0;
    else if (!find_pattern(x, axes, first, &r)) return 0;
    const index_t item = (index_t)type_size(x->dtype), each = r.outer * r.kept * r.inner * item;
    for (index_t i = 0; i < span(x, 0, first); i++) {
        truth_t t = {.any = any, .kind = line_kind(x->dtype), .item = item, .outer = r.outer, .kept = r.kept, .inner = r.inner, .x = (const char *)x->data + i * each,
                     .y = (uint8_t *)y->data + i * r.kept};
        truth_run(&t);
    }
    return 1;
}

/* Whole numbers by theirs: 1, 0 if it has none for this type and rule, or the pattern of axes is another one, -1 failed. */
static int reduce_whole(run_t *run, enum rule rule, const tensor_t *x, const axes_t *axes, tensor_t *y) {
    static const enum whole_rule rules[] = {WHOLE_SUM, WHOLE_SUM, WHOLE_MAX, WHOLE_MIN, WHOLE_PRODUCT};
    const int truth = x->dtype == TYPE_BOOL, bytes = truth || x->dtype == TYPE_UINT8;
    reduce_t r;
    if (truth && rule == MEAN) rule = MAX; /* is there any? */
    const int adds = rule == SUM || rule == MEAN;
    if ((x->dtype != TYPE_INT64 && x->dtype != TYPE_INT32 && !bytes) || rule > PROD || (truth && rule == PROD) || !x->size) return 0;
    const int wide = adds && (bytes || rule == MEAN || y->dtype == TYPE_INT64) && x->dtype != TYPE_INT64;
    if (!find_pattern(x, axes, 0, &r)) return 0;
    tensor_t sums = tensor_share(y);
    const dtype_t dtype = wide ? TYPE_INT64 : x->dtype;
    if (dtype != y->dtype || rule == MEAN) {
        tensor_drop(&sums);
        if (make(run, &sums, dtype, y->ndim, y->dims)) return -1;
    }
    whole_reduce_t t = {rules[rule], (int)type_size(x->dtype), wide, r.outer, r.kept, r.inner, x->data, sums.data,
                        rules[rule] == WHOLE_MIN ? 0 : truth ? 1 : UINT8_MAX};
    UP_TO_AVX2(f32, whole_reduce)(&t);
    const double count = (double)x->size / (double)y->size;
    int status = 1;
    for (index_t k = 0; rule == MEAN && k < y->size; k++) tensor_set(y, k, trunc((double)((const int64_t *)sums.data)[k] / count));
    if (rule != MEAN && dtype != y->dtype && tensor_convert(&sums, y)) status = -1;
    tensor_drop(&sums);
    return status;
}

typedef struct {
    const float *x;
    float *y;
    index_t columns;
} rows_t;

static int multiply_some(void *context, index_t begin, index_t end) {
    const rows_t *t = context;
    for (index_t row = begin; row < end; row++) t->y[row] = product_row_f32_plain(t->x + row * t->columns, t->columns);
    return NATIVE_OK;
}

/* Products of floats along the last axes, or of all: 1, 0 for others. */
static int multiply_rows(const tensor_t *x, const axes_t *axes, tensor_t *y) {
    reduce_t r;
    if (x->dtype != TYPE_FLOAT32 || y->dtype != TYPE_FLOAT32 || !x->size || !find_pattern(x, axes, 0, &r) || (r.outer > 1 && r.kept * r.inner > 1)) return 0;
    rows_t t = {x->data, y->data, x->size / r.kept};
    parallel_range(r.kept, max_of(1, REDUCE_GRAIN / t.columns), multiply_some, &t);
    return 1;
}

int reduce_axis(int rule, const tensor_t *x, int axis, tensor_t *y) {
    const index_t inner = span(x, axis + 1, x->ndim), outer = span(x, 0, axis), n = x->dims[axis];
    several_t s = {.each = {.rule = (enum reduce_rule)rule, .outer = inner > 1 ? n : 1, .kept = inner > 1 ? inner : outer, .inner = inner > 1 ? 1 : n,
                            .x = x->data, .y = y->data}, .dtype = x->dtype};
    const index_t count = inner > 1 ? outer : 1;
    if (!x->size) return 0;
    return (count == 1 ? DISPATCH_TYPE(x->dtype, reduce_run, &s.each)
                       : parallel_range(count, max_of(1, REDUCE_GRAIN * count / x->size), reduce_several, &s)) ? fail_memory() : 0;
}

static double start_value(enum rule rule) {
    return rule == PROD || rule == ALL ? 1 : rule == MAX || rule == LOGSUMEXP ? -INFINITY : rule == MIN ? INFINITY : 0;
}

static double combine(enum rule rule, double a, double b) {
    switch (rule) {
    case MAX: return isnan(a) || a > b ? a : b;
    case MIN: return isnan(a) || a < b ? a : b;
    case PROD: return a * b;
    case ALL: return a != 0 && b != 0;
    case ANY: return a != 0 || b != 0;
    case LOGSUMEXP: return a == -INFINITY ? b : b == -INFINITY ? a : a > b ? a + log1p(exp(b - a)) : b + log1p(exp(a - b));
    default: return a + b;
    }
}

/* Any pattern and type, one element after the other, in double (integers in int64). */
static int reduce_plain(enum rule rule, const tensor_t *x, const axes_t *axes, tensor_t *y) {
    double *sums = malloc((size_t)max_of(y->size, 1) * sizeof *sums);
    int64_t *whole = malloc((size_t)max_of(y->size, 1) * sizeof *whole);
    int status = sums && whole ? 0 : fail_memory();
    int integers = x->dtype <= TYPE_INT64 && (rule == SUM || rule == PROD || rule == MAX || rule == MIN || (rule == MEAN && x->dtype != TYPE_BOOL));
    index_t strides[MAX_DIMS], stride = 1;
    for (int i = x->ndim - 1; i >= 0; i--) {
        strides[i] = axes->gone[i] ? 0 : stride;
        stride *= axes->gone[i] ? 1 : x->dims[i];
    }
    for (index_t k = 0; !status && k < y->size; k++) {
        sums[k] = start_value(rule);
        whole[k] = rule == PROD ? 1 : rule == MAX ? INT64_MIN : rule == MIN ? INT64_MAX : 0;
    }
    for (index_t k = 0; !status && k < x->size; k++) {
        index_t rest = k, at = 0;
        for (int i = x->ndim - 1; i >= 0; i--) {
            at += rest % x->dims[i] * strides[i];
            rest /= x->dims[i];
        }
        if (integers) {
            int64_t value = tensor_int(x, k), *to = &whole[at];
            *to = rule == SUM || rule == MEAN ? *to + value : rule == PROD ? *to * value : rule == MAX ? (value > *to ? value : *to) : value < *to ? value : *to;
        } else {
            sums[at] = combine(rule, sums[at], tensor_number(x, k));
        }
    }
    double count = y->size ? (double)x->size / (double)y->size : 0;
    for (index_t k = 0; !status && k < y->size; k++) {
        if (integers && rule == MEAN) tensor_set(y, k, trunc((double)whole[k] / count));
        else if (integers) tensor_set_int(y, k, whole[k]);
        else tensor_set(y, k, rule == MEAN ? sums[k] / count : sums[k]);
    }
    free(sums);
    free(whole);
    return status;
}

static int run_reduce(run_t *run, const op_t *op, enum rule rule) {
    const tensor_t *x = need_input(run, op, "X");
    axes_t axes;
    tensor_t y;
    if (!x || read_axes(op, rule, x, &axes)) return -1;
    dtype_t dtype = attr_dtype(op, "out_dtype");
    if (dtype == TYPE_NONE) dtype = rule == ALL || rule == ANY ? TYPE_BOOL : rule == SUM && x->dtype == TYPE_BOOL ? TYPE_INT64 : x->dtype;
    if (make_sized(run, &y, dtype, &axes.left)) return -1;
    int native = rule == ALL || rule == ANY ? reduce_truths(rule == ANY, x, &axes, &y) : reduce_native(rule, x, &axes, &y);
    if (!native) native = reduce_whole(run, rule, x, &axes, &y);
    if (!native && rule == PROD) native = multiply_rows(x, &axes, &y);
    if (native) return finish(run, op, "Out", &y, native < 0);
    if (!x->size && y.size && (rule == MAX || rule == MIN)) return finish(run, op, "Out", &y, fail("there is no extreme of nothing"));
    if (!x->size && y.size && rule == MEAN && x->dtype <= TYPE_INT64) return finish(run, op, "Out", &y, fail("there is no mean of no integers"));
    return finish(run, op, "Out", &y, reduce_plain(rule, x, &axes, &y));
}

#define RULE(function, rule) \
    static int function(run_t *run, const op_t *op) { return run_reduce(run, op, rule); }
RULE(sum, SUM)
RULE(mean, MEAN)
RULE(max, MAX)
RULE(min, MIN)
RULE(product, PROD)
RULE(all, ALL)
RULE(any, ANY)
RULE(logsumexp, LOGSUMEXP)

/* The operator `mean` of all elements. */
static int mean_of_all(run_t *run, const op_t *op) { return run_reduce(run, op, MEAN); }

static int squared_norm(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    tensor_t y;
    if (!x) return -1;
    if (check_float(x, "X") || make_by_record(run, op, "Out", x->dtype, NULL, &y)) return -1;
    tensor_t all = *x;
    all.ndim = 1, all.dims[0] = x->size;
    tensor_set(&y, 0, 0);
    return finish(run, op, "Out", &y, reduce_axis(REDUCE_SUM_SQUARES, &all, 0, &y));
}

/* Where an element along an axis is the one that was found, or NaN: x [outer, n, inner], best [outer, inner]. */
typedef struct {
    const void *x, *best;
    index_t n, inner;
    int64_t *y;
} found_t;

#define FIND(T)                                                                                                       \
    LOOPS static int find_##T(void *context, index_t begin, index_t end) {                                           \
        const found_t *t = context;                                                                                  \
        const index_t n = t->n, inner = t->inner;                                                                    \
        for (index_t o = begin; o < end; o++) {                                                                      \
            const T *restrict x = (const T *)t->x + o * n * inner, *restrict best = (const T *)t->best + o * inner;  \
            int64_t *restrict y = t->y + o * inner;                                                                  \
            for (index_t k = 0; k < inner; k++) y[k] = 0;                                                            \
            for (index_t i = n - 1; inner > 1 && i >= 0; i--) /* from behind, so that the first one stays */         \
                for (index_t k = 0; k < inner; k++) y[k] = x[i * inner + k] == best[k] || x[i * inner + k] != x[i * inner + k] ? i : y[k]; \
            for (index_t i = 0, any = 0; inner == 1 && !any && i < n; i += 64) {                                     \
                const index_t stop = min_of(n, i + 64);                                                              \
                for (index_t k = i; k < stop; k++) any |= (x[k] == *best) | (x[k] != x[k]);                          \
                for (index_t k = stop - 1; any && k >= i; k--) *y = x[k] == *best || x[k] != x[k] ? k : *y;          \
            }                                                                                                        \
        }                                                                                                            \
        return NATIVE_OK;                                                                                            \
    }
FIND(float)
FIND(double)

/* Floats by the kernel that finds extremes; y of int64. */
static int find_extremes(run_t *run, const tensor_t *x, index_t n, index_t inner, int least, tensor_t *y) {
    tensor_t best, split = *x;
    if (make(run, &best, x->dtype, 1, &y->size)) return -1;
    split.ndim = 3, split.dims[0] = x->size / (n * inner), split.dims[1] = n, split.dims[2] = inner;
    int status = reduce_axis(least ? REDUCE_MIN : REDUCE_MAX, &split, 1, &best);
    found_t t = {x->data, best.data, n, inner, y->data};
    if (!status) parallel_range(split.dims[0], max_of(1, 16384 / (n * inner)), x->dtype == TYPE_FLOAT32 ? find_float : find_double, &t);
    tensor_drop(&best);
    return status;
}

/* Position of the largest or smallest along an axis, the first one on ties. */
static int arg_extreme(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    int least = !strcmp(op->type, "arg_min"), flat = attr_bool(op, "flatten"), keep = attr_bool(op, "keepdims");
    tensor_t y;
    if (!x) return -1;
    int axis = flat || !x->ndim ? 0 : read_axis(attr_int(op, "axis"), x->ndim, 0);
    if (axis < 0) return -1;
    axes_t axes;
    if (set_axes(x, flat ? 0 : 1, (int64_t[]){axis}, keep, &axes)) return -1;
    if (make_sized(run, &y, attr_dtype(op, "dtype") == TYPE_INT32 ? TYPE_INT32 : TYPE_INT64, &axes.left)) return -1;
    index_t n = flat ? x->size : x->ndim ? x->dims[axis] : 1, inner = flat || !x->ndim ? 1 : span(x, axis + 1, x->ndim);
    if (!n) return finish(run, op, "Out", &y, fail("there is no extreme of nothing"));
    if (type_is_float(x->dtype) && y.dtype == TYPE_INT64 && x->size) return finish(run, op, "Out", &y, find_extremes(run, x, n, inner, least, &y));
    for (index_t k = 0; k < y.size; k++) {
        index_t best = 0, base = k / inner * n * inner + k % inner;
        double value = tensor_number(x, base);
        for (index_t i = 1; i < n && x->dtype <= TYPE_INT64; i++) {
            int64_t other = tensor_int(x, base + i * inner), most = tensor_int(x, base + best * inner);
            if (least ? other < most : other > most) best = i;
        }
        for (index_t i = 1; i < n && x->dtype > TYPE_INT64 && !isnan(value); i++) {
            double other = tensor_number(x, base + i * inner);
            if (isnan(other) || (least ? other < value : other > value)) best = i, value = other;
        }
        if (y.dtype == TYPE_INT64) ((int64_t *)y.data)[k] = best;
        else ((int32_t *)y.data)[k] = (int32_t)best;
    }
    return give(run, op, "Out", &y);
}

/* Running sums or products of whole numbers, x [outer, n, inner], which wrap round. */
typedef struct {
    const void *x;
    void *y;
    index_t n, inner;
    int product, exclusive, reverse;
} running_t;

#define RUNNING(T)                                                                                                   \
    LOOPS static int run_##T(void *context, index_t begin, index_t end) {                                            \
        const running_t *t = context;                                                                                \
        const index_t n = t->n, inner = t->inner, step = t->reverse ? -inner : inner;                                \
        const int product = t->product, exclusive = t->exclusive;                                                    \
        for (index_t o = begin; o < end; o++) {                                                                      \
            const index_t first = o * n * inner + (t->reverse ? (n - 1) * inner : 0);                                \
            const T *x = (const T *)t->x + first;                                                                    \
            T *y = (T *)t->y + first, whole = product;                                                               \
            for (index_t i = 0; inner == 1 && i < n; i++) {                                                          \
                const T before = whole;                                                                              \
                whole = product ? whole * x[i * step] : whole + x[i * step];                                         \
                y[i * step] = exclusive ? before : whole;                                                            \
            }                                                                                                        \
            for (index_t i = 0; inner > 1 && i < n; i++) { /* a row from the one before */                           \
                const T *restrict add = x + (exclusive ? i - 1 : i) * step, *before = y + (i - 1) * step;            \
                T *restrict row = y + i * step;                                                                      \
                if (!i)                                                                                              \
                    for (index_t k = 0; k < inner; k++) row[k] = exclusive ? whole : add[k];                         \
                else if (product)                                                                                    \
                    for (index_t k = 0; k < inner; k++) row[k] = before[k] * add[k];                                 \
                else                                                                                                 \
                    for (index_t k = 0; k < inner; k++) row[k] = before[k] + add[k];                                 \
            }                                                                                                        \
        }                                                                                                            \
        return NATIVE_OK;                                                                                            \
    }
RUNNING(uint32_t)
RUNNING(uint64_t)

static int cumulative(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    tensor_t y;
    if (!x) return -1;
    int flat = attr_bool(op, "flatten"), product = !strcmp(op->type, "cumprod"), reverse = attr_bool(op, "reverse"),
        exclusive = attr_bool(op, "exclusive");
    int axis = flat || !x->ndim ? 0 : read_axis(attr_int(op, product ? "dim" : "axis"), x->ndim, 0);
    if (axis < 0) return -1;
    index_t all = x->size;
    sizes_t old = sizes_of(x), sizes = old;
    if ((flat && size_flattened(&old, 0, x->ndim - 1, &sizes)) || make_sized(run, &y, x->dtype, &sizes)) return -1;
    index_t n = flat ? all : x->ndim ? x->dims[axis] : 1, inner = flat || !x->ndim ? 1 : span(x, axis + 1, x->ndim);
    if (!product && type_is_float(x->dtype) && y.size) {
        scan_t t = {.outer = all / (n * inner), .n = n, .inner = inner, .x = x->data, .y = y.data, .exclusive = exclusive, .reverse = reverse};
        return finish(run, op, "Out", &y, x->dtype == TYPE_FLOAT32 ? scan_run_f32_plain(&t) : scan_run_f64_plain(&t));
    }
    if (type_is_float(x->dtype) && y.size && !exclusive && !reverse) {
        recur_t t = {.outer = all / (n * inner), .n = n, .inner = inner, .a = x->data, .y = y.data};
        (x->dtype == TYPE_FLOAT32 ? recur_run_f32_plain : recur_run_f64_plain)(&t);
        return give(run, op, "Out", &y);
    }
    if ((x->dtype == TYPE_INT64 || x->dtype == TYPE_INT32) && y.size) {
        running_t t = {x->data, y.data, n, inner, product, exclusive, reverse};
        parallel_range(all / (n * inner), max_of(1, 16384 / (n * inner)), x->dtype == TYPE_INT64 ? run_uint64_t : run_uint32_t, &t);
        return give(run, op, "Out", &y);
    }
    for (index_t k = 0; n && k < all / n; k++) {
        index_t base = k / inner * n * inner + k % inner;
        double sum = product ? 1 : 0;
        int64_t whole = product ? 1 : 0;
        for (index_t i = 0; i < n; i++) {
            index_t at = base + (reverse ? n - 1 - i : i) * inner;
            double value = tensor_number(x, at), before = sum;
            int64_t number = x->dtype <= TYPE_INT64 ? tensor_int(x, at) : 0, earlier = whole;
            sum = product ? sum * value : sum + value;
            whole = product ? whole * number : whole + number;
            if (x->dtype <= TYPE_INT64) tensor_set_int(&y, at, exclusive ? earlier : whole);
            else tensor_set(&y, at, exclusive ? before : sum);
        }
    }
    return give(run, op, "Out", &y);
}

/* The operator `sum`: several tensors added up. */
static int add_all(run_t *run, const op_t *op) {
    const slot_t *slot = find_in(op, "X");
    const tensor_t *first = slot ? input_at(run, op, slot, 0) : NULL;
    tensor_t y;
    if (!first || make_like(run, &y, first)) return slot ? -1 : fail("input X is missing");
    memcpy(y.data, first->data, (size_t)first->size * type_size(first->dtype));
    for (int i = 1; i < slot->count; i++) {
        const tensor_t *x = input_at(run, op, slot, i);
        if (!x || x->size != y.size) return finish(run, op, "Out", &y, x ? fail("tensors to add up must have one shape") : -1);
        if (type_is_float(y.dtype) && x->dtype == y.dtype) {
            tensor_t sum = y, other = *x;
            sum.ndim = other.ndim = 1, sum.dims[0] = other.dims[0] = y.size;
            formula_t f;
            formula_open(&f, run, &sum);
            int a = formula_tensor(&f, &sum), b = formula_tensor(&f, &other);
            formula_keep(&f, formula_step(&f, STEP_add, a, b, 0), &sum);
            if (formula_run_over(&f)) return finish(run, op, "Out", &y, -1);
            continue;
        }
        for (index_t k = 0; k < y.size; k++)
            if (y.dtype == TYPE_INT64 && x->dtype == TYPE_INT64) ((int64_t *)y.data)[k] += ((const int64_t *)x->data)[k];
            else tensor_set(&y, k, tensor_number(&y, k) + tensor_number(x, k));
    }
    return give(run, op, "Out", &y);
}

OPERATOR_TABLE(reduction) = {
    {"reduce_sum", sum, 0}, {"reduce_mean", mean, 0}, {"reduce_max", max, 0}, {"reduce_min", min, 0}, {"reduce_amax", max, 0},
    {"reduce_amin", min, 0}, {"reduce_prod", product, 0}, {"reduce_all", all, 0}, {"reduce_any", any, 0}, {"logsumexp", logsumexp, 0},
    {"mean", mean_of_all, 0}, {"squared_l2_norm", squared_norm, 0}, {"arg_max", arg_extreme, 0}, {"arg_min", arg_extreme, 0},
    {"cumsum", cumulative, 0}, {"cumprod", cumulative, 0}, {"sum", add_all, 0}, {0}};

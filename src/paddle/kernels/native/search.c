/* Places in sorted sequences, and counts of small whole numbers. */
#define _GNU_SOURCE
#include "outputs.h"

#include "thresholds.h"

typedef struct {
    index_t n, count, rows; /* of a sequence; values searched in each; sequences */
    const void *sequence, *values;
    void *y;
    int right, narrow;
} search_t;

enum { TOGETHER = 8 }; /* values that are searched at once: one need not wait for another's memory */

/* NaN counts as the largest, as in NumPy's sorted arrays. */
#define FLOAT_LESS(a, b) (((a) < (b)) | (((b) != (b)) & ((a) == (a)))) /* without jumps */
#define WHOLE_LESS(a, b) ((a) < (b))

#define SEARCH(name, type, LESS)                                                                              \
    static inline __attribute__((always_inline)) void name##_some(index_t n, const type *sequence, const type *values, \
                                                                  index_t *at, const int m, const int right) {  \
        for (int k = 0; k < m; k++) at[k] = 0;                                                                \
        for (index_t size = n; size > 1;) {                                                                \
            index_t half = size / 2;                                                                          \
            for (int k = 0; k < m; k++) {                                                                     \
                type here = sequence[at[k] + half - 1];                                                       \
                index_t on = right ? !(LESS(values[k], here)) : LESS(here, values[k]);                         \
                at[k] += -on & half;                                                                          \
            }                                                                                                 \
            size -= half;                                                                                     \
        }                                                                                                     \
        for (int k = 0; k < m && n; k++) {                                                                 \
            type here = sequence[at[k]];                                                                      \
            at[k] += right ? !(LESS(values[k], here)) : LESS(here, values[k]);                             \
        }                                                                                                     \
    }                                                                                                         \
    static int name(void *context, index_t begin, index_t end) {                                              \
        const search_t *t = context;                                                                          \
        for (index_t i = begin; i < end;) {                                                                   \
            index_t row = t->rows == 1 ? 0 : i / t->count, stop = t->rows == 1 ? end : min_of(end, (row + 1) * t->count); \
            for (; i < stop; i += TOGETHER) {                                                                 \
                index_t at[TOGETHER];                                                                         \
                int m = (int)min_of(TOGETHER, stop - i);                                                      \
                const type *sequence = (const type *)t->sequence + row * t->n, *values = (const type *)t->values + i; \
                if (m == TOGETHER && t->right) name##_some(t->n, sequence, values, at, TOGETHER, 1);          \
                else if (m == TOGETHER) name##_some(t->n, sequence, values, at, TOGETHER, 0);                 \
                else name##_some(t->n, sequence, values, at, m, t->right);                                    \
                for (int k = 0; k < m; k++) {                                                                 \
                    if (t->narrow) ((int32_t *)t->y)[i + k] = (int32_t)at[k];                                 \
                    else ((int64_t *)t->y)[i + k] = at[k];                                                    \
                }                                                                                             \
            }                                                                                                 \
            i = stop;                                                                                         \
        }                                                                                                     \
        return NATIVE_OK;                                                                                     \
    }
SEARCH(search_f32, float, FLOAT_LESS)
SEARCH(search_f64, double, FLOAT_LESS)
SEARCH(search_i32, int32_t, WHOLE_LESS)
SEARCH(search_i64, int64_t, WHOLE_LESS)

BINDING(searchsorted) {
    BIND("searchsorted", 2, "sequence", "values", "right", "narrow");
    if (!PyArray_Check(values[0]) || !PyArray_Check(values[1]))
        return PyErr_Format(PyExc_TypeError, "searchsorted(): arguments 'sequence' and 'values' must be arrays");
    PyArrayObject *sequence = (PyArrayObject *)values[0], *wanted = (PyArrayObject *)values[1];
    search_t t = {.right = arg_bool("searchsorted", "right", values[2], 0), .rows = 1,
                  .narrow = arg_bool("searchsorted", "narrow", values[3], 0)};
    if (t.right < 0 || t.narrow < 0) return NULL;
    int type = PyArray_TYPE(sequence), ndim = PyArray_NDIM(sequence);
    int (*run)(void *, index_t, index_t) = type == NPY_FLOAT                                ? search_f32
                                           : type == NPY_DOUBLE                             ? search_f64
                                           : PyArray_EquivTypenums(type, NPY_INT32)         ? search_i32
                                           : PyArray_EquivTypenums(type, NPY_INT64)         ? search_i64
                                                                                            : NULL;
    if (!run || !PyArray_EquivTypenums(type, PyArray_TYPE(wanted)) || ndim == 0 || !PyArray_ISCARRAY_RO(sequence) ||
        !PyArray_ISCARRAY_RO(wanted))
        Py_RETURN_NOTIMPLEMENTED;
    t.n = PyArray_DIM(sequence, ndim - 1);
    t.count = PyArray_SIZE(wanted);
    if (ndim > 1) {
        if (PyArray_NDIM(wanted) != ndim) Py_RETURN_NOTIMPLEMENTED;
        for (int i = 0; i + 1 < ndim; i++) {
            if (PyArray_DIM(wanted, i) != PyArray_DIM(sequence, i)) Py_RETURN_NOTIMPLEMENTED;
            t.rows *= PyArray_DIM(sequence, i);
        }
        t.count = PyArray_DIM(wanted, ndim - 1);
    }
    PyArrayObject *y = new_array(t.narrow ? NPY_INT32 : NPY_INT64, PyArray_NDIM(wanted), PyArray_DIMS(wanted));
    if (!y || !PyArray_SIZE(y)) return (PyObject *)y;
    t.sequence = PyArray_DATA(sequence);
    t.values = PyArray_DATA(wanted);
    t.y = PyArray_DATA(y);
    WITHOUT_GIL(parallel_range(PyArray_SIZE(y), SORT_GRAIN, run, &t))
    return (PyObject *)y;
}

/* ---- counts ---- */
enum { PARTS = 4, COUNT_GRAIN = 16384 }; /* parts of the numbers, each counted in a table of its own */
typedef struct {
    const int64_t *x;
    index_t n, bins;
    int64_t high[PARTS];
    uint64_t signs[PARTS]; /* the top bit is set where a number is negative */
    int64_t *count;        /* [PARTS, bins] */
} count_t;

static int find_highest(void *context, index_t part) {
    count_t *t = context;
    int64_t high = -1;
    uint64_t signs = 0;
    for (index_t i = part_begin(t->n, PARTS, part), end = part_begin(t->n, PARTS, part + 1); i < end; i++) {
        high = t->x[i] > high ? t->x[i] : high;
        signs |= (uint64_t)t->x[i];
    }
    t->high[part] = high;
    t->signs[part] = signs;
    return NATIVE_OK;
}

static int count_part(void *context, index_t part) {
    const count_t *t = context;
    int64_t *count = t->count + part * t->bins;
    const uint64_t bins = (uint64_t)t->bins;
    memset(count, 0, (size_t)t->bins * sizeof *count);
    for (index_t i = part_begin(t->n, PARTS, part), end = part_begin(t->n, PARTS, part + 1); i < end; i++)
        if ((uint64_t)t->x[i] < bins) count[t->x[i]]++; /* always, but for another thread that writes to x */
    return NATIVE_OK;
}

BINDING(bincount) {
    BIND("bincount", 1, "x", "minlength");
    PyArrayObject *x = PyArray_Check(values[0]) ? (PyArrayObject *)values[0] : NULL;
    index_t bins = arg_index("bincount", "minlength", values[1], 0);
    if (PyErr_Occurred()) return NULL;
    if (!x || !PyArray_EquivTypenums(PyArray_TYPE(x), NPY_INT64) || !PyArray_ISCARRAY_RO(x)) Py_RETURN_NOTIMPLEMENTED;
    count_t t = {.x = PyArray_DATA(x), .n = PyArray_SIZE(x)};
    WITHOUT_GIL(parallel_for_if(t.n > COUNT_GRAIN, PARTS, find_highest, &t))
    for (int part = 0; part < PARTS; part++) {
        if (t.signs[part] >> 63 || t.high[part] >= t.n) Py_RETURN_NOTIMPLEMENTED; /* wrong, or more bins than numbers */
        bins = max_of(bins, (index_t)t.high[part] + 1);
    }
    if (bins > t.n || bins < 1) Py_RETURN_NOTIMPLEMENTED;
    t.bins = bins;
    size_t mark = scratch_mark();
    t.count = scratch((size_t)bins * PARTS * sizeof *t.count);
    PyArrayObject *y = t.count ? NEW_ARRAY(NPY_INT64, bins) : (PyArrayObject *)PyErr_NoMemory();
    if (y) {
        int64_t *sum = PyArray_DATA(y);
        WITHOUT_GIL(parallel_for_if(t.n > COUNT_GRAIN, PARTS, count_part, &t))
        for (index_t b = 0; b < bins; b++) {
            sum[b] = 0;
            for (int part = 0; part < PARTS; part++) sum[b] += t.count[part * bins + b];
        }
    }
    scratch_release(mark);
    return (PyObject *)y;
}

/* ---- draws by weight ---- */
enum { SUMMED = 8 }; /* rows whose sums are made together: additions of one row wait for each other */
typedef struct {
    index_t rows, n, count;
    const void *weights, *numbers;
    int64_t *y;
} draw_t;

/* Sums are made one after the other, and divided by the last one: the places are those of NumPy's cumsum and searchsorted. */
#define DRAW(name, type)                                                                                          \
    static int name(void *context, index_t begin, index_t end) {                                                  \
        const draw_t *t = context;                                                                                \
        const size_t mark = scratch_mark();                                                                       \
        type *ends = scratch((size_t)(t->n * SUMMED) * sizeof(type));                                             \
        if (!ends) return NATIVE_NO_MEMORY;                                                                       \
        for (index_t row = begin; row < end; row += SUMMED) {                                                     \
            type sums[SUMMED] = {0};                                                                              \
            const type *x[SUMMED];                                                                                \
            for (int r = 0; r < SUMMED; r++) x[r] = (const type *)t->weights + min_of(row + r, end - 1) * t->n;   \
            for (index_t i = 0; i < t->n; i++)                                                                    \
                for (int r = 0; r < SUMMED; r++) ends[i * SUMMED + r] = sums[r] += x[r][i];                       \
            for (index_t r = 0; r < min_of(SUMMED, end - row); r++)                                               \
                for (index_t j = 0; j < t->count; j++) {                                                          \
                    const type number = ((const type *)t->numbers)[(row + r) * t->count + j];                     \
                    const type near = number * sums[r]; /* products find the place but for roundings, quotients decide */\
                    index_t at = 0;                                                                               \
                    for (index_t left = t->n - 1; left > 0;) { /* the last one ends at 1 */                       \
                        const index_t half = left / 2;                                                            \
                        const int on = ends[(at + half) * SUMMED + r] < near;                                     \
                        at = on ? at + half + 1 : at;                                                             \
                        left = on ? left - half - 1 : half;                                                       \
                    }                                                                                             \
                    while (at > 0 && !(ends[(at - 1) * SUMMED + r] / sums[r] < number)) at--;                     \
                    while (at < t->n - 1 && ends[at * SUMMED + r] / sums[r] < number) at++;                       \
                    t->y[(row + r) * t->count + j] = at;                                                          \
                }                                                                                                 \
        }                                                                                                         \
        scratch_release(mark);                                                                                    \
        return NATIVE_OK;                                                                                         \
    }
DRAW(draw_f32, float)
DRAW(draw_f64, double)

BINDING(draw_places) {
    const char *name = "draw_places";
    BIND("draw_places", 2, "weights", "numbers");
    const int type = arg_float_type(name, "weights", values[0]);
    PyArrayObject *weights = type < 0 ? NULL : arg_array(name, "weights", values[0], type, 2);
    PyArrayObject *numbers = weights ? arg_array(name, "numbers", values[1], type, 2) : NULL;
    if (!numbers || CHECK_SHAPE(name, "numbers", numbers, PyArray_DIM(weights, 0), PyArray_DIM(numbers, 1))) return NULL;
    draw_t t = {.rows = PyArray_DIM(weights, 0), .n = PyArray_DIM(weights, 1), .count = PyArray_DIM(numbers, 1),
                .weights = PyArray_DATA(weights), .numbers = PyArray_DATA(numbers)};
    if (t.n < 1) return PyErr_Format(PyExc_ValueError, "draw_places(): argument 'weights' must have columns");
    PyArrayObject *y = NEW_ARRAY(NPY_INT64, t.rows, t.count);
    if (!y || !PyArray_SIZE(y)) return (PyObject *)y;
    t.y = PyArray_DATA(y);
    int status;
    const index_t grain = max_of(SUMMED, SORT_GRAIN / t.n);
    WITHOUT_GIL(status = parallel_range(t.rows, grain, type == NPY_FLOAT ? draw_f32 : draw_f64, &t))
    if (check_status(name, status)) Py_CLEAR(y);
    return (PyObject *)y;
}

PyMethodDef search_methods[] = {
    METHOD(searchsorted, "searchsorted(sequence, values, right=False, narrow=False) -> where values would go, row by row."),
    METHOD(draw_places, "draw_places(weights, numbers) -> which weight each number in [0, 1) falls on, row by row."),
    METHOD(bincount, "bincount(x, minlength=0) -> how often each number from 0 on occurs."),
    {0}};

/* Sums, differences and products of whole numbers: element by element, along the last axis, of matrices. They wrap round, as NumPy's do. */
#define _GNU_SOURCE
#include "outputs.h"

#include "movable.h"
#include "thresholds.h"
#define BODY "whole.inc"
#include "multiversion.h"

typedef struct {
    int op, wide; /* '+', '-' or '*'; int64, not int32 */
    const void *a, *b;
    void *y;
    index_t inner, columns; /* of rows and matrices */
} whole_t;

#define WHOLE_LOOP(type, sign)                                                       \
    {                                                                                \
        const type *a = (const type *)t->a, *b = (const type *)t->b;                 \
        type *y = (type *)t->y;                                                      \
        for (index_t i = begin; i < end; i++) y[i] = a[i] sign b[i];                 \
        break;                                                                       \
    }

static int whole_range(void *context, index_t begin, index_t end) {
    const whole_t *t = context;
    switch (t->op | t->wide << 8) { /* without a sign, overflow is defined */
        case '+': WHOLE_LOOP(uint32_t, +)
        case '-': WHOLE_LOOP(uint32_t, -)
        case '*': WHOLE_LOOP(uint32_t, *)
        case '+' | 256: WHOLE_LOOP(uint64_t, +)
        case '-' | 256: WHOLE_LOOP(uint64_t, -)
        case '*' | 256: WHOLE_LOOP(uint64_t, *)
    }
    return NATIVE_OK;
}

/* An array of int32 or int64, C-contiguous, borrowed, or NULL. */
static PyArrayObject *whole_numbers(PyObject *value) {
    if (!value || !PyArray_Check(value)) return NULL;
    PyArrayObject *array = (PyArrayObject *)value;
    int known = PyArray_EquivTypenums(PyArray_TYPE(array), NPY_INT64) || PyArray_EquivTypenums(PyArray_TYPE(array), NPY_INT32);
    return known && PyArray_ISCARRAY_RO(array) ? array : NULL;
}

BINDING(whole) {
    BIND("whole", 3, "op", "a", "b");
    whole_t t = {0};
    if (PyUnicode_Check(values[0]) && PyUnicode_GET_LENGTH(values[0]) == 1) t.op = (int)PyUnicode_READ_CHAR(values[0], 0);
    if (t.op != '+' && t.op != '-' && t.op != '*')
        return PyErr_Format(PyExc_ValueError, "whole(): argument 'op' must be '+', '-' or '*', got %R", values[0]);
    PyArrayObject *a = whole_numbers(values[1]), *b = whole_numbers(values[2]);
    if (!a || !b || !PyArray_SAMESHAPE(a, b) || !PyArray_EquivTypes(PyArray_DESCR(a), PyArray_DESCR(b))) Py_RETURN_NOTIMPLEMENTED;
    PyArrayObject *y = new_like(a, PyArray_NDIM(a), PyArray_DIMS(a));
    if (!y) return NULL;
    t.wide = PyArray_ITEMSIZE(a) == 8;
    t.a = PyArray_DATA(a);
    t.b = PyArray_DATA(b);
    t.y = PyArray_DATA(y);
    index_t size = PyArray_SIZE(y);
    WITHOUT_GIL(parallel_range(size, MOVE_GRAIN / 8, whole_range, &t));
    return (PyObject *)y;
}

/* ---- sums along the last axis, as int64 ---- */

static int sum_rows(void *context, index_t begin, index_t end) {
    const whole_t *t = context;
    const size_t item = t->wide ? 8 : 4;
    for (index_t row = begin; row < end; row++)
        ((uint64_t *)t->y)[row] = DISPATCH(f32, whole_sum_row, (const char *)t->a + (size_t)(row * t->columns) * item, t->wide, t->columns);
    return NATIVE_OK;
}

BINDING(whole_sum) {
    BIND("whole_sum", 1, "x");
    PyArrayObject *x = whole_numbers(values[0]);
    if (!x || PyArray_NDIM(x) < 1) Py_RETURN_NOTIMPLEMENTED;
    PyArrayObject *y = new_array(NPY_INT64, PyArray_NDIM(x) - 1, PyArray_DIMS(x));
    if (!y) return NULL;
    whole_t t = {.wide = PyArray_ITEMSIZE(x) == 8, .a = PyArray_DATA(x), .y = PyArray_DATA(y),
                 .columns = PyArray_DIM(x, PyArray_NDIM(x) - 1)};
    index_t rows = PyArray_SIZE(y);
    WITHOUT_GIL(parallel_range(rows, max_of(1, MOVE_GRAIN / 8 / max_of(t.columns, 1)), sum_rows, &t));
    return (PyObject *)y;
}

/* ---- products of matrices: [rows, inner] times [inner, columns] ---- */

static int product_rows(void *context, index_t begin, index_t end) {
    const whole_t *t = context;
    const size_t item = t->wide ? 8 : 4;
    for (index_t row = begin; row < end; row++)
        DISPATCH(f32, whole_product_row, (const char *)t->a + (size_t)(row * t->inner) * item, t->b,
                 (char *)t->y + (size_t)(row * t->columns) * item, t->wide, t->inner, t->columns);
    return NATIVE_OK;
}

BINDING(whole_product) {
    BIND("whole_product", 2, "a", "b");
    PyArrayObject *a = whole_numbers(values[0]), *b = whole_numbers(values[1]);
    if (!a || !b || PyArray_NDIM(a) != 2 || PyArray_NDIM(b) != 2 || PyArray_DIM(a, 1) != PyArray_DIM(b, 0) ||
        !PyArray_EquivTypes(PyArray_DESCR(a), PyArray_DESCR(b)))
        Py_RETURN_NOTIMPLEMENTED;
    PyArrayObject *y = new_like(a, 2, (npy_intp[]){PyArray_DIM(a, 0), PyArray_DIM(b, 1)});
    if (!y) return NULL;
    whole_t t = {.wide = PyArray_ITEMSIZE(a) == 8, .a = PyArray_DATA(a), .b = PyArray_DATA(b), .y = PyArray_DATA(y),
                 .inner = PyArray_DIM(a, 1), .columns = PyArray_DIM(b, 1)};
    index_t rows = PyArray_DIM(a, 0);
    WITHOUT_GIL(parallel_range(rows, max_of(1, 65536 / max_of(1, t.inner * t.columns)), product_rows, &t));
    return (PyObject *)y;
}

PyMethodDef whole_methods[] = {
    METHOD(whole_sum, "whole_sum(x) -> sums of int32 or int64 along the last axis, as int64, or NotImplemented."),
    METHOD(whole_product, "whole_product(a, b) -> the product of two matrices of int32 or int64, or NotImplemented."),
    METHOD(whole, "whole(op, a, b) -> a + b, a - b or a * b of int32 or int64 arrays of one shape, or NotImplemented."),
    {0}};

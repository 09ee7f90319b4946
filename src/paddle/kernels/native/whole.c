/* Products of matrices of whole numbers. They wrap round, as NumPy's do. */
#define _GNU_SOURCE
#include "outputs.h"

#include "movable.h"
#include "thresholds.h"
#define BODY "whole.inc"
#include "multiversion.h"

typedef struct {
    int wide; /* int64, not int32 */
    const void *a, *b;
    void *y;
    index_t inner, columns; /* of rows and matrices */
} whole_t;

/* An array of int32 or int64, C-contiguous, borrowed, or NULL. */
static PyArrayObject *whole_numbers(PyObject *value) {
    if (!value || !PyArray_Check(value)) return NULL;
    PyArrayObject *array = (PyArrayObject *)value;
    int known = PyArray_EquivTypenums(PyArray_TYPE(array), NPY_INT64) || PyArray_EquivTypenums(PyArray_TYPE(array), NPY_INT32);
    return known && PyArray_ISCARRAY_RO(array) ? array : NULL;
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
    METHOD(whole_product, "whole_product(a, b) -> the product of two matrices of int32 or int64, or NotImplemented."),
    {0}};

/* Products along the last axis, and their gradients. */
#define _GNU_SOURCE
#include <math.h>

#include "outputs.h"
#if NATIVE_X86
#include <immintrin.h>
#endif

#define BODY "product.inc"
#include "multiversion.h"

#define PRODUCT_GRAIN 16384 /* elements that make one task */

typedef struct {
    const float *x, *g; /* g: NULL for the product itself */
    float *y;
    index_t columns;
} product_t;

static int product_rows(void *context, index_t begin, index_t end) {
    const product_t *p = context;
    for (index_t row = begin; row < end; row++) {
        const float *x = p->x + row * p->columns;
        if (!p->g) p->y[row] = DISPATCH(f32, product_row, x, p->columns);
        else if (DISPATCH(f32, product_row_grad, x, p->g[row], p->y + row * p->columns, p->columns)) return NATIVE_NO_MEMORY;
    }
    return NATIVE_OK;
}

/* x as rows: float32, dense; a result of its rows, or of its elements if g is given. */
static PyObject *run(const char *function, PyObject *x_value, PyObject *g_value) {
    if (!PyArray_Check(x_value))
        return PyErr_Format(PyExc_TypeError, "%s(): argument 'x' must be an array, got %s", function, Py_TYPE(x_value)->tp_name);
    PyArrayObject *x = (PyArrayObject *)x_value, *g = NULL;
    if (PyArray_TYPE(x) != NPY_FLOAT || !PyArray_ISCARRAY_RO(x) || PyArray_NDIM(x) != 2 || !PyArray_SIZE(x)) Py_RETURN_NOTIMPLEMENTED;
    if (g_value) {
        g = arg_array(function, "g", g_value, NPY_FLOAT, 1);
        if (!g || CHECK_SHAPE(function, "g", g, PyArray_DIM(x, 0))) return NULL;
    }
    PyArrayObject *y = new_array(NPY_FLOAT, g ? 2 : 1, PyArray_DIMS(x));
    if (!y) return NULL;
    product_t p = {.x = PyArray_DATA(x), .g = g ? PyArray_DATA(g) : NULL, .y = PyArray_DATA(y), .columns = PyArray_DIM(x, 1)};
    index_t rows = PyArray_DIM(x, 0);
    int status;
    WITHOUT_GIL(status = parallel_range(rows, max_of(1, PRODUCT_GRAIN / p.columns), product_rows, &p));
    if (check_status(function, status)) Py_CLEAR(y);
    return (PyObject *)y;
}

BINDING(product) {
    BIND("product", 1, "x");
    return run("product", values[0], NULL);
}

BINDING(product_grad) {
    BIND("product_grad", 2, "x", "g");
    return run("product_grad", values[0], values[1]);
}

PyMethodDef product_methods[] = {
    METHOD(product, "product(x) -> the product of every row of a float32 matrix, or NotImplemented."),
    METHOD(product_grad, "product_grad(x, g) -> g times the product of all other elements of the row, or NotImplemented."),
    {0}};

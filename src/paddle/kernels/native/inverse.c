/* Inverses of many small matrices. */
#define _GNU_SOURCE
#include "outputs.h"

#include <math.h>

enum { INVERSE_MOST = 128 }; /* larger ones are better off with LAPACK's blocks */

typedef struct {
    index_t n;
    const float *x;
    float *y;
    volatile int singular;
} inverse_t;

#define BODY "inverse.inc"
#include "multiversion.h"

BINDING(inverse) {
    BIND("inverse", 1, "x");
    DENSE_FLOATS("inverse", "x", values[0], x);
    int ndim = PyArray_NDIM(x);
    if (ndim < 2 || PyArray_TYPE(x) != NPY_FLOAT || PyArray_DIM(x, ndim - 1) != PyArray_DIM(x, ndim - 2) ||
        PyArray_DIM(x, ndim - 1) > INVERSE_MOST || !PyArray_SIZE(x))
        Py_RETURN_NOTIMPLEMENTED;
    inverse_t t = {.n = PyArray_DIM(x, ndim - 1), .x = PyArray_DATA(x)};
    PyArrayObject *y = new_array(NPY_FLOAT, ndim, PyArray_DIMS(x));
    if (!y) return NULL;
    t.y = PyArray_DATA(y);
    int status;
    WITHOUT_GIL(status = DISPATCH(f32, inverse_run, &t, PyArray_SIZE(x) / (t.n * t.n)))
    if (check_status("inverse", status)) Py_CLEAR(y);
    else if (t.singular) { /* the reference says so */
        Py_DECREF(y);
        Py_RETURN_NOTIMPLEMENTED;
    }
    return (PyObject *)y;
}

PyMethodDef inverse_methods[] = {
    METHOD(inverse, "inverse(x) -> the inverses of square float32 matrices, computed in double."),
    {0}};

/* Discrete Fourier transforms along an axis, of many lines at once. */
#define _GNU_SOURCE
#include "outputs.h"

#include <math.h>

#include "fourier.h"

#define BODY "fourier.inc"
#define BODY_TYPES 2
#include "multiversion.h"

/* n as a product of small factors; 0 if it is none. */
static int factors(index_t n, int *radix) {
    int stages = 0;
    static const int known[] = {4, 2, 3, 5};
    for (int k = 0; k < 4; k++)
        for (; n % known[k] == 0; n /= known[k]) radix[stages++] = known[k];
    return n == 1 ? stages : 0;
}

BINDING(fourier) {
    BIND("fourier", 4, "x", "axis", "inverse", "scale", "half");
    PyArrayObject *x = PyArray_Check(values[0]) ? (PyArrayObject *)values[0] : NULL;
    fourier_t t = {.outer = 1, .inner = 1, .inverse = arg_bool("fourier", "inverse", values[2], 0),
                   .scale = arg_double("fourier", "scale", values[3], 1)};
    index_t axis = arg_index("fourier", "axis", values[1], -1);
    int half = arg_bool("fourier", "half", values[4], 0);
    if (PyErr_Occurred()) return NULL;
    if (!x || !PyArray_ISCARRAY_RO(x)) Py_RETURN_NOTIMPLEMENTED;
    int type = PyArray_TYPE(x), ndim = PyArray_NDIM(x), single = type == NPY_FLOAT || type == NPY_CFLOAT;
    t.real_x = type == NPY_FLOAT || type == NPY_DOUBLE;
    if ((!single && type != NPY_DOUBLE && type != NPY_CDOUBLE) || axis < 0 || axis >= ndim) Py_RETURN_NOTIMPLEMENTED;
    npy_intp shape[NPY_MAXDIMS];
    for (int i = 0; i < ndim; i++) {
        shape[i] = PyArray_DIM(x, i);
        if (i < axis) t.outer *= shape[i];
        if (i > axis) t.inner *= shape[i];
    }
    t.n = shape[axis];
    t.first = shape[axis] = half ? t.n / 2 + 1 : t.n;
    if (t.n < 2 || t.n > FOURIER_MOST || t.outer * t.inner < 4) Py_RETURN_NOTIMPLEMENTED; /* few lines leave most lanes idle */
    t.stages = factors(t.n, t.radix);
    if (!t.stages) Py_RETURN_NOTIMPLEMENTED;
    size_t mark = scratch_mark();
    double *turns = scratch((size_t)t.n * 2 * sizeof *turns);
    PyArrayObject *y = turns ? new_array(single ? NPY_CFLOAT : NPY_CDOUBLE, ndim, shape) : (PyArrayObject *)PyErr_NoMemory();
    if (y) {
        int status;
        t.turns = turns;
        t.x = PyArray_DATA(x);
        t.y = PyArray_DATA(y);
        for (index_t k = 0; k < t.n; k++) {
            double angle = 6.283185307179586476925 * (double)k / (double)t.n;
            turns[2 * k] = cos(angle);
            turns[2 * k + 1] = -sin(angle);
        }
        WITHOUT_GIL(status = single ? DISPATCH(f32, fourier_run, &t) : DISPATCH(f64, fourier_run, &t))
        if (check_status("fourier", status)) Py_CLEAR(y);
    }
    scratch_release(mark);
    return (PyObject *)y;
}

PyMethodDef fourier_methods[] = {
    METHOD(fourier, "fourier(x, axis, inverse, scale, half=False) -> the transform of real or complex lines; half: its first half."),
    {0}};

/* Distances of all rows of one matrix from all rows of another. */
#define _GNU_SOURCE
#include "outputs.h"

#include <math.h>

#include "distance.h"

#define ROOT(x) ((real)sqrt((double)(x)))
#define BODY "distance.inc"
#define BODY_TYPES 2
#include "multiversion.h"

/* Sizes of x [..., p, m] and y [..., r, m]; 0 if they do not fit. */
static int take_pair(PyArrayObject *x, PyArrayObject *y, distance_t *t) {
    int ndim = PyArray_NDIM(x);
    if (ndim < 2 || PyArray_NDIM(y) != ndim || PyArray_TYPE(x) != PyArray_TYPE(y)) return 0;
    t->batch = 1;
    for (int i = 0; i + 2 < ndim; i++) {
        if (PyArray_DIM(x, i) != PyArray_DIM(y, i)) return 0;
        t->batch *= PyArray_DIM(x, i);
    }
    t->p = PyArray_DIM(x, ndim - 2);
    t->r = PyArray_DIM(y, ndim - 2);
    t->m = PyArray_DIM(x, ndim - 1);
    t->x = PyArray_DATA(x);
    t->y = PyArray_DATA(y);
    return PyArray_DIM(y, ndim - 1) == t->m && t->m && t->p && t->r && t->batch;
}

BINDING(distances) {
    BIND("distances", 3, "x", "y", "absolute");
    DENSE_FLOATS("distances", "x", values[0], x);
    DENSE_FLOATS("distances", "y", values[1], y);
    distance_t t = {.absolute = arg_bool("distances", "absolute", values[2], 0)};
    if (t.absolute < 0) return NULL;
    if (!take_pair(x, y, &t)) Py_RETURN_NOTIMPLEMENTED;
    npy_intp shape[NPY_MAXDIMS];
    int ndim = PyArray_NDIM(x), status;
    for (int i = 0; i + 1 < ndim; i++) shape[i] = PyArray_DIM(x, i);
    shape[ndim - 1] = t.r;
    PyArrayObject *out = new_array(PyArray_TYPE(x), ndim, shape);
    if (!out) return NULL;
    t.out = PyArray_DATA(out);
    WITHOUT_GIL(status = DISPATCH_FLOAT(PyArray_TYPE(x), distance_run, &t))
    if (check_status("distances", status)) Py_CLEAR(out);
    return (PyObject *)out;
}

BINDING(distances_backward) {
    BIND("distances_backward", 5, "g", "distances", "x", "y", "absolute");
    DENSE_FLOATS("distances_backward", "g", values[0], g);
    DENSE_FLOATS("distances_backward", "distances", values[1], d);
    DENSE_FLOATS("distances_backward", "x", values[2], x);
    DENSE_FLOATS("distances_backward", "y", values[3], y);
    distance_t t = {.absolute = arg_bool("distances_backward", "absolute", values[4], 0)};
    if (t.absolute < 0) return NULL;
    if (!take_pair(x, y, &t) || !PyArray_SAMESHAPE(g, d) || PyArray_SIZE(g) != t.batch * t.p * t.r ||
        PyArray_TYPE(g) != PyArray_TYPE(x) || PyArray_TYPE(d) != PyArray_TYPE(x))
        Py_RETURN_NOTIMPLEMENTED;
    PyArrayObject *dx = new_array(PyArray_TYPE(x), PyArray_NDIM(x), PyArray_DIMS(x));
    PyArrayObject *dy = new_array(PyArray_TYPE(x), PyArray_NDIM(y), PyArray_DIMS(y));
    int status = NATIVE_OK;
    if (dx && dy) {
        t.g = PyArray_DATA(g);
        t.distances = PyArray_DATA(d);
        t.dx = PyArray_DATA(dx);
        t.dy = PyArray_DATA(dy);
        WITHOUT_GIL(status = DISPATCH_FLOAT(PyArray_TYPE(x), distance_back, &t))
        if (!check_status("distances_backward", status)) return Py_BuildValue("NN", dx, dy);
    }
    Py_XDECREF(dx);
    Py_XDECREF(dy);
    return NULL;
}

PyMethodDef distance_methods[] = {
    METHOD(distances, "distances(x, y, absolute) -> [..., p, r]: of all rows of x from all of y, by squares or absolute values."),
    METHOD(distances_backward, "distances_backward(g, distances, x, y, absolute) -> (dx, dy)."),
    {0}};

/* Running products, linear recurrences and running extremes along an axis. */
#define _GNU_SOURCE
#include "outputs.h"

#include "recur.h"
#include "thresholds.h"

#define BODY "recur.inc"
#define BODY_TYPES 2
#include "multiversion.h"

/* The sizes round an axis; -1 with an exception. */
static int sizes_round(const char *function, PyArrayObject *x, PyObject *value, recur_t *t) {
    index_t axis = arg_index(function, "axis", value, -1);
    int ndim = PyArray_NDIM(x);
    if (axis == -1 && PyErr_Occurred()) return -1;
    if (axis < -ndim || axis >= ndim) {
        PyErr_Format(PyExc_ValueError, "%s(): argument 'axis': %zd is not an axis of an array with %d dimensions", function,
                     (Py_ssize_t)axis, ndim);
        return -1;
    }
    if (axis < 0) axis += ndim;
    t->outer = t->inner = 1;
    for (int i = 0; i < axis; i++) t->outer *= PyArray_DIM(x, i);
    for (int i = (int)axis + 1; i < ndim; i++) t->inner *= PyArray_DIM(x, i);
    t->n = PyArray_DIM(x, axis);
    t->a = PyArray_DATA(x);
    return 0;
}

static PyObject *run_recurrence(PyArrayObject *x, recur_t *t) {
    PyArrayObject *y = new_array(PyArray_TYPE(x), PyArray_NDIM(x), PyArray_DIMS(x));
    if (!y || !PyArray_SIZE(y)) return (PyObject *)y;
    t->y = PyArray_DATA(y);
    WITHOUT_GIL(DISPATCH_FLOAT(PyArray_TYPE(x), recur_run, t))
    return (PyObject *)y;
}

BINDING(cumprod) {
    BIND("cumprod", 1, "x", "axis");
    DENSE_FLOATS("cumprod", "x", values[0], x);
    recur_t t = {0};
    if (sizes_round("cumprod", x, values[1], &t)) return NULL;
    return run_recurrence(x, &t);
}

BINDING(linear_scan) {
    BIND("linear_scan", 2, "a", "b", "axis", "reverse");
    DENSE_FLOATS("linear_scan", "a", values[0], a);
    DENSE_FLOATS("linear_scan", "b", values[1], b);
    recur_t t = {.reverse = arg_bool("linear_scan", "reverse", values[3], 0)};
    if (t.reverse < 0 || sizes_round("linear_scan", a, values[2], &t)) return NULL;
    if (PyArray_TYPE(a) != PyArray_TYPE(b) || !PyArray_SAMESHAPE(a, b)) Py_RETURN_NOTIMPLEMENTED;
    t.b = PyArray_DATA(b);
    return run_recurrence(a, &t);
}

BINDING(running_best) {
    BIND("running_best", 2, "x", "largest", "axis", "wide");
    DENSE_FLOATS("running_best", "x", values[0], x);
    recur_t t = {.largest = arg_bool("running_best", "largest", values[1], 1),
                 .wide_places = arg_bool("running_best", "wide", values[3], 1)};
    if (t.largest < 0 || t.wide_places < 0 || sizes_round("running_best", x, values[2], &t)) return NULL;
    if (!t.wide_places && t.n > INT32_MAX) Py_RETURN_NOTIMPLEMENTED;
    PyArrayObject *y = new_array(PyArray_TYPE(x), PyArray_NDIM(x), PyArray_DIMS(x));
    PyArrayObject *places = new_array(t.wide_places ? NPY_INT64 : NPY_INT32, PyArray_NDIM(x), PyArray_DIMS(x));
    if (!y || !places) {
        Py_XDECREF(y);
        Py_XDECREF(places);
        return NULL;
    }
    t.y = PyArray_DATA(y);
    t.places = PyArray_DATA(places);
    if (PyArray_SIZE(y)) WITHOUT_GIL(DISPATCH_FLOAT(PyArray_TYPE(x), best_run, &t))
    return Py_BuildValue("NN", y, places);
}

PyMethodDef recur_methods[] = {
    METHOD(cumprod, "cumprod(x, axis=-1) -> running products."),
    METHOD(linear_scan, "linear_scan(a, b, axis=-1, reverse=False) -> t[i] = a[i] + b[i] t[i-1]; a[i] + b[i+1] t[i+1] for reverse."),
    METHOD(running_best, "running_best(x, largest, axis=-1, wide=True) -> (largest or smallest so far, where it is)."),
    {0}};

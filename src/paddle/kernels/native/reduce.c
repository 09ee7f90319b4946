/* Sums, means, extremes and sums of squares over runs of axes. */
#define _GNU_SOURCE
#include "outputs.h"

#include "reduce.h"

static const char *const rule_names[] = {"sum", "mean", "max", "min", "sum_squares"};

/* Mark the axes in `value` (None: all) in reduced[]; -1 with an exception if one is not an axis. */
static int take_axes(PyObject *value, int ndim, int *reduced) {
    int all = is_none(value);
    for (int i = 0; i < ndim; i++) reduced[i] = all;
    if (all) return 0;
    int sequence = PyTuple_Check(value) || PyList_Check(value);
    Py_ssize_t count = sequence ? PySequence_Fast_GET_SIZE(value) : 1;
    for (Py_ssize_t k = 0; k < count; k++) {
        index_t axis = arg_index("reduce", "axes", sequence ? PySequence_Fast_GET_ITEM(value, k) : value, 0);
        if (axis == -1 && PyErr_Occurred()) return -1;
        if (axis < -ndim || axis >= ndim) {
            PyErr_Format(PyExc_ValueError,
                         "reduce(): argument 'axes': %zd is not an axis of an array with %d dimensions",
                         (Py_ssize_t)axis, ndim);
            return -1;
        }
        reduced[axis < 0 ? axis + ndim : axis] = 1;
    }
    return 0;
}

/* Sizes as [outer, kept, inner] with outer and inner reduced; 0 if the axes have another pattern. */
static int find_pattern(reduce_t *r, PyArrayObject *x, const int *reduced) {
    int part = 0; /* 0 in outer, 1 in kept, 2 in inner */
    r->outer = r->kept = r->inner = 1;
    for (int i = 0; i < PyArray_NDIM(x); i++) {
        npy_intp size = PyArray_DIM(x, i);
        if (size == 1) continue;
        if (part == 0 && !reduced[i]) part = 1;
        else if (part == 1 && reduced[i]) part = 2;
        else if (part == 2 && !reduced[i]) return 0;
        if (part == 0) r->outer *= size;
        else if (part == 1) r->kept *= size;
        else r->inner *= size;
    }
    return 1;
}

BINDING(reduce) {
    BIND("reduce", 2, "op", "x", "axes", "out");
    int rule = 0;
    while (rule < 5 && !(PyUnicode_Check(values[0]) && !PyUnicode_CompareWithASCIIString(values[0], rule_names[rule])))
        rule++;
    if (rule == 5) return PyErr_Format(PyExc_ValueError, "reduce(): no reduction named %R", values[0]);
    DENSE_FLOATS("reduce", "x", values[1], x);
    int type = PyArray_TYPE(x), reduced[NPY_MAXDIMS], ndim = 0;
    npy_intp shape[NPY_MAXDIMS];
    if (take_axes(values[2], PyArray_NDIM(x), reduced)) return NULL;
    reduce_t r = {.rule = (enum reduce_rule)rule, .x = PyArray_DATA(x)};
    if (!find_pattern(&r, x, reduced)) Py_RETURN_NOTIMPLEMENTED;
    if ((rule == REDUCE_MAX || rule == REDUCE_MIN) && r.outer * r.inner == 0)
        return PyErr_Format(PyExc_ValueError, "reduce(): %s of no elements", rule_names[rule]);
    for (int i = 0; i < PyArray_NDIM(x); i++)
        if (!reduced[i]) shape[ndim++] = PyArray_DIM(x, i);
    PyArrayObject *y = out_array("reduce", values[3], type, ndim, shape);
    if (!y) return NULL;
    int status = NATIVE_OK;
    if (arrays_overlap(x, y)) {
        PyErr_SetString(PyExc_ValueError, "reduce(): argument 'out' must not overlap 'x'");
        goto failed;
    }
    r.y = PyArray_DATA(y);
    WITHOUT_GIL(status = DISPATCH_FLOAT(type, reduce_run, &r));
    if (check_status("reduce", status)) goto failed;
    return (PyObject *)y;
failed:
    Py_DECREF(y);
    return NULL;
}

PyMethodDef reduce_methods[] = {
    METHOD(reduce,
           "reduce(op, x, axes=None, out=None) -> array: sum, mean, max, min or sum_squares."),
    {0}};

/* Running sums along an axis. */
#define _GNU_SOURCE
#include "outputs.h"

#include "scan.h"
#include "thresholds.h"

#define BODY "scan.inc"
#define BODY_TYPES 2
#include "multiversion.h"


BINDING(cumsum) {
    BIND("cumsum", 1, "x", "axis", "exclusive", "reverse");
    DENSE_FLOATS("cumsum", "x", values[0], x);
    index_t axis = arg_index("cumsum", "axis", values[1], -1);
    if (axis == -1 && PyErr_Occurred()) return NULL;
    scan_t s = {.outer = 1, .inner = 1, .exclusive = arg_bool("cumsum", "exclusive", values[2], 0),
                .reverse = arg_bool("cumsum", "reverse", values[3], 0)};
    if (s.exclusive < 0 || s.reverse < 0) return NULL;
    int ndim = PyArray_NDIM(x);
    if (axis < -ndim || axis >= ndim)
        return PyErr_Format(PyExc_ValueError, "cumsum(): argument 'axis': %zd is not an axis of an array with %d dimensions",
                            (Py_ssize_t)axis, ndim);
    if (axis < 0) axis += ndim;
    for (int i = 0; i < axis; i++) s.outer *= PyArray_DIM(x, i);
    for (int i = (int)axis + 1; i < ndim; i++) s.inner *= PyArray_DIM(x, i);
    s.n = PyArray_DIM(x, axis);
    PyArrayObject *y = new_array(PyArray_TYPE(x), ndim, PyArray_DIMS(x));
    if (!y) return NULL;
    s.x = PyArray_DATA(x);
    s.y = PyArray_DATA(y);
    int status;
    WITHOUT_GIL(status = DISPATCH_FLOAT(PyArray_TYPE(x), scan_run, &s));
    if (check_status("cumsum", status)) {
        Py_DECREF(y);
        return NULL;
    }
    return (PyObject *)y;
}

PyMethodDef scan_methods[] = {
    METHOD(cumsum, "cumsum(x, axis=-1, exclusive=False, reverse=False) -> running sums, added up in double."),
    {0}};

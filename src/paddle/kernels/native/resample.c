/* Sums of slices along an axis with given weights: interpolation, and its gradient. */
#define _GNU_SOURCE
#include "outputs.h"

#include "resample.h"

/* Do the starts rise from 0 to the number of ids, and do all ids lie in [0, size)? */
static int sound(const resample_t *r, index_t ids) {
    if (r->starts[0] != 0 || r->starts[r->count] != ids) return 0;
    for (index_t i = 0; i < r->count; i++)
        if (r->starts[i] > r->starts[i + 1] || r->starts[i] < 0) return 0;
    for (index_t k = 0; k < ids; k++)
        if (r->index[k] < 0 || r->index[k] >= r->size) return 0;
    return 1;
}

BINDING(resample) {
    const char *name = "resample";
    BIND("resample", 5, "x", "starts", "index", "weight", "axis");
    DENSE_FLOATS("resample", "x", values[0], x);
    PyArrayObject *starts = arg_array(name, "starts", values[1], NPY_INT64, 1);
    PyArrayObject *index = starts ? arg_array(name, "index", values[2], NPY_INT64, 1) : NULL;
    PyArrayObject *weight = index ? arg_array(name, "weight", values[3], PyArray_TYPE(x), 1) : NULL;
    if (!weight || CHECK_SHAPE(name, "weight", weight, PyArray_SIZE(index))) return NULL;
    const index_t axis = arg_index(name, "axis", values[4], 0);
    const int ndim = PyArray_NDIM(x);
    if (PyErr_Occurred()) return NULL;
    if (axis < 0 || axis >= ndim)
        return PyErr_Format(PyExc_ValueError, "resample(): argument 'axis': %zd is not an axis of an array with %d dimensions",
                            (Py_ssize_t)axis, ndim);
    resample_t r = {.outer = 1, .inner = 1, .size = PyArray_DIM(x, axis), .count = PyArray_SIZE(starts) - 1,
                    .starts = PyArray_DATA(starts), .index = PyArray_DATA(index), .weight = PyArray_DATA(weight)};
    if (r.count < 0 || !sound(&r, PyArray_SIZE(index)))
        return PyErr_Format(PyExc_ValueError, "resample(): arguments 'starts' and 'index' must be rising places and ids below %zd",
                            (Py_ssize_t)r.size);
    npy_intp shape[NPY_MAXDIMS];
    for (int i = 0; i < ndim; i++) {
        shape[i] = i == axis ? r.count : PyArray_DIM(x, i);
        if (i < axis) r.outer *= shape[i];
        if (i > axis) r.inner *= shape[i];
    }
    PyArrayObject *y = new_array(PyArray_TYPE(x), ndim, shape);
    if (!y || PyArray_SIZE(y) == 0) return (PyObject *)y;
    r.x = PyArray_DATA(x);
    r.y = PyArray_DATA(y);
    int status;
    WITHOUT_GIL(status = DISPATCH_FLOAT(PyArray_TYPE(x), resample_run, &r))
    if (check_status(name, status)) Py_CLEAR(y);
    return (PyObject *)y;
}

PyMethodDef resample_methods[] = {
    METHOD(resample, "resample(x, starts, index, weight, axis) -> y: slice i along the axis is the sum of x's slices index[k] times "
                     "weight[k], k from starts[i] to starts[i + 1]."),
    {0}};

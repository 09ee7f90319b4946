/* Sorting along the last axis, and the first few elements in order. */
#define _GNU_SOURCE
#include "outputs.h"

#include "order.h"

/* 4 or 8, the bytes of an element, for a type that has an order here; 0 for others. */
static int width_of(PyArrayObject *x, int *integers) {
    int type = PyArray_TYPE(x);
    *integers = PyArray_ISINTEGER(x) && PyArray_ISSIGNED(x);
    if (!*integers && type != NPY_FLOAT && type != NPY_DOUBLE) return 0;
    return PyArray_ITEMSIZE(x) == 4 || PyArray_ITEMSIZE(x) == 8 ? (int)PyArray_ITEMSIZE(x) : 0;
}

static PyObject *run_order(const char *function, PyObject *value, index_t k, int descending) {
    if (!PyArray_Check(value))
        return PyErr_Format(PyExc_TypeError, "%s(): argument 'x' must be an array, got %s", function, Py_TYPE(value)->tp_name);
    PyArrayObject *x = (PyArrayObject *)value;
    order_t o = {.descending = descending, .rows = 1};
    int ndim = PyArray_NDIM(x), width = width_of(x, &o.integers);
    if (!width || ndim == 0 || !PyArray_ISCARRAY_RO(x) || PyArray_DIM(x, ndim - 1) > UINT32_MAX) Py_RETURN_NOTIMPLEMENTED;
    o.n = PyArray_DIM(x, ndim - 1);
    o.k = k < 0 ? o.n : k;
    if (o.k > o.n)
        return PyErr_Format(PyExc_ValueError, "%s(): argument 'k' must be at most %zd, the size of the last axis, got %zd",
                            function, (Py_ssize_t)o.n, (Py_ssize_t)k);
    npy_intp shape[NPY_MAXDIMS];
    for (int i = 0; i < ndim; i++) shape[i] = PyArray_DIM(x, i);
    for (int i = 0; i + 1 < ndim; i++) o.rows *= shape[i];
    shape[ndim - 1] = o.k;
    PyArrayObject *values = new_array(PyArray_TYPE(x), ndim, shape), *positions = new_array(NPY_INT64, ndim, shape);
    int status = NATIVE_OK;
    if (!values || !positions) goto failed;
    o.x = PyArray_DATA(x);
    o.values = PyArray_DATA(values);
    o.positions = PyArray_DATA(positions);
    WITHOUT_GIL(status = width == 4 ? order_run_f32_plain(&o) : order_run_f64_plain(&o));
    if (check_status(function, status)) goto failed;
    return Py_BuildValue("NN", values, positions);
failed:
    Py_XDECREF(values);
    Py_XDECREF(positions);
    return NULL;
}

BINDING(argsort) {
    BIND("argsort", 1, "x", "descending");
    int descending = arg_bool("argsort", "descending", values[1], 0);
    if (descending < 0) return NULL;
    return run_order("argsort", values[0], -1, descending);
}

BINDING(topk) {
    BIND("topk", 2, "x", "k", "largest");
    int largest = arg_bool("topk", "largest", values[2], 1);
    index_t k = arg_index("topk", "k", values[1], 0);
    if (largest < 0 || (k == -1 && PyErr_Occurred())) return NULL;
    if (k < 0) return PyErr_Format(PyExc_ValueError, "topk(): argument 'k' must not be negative, got %zd", (Py_ssize_t)k);
    return run_order("topk", values[0], k, largest);
}

PyMethodDef order_methods[] = {
    METHOD(argsort, "argsort(x, descending=False) -> (sorted, positions) along the last axis; stable, NaN counts as largest."),
    METHOD(topk, "topk(x, k, largest=True) -> (values, positions): the first k of argsort."),
    {0}};

/* Discrete Fourier transforms along an axis: the binding. */
#define _GNU_SOURCE
#include "outputs.h"

#include "fourier.h"

BINDING(fourier) {
    BIND("fourier", 4, "x", "axis", "inverse", "scale", "half", "size", "over");
    PyArrayObject *x = PyArray_Check(values[0]) ? (PyArrayObject *)values[0] : NULL;
    fourier_t t = {.outer = 1, .inner = 1, .inverse = arg_bool("fourier", "inverse", values[2], 0), .scale = arg_double("fourier", "scale", values[3], 1)};
    index_t axis = arg_index("fourier", "axis", values[1], -1), size = arg_index("fourier", "size", values[5], 0);
    int half = arg_bool("fourier", "half", values[4], 0), over = arg_bool("fourier", "over", values[6], 0);
    if (PyErr_Occurred()) return NULL;
    if (!x || !PyArray_ISCARRAY_RO(x)) Py_RETURN_NOTIMPLEMENTED;
    int type = PyArray_TYPE(x), ndim = PyArray_NDIM(x);
    t.single = type == NPY_FLOAT || type == NPY_CFLOAT;
    t.real_x = type == NPY_FLOAT || type == NPY_DOUBLE;
    t.real_y = size > 0;
    if ((!t.single && type != NPY_DOUBLE && type != NPY_CDOUBLE) || axis < 0 || axis >= ndim || (t.real_x && t.real_y) || (half && !t.real_x) ||
        (over && (t.real_x || t.real_y || !PyArray_ISWRITEABLE(x))))
        Py_RETURN_NOTIMPLEMENTED;
    npy_intp shape[NPY_MAXDIMS];
    for (int i = 0; i < ndim; i++) {
        shape[i] = PyArray_DIM(x, i);
        if (i < axis) t.outer *= shape[i];
        if (i > axis) t.inner *= shape[i];
    }
    t.from = shape[axis];
    t.n = t.real_y ? size : t.from;
    t.to = shape[axis] = half ? t.n / 2 + 1 : t.n;
    if (t.n < 1 || t.n > FOURIER_MOST) Py_RETURN_NOTIMPLEMENTED; /* the caller's own text says what is wrong, or does it */
    PyArrayObject *y = over ? (PyArrayObject *)Py_NewRef(x) : new_array(t.real_y ? (t.single ? NPY_FLOAT : NPY_DOUBLE) : t.single ? NPY_CFLOAT : NPY_CDOUBLE, ndim, shape);
    if (!y) return NULL;
    int status;
    t.x = PyArray_DATA(x);
    t.y = PyArray_DATA(y);
    WITHOUT_GIL(status = fourier_transform(&t))
    if (check_status("fourier", status)) Py_CLEAR(y);
    return (PyObject *)y;
}

PyMethodDef fourier_methods[] = {
    METHOD(fourier, "fourier(x, axis, inverse, scale, half=False, size=0, over=False) -> the transform along an axis of real or complex "
                    "lines; half: the first half of real lines' transforms; size: so many real numbers, of which x has the first half of the "
                    "spectrum; over: complex x is written over."),
    {0}};

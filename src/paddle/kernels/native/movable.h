/* Arrays whose elements may be moved as bytes, whatever they are. */
#ifndef PADDLE_NATIVE_MOVABLE_H
#define PADDLE_NATIVE_MOVABLE_H

#include "outputs.h"

/* An array of elements that may be moved as bytes; NULL without an exception if it isn't one, with TypeError if it is none. */
static inline PyArrayObject *movable(const char *function, const char *name, PyObject *value) {
    if (!value || !PyArray_Check(value)) {
        PyErr_Format(PyExc_TypeError, "%s(): argument '%s' must be an array, got %s", function, name,
                     value ? Py_TYPE(value)->tp_name : "nothing");
        return NULL;
    }
    PyArrayObject *array = (PyArrayObject *)value;
    index_t item = PyArray_ITEMSIZE(array);
    int known = item == 1 || item == 2 || item == 4 || item == 8 || item == 16;
    int number = PyArray_ISNUMBER(array) || PyArray_TYPE(array) == NPY_BOOL || PyArray_TYPE(array) >= NPY_USERDEF;
    return known && number && !PyDataType_REFCHK(PyArray_DESCR(array)) && PyArray_ISALIGNED(array) ? array : NULL;
}
#define MOVABLE(function, name, value, array)                        \
    PyArrayObject *array = movable(function, name, value);           \
    if (!array && PyErr_Occurred()) return NULL;                     \
    if (!array) Py_RETURN_NOTIMPLEMENTED

/* A new array of another array's type. */
static inline PyArrayObject *new_like(PyArrayObject *model, int ndim, const npy_intp *shape) {
    Py_INCREF(PyArray_DESCR(model));
    return (PyArrayObject *)PyArray_SimpleNewFromDescr(ndim, shape, PyArray_DESCR(model));
}

#endif

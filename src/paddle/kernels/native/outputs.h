/* Optional `out=` arguments and the choice of element type: what most bindings with one result share. */
#ifndef PADDLE_NATIVE_OUTPUTS_H
#define PADDLE_NATIVE_OUTPUTS_H

#include "args.h"

/* DISPATCH for an element type known at run time. */
#define DISPATCH_FLOAT(type, fn, ...) \
    ((type) == NPY_FLOAT ? DISPATCH(f32, fn, __VA_ARGS__) : DISPATCH(f64, fn, __VA_ARGS__))

/* The array to write to, as a new reference: `value` if it is given, of this type and shape, else a new one. */
static inline PyArrayObject *out_array(const char *function, PyObject *value, int type, int ndim,
                                       const npy_intp *shape) {
    if (is_none(value)) return new_array(type, ndim, shape);
    PyArrayObject *out = arg_output(function, "out", value, type, -1);
    if (!out || check_shape(function, "out", out, ndim, shape)) return NULL;
    Py_INCREF(out);
    return out;
}

static inline PyArrayObject *out_like(const char *function, PyObject *value, PyArrayObject *model) {
    return out_array(function, value, PyArray_TYPE(model), PyArray_NDIM(model), PyArray_DIMS(model));
}

/* An input may be written over by `out` if both are the same elements at the same places; else they must be apart. */
static inline int check_overlap(const char *function, const char *name, PyArrayObject *input, PyArrayObject *out) {
    if (!input || !arrays_overlap(input, out)) return 0;
    if (PyArray_DATA(input) == PyArray_DATA(out) && PyArray_SIZE(input) == PyArray_SIZE(out)) return 0;
    PyErr_Format(PyExc_ValueError, "%s(): argument 'out' must not lie across '%s'", function, name);
    return -1;
}

/* Do two arrays have one shape? ValueError and -1 if not. */
static inline int check_same_shape(const char *function, const char *name, PyArrayObject *array, PyArrayObject *model) {
    return check_shape(function, name, array, PyArray_NDIM(model), PyArray_DIMS(model));
}

/* Labels or ids: an int32 or int64 array; is_wide tells which. */
static inline PyArrayObject *arg_ids(const char *function, const char *name, PyObject *value, int *is_wide) {
    int type = value && PyArray_Check(value) && PyArray_EquivTypenums(PyArray_TYPE((PyArrayObject *)value), NPY_INT32)
                   ? NPY_INT32
                   : NPY_INT64;
    *is_wide = type == NPY_INT64;
    return arg_array(function, name, value, type, -1);
}

#endif

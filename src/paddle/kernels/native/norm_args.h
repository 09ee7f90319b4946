/* Arguments that the bindings of batchnorm.c and layernorm.c share. */
#ifndef PADDLE_NATIVE_NORM_ARGS_H
#define PADDLE_NATIVE_NORM_ARGS_H

#include "outputs.h"
#include "norm.h"

typedef struct {
    const char *function;
    int type;
    PyArrayObject *x;
    norm_t norm;
} norm_call_t;

/* Start with x: [batch, channels, ...], at least `axes` of them. */
static inline int norm_begin(norm_call_t *call, const char *function, PyObject *x, int axes) {
    *call = (norm_call_t){.function = function, .type = arg_float_type(function, "x", x)};
    call->x = call->type < 0 ? NULL : arg_array(function, "x", x, call->type, -1);
    if (!call->x) return -1;
    int ndim = PyArray_NDIM(call->x);
    if (ndim < axes) {
        PyErr_Format(PyExc_ValueError, "%s(): argument 'x' must have at least %d dimensions, got %d", function, axes,
                     ndim);
        return -1;
    }
    norm_t *p = &call->norm;
    p->x = PyArray_DATA(call->x);
    p->batch = ndim > 0 ? PyArray_DIM(call->x, 0) : 1;
    p->channels = ndim > 1 ? PyArray_DIM(call->x, 1) : 1;
    p->inner = 1;
    for (int i = 2; i < ndim; i++) p->inner *= PyArray_DIM(call->x, i);
    return 0;
}

/* An array of `count` elements (any shape) of the call's type, or NULL data if it is None and that is allowed. */
static inline int norm_take(norm_call_t *call, const char *name, PyObject *value, index_t count, int optional,
                            const void **data) {
    *data = NULL;
    if (optional && is_none(value)) return 0;
    PyArrayObject *array = arg_array(call->function, name, value, call->type, -1);
    if (!array) return -1;
    if (PyArray_SIZE(array) != count) {
        PyErr_Format(PyExc_ValueError, "%s(): argument '%s' must have %zd elements, got %zd", call->function, name,
                     (Py_ssize_t)count, (Py_ssize_t)PyArray_SIZE(array));
        return -1;
    }
    *data = PyArray_DATA(array);
    return 0;
}

/* An array shaped like x. */
static inline int norm_take_like(norm_call_t *call, const char *name, PyObject *value, int optional,
                                 const void **data) {
    *data = NULL;
    if (optional && is_none(value)) return 0;
    PyArrayObject *array = arg_array(call->function, name, value, call->type, -1);
    if (!array || check_same_shape(call->function, name, array, call->x)) return -1;
    *data = PyArray_DATA(array);
    return 0;
}

static inline int norm_take_eps(norm_call_t *call, PyObject *value) {
    call->norm.eps = arg_double(call->function, "eps", value, 1e-5);
    return PyErr_Occurred() ? -1 : 0;
}

/* The result tuple (like x, 1-D or 2-D, the same again), with pointers to its data. NULL with an exception if memory is
 * short. */
static inline PyObject *norm_results(norm_call_t *call, int ndim, const npy_intp *shape, void **second, void **third) {
    PyArrayObject *first = out_like(call->function, NULL, call->x);
    PyArrayObject *a = first ? new_array(call->type, ndim, shape) : NULL,
                  *b = a ? new_array(call->type, ndim, shape) : NULL;
    if (!b) {
        Py_XDECREF(first);
        Py_XDECREF(a);
        return NULL;
    }
    call->norm.y = PyArray_DATA(first);
    *second = PyArray_DATA(a);
    *third = PyArray_DATA(b);
    if (PyArray_SIZE(call->x) == 0) { /* nothing to normalise: means are 0, and so are gradients */
        memset(*second, 0, (size_t)PyArray_NBYTES(a));
        memset(*third, 0, (size_t)PyArray_NBYTES(b));
    }
    return Py_BuildValue("NNN", first, a, b);
}

/* The kernel ran: give the results, or raise. */
static inline PyObject *norm_end(norm_call_t *call, PyObject *results, int status) {
    if (check_status(call->function, status)) Py_CLEAR(results);
    return results;
}

#endif

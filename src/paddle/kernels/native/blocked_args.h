/* How bindings read images in blocks, and convolutions of them. */
#ifndef PADDLE_NATIVE_BLOCKED_ARGS_H
#define PADDLE_NATIVE_BLOCKED_ARGS_H

#include "blocked.h"
#include "conv_args.h"

/* x in blocks: [n, blocks, h, w, BLOCK]. */
static inline PyArrayObject *arg_blocked(const char *function, const char *name, int type, PyObject *value) {
    PyArrayObject *x = arg_array(function, name, value, type, 5);
    if (!x || CHECK_SHAPE(function, name, x, PyArray_DIM(x, 0), PyArray_DIM(x, 1), PyArray_DIM(x, 2), PyArray_DIM(x, 3), BLOCK)) return NULL;
    return x;
}

/* A convolution of x, in blocks or (4 axes) plain, with w [o, c / g, kh, kw] of a type; settings are values[0..3]. */
static inline int read_conv(const char *function, PyObject *x_value, PyObject *w_value, int type, PyObject *const *values, PyArrayObject **x,
                     PyArrayObject **w, conv_t *q) {
    const int plain = PyArray_Check(x_value) && PyArray_NDIM((PyArrayObject *)x_value) == 4;
    const int bytes = type == NPY_INT8 && !plain && PyArray_Check(x_value) && PyArray_TYPE((PyArrayObject *)x_value) == NPY_UINT8;
    *x = plain ? arg_array(function, "x", x_value, NPY_FLOAT, 4) : arg_blocked(function, "x", bytes ? NPY_UINT8 : NPY_FLOAT, x_value);
    *w = *x ? arg_array(function, "w", w_value, type, 4) : NULL;
    conv_settings_t s;
    if (!*w || conv_settings(function, values[0], values[1], values[2], values[3], &s)) return -1;
    npy_intp shape[4];
    memcpy(shape, PyArray_DIMS(*x), sizeof shape);
    if (!plain) shape[1] = PyArray_DIM(*w, 1) * s.groups;
    if (conv_plan(function, shape, PyArray_DIMS(*w), &s, q)) return -1;
    if (!plain && blocks_of(q->c) != PyArray_DIM(*x, 1)) {
        PyErr_Format(PyExc_ValueError, "%s(): %zd input channels don't lie in %zd blocks of %d", function, (Py_ssize_t)q->c,
                     (Py_ssize_t)PyArray_DIM(*x, 1), BLOCK);
        return -1;
    }
    if (blocked_takes(q) && q->c && q->o && !(plain && q->g > 1)) return plain;
    PyErr_Format(PyExc_ValueError, "%s(): argument 'groups' must be 1, or the number of channels (at least one) on both sides", function);
    return -1;
}

/* The activation and, if there is one, the residual behind a convolution. */
static inline int read_ends(const char *function, PyObject *act_value, PyObject *residual_value, const conv_t *q, blocked_conv_t *b) {
    const index_t act = arg_index(function, "act", act_value, 0);
    if (PyErr_Occurred()) return -1;
    if (act < 0 || act >= BLOCKED_ACTIVATIONS) {
        PyErr_Format(PyExc_ValueError, "%s(): argument 'act' must be 0 (none), 1 (ReLU), 2 (ReLU6) or 3 (hard swish), got %zd", function, act);
        return -1;
    }
    b->act = (int)act;
    if (is_none(residual_value)) return 0;
    PyArrayObject *residual = arg_blocked(function, "residual", NPY_FLOAT, residual_value);
    if (!residual || CHECK_SHAPE(function, "residual", residual, q->n, blocks_of(q->o), q->oh, q->ow, BLOCK)) return -1;
    b->residual = PyArray_DATA(residual);
    return 0;
}

#endif

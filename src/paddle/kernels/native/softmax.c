/* Softmax along the last axis, and softmax with cross entropy. */
#define _GNU_SOURCE
#include "outputs.h"

#include "softmax.h"

/* Rows and columns of an array whose last axis is the one to work along; a 0-d array is one row of one element. */
static void set_rows(softmax_t *s, PyArrayObject *x) {
    int ndim = PyArray_NDIM(x);
    s->columns = ndim ? PyArray_DIM(x, ndim - 1) : 1;
    s->rows = 1;
    for (int i = 0; i + 1 < ndim; i++) s->rows *= PyArray_DIM(x, i);
}

/* The same along any axis: rows are all positions beside it. Gives the axis, or -1 with an exception. */
static int set_axis(const char *function, softmax_t *s, PyArrayObject *x, PyObject *value) {
    int ndim = PyArray_NDIM(x);
    index_t axis = arg_index(function, "axis", value, -1);
    if (PyErr_Occurred()) return -1;
    axis += axis < 0 ? max_of(ndim, 1) : 0;
    if (axis < 0 || axis >= max_of(ndim, 1)) {
        PyErr_Format(PyExc_ValueError, "%s(): argument 'axis' must name one of %d axes", function, ndim);
        return -1;
    }
    s->columns = ndim ? PyArray_DIM(x, axis) : 1;
    s->rows = s->inner = 1;
    for (int i = 0; i < ndim; i++) {
        if (i != axis) s->rows *= PyArray_DIM(x, i);
        if (i > axis) s->inner *= PyArray_DIM(x, i);
    }
    s->inner = s->rows ? s->inner : 1;
    return (int)axis;
}

static PyObject *forward(const char *function, PyObject **values, int logarithm) {
    int type = arg_float_type(function, "x", values[0]);
    if (type < 0) return NULL;
    PyArrayObject *x = arg_array(function, "x", values[0], type, -1);
    PyArrayObject *y = x ? out_like(function, values[1], x) : NULL;
    if (!y) return NULL;
    if (check_overlap(function, "x", x, y)) {
        Py_DECREF(y);
        return NULL;
    }
    softmax_t s = {.x = PyArray_DATA(x), .y = PyArray_DATA(y), .logarithm = logarithm};
    set_rows(&s, x);
    WITHOUT_GIL(DISPATCH_FLOAT(type, softmax_forward, &s));
    return (PyObject *)y;
}

BINDING(softmax) {
    BIND("softmax", 1, "x", "out");
    return forward("softmax", values, 0);
}

BINDING(log_softmax) {
    BIND("log_softmax", 1, "x", "out");
    return forward("log_softmax", values, 1);
}

static PyObject *backward(const char *function, PyObject **values, int logarithm) {
    int type = arg_float_type(function, "y", values[0]);
    if (type < 0) return NULL;
    PyArrayObject *y = arg_array(function, "y", values[0], type, -1);
    PyArrayObject *dy = y ? arg_array(function, "dy", values[1], type, -1) : NULL;
    if (!dy || check_same_shape(function, "dy", dy, y)) return NULL;
    PyArrayObject *dx = out_like(function, values[2], y);
    if (!dx) return NULL;
    if (check_overlap(function, "y", y, dx) || check_overlap(function, "dy", dy, dx)) {
        Py_DECREF(dx);
        return NULL;
    }
    softmax_t s = {.x = PyArray_DATA(y), .dy = PyArray_DATA(dy), .y = PyArray_DATA(dx), .logarithm = logarithm};
    set_rows(&s, y);
    WITHOUT_GIL(DISPATCH_FLOAT(type, softmax_backward, &s));
    return (PyObject *)dx;
}

BINDING(softmax_backward) {
    BIND("softmax_backward", 2, "y", "dy", "out");
    return backward("softmax_backward", values, 0);
}

BINDING(log_softmax_backward) {
    BIND("log_softmax_backward", 2, "y", "dy", "out");
    return backward("log_softmax_backward", values, 1);
}

/* Take labels and ignore_index into s (rows and columns are set); IndexError where a label is out of range. */
static PyArrayObject *take_labels(const char *function, softmax_t *s, PyObject *value, PyObject *ignore) {
    PyArrayObject *labels = arg_ids(function, "labels", value, &s->wide_labels);
    if (!labels) return NULL;
    if (PyArray_SIZE(labels) != s->rows) {
        PyErr_Format(PyExc_ValueError, "%s(): argument 'labels' must have %zd elements, one for each row, got %zd",
                     function, (Py_ssize_t)s->rows, (Py_ssize_t)PyArray_SIZE(labels));
        return NULL;
    }
    s->labels = PyArray_DATA(labels);
    s->ignore_index = arg_index(function, "ignore_index", ignore, -100);
    if (s->ignore_index == -1 && PyErr_Occurred()) return NULL;
    for (index_t row = 0; row < s->rows; row++) {
        int64_t label = id_at(s->labels, s->wide_labels, row);
        if ((label < 0 || label >= s->columns) && label != s->ignore_index) {
            out_of_range("%s(): label %lld of row %zd is outside [0, %zd) and is not ignore_index %lld", function,
                         (long long)label, (Py_ssize_t)row, (Py_ssize_t)s->columns, (long long)s->ignore_index);
            return NULL;
        }
    }
    return labels;
}

BINDING(softmax_cross_entropy) {
    BIND("softmax_cross_entropy", 2, "logits", "labels", "ignore_index", "axis");
    const char *function = "softmax_cross_entropy";
    int type = arg_float_type(function, "logits", values[0]);
    PyArrayObject *x = type < 0 ? NULL : arg_array(function, "logits", values[0], type, -1);
    if (!x) return NULL;
    if (PyArray_NDIM(x) == 0)
        return PyErr_Format(PyExc_ValueError, "%s(): argument 'logits' must have at least one axis", function);
    softmax_t s = {.x = PyArray_DATA(x)};
    int axis = set_axis(function, &s, x, values[3]), ndim = 0;
    if (axis < 0 || !take_labels(function, &s, values[1], values[2])) return NULL;
    npy_intp shape[NPY_MAXDIMS];
    for (int i = 0; i < PyArray_NDIM(x); i++)
        if (i != axis) shape[ndim++] = PyArray_DIM(x, i);
    PyArrayObject *loss = new_array(type, ndim, shape);
    PyArrayObject *y = loss ? out_like(function, NULL, x) : NULL;
    if (!y) {
        Py_XDECREF(loss);
        return NULL;
    }
    s.y = PyArray_DATA(y);
    s.loss = PyArray_DATA(loss);
    WITHOUT_GIL(DISPATCH_FLOAT(type, entropy_forward, &s));
    return Py_BuildValue("NN", loss, y);
}

BINDING(softmax_cross_entropy_backward) {
    BIND("softmax_cross_entropy_backward", 3, "softmax", "labels", "dloss", "ignore_index", "out", "axis");
    const char *function = "softmax_cross_entropy_backward";
    int type = arg_float_type(function, "softmax", values[0]);
    PyArrayObject *y = type < 0 ? NULL : arg_array(function, "softmax", values[0], type, -1);
    if (!y) return NULL;
    softmax_t s = {.x = PyArray_DATA(y)};
    if (set_axis(function, &s, y, values[5]) < 0) return NULL;
    PyArrayObject *dloss = NULL;
    if (PyArray_Check(values[2]) && (PyArray_SIZE((PyArrayObject *)values[2]) != 1 || s.rows == 1)) {
        dloss = arg_array(function, "dloss", values[2], type, -1);
        if (!dloss) return NULL;
        if (PyArray_SIZE(dloss) != s.rows)
            return PyErr_Format(PyExc_ValueError,
                                "%s(): argument 'dloss' must be a number or have %zd elements, got %zd", function,
                                (Py_ssize_t)s.rows, (Py_ssize_t)PyArray_SIZE(dloss));
        s.dloss = PyArray_DATA(dloss);
    } else if (PyArray_Check(values[2])) {
        PyArrayObject *one = arg_array(function, "dloss", values[2], type, -1);
        if (!one) return NULL;
        s.dloss_all = type == NPY_FLOAT ? *(float *)PyArray_DATA(one) : *(double *)PyArray_DATA(one);
    } else {
        s.dloss_all = arg_double(function, "dloss", values[2], 1);
        if (PyErr_Occurred()) return NULL;
    }
    if (!take_labels(function, &s, values[1], values[3])) return NULL;
    PyArrayObject *dx = out_like(function, values[4], y);
    if (!dx) return NULL;
    if (check_overlap(function, "softmax", y, dx) || (dloss && arrays_overlap(dloss, dx))) {
        if (!PyErr_Occurred())
            PyErr_Format(PyExc_ValueError, "%s(): argument 'out' must not lie across 'dloss'", function);
        Py_DECREF(dx);
        return NULL;
    }
    s.y = PyArray_DATA(dx);
    WITHOUT_GIL(DISPATCH_FLOAT(type, entropy_backward, &s));
    return (PyObject *)dx;
}

/* Two arrays of one float type and shape, the first into s->x, the second into s->dy; the type, or -1 with an exception. */
static int take_soft(const char *function, PyObject **values, const char *name, softmax_t *s, PyArrayObject **x) {
    int type = arg_float_type(function, name, values[0]);
    *x = type < 0 ? NULL : arg_array(function, name, values[0], type, -1);
    PyArrayObject *labels = *x ? arg_array(function, "labels", values[1], type, -1) : NULL;
    if (!labels || check_same_shape(function, "labels", labels, *x)) return -1;
    if (PyArray_NDIM(*x) == 0) {
        PyErr_Format(PyExc_ValueError, "%s(): argument '%s' must have at least one axis", function, name);
        return -1;
    }
    *s = (softmax_t){.inner = 1, .x = PyArray_DATA(*x), .dy = PyArray_DATA(labels)};
    set_rows(s, *x);
    return type;
}

BINDING(soft_cross_entropy) {
    BIND("soft_cross_entropy", 2, "logits", "labels");
    softmax_t s;
    PyArrayObject *x;
    int type = take_soft("soft_cross_entropy", values, "logits", &s, &x);
    if (type < 0) return NULL;
    PyArrayObject *loss = new_array(type, PyArray_NDIM(x) - 1, PyArray_DIMS(x));
    PyArrayObject *y = loss ? out_like("soft_cross_entropy", NULL, x) : NULL;
    if (!y) {
        Py_XDECREF(loss);
        return NULL;
    }
    s.y = PyArray_DATA(y);
    s.loss = PyArray_DATA(loss);
    WITHOUT_GIL(DISPATCH_FLOAT(type, entropy_forward, &s));
    return Py_BuildValue("NN", loss, y);
}

BINDING(soft_cross_entropy_backward) {
    BIND("soft_cross_entropy_backward", 3, "softmax", "labels", "dloss");
    const char *function = "soft_cross_entropy_backward";
    softmax_t s;
    PyArrayObject *y;
    int type = take_soft(function, values, "softmax", &s, &y);
    PyArrayObject *dloss = type < 0 ? NULL : arg_array(function, "dloss", values[2], type, -1);
    if (!dloss) return NULL;
    if (PyArray_SIZE(dloss) != s.rows)
        return PyErr_Format(PyExc_ValueError, "%s(): argument 'dloss' must have %zd elements, got %zd", function,
                            (Py_ssize_t)s.rows, (Py_ssize_t)PyArray_SIZE(dloss));
    PyArrayObject *dx = out_like(function, NULL, y);
    if (!dx) return NULL;
    s.dloss = PyArray_DATA(dloss);
    s.y = PyArray_DATA(dx);
    WITHOUT_GIL(DISPATCH_FLOAT(type, soft_backward, &s));
    return (PyObject *)dx;
}

PyMethodDef softmax_methods[] = {
    METHOD(softmax, "softmax(x, out=None) -> y along the last axis."),
    METHOD(log_softmax, "log_softmax(x, out=None) -> y along the last axis."),
    METHOD(softmax_backward, "softmax_backward(y, dy, out=None) -> dx"),
    METHOD(log_softmax_backward, "log_softmax_backward(y, dy, out=None) -> dx"),
    METHOD(softmax_cross_entropy,
           "softmax_cross_entropy(logits, labels, ignore_index=-100, axis=-1) -> (loss per row, softmax)"),
    METHOD(softmax_cross_entropy_backward,
           "softmax_cross_entropy_backward(softmax, labels, dloss, ignore_index=-100, out=None, axis=-1) -> dlogits"),
    METHOD(soft_cross_entropy, "soft_cross_entropy(logits, labels) -> (loss per row, softmax); labels are distributions."),
    METHOD(soft_cross_entropy_backward, "soft_cross_entropy_backward(softmax, labels, dloss) -> dlogits"),
    {0}};

/* Bindings of images whose channels lie in blocks; their pooling is in pool.c. */
#include "blocked_args.h"

BINDING(blocked_from) {
    BIND("blocked_from", 1, "x");
    PyArrayObject *x = arg_array("blocked_from", "x", values[0], NPY_FLOAT, 4);
    if (!x) return NULL;
    const npy_intp *shape = PyArray_DIMS(x);
    PyArrayObject *y = NEW_LINES(NPY_FLOAT, shape[0], blocks_of(shape[1]), shape[2], shape[3], BLOCK);
    if (!y || PyArray_SIZE(y) == 0) return (PyObject *)y;
    int status;
    WITHOUT_GIL(status = DISPATCH(f32, blocked_from, shape[0], shape[1], shape[2] * shape[3], PyArray_DATA(x), PyArray_DATA(y)))
    if (check_status("blocked_from", status)) Py_CLEAR(y);
    return (PyObject *)y;
}

BINDING(blocked_to) {
    BIND("blocked_to", 2, "x", "channels");
    PyArrayObject *x = arg_blocked("blocked_to", "x", NPY_FLOAT, values[0]);
    index_t channels;
    if (!x || arg_indices("blocked_to", "channels", values[1], 1, 0, LARGEST, &channels)) return NULL;
    const npy_intp *shape = PyArray_DIMS(x);
    if (blocks_of(channels) != shape[1])
        return PyErr_Format(PyExc_ValueError, "blocked_to(): %zd channels don't lie in %zd blocks of %d", channels, (Py_ssize_t)shape[1], BLOCK);
    PyArrayObject *y = NEW_ARRAY(NPY_FLOAT, shape[0], channels, shape[2], shape[3]);
    if (!y || PyArray_SIZE(y) == 0) return (PyObject *)y;
    int status;
    WITHOUT_GIL(status = DISPATCH(f32, blocked_to, shape[0], channels, shape[2] * shape[3], PyArray_DATA(x), PyArray_DATA(y)))
    if (check_status("blocked_to", status)) Py_CLEAR(y);
    return (PyObject *)y;
}

BINDING(blocked_scale) {
    BIND("blocked_scale", 2, "x", "factor");
    PyArrayObject *x = arg_blocked("blocked_scale", "x", NPY_FLOAT, values[0]), *factor = x ? arg_blocked("blocked_scale", "factor", NPY_FLOAT, values[1]) : NULL;
    if (!factor || CHECK_SHAPE("blocked_scale", "factor", factor, PyArray_DIM(x, 0), PyArray_DIM(x, 1), 1, 1, BLOCK)) return NULL;
    const npy_intp *shape = PyArray_DIMS(x);
    PyArrayObject *y = new_lines(NPY_FLOAT, 5, shape);
    if (!y || PyArray_SIZE(y) == 0) return (PyObject *)y;
    int status;
    WITHOUT_GIL(status = DISPATCH(f32, blocked_scale, shape[0] * shape[1], shape[2] * shape[3], PyArray_DATA(x), PyArray_DATA(factor), PyArray_DATA(y)))
    if (check_status("blocked_scale", status)) Py_CLEAR(y);
    return (PyObject *)y;
}

BINDING(blocked_conv_kind) {
    BIND("blocked_conv_kind", 6, "x", "w", "stride", "padding", "dilation", "groups");
    PyArrayObject *x, *w;
    conv_t q;
    int plain = read_conv("blocked_conv_kind", values[0], values[1], NPY_FLOAT, values + 2, &x, &w, &q);
    return plain < 0 ? NULL : PyLong_FromLong(DISPATCH(f32, blocked_kind, &q, plain));
}

BINDING(blocked_conv_prepare) {
    const char *name = "blocked_conv_prepare";
    BIND("blocked_conv_prepare", 7, "x", "w", "stride", "padding", "dilation", "groups", "kind");
    PyArrayObject *x, *w;
    conv_t q;
    int plain = read_conv(name, values[0], values[1], NPY_FLOAT, values + 2, &x, &w, &q), status;
    index_t kind = plain < 0 ? -1 : arg_index(name, "kind", values[6], 0);
    if (plain < 0 || PyErr_Occurred()) return NULL;
    const int best = DISPATCH(f32, blocked_kind, &q, plain);
    if (kind != best && (kind != BLOCKED_DIRECT || q.g > 1))
        return PyErr_Format(PyExc_ValueError, "%s(): argument 'kind' must be %d for this convolution, got %zd", name, best, kind);
    PyArrayObject *ready = NEW_ARRAY(NPY_FLOAT, DISPATCH(f32, blocked_ready_size, &q, (int)kind));
    if (!ready) return NULL;
    WITHOUT_GIL(status = DISPATCH(f32, blocked_prepare, &q, plain, (int)kind, PyArray_DATA(w), PyArray_DATA(ready)))
    if (check_status(name, status)) Py_CLEAR(ready);
    return (PyObject *)ready;
}

BINDING(blocked_conv) {
    const char *name = "blocked_conv";
    BIND("blocked_conv", 2, "x", "w", "bias", "stride", "padding", "dilation", "groups", "act", "ready", "residual");
    PyArrayObject *x, *w;
    conv_t q;
    int plain = read_conv(name, values[0], values[1], NPY_FLOAT, values + 3, &x, &w, &q);
    const void *bias;
    if (plain < 0 || conv_bias(name, values[2], NPY_FLOAT, q.o, &bias)) return NULL;
    blocked_conv_t b = {.x = PyArray_DATA(x), .plain = plain, .bias = bias};
    if (read_ends(name, values[7], values[9], &q, &b)) return NULL;
    if (!is_none(values[8])) {
        PyArrayObject *ready = arg_array(name, "ready", values[8], NPY_FLOAT, 1);
        if (!ready) return NULL;
        if (DISPATCH(f32, blocked_fits, &q, plain, PyArray_DATA(ready), PyArray_SIZE(ready))) b.ready = PyArray_DATA(ready);
    }
    PyArrayObject *y = NEW_LINES(NPY_FLOAT, q.n, blocks_of(q.o), q.oh, q.ow, BLOCK);
    if (!y || PyArray_SIZE(y) == 0) return (PyObject *)y;
    b.y = PyArray_DATA(y);
    int status;
    WITHOUT_GIL(status = blocked_run(&q, &b, PyArray_DATA(w)))
    if (check_status(name, status)) Py_CLEAR(y);
    return (PyObject *)y;
}

PyMethodDef blocked_methods[] = {
    METHOD(blocked_from, "blocked_from(x) -> [n, blocks, h, w, 16] of an x [n, c, h, w]; missing channels are 0"),
    METHOD(blocked_to, "blocked_to(x, channels) -> [n, channels, h, w]"),
    METHOD(blocked_scale, "blocked_scale(x, factor) -> x * factor, a factor for each image and channel: [n, blocks, 1, 1, 16]"),
    METHOD(blocked_conv, "blocked_conv(x, w, bias=None, stride=1, padding=0, dilation=1, groups=1, act=0, ready=None, residual=None) -> y"),
    METHOD(blocked_conv_kind, "blocked_conv_kind(x, w, stride, padding, dilation, groups) -> how blocked_conv computes it"),
    METHOD(blocked_conv_prepare, "blocked_conv_prepare(x, w, stride, padding, dilation, groups, kind) -> weights for blocked_conv's `ready`."),
    {0}};

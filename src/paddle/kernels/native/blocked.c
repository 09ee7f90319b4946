/* Bindings of images whose channels lie in blocks; their pooling is in pool.c. */
#include "conv_args.h"
#include "integer.h"

/* x in blocks: [n, blocks, h, w, BLOCK]. */
static PyArrayObject *arg_blocked(const char *function, const char *name, int type, PyObject *value) {
    PyArrayObject *x = arg_array(function, name, value, type, 5);
    if (!x || CHECK_SHAPE(function, name, x, PyArray_DIM(x, 0), PyArray_DIM(x, 1), PyArray_DIM(x, 2), PyArray_DIM(x, 3), BLOCK)) return NULL;
    return x;
}

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

/* A convolution of x, in blocks or (4 axes) plain, with w [o, c / g, kh, kw] of a type; settings are values[0..3]. */
static int read_conv(const char *function, PyObject *x_value, PyObject *w_value, int type, PyObject *const *values, PyArrayObject **x,
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
static int read_ends(const char *function, PyObject *act_value, PyObject *residual_value, const conv_t *q, blocked_conv_t *b) {
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

/* ---- whole numbers ---- */

BINDING(integer_conv_kind) {
    BIND("integer_conv_kind", 6, "x", "w", "stride", "padding", "dilation", "groups");
    PyArrayObject *x, *w;
    conv_t q;
    int plain = read_conv("integer_conv_kind", values[0], values[1], NPY_INT8, values + 2, &x, &w, &q);
    return plain < 0 ? NULL : PyLong_FromLong(integer_unit());
}

BINDING(integer_conv_prepare) {
    const char *name = "integer_conv_prepare";
    BIND("integer_conv_prepare", 7, "x", "w", "stride", "padding", "dilation", "groups", "kind");
    PyArrayObject *x, *w;
    conv_t q;
    int plain = read_conv(name, values[0], values[1], NPY_INT8, values + 2, &x, &w, &q);
    index_t kind = plain < 0 ? -1 : arg_index(name, "kind", values[6], 0);
    if (plain < 0 || PyErr_Occurred()) return NULL;
    if (kind != integer_unit())
        return PyErr_Format(PyExc_ValueError, "%s(): argument 'kind' must be what integer_conv_kind() says, got %zd", name, kind);
    PyArrayObject *ready = NEW_ARRAY(NPY_FLOAT, DISPATCH(f32, integer_ready_size, &q));
    if (!ready) return NULL;
    WITHOUT_GIL(DISPATCH(f32, integer_prepare, &q, plain, PyArray_DATA(w), PyArray_DATA(ready)))
    return (PyObject *)ready;
}

/* A grid from three arguments; `needed`, or 0 for a scale that is 0: there is none. -1: an exception is set. */
static int read_grid(const char *function, PyObject *const *values, int needed, grid_t *grid) {
    grid->scale = (float)arg_double(function, "scale", values[0], 0);
    grid->limit = (float)arg_double(function, "limit", values[1], 127);
    grid->away = arg_bool(function, "away", values[2], 0);
    if (PyErr_Occurred()) return -1;
    if (!needed && grid->scale == 0) return 0;
    grid->factor = grid->limit / grid->scale;
    if (grid->scale > 0 && grid->limit >= 1 && grid->limit <= 127) return 1;
    PyErr_Format(PyExc_ValueError, "%s(): the scale of a grid must be positive, and its limit from 1 to 127", function);
    return -1;
}

BINDING(integer_conv) {
    const char *name = "integer_conv";
    BIND("integer_conv", 14, "x", "w", "bias", "stride", "padding", "dilation", "groups", "act", "ready", "residual", "factors", "scale",
         "limit", "away", "out_scale", "out_limit", "out_away");
    PyArrayObject *x, *w;
    conv_t q;
    int plain = read_conv(name, values[0], values[1], NPY_INT8, values + 3, &x, &w, &q);
    const void *bias;
    if (plain < 0 || conv_bias(name, values[2], NPY_FLOAT, q.o, &bias)) return NULL;
    const int bytes = PyArray_TYPE(x) == NPY_UINT8;
    integer_conv_t i = {.b = {.x = bytes ? NULL : PyArray_DATA(x), .plain = plain, .bias = bias}, .bytes = bytes ? PyArray_DATA(x) : NULL,
                        .w = PyArray_DATA(w)};
    if (read_ends(name, values[7], values[9], &q, &i.b)) return NULL;
    if (!is_none(values[8])) {
        PyArrayObject *ready = arg_array(name, "ready", values[8], NPY_FLOAT, 1);
        if (!ready) return NULL;
        if (DISPATCH(f32, integer_fits, &q, plain, PyArray_DATA(ready), PyArray_SIZE(ready))) i.b.ready = PyArray_DATA(ready);
    }
    PyArrayObject *factors = arg_array(name, "factors", values[10], NPY_FLOAT, 1);
    if (!factors || CHECK_SHAPE(name, "factors", factors, q.o)) return NULL;
    i.factors = PyArray_DATA(factors);
    grid_t out;
    const int rounded = read_grid(name, values + 11, 1, &i.in) < 0 ? -1 : read_grid(name, values + 14, 0, &out);
    if (rounded < 0) return NULL;
    PyArrayObject *y = NEW_LINES(rounded ? NPY_UINT8 : NPY_FLOAT, q.n, blocks_of(q.o), q.oh, q.ow, BLOCK);
    if (!y || PyArray_SIZE(y) == 0) return (PyObject *)y;
    if (rounded) i.y = PyArray_DATA(y), i.out = &out;
    else i.b.y = PyArray_DATA(y);
    int status;
    WITHOUT_GIL(status = DISPATCH(f32, integer_conv, &q, &i))
    if (status == INTEGER_NAN) {
        Py_DECREF(y);
        Py_RETURN_NOTIMPLEMENTED;
    }
    if (check_status(name, status)) Py_CLEAR(y);
    return (PyObject *)y;
}

BINDING(on_grid) {
    const char *name = "on_grid";
    BIND("on_grid", 4, "x", "scale", "limit", "away");
    PyArrayObject *x = arg_array(name, "x", values[0], NPY_FLOAT, -1);
    grid_t grid;
    if (!x || read_grid(name, values + 1, 1, &grid) < 0) return NULL;
    PyArrayObject *y = new_lines(NPY_FLOAT, PyArray_NDIM(x), PyArray_DIMS(x));
    if (!y || PyArray_SIZE(y) == 0) return (PyObject *)y;
    WITHOUT_GIL(DISPATCH(f32, on_grid, grid, PyArray_SIZE(x), PyArray_DATA(x), PyArray_DATA(y)))
    return (PyObject *)y;
}

PyMethodDef blocked_methods[] = {
    METHOD(blocked_from, "blocked_from(x) -> [n, blocks, h, w, 16] of an x [n, c, h, w]; missing channels are 0"),
    METHOD(blocked_to, "blocked_to(x, channels) -> [n, channels, h, w]"),
    METHOD(blocked_scale, "blocked_scale(x, factor) -> x * factor, a factor for each image and channel: [n, blocks, 1, 1, 16]"),
    METHOD(blocked_conv, "blocked_conv(x, w, bias=None, stride=1, padding=0, dilation=1, groups=1, act=0, ready=None, residual=None) -> y"),
    METHOD(blocked_conv_kind, "blocked_conv_kind(x, w, stride, padding, dilation, groups) -> how blocked_conv computes it"),
    METHOD(blocked_conv_prepare, "blocked_conv_prepare(x, w, stride, padding, dilation, groups, kind) -> weights for blocked_conv's `ready`."),
    METHOD(on_grid, "on_grid(x, scale, limit, away) -> x rounded to steps of scale / limit, as floats"),
    METHOD(integer_conv, "integer_conv(x, w, bias, stride, padding, dilation, groups, act, ready, residual, factors, scale, limit, away, out_scale=0, out_limit=127, out_away=False) -> y"),
    METHOD(integer_conv_kind, "integer_conv_kind(x, w, stride, padding, dilation, groups) -> numbers in a word of prepared weights"),
    METHOD(integer_conv_prepare, "integer_conv_prepare(x, w, stride, padding, dilation, groups, kind) -> weights for integer_conv's `ready`."),
    {0}};

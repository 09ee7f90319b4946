/* Bindings of 2-D convolution. */
#include "blocked.h"
#include "conv_args.h"

/* dy, and pool_index if there is one, must have the shape of this convolution's (pooled) output. */
static int check_gradient(const char *function, PyArrayObject *dy, PyObject *pool_index, const conv_t *q,
                          const uint8_t **index) {
    *index = NULL;
    if (is_none(pool_index)) return CHECK_SHAPE(function, "dy", dy, q->n, q->o, q->oh, q->ow);
    if (CHECK_SHAPE(function, "dy", dy, q->n, q->o, q->oh / 2, q->ow / 2)) return -1;
    PyArrayObject *array = arg_array(function, "pool_index", pool_index, NPY_UINT8, 4);
    if (!array || CHECK_SHAPE(function, "pool_index", array, q->n, q->o, q->oh / 2, q->ow / 2)) return -1;
    *index = PyArray_DATA(array);
    return 0;
}

static int run_forward(int type, const conv_t *q, const void *x, const void *w, const conv_output_t *output) {
    return type == NPY_FLOAT ? DISPATCH(f32, conv_forward, q, x, w, 0, output)
                             : DISPATCH(f64, conv_forward, q, x, w, 0, output);
}

/* Sums over no channels, which the kernels do not do: the bias alone. */
static void fill_with_bias(PyArrayObject *y, int type, const void *bias, int relu) {
    npy_intp channels = PyArray_DIM(y, 1), pixels = PyArray_DIM(y, 2) * PyArray_DIM(y, 3), total = PyArray_SIZE(y);
    for (npy_intp i = 0; i < total; i++) {
        npy_intp o = i / pixels % channels;
        double value = !bias ? 0 : type == NPY_FLOAT ? ((const float *)bias)[o] : ((const double *)bias)[o];
        if (relu && value <= 0) value = 0;
        if (relu == RELU6 && value > 6) value = 6;
        if (type == NPY_FLOAT) ((float *)PyArray_DATA(y))[i] = (float)value;
        else ((double *)PyArray_DATA(y))[i] = value;
    }
}

/* Elements of weights of a kind; 0 if there is no such kind of them. */
static index_t ready_size(const conv_t *q, int type, index_t kind) {
    if (kind == READY_PANELS) return conv_ready_size(q, READY_PANELS);
    if (kind == READY_WINOGRAD) return type == NPY_FLOAT && conv_has_phases(q) ? conv_ready_size(q, READY_WINOGRAD) : 0;
    const int squares = q->kh == 3 && q->kw == 3 && q->sh * q->sw * q->dh * q->dw == 1;
    const int blocks = type == NPY_FLOAT && q->g == 1 && (kind == BLOCKED_DIRECT || (kind == BLOCKED_WINOGRAD && squares));
    return blocks ? DISPATCH(f32, blocked_ready_size, q, (int)kind) : 0;
}

/* Prepared weights as what they are good for: READY_NONE, and an exception, if conv2d_prepare() can't have made them for these sizes. Those in
 * blocks for another instruction set are good for nothing; *usable is 0 then. */
static int ready_kind(PyArrayObject *ready, int type, const conv_t *q, int *usable) {
    const npy_intp size = PyArray_SIZE(ready);
    double header[6] = {0};
    for (int i = 0; i < 6 && size > READY_HEADER; i++)
        header[i] = type == NPY_FLOAT ? *(float *)PyArray_GETPTR1(ready, i) : *(double *)PyArray_GETPTR1(ready, i);
    const int known = header[1] >= READY_PANELS && header[1] <= BLOCKED_WINOGRAD, kind = known ? (int)header[1] : READY_NONE;
    const index_t expected = ready_size(q, type, kind);
    *usable = kind <= READY_WINOGRAD || header[0] == native_isa + 1;
    const int same = header[2] == q->o && header[3] == q->c && header[4] == q->kh && header[5] == q->kw;
    const int fits = kind <= READY_WINOGRAD ? size == expected : *usable ? DISPATCH(f32, blocked_fits, q, 0, PyArray_DATA(ready), size) : same;
    if (kind != READY_NONE && expected && fits) return kind;
    PyErr_Format(PyExc_ValueError, "conv2d(): argument 'ready' was not made by conv2d_prepare() for 'w'");
    return READY_NONE;
}

BINDING(conv2d) {
    BIND("conv2d", 2, "x", "w", "bias", "stride", "padding", "dilation", "groups", "act", "ready", "residual");
    int type = arg_float_type("conv2d", "x", values[0]), blocks = 0;
    if (type < 0) return NULL;
    PyArrayObject *x = arg_array("conv2d", "x", values[0], type, 4);
    PyArrayObject *w = x ? arg_array("conv2d", "w", values[1], type, 4) : NULL;
    conv_settings_t s;
    conv_t q;
    conv_output_t output = {0};
    if (!w || conv_settings("conv2d", values[3], values[4], values[5], values[6], &s) ||
        conv_plan("conv2d", PyArray_DIMS(x), PyArray_DIMS(w), &s, &q) || conv_bias("conv2d", values[2], type, q.o, &output.bias))
        return NULL;
    index_t act = arg_index("conv2d", "act", values[7], 0);
    if (PyErr_Occurred()) return NULL;
    if (act < 0 || act > RELU6)
        return PyErr_Format(PyExc_ValueError, "conv2d(): argument 'act' must be 0 (none), 1 (ReLU) or 2 (ReLU6), got %zd", act);
    output.relu = (int)act;
    if (!is_none(values[8])) {
        PyArrayObject *ready = arg_array("conv2d", "ready", values[8], type, 1);
        if (!ready) return NULL;
        int usable;
        const int kind = ready_kind(ready, type, &q, &usable);
        if (kind == READY_NONE) return NULL;
        blocks = usable && kind > READY_WINOGRAD;
        if (usable) output.ready = PyArray_DATA(ready);
    }
    if (!is_none(values[9])) {
        PyArrayObject *residual = arg_array("conv2d", "residual", values[9], type, 4);
        if (!residual || CHECK_SHAPE("conv2d", "residual", residual, q.n, q.o, q.oh, q.ow)) return NULL;
        if (q.g > 1 || q.c == 0)
            return PyErr_Format(PyExc_ValueError, "conv2d(): argument 'residual' needs one group of at least one channel");
        output.residual = PyArray_DATA(residual);
    }
    PyArrayObject *y = NEW_ARRAY(type, q.n, q.o, q.oh, q.ow);
    if (!y || PyArray_SIZE(y) == 0) return (PyObject *)y;
    output.y = PyArray_DATA(y);
    int status = NATIVE_OK;
    if (PyArray_SIZE(x) == 0) fill_with_bias(y, type, output.bias, output.relu);
    else WITHOUT_GIL(status = blocks ? conv_in_blocks(&q, PyArray_DATA(x), &output)
                                     : run_forward(type, &q, PyArray_DATA(x), PyArray_DATA(w), &output))
    if (check_status("conv2d", status)) Py_CLEAR(y);
    return (PyObject *)y;
}

/* The sizes of a convolution of x [n, c, h, w] with w; NULL with an exception if they don't go together. */
static PyArrayObject *sizes_of(const char *function, PyObject *const *values, int *type, conv_t *q) {
    *type = arg_float_type(function, "x", values[0]);
    if (*type < 0) return NULL;
    PyArrayObject *x = arg_strided(function, "x", values[0], *type, 4);
    PyArrayObject *w = x ? arg_array(function, "w", values[1], *type, 4) : NULL;
    conv_settings_t s;
    if (!w || conv_settings(function, values[2], values[3], values[4], values[5], &s) ||
        conv_plan(function, PyArray_DIMS(x), PyArray_DIMS(w), &s, q))
        return NULL;
    return w;
}

BINDING(conv2d_kind) {
    BIND("conv2d_kind", 2, "x", "w", "stride", "padding", "dilation", "groups");
    int type;
    conv_t q;
    if (!sizes_of("conv2d_kind", values, &type, &q)) return NULL;
    if (q.n * q.c * q.o * q.oh * q.ow == 0) return PyLong_FromLong(READY_NONE);
    const int blocks = type == NPY_FLOAT ? conv_blocks_kind(&q) : READY_NONE;
    return PyLong_FromLong(blocks ? blocks : type == NPY_FLOAT ? DISPATCH(f32, conv_kind, &q) : DISPATCH(f64, conv_kind, &q));
}

BINDING(conv2d_prepare) {
    BIND("conv2d_prepare", 7, "x", "w", "stride", "padding", "dilation", "groups", "kind");
    int type, status;
    conv_t q;
    PyArrayObject *w = sizes_of("conv2d_prepare", values, &type, &q);
    if (!w) return NULL;
    index_t kind = arg_index("conv2d_prepare", "kind", values[6], READY_PANELS);
    if (kind == -1 && PyErr_Occurred()) return NULL;
    const index_t size = q.c * q.o == 0 ? 0 : ready_size(&q, type, kind);
    if (!size)
        return PyErr_Format(PyExc_ValueError, "conv2d_prepare(): argument 'kind': there is no kind %zd of these weights", kind);
    PyArrayObject *ready = NEW_ARRAY(type, size);
    if (!ready) return NULL;
    WITHOUT_GIL(status = kind > READY_WINOGRAD ? DISPATCH(f32, blocked_prepare, &q, 0, (int)kind, PyArray_DATA(w), PyArray_DATA(ready))
                         : type == NPY_FLOAT
                             ? DISPATCH(f32, conv_prepare, &q, PyArray_DATA(w), (int)kind, PyArray_DATA(ready))
                             : DISPATCH(f64, conv_prepare, &q, PyArray_DATA(w), (int)kind, PyArray_DATA(ready)));
    if (check_status("conv2d_prepare", status)) Py_CLEAR(ready);
    return (PyObject *)ready;
}

BINDING(conv2d_relu_pool) {
    const char *name = "conv2d_relu_pool";
    BIND("conv2d_relu_pool", 2, "x", "w", "bias", "stride", "padding", "dilation", "groups");
    int type = arg_float_type(name, "x", values[0]);
    if (type < 0) return NULL;
    PyArrayObject *x = arg_array(name, "x", values[0], type, 4), *w = x ? arg_array(name, "w", values[1], type, 4) : NULL;
    conv_settings_t s;
    conv_t q;
    conv_output_t output = {0};
    if (!w || conv_settings(name, values[3], values[4], values[5], values[6], &s) ||
        conv_plan(name, PyArray_DIMS(x), PyArray_DIMS(w), &s, &q) || conv_bias(name, values[2], type, q.o, &output.bias))
        return NULL;
    if (q.c == 0) return PyErr_Format(PyExc_ValueError, "%s(): argument 'x' must have at least one channel", name);
    PyArrayObject *y = NEW_ARRAY(type, q.n, q.o, q.oh / 2, q.ow / 2);
    PyArrayObject *index = NEW_ARRAY(NPY_UINT8, q.n, q.o, q.oh / 2, q.ow / 2);
    int status = NATIVE_OK;
    if (y && index && PyArray_SIZE(y)) {
        output.pooled = PyArray_DATA(y);
        output.pool_index = PyArray_DATA(index);
        WITHOUT_GIL(status = run_forward(type, &q, PyArray_DATA(x), PyArray_DATA(w), &output))
    }
    if (!y || !index || check_status(name, status)) {
        Py_XDECREF(y);
        Py_XDECREF(index);
        return NULL;
    }
    return Py_BuildValue("NN", y, index);
}

BINDING(conv2d_backward_data) {
    const char *name = "conv2d_backward_data";
    BIND("conv2d_backward_data", 3, "dy", "w", "size", "stride", "padding", "dilation", "groups", "pool_index");
    int type = arg_float_type(name, "dy", values[0]);
    if (type < 0) return NULL;
    PyArrayObject *dy = arg_array(name, "dy", values[0], type, 4), *w = dy ? arg_array(name, "w", values[1], type, 4) : NULL;
    index_t size[2];
    conv_settings_t s;
    conv_t q;
    const uint8_t *index;
    if (!w || arg_indices(name, "size", values[2], 2, 0, LARGEST, size) ||
        conv_settings(name, values[3], values[4], values[5], values[6], &s))
        return NULL;
    npy_intp x_shape[4] = {PyArray_DIM(dy, 0), PyArray_DIM(w, 1) * s.groups, size[0], size[1]};
    if (conv_plan(name, x_shape, PyArray_DIMS(w), &s, &q) || check_gradient(name, dy, values[7], &q, &index)) return NULL;
    PyArrayObject *dx = new_array(type, 4, x_shape);
    if (!dx || PyArray_SIZE(dx) == 0) return (PyObject *)dx;
    int status = NATIVE_OK;
    void *grad = PyArray_DATA(dy), *weights = PyArray_DATA(w), *out = PyArray_DATA(dx);
    if (q.o == 0) memset(out, 0, (size_t)PyArray_NBYTES(dx));
    else WITHOUT_GIL(status = type == NPY_FLOAT ? DISPATCH(f32, conv_backward_data, &q, grad, index, weights, out)
                                                : DISPATCH(f64, conv_backward_data, &q, grad, index, weights, out))
    if (check_status(name, status)) Py_CLEAR(dx);
    return (PyObject *)dx;
}

BINDING(conv2d_backward_weight) {
    const char *name = "conv2d_backward_weight";
    BIND("conv2d_backward_weight", 3, "x", "dy", "kernel", "stride", "padding", "dilation", "groups", "bias", "pool_index");
    int type = arg_float_type(name, "x", values[0]);
    if (type < 0) return NULL;
    PyArrayObject *x = arg_array(name, "x", values[0], type, 4), *dy = x ? arg_array(name, "dy", values[1], type, 4) : NULL;
    index_t kernel[2];
    conv_settings_t s;
    conv_t q;
    const uint8_t *index;
    if (!dy || arg_indices(name, "kernel", values[2], 2, 1, LARGEST, kernel) ||
        conv_settings(name, values[3], values[4], values[5], values[6], &s))
        return NULL;
    int want_bias = arg_bool(name, "bias", values[7], 0);
    if (PyErr_Occurred()) return NULL;
    if (PyArray_DIM(x, 1) % s.groups)
        return PyErr_Format(PyExc_ValueError, "%s(): %zd input channels cannot be divided into %zd groups", name,
                            (Py_ssize_t)PyArray_DIM(x, 1), (Py_ssize_t)s.groups);
    npy_intp w_shape[4] = {PyArray_DIM(dy, 1), PyArray_DIM(x, 1) / s.groups, kernel[0], kernel[1]};
    if (conv_plan(name, PyArray_DIMS(x), w_shape, &s, &q) || check_gradient(name, dy, values[8], &q, &index)) return NULL;
    PyArrayObject *dw = new_array(type, 4, w_shape), *db = want_bias ? NEW_ARRAY(type, q.o) : NULL;
    if (!dw || (want_bias && !db)) {
        Py_XDECREF(dw);
        Py_XDECREF(db);
        return NULL;
    }
    int status = NATIVE_OK;
    void *input = PyArray_DATA(x), *grad = PyArray_DATA(dy), *out = PyArray_DATA(dw), *out_bias = db ? PyArray_DATA(db) : NULL;
    if (q.n == 0 || q.c == 0 || q.o == 0) {
        memset(out, 0, (size_t)PyArray_NBYTES(dw));
        if (db) memset(out_bias, 0, (size_t)PyArray_NBYTES(db));
    } else
        WITHOUT_GIL(status = type == NPY_FLOAT ? DISPATCH(f32, conv_backward_weight, &q, input, grad, index, out, out_bias)
                                               : DISPATCH(f64, conv_backward_weight, &q, input, grad, index, out, out_bias))
    if (check_status(name, status)) {
        Py_DECREF(dw);
        Py_XDECREF(db);
        return NULL;
    }
    if (db) return Py_BuildValue("NN", dw, db);
    return Py_BuildValue("NO", dw, Py_None);
}

BINDING(set_winograd) {
    BIND("set_winograd", 1, "on");
    int on = arg_bool("set_winograd", "on", values[0], 1), before = conv_use_winograd;
    if (on < 0) return NULL;
    conv_use_winograd = on;
    return PyBool_FromLong(before);
}

PyMethodDef conv_methods[] = {
    METHOD(conv2d, "conv2d(x, w, bias=None, stride=1, padding=0, dilation=1, groups=1, act=0) -> y"),
    METHOD(conv2d_kind, "conv2d_kind(x, w, stride, padding, dilation, groups) -> which kind of prepared weights would help, 0: none."),
    METHOD(conv2d_prepare, "conv2d_prepare(x, w, stride, padding, dilation, groups, kind) -> weights for conv2d's `ready`."),
    METHOD(conv2d_relu_pool, "conv2d_relu_pool(x, w, bias=None, stride=1, padding=0, dilation=1, groups=1) -> (y, pool_index)"),
    METHOD(conv2d_backward_data, "conv2d_backward_data(dy, w, size, stride=1, padding=0, dilation=1, groups=1, "
                                 "pool_index=None) -> dx"),
    METHOD(conv2d_backward_weight, "conv2d_backward_weight(x, dy, kernel, stride=1, padding=0, dilation=1, groups=1, "
                                   "bias=False, pool_index=None) -> (dw, db)"),
    METHOD(set_winograd, "set_winograd(on) -> before: allow Winograd's algorithm for convolutions of floats."),
    {0}};

/* Bindings of convolutions of bfloat16. */
#include "brain_conv.h"

#include "conv_args.h"
#include "short_kind.h"

/* An array of bfloat16 with four axes and no gaps. */
static PyArrayObject *take_images(const char *function, const char *name, PyObject *value) {
    if (!PyArray_Check(value)) {
        PyErr_Format(PyExc_TypeError, "%s(): argument '%s' must be an array, got %s", function, name, Py_TYPE(value)->tp_name);
        return NULL;
    }
    const int kind = short_kind(function, name, PyArray_DESCR((PyArrayObject *)value));
    if (kind == 1) return arg_array(function, name, value, PyArray_TYPE((PyArrayObject *)value), 4);
    if (kind == 0) PyErr_Format(PyExc_TypeError, "%s(): argument '%s' must be of bfloat16, got float16", function, name);
    return NULL;
}

static PyArrayObject *new_brain(PyArrayObject *like, int ndim, const npy_intp *shape) {
    PyArray_Descr *kind = PyArray_DESCR(like);
    Py_INCREF(kind);
    return (PyArrayObject *)PyArray_SimpleNewFromDescr(ndim, shape, kind);
}

/* Sizes from the shapes of x and w, and four settings; -1 with an exception. */
static int take_conv(const char *function, const npy_intp *x, const npy_intp *w, PyObject *const *values, conv_t *q) {
    conv_settings_t s;
    return conv_settings(function, values[0], values[1], values[2], values[3], &s) || conv_plan(function, x, w, &s, q) ? -1 : 0;
}

static int empty(const conv_t *q) { return !(q->n && q->c && q->o && q->h && q->w && q->oh && q->ow); }

BINDING(conv_brain) {
    const char *name = "conv_brain";
    BIND("conv_brain", 2, "x", "w", "bias", "stride", "padding", "dilation", "groups");
    PyArrayObject *x = take_images(name, "x", values[0]), *w = x ? take_images(name, "w", values[1]) : NULL;
    conv_t q;
    const void *bias;
    if (!w || take_conv(name, PyArray_DIMS(x), PyArray_DIMS(w), values + 3, &q) || conv_bias(name, values[2], NPY_FLOAT, q.o, &bias)) return NULL;
    if (empty(&q) || !brain_conv_pays(&q)) Py_RETURN_NOTIMPLEMENTED;
    PyArrayObject *y = new_brain(x, 4, (npy_intp[]){q.n, q.o, q.oh, q.ow});
    int status;
    if (!y) return NULL;
    WITHOUT_GIL(status = brain_conv(&q, PyArray_DATA(x), PyArray_DATA(w), bias, PyArray_DATA(y)))
    if (check_status(name, status)) Py_CLEAR(y);
    return (PyObject *)y;
}

/* Is dy what a convolution gives? */
static int check_dy(const char *function, PyArrayObject *dy, const conv_t *q) { return CHECK_SHAPE(function, "dy", dy, q->n, q->o, q->oh, q->ow); }

BINDING(conv_brain_data) {
    const char *name = "conv_brain_data";
    BIND("conv_brain_data", 3, "dy", "w", "size", "stride", "padding", "dilation", "groups");
    PyArrayObject *dy = take_images(name, "dy", values[0]), *w = dy ? take_images(name, "w", values[1]) : NULL;
    index_t size[2];
    conv_t q;
    if (!w || arg_indices(name, "size", values[2], 2, 0, LARGEST, size)) return NULL;
    conv_settings_t s;
    if (conv_settings(name, values[3], values[4], values[5], values[6], &s)) return NULL;
    const npy_intp shape[4] = {PyArray_DIM(dy, 0), PyArray_DIM(w, 1) * s.groups, size[0], size[1]};
    if (conv_plan(name, shape, PyArray_DIMS(w), &s, &q) || check_dy(name, dy, &q)) return NULL;
    if (empty(&q) || !brain_conv_covers(&q) || !brain_conv_pays(&q)) Py_RETURN_NOTIMPLEMENTED;
    PyArrayObject *dx = new_brain(dy, 4, shape);
    int status;
    if (!dx) return NULL;
    WITHOUT_GIL(status = brain_conv_data(&q, PyArray_DATA(dy), PyArray_DATA(w), PyArray_DATA(dx)))
    if (check_status(name, status)) Py_CLEAR(dx);
    return (PyObject *)dx;
}

BINDING(conv_brain_weight) {
    const char *name = "conv_brain_weight";
    BIND("conv_brain_weight", 3, "x", "dy", "kernel", "stride", "padding", "dilation", "groups", "bias");
    PyArrayObject *x = take_images(name, "x", values[0]), *dy = x ? take_images(name, "dy", values[1]) : NULL;
    index_t kernel[2];
    conv_t q;
    if (!dy || arg_indices(name, "kernel", values[2], 2, 1, LARGEST, kernel)) return NULL;
    conv_settings_t s;
    const int bias = arg_bool(name, "bias", values[7], 0);
    if (PyErr_Occurred() || conv_settings(name, values[3], values[4], values[5], values[6], &s)) return NULL;
    const npy_intp shape[4] = {PyArray_DIM(dy, 1), PyArray_DIM(x, 1) / s.groups, kernel[0], kernel[1]};
    if (conv_plan(name, PyArray_DIMS(x), shape, &s, &q) || check_dy(name, dy, &q)) return NULL;
    if (empty(&q) || !brain_conv_pays(&q)) Py_RETURN_NOTIMPLEMENTED;
    PyArrayObject *dw = new_brain(x, 4, shape), *db = dw && bias ? new_brain(x, 1, shape) : NULL;
    int status = NATIVE_OK;
    if (!dw || (bias && !db)) {
        Py_XDECREF(dw);
        return NULL;
    }
    WITHOUT_GIL(status = brain_conv_weight(&q, PyArray_DATA(x), PyArray_DATA(dy), PyArray_DATA(dw), db ? PyArray_DATA(db) : NULL))
    if (check_status(name, status)) {
        Py_DECREF(dw);
        Py_XDECREF(db);
        return NULL;
    }
    return db ? Py_BuildValue("NN", dw, db) : Py_BuildValue("NO", dw, Py_None);
}

PyMethodDef brain_conv_methods[] = {
    METHOD(conv_brain, "conv_brain(x, w, bias=None, stride=1, padding=0, dilation=1, groups=1) -> y\n\n"
                       "conv2d of bfloat16 with a float32 bias. NotImplemented where the way of float32 is quicker, or the only one."),
    METHOD(conv_brain_data, "conv_brain_data(dy, w, size, stride=1, padding=0, dilation=1, groups=1) -> dx"),
    METHOD(conv_brain_weight, "conv_brain_weight(x, dy, kernel, stride=1, padding=0, dilation=1, groups=1, bias=False) -> (dw, db)"),
    {0}};

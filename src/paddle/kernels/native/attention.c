/* Scaled dot-product attention and its gradient. */
#define _GNU_SOURCE
#include "outputs.h"

#include <math.h>

#include "attention.h"
#include "brain.h"
#include "short_kind.h"

/* A [B, M, L, size] argument whose last axis has no gaps. */
static PyArrayObject *take_heads(const char *function, const char *name, PyObject *value, int type, heads_t *heads) {
    PyArrayObject *x = arg_strided(function, name, value, type, 4);
    if (!x) return NULL;
    npy_intp item = PyArray_ITEMSIZE(x);
    for (int i = 0; i < 3; i++)
        if (PyArray_STRIDE(x, i) % item) {
            PyErr_Format(PyExc_ValueError, "%s(): argument '%s' must have strides of whole elements", function, name);
            return NULL;
        }
    if (PyArray_DIM(x, 3) > 1 && PyArray_STRIDE(x, 3) != item) {
        PyErr_Format(PyExc_ValueError, "%s(): the last axis of argument '%s' must have no gaps", function, name);
        return NULL;
    }
    *heads = (heads_t){PyArray_DATA(x), PyArray_STRIDE(x, 0) / item, PyArray_STRIDE(x, 1) / item,
                       PyArray_STRIDE(x, 2) / item};
    return x;
}

/* A new array of the type of another. */
static PyArrayObject *new_like(PyObject *other, int ndim, const npy_intp *shape) {
    PyArray_Descr *kind = PyArray_DESCR((PyArrayObject *)other);
    Py_INCREF(kind);
    return (PyArrayObject *)PyArray_SimpleNewFromDescr(ndim, shape, kind);
}

/* A new array of the type of another, stored [B, L, M, size]; `view` shows it as [B, M, L, size]. */
static PyObject *new_heads(PyObject *other, index_t batch, index_t heads, index_t rows, index_t size, heads_t *view) {
    PyArrayObject *stored = new_like(other, 4, (npy_intp[]){batch, rows, heads, size});
    if (!stored) return NULL;
    *view = (heads_t){PyArray_DATA(stored), rows * heads * size, size, heads * size};
    PyObject *swapped = PyArray_SwapAxes(stored, 1, 2);
    Py_DECREF(stored);
    return swapped;
}

/* q, k, v and all sizes; -1 with an exception if they don't fit. */
static int take_inputs(const char *function, PyObject **values, int *type, attention_t *t) {
    const int brain = PyArray_Check(values[0]) && PyTypeNum_ISUSERDEF(PyArray_TYPE((PyArrayObject *)values[0]));
    if (brain && short_kind(function, "q", PyArray_DESCR((PyArrayObject *)values[0])) < 0) return -1;
    *type = brain ? PyArray_TYPE((PyArrayObject *)values[0]) : arg_float_type(function, "q", values[0]);
    PyArrayObject *q = *type < 0 ? NULL : take_heads(function, "q", values[0], *type, &t->q);
    PyArrayObject *k = q ? take_heads(function, "k", values[1], *type, &t->k) : NULL;
    PyArrayObject *v = k ? take_heads(function, "v", values[2], *type, &t->v) : NULL;
    if (!v) return -1;
    t->batch = PyArray_DIM(q, 0);
    t->heads = PyArray_DIM(q, 1);
    t->queries = PyArray_DIM(q, 2);
    t->size = PyArray_DIM(q, 3);
    t->keys = PyArray_DIM(k, 2);
    t->width = PyArray_DIM(v, 3);
    return CHECK_SHAPE(function, "k", k, t->batch, t->heads, t->keys, t->size) ||
                   CHECK_SHAPE(function, "v", v, t->batch, t->heads, t->keys, t->width)
               ? -1
               : 0;
}

/* Heads of bfloat16 have masks and logarithms in float32. */
static int is_brain(int type) { return type != NPY_FLOAT && type != NPY_DOUBLE; }
static int wide_type(int type) { return is_brain(type) ? NPY_FLOAT : type; }

static int run(int type, attention_t *t, int backward) {
    if (is_brain(type)) return attention_brain(t, backward);
    return backward ? DISPATCH_FLOAT(type, attention_backward, t) : DISPATCH_FLOAT(type, attention_forward, t);
}

static int take_scale(const char *function, attention_t *t, PyObject *value) {
    t->scale = arg_double(function, "scale", value, t->size ? 1 / sqrt((double)t->size) : 1);
    return PyErr_Occurred() ? -1 : 0;
}

/* An additive mask with four axes of size 1 or full. */
static int take_mask(const char *function, int type, attention_t *t, PyObject *value) {
    if (is_none(value)) return 0;
    PyArrayObject *mask = arg_strided(function, "mask", value, wide_type(type), 4);
    if (!mask) return -1;
    const index_t full[4] = {t->batch, t->heads, t->queries, t->keys};
    index_t stride[4], item = PyArray_ITEMSIZE(mask);
    for (int i = 0; i < 4; i++) {
        if (PyArray_DIM(mask, i) != full[i] && PyArray_DIM(mask, i) != 1) {
            PyErr_Format(PyExc_ValueError, "%s(): axis %d of argument 'mask' must be 1 or %zd, got %zd", function, i,
                         (Py_ssize_t)full[i], (Py_ssize_t)PyArray_DIM(mask, i));
            return -1;
        }
        if (PyArray_STRIDE(mask, i) % item) {
            PyErr_Format(PyExc_ValueError, "%s(): argument 'mask' must have strides of whole elements", function);
            return -1;
        }
        stride[i] = PyArray_DIM(mask, i) == 1 ? 0 : PyArray_STRIDE(mask, i) / item;
    }
    t->mask = (heads_t){PyArray_DATA(mask), stride[0], stride[1], stride[2]};
    t->mask_key = stride[3];
    return 0;
}

/* Probability of dropout into t; -1 with an exception if it isn't one. */
static int take_dropout(const char *function, attention_t *t, PyObject *value) {
    double p = arg_double(function, "dropout", value, 0);
    if (PyErr_Occurred()) return -1;
    if (!(p >= 0 && p <= 1)) {
        PyErr_Format(PyExc_ValueError, "%s(): argument 'dropout' must be between 0 and 1, got %R", function, value);
        return -1;
    }
    t->keep_factor = p < 1 ? 1 / (1 - p) : 0;
    return 0;
}

/* Which weights dropout keeps, into t. */
static int take_keep(const char *function, attention_t *t, PyObject *value) {
    if (is_none(value)) {
        if (t->keep_factor == 1) return 0;
        PyErr_Format(PyExc_ValueError, "%s(): argument 'dropout' needs 'keep', the mask of what is kept", function);
        return -1;
    }
    PyArrayObject *keep = arg_array(function, "keep", value, NPY_BOOL, 4);
    if (!keep || CHECK_SHAPE(function, "keep", keep, t->batch, t->heads, t->queries, t->keys)) return -1;
    t->keep = PyArray_DATA(keep);
    return 0;
}

BINDING(attention) {
    BIND("attention", 3, "q", "k", "v", "mask", "scale", "causal", "dropout", "keep", "logs");
    const char *function = "attention";
    attention_t t = {0};
    int type, status = NATIVE_OK;
    if (take_inputs(function, values, &type, &t) || take_scale(function, &t, values[4]) ||
        take_mask(function, type, &t, values[3]) || take_dropout(function, &t, values[6]))
        return NULL;
    const int logs = arg_bool(function, "logs", values[8], 0);
    t.causal = arg_bool(function, "causal", values[5], 0);
    if (t.causal < 0 || logs < 0 || take_keep(function, &t, values[7])) return NULL;
    if (is_brain(type) && !brain_available()) Py_RETURN_NOTIMPLEMENTED;
    PyObject *out = new_heads(values[0], t.batch, t.heads, t.queries, t.width, &t.out);
    PyArrayObject *saved = !out   ? NULL
                           : logs ? NEW_ARRAY(wide_type(type), t.batch, t.heads, t.queries)
                                  : new_like(values[0], 4, (npy_intp[]){t.batch, t.heads, t.queries, t.keys});
    if (saved) {
        *(logs ? &t.logs : &t.weights) = PyArray_DATA(saved);
        WITHOUT_GIL(status = run(type, &t, 0));
        if (!check_status(function, status)) return Py_BuildValue("NN", out, saved);
    }
    Py_XDECREF(out);
    Py_XDECREF(saved);
    return NULL;
}

/* What the forward pass saved, weights or logarithms, into t. */
static int take_saved(const char *function, int type, attention_t *t, PyObject *value) {
    const int logs = PyArray_Check(value) && PyArray_NDIM((PyArrayObject *)value) == 3;
    PyArrayObject *saved = arg_array(function, "saved", value, logs ? wide_type(type) : type, logs ? 3 : 4);
    if (!saved) return -1;
    *(logs ? &t->logs : &t->weights) = PyArray_DATA(saved);
    return logs ? CHECK_SHAPE(function, "saved", saved, t->batch, t->heads, t->queries)
                : CHECK_SHAPE(function, "saved", saved, t->batch, t->heads, t->queries, t->keys);
}

BINDING(attention_backward) {
    BIND("attention_backward", 5, "q", "k", "v", "saved", "dout", "scale", "keep", "dropout", "mask", "causal");
    const char *function = "attention_backward";
    attention_t t = {0};
    int type, status = NATIVE_OK;
    if (take_inputs(function, values, &type, &t) || take_scale(function, &t, values[5]) ||
        take_dropout(function, &t, values[7]) || take_mask(function, type, &t, values[8]) || take_saved(function, type, &t, values[3]))
        return NULL;
    t.causal = arg_bool(function, "causal", values[9], 0);
    PyArrayObject *dout = t.causal < 0 ? NULL : take_heads(function, "dout", values[4], type, &t.out);
    if (!dout || CHECK_SHAPE(function, "dout", dout, t.batch, t.heads, t.queries, t.width) || take_keep(function, &t, values[6]))
        return NULL;
    if (is_brain(type) && !brain_available()) Py_RETURN_NOTIMPLEMENTED;
    PyObject *dq = new_heads(values[0], t.batch, t.heads, t.queries, t.size, &t.dq);
    PyObject *dk = dq ? new_heads(values[0], t.batch, t.heads, t.keys, t.size, &t.dk) : NULL;
    PyObject *dv = dk ? new_heads(values[0], t.batch, t.heads, t.keys, t.width, &t.dv) : NULL;
    if (dv) {
        WITHOUT_GIL(status = run(type, &t, 1));
        if (!check_status(function, status)) return Py_BuildValue("NNN", dq, dk, dv);
    }
    Py_XDECREF(dq);
    Py_XDECREF(dk);
    Py_XDECREF(dv);
    return NULL;
}

PyMethodDef attention_methods[] = {
    METHOD(attention,
           "attention(q, k, v, mask=None, scale=None, causal=False, dropout=0.0, keep=None, logs=False) -> (out, weights or logs)"),
    METHOD(attention_backward,
           "attention_backward(q, k, v, saved, dout, scale=None, keep=None, dropout=0.0, mask=None, causal=False) -> (dq, dk, dv)"),
    {0}};

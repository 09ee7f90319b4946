/* Layer and group normalisation with their gradients. */
#define _GNU_SOURCE
#include "norm_args.h"

/* See x as rows of `columns` elements; -1 with ValueError if it isn't. */
static int set_rows(norm_call_t *call, index_t columns) {
    index_t size = PyArray_SIZE(call->x);
    if (columns < 1 || size % columns) {
        PyErr_Format(PyExc_ValueError, "%s(): rows of %zd elements don't divide 'x', which has %zd", call->function,
                     (Py_ssize_t)columns, (Py_ssize_t)size);
        return -1;
    }
    call->norm.channels = 1;
    call->norm.inner = columns;
    call->norm.batch = size / columns;
    return 0;
}

BINDING(layer_norm) {
    BIND("layer_norm", 3, "x", "gamma", "beta", "eps", "columns");
    norm_call_t call;
    if (norm_begin(&call, "layer_norm", values[0], 0)) return NULL;
    norm_t *p = &call.norm;
    PyObject *model = !is_none(values[1]) ? values[1] : values[2];
    index_t columns =
        arg_index("layer_norm", "columns", values[4], PyArray_Check(model) ? PyArray_SIZE((PyArrayObject *)model) : 0);
    if (PyErr_Occurred() || set_rows(&call, columns) || norm_take(&call, "gamma", values[1], columns, 1, &p->gamma) ||
        norm_take(&call, "beta", values[2], columns, 1, &p->beta) || norm_take_eps(&call, values[3]))
        return NULL;
    PyObject *results = norm_results(&call, 1, (npy_intp[]){p->batch}, &p->mean, &p->var);
    if (!results) return NULL;
    int status = NATIVE_OK;
    if (PyArray_SIZE(call.x)) WITHOUT_GIL(status = DISPATCH_FLOAT(call.type, layer_forward, p));
    return norm_end(&call, results, status);
}

BINDING(layer_norm_backward) {
    BIND("layer_norm_backward", 5, "x", "dy", "mean", "var", "gamma", "eps");
    norm_call_t call;
    if (norm_begin(&call, "layer_norm_backward", values[0], 0)) return NULL;
    norm_t *p = &call.norm;
    const void *mean, *var;
    index_t rows = PyArray_Check(values[2]) ? PyArray_SIZE((PyArrayObject *)values[2]) : 0, size = PyArray_SIZE(call.x);
    if (rows < 1 || size % rows || size == 0) {
        if (size || !PyArray_Check(values[4]))
            return PyErr_Format(PyExc_ValueError,
                                "layer_norm_backward(): argument 'mean' must have one element for each row of 'x'");
        if (set_rows(&call, PyArray_SIZE((PyArrayObject *)values[4]))) return NULL;
    } else if (set_rows(&call, size / rows)) {
        return NULL;
    }
    if (norm_take_like(&call, "dy", values[1], 0, &p->dy) || norm_take(&call, "mean", values[2], p->batch, 0, &mean) ||
        norm_take(&call, "var", values[3], p->batch, 0, &var) ||
        norm_take(&call, "gamma", values[4], p->inner, 1, &p->gamma) || norm_take_eps(&call, values[5]))
        return NULL;
    p->mean = (void *)mean;
    p->var = (void *)var;
    PyObject *results = norm_results(&call, 1, (npy_intp[]){p->inner}, &p->dgamma, &p->dbeta);
    if (!results) return NULL;
    int status = NATIVE_OK;
    if (size) WITHOUT_GIL(status = DISPATCH_FLOAT(call.type, layer_backward, p));
    return norm_end(&call, results, status);
}

/* groups must divide the channels. */
static int take_groups(norm_call_t *call, PyObject *value) {
    norm_t *p = &call->norm;
    p->groups = arg_index(call->function, "groups", value, 1);
    if (PyErr_Occurred()) return -1;
    if (p->groups >= 1 && p->channels % p->groups == 0) return 0;
    PyErr_Format(PyExc_ValueError, "%s(): argument 'groups' must divide the %zd channels, got %zd", call->function,
                 (Py_ssize_t)p->channels, (Py_ssize_t)p->groups);
    return -1;
}

BINDING(group_norm) {
    BIND("group_norm", 4, "x", "groups", "gamma", "beta", "eps");
    norm_call_t call;
    if (norm_begin(&call, "group_norm", values[0], 2)) return NULL;
    norm_t *p = &call.norm;
    if (take_groups(&call, values[1]) || norm_take(&call, "gamma", values[2], p->channels, 1, &p->gamma) ||
        norm_take(&call, "beta", values[3], p->channels, 1, &p->beta) || norm_take_eps(&call, values[4]))
        return NULL;
    PyObject *results = norm_results(&call, 2, (npy_intp[]){p->batch, p->groups}, &p->mean, &p->var);
    if (!results) return NULL;
    int status = NATIVE_OK;
    if (PyArray_SIZE(call.x)) WITHOUT_GIL(status = DISPATCH_FLOAT(call.type, group_forward, p));
    return norm_end(&call, results, status);
}

BINDING(group_norm_backward) {
    BIND("group_norm_backward", 6, "x", "dy", "mean", "var", "groups", "gamma", "eps");
    norm_call_t call;
    if (norm_begin(&call, "group_norm_backward", values[0], 2)) return NULL;
    norm_t *p = &call.norm;
    const void *mean, *var;
    if (take_groups(&call, values[4]) || norm_take_like(&call, "dy", values[1], 0, &p->dy) ||
        norm_take(&call, "mean", values[2], p->batch * p->groups, 0, &mean) ||
        norm_take(&call, "var", values[3], p->batch * p->groups, 0, &var) ||
        norm_take(&call, "gamma", values[5], p->channels, 1, &p->gamma) || norm_take_eps(&call, values[6]))
        return NULL;
    p->mean = (void *)mean;
    p->var = (void *)var;
    PyObject *results = norm_results(&call, 1, (npy_intp[]){p->channels}, &p->dgamma, &p->dbeta);
    if (!results) return NULL;
    int status = NATIVE_OK;
    if (PyArray_SIZE(call.x)) WITHOUT_GIL(status = DISPATCH_FLOAT(call.type, group_backward, p));
    return norm_end(&call, results, status);
}

PyMethodDef layernorm_methods[] = {
    METHOD(layer_norm, "layer_norm(x, gamma, beta, eps=1e-5, columns=None) -> (y, mean, var)"),
    METHOD(layer_norm_backward, "layer_norm_backward(x, dy, mean, var, gamma, eps=1e-5) -> (dx, dgamma, dbeta)"),
    METHOD(group_norm, "group_norm(x, groups, gamma, beta, eps=1e-5) -> (y, mean, var)"),
    METHOD(group_norm_backward,
           "group_norm_backward(x, dy, mean, var, groups, gamma, eps=1e-5) -> (dx, dgamma, dbeta)"),
    {0}};

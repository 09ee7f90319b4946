/* Batch normalisation: training, its gradient, and with given statistics. */
#define _GNU_SOURCE
#include "norm_args.h"

/* The activation behind it: 0, 1 or RELU6; -1 with an exception. */
static int act_arg(const char *function, PyObject *value, int otherwise) {
    const index_t act = arg_index(function, "relu", value, otherwise);
    if (PyErr_Occurred()) return -1;
    if (act >= 0 && act <= RELU6) return (int)act;
    PyErr_Format(PyExc_ValueError, "%s(): argument 'relu' must be 0 (none), 1 (ReLU) or 2 (limited to 6), got %zd", function, act);
    return -1;
}

BINDING(batch_norm) {
    BIND("batch_norm", 3, "x", "gamma", "beta", "eps", "relu");
    norm_call_t call;
    if (norm_begin(&call, "batch_norm", values[0], 2)) return NULL;
    norm_t *p = &call.norm;
    p->relu = act_arg("batch_norm", values[4], 0);
    if (p->relu < 0 || norm_take(&call, "gamma", values[1], p->channels, 1, &p->gamma) ||
        norm_take(&call, "beta", values[2], p->channels, 1, &p->beta) || norm_take_eps(&call, values[3]))
        return NULL;
    PyObject *results = norm_results(&call, 1, (npy_intp[]){p->channels}, &p->mean, &p->var);
    if (!results) return NULL;
    int status = NATIVE_OK;
    if (PyArray_SIZE(call.x)) WITHOUT_GIL(status = DISPATCH_FLOAT(call.type, batch_forward, p));
    return norm_end(&call, results, status);
}

BINDING(batch_norm_backward) {
    BIND("batch_norm_backward", 5, "x", "dy", "mean", "var", "gamma", "eps", "y", "relu");
    norm_call_t call;
    if (norm_begin(&call, "batch_norm_backward", values[0], 2)) return NULL;
    norm_t *p = &call.norm;
    const void *mean, *var;
    p->relu = act_arg("batch_norm_backward", values[7], 1);
    if (p->relu < 0 || norm_take_like(&call, "dy", values[1], 0, &p->dy) ||
        norm_take(&call, "mean", values[2], p->channels, 0, &mean) ||
        norm_take(&call, "var", values[3], p->channels, 0, &var) ||
        norm_take(&call, "gamma", values[4], p->channels, 1, &p->gamma) || norm_take_eps(&call, values[5]) ||
        norm_take_like(&call, "y", values[6], 1, &p->kept_y))
        return NULL;
    p->mean = (void *)mean;
    p->var = (void *)var;
    PyObject *results = norm_results(&call, 1, (npy_intp[]){p->channels}, &p->dgamma, &p->dbeta);
    if (!results) return NULL;
    int status = NATIVE_OK;
    if (PyArray_SIZE(call.x)) WITHOUT_GIL(status = DISPATCH_FLOAT(call.type, batch_backward, p));
    return norm_end(&call, results, status);
}

BINDING(batch_norm_eval) {
    BIND("batch_norm_eval", 5, "x", "mean", "var", "gamma", "beta", "eps", "relu", "out");
    norm_call_t call;
    if (norm_begin(&call, "batch_norm_eval", values[0], 2)) return NULL;
    norm_t *p = &call.norm;
    const void *mean, *var;
    p->relu = act_arg("batch_norm_eval", values[6], 0);
    if (p->relu < 0 || norm_take(&call, "mean", values[1], p->channels, 0, &mean) ||
        norm_take(&call, "var", values[2], p->channels, 0, &var) ||
        norm_take(&call, "gamma", values[3], p->channels, 1, &p->gamma) ||
        norm_take(&call, "beta", values[4], p->channels, 1, &p->beta) || norm_take_eps(&call, values[5]))
        return NULL;
    PyArrayObject *y = out_like("batch_norm_eval", values[7], call.x);
    if (!y) return NULL;
    if (check_overlap("batch_norm_eval", "x", call.x, y)) {
        Py_DECREF(y);
        return NULL;
    }
    p->mean = (void *)mean;
    p->var = (void *)var;
    p->y = PyArray_DATA(y);
    int status = NATIVE_OK;
    if (PyArray_SIZE(call.x)) WITHOUT_GIL(status = DISPATCH_FLOAT(call.type, batch_eval, p));
    return norm_end(&call, (PyObject *)y, status);
}

PyMethodDef batchnorm_methods[] = {
    METHOD(batch_norm, "batch_norm(x, gamma, beta, eps=1e-5, relu=0) -> (y, mean, var)"),
    METHOD(batch_norm_backward,
           "batch_norm_backward(x, dy, mean, var, gamma, eps=1e-5, y=None, relu=1) -> (dx, dgamma, dbeta)"),
    METHOD(batch_norm_eval, "batch_norm_eval(x, mean, var, gamma, beta, eps=1e-5, relu=0, out=None) -> y"),
    {0}};

/* Optimizer steps on whole groups of parameters, one call each, and what gradient clipping needs.
 *
 * Formulae: m, v and so on as in the docstrings below; the rules themselves are in optim.inc. Parameters, gradients
 * and states come as lists of arrays, all of one type (float32 or float64), C-contiguous, equal in size place by place.
 * Numbers that may differ between parameters (lr, l2, weight_decay, scale) are one number or a list of them. */
#define _GNU_SOURCE
#include "args.h"

#include <math.h>
#if NATIVE_X86
#include <immintrin.h>
#endif

#include "optim.h"

#define BODY "optim.inc"
#define BODY_TYPES 2
#include "multiversion.h"

#define MAX_LISTS 8

typedef struct {
    const char *function;
    int type;
    group_t group;
    PyObject *held[MAX_LISTS]; /* tuples that keep the arrays alive while the GIL is released */
    int lists;
} call_t;

static void call_end(call_t *call) {
    for (int i = 0; i < call->lists; i++) Py_DECREF(call->held[i]);
    call->lists = 0;
    PyMem_Free(call->group.tensor);
    PyMem_Free(call->group.partial);
    call->group.tensor = NULL;
    call->group.partial = NULL;
}

/* A list argument as a tuple that the call keeps; its length must be the group's. */
static PyObject *hold_list(call_t *call, const char *name, PyObject *value) {
    if (!PyList_Check(value) && !PyTuple_Check(value)) {
        PyErr_Format(PyExc_TypeError, "%s(): argument '%s' must be a list or tuple of arrays, got %s", call->function,
                     name, Py_TYPE(value)->tp_name);
        return NULL;
    }
    PyObject *tuple = PySequence_Tuple(value);
    if (!tuple) return NULL;
    call->held[call->lists++] = tuple;
    if (call->lists > 1 && PyTuple_GET_SIZE(tuple) != call->group.count) {
        PyErr_Format(PyExc_ValueError, "%s(): argument '%s' must have %zd arrays, got %zd", call->function, name,
                     (Py_ssize_t)call->group.count, PyTuple_GET_SIZE(tuple));
        return NULL;
    }
    return tuple;
}

/* Fill array[slot] of every tensor from a list. */
static int take_arrays(call_t *call, const char *name, PyObject *value, int slot, int writeable) {
    PyObject *tuple = hold_list(call, name, value);
    if (!tuple) return -1;
    for (index_t i = 0; i < call->group.count; i++) {
        PyObject *item = PyTuple_GET_ITEM(tuple, i);
        PyArrayObject *array = writeable ? arg_output(call->function, name, item, call->type, -1)
                                         : arg_array(call->function, name, item, call->type, -1);
        if (!array) return -1;
        group_tensor_t *tensor = &call->group.tensor[i];
        if (slot > 0 && PyArray_SIZE(array) != tensor->size) {
            PyErr_Format(PyExc_ValueError,
                         "%s(): argument '%s' must have arrays of the parameters' sizes: number %zd has %zd "
                         "elements, its parameter %zd",
                         call->function, name, (Py_ssize_t)i, (Py_ssize_t)PyArray_SIZE(array),
                         (Py_ssize_t)tensor->size);
            return -1;
        }
        tensor->array[slot] = PyArray_DATA(array);
        tensor->size = PyArray_SIZE(array);
    }
    return 0;
}

/* Start a call whose slot 0 is the list `value`: type, sizes and the division into chunks come from it. */
static int call_begin(call_t *call, const char *function, enum group_rule rule, const char *name, PyObject *value,
                      int writeable) {
    memset(call, 0, sizeof *call);
    call->function = function;
    call->group.rule = rule;
    call->type = NPY_FLOAT;
    if (!PyList_Check(value) && !PyTuple_Check(value)) {
        PyErr_Format(PyExc_TypeError, "%s(): argument '%s' must be a list or tuple of arrays, got %s", function, name,
                     Py_TYPE(value)->tp_name);
        return -1;
    }
    group_t *group = &call->group;
    group->count = PySequence_Fast_GET_SIZE(value);
    if (group->count > 0 && (call->type = arg_float_type(function, name, PySequence_Fast_GET_ITEM(value, 0))) < 0)
        return -1;
    group->tensor = PyMem_Calloc((size_t)max_of(group->count, 1), sizeof *group->tensor);
    if (!group->tensor) {
        PyErr_NoMemory();
        return -1;
    }
    if (take_arrays(call, name, value, 0, writeable)) goto failed;
    for (index_t i = 0; i < group->count; i++) {
        group->tensor[i].first_chunk = group->chunks;
        group->chunks += ceil_div(group->tensor[i].size, GROUP_CHUNK);
        group->elements += group->tensor[i].size;
    }
    if (rule == RULE_SUM_SQUARES || rule == RULE_ALL_FINITE || rule == RULE_LAMB_MOMENTS) {
        group->partial = PyMem_Calloc((size_t)max_of(group->chunks, 1), sizeof *group->partial);
        if (!group->partial) {
            PyErr_NoMemory();
            goto failed;
        }
    }
    return 0;
failed:
    call_end(call);
    return -1;
}

/* factor[slot] of every tensor: one number for all, or a list with one each. */
static int take_numbers(call_t *call, const char *name, PyObject *value, int slot, double fallback) {
    int sequence = value && (PyList_Check(value) || PyTuple_Check(value));
    if (sequence && PySequence_Fast_GET_SIZE(value) != call->group.count) {
        PyErr_Format(PyExc_ValueError, "%s(): argument '%s' must be a number or have %zd of them, got %zd",
                     call->function, name, (Py_ssize_t)call->group.count, PySequence_Fast_GET_SIZE(value));
        return -1;
    }
    double number = sequence ? 0 : arg_double(call->function, name, value, fallback);
    if (number == -1 && PyErr_Occurred()) return -1;
    for (index_t i = 0; i < call->group.count; i++) {
        if (sequence) {
            number = arg_double(call->function, name, PySequence_Fast_GET_ITEM(value, i), fallback);
            if (number == -1 && PyErr_Occurred()) return -1;
        }
        call->group.tensor[i].factor[slot] = number;
    }
    return 0;
}

/* A list of one-element arrays that hold the running powers of beta. */
static int take_powers(call_t *call, const char *name, PyObject *value, PyObject **powers) {
    *powers = hold_list(call, name, value);
    if (!*powers) return -1;
    for (index_t i = 0; i < call->group.count; i++) {
        PyObject *item = PyTuple_GET_ITEM(*powers, i);
        int type = arg_float_type(call->function, name, item);
        if (type < 0) return -1;
        PyArrayObject *array = arg_output(call->function, name, item, type, -1);
        if (!array) return -1;
        if (PyArray_SIZE(array) != 1) {
            PyErr_Format(PyExc_ValueError, "%s(): argument '%s' must have one-element arrays, got one with %zd",
                         call->function, name, (Py_ssize_t)PyArray_SIZE(array));
            return -1;
        }
    }
    return 0;
}

/* The power before this step; the array gets the next one. */
static double use_power(PyObject *powers, index_t i, double beta) {
    PyArrayObject *array = (PyArrayObject *)PyTuple_GET_ITEM(powers, i);
    double power;
    if (PyArray_TYPE(array) == NPY_FLOAT) {
        float *data = PyArray_DATA(array);
        power = *data;
        *data = (float)(*data * (float)beta);
    } else {
        double *data = PyArray_DATA(array);
        power = *data;
        *data *= beta;
    }
    return power;
}

static void run(call_t *call) {
    group_t *group = &call->group;
    WITHOUT_GIL(if (call->type == NPY_FLOAT) DISPATCH(f32, group_run, group); else DISPATCH(f64, group_run, group));
}

static PyObject *finish(call_t *call, int failed) {
    if (!failed) run(call);
    call_end(call);
    if (failed) return NULL;
    Py_RETURN_NONE;
}

BINDING(sgd_group) {
    BIND("sgd_group", 3, "params", "grads", "lr", "l2", "scale");
    call_t call;
    if (call_begin(&call, "sgd_group", RULE_SGD, "params", values[0], 1)) return NULL;
    return finish(&call, take_arrays(&call, "grads", values[1], 1, 0) || take_numbers(&call, "lr", values[2], 0, 0) ||
                             take_numbers(&call, "l2", values[3], 2, 0) ||
                             take_numbers(&call, "scale", values[4], 1, 1));
}

BINDING(momentum_group) {
    BIND("momentum_group", 5, "params", "grads", "velocity", "lr", "momentum", "nesterov", "l2", "scale");
    int nesterov = arg_bool("momentum_group", "nesterov", values[5], 0);
    if (nesterov < 0) return NULL;
    call_t call;
    if (call_begin(&call, "momentum_group", nesterov ? RULE_NESTEROV : RULE_MOMENTUM, "params", values[0], 1))
        return NULL;
    return finish(&call,
                  take_arrays(&call, "grads", values[1], 1, 0) || take_arrays(&call, "velocity", values[2], 2, 1) ||
                      take_numbers(&call, "lr", values[3], 0, 0) || take_numbers(&call, "momentum", values[4], 3, 0) ||
                      take_numbers(&call, "l2", values[6], 2, 0) || take_numbers(&call, "scale", values[7], 1, 1));
}

BINDING(adam_group) {
    BIND("adam_group", 7, "params", "grads", "m", "v", "beta1_pow", "beta2_pow", "lr", "beta1", "beta2", "eps",
         "weight_decay", "l2", "scale", "raw_eps");
    int raw_eps = arg_bool("adam_group", "raw_eps", values[13], 0);
    if (raw_eps < 0) return NULL;
    call_t call;
    PyObject *power1, *power2;
    if (call_begin(&call, "adam_group", RULE_ADAM, "params", values[0], 1)) return NULL;
    int failed = take_arrays(&call, "grads", values[1], 1, 0) || take_arrays(&call, "m", values[2], 2, 1) ||
                 take_arrays(&call, "v", values[3], 3, 1) || take_powers(&call, "beta1_pow", values[4], &power1) ||
                 take_powers(&call, "beta2_pow", values[5], &power2) || take_numbers(&call, "lr", values[6], 0, 0) ||
                 take_numbers(&call, "beta1", values[7], 3, 0.9) || take_numbers(&call, "beta2", values[8], 4, 0.999) ||
                 take_numbers(&call, "eps", values[9], 5, 1e-8) ||
                 take_numbers(&call, "weight_decay", values[10], 6, 0) || take_numbers(&call, "l2", values[11], 2, 0) ||
                 take_numbers(&call, "scale", values[12], 1, 1);
    for (index_t i = 0; !failed && i < call.group.count; i++) {
        double *factor = call.group.tensor[i].factor;
        double left1 = 1 - use_power(power1, i, factor[3]), root2 = sqrt(1 - use_power(power2, i, factor[4]));
        factor[6] = 1 - factor[0] * factor[6];
        factor[0] *= root2 / left1;
        if (!raw_eps) factor[5] *= root2;
    }
    return finish(&call, failed);
}

BINDING(adamax_group) {
    BIND("adamax_group", 6, "params", "grads", "m", "u", "beta1_pow", "lr", "beta1", "beta2", "eps", "l2", "scale");
    call_t call;
    PyObject *power1;
    if (call_begin(&call, "adamax_group", RULE_ADAMAX, "params", values[0], 1)) return NULL;
    int failed = take_arrays(&call, "grads", values[1], 1, 0) || take_arrays(&call, "m", values[2], 2, 1) ||
                 take_arrays(&call, "u", values[3], 3, 1) || take_powers(&call, "beta1_pow", values[4], &power1) ||
                 take_numbers(&call, "lr", values[5], 0, 0) || take_numbers(&call, "beta1", values[6], 3, 0.9) ||
                 take_numbers(&call, "beta2", values[7], 4, 0.999) || take_numbers(&call, "eps", values[8], 5, 1e-8) ||
                 take_numbers(&call, "l2", values[9], 2, 0) || take_numbers(&call, "scale", values[10], 1, 1);
    for (index_t i = 0; !failed && i < call.group.count; i++) {
        double *factor = call.group.tensor[i].factor;
        factor[0] /= 1 - use_power(power1, i, factor[3]);
    }
    return finish(&call, failed);
}

BINDING(adagrad_group) {
    BIND("adagrad_group", 4, "params", "grads", "moment", "lr", "eps", "l2", "scale");
    call_t call;
    if (call_begin(&call, "adagrad_group", RULE_ADAGRAD, "params", values[0], 1)) return NULL;
    return finish(&call,
                  take_arrays(&call, "grads", values[1], 1, 0) || take_arrays(&call, "moment", values[2], 2, 1) ||
                      take_numbers(&call, "lr", values[3], 0, 0) || take_numbers(&call, "eps", values[4], 3, 1e-6) ||
                      take_numbers(&call, "l2", values[5], 2, 0) || take_numbers(&call, "scale", values[6], 1, 1));
}

BINDING(adadelta_group) {
    BIND("adadelta_group", 5, "params", "grads", "mean_square_grad", "mean_square_update", "lr", "rho", "eps", "l2",
         "scale");
    call_t call;
    if (call_begin(&call, "adadelta_group", RULE_ADADELTA, "params", values[0], 1)) return NULL;
    return finish(
        &call,
        take_arrays(&call, "grads", values[1], 1, 0) || take_arrays(&call, "mean_square_grad", values[2], 2, 1) ||
            take_arrays(&call, "mean_square_update", values[3], 3, 1) || take_numbers(&call, "lr", values[4], 0, 0) ||
            take_numbers(&call, "rho", values[5], 3, 0.95) || take_numbers(&call, "eps", values[6], 4, 1e-6) ||
            take_numbers(&call, "l2", values[7], 2, 0) || take_numbers(&call, "scale", values[8], 1, 1));
}

BINDING(rmsprop_group) {
    BIND("rmsprop_group", 5, "params", "grads", "mean_square", "velocity", "lr", "rho", "eps", "momentum", "mean_grad",
         "l2", "scale");
    int centered = !is_none(values[8]);
    call_t call;
    if (call_begin(&call, "rmsprop_group", centered ? RULE_RMSPROP_CENTERED : RULE_RMSPROP, "params", values[0], 1))
        return NULL;
    return finish(
        &call, take_arrays(&call, "grads", values[1], 1, 0) || take_arrays(&call, "mean_square", values[2], 2, 1) ||
                   take_arrays(&call, "velocity", values[3], 3, 1) ||
                   (centered && take_arrays(&call, "mean_grad", values[8], 4, 1)) ||
                   take_numbers(&call, "lr", values[4], 0, 0) || take_numbers(&call, "rho", values[5], 3, 0.95) ||
                   take_numbers(&call, "eps", values[6], 4, 1e-6) || take_numbers(&call, "momentum", values[7], 5, 0) ||
                   take_numbers(&call, "l2", values[9], 2, 0) || take_numbers(&call, "scale", values[10], 1, 1));
}

/* ||p|| / ||r|| of one tensor from its chunks' sums, or 1 where either is 0. */
static double trust_ratio(const group_t *group, index_t i) {
    double sums[2] = {0, 0};
    index_t end = i + 1 < group->count ? group->tensor[i + 1].first_chunk : group->chunks;
    for (index_t chunk = group->tensor[i].first_chunk; chunk < end; chunk++) {
        sums[0] += group->partial[chunk][0];
        sums[1] += group->partial[chunk][1];
    }
    return sums[0] > 0 && sums[1] > 0 ? sqrt(sums[0] / sums[1]) : 1;
}

BINDING(lamb_group) {
    BIND("lamb_group", 7, "params", "grads", "m", "v", "beta1_pow", "beta2_pow", "lr", "beta1", "beta2", "eps",
         "weight_decay", "scale");
    call_t call;
    PyObject *power1, *power2;
    if (call_begin(&call, "lamb_group", RULE_LAMB_MOMENTS, "params", values[0], 1)) return NULL;
    int failed = take_arrays(&call, "grads", values[1], 1, 0) || take_arrays(&call, "m", values[2], 2, 1) ||
                 take_arrays(&call, "v", values[3], 3, 1) || take_powers(&call, "beta1_pow", values[4], &power1) ||
                 take_powers(&call, "beta2_pow", values[5], &power2) || take_numbers(&call, "lr", values[6], 2, 0) ||
                 take_numbers(&call, "beta1", values[7], 3, 0.9) || take_numbers(&call, "beta2", values[8], 4, 0.999) ||
                 take_numbers(&call, "eps", values[9], 5, 1e-6) ||
                 take_numbers(&call, "weight_decay", values[10], 0, 0.01) ||
                 take_numbers(&call, "scale", values[11], 1, 1);
    for (index_t i = 0; !failed && i < call.group.count; i++) {
        double *factor = call.group.tensor[i].factor;
        factor[7] = 1 / (1 - use_power(power1, i, factor[3]));
        factor[6] = 1 / (1 - use_power(power2, i, factor[4]));
    }
    if (!failed) {
        run(&call);
        for (index_t i = 0; i < call.group.count; i++) {
            double *factor = call.group.tensor[i].factor, lr = factor[2];
            factor[2] = factor[0];
            factor[0] = lr * trust_ratio(&call.group, i);
        }
        call.group.rule = RULE_LAMB_APPLY;
    }
    return finish(&call, failed);
}

BINDING(sum_squares) {
    BIND("sum_squares", 1, "arrays");
    call_t call;
    if (call_begin(&call, "sum_squares", RULE_SUM_SQUARES, "arrays", values[0], 0)) return NULL;
    run(&call);
    double total = 0;
    for (index_t chunk = 0; chunk < call.group.chunks; chunk++) total += call.group.partial[chunk][0];
    call_end(&call);
    return PyFloat_FromDouble(total);
}

BINDING(all_finite) {
    BIND("all_finite", 1, "arrays");
    call_t call;
    if (call_begin(&call, "all_finite", RULE_ALL_FINITE, "arrays", values[0], 0)) return NULL;
    run(&call);
    int finite = 1;
    for (index_t chunk = 0; chunk < call.group.chunks; chunk++) finite &= call.group.partial[chunk][0] == 0;
    call_end(&call);
    return PyBool_FromLong(finite);
}

BINDING(scale_group) {
    BIND("scale_group", 2, "arrays", "factor");
    call_t call;
    if (call_begin(&call, "scale_group", RULE_SCALE, "arrays", values[0], 1)) return NULL;
    return finish(&call, take_numbers(&call, "factor", values[1], 0, 1));
}

BINDING(clip_group) {
    BIND("clip_group", 3, "arrays", "low", "high");
    call_t call;
    if (call_begin(&call, "clip_group", RULE_CLIP, "arrays", values[0], 1)) return NULL;
    return finish(&call, take_numbers(&call, "low", values[1], 0, 0) || take_numbers(&call, "high", values[2], 1, 0));
}

PyMethodDef optim_methods[] = {
    METHOD(sgd_group,
           "sgd_group(params, grads, lr, l2=0, scale=1): p -= lr g, with g = scale * grad + l2 * p here and below."),
    METHOD(momentum_group,
           "momentum_group(params, grads, velocity, lr, momentum, nesterov=False, l2=0, scale=1): "
           "v = mu v + g; p -= lr v, or lr (g + mu v)."),
    METHOD(adam_group,
           "adam_group(params, grads, m, v, beta1_pow, beta2_pow, lr, beta1=0.9, beta2=0.999, eps=1e-8, "
           "weight_decay=0, l2=0, scale=1, raw_eps=False): Adam (l2) or AdamW (weight_decay); multiplies the powers. "
           "raw_eps: eps is added to the root of v as it is, not of the corrected v."),
    METHOD(adamax_group,
           "adamax_group(params, grads, m, u, beta1_pow, lr, beta1=0.9, beta2=0.999, eps=1e-8, l2=0, scale=1)"),
    METHOD(adagrad_group, "adagrad_group(params, grads, moment, lr, eps=1e-6, l2=0, scale=1)"),
    METHOD(
        adadelta_group,
        "adadelta_group(params, grads, mean_square_grad, mean_square_update, lr, rho=0.95, eps=1e-6, l2=0, scale=1)"),
    METHOD(rmsprop_group,
           "rmsprop_group(params, grads, mean_square, velocity, lr, rho=0.95, eps=1e-6, momentum=0, "
           "mean_grad=None, l2=0, scale=1): centered if mean_grad is given."),
    METHOD(lamb_group,
           "lamb_group(params, grads, m, v, beta1_pow, beta2_pow, lr, beta1=0.9, beta2=0.999, eps=1e-6, "
           "weight_decay=0.01, scale=1)"),
    METHOD(sum_squares, "sum_squares(arrays) -> float: over all elements of all arrays, in double precision."),
    METHOD(all_finite, "all_finite(arrays) -> bool: no NaN and no infinity in any of them."),
    METHOD(scale_group, "scale_group(arrays, factor): multiply in place; factor is a number or a list with one each."),
    METHOD(clip_group, "clip_group(arrays, low, high): limit every element in place; NaN stays."),
    {0}};

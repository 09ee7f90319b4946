/* LSTM, GRU and simple recurrent sequences, forward and backward. The input projections and the gradients of the
 * weights are plain matrix products over all steps and stay with the caller; see docs/kernels-elementwise.md. */
#define _GNU_SOURCE
#include "outputs.h"

#include "rnn.h"

typedef struct {
    const char *function;
    int type;
    rnn_t rnn;
} rnn_call_t;

/* Sizes from an array [N, T, width]; width is a whole number of gates. Returns it, or NULL. */
static PyArrayObject *take_sequence(rnn_call_t *call, const char *name, PyObject *value, int writeable) {
    call->type = arg_float_type(call->function, name, value);
    if (call->type < 0) return NULL;
    PyArrayObject *x = writeable ? arg_output(call->function, name, value, call->type, 3)
                                 : arg_array(call->function, name, value, call->type, 3);
    if (!x) return NULL;
    rnn_t *r = &call->rnn;
    if (PyArray_DIM(x, 2) % r->gates) {
        PyErr_Format(PyExc_ValueError, "%s(): the last axis of '%s' must be a multiple of %zd, got %zd", call->function,
                     name, (Py_ssize_t)r->gates, (Py_ssize_t)PyArray_DIM(x, 2));
        return NULL;
    }
    r->batch = PyArray_DIM(x, 0);
    r->steps = PyArray_DIM(x, 1);
    r->hidden = PyArray_DIM(x, 2) / r->gates;
    return x;
}

/* An input of exactly this shape; None is allowed (and gives NULL) if `optional`. */
static int take_shaped(rnn_call_t *call, const char *name, PyObject *value, int optional, int ndim,
                       const npy_intp *shape, const void **data) {
    *data = NULL;
    if (optional && is_none(value)) return 0;
    PyArrayObject *array = arg_array(call->function, name, value, call->type, ndim);
    if (!array || check_shape(call->function, name, array, ndim, shape)) return -1;
    *data = PyArray_DATA(array);
    return 0;
}

#define SHAPE_STATES(r) \
    2, (npy_intp[]) { (r)->batch, (r)->hidden }
#define SHAPE_SEQUENCE(r) \
    3, (npy_intp[]) { (r)->batch, (r)->steps, (r)->hidden }
#define SHAPE_GATES(r) \
    3, (npy_intp[]) { (r)->batch, (r)->steps, (r)->gates *(r)->hidden }

static int take_weights(rnn_call_t *call, PyObject *w, PyObject *bias) {
    rnn_t *r = &call->rnn;
    return take_shaped(call, "w_hh", w, 0, 2, (npy_intp[]){r->gates * r->hidden, r->hidden}, &r->w) ||
           take_shaped(call, "b_hh", bias, 1, 1, (npy_intp[]){r->gates * r->hidden}, &r->bias);
}

static int take_direction(rnn_call_t *call, PyObject *reverse, PyObject *lengths) {
    rnn_t *r = &call->rnn;
    r->reverse = arg_bool(call->function, "reverse", reverse, 0);
    if (r->reverse < 0) return -1;
    if (is_none(lengths)) return 0;
    PyArrayObject *array = arg_array(call->function, "lengths", lengths, NPY_INT64, 1);
    if (!array || CHECK_SHAPE(call->function, "lengths", array, r->batch)) return -1;
    r->lengths = PyArray_DATA(array);
    return 0;
}

/* A new [N, H] array with the content of `value`, or zeros if that is None. */
static PyArrayObject *copy_state(rnn_call_t *call, const char *name, PyObject *value, int optional, void **data) {
    const void *from;
    if (take_shaped(call, name, value, optional, SHAPE_STATES(&call->rnn), &from)) return NULL;
    PyArrayObject *copy = new_array(call->type, SHAPE_STATES(&call->rnn));
    if (!copy) return NULL;
    *data = PyArray_DATA(copy);
    if (from) memcpy(*data, from, (size_t)PyArray_NBYTES(copy));
    else memset(*data, 0, (size_t)PyArray_NBYTES(copy));
    return copy;
}

static PyArrayObject *new_output(rnn_call_t *call, int ndim, const npy_intp *shape, void **data) {
    PyArrayObject *array = new_array(call->type, ndim, shape);
    if (array) *data = PyArray_DATA(array);
    return array;
}

static int run(rnn_call_t *call, int backward) {
    rnn_t *r = &call->rnn;
    int status = NATIVE_OK;
    if (r->batch && r->steps && r->hidden)
        WITHOUT_GIL(status = backward ? DISPATCH_FLOAT(call->type, rnn_backward_run, r) : DISPATCH_FLOAT(call->type, rnn_run, r));
    return check_status(call->function, status);
}

/* Results in a tuple; on failure everything is given back. NULLs at the end are left out. */
static PyObject *results(int failed, PyArrayObject *a, PyArrayObject *b, PyArrayObject *c, PyArrayObject *d) {
    if (failed) {
        Py_XDECREF(a);
        Py_XDECREF(b);
        Py_XDECREF(c);
        Py_XDECREF(d);
        return NULL;
    }
    return d ? Py_BuildValue("NNNN", a, b, c, d) : c ? Py_BuildValue("NNN", a, b, c) : Py_BuildValue("NN", a, b);
}

BINDING(lstm) {
    BIND("lstm", 4, "xp", "h0", "c0", "w_hh", "b_hh", "reverse", "lengths");
    rnn_call_t call = {.function = "lstm", .rnn = {.cell = CELL_LSTM, .gates = 4}};
    rnn_t *r = &call.rnn;
    PyArrayObject *xp = take_sequence(&call, "xp", values[0], 1);
    if (!xp || take_weights(&call, values[3], values[4]) || take_direction(&call, values[5], values[6])) return NULL;
    r->gate = PyArray_DATA(xp);
    PyArrayObject *h = copy_state(&call, "h0", values[1], 0, &r->h),
                  *c = h ? copy_state(&call, "c0", values[2], 0, &r->c) : NULL;
    PyArrayObject *y = c ? new_output(&call, SHAPE_SEQUENCE(r), &r->y) : NULL;
    PyArrayObject *cells = y ? new_output(&call, SHAPE_SEQUENCE(r), &r->side) : NULL;
    return results(!cells || run(&call, 0), y, h, c, cells);
}

BINDING(lstm_backward) {
    BIND("lstm_backward", 5, "gates", "cells", "c0", "w_hh", "dy", "dh", "dc", "reverse", "lengths");
    rnn_call_t call = {.function = "lstm_backward", .rnn = {.cell = CELL_LSTM, .gates = 4}};
    rnn_t *r = &call.rnn;
    const void *cells;
    PyArrayObject *gates = take_sequence(&call, "gates", values[0], 0);
    if (!gates || take_shaped(&call, "cells", values[1], 0, SHAPE_SEQUENCE(r), &cells) ||
        take_shaped(&call, "c0", values[2], 0, SHAPE_STATES(r), &r->c0) || take_weights(&call, values[3], NULL) ||
        take_shaped(&call, "dy", values[4], 1, SHAPE_SEQUENCE(r), &r->dy) ||
        take_direction(&call, values[7], values[8]))
        return NULL;
    r->gate = PyArray_DATA(gates);
    r->side = (void *)cells;
    PyArrayObject *dh = copy_state(&call, "dh", values[5], 1, &r->dh),
                  *dc = dh ? copy_state(&call, "dc", values[6], 1, &r->dc) : NULL;
    PyArrayObject *dxp = dc ? new_output(&call, SHAPE_GATES(r), &r->dgate) : NULL;
    r->projected = r->dgate;
    return results(!dxp || run(&call, 1), dxp, dh, dc, NULL);
}

BINDING(gru) {
    BIND("gru", 3, "xp", "h0", "w_hh", "b_hh", "reverse", "lengths");
    rnn_call_t call = {.function = "gru", .rnn = {.cell = CELL_GRU, .gates = 3}};
    rnn_t *r = &call.rnn;
    PyArrayObject *xp = take_sequence(&call, "xp", values[0], 1);
    if (!xp || take_weights(&call, values[2], values[3]) || take_direction(&call, values[4], values[5])) return NULL;
    r->gate = PyArray_DATA(xp);
    PyArrayObject *h = copy_state(&call, "h0", values[1], 0, &r->h),
                  *y = h ? new_output(&call, SHAPE_SEQUENCE(r), &r->y) : NULL;
    PyArrayObject *hidden_c = y ? new_output(&call, SHAPE_SEQUENCE(r), &r->side) : NULL;
    return results(!hidden_c || run(&call, 0), y, h, hidden_c, NULL);
}

BINDING(gru_backward) {
    BIND("gru_backward", 6, "gates", "hidden_c", "y", "h0", "w_hh", "dy", "dh", "reverse", "lengths");
    rnn_call_t call = {.function = "gru_backward", .rnn = {.cell = CELL_GRU, .gates = 3}};
    rnn_t *r = &call.rnn;
    const void *hidden_c, *y;
    PyArrayObject *gates = take_sequence(&call, "gates", values[0], 0);
    if (!gates || take_shaped(&call, "hidden_c", values[1], 0, SHAPE_SEQUENCE(r), &hidden_c) ||
        take_shaped(&call, "y", values[2], 0, SHAPE_SEQUENCE(r), &y) ||
        take_shaped(&call, "h0", values[3], 0, SHAPE_STATES(r), &r->h0) || take_weights(&call, values[4], NULL) ||
        take_shaped(&call, "dy", values[5], 1, SHAPE_SEQUENCE(r), &r->dy) ||
        take_direction(&call, values[7], values[8]))
        return NULL;
    r->gate = PyArray_DATA(gates);
    r->side = (void *)hidden_c;
    r->y = (void *)y;
    PyArrayObject *dh = copy_state(&call, "dh", values[6], 1, &r->dh);
    PyArrayObject *dhp = dh ? new_output(&call, SHAPE_GATES(r), &r->projected) : NULL;
    PyArrayObject *dxp = dhp ? new_output(&call, SHAPE_GATES(r), &r->dgate) : NULL;
    return results(!dxp || run(&call, 1), dxp, dhp, dh, NULL);
}

BINDING(simple_rnn) {
    BIND("simple_rnn", 3, "xp", "h0", "w_hh", "b_hh", "relu", "reverse", "lengths");
    rnn_call_t call = {.function = "simple_rnn", .rnn = {.gates = 1}};
    rnn_t *r = &call.rnn;
    int relu = arg_bool("simple_rnn", "relu", values[4], 0);
    if (relu < 0) return NULL;
    r->cell = relu ? CELL_RELU : CELL_TANH;
    PyArrayObject *xp = take_sequence(&call, "xp", values[0], 1);
    if (!xp || take_weights(&call, values[2], values[3]) || take_direction(&call, values[5], values[6])) return NULL;
    r->gate = PyArray_DATA(xp);
    PyArrayObject *h = copy_state(&call, "h0", values[1], 0, &r->h),
                  *y = h ? new_output(&call, SHAPE_SEQUENCE(r), &r->y) : NULL;
    return results(!y || run(&call, 0), y, h, NULL, NULL);
}

BINDING(simple_rnn_backward) {
    BIND("simple_rnn_backward", 3, "y", "w_hh", "dy", "dh", "relu", "reverse", "lengths");
    rnn_call_t call = {.function = "simple_rnn_backward", .rnn = {.gates = 1}};
    rnn_t *r = &call.rnn;
    int relu = arg_bool("simple_rnn_backward", "relu", values[4], 0);
    if (relu < 0) return NULL;
    r->cell = relu ? CELL_RELU : CELL_TANH;
    PyArrayObject *y = take_sequence(&call, "y", values[0], 0);
    if (!y || take_weights(&call, values[1], NULL) ||
        take_shaped(&call, "dy", values[2], 1, SHAPE_SEQUENCE(r), &r->dy) ||
        take_direction(&call, values[5], values[6]))
        return NULL;
    r->y = PyArray_DATA(y);
    PyArrayObject *dh = copy_state(&call, "dh", values[3], 1, &r->dh);
    PyArrayObject *dxp = dh ? new_output(&call, SHAPE_GATES(r), &r->dgate) : NULL;
    r->projected = r->dgate;
    return results(!dxp || run(&call, 1), dxp, dh, NULL, NULL);
}

BINDING(rnn_previous) {
    BIND("rnn_previous", 2, "y", "h0", "reverse", "lengths");
    rnn_call_t call = {.function = "rnn_previous", .rnn = {.gates = 1}};
    rnn_t *r = &call.rnn;
    PyArrayObject *y = take_sequence(&call, "y", values[0], 0);
    if (!y || take_shaped(&call, "h0", values[1], 0, SHAPE_STATES(r), &r->h0) ||
        take_direction(&call, values[2], values[3]))
        return NULL;
    r->y = PyArray_DATA(y);
    PyArrayObject *out = new_output(&call, SHAPE_SEQUENCE(r), &r->side);
    if (!out) return NULL;
    if (PyArray_SIZE(out)) WITHOUT_GIL(DISPATCH_FLOAT(call.type, rnn_previous_run, r));
    return (PyObject *)out;
}

PyMethodDef rnn_methods[] = {
    METHOD(lstm, "lstm(xp, h0, c0, w_hh, b_hh=None, reverse=False, lengths=None) -> (y, h, c, cells); overwrites xp."),
    METHOD(lstm_backward,
           "lstm_backward(gates, cells, c0, w_hh, dy, dh=None, dc=None, reverse=False, lengths=None) -> (dxp, dh0, dc0)"),
    METHOD(gru, "gru(xp, h0, w_hh, b_hh=None, reverse=False, lengths=None) -> (y, h, hidden_c); overwrites xp."),
    METHOD(gru_backward,
           "gru_backward(gates, hidden_c, y, h0, w_hh, dy, dh=None, reverse=False, lengths=None) -> (dxp, dhp, dh0)"),
    METHOD(simple_rnn,
           "simple_rnn(xp, h0, w_hh, b_hh=None, relu=False, reverse=False, lengths=None) -> (y, h); overwrites xp."),
    METHOD(simple_rnn_backward,
           "simple_rnn_backward(y, w_hh, dy, dh=None, relu=False, reverse=False, lengths=None) -> (dxp, dh0)"),
    METHOD(rnn_previous, "rnn_previous(y, h0, reverse=False, lengths=None) -> the state that went into each step."),
    {0}};

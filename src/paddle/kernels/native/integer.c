/* Bindings of convolutions and products of whole numbers. */
#include "integer.h"

#include "blocked_args.h"

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

/* The result of a convolution or product, whose sizes and x are known; values are what was prepared, factors, and two grids. */
static PyArrayObject *whole_result(const char *name, const conv_t *q, PyObject *const *values, integer_conv_t *i, grid_t *out) {
    if (!is_none(values[0])) {
        PyArrayObject *ready = arg_array(name, "ready", values[0], NPY_FLOAT, 1);
        if (!ready) return NULL;
        if (DISPATCH(f32, integer_fits, q, i->b.plain, PyArray_DATA(ready), PyArray_SIZE(ready))) i->b.ready = PyArray_DATA(ready);
    }
    PyArrayObject *factors = arg_array(name, "factors", values[1], NPY_FLOAT, 1);
    if (!factors || CHECK_SHAPE(name, "factors", factors, q->o)) return NULL;
    i->factors = PyArray_DATA(factors);
    const int rounded = read_grid(name, values + 2, 1, &i->in) < 0 ? -1 : read_grid(name, values + 5, 0, out);
    if (rounded < 0) return NULL;
    const int type = rounded ? NPY_UINT8 : NPY_FLOAT;
    PyArrayObject *y = i->rows ? NEW_LINES(type, q->ow, q->o) : NEW_LINES(type, q->n, blocks_of(q->o), q->oh, q->ow, BLOCK);
    if (y && rounded) i->y = PyArray_DATA(y), i->out = out;
    else if (y) i->b.y = PyArray_DATA(y);
    return y;
}

/* y after the kernel has run; NotImplemented if there was a NaN. */
static PyObject *whole_run(const char *name, const conv_t *q, const integer_conv_t *i, PyArrayObject *y) {
    int status;
    WITHOUT_GIL(status = DISPATCH(f32, integer_conv, q, i))
    if (status == INTEGER_NAN) {
        Py_DECREF(y);
        Py_RETURN_NOTIMPLEMENTED;
    }
    if (check_status(name, status)) Py_CLEAR(y);
    return (PyObject *)y;
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
    PyObject *ends[] = {values[8], values[10], values[11], values[12], values[13], values[14], values[15], values[16]};
    grid_t out;
    PyArrayObject *y = whole_result(name, &q, ends, &i, &out);
    if (!y || PyArray_SIZE(y) == 0) return (PyObject *)y;
    return whole_run(name, &q, &i, y);
}

/* ---- products ---- */

static PyArrayObject *read_matrix(const char *function, PyObject *value) {
    PyArrayObject *w = arg_array(function, "w", value, NPY_INT8, 2);
    if (!w || (PyArray_SIZE(w) && PyArray_DIM(w, 1) <= LONGEST_SUM)) return w;
    PyErr_Format(PyExc_ValueError, "%s(): argument 'w' must not be empty, with rows of at most %d numbers, got %zd x %zd", function, LONGEST_SUM,
                 (Py_ssize_t)PyArray_DIM(w, 0), (Py_ssize_t)PyArray_DIM(w, 1));
    return NULL;
}

BINDING(integer_linear_prepare) {
    BIND("integer_linear_prepare", 1, "w");
    PyArrayObject *w = read_matrix("integer_linear_prepare", values[0]);
    if (!w) return NULL;
    const conv_t q = integer_product(1, PyArray_DIM(w, 0), PyArray_DIM(w, 1));
    PyArrayObject *ready = NEW_ARRAY(NPY_FLOAT, DISPATCH(f32, integer_ready_size, &q));
    if (!ready) return NULL;
    WITHOUT_GIL(DISPATCH(f32, integer_prepare, &q, 1, PyArray_DATA(w), PyArray_DATA(ready)))
    return (PyObject *)ready;
}

BINDING(integer_linear) {
    const char *name = "integer_linear";
    BIND("integer_linear", 9, "x", "w", "bias", "act", "ready", "factors", "scale", "limit", "away", "out_scale", "out_limit", "out_away");
    const int bytes = PyArray_Check(values[0]) && PyArray_TYPE((PyArrayObject *)values[0]) == NPY_UINT8;
    PyArrayObject *x = arg_array(name, "x", values[0], bytes ? NPY_UINT8 : NPY_FLOAT, 2), *w = x ? read_matrix(name, values[1]) : NULL;
    if (!w || CHECK_SHAPE(name, "x", x, PyArray_DIM(x, 0), PyArray_DIM(w, 1))) return NULL;
    const conv_t q = integer_product(PyArray_DIM(x, 0), PyArray_DIM(w, 0), PyArray_DIM(w, 1));
    const void *bias;
    if (conv_bias(name, values[2], NPY_FLOAT, q.o, &bias)) return NULL;
    integer_conv_t i = {.b = {.x = bytes ? NULL : PyArray_DATA(x), .plain = 1, .bias = bias}, .bytes = bytes ? PyArray_DATA(x) : NULL,
                        .w = PyArray_DATA(w), .rows = 1};
    grid_t out;
    if (read_ends(name, values[3], NULL, &q, &i.b)) return NULL;
    PyArrayObject *y = whole_result(name, &q, values + 4, &i, &out);
    if (!y || PyArray_SIZE(y) == 0) return (PyObject *)y;
    return whole_run(name, &q, &i, y);
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

PyMethodDef integer_methods[] = {
    METHOD(integer_linear, "integer_linear(x, w, bias, act, ready, factors, scale, limit, away, out_scale=0, out_limit=127, out_away=False) -> y"),
    METHOD(integer_linear_prepare, "integer_linear_prepare(w) -> weights for integer_linear's `ready`."),
    METHOD(on_grid, "on_grid(x, scale, limit, away) -> x rounded to steps of scale / limit, as floats"),
    METHOD(integer_conv, "integer_conv(x, w, bias, stride, padding, dilation, groups, act, ready, residual, factors, scale, limit, away, out_scale=0, out_limit=127, out_away=False) -> y"),
    METHOD(integer_conv_kind, "integer_conv_kind(x, w, stride, padding, dilation, groups) -> numbers in a word of prepared weights"),
    METHOD(integer_conv_prepare, "integer_conv_prepare(x, w, stride, padding, dilation, groups, kind) -> weights for integer_conv's `ready`."),
    {0}};

/* Dropout: masks from the Mersenne twister, one word an element, and what they do to values and gradients. */
#define _GNU_SOURCE
#include "outputs.h"

#if NATIVE_X86
#include <immintrin.h>
#endif

#include "dropout.h"
#include "twister_args.h"

#define BODY "dropout.inc"
#define BODY_TYPES 2
#include "multiversion.h"

/* p in [0, 1]; -1 with an exception otherwise. */
static double take_probability(const char *function, PyObject *value) {
    double p = arg_double(function, "p", value, 0);
    if (PyErr_Occurred()) return -1;
    if (!(p >= 0 && p <= 1)) {
        PyErr_Format(PyExc_ValueError, "%s(): argument 'p' must be between 0 and 1, got %R", function, value);
        return -1;
    }
    return p;
}

/* The first word whose number in [0, 1), as a float, is not below p: words rise with their numbers. */
static uint64_t first_kept(float p) {
    uint64_t below = 0, above = UINT64_MAX; /* the answer lies in [below, above] */
    while (below < above) {
        uint64_t middle = below + (above - below) / 2;
        if ((float)middle * 0x1p-64f < p) below = middle + 1;
        else above = middle;
    }
    return below;
}

/* What is kept is divided by 1 - p, worked out in float. */
static double kept_divisor(double p, int upscale) { return upscale && (float)p < 1 ? 1.0f - (float)p : 1; }

static void set_probability(dropout_t *d, double p) {
    d->drop_all = (float)p == 1;
    d->drop_below = d->drop_all ? 0 : first_kept((float)p);
}

BINDING(dropout) {
    BIND("dropout", 3, "x", "p", "state", "upscale", "out");
    int type = arg_float_type("dropout", "x", values[0]);
    PyArrayObject *x = type < 0 ? NULL : arg_array("dropout", "x", values[0], type, -1);
    if (!x) return NULL;
    dropout_t d = {.size = PyArray_SIZE(x), .x = PyArray_DATA(x)};
    double p = take_probability("dropout", values[1]);
    int upscale = arg_bool("dropout", "upscale", values[3], 1), status;
    if (p < 0 || upscale < 0 || !(d.state = arg_twister("dropout", values[2]))) return NULL;
    set_probability(&d, p);
    d.divisor = kept_divisor(p, upscale);
    PyArrayObject *y = out_like("dropout", values[4], x);
    PyArrayObject *mask = y ? new_array(NPY_BOOL, PyArray_NDIM(x), PyArray_DIMS(x)) : NULL;
    if (!mask || check_overlap("dropout", "x", x, y)) {
        Py_XDECREF(mask);
        Py_XDECREF(y);
        return NULL;
    }
    d.y = PyArray_DATA(y);
    d.mask = PyArray_DATA(mask);
    WITHOUT_GIL(status = DISPATCH_FLOAT(type, dropout_run, &d));
    if (!check_status("dropout", status)) return Py_BuildValue("NN", y, mask);
    Py_DECREF(mask);
    Py_DECREF(y);
    return NULL;
}

BINDING(dropout_backward) {
    BIND("dropout_backward", 3, "dy", "mask", "p", "upscale", "out");
    int type = arg_float_type("dropout_backward", "dy", values[0]);
    PyArrayObject *dy = type < 0 ? NULL : arg_array("dropout_backward", "dy", values[0], type, -1);
    PyArrayObject *mask = dy ? arg_array("dropout_backward", "mask", values[1], NPY_BOOL, -1) : NULL;
    if (!mask || check_same_shape("dropout_backward", "mask", mask, dy)) return NULL;
    double p = take_probability("dropout_backward", values[2]);
    int upscale = arg_bool("dropout_backward", "upscale", values[3], 1), status;
    if (p < 0 || upscale < 0) return NULL;
    PyArrayObject *dx = out_like("dropout_backward", values[4], dy);
    if (!dx) return NULL;
    if (check_overlap("dropout_backward", "dy", dy, dx) || arrays_overlap(mask, dx)) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_ValueError, "dropout_backward(): argument 'out' must not lie across 'mask'");
        Py_DECREF(dx);
        return NULL;
    }
    dropout_t d = {.size = PyArray_SIZE(dy),
                   .x = PyArray_DATA(dy),
                   .mask = PyArray_DATA(mask),
                   .y = PyArray_DATA(dx),
                   .divisor = kept_divisor(p, upscale)};
    WITHOUT_GIL(status = DISPATCH_FLOAT(type, apply_mask, &d));
    if (!check_status("dropout_backward", status)) return (PyObject *)dx;
    Py_DECREF(dx);
    return NULL;
}

BINDING(random_mask) {
    BIND("random_mask", 3, "state", "out", "p");
    PyArrayObject *mask = arg_output("random_mask", "out", values[1], NPY_BOOL, -1);
    if (!mask) return NULL;
    dropout_t d = {.size = PyArray_SIZE(mask), .mask = PyArray_DATA(mask)};
    double p = take_probability("random_mask", values[2]);
    if (p < 0 || !(d.state = arg_twister("random_mask", values[0]))) return NULL;
    set_probability(&d, p);
    WITHOUT_GIL(DISPATCH(f32, dropout_run, &d));
    Py_RETURN_NONE;
}

PyMethodDef dropout_methods[] = {
    METHOD(dropout, "dropout(x, p, state, upscale=True, out=None) -> (y, mask)"),
    METHOD(dropout_backward, "dropout_backward(dy, mask, p, upscale=True, out=None) -> dx"),
    METHOD(random_mask, "random_mask(state, out, p): fill a bool array, false with probability p."),
    {0}};

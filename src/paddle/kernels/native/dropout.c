/* Dropout, and filling arrays with random numbers, from one counter-based generator: element i of a stream depends on
 * key, offset and i only, so any number of threads gives the same bytes. */
#define _GNU_SOURCE
#include "outputs.h"

#include <math.h>
#if NATIVE_X86
#include <immintrin.h>
#endif

#include "dropout.h"

#define BODY "dropout.inc"
#define BODY_TYPES 2
#include "multiversion.h"

/* key and offset: a whole number below 2^64, and a multiple of 64. */
static int take_position(const char *function, random_t *r, PyObject *key, PyObject *offset) {
    PyObject *number = PyNumber_Index(key);
    r->key = number ? PyLong_AsUnsignedLongLong(number) : 0;
    Py_XDECREF(number);
    if (PyErr_Occurred()) {
        PyErr_Format(PyExc_ValueError, "%s(): argument 'key' must be an integer in [0, 2**64), got %R", function, key);
        return -1;
    }
    index_t start = arg_index(function, "offset", offset, 0);
    if (start == -1 && PyErr_Occurred()) return -1;
    if (start < 0 || start % RANDOM_WORDS) {
        PyErr_Format(PyExc_ValueError, "%s(): argument 'offset' must be a multiple of %d, got %zd", function,
                     RANDOM_WORDS, (Py_ssize_t)start);
        return -1;
    }
    r->first_block = (uint64_t)(start / RANDOM_WORDS);
    return 0;
}

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

static double kept_factor(double p, int upscale) { return upscale && p < 1 ? 1 / (1 - p) : 1; }

BINDING(dropout) {
    BIND("dropout", 3, "x", "p", "key", "offset", "upscale", "out");
    int type = arg_float_type("dropout", "x", values[0]);
    PyArrayObject *x = type < 0 ? NULL : arg_array("dropout", "x", values[0], type, -1);
    if (!x) return NULL;
    random_t r = {.size = PyArray_SIZE(x), .x = PyArray_DATA(x)};
    double p = take_probability("dropout", values[1]);
    int upscale = arg_bool("dropout", "upscale", values[4], 1);
    if (p < 0 || upscale < 0 || take_position("dropout", &r, values[2], values[3])) return NULL;
    r.drop_below = (uint64_t)(p * 4294967296.0);
    r.scale = kept_factor(p, upscale);
    PyArrayObject *y = out_like("dropout", values[5], x);
    PyArrayObject *mask = y ? new_array(NPY_BOOL, PyArray_NDIM(x), PyArray_DIMS(x)) : NULL;
    if (!mask || check_overlap("dropout", "x", x, y)) {
        Py_XDECREF(mask);
        Py_XDECREF(y);
        return NULL;
    }
    r.y = PyArray_DATA(y);
    r.mask = PyArray_DATA(mask);
    WITHOUT_GIL(DISPATCH_FLOAT(type, dropout_run, &r));
    return Py_BuildValue("NN", y, mask);
}

BINDING(dropout_backward) {
    BIND("dropout_backward", 3, "dy", "mask", "p", "upscale", "out");
    int type = arg_float_type("dropout_backward", "dy", values[0]);
    PyArrayObject *dy = type < 0 ? NULL : arg_array("dropout_backward", "dy", values[0], type, -1);
    PyArrayObject *mask = dy ? arg_array("dropout_backward", "mask", values[1], NPY_BOOL, -1) : NULL;
    if (!mask || check_same_shape("dropout_backward", "mask", mask, dy)) return NULL;
    double p = take_probability("dropout_backward", values[2]);
    int upscale = arg_bool("dropout_backward", "upscale", values[3], 1);
    if (p < 0 || upscale < 0) return NULL;
    PyArrayObject *dx = out_like("dropout_backward", values[4], dy);
    if (!dx) return NULL;
    if (check_overlap("dropout_backward", "dy", dy, dx) || arrays_overlap(mask, dx)) {
        if (!PyErr_Occurred())
            PyErr_SetString(PyExc_ValueError, "dropout_backward(): argument 'out' must not lie across 'mask'");
        Py_DECREF(dx);
        return NULL;
    }
    random_t r = {.size = PyArray_SIZE(dy),
                  .x = PyArray_DATA(dy),
                  .mask = PyArray_DATA(mask),
                  .y = PyArray_DATA(dx),
                  .scale = kept_factor(p, upscale)};
    WITHOUT_GIL(DISPATCH_FLOAT(type, apply_mask, &r));
    return (PyObject *)dx;
}

BINDING(random_mask) {
    BIND("random_mask", 3, "out", "p", "key", "offset");
    PyArrayObject *mask = arg_output("random_mask", "out", values[0], NPY_BOOL, -1);
    if (!mask) return NULL;
    random_t r = {.size = PyArray_SIZE(mask), .mask = PyArray_DATA(mask)};
    double p = take_probability("random_mask", values[1]);
    if (p < 0 || take_position("random_mask", &r, values[2], values[3])) return NULL;
    r.drop_below = (uint64_t)(p * 4294967296.0);
    WITHOUT_GIL(DISPATCH(f32, dropout_run, &r));
    Py_RETURN_NONE;
}

static PyObject *fill_numbers(const char *function, PyObject **values, const char *first, const char *second,
                              int normal) {
    int type = arg_float_type(function, "out", values[0]);
    PyArrayObject *out = type < 0 ? NULL : arg_output(function, "out", values[0], type, -1);
    if (!out) return NULL;
    double a = arg_double(function, first, values[1], 0), b = arg_double(function, second, values[2], 1);
    if (PyErr_Occurred()) return NULL;
    random_t r = {.size = PyArray_SIZE(out),
                  .y = PyArray_DATA(out),
                  .stream = normal ? STREAM_NORMAL_F32 : STREAM_UNIFORM_F32,
                  .shift = a,
                  .scale = normal ? b : b - a,
                  .below = type == NPY_FLOAT ? nextafterf((float)b, (float)a) : nextafter(b, a)};
    if (!normal && !(a <= b))
        return PyErr_Format(PyExc_ValueError, "%s(): argument 'low' must not be above 'high', got %R and %R", function,
                            values[1], values[2]);
    if (take_position(function, &r, values[3], values[4])) return NULL;
    WITHOUT_GIL(DISPATCH_FLOAT(type, random_numbers, &r));
    Py_RETURN_NONE;
}

BINDING(random_uniform) {
    BIND("random_uniform", 4, "out", "low", "high", "key", "offset");
    return fill_numbers("random_uniform", values, "low", "high", 0);
}

BINDING(random_normal) {
    BIND("random_normal", 4, "out", "mean", "std", "key", "offset");
    return fill_numbers("random_normal", values, "mean", "std", 1);
}

PyMethodDef dropout_methods[] = {
    METHOD(dropout, "dropout(x, p, key, offset=0, upscale=True, out=None) -> (y, mask)"),
    METHOD(dropout_backward, "dropout_backward(dy, mask, p, upscale=True, out=None) -> dx"),
    METHOD(random_mask, "random_mask(out, p, key, offset=0): fill a bool array, false with probability p."),
    METHOD(random_uniform, "random_uniform(out, low, high, key, offset=0): fill with low <= value < high."),
    METHOD(random_normal, "random_normal(out, mean, std, key, offset=0): fill with normally distributed numbers."),
    {0}};

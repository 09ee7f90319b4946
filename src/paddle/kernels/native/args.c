/* Argument checks of the bindings: see args.h for the contracts. */
#include "args.h"

#include <stdarg.h>
#include <stdlib.h>

void out_of_range(const char *format, ...) {
    PyObject *errors = PyImport_ImportModule("paddle.core.errors");
    PyObject *kind = errors ? PyObject_GetAttrString(errors, "OutOfRangeError") : NULL;
    va_list values;
    va_start(values, format);
    if (kind) PyErr_FormatV(kind, format, values);
    va_end(values);
    Py_XDECREF(kind);
    Py_XDECREF(errors);
}

int bind_args(const char *function, const char *const *names, int required, int total, PyObject *const *args,
              Py_ssize_t nargs, PyObject *kwnames, PyObject **values) {
    if (nargs > total) {
        PyErr_Format(PyExc_TypeError, "%s(): takes at most %d arguments, got %zd", function, total, nargs);
        return -1;
    }
    for (int i = 0; i < total; i++) values[i] = i < nargs ? args[i] : NULL;
    Py_ssize_t keywords = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;
    for (Py_ssize_t k = 0; k < keywords; k++) {
        PyObject *keyword = PyTuple_GET_ITEM(kwnames, k);
        int i = 0;
        while (i < total && PyUnicode_CompareWithASCIIString(keyword, names[i])) i++;
        if (i == total) {
            PyErr_Format(PyExc_TypeError, "%s(): unexpected argument '%U'", function, keyword);
            return -1;
        }
        if (values[i]) {
            PyErr_Format(PyExc_TypeError, "%s(): argument '%s' given twice", function, names[i]);
            return -1;
        }
        values[i] = args[nargs + k];
    }
    for (int i = 0; i < required; i++)
        if (!values[i]) {
            PyErr_Format(PyExc_TypeError, "%s(): argument '%s' is missing", function, names[i]);
            return -1;
        }
    return 0;
}

static const char *type_name(int type) {
    switch (type) {
        case NPY_FLOAT: return "float32";
        case NPY_DOUBLE: return "float64";
        case NPY_INT32: return "int32";
        case NPY_INT64: return "int64";
        case NPY_UINT8: return "uint8";
        case NPY_BOOL: return "bool";
        default: return "another type";
    }
}

/* int64 has two NumPy numbers (long and long long) on most systems; both are fine. */
static int same_type(PyArrayObject *array, int type) {
    int actual = PyArray_TYPE(array);
    return actual == type || (PyTypeNum_ISINTEGER(type) && PyArray_EquivTypenums(actual, type));
}

PyArrayObject *arg_strided(const char *function, const char *name, PyObject *value, int type, int ndim) {
    if (!value || !PyArray_Check(value)) {
        PyErr_Format(PyExc_TypeError, "%s(): argument '%s' must be a %s array, got %s", function, name, type_name(type),
                     value ? Py_TYPE(value)->tp_name : "nothing");
        return NULL;
    }
    PyArrayObject *array = (PyArrayObject *)value;
    if (!same_type(array, type)) {
        PyErr_Format(PyExc_TypeError, "%s(): argument '%s' must be a %s array, got %S", function, name, type_name(type),
                     (PyObject *)PyArray_DESCR(array));
        return NULL;
    }
    if (!PyArray_ISALIGNED(array) || !PyArray_ISNOTSWAPPED(array)) {
        PyErr_Format(PyExc_ValueError, "%s(): argument '%s' must be aligned and of native byte order", function, name);
        return NULL;
    }
    if (ndim >= 0 && PyArray_NDIM(array) != ndim) {
        PyErr_Format(PyExc_ValueError, "%s(): argument '%s' must have %d dimensions, got %d", function, name, ndim,
                     PyArray_NDIM(array));
        return NULL;
    }
    return array;
}

PyArrayObject *arg_array(const char *function, const char *name, PyObject *value, int type, int ndim) {
    PyArrayObject *array = arg_strided(function, name, value, type, ndim);
    if (array && !PyArray_IS_C_CONTIGUOUS(array)) {
        PyErr_Format(PyExc_ValueError, "%s(): argument '%s' must be C-contiguous", function, name);
        return NULL;
    }
    return array;
}

PyArrayObject *arg_output(const char *function, const char *name, PyObject *value, int type, int ndim) {
    PyArrayObject *array = arg_array(function, name, value, type, ndim);
    if (array && !PyArray_ISWRITEABLE(array)) {
        PyErr_Format(PyExc_ValueError, "%s(): argument '%s' must be writeable", function, name);
        return NULL;
    }
    return array;
}

int arg_float_type(const char *function, const char *name, PyObject *value) {
    if (value && PyArray_Check(value)) {
        int type = PyArray_TYPE((PyArrayObject *)value);
        if (type == NPY_FLOAT || type == NPY_DOUBLE) return type;
        PyErr_Format(PyExc_TypeError, "%s(): argument '%s' must be a float32 or float64 array, got %S", function, name,
                     (PyObject *)PyArray_DESCR((PyArrayObject *)value));
        return -1;
    }
    PyErr_Format(PyExc_TypeError, "%s(): argument '%s' must be a float32 or float64 array, got %s", function, name,
                 value ? Py_TYPE(value)->tp_name : "nothing");
    return -1;
}

static PyObject *shape_tuple(int ndim, const npy_intp *shape) {
    PyObject *tuple = PyTuple_New(ndim);
    for (int i = 0; tuple && i < ndim; i++) {
        PyObject *size = PyLong_FromSsize_t(shape[i]);
        if (!size) {
            Py_CLEAR(tuple);
            break;
        }
        PyTuple_SET_ITEM(tuple, i, size);
    }
    return tuple;
}

int check_shape(const char *function, const char *name, PyArrayObject *array, int ndim, const npy_intp *shape) {
    int same = PyArray_NDIM(array) == ndim;
    for (int i = 0; same && i < ndim; i++) same = PyArray_DIM(array, i) == shape[i];
    if (same) return 0;
    PyObject *expected = shape_tuple(ndim, shape), *actual = shape_tuple(PyArray_NDIM(array), PyArray_DIMS(array));
    if (expected && actual)
        PyErr_Format(PyExc_ValueError, "%s(): argument '%s' must have shape %S, got %S", function, name, expected, actual);
    Py_XDECREF(expected);
    Py_XDECREF(actual);
    return -1;
}

index_t arg_index(const char *function, const char *name, PyObject *value, index_t fallback) {
    if (is_none(value)) return fallback;
    Py_ssize_t number = PyNumber_AsSsize_t(value, PyExc_OverflowError);
    if (number == -1 && PyErr_Occurred()) {
        PyErr_Format(PyExc_TypeError, "%s(): argument '%s' must be an integer, got %R", function, name, value);
        return -1;
    }
    return number;
}

double arg_double(const char *function, const char *name, PyObject *value, double fallback) {
    if (is_none(value)) return fallback;
    double number = PyFloat_AsDouble(value);
    if (number == -1 && PyErr_Occurred())
        PyErr_Format(PyExc_TypeError, "%s(): argument '%s' must be a number, got %R", function, name, value);
    return number;
}

int arg_bool(const char *function, const char *name, PyObject *value, int fallback) {
    if (is_none(value)) return fallback;
    int truth = PyObject_IsTrue(value);
    if (truth < 0) PyErr_Format(PyExc_TypeError, "%s(): argument '%s' must be true or false", function, name);
    return truth;
}

int arg_indices(const char *function, const char *name, PyObject *value, int count, index_t low, index_t high, index_t *out) {
    int sequence = value && (PyTuple_Check(value) || PyList_Check(value));
    if (sequence && PySequence_Fast_GET_SIZE(value) != count) {
        PyErr_Format(PyExc_ValueError, "%s(): argument '%s' must have %d integers, got %zd", function, name, count,
                     PySequence_Fast_GET_SIZE(value));
        return -1;
    }
    for (int i = 0; i < count; i++) {
        PyObject *item = sequence ? PySequence_Fast_GET_ITEM(value, i) : value;
        out[i] = item ? PyNumber_AsSsize_t(item, PyExc_OverflowError) : -1;
        if (!item || (out[i] == -1 && PyErr_Occurred())) {
            PyErr_Format(PyExc_TypeError, "%s(): argument '%s' must be an integer or a sequence of %d integers", function,
                         name, count);
            return -1;
        }
        if (out[i] < low || out[i] > high) {
            PyErr_Format(PyExc_ValueError, "%s(): argument '%s' must be between %zd and %zd, got %zd", function, name,
                         (Py_ssize_t)low, (Py_ssize_t)high, (Py_ssize_t)out[i]);
            return -1;
        }
    }
    return 0;
}

PyArrayObject *new_array(int type, int ndim, const npy_intp *shape) {
    return (PyArrayObject *)PyArray_SimpleNew(ndim, shape, type);
}

/* ---- arrays that begin at a cache line: in front of each stands what malloc() gave ---- */

#define LINE 64

static void *place_lines(char *from) {
    if (!from) return NULL;
    char *place = from + LINE - (uintptr_t)from % LINE; /* malloc() aligns to 16 bytes or more: there is room for a pointer */
    memcpy(place - sizeof from, &from, sizeof from);
    return place;
}

static char *given_lines(void *place) {
    char *from;
    memcpy(&from, (char *)place - sizeof from, sizeof from);
    return from;
}

static void *malloc_lines(void *context, size_t size) {
    (void)context;
    return size > SIZE_MAX - LINE ? NULL : place_lines(malloc(size + LINE));
}

static void *calloc_lines(void *context, size_t count, size_t size) {
    (void)context;
    return size && count > (SIZE_MAX - LINE) / size ? NULL : place_lines(calloc(1, count * size + LINE));
}

static void *realloc_lines(void *context, void *place, size_t size) {
    if (!place) return malloc_lines(context, size);
    if (size > SIZE_MAX - LINE) return NULL;
    char *from = given_lines(place);
    const size_t offset = (size_t)((char *)place - from);
    char *now = realloc(from, size + LINE);
    if (!now) return NULL;
    memmove(now + LINE - (uintptr_t)now % LINE, now + offset, size);
    return place_lines(now);
}

static void free_lines(void *context, void *place, size_t size) {
    (void)context, (void)size;
    if (place) free(given_lines(place));
}

PyArrayObject *new_lines(int type, int ndim, const npy_intp *shape) {
    static PyDataMem_Handler handler = {"lines", 1, {NULL, malloc_lines, calloc_lines, realloc_lines, free_lines}};
    static PyObject *capsule;
    if (!capsule && !(capsule = PyCapsule_New(&handler, "mem_handler", NULL))) return NULL;
    PyObject *before = PyDataMem_SetHandler(capsule);
    if (!before) return NULL;
    PyArrayObject *made = new_array(type, ndim, shape);
    PyObject *mine = PyDataMem_SetHandler(before);
    Py_DECREF(before);
    if (!mine) Py_CLEAR(made);
    Py_XDECREF(mine);
    return made;
}

int arrays_overlap(PyArrayObject *a, PyArrayObject *b) {
    char *low[2], *high[2];
    PyArrayObject *both[2] = {a, b};
    for (int k = 0; k < 2; k++) {
        if (PyArray_SIZE(both[k]) == 0) return 0;
        low[k] = high[k] = PyArray_BYTES(both[k]);
        for (int d = 0; d < PyArray_NDIM(both[k]); d++) {
            npy_intp reach = PyArray_STRIDE(both[k], d) * (PyArray_DIM(both[k], d) - 1);
            if (reach < 0) low[k] += reach;
            else high[k] += reach;
        }
        high[k] += PyArray_ITEMSIZE(both[k]);
    }
    return low[0] < high[1] && low[1] < high[0];
}

int check_status(const char *function, int status) {
    if (status == NATIVE_OK) return 0;
    PyErr_Format(PyExc_MemoryError, "%s(): no memory for the working buffers", function);
    return -1;
}

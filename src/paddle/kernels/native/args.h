/* What bindings use to take their arguments apart. Nothing reaches a kernel unchecked.
 *
 * Every helper that can fail raises a Python exception whose text starts with "function(): argument ..." and
 * returns NULL or -1; the caller returns NULL at once. */
#ifndef PADDLE_NATIVE_ARGS_H
#define PADDLE_NATIVE_ARGS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#define NPY_NO_DEPRECATED_API NPY_1_7_API_VERSION
#define NPY_TARGET_VERSION NPY_1_22_API_VERSION /* PyDataMem_SetHandler */
#define PY_ARRAY_UNIQUE_SYMBOL paddle_native_ARRAY_API
#ifndef NATIVE_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

#include "common.h"

/* Signature of every binding, and its entry in a PyMethodDef table. */
#define BINDING(name) static PyObject *name(PyObject *module, PyObject *const *args, Py_ssize_t nargs, PyObject *kwnames)
#define METHOD(name, doc) {#name, (PyCFunction)(void (*)(void))name, METH_FASTCALL | METH_KEYWORDS, doc}

/* Set a paddle.core.errors.OutOfRangeError: an id, label or index that is not there. */
void out_of_range(const char *format, ...);

/* Sort positional and keyword arguments into values[0..total): absent ones become NULL.
 * names[] holds `total` parameter names, the first `required` of which must be given. */
int bind_args(const char *function, const char *const *names, int required, int total, PyObject *const *args,
              Py_ssize_t nargs, PyObject *kwnames, PyObject **values);

/* The usual opening of a binding: BIND("gemm", 2, "a", "b", "bias") declares values[] and fills it, or returns. */
#define BIND(function, required, ...)                                                                          \
    (void)module;                                                                                              \
    static const char *const names_[] = {__VA_ARGS__};                                                         \
    PyObject *values[sizeof names_ / sizeof *names_];                                                          \
    if (bind_args(function, names_, required, (int)(sizeof names_ / sizeof *names_), args, nargs, kwnames, values)) \
        return NULL

/* Absent or None. */
static inline int is_none(PyObject *value) { return value == NULL || value == Py_None; }

/* An aligned, native-endian, C-contiguous array of NumPy type `type` and `ndim` dimensions (ndim < 0: any), borrowed. */
PyArrayObject *arg_array(const char *function, const char *name, PyObject *value, int type, int ndim);

/* The same, but it may also have any strides. */
PyArrayObject *arg_strided(const char *function, const char *name, PyObject *value, int type, int ndim);

/* The same as arg_array, and writeable. */
PyArrayObject *arg_output(const char *function, const char *name, PyObject *value, int type, int ndim);

/* The one way in which a kernel says that it has no code for a case, so that the caller takes the reference: it returns
 * NotImplemented. Exceptions are for wrong arguments. This declares `array`, a float32 or float64 array as arg_array wants
 * it, borrowed; the binding declines other arrays and raises for what is no array. */
#define DENSE_FLOATS(function, name, value, array) ARRAY_THAT(is_dense_floats, function, name, value, array)
/* The same of any layout. */
#define FLOATS(function, name, value, array) ARRAY_THAT(is_floats, function, name, value, array)
#define ARRAY_THAT(condition, function, name, value, array)                                                          \
    if (!(value) || !PyArray_Check(value))                                                                           \
        return PyErr_Format(PyExc_TypeError, "%s(): argument '%s' must be an array, got %s", function, name,          \
                            (value) ? Py_TYPE(value)->tp_name : "nothing");                                          \
    PyArrayObject *array = (PyArrayObject *)(value);                                                                 \
    if (!condition(array)) Py_RETURN_NOTIMPLEMENTED

static inline int is_floats(PyArrayObject *array) {
    return (PyArray_TYPE(array) == NPY_FLOAT || PyArray_TYPE(array) == NPY_DOUBLE) && PyArray_ISNOTSWAPPED(array);
}

static inline int is_dense_floats(PyArrayObject *array) {
    return (PyArray_TYPE(array) == NPY_FLOAT || PyArray_TYPE(array) == NPY_DOUBLE) && PyArray_ISCARRAY_RO(array);
}

/* NPY_FLOAT or NPY_DOUBLE, whichever the array `value` has; -1 and TypeError otherwise. */
int arg_float_type(const char *function, const char *name, PyObject *value);

/* Does the array have exactly this shape? Raises ValueError and returns -1 if it does not. */
int check_shape(const char *function, const char *name, PyArrayObject *array, int ndim, const npy_intp *shape);
#define CHECK_SHAPE(function, name, array, ...)                                                      \
    check_shape(function, name, array, (int)(sizeof((npy_intp[]){__VA_ARGS__}) / sizeof(npy_intp)), \
                (npy_intp[]){__VA_ARGS__})

/* Numbers; `fallback` when absent or None. On failure they return -1 with an exception set: test PyErr_Occurred(). */
index_t arg_index(const char *function, const char *name, PyObject *value, index_t fallback);
double arg_double(const char *function, const char *name, PyObject *value, double fallback);
int arg_bool(const char *function, const char *name, PyObject *value, int fallback);

/* `count` integers from a tuple or list of that length, or from one integer that stands for all; each in [low, high]. */
int arg_indices(const char *function, const char *name, PyObject *value, int count, index_t low, index_t high, index_t *out);

/* A new, uninitialised C-contiguous array. */
PyArrayObject *new_array(int type, int ndim, const npy_intp *shape);
#define NEW_ARRAY(type, ...)                                                               \
    new_array(type, (int)(sizeof((npy_intp[]){__VA_ARGS__}) / sizeof(npy_intp)), (npy_intp[]){__VA_ARGS__})

/* The same at the beginning of a cache line, for large results that are read in whole vectors. */
PyArrayObject *new_lines(int type, int ndim, const npy_intp *shape);
#define NEW_LINES(type, ...)                                                               \
    new_lines(type, (int)(sizeof((npy_intp[]){__VA_ARGS__}) / sizeof(npy_intp)), (npy_intp[]){__VA_ARGS__})

/* Could a write to one touch the other? */
int arrays_overlap(PyArrayObject *a, PyArrayObject *b);

/* Raise for a kernel's status: returns 0 if it is NATIVE_OK, -1 with MemoryError set otherwise. */
int check_status(const char *function, int status);

/* Run a statement that touches no Python object, without the GIL. */
#define WITHOUT_GIL(...)        \
    Py_BEGIN_ALLOW_THREADS      \
    __VA_ARGS__;                \
    Py_END_ALLOW_THREADS

#endif

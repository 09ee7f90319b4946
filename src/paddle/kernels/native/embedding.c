/* Embedding: rows of a table by their numbers, and the gradient of that. */
#define _GNU_SOURCE
#include "outputs.h"

#include <math.h>
#if NATIVE_X86
#include <immintrin.h>
#endif

#include "pick.h"
#include "scatter.h"

#define BODY "embedding.inc"
#define BODY_TYPES 2
#include "multiversion.h"

/* The ids, all within [0, rows); OutOfRangeError names the first that isn't. */
static PyArrayObject *take_ids(const char *function, PyObject *value, index_t rows, int *is_wide) {
    PyArrayObject *ids = arg_ids(function, "ids", value, is_wide);
    if (!ids) return NULL;
    for (index_t k = 0; k < PyArray_SIZE(ids); k++) {
        int64_t id = id_at(PyArray_DATA(ids), *is_wide, k);
        if (id >= 0 && id < rows) continue;
        out_of_range("%s(): id %lld at position %zd is outside [0, %zd)", function, (long long)id, (Py_ssize_t)k, (Py_ssize_t)rows);
        return NULL;
    }
    return ids;
}

BINDING(embedding) {
    BIND("embedding", 2, "weight", "ids", "padding_idx");
    if (!PyArray_Check(values[0]))
        return PyErr_Format(PyExc_TypeError, "embedding(): argument 'weight' must be an array, got %s",
                            Py_TYPE(values[0])->tp_name);
    PyArrayObject *weight = (PyArrayObject *)values[0];
    if (PyDataType_REFCHK(PyArray_DESCR(weight)))
        return PyErr_Format(PyExc_TypeError, "embedding(): argument 'weight' must not hold Python objects");
    if (PyArray_NDIM(weight) != 2 || !PyArray_IS_C_CONTIGUOUS(weight))
        return PyErr_Format(PyExc_ValueError,
                            "embedding(): argument 'weight' must be C-contiguous and have 2 dimensions, got %d",
                            PyArray_NDIM(weight));
    take_t g = {.outer = 1,
                .size = PyArray_DIM(weight, 0),
                .inner = PyArray_DIM(weight, 1) * PyArray_ITEMSIZE(weight),
                .x = PyArray_DATA(weight),
                .padding = arg_index("embedding", "padding_idx", values[2], -1)};
    if (PyErr_Occurred()) return NULL;
    PyArrayObject *ids = take_ids("embedding", values[1], g.size, &g.wide_ids);
    if (!ids) return NULL;
    int ndim = PyArray_NDIM(ids);
    if (ndim + 1 > NPY_MAXDIMS)
        return PyErr_Format(PyExc_ValueError, "embedding(): argument 'ids' has too many dimensions");
    npy_intp shape[NPY_MAXDIMS];
    for (int i = 0; i < ndim; i++) shape[i] = PyArray_DIM(ids, i);
    shape[ndim] = PyArray_DIM(weight, 1);
    Py_INCREF(PyArray_DESCR(weight));
    PyArrayObject *out = (PyArrayObject *)PyArray_SimpleNewFromDescr(ndim + 1, shape, PyArray_DESCR(weight));
    if (!out) return NULL;
    g.ids = PyArray_DATA(ids);
    g.y = PyArray_DATA(out);
    g.count = PyArray_SIZE(ids);
    if (g.count) WITHOUT_GIL(take_run(&g));
    return (PyObject *)out;
}

BINDING(embedding_grad) {
    BIND("embedding_grad", 3, "dy", "ids", "rows", "padding_idx", "out");
    const char *function = "embedding_grad";
    int type = arg_float_type(function, "dy", values[0]);
    PyArrayObject *dy = type < 0 ? NULL : arg_array(function, "dy", values[0], type, -1);
    if (!dy) return NULL;
    add_rows_t s = {.rows = arg_index(function, "rows", values[2], 0),
                   .padding = arg_index(function, "padding_idx", values[3], -1)};
    if (PyErr_Occurred()) return NULL;
    if (s.rows < 0)
        return PyErr_Format(PyExc_ValueError, "%s(): argument 'rows' must not be negative, got %zd", function,
                            (Py_ssize_t)s.rows);
    PyArrayObject *ids = take_ids(function, values[1], s.rows, &s.wide_ids);
    if (!ids) return NULL;
    int ndim = PyArray_NDIM(ids);
    int fits = PyArray_NDIM(dy) == ndim + 1;
    for (int i = 0; fits && i < ndim; i++) fits = PyArray_DIM(dy, i) == PyArray_DIM(ids, i);
    if (!fits)
        return PyErr_Format(PyExc_ValueError, "%s(): argument 'dy' must have the shape of 'ids' and one axis more",
                            function);
    s.columns = PyArray_DIM(dy, ndim);
    npy_intp shape[2] = {s.rows, s.columns};
    PyArrayObject *out = is_none(values[4]) ? (PyArrayObject *)PyArray_ZEROS(2, shape, type, 0)
                                            : out_array(function, values[4], type, 2, shape);
    if (!out) return NULL;
    if (arrays_overlap(dy, out) || arrays_overlap(ids, out)) {
        PyErr_Format(PyExc_ValueError, "%s(): argument 'out' must not overlap 'dy' or 'ids'", function);
        Py_DECREF(out);
        return NULL;
    }
    s.count = PyArray_SIZE(ids);
    s.ids = PyArray_DATA(ids);
    s.dy = PyArray_DATA(dy);
    s.out = PyArray_DATA(out);
    if (PyArray_SIZE(dy)) WITHOUT_GIL(DISPATCH_FLOAT(type, add_rows_run, &s));
    return (PyObject *)out;
}

PyMethodDef embedding_methods[] = {
    METHOD(embedding, "embedding(weight, ids, padding_idx=-1) -> the rows of weight that ids name; 0 for padding_idx."),
    METHOD(embedding_grad, "embedding_grad(dy, ids, rows, padding_idx=-1, out=None) -> [rows, D]: dy added up by id."),
    {0}};

/* NumPy arrays as tensors of the C library, and back. */
#include "tensors.h"

#include <stdlib.h>

enum { TAKEN_BYTES = 1 << 15 }; /* from here on copying takes longer than telling NumPy whose memory it is */

static dtype_t type_of_array(PyArrayObject *a) {
    if (!PyArray_ISNOTSWAPPED(a)) return TYPE_NONE;
    switch (PyArray_TYPE(a)) {
    case NPY_BOOL: return TYPE_BOOL;
    case NPY_INT8: return TYPE_INT8;
    case NPY_UINT8: return TYPE_UINT8;
    case NPY_INT16: return TYPE_INT16;
    case NPY_INT32: return TYPE_INT32;
    case NPY_INT64: return TYPE_INT64;
    case NPY_FLOAT: return TYPE_FLOAT32;
    case NPY_DOUBLE: return TYPE_FLOAT64;
    case NPY_CFLOAT: return TYPE_COMPLEX64;
    case NPY_CDOUBLE: return TYPE_COMPLEX128;
    default: return TYPE_NONE;
    }
}

static int array_type(dtype_t dtype) {
    static const int types[] = {NPY_BOOL, NPY_INT8, NPY_UINT8, NPY_INT16, NPY_INT32, NPY_INT64, -1, -1, NPY_FLOAT, NPY_DOUBLE, NPY_CFLOAT, NPY_CDOUBLE, -1};
    return types[dtype];
}

int is_array_type(dtype_t dtype) { return array_type(dtype) >= 0; }

int tensor_over(PyObject *value, PyObject **kept, tensor_t *t) {
    if (!PyArray_Check(value)) return 1;
    PyArrayObject *given = (PyArrayObject *)value;
    dtype_t dtype = type_of_array(given);
    if (dtype == TYPE_NONE || PyArray_NDIM(given) > MAX_DIMS) return 1;
    PyObject *whole = PyArray_ISCARRAY_RO(given) ? Py_NewRef(value) : PyArray_FROM_OF(value, NPY_ARRAY_CARRAY_RO);
    if (!whole) return -1;
    *kept = whole;
    PyArrayObject *a = (PyArrayObject *)whole;
    *t = (tensor_t){.dtype = dtype, .ndim = PyArray_NDIM(a), .size = PyArray_SIZE(a), .data = PyArray_DATA(a)};
    for (int i = 0; i < t->ndim; i++) t->dims[i] = PyArray_DIM(a, i);
    return 0;
}

PyObject *array_of(const tensor_t *t) {
    if (!t->data) Py_RETURN_NONE;
    if (array_type(t->dtype) < 0) return PyErr_Format(PyExc_TypeError, "a result has the type %s", type_name(t->dtype));
    npy_intp dims[MAX_DIMS];
    for (int i = 0; i < t->ndim; i++) dims[i] = t->dims[i];
    PyObject *array = PyArray_SimpleNew(t->ndim, dims, array_type(t->dtype));
    if (array) memcpy(PyArray_DATA((PyArrayObject *)array), t->data, (size_t)t->size * type_size(t->dtype));
    return array;
}

/* ---- arrays that take a tensor's memory over: NumPy asks an allocator for it, which hands out what waits ---- */

static _Thread_local void *waiting;

static void *hand_out(void *context, size_t size) {
    (void)context, (void)size;
    void *memory = waiting;
    waiting = NULL;
    return memory;
}

static void *hand_out_zeros(void *context, size_t count, size_t size) {
    void *memory = hand_out(context, count * size);
    return memory ? memset(memory, 0, count * size) : NULL;
}

static void *move(void *context, void *memory, size_t size) {
    (void)context;
    return realloc(memory, size);
}

static void give_back(void *context, void *memory, size_t size) {
    (void)context, (void)size;
    free(memory);
}

/* An array in memory of malloc's, which is freed if there can't be one. */
static PyObject *array_in(void *memory, int type, int ndim, const npy_intp *dims) {
    static PyDataMem_Handler handler = {"tensor", 1, {NULL, hand_out, hand_out_zeros, move, give_back}};
    static PyObject *capsule;
    PyObject *before = capsule || (capsule = PyCapsule_New(&handler, "mem_handler", NULL)) ? PyDataMem_SetHandler(capsule) : NULL, *array = NULL;
    waiting = memory;
    if (before) {
        array = PyArray_SimpleNew(ndim, dims, type);
        PyObject *mine = PyDataMem_SetHandler(before);
        Py_DECREF(before);
        if (!mine) Py_CLEAR(array);
        Py_XDECREF(mine);
    }
    free(waiting);
    waiting = NULL;
    return array;
}

PyObject *array_from(tensor_t *t) {
    const int type = array_type(t->dtype), ndim = t->ndim;
    npy_intp dims[MAX_DIMS];
    for (int i = 0; i < ndim; i++) dims[i] = t->dims[i];
    void *own = type >= 0 && (size_t)t->size * type_size(t->dtype) >= TAKEN_BYTES ? tensor_release(t) : NULL;
    return own ? array_in(own, type, ndim, dims) : array_of(t);
}

PyObject *offsets_of(const lod_t *lod) {
    PyObject *levels = PyList_New(lod ? lod->levels : 0);
    for (int i = 0; levels && lod && i < lod->levels; i++) {
        PyObject *level = PyArray_SimpleNew(1, (npy_intp[]){lod->counts[i]}, NPY_INT64);
        if (!level) {
            Py_DECREF(levels);
            return NULL;
        }
        for (index_t k = 0; k < lod->counts[i]; k++) ((int64_t *)PyArray_DATA((PyArrayObject *)level))[k] = lod->offsets[i][k];
        PyList_SET_ITEM(levels, i, level);
    }
    return levels;
}

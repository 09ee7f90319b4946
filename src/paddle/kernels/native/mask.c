/* Elements where a mask is true: gathered, put back, and their coordinates. */
#define _GNU_SOURCE
#include "movable.h"

#include "mask.h"

/* Fill t->before, and return how many are true; -1 with MemoryError. */
static index_t count_true(mask_t *t) {
    index_t count;
    WITHOUT_GIL(count = mask_count(t))
    if (count < 0) PyErr_NoMemory();
    return count;
}

/* A dense bool array, borrowed; NULL if it is another one. */
static PyArrayObject *take_mask(PyObject *value, mask_t *t) {
    if (!value || !PyArray_Check(value)) return NULL;
    PyArrayObject *mask = (PyArrayObject *)value;
    if (PyArray_TYPE(mask) != NPY_BOOL || !PyArray_ISCARRAY_RO(mask)) return NULL;
    t->size = PyArray_SIZE(mask);
    t->mask = PyArray_DATA(mask);
    return mask;
}

BINDING(select_true) {
    BIND("select_true", 2, "x", "mask");
    MOVABLE("select_true", "x", values[0], x);
    mask_t t = {.unit = PyArray_ITEMSIZE(x)};
    PyArrayObject *mask = take_mask(values[1], &t);
    if (!mask || !PyArray_IS_C_CONTIGUOUS(x) || !PyArray_SAMESHAPE(x, mask)) Py_RETURN_NOTIMPLEMENTED;
    size_t mark = scratch_mark();
    npy_intp count = count_true(&t);
    PyArrayObject *y = count < 0 ? NULL : new_like(x, 1, &count);
    if (y && count) {
        t.x = PyArray_DATA(x);
        t.y = PyArray_DATA(y);
        WITHOUT_GIL(mask_select(&t))
    }
    scratch_release(mark);
    return (PyObject *)y;
}

BINDING(place_true) {
    BIND("place_true", 2, "values", "mask");
    MOVABLE("place_true", "values", values[0], x);
    mask_t t = {.unit = PyArray_ITEMSIZE(x)};
    PyArrayObject *mask = take_mask(values[1], &t);
    if (!mask || !PyArray_IS_C_CONTIGUOUS(x)) Py_RETURN_NOTIMPLEMENTED;
    size_t mark = scratch_mark();
    npy_intp count = count_true(&t);
    if (count >= 0 && count != PyArray_SIZE(x)) {
        scratch_release(mark);
        Py_RETURN_NOTIMPLEMENTED;
    }
    PyArrayObject *y = count < 0 ? NULL : new_like(x, PyArray_NDIM(mask), PyArray_DIMS(mask));
    if (y && t.size) {
        t.x = PyArray_DATA(x);
        t.y = PyArray_DATA(y);
        WITHOUT_GIL(mask_place(&t))
    }
    scratch_release(mark);
    return (PyObject *)y;
}

/* ---- coordinates ---- */
BINDING(where_true) {
    BIND("where_true", 1, "mask");
    mask_t t = {0};
    PyArrayObject *mask = take_mask(values[0], &t);
    if (!mask || PyArray_NDIM(mask) == 0 || PyArray_NDIM(mask) > MASK_AXES) Py_RETURN_NOTIMPLEMENTED;
    index_t shape[MASK_AXES];
    t.ndim = PyArray_NDIM(mask);
    for (int i = 0; i < t.ndim; i++) shape[i] = PyArray_DIM(mask, i);
    t.shape = shape;
    size_t mark = scratch_mark();
    npy_intp sizes[2] = {count_true(&t), t.ndim};
    PyArrayObject *y = sizes[0] < 0 ? NULL : new_array(NPY_INT64, 2, sizes);
    if (y && sizes[0]) {
        t.y = PyArray_DATA(y);
        WITHOUT_GIL(mask_locate(&t))
    }
    scratch_release(mark);
    return (PyObject *)y;
}

PyMethodDef mask_methods[] = {
    METHOD(select_true, "select_true(x, mask) -> the elements of x where the mask of its shape is true, in order."),
    METHOD(place_true, "place_true(values, mask) -> zeros with the values, in order, where the mask is true."),
    METHOD(where_true, "where_true(mask) -> [n, ndim]: the coordinates where the mask is true."),
    {0}};

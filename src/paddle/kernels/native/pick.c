/* Elements and slices by ids, and choices by booleans. */
#define _GNU_SOURCE
#include "movable.h"

#include "pick.h"
#include "thresholds.h"

#define BODY "pick.inc"
#define BODY_TYPES 2
#include "multiversion.h"


/* DISPATCH for elements of 4 or 8 bytes. */
#define DISPATCH_WIDTH(bytes, fn, ...) ((bytes) == 4 ? DISPATCH(f32, fn, __VA_ARGS__) : DISPATCH(f64, fn, __VA_ARGS__))

/* An array of int32 or int64 ids, borrowed, or NULL. */
static PyArrayObject *unchecked_ids(PyObject *value, int *is_wide) {
    if (!value || !PyArray_Check(value)) return NULL;
    PyArrayObject *ids = (PyArrayObject *)value;
    *is_wide = PyArray_EquivTypenums(PyArray_TYPE(ids), NPY_INT64);
    int known = *is_wide || PyArray_EquivTypenums(PyArray_TYPE(ids), NPY_INT32);
    return known && PyArray_ISCARRAY_RO(ids) ? ids : NULL;
}

/* An array of int32 or int64 ids, all in [0, size), borrowed; NULL if it is another one: the caller's reference names what is
 * wrong with it. */
static PyArrayObject *take_ids(PyObject *value, index_t size, int *is_wide) {
    PyArrayObject *ids = unchecked_ids(value, is_wide);
    if (!ids) return NULL;
    index_t n = PyArray_SIZE(ids), bad = 0;
    const int64_t *wide = PyArray_DATA(ids);
    const int32_t *narrow = PyArray_DATA(ids);
    if (*is_wide)
        for (index_t k = 0; k < n; k++) bad += (uint64_t)wide[k] >= (uint64_t)size;
    else
        for (index_t k = 0; k < n; k++) bad += (uint64_t)(int64_t)narrow[k] >= (uint64_t)size;
    return bad ? NULL : ids;
}

/* [outer, size, inner] of an array round one axis; -1 with an exception if it isn't one. */
static int split_round(const char *function, PyArrayObject *x, PyObject *value, index_t *outer, index_t *size, index_t *inner) {
    index_t axis = arg_index(function, "axis", value, 0);
    if (axis == -1 && PyErr_Occurred()) return -1;
    int ndim = PyArray_NDIM(x);
    if (axis < -ndim || axis >= ndim) {
        PyErr_Format(PyExc_ValueError, "%s(): argument 'axis': %zd is not an axis of an array with %d dimensions", function,
                     (Py_ssize_t)axis, ndim);
        return -1;
    }
    if (axis < 0) axis += ndim;
    *outer = *inner = 1;
    for (int i = 0; i < axis; i++) *outer *= PyArray_DIM(x, i);
    for (int i = (int)axis + 1; i < ndim; i++) *inner *= PyArray_DIM(x, i);
    *size = PyArray_DIM(x, axis);
    return (int)axis;
}

BINDING(take) {
    BIND("take", 2, "x", "ids", "axis");
    MOVABLE("take", "x", values[0], x);
    if (!PyArray_IS_C_CONTIGUOUS(x)) Py_RETURN_NOTIMPLEMENTED;
    take_t t = {.padding = -1};
    int axis = split_round("take", x, values[2], &t.outer, &t.size, &t.inner);
    if (axis < 0) return NULL;
    PyArrayObject *ids = take_ids(values[1], t.size, &t.wide_ids);
    if (!ids || PyArray_NDIM(ids) + PyArray_NDIM(x) - 1 > NPY_MAXDIMS) Py_RETURN_NOTIMPLEMENTED;
    npy_intp shape[NPY_MAXDIMS];
    int ndim = 0;
    for (int i = 0; i < axis; i++) shape[ndim++] = PyArray_DIM(x, i);
    for (int i = 0; i < PyArray_NDIM(ids); i++) shape[ndim++] = PyArray_DIM(ids, i);
    for (int i = axis + 1; i < PyArray_NDIM(x); i++) shape[ndim++] = PyArray_DIM(x, i);
    PyArrayObject *y = new_like(x, ndim, shape);
    if (!y) return NULL;
    t.inner *= PyArray_ITEMSIZE(x);
    t.count = PyArray_SIZE(ids);
    t.ids = PyArray_DATA(ids);
    t.x = PyArray_DATA(x);
    t.y = PyArray_DATA(y);
    if (PyArray_SIZE(y)) WITHOUT_GIL(take_run(&t));
    return (PyObject *)y;
}

/* Are two arrays of one shape but along `axis`? */
static int alike_round(PyArrayObject *a, PyArrayObject *b, int axis) {
    if (PyArray_NDIM(a) != PyArray_NDIM(b)) return 0;
    for (int i = 0; i < PyArray_NDIM(a); i++)
        if (i != axis && PyArray_DIM(a, i) != PyArray_DIM(b, i)) return 0;
    return 1;
}

BINDING(take_along) {
    BIND("take_along", 2, "x", "ids", "axis");
    MOVABLE("take_along", "x", values[0], x);
    if (!PyArray_IS_C_CONTIGUOUS(x)) Py_RETURN_NOTIMPLEMENTED;
    along_t t = {.item = PyArray_ITEMSIZE(x)};
    int axis = split_round("take_along", x, values[2], &t.outer, &t.size, &t.inner);
    if (axis < 0) return NULL;
    PyArrayObject *ids = unchecked_ids(values[1], &t.wide_ids);
    if (!ids || !alike_round(x, ids, axis) || (!t.size && PyArray_SIZE(ids))) Py_RETURN_NOTIMPLEMENTED;
    PyArrayObject *y = new_like(x, PyArray_NDIM(ids), PyArray_DIMS(ids));
    if (!y) return NULL;
    t.count = PyArray_DIM(ids, axis);
    t.ids = PyArray_DATA(ids);
    t.x = PyArray_DATA(x);
    t.y = PyArray_DATA(y);
    if (PyArray_SIZE(y)) {
        if (t.item == 4 || t.item == 8) WITHOUT_GIL(DISPATCH_WIDTH(t.item, along_run, &t))
        else WITHOUT_GIL(take_along_run(&t))
    }
    if (t.bad) {
        Py_DECREF(y);
        Py_RETURN_NOTIMPLEMENTED;
    }
    return (PyObject *)y;
}

BINDING(add_along) {
    BIND("add_along", 4, "g", "ids", "size", "axis");
    DENSE_FLOATS("add_along", "g", values[0], g);
    along_t t;
    int axis = split_round("add_along", g, values[3], &t.outer, &t.count, &t.inner);
    if (axis < 0) return NULL;
    t.size = arg_index("add_along", "size", values[2], 0);
    if (t.size == -1 && PyErr_Occurred()) return NULL;
    if (t.size < 0) return PyErr_Format(PyExc_ValueError, "add_along(): argument 'size' must not be negative, got %zd", t.size);
    int rows = t.inner == 1 && t.outer > 1 && t.count; /* whose ids are checked on the way, and whose results are set to zero */
    PyArrayObject *ids = rows ? unchecked_ids(values[1], &t.wide_ids) : take_ids(values[1], t.size, &t.wide_ids);
    if (!ids || !PyArray_SAMESHAPE(ids, g)) Py_RETURN_NOTIMPLEMENTED;
    npy_intp shape[NPY_MAXDIMS];
    for (int i = 0; i < PyArray_NDIM(g); i++) shape[i] = i == axis ? t.size : PyArray_DIM(g, i);
    PyArrayObject *y = rows ? new_like(g, PyArray_NDIM(g), shape)
                            : (PyArrayObject *)PyArray_ZEROS(PyArray_NDIM(g), shape, PyArray_TYPE(g), 0);
    if (!y) return NULL;
    t.ids = PyArray_DATA(ids);
    t.x = PyArray_DATA(g);
    t.y = PyArray_DATA(y);
    t.bad = 0;
    if (PyArray_SIZE(g)) WITHOUT_GIL(DISPATCH_FLOAT(PyArray_TYPE(g), along_add_run, &t));
    if (t.bad) {
        Py_DECREF(y);
        Py_RETURN_NOTIMPLEMENTED;
    }
    return (PyObject *)y;
}

BINDING(choose) {
    BIND("choose", 3, "condition", "a", "b");
    MOVABLE("choose", "a", values[1], a);
    MOVABLE("choose", "b", values[2], b);
    PyArrayObject *condition = PyArray_Check(values[0]) ? (PyArrayObject *)values[0] : NULL;
    if (!condition || PyArray_TYPE(condition) != NPY_BOOL)
        return PyErr_Format(PyExc_TypeError, "choose(): argument 'condition' must be a bool array, got %s",
                            Py_TYPE(values[0])->tp_name);
    int a_full = PyArray_SAMESHAPE(a, condition), b_full = PyArray_SAMESHAPE(b, condition);
    if (!PyArray_EquivTypes(PyArray_DESCR(a), PyArray_DESCR(b)) ||
        !PyArray_IS_C_CONTIGUOUS(condition) || !PyArray_IS_C_CONTIGUOUS(a) || !PyArray_IS_C_CONTIGUOUS(b) ||
        !(a_full || PyArray_NDIM(a) == 0) || !(b_full || PyArray_NDIM(b) == 0))
        Py_RETURN_NOTIMPLEMENTED;
    PyArrayObject *y = new_like(a, PyArray_NDIM(condition), PyArray_DIMS(condition));
    if (!y) return NULL;
    choose_t t = {.condition = PyArray_DATA(condition), .a = PyArray_DATA(a), .b = PyArray_DATA(b), .y = PyArray_DATA(y),
                  .a_step = a_full, .b_step = b_full, .item = PyArray_ITEMSIZE(a)};
    index_t size = PyArray_SIZE(y);
    if (t.item == 4 || t.item == 8) WITHOUT_GIL(DISPATCH_WIDTH(t.item, choose_run, &t, size))
    else WITHOUT_GIL(choose_elements(&t, size))
    return (PyObject *)y;
}

PyMethodDef pick_methods[] = {
    METHOD(take, "take(x, ids, axis=0) -> the slices of x at the ids."),
    METHOD(take_along, "take_along(x, ids, axis=0) -> for every id the element of x at its place, with the id on the axis."),
    METHOD(add_along, "add_along(g, ids, size, axis) -> zeros with g added where take_along would read."),
    METHOD(choose, "choose(condition, a, b) -> a where the condition is true, else b."),
    {0}};

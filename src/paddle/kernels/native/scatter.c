/* Elements and slices put where ids say, and ids of several axes made one. */
#define _GNU_SOURCE
#include "movable.h"

#include "scatter.h"

/* A dense array of int32 or int64, borrowed, or NULL. */
static PyArrayObject *plain_ids(PyObject *value, int *is_wide) {
    if (!value || !PyArray_Check(value)) return NULL;
    PyArrayObject *ids = (PyArrayObject *)value;
    *is_wide = PyArray_EquivTypenums(PyArray_TYPE(ids), NPY_INT64);
    return (*is_wide || PyArray_EquivTypenums(PyArray_TYPE(ids), NPY_INT32)) && PyArray_ISCARRAY_RO(ids) ? ids : NULL;
}

/* ---- one id for every element, along an axis ---- */
BINDING(put_along) {
    BIND("put_along", 5, "x", "ids", "values", "axis", "way");
    static const char *const ways[PUT_WAYS] = {"assign", "add", "multiply", "amax", "amin"};
    MOVABLE("put_along", "x", values[0], x);
    MOVABLE("put_along", "values", values[2], v);
    put_t t = {.outer = 1, .inner = 1, .way = -1};
    const char *way = PyUnicode_Check(values[4]) ? PyUnicode_AsUTF8(values[4]) : NULL;
    for (int i = 0; way && i < PUT_WAYS; i++)
        if (!strcmp(way, ways[i])) t.way = i;
    int ndim = PyArray_NDIM(x), floats = PyArray_TYPE(x) == NPY_FLOAT || PyArray_TYPE(x) == NPY_DOUBLE;
    index_t axis = arg_index("put_along", "axis", values[3], 0), item = PyArray_ITEMSIZE(x);
    if (axis == -1 && PyErr_Occurred()) return NULL;
    PyArrayObject *ids = plain_ids(values[1], &t.wide_ids);
    if (!ids || t.way < 0 || (t.way != PUT_ASSIGN && !floats) || (item != 4 && item != 8) || axis < 0 || axis >= ndim ||
        !PyArray_ISCARRAY_RO(x) || !PyArray_ISCARRAY_RO(v) || !PyArray_EquivTypes(PyArray_DESCR(x), PyArray_DESCR(v)) ||
        PyArray_NDIM(ids) != ndim || !PyArray_SAMESHAPE(ids, v))
        Py_RETURN_NOTIMPLEMENTED;
    for (int i = 0; i < ndim; i++) {
        if (i != axis && PyArray_DIM(ids, i) != PyArray_DIM(x, i)) Py_RETURN_NOTIMPLEMENTED; /* they cover a corner only */
        if (i < axis) t.outer *= PyArray_DIM(x, i);
        if (i > axis) t.inner *= PyArray_DIM(x, i);
    }
    t.size = PyArray_DIM(x, axis);
    t.count = PyArray_DIM(ids, axis);
    PyArrayObject *y = new_like(x, ndim, PyArray_DIMS(x));
    if (!y) return NULL;
    t.x = PyArray_DATA(x);
    t.y = PyArray_DATA(y);
    t.ids = PyArray_DATA(ids);
    t.values = PyArray_DATA(v);
    if (PyArray_SIZE(x)) WITHOUT_GIL(item == 4 ? put_run_f32_plain(&t) : put_run_f64_plain(&t))
    if (t.bad || (!PyArray_SIZE(x) && PyArray_SIZE(ids))) {
        Py_DECREF(y);
        Py_RETURN_NOTIMPLEMENTED;
    }
    return (PyObject *)y;
}

/* ---- whole rows ---- */
BINDING(set_rows) {
    BIND("set_rows", 3, "x", "ids", "values");
    MOVABLE("set_rows", "x", values[0], x);
    MOVABLE("set_rows", "values", values[2], v);
    rows_t t = {0};
    PyArrayObject *ids = plain_ids(values[1], &t.wide_ids);
    if (!ids || PyArray_NDIM(x) != 2 || PyArray_NDIM(v) != 2 || !PyArray_ISCARRAY_RO(x) || !PyArray_ISCARRAY_RO(v) ||
        !PyArray_EquivTypes(PyArray_DESCR(x), PyArray_DESCR(v)))
        Py_RETURN_NOTIMPLEMENTED;
    t.rows = PyArray_DIM(x, 0);
    t.count = PyArray_SIZE(ids);
    t.bytes = PyArray_DIM(x, 1) * PyArray_ITEMSIZE(x);
    if (PyArray_DIM(v, 1) != PyArray_DIM(x, 1) || (PyArray_DIM(v, 0) != t.count && PyArray_DIM(v, 0) != 1))
        Py_RETURN_NOTIMPLEMENTED;
    t.ids = PyArray_DATA(ids);
    for (index_t k = 0; k < t.count; k++)
        if ((uint64_t)id_at(t.ids, t.wide_ids, k) >= (uint64_t)t.rows) Py_RETURN_NOTIMPLEMENTED;
    PyArrayObject *y = new_like(x, 2, PyArray_DIMS(x));
    if (!y || !PyArray_SIZE(x)) return (PyObject *)y;
    t.values_step = PyArray_DIM(v, 0) == t.count ? t.bytes : 0;
    t.x = PyArray_DATA(x);
    t.y = PyArray_DATA(y);
    t.values = PyArray_DATA(v);
    WITHOUT_GIL(set_rows_run(&t))
    return (PyObject *)y;
}

/* ---- ids of several axes ---- */
BINDING(flat_rows) {
    BIND("flat_rows", 2, "index", "shape", "negative");
    if (!PyList_Check(values[0]) && !PyTuple_Check(values[0]))
        return PyErr_Format(PyExc_TypeError, "flat_rows(): argument 'index' must be a list or tuple, got %s",
                            Py_TYPE(values[0])->tp_name);
    flat_t t = {.axes = (int)PySequence_Fast_GET_SIZE(values[0])};
    t.negative = arg_bool("flat_rows", "negative", values[2], 1);
    if (t.negative < 0) return NULL;
    if (t.axes < 1 || t.axes > FLAT_AXES) Py_RETURN_NOTIMPLEMENTED;
    if (arg_indices("flat_rows", "shape", values[1], t.axes, 0, PTRDIFF_MAX / 64, t.size)) return NULL;
    PyArrayObject *first = NULL;
    for (int a = 0; a < t.axes; a++) {
        PyArrayObject *ids = plain_ids(PySequence_Fast_GET_ITEM(values[0], a), &t.wide[a]);
        if (!first) first = ids;
        if (!ids || !PyArray_SAMESHAPE(ids, first)) Py_RETURN_NOTIMPLEMENTED;
        t.ids[a] = PyArray_DATA(ids);
    }
    PyArrayObject *rows = new_array(NPY_INT64, PyArray_NDIM(first), PyArray_DIMS(first));
    if (!rows) return NULL;
    t.rows = PyArray_DATA(rows);
    WITHOUT_GIL(flat_run(&t, PyArray_SIZE(rows)))
    if (t.bad) {
        Py_DECREF(rows);
        Py_RETURN_NOTIMPLEMENTED;
    }
    return (PyObject *)rows;
}

PyMethodDef scatter_methods[] = {
    METHOD(put_along, "put_along(x, ids, values, axis, way) -> x with values assigned to, or met with, what take_along would read."),
    METHOD(set_rows, "set_rows(x, ids, values) -> the matrix x with the rows at the ids replaced, the last one staying."),
    METHOD(flat_rows, "flat_rows(index, shape, negative=True) -> ids of axes of these sizes as ids of all in one; negative ones count from the end."),
    {0}};

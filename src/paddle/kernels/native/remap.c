/* Arrays read in another order along their axes: turned, rolled, padded; the sums that are the gradient of that; triangles. */
#define _GNU_SOURCE
#include "movable.h"

#include "remap.h"
#include "thresholds.h"

/* ---- tables ---- */

/* Tables of int64, one for each of the first axes (None: as it is), copied: another thread may write to what was given. NULL with an
 * exception, or with 0 in *fine where a table names what is not there; sizes of what is read are in t->size. */
static int take_tables(const char *function, PyObject *value, remap_t *t, int ndim, int *fine) {
    *fine = 1;
    if (!PyTuple_Check(value) || PyTuple_GET_SIZE(value) != ndim) {
        PyErr_Format(PyExc_ValueError, "%s(): argument 'tables' must be a tuple with an entry for each of %d axes", function, ndim);
        return -1;
    }
    if (ndim > REMAP_MAX_AXES) {
        *fine = 0;
        return 0;
    }
    t->ndim = 0;
    for (int i = 0; i < ndim; i++) {
        PyObject *entry = PyTuple_GET_ITEM(value, i);
        t->table[i] = NULL;
        t->count[i] = t->size[i];
        if (entry == Py_None) continue;
        PyArrayObject *given = arg_array(function, "tables", entry, NPY_INT64, 1);
        if (!given) return -1;
        index_t count = PyArray_SIZE(given);
        int64_t *own = scratch((size_t)count * sizeof *own);
        if (!own) {
            PyErr_NoMemory();
            return -1;
        }
        memcpy(own, PyArray_DATA(given), (size_t)count * sizeof *own);
        for (index_t k = 0; k < count; k++) *fine &= own[k] >= -1 && own[k] < t->size[i];
        t->table[i] = own;
        t->count[i] = count;
        t->ndim = i + 1;
    }
    if (!t->ndim) *fine = 0; /* nothing to do here */
    return 0;
}

static int need_runs(remap_t *t) {
    if (remap_cut(t) == NATIVE_OK) return 0;
    PyErr_NoMemory();
    return -1;
}

/* ---- reading ---- */
BINDING(remap) {
    BIND("remap", 3, "x", "tables", "fill");
    MOVABLE("remap", "x", values[0], x);
    MOVABLE("remap", "fill", values[2], fill);
    int ndim = PyArray_NDIM(x), fine;
    if (!PyArray_IS_C_CONTIGUOUS(x) || PyArray_NDIM(fill) || !PyArray_EquivTypes(PyArray_DESCR(x), PyArray_DESCR(fill)) ||
        ndim > REMAP_MAX_AXES)
        Py_RETURN_NOTIMPLEMENTED;
    remap_t t = {.item = PyArray_ITEMSIZE(x), .fill = PyArray_DATA(fill), .zero = 1};
    for (index_t i = 0; i < t.item; i++) t.zero &= t.fill[i] == 0;
    for (int i = 0; i < ndim; i++) t.size[i] = PyArray_DIM(x, i);
    size_t mark = scratch_mark();
    PyArrayObject *y = NULL;
    if (take_tables("remap", values[1], &t, ndim, &fine)) goto done;
    if (!fine) {
        scratch_release(mark);
        Py_RETURN_NOTIMPLEMENTED;
    }
    npy_intp shape[NPY_MAXDIMS];
    for (int i = 0; i < ndim; i++) shape[i] = t.count[i];
    if (need_runs(&t) || !(y = new_like(x, ndim, shape)) || !PyArray_SIZE(y)) goto done;
    t.unit = t.item;
    for (int i = t.ndim; i < ndim; i++) t.unit *= t.size[i];
    t.x = PyArray_DATA(x);
    t.y = PyArray_DATA(y);
    WITHOUT_GIL(remap_run(&t, PyArray_SIZE(y)))
done:
    scratch_release(mark);
    return (PyObject *)y;
}

/* ---- the gradient ---- */

/* Who reads each element of an axis: places[starts[s]] .. places[starts[s + 1] - 1] read element s. */
static int invert(remap_t *t, int axis) {
    const index_t size = t->size[axis], count = t->count[axis];
    index_t *starts = scratch((size_t)(size + 1) * sizeof *starts), *places = scratch((size_t)count * sizeof *places);
    if (!starts || !places) {
        PyErr_NoMemory();
        return -1;
    }
    memset(starts, 0, (size_t)(size + 1) * sizeof *starts);
    for (index_t o = 0; o < count; o++) {
        index_t s = t->table[axis] ? t->table[axis][o] : o;
        if (s >= 0) starts[s + 1]++;
    }
    for (index_t s = 0; s < size; s++) starts[s + 1] += starts[s];
    for (index_t o = 0; o < count; o++) { /* starts[s] moves on to the end of its part ... */
        index_t s = t->table[axis] ? t->table[axis][o] : o;
        if (s >= 0) places[starts[s]++] = o;
    }
    for (index_t s = size; s > 0; s--) starts[s] = starts[s - 1]; /* ... and back */
    starts[0] = 0;
    t->starts[axis] = starts;
    t->places[axis] = places;
    return 0;
}

BINDING(remap_back) {
    BIND("remap_back", 3, "g", "tables", "shape");
    const char *function = "remap_back";
    DENSE_FLOATS("remap_back", "g", values[0], g);
    int ndim = PyArray_NDIM(g), fine;
    index_t sizes[NPY_MAXDIMS];
    if (ndim > REMAP_MAX_AXES) Py_RETURN_NOTIMPLEMENTED;
    if (arg_indices(function, "shape", values[2], ndim, 0, PTRDIFF_MAX / 64, sizes)) return NULL;
    remap_t t = {.item = PyArray_ITEMSIZE(g)};
    npy_intp shape[NPY_MAXDIMS];
    for (int i = 0; i < ndim; i++) shape[i] = t.size[i] = sizes[i];
    size_t mark = scratch_mark();
    PyArrayObject *y = NULL;
    if (take_tables(function, values[1], &t, ndim, &fine)) goto done;
    for (int i = 0; i < ndim; i++) fine &= t.count[i] == PyArray_DIM(g, i);
    if (!fine) {
        scratch_release(mark);
        Py_RETURN_NOTIMPLEMENTED;
    }
    t.unit = 1;
    for (int i = t.ndim; i < ndim; i++) t.unit *= t.size[i];
    const stretch_t all = {0, t.unit, 0, 1};
    if (t.unit >= 16 && t.ndim < REMAP_MAX_AXES) { /* what lies behind is long: a line of its own */
        t.size[t.ndim] = t.count[t.ndim] = t.unit;
        t.ndim++;
        t.unit = 1;
        t.runs = t.whole = &all;
        t.run_count = 1;
    } else if (need_runs(&t)) goto done;
    for (int i = 0; i + 1 < t.ndim; i++)
        if (invert(&t, i)) goto done;
    if (!(y = new_like(g, ndim, shape)) || !PyArray_SIZE(y)) goto done;
    t.x = PyArray_DATA(g);
    t.y = PyArray_DATA(y);
    index_t length = t.size[t.ndim - 1] * t.unit, lines = PyArray_SIZE(y) / length;
    int type = PyArray_TYPE(g);
    index_t grain = max_of(1, MOVE_GRAIN / 8 / length);
    WITHOUT_GIL(type == NPY_FLOAT ? DISPATCH(f32, back_run, &t, lines, grain) : DISPATCH(f64, back_run, &t, lines, grain))
done:
    scratch_release(mark);
    return (PyObject *)y;
}

/* ---- triangles ---- */
BINDING(triangle) {
    BIND("triangle", 3, "x", "diagonal", "lower");
    MOVABLE("triangle", "x", values[0], x);
    int ndim = PyArray_NDIM(x), lower = arg_bool("triangle", "lower", values[2], 1);
    index_t diagonal = arg_index("triangle", "diagonal", values[1], 0);
    if (lower < 0 || PyErr_Occurred()) return NULL;
    if (ndim < 2 || !PyArray_IS_C_CONTIGUOUS(x)) Py_RETURN_NOTIMPLEMENTED;
    triangle_t t = {.rows = PyArray_DIM(x, ndim - 2), .columns = PyArray_DIM(x, ndim - 1), .lower = lower,
                    .item = PyArray_ITEMSIZE(x)};
    t.diagonal = diagonal;
    PyArrayObject *y = new_like(x, ndim, PyArray_DIMS(x));
    if (!y || !PyArray_SIZE(y)) return (PyObject *)y;
    t.x = PyArray_DATA(x);
    t.y = PyArray_DATA(y);
    WITHOUT_GIL(triangle_run(&t, PyArray_SIZE(y) / t.columns))
    return (PyObject *)y;
}

PyMethodDef remap_methods[] = {
    METHOD(remap, "remap(x, tables, fill) -> y: y[o0, o1, ...] is x[tables[0][o0], ...], the fill where a table has -1."),
    METHOD(remap_back, "remap_back(g, tables, shape) -> the gradient of remap: for each element the sum over who read it."),
    METHOD(triangle, "triangle(x, diagonal, lower) -> x with zeros above (lower) or below a diagonal of its matrices."),
    {0}};

/* Elements that move and stay what they are: copies of strided arrays, joining. */
#define _GNU_SOURCE
#include "outputs.h"

#if NATIVE_X86
#include <immintrin.h>
#endif

#include "movable.h"
#include "rearrange.h"
#include "thresholds.h"

#define BODY "rearrange.inc"
#define BODY_TYPES 2
#include "multiversion.h"

enum { TILE = 64 }; /* elements on a side of one tile of a transposition */

/* ---- copies ---- */

/* Describe x without axes of size 1 and with axes that lie together made one. */
static void merge_axes(copy_t *t, int ndim, const npy_intp *shape, const npy_intp *stride) {
    t->ndim = 0;
    for (int i = 0; i < ndim; i++) {
        if (shape[i] == 1) continue;
        int last = t->ndim - 1;
        if (last >= 0 && t->stride[last] == stride[i] * shape[i]) {
            t->shape[last] *= shape[i];
            t->stride[last] = stride[i];
            continue;
        }
        t->shape[t->ndim] = shape[i];
        t->stride[t->ndim++] = stride[i];
    }
    index_t step = t->item;
    for (int i = t->ndim - 1; i >= 0; i--) {
        t->out_stride[i] = step;
        step *= t->shape[i];
    }
}

/* Where line `line` begins in x: a line is one setting of all axes but the last (and but `without`). */
static index_t line_offset(const copy_t *t, index_t line, int without, index_t *out) {
    index_t offset = 0;
    *out = 0;
    for (int i = t->ndim - 2; i >= 0; i--) {
        if (i == without) continue;
        index_t at = line % t->shape[i];
        line /= t->shape[i];
        offset += at * t->stride[i];
        *out += at * t->out_stride[i];
    }
    return offset;
}

#define COPY_LINE(type)                                                                              \
    {                                                                                                \
        type *to = (type *)y, same;                                                                  \
        memcpy(&same, x, sizeof same);                                                               \
        if (step == 0)                                                                               \
            for (index_t i = 0; i < count; i++) to[i] = same;                                        \
        else                                                                                         \
            for (index_t i = 0; i < count; i++) memcpy(to + i, x + i * step, sizeof *to);            \
        break;                                                                                       \
    }

/* One line of `count` elements that are `step` bytes apart. */
static void copy_line(char *y, const char *x, index_t count, index_t step, index_t item) {
    if (step == item) {
        memcpy(y, x, (size_t)(count * item));
        return;
    }
    switch (item) {
        case 1: COPY_LINE(uint8_t)
        case 2: COPY_LINE(uint16_t)
        case 4: COPY_LINE(uint32_t)
        case 8: COPY_LINE(uint64_t)
        default:
            for (index_t i = 0; i < count; i++) memcpy(y + i * item, x + i * step, (size_t)item);
    }
}

static int copy_lines(void *context, index_t begin, index_t end) {
    const copy_t *t = context;
    const int last = t->ndim - 1;
    index_t out, offset = line_offset(t, begin, -1, &out), at[MOVE_MAX_AXES];
    const index_t bytes = t->shape[last] * t->item;
    for (index_t i = last - 1, line = begin; i >= 0; line /= t->shape[i--]) at[i] = line % t->shape[i];
    for (index_t line = begin; line < end; line++, out += bytes) {
        copy_line(t->y + out, t->x + offset, t->shape[last], t->stride[last], t->item);
        for (int i = last - 1; i >= 0; i--) { /* on to the next line */
            offset += t->stride[i];
            if (++at[i] < t->shape[i]) break;
            offset -= t->stride[i] * t->shape[i];
            at[i] = 0;
        }
    }
    return NATIVE_OK;
}

static int copy_tiles(void *context, index_t begin, index_t end) {
    const copy_t *t = context;
    const int last = t->ndim - 1, across = t->across;
    for (index_t task = begin; task < end; task++) {
        index_t a = task % t->across_tiles * TILE, rest = task / t->across_tiles, b = rest % t->last_tiles * TILE, out;
        index_t offset = line_offset(t, rest / t->last_tiles, across, &out);
        index_t rows = min_of(TILE, t->shape[last] - b), count = min_of(TILE, t->shape[across] - a);
        const char *from = t->x + offset + b * t->stride[last] + a * t->item;
        char *to = t->y + out + a * t->out_stride[across] + b * t->item;
        if (t->item == 4) DISPATCH(f32, transpose_tile, from, t->stride[last], rows, count, to, t->out_stride[across]);
        else if (t->item == 8) DISPATCH(f64, transpose_tile, from, t->stride[last], rows, count, to, t->out_stride[across]);
        else
            for (index_t k = 0; k < count; k++)
                copy_line(to + k * t->out_stride[across], from + k * t->item, rows, t->stride[last], t->item);
    }
    return NATIVE_OK;
}

/* Part of the only line. */
static int copy_part(void *context, index_t begin, index_t end) {
    const copy_t *t = context;
    copy_line(t->y + begin * t->item, t->x + begin * t->stride[0], end - begin, t->stride[0], t->item);
    return NATIVE_OK;
}

static int copy_run(copy_t *t) {
    const int last = t->ndim - 1;
    if (t->ndim == 0) {
        memcpy(t->y, t->x, (size_t)t->item);
        return NATIVE_OK;
    }
    index_t lines = 1;
    for (int i = 0; i < last; i++) lines *= t->shape[i];
    if (lines * t->shape[last] == 0) return NATIVE_OK;
    if (last == 0) return parallel_range(t->shape[0], max_of(1, MOVE_GRAIN / t->item), copy_part, t);
    t->across = -1;
    for (int i = 0; i < last; i++)
        if (t->stride[i] == t->item && t->stride[last] != t->item && t->stride[last] != 0) t->across = i;
    if (t->across < 0)
        return parallel_range(lines, max_of(1, MOVE_GRAIN / (t->shape[last] * t->item)), copy_lines, t);
    t->across_tiles = ceil_div(t->shape[t->across], TILE);
    t->last_tiles = ceil_div(t->shape[last], TILE);
    index_t tiles = lines / t->shape[t->across] * t->across_tiles * t->last_tiles;
    index_t each = min_of(TILE, t->shape[t->across]) * min_of(TILE, t->shape[last]) * t->item;
    return parallel_range(tiles, max_of(1, MOVE_GRAIN / each), copy_tiles, t);
}

BINDING(contiguous) {
    BIND("contiguous", 1, "x");
    if (values[0] && PyArray_CheckExact(values[0]) && PyArray_ISCARRAY_RO((PyArrayObject *)values[0])) {
        Py_INCREF(values[0]);
        return values[0];
    }
    MOVABLE("contiguous", "x", values[0], x);
    copy_t t = {.item = PyArray_ITEMSIZE(x)};
    PyArrayObject *y = new_like(x, PyArray_NDIM(x), PyArray_DIMS(x));
    if (!y) return NULL;
    merge_axes(&t, PyArray_NDIM(x), PyArray_DIMS(x), PyArray_STRIDES(x));
    t.x = PyArray_DATA(x);
    t.y = PyArray_DATA(y);
    WITHOUT_GIL(copy_run(&t));
    return (PyObject *)y;
}

/* ---- joining ---- */
typedef struct {
    index_t count, outer, line; /* arrays; lines of the result, and the bytes of one */
    const char *const *x;
    const index_t *begin; /* where each array's part of a line begins; begin[count] is `line` */
    char *y;
} join_t;

static int join_lines(void *context, index_t begin, index_t end) {
    const join_t *t = context;
    for (index_t task = begin; task < end; task++) { /* a task is one array's part of one line */
        index_t line = task / t->count, k = task % t->count, bytes = t->begin[k + 1] - t->begin[k];
        memcpy(t->y + line * t->line + t->begin[k], t->x[k] + line * bytes, (size_t)bytes);
    }
    return NATIVE_OK;
}

BINDING(concat) {
    BIND("concat", 1, "arrays", "axis");
    if (!PyList_Check(values[0]) && !PyTuple_Check(values[0]))
        return PyErr_Format(PyExc_TypeError, "concat(): argument 'arrays' must be a list or tuple, got %s",
                            Py_TYPE(values[0])->tp_name);
    index_t count = PySequence_Fast_GET_SIZE(values[0]), axis = arg_index("concat", "axis", values[1], 0);
    if (axis == -1 && PyErr_Occurred()) return NULL;
    if (count == 0) return PyErr_Format(PyExc_ValueError, "concat(): argument 'arrays' is empty");
    PyArrayObject *first = NULL;
    npy_intp shape[NPY_MAXDIMS];
    index_t total = 0;
    for (index_t k = 0; k < count; k++) {
        MOVABLE("concat", "arrays", PySequence_Fast_GET_ITEM(values[0], k), x);
        if (!first) {
            first = x;
            if (axis < -PyArray_NDIM(x) || axis >= PyArray_NDIM(x))
                return PyErr_Format(PyExc_ValueError, "concat(): argument 'axis': %zd is not an axis of an array with %d "
                                                      "dimensions", (Py_ssize_t)axis, PyArray_NDIM(x));
            if (axis < 0) axis += PyArray_NDIM(x);
        }
        if (!PyArray_IS_C_CONTIGUOUS(x) || !PyArray_EquivTypes(PyArray_DESCR(x), PyArray_DESCR(first)) ||
            PyArray_NDIM(x) != PyArray_NDIM(first))
            Py_RETURN_NOTIMPLEMENTED;
        for (int i = 0; i < PyArray_NDIM(x); i++)
            if (i != axis && PyArray_DIM(x, i) != PyArray_DIM(first, i))
                return PyErr_Format(PyExc_ValueError, "concat(): argument 'arrays': sizes differ along axis %d: %zd and %zd", i,
                                    (Py_ssize_t)PyArray_DIM(first, i), (Py_ssize_t)PyArray_DIM(x, i));
        total += PyArray_DIM(x, axis);
    }
    int ndim = PyArray_NDIM(first);
    join_t t = {.count = count, .outer = 1};
    index_t inner = PyArray_ITEMSIZE(first);
    for (int i = 0; i < ndim; i++) {
        shape[i] = i == axis ? total : PyArray_DIM(first, i);
        if (i < axis) t.outer *= shape[i];
        if (i > axis) inner *= shape[i];
    }
    PyArrayObject *y = new_like(first, ndim, shape);
    if (!y) return NULL;
    size_t mark = scratch_mark();
    const char **data = scratch((size_t)count * sizeof *data);
    index_t *begin = scratch((size_t)(count + 1) * sizeof *begin);
    if (!data || !begin) {
        scratch_release(mark);
        Py_DECREF(y);
        return PyErr_NoMemory();
    }
    begin[0] = 0;
    for (index_t k = 0; k < count; k++) {
        PyArrayObject *x = (PyArrayObject *)PySequence_Fast_GET_ITEM(values[0], k);
        data[k] = PyArray_DATA(x);
        begin[k + 1] = begin[k] + PyArray_DIM(x, axis) * inner;
    }
    t.x = data;
    t.begin = begin;
    t.line = begin[count];
    t.y = PyArray_DATA(y);
    index_t tasks = t.outer * count, bytes = PyArray_SIZE(y) * PyArray_ITEMSIZE(y);
    if (bytes) WITHOUT_GIL(parallel_range(tasks, max_of(1, MOVE_GRAIN / max_of(1, bytes / tasks)), join_lines, &t));
    scratch_release(mark);
    return (PyObject *)y;
}

PyMethodDef rearrange_methods[] = {
    METHOD(contiguous, "contiguous(x) -> x itself if it is C-contiguous, else a copy that is."),
    METHOD(concat, "concat(arrays, axis=0) -> C-contiguous arrays of one type joined along an axis."),
    {0}};

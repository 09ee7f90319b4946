/* Arrays read in another order along their axes: turned, rolled, padded; the sums that are the gradient of that; triangles. */
#define _GNU_SOURCE
#include "movable.h"

#if NATIVE_X86
#include <immintrin.h>
#endif

#include "remap.h"
#include "thresholds.h"

#define BODY "remap.inc"
#define BODY_TYPES 2
#include "multiversion.h"

/* ---- tables ---- */

/* A table cut into runs. */
static index_t make_runs(const int64_t *table, index_t count, run_t *runs) {
    index_t n = 0;
    for (index_t i = 0; i < count;) {
        index_t end = i + 1, step = table[i] < 0 ? 0 : 1;
        if (step && end < count && table[end] == table[i] - 1 && table[end] >= 0) step = -1;
        while (end < count && (step ? table[end] >= 0 && table[end] == table[end - 1] + step : table[end] < 0)) end++;
        runs[n++] = (run_t){i, end, table[i], step};
        i = end;
    }
    return n;
}

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

static int take_runs(remap_t *t) {
    int last = t->ndim - 1;
    run_t *runs = scratch((size_t)t->count[last] * sizeof *runs);
    if (!runs) {
        PyErr_NoMemory();
        return -1;
    }
    t->run_count = make_runs(t->table[last], t->count[last], runs);
    t->runs = runs;
    for (index_t r = 0; r < t->run_count; r++)
        if (runs[r].step == 1 && runs[r].from == 0 && runs[r].end - runs[r].begin == t->size[last]) t->whole = runs + r;
    return 0;
}

/* ---- reading ---- */
typedef uint64_t four_t __attribute__((vector_size(32), aligned(1), may_alias));
typedef uint32_t word_t __attribute__((aligned(1), may_alias));
#define APART(p) __asm__("" : "+r"(p)) /* keeps compilers from making a call of memcpy or memset out of a loop of few rounds */

/* memcpy without a call for the lines of small images. */
static inline void copy_bytes(char *to, const char *from, index_t bytes) {
    if (bytes > 512) {
        memcpy(to, from, (size_t)bytes);
        return;
    }
    for (; bytes >= 32; bytes -= 32, to += 32, from += 32) *(four_t *)to = *(const four_t *)from;
    for (; bytes >= 8; bytes -= 8, to += 8, from += 8) {
        APART(to);
        memcpy(to, from, 8);
    }
    for (; bytes; bytes--) {
        APART(to);
        *to++ = *from++;
    }
}

static inline void fill_bytes(const remap_t *t, char *y, index_t bytes) {
    const index_t item = t->item;
    if (bytes > 64 && t->zero) {
        memset(y, 0, (size_t)bytes);
        return;
    }
    if (item == 4)
        for (index_t i = 0; i < bytes; i += 4) {
            APART(y);
            memcpy(y + i, t->fill, 4);
        }
    else
        for (index_t i = 0; i < bytes; i += item) memcpy(y + i, t->fill, (size_t)item);
}

/* Places begin .. end of the result, counted through all lines; a place is `unit` bytes. */
static int remap_range(void *context, index_t begin, index_t end) {
    const remap_t *t = context;
    const int last = t->ndim - 1;
    const index_t count = t->count[last], unit = t->unit;
    index_t at[REMAP_MAX_AXES], first = begin % count;
    char *y = (char *)t->y + (begin - first) * unit;
    /* The usual case, a line with few elements of a constant before and after it. */
    const int framed = t->whole && t->item == 4 && (count - t->size[last]) * unit <= 256 &&
                       t->run_count == 1 + (t->whole > t->runs) + (t->whole < t->runs + t->run_count - 1) &&
                       (t->whole == t->runs || t->runs[0].step == 0) && (t->runs[t->run_count - 1].step == 0 || t->whole->end == count);
    const index_t left = framed ? t->whole->begin * unit : 0, middle = t->size[last] * unit;
    word_t word = 0;
    if (framed) memcpy(&word, t->fill, 4);
    line_places(t->count, last, begin / count, at);
    for (index_t stop; begin < end; first = 0, y += count * unit) {
        index_t source = 0;
        int filled = 0;
        stop = min_of(count, first + end - begin);
        for (int i = 0; i < last; i++) {
            index_t place = t->table[i] ? t->table[i][at[i]] : at[i];
            filled |= place < 0;
            source = source * t->size[i] + place;
        }
        for (int i = last - 1; i >= 0 && ++at[i] == t->count[i]; i--) at[i] = 0; /* on to the next line */
        begin += stop - first;
        if (filled) {
            fill_bytes(t, y + first * unit, (stop - first) * unit);
            continue;
        }
        const char *x = (const char *)t->x + source * t->size[last] * unit;
        if (framed && first == 0 && stop == count) {
            for (char *p = y, *e = y + left; p < e; p += 4) *(word_t *)p = word;
            copy_bytes(y + left, x, middle);
            for (char *p = y + left + middle, *e = y + count * unit; p < e; p += 4) *(word_t *)p = word;
            continue;
        }
        for (index_t r = 0; r < t->run_count; r++) {
            const run_t *run = t->runs + r;
            index_t low = max_of(first, run->begin), n = min_of(stop, run->end) - low;
            if (n <= 0) continue;
            char *to = y + low * unit;
            const char *from = x + (run->from + run->step * (low - run->begin)) * unit;
            if (run->step == 0) fill_bytes(t, to, n * unit);
            else if (run->step == 1) copy_bytes(to, from, n * unit);
            else if (unit == 4) DISPATCH(f32, copy_turned, to, from, n);
            else if (unit == 8) DISPATCH(f64, copy_turned, to, from, n);
            else
                for (index_t k = 0; k < n; k++) memcpy(to + k * unit, from - k * unit, (size_t)unit);
        }
    }
    return NATIVE_OK;
}

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
    if (take_runs(&t) || !(y = new_like(x, ndim, shape)) || !PyArray_SIZE(y)) goto done;
    t.unit = t.item;
    for (int i = t.ndim; i < ndim; i++) t.unit *= t.size[i];
    t.x = PyArray_DATA(x);
    t.y = PyArray_DATA(y);
    index_t places = PyArray_SIZE(y) * t.item / t.unit;
    WITHOUT_GIL(parallel_range(places, max_of(1, MOVE_GRAIN / t.unit), remap_range, &t))
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
    const run_t all = {0, t.unit, 0, 1};
    if (t.unit >= 16 && t.ndim < REMAP_MAX_AXES) { /* what lies behind is long: a line of its own */
        t.size[t.ndim] = t.count[t.ndim] = t.unit;
        t.ndim++;
        t.unit = 1;
        t.runs = t.whole = &all;
        t.run_count = 1;
    } else if (take_runs(&t)) goto done;
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
typedef struct {
    index_t rows, columns, diagonal, item;
    int lower;
    const char *x;
    char *y;
} triangle_t;

static int triangle_rows(void *context, index_t begin, index_t end) {
    const triangle_t *t = context;
    const index_t line = t->columns * t->item;
    for (index_t row = begin; row < end; row++) {
        index_t border = row % t->rows + t->diagonal + (t->lower != 0); /* the first column that is not of the lower part */
        border = max_of(0, min_of(t->columns, border)) * t->item;
        const char *x = t->x + row * line;
        char *y = t->y + row * line;
        if (t->lower) {
            memcpy(y, x, (size_t)border);
            memset(y + border, 0, (size_t)(line - border));
        } else {
            memset(y, 0, (size_t)border);
            memcpy(y + border, x + border, (size_t)(line - border));
        }
    }
    return NATIVE_OK;
}

BINDING(triangle) {
    BIND("triangle", 3, "x", "diagonal", "lower");
    MOVABLE("triangle", "x", values[0], x);
    int ndim = PyArray_NDIM(x), lower = arg_bool("triangle", "lower", values[2], 1);
    index_t diagonal = arg_index("triangle", "diagonal", values[1], 0);
    if (lower < 0 || PyErr_Occurred()) return NULL;
    if (ndim < 2 || !PyArray_IS_C_CONTIGUOUS(x)) Py_RETURN_NOTIMPLEMENTED;
    triangle_t t = {.rows = PyArray_DIM(x, ndim - 2), .columns = PyArray_DIM(x, ndim - 1), .lower = lower,
                    .item = PyArray_ITEMSIZE(x)};
    t.diagonal = max_of(-t.rows - 1, min_of(t.columns + 1, diagonal)); /* no sum with a row's number overflows */
    PyArrayObject *y = new_like(x, ndim, PyArray_DIMS(x));
    if (!y || !PyArray_SIZE(y)) return (PyObject *)y;
    t.x = PyArray_DATA(x);
    t.y = PyArray_DATA(y);
    WITHOUT_GIL(parallel_range(PyArray_SIZE(y) / t.columns, max_of(1, MOVE_GRAIN / (t.columns * t.item)), triangle_rows, &t))
    return (PyObject *)y;
}

PyMethodDef remap_methods[] = {
    METHOD(remap, "remap(x, tables, fill) -> y: y[o0, o1, ...] is x[tables[0][o0], ...], the fill where a table has -1."),
    METHOD(remap_back, "remap_back(g, tables, shape) -> the gradient of remap: for each element the sum over who read it."),
    METHOD(triangle, "triangle(x, diagonal, lower) -> x with zeros above (lower) or below a diagonal of its matrices."),
    {0}};

/* Numbers in another type, and evenly spaced ones. */
#define _GNU_SOURCE
#include "movable.h"

#include "thresholds.h"

/* ---- conversion, as C's own (which is NumPy's) ---- */
enum { KIND_F32, KIND_F64, KIND_I32, KIND_I64, KIND_BOOL, KINDS };

typedef struct {
    const void *x;
    void *y;
} cast_t;

#define CAST(from_name, from, to_name, to)                                                                 \
    static int cast_##from_name##_##to_name(void *context, index_t begin, index_t end) {                   \
        const from *x = ((const cast_t *)context)->x;                                                      \
        to *y = ((const cast_t *)context)->y;                                                              \
        for (index_t i = begin; i < end; i++) y[i] = (to)x[i];                                             \
        return NATIVE_OK;                                                                                  \
    }
CAST(f32, float, f64, double)
CAST(f64, double, f32, float)
CAST(f32, float, i32, int32_t)
CAST(f32, float, i64, int64_t)
CAST(f64, double, i32, int32_t)
CAST(f64, double, i64, int64_t)
CAST(i32, int32_t, f32, float)
CAST(i32, int32_t, f64, double)
CAST(i32, int32_t, i64, int64_t)
CAST(i64, int64_t, f32, float)
CAST(i64, int64_t, f64, double)
CAST(i64, int64_t, i32, int32_t)
CAST(bool, uint8_t, f32, float)
CAST(bool, uint8_t, f64, double)
CAST(bool, uint8_t, i32, int32_t)
CAST(bool, uint8_t, i64, int64_t)

static int (*const casts[KINDS][KINDS])(void *, index_t, index_t) = {
    [KIND_F32] = {[KIND_F64] = cast_f32_f64, [KIND_I32] = cast_f32_i32, [KIND_I64] = cast_f32_i64},
    [KIND_F64] = {[KIND_F32] = cast_f64_f32, [KIND_I32] = cast_f64_i32, [KIND_I64] = cast_f64_i64},
    [KIND_I32] = {[KIND_F32] = cast_i32_f32, [KIND_F64] = cast_i32_f64, [KIND_I64] = cast_i32_i64},
    [KIND_I64] = {[KIND_F32] = cast_i64_f32, [KIND_F64] = cast_i64_f64, [KIND_I32] = cast_i64_i32},
    [KIND_BOOL] = {[KIND_F32] = cast_bool_f32, [KIND_F64] = cast_bool_f64, [KIND_I32] = cast_bool_i32, [KIND_I64] = cast_bool_i64},
};

static int kind_of(int type) {
    return type == NPY_FLOAT                         ? KIND_F32
           : type == NPY_DOUBLE                      ? KIND_F64
           : PyArray_EquivTypenums(type, NPY_INT32)  ? KIND_I32
           : PyArray_EquivTypenums(type, NPY_INT64)  ? KIND_I64
           : type == NPY_BOOL                        ? KIND_BOOL
                                                     : -1;
}

BINDING(cast) {
    BIND("cast", 2, "x", "dtype");
    MOVABLE("cast", "x", values[0], x);
    if (!PyArray_DescrCheck(values[1]))
        return PyErr_Format(PyExc_TypeError, "cast(): argument 'dtype' must be a dtype, got %s", Py_TYPE(values[1])->tp_name);
    PyArray_Descr *wanted = (PyArray_Descr *)values[1];
    int from = kind_of(PyArray_TYPE(x)), to = kind_of(wanted->type_num);
    if (from < 0 || to < 0 || !casts[from][to] || !PyArray_ISCARRAY_RO(x) || !PyArray_ISNBO(wanted->byteorder))
        Py_RETURN_NOTIMPLEMENTED;
    Py_INCREF(wanted);
    PyArrayObject *y = (PyArrayObject *)PyArray_SimpleNewFromDescr(PyArray_NDIM(x), PyArray_DIMS(x), wanted);
    if (!y) return NULL;
    cast_t t = {PyArray_DATA(x), PyArray_DATA(y)};
    WITHOUT_GIL(parallel_range(PyArray_SIZE(x), MOVE_GRAIN / 8, casts[from][to], &t))
    return (PyObject *)y;
}

/* ---- start, start + step, ... of int64 ---- */
typedef struct {
    int64_t start, step, *y;
} spaced_t;

static int spaced_range(void *context, index_t begin, index_t end) {
    const spaced_t *t = context;
    for (index_t i = begin; i < end; i++) t->y[i] = (int64_t)((uint64_t)t->start + (uint64_t)t->step * (uint64_t)i);
    return NATIVE_OK;
}

BINDING(spaced) {
    BIND("spaced", 3, "start", "step", "count");
    index_t start = arg_index("spaced", "start", values[0], 0), step = arg_index("spaced", "step", values[1], 1);
    index_t count = arg_index("spaced", "count", values[2], 0);
    if (PyErr_Occurred()) return NULL;
    if (count < 0) return PyErr_Format(PyExc_ValueError, "spaced(): argument 'count' must not be negative, got %zd", (Py_ssize_t)count);
    PyArrayObject *y = NEW_ARRAY(NPY_INT64, count);
    if (!y) return NULL;
    spaced_t t = {start, step, PyArray_DATA(y)};
    WITHOUT_GIL(parallel_range(count, MOVE_GRAIN / 8, spaced_range, &t))
    return (PyObject *)y;
}

PyMethodDef cast_methods[] = {
    METHOD(cast, "cast(x, dtype) -> x in another of float32, float64, int32 and int64; from bool too."),
    METHOD(spaced, "spaced(start, step, count) -> int64 numbers from start on."),
    {0}};

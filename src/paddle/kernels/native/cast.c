/* Numbers in another type. */
#define _GNU_SOURCE
#include "movable.h"

#include "cast.h"
#include "thresholds.h"

static int kind_of(int type) {
    return type == NPY_FLOAT                         ? CAST_F32
           : type == NPY_DOUBLE                      ? CAST_F64
           : PyArray_EquivTypenums(type, NPY_INT32)  ? CAST_I32
           : PyArray_EquivTypenums(type, NPY_INT64)  ? CAST_I64
           : type == NPY_BOOL                        ? CAST_BYTE
                                                     : -1;
}

BINDING(cast) {
    BIND("cast", 2, "x", "dtype");
    MOVABLE("cast", "x", values[0], x);
    if (!PyArray_DescrCheck(values[1]))
        return PyErr_Format(PyExc_TypeError, "cast(): argument 'dtype' must be a dtype, got %s", Py_TYPE(values[1])->tp_name);
    PyArray_Descr *wanted = (PyArray_Descr *)values[1];
    const cast_loop_t loop = cast_loop(kind_of(PyArray_TYPE(x)), kind_of(wanted->type_num));
    if (!loop || !PyArray_ISCARRAY_RO(x) || !PyArray_ISNBO(wanted->byteorder))
        Py_RETURN_NOTIMPLEMENTED;
    Py_INCREF(wanted);
    PyArrayObject *y = (PyArrayObject *)PyArray_SimpleNewFromDescr(PyArray_NDIM(x), PyArray_DIMS(x), wanted);
    if (!y) return NULL;
    cast_t t = {PyArray_DATA(x), PyArray_DATA(y)};
    WITHOUT_GIL(parallel_range(PyArray_SIZE(x), MOVE_GRAIN / 8, loop, &t))
    return (PyObject *)y;
}

PyMethodDef cast_methods[] = {
    METHOD(cast, "cast(x, dtype) -> x in another of float32, float64, int32 and int64; from bool too."),
    {0}};

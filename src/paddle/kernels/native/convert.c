/* Short floats (float16 and bfloat16) to float32 and back. */
#define _GNU_SOURCE
#include "outputs.h"
#include "short_kind.h"

#include "convert.h"

int short_kind(const char *function, const char *name, PyArray_Descr *descr) {
    if (descr->type_num == NPY_HALF) return 0;
    if (PyTypeNum_ISUSERDEF(descr->type_num) && descr->type == 'E') return 1;
    PyErr_Format(PyExc_TypeError, "%s(): argument '%s' must be of float16 or bfloat16, got %R", function, name, descr);
    return -1;
}

static PyObject *run(const char *function, PyArrayObject *x, PyArray_Descr *result, convert_t *c) {
    Py_INCREF(result);
    PyArrayObject *y = (PyArrayObject *)PyArray_SimpleNewFromDescr(PyArray_NDIM(x), PyArray_DIMS(x), result);
    if (!y) return NULL;
    if (PyArray_ITEMSIZE(c->narrow ? y : x) != 2) { /* somebody else's type of the same letter */
        Py_DECREF(y);
        return PyErr_Format(PyExc_TypeError, "%s(): only float16 and bfloat16 have 16 bits, got %R", function, result);
    }
    c->count = PyArray_SIZE(x);
    c->from = PyArray_DATA(x);
    c->to = PyArray_DATA(y);
    int status;
    WITHOUT_GIL(status = DISPATCH(f32, convert_run, c));
    if (check_status(function, status)) Py_CLEAR(y);
    return (PyObject *)y;
}

BINDING(widen) {
    BIND("widen", 1, "x");
    if (!PyArray_Check(values[0]))
        return PyErr_Format(PyExc_TypeError, "widen(): argument 'x' must be an array, got %s", Py_TYPE(values[0])->tp_name);
    PyArrayObject *x = (PyArrayObject *)values[0];
    convert_t c = {.brain = short_kind("widen", "x", PyArray_DESCR(x))};
    if (c.brain < 0) return NULL;
    if (!PyArray_IS_C_CONTIGUOUS(x) || !PyArray_ISALIGNED(x) || !PyArray_ISNOTSWAPPED(x))
        return PyErr_Format(PyExc_ValueError, "widen(): argument 'x' must be C-contiguous, aligned and of native byte order");
    PyArray_Descr *wide = PyArray_DescrFromType(NPY_FLOAT);
    PyObject *y = run("widen", x, wide, &c);
    Py_DECREF(wide);
    return y;
}

BINDING(narrow) {
    BIND("narrow", 2, "x", "dtype");
    PyArrayObject *x = arg_array("narrow", "x", values[0], NPY_FLOAT, -1);
    if (!x) return NULL;
    if (!PyArray_DescrCheck(values[1]))
        return PyErr_Format(PyExc_TypeError, "narrow(): argument 'dtype' must be a NumPy dtype, got %s",
                            Py_TYPE(values[1])->tp_name);
    convert_t c = {.brain = short_kind("narrow", "dtype", (PyArray_Descr *)values[1]), .narrow = 1};
    if (c.brain < 0) return NULL;
    return run("narrow", x, (PyArray_Descr *)values[1], &c);
}

PyMethodDef convert_methods[] = {
    METHOD(widen, "widen(x) -> float32 array of a float16 or bfloat16 one."),
    METHOD(narrow, "narrow(x, dtype) -> float32 array rounded to float16 or bfloat16."),
    {0}};

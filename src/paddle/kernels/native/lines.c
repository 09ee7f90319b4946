/* Comparisons, logic, bits and arithmetic of whole numbers on NumPy arrays. */
#define _GNU_SOURCE
#include "lines_args.h"

#include "lines.h"
#include "movable.h"

enum { RELEASED = 16384, SHORT_BYTES = 1024 }; /* elements from which on other threads of Python may run meanwhile; of a line */

static int find_rule(PyObject *name) {
#define LINE_RULE(name, text) #text,
    static const char *const texts[] = {LINE_RULES(LINE_RULE)};
#undef LINE_RULE
    static PyObject *known[LINE_RULE_COUNT]; /* interned: names in programs are the same objects */
    for (int i = 0; i < LINE_RULE_COUNT; i++)
        if (name == known[i]) return i;
    for (int i = 0; i < LINE_RULE_COUNT; i++) {
        if (!known[i] && !(known[i] = PyUnicode_InternFromString(texts[i]))) PyErr_Clear();
        if (PyUnicode_Check(name) && !PyUnicode_CompareWithASCIIString(name, texts[i])) return i;
    }
    return -1;
}

/* The kind of an array's elements, of complex ones that of their parts; -1: none. */
static int kind_of(PyArrayObject *a) {
    if (!PyArray_ISBEHAVED_RO(a)) return -1;
    switch (PyArray_TYPE(a)) {
    case NPY_BOOL: return LINE_BOOL;
    case NPY_INT8: return LINE_I8;
    case NPY_UINT8: return LINE_U8;
    case NPY_INT16: return LINE_I16;
    case NPY_INT32: return LINE_I32;
    case NPY_INT64: return LINE_I64;
    case NPY_FLOAT:
    case NPY_CFLOAT: return LINE_F32;
    case NPY_DOUBLE:
    case NPY_CDOUBLE: return LINE_F64;
    default: return -1;
    }
}

/* Widen t's shape so that it covers the array's: 0, or -1 if sizes clash. */
static int cover(lines_t *t, PyArrayObject *a) {
    const int lead = t->ndim - PyArray_NDIM(a);
    for (int i = 0; i < PyArray_NDIM(a); i++) {
        const index_t size = PyArray_DIM(a, i);
        if (size == 1 || size == t->dims[lead + i]) continue;
        if (t->dims[lead + i] != 1) return -1;
        t->dims[lead + i] = size;
    }
    return 0;
}

/* An array's steps along the axes of t: 0, or -1 if elements do not lie behind each other along the last axis, or steps are larger along a
 * later axis (NumPy follows such an order in its results). */
static int take_steps(const lines_t *t, PyArrayObject *a, index_t *steps) {
    const int lead = t->ndim - PyArray_NDIM(a);
    index_t before = 0;
    int last = 0; /* axes behind it, but those of size 1 */
    for (int i = t->ndim - 1; i >= 0; i--) {
        steps[i] = i < lead || PyArray_DIM(a, i - lead) == 1 ? 0 : PyArray_STRIDE(a, i - lead);
        if (t->dims[i] > 1 && last++ == 0 && steps[i] && steps[i] != t->item) return -1;
        const index_t size = steps[i] < 0 ? -steps[i] : steps[i];
        if (size && size < before) return -1;
        before = max_of(size, before);
    }
    return 0;
}

/* Are there many lines that are shorter than what goes with each? NumPy's take less. */
static int short_lines(const lines_t *t, PyArrayObject *a, PyArrayObject *b) {
    if (t->ndim < 2 || t->dims[t->ndim - 1] * t->item >= SHORT_BYTES || PyArray_SIZE(a) == 1 || PyArray_SIZE(b) == 1) return 0;
    return !(PyArray_SAMESHAPE(a, b) && PyArray_IS_C_CONTIGUOUS(a) && PyArray_IS_C_CONTIGUOUS(b));
}

/* NumPy divides by one number in whole numbers, has vectors of 8 and 16 bits, and compares integers with 0 in one pass. */
static int numpy_is_quicker(int rule, int kind, PyArrayObject *a, PyArrayObject *b) {
    const int narrow = kind <= LINE_I16, ordered = rule >= LINE_LESS && rule <= LINE_GREATER_EQUAL, logic = rule >= LINE_AND && rule <= LINE_XOR;
    return (narrow && (rule <= LINE_POW || ordered)) || (logic && kind >= LINE_I16 && kind <= LINE_I64)
        || (rule == LINE_FLOORDIV && PyArray_SIZE(b) == 1 && PyArray_SIZE(a) > 1);
}

PyObject *lines_of(PyObject *name, PyObject *first, PyObject *second) {
    PyArrayObject *a = PyArray_Check(first) ? (PyArrayObject *)first : NULL, *b = second && PyArray_Check(second) ? (PyArrayObject *)second : NULL;
    lines_t t = {.rule = find_rule(name)};
    if (!a || t.rule < 0 || lines_of_one(t.rule) != !b || (b && PyArray_TYPE(a) != PyArray_TYPE(b))) Py_RETURN_NOTIMPLEMENTED;
    t.kind = kind_of(a);
    t.item = PyArray_ITEMSIZE(a);
    t.ndim = (int)max_of(PyArray_NDIM(a), b ? PyArray_NDIM(b) : 0);
    if (t.kind < 0 || (b && kind_of(b) < 0) || !lines_known(t.rule, t.kind) || PyArray_ISCOMPLEX(a) != (t.rule == LINE_CONJ) || t.ndim > LINE_AXES)
        Py_RETURN_NOTIMPLEMENTED;
    if (numpy_is_quicker(t.rule, t.kind, a, b)) Py_RETURN_NOTIMPLEMENTED;
    for (int i = 0; i < t.ndim; i++) t.dims[i] = 1;
    if (cover(&t, a) || (b && cover(&t, b)) || take_steps(&t, a, t.a_step) || (b && take_steps(&t, b, t.b_step))) Py_RETURN_NOTIMPLEMENTED;
    if (b && short_lines(&t, a, b)) Py_RETURN_NOTIMPLEMENTED;
    const index_t result = lines_result(t.rule, t.item);
    PyArrayObject *y = t.rule == LINE_PAIR ? new_array(t.item == 4 ? NPY_CFLOAT : NPY_CDOUBLE, t.ndim, t.dims)
                     : result == 1 && t.rule >= LINE_EQUAL ? new_array(NPY_BOOL, t.ndim, t.dims) : new_like(a, t.ndim, t.dims);
    if (!y) return NULL;
    t.a = PyArray_DATA(a);
    t.b = b ? PyArray_DATA(b) : NULL;
    t.y = PyArray_DATA(y);
    if (PyArray_SIZE(y) < RELEASED) lines_run(&t);
    else WITHOUT_GIL(lines_run(&t))
    if (!t.refused) return (PyObject *)y;
    Py_DECREF(y);
    Py_RETURN_NOTIMPLEMENTED;
}

BINDING(lines) {
    BIND("lines", 2, "name", "a", "b", "axis");
    if (!is_none(values[3])) { /* of operands of as many axes, or matched at their last ones, it says nothing */
        const index_t axis = arg_index("lines", "axis", values[3], -1);
        if (axis == -1 && PyErr_Occurred()) return NULL;
        if (axis != -1 && !(PyArray_Check(values[1]) && PyArray_Check(values[2]) &&
                            PyArray_NDIM((PyArrayObject *)values[1]) == PyArray_NDIM((PyArrayObject *)values[2])))
            Py_RETURN_NOTIMPLEMENTED;
    }
    return lines_of(values[0], values[1], is_none(values[2]) ? NULL : values[2]);
}

PyMethodDef lines_methods[] = {
    METHOD(lines, "lines(name, a, b=None, axis=-1) -> a comparison, logic, bits or arithmetic of whole numbers, with broadcasting, or NotImplemented."),
    {0}};

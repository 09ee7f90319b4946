/* Matrix products of bfloat16: gemm_brain(). */
#include "brain.h"

#include "short_kind.h"

/* A matrix of bfloat16 with its strides in elements, the axes exchanged if it is transposed; -1 with an exception. */
static int read_matrix(const char *name, PyObject *value, int transposed, const uint16_t **data, index_t *rows, index_t *cols,
                       index_t *row, index_t *col) {
    if (!PyArray_Check(value)) {
        PyErr_Format(PyExc_TypeError, "gemm_brain(): argument '%s' must be an array, got %s", name, Py_TYPE(value)->tp_name);
        return -1;
    }
    PyArrayObject *array = (PyArrayObject *)value;
    int kind = short_kind("gemm_brain", name, PyArray_DESCR(array));
    if (kind < 0) return -1;
    if (kind == 0 || PyArray_ITEMSIZE(array) != 2 || PyArray_NDIM(array) != 2 || !PyArray_ISALIGNED(array) ||
        !PyArray_ISNOTSWAPPED(array)) {
        PyErr_Format(PyExc_ValueError, "gemm_brain(): argument '%s' must be an aligned matrix of bfloat16 in native byte order, got %R "
                     "with %d dimensions", name, PyArray_DESCR(array), PyArray_NDIM(array));
        return -1;
    }
    int first = transposed ? 1 : 0;
    *data = PyArray_DATA(array);
    *rows = PyArray_DIM(array, first), *cols = PyArray_DIM(array, !first);
    *row = PyArray_STRIDE(array, first) / 2, *col = PyArray_STRIDE(array, !first) / 2;
    if (*cols == 1) *col = 1; /* the stride of a single column means nothing */
    return 0;
}

BINDING(gemm_brain) {
    BIND("gemm_brain", 2, "a", "b", "trans_a", "trans_b", "bias", "act");
    int trans_a = arg_bool("gemm_brain", "trans_a", values[2], 0), trans_b = arg_bool("gemm_brain", "trans_b", values[3], 0);
    index_t act = arg_index("gemm_brain", "act", values[5], 0), inner;
    if (PyErr_Occurred()) return NULL;
    if (act < 0 || act > 1)
        return PyErr_Format(PyExc_ValueError, "gemm_brain(): argument 'act' must be 0 (none) or 1 (ReLU), got %zd", act);
    brain_t p = {.relu = (int)act};
    if (read_matrix("a", values[0], trans_a, &p.a, &p.m, &p.k, &p.a_row, &p.a_col) ||
        read_matrix("b", values[1], trans_b, &p.b, &inner, &p.n, &p.b_row, &p.b_col))
        return NULL;
    if (inner != p.k)
        return PyErr_Format(PyExc_ValueError, "gemm_brain(): inner sizes differ: a is %zd x %zd, b is %zd x %zd", p.m, p.k, inner, p.n);
    if (!is_none(values[4])) {
        PyArrayObject *bias = arg_array("gemm_brain", "bias", values[4], NPY_FLOAT, 1);
        if (!bias || CHECK_SHAPE("gemm_brain", "bias", bias, p.n)) return NULL;
        p.bias = PyArray_DATA(bias);
    }
    if (!brain_available()) Py_RETURN_NOTIMPLEMENTED;
    PyArray_Descr *kind = PyArray_DESCR((PyArrayObject *)values[0]);
    npy_intp shape[2] = {p.m, p.n};
    Py_INCREF(kind);
    PyArrayObject *out = (PyArrayObject *)PyArray_SimpleNewFromDescr(2, shape, kind);
    if (!out) return NULL;
    p.c = PyArray_DATA(out);
    p.c_row = p.n;
    int status = NATIVE_OK;
    if (p.m && p.n) WITHOUT_GIL(status = brain_gemm(&p))
    if (check_status("gemm_brain", status)) Py_CLEAR(out);
    return (PyObject *)out;
}

static PyObject *available(PyObject *module, PyObject *nothing) {
    (void)module, (void)nothing;
    return PyBool_FromLong(brain_available());
}

PyMethodDef brain_methods[] = {
    {"brain_available", available, METH_NOARGS, "brain_available() -> bool: are there instructions for products of bfloat16?"},
    METHOD(gemm_brain, "gemm_brain(a, b, trans_a=False, trans_b=False, bias=None, act=0) -> out\n\n"
                       "act(op(a) @ op(b) + bias) of bfloat16 matrices with a float32 bias, summed in float32 and rounded once. "
                       "NotImplemented where the processor has no instructions for it."),
    {0}};

/* Matrix products: gemm(). */
#include "gemm.h"

#include "args.h"

/* One operand as the kernel sees it: batch x rows x cols with strides in elements. */
typedef struct {
    const char *data;
    index_t batch, rows, cols, batch_stride, row_stride, col_stride;
} operand_t;

static int read_operand(const char *name, PyObject *value, int type, int transposed, operand_t *operand) {
    PyArrayObject *array = arg_strided("gemm", name, value, type, -1);
    if (!array) return -1;
    int ndim = PyArray_NDIM(array);
    if (ndim != 2 && ndim != 3) {
        PyErr_Format(PyExc_ValueError, "gemm(): argument '%s' must have 2 or 3 dimensions, got %d", name, ndim);
        return -1;
    }
    index_t item = PyArray_ITEMSIZE(array);
    for (int d = 0; d < ndim; d++)
        if (PyArray_STRIDE(array, d) % item) {
            PyErr_Format(PyExc_ValueError, "gemm(): argument '%s' must have strides that are multiples of its item size", name);
            return -1;
        }
    int row = transposed ? ndim - 1 : ndim - 2, col = transposed ? ndim - 2 : ndim - 1;
    *operand = (operand_t){
        .data = PyArray_BYTES(array),
        .batch = ndim == 3 ? PyArray_DIM(array, 0) : 1,
        .rows = PyArray_DIM(array, row),
        .cols = PyArray_DIM(array, col),
        .batch_stride = ndim == 3 && PyArray_DIM(array, 0) > 1 ? PyArray_STRIDE(array, 0) / item : 0,
        .row_stride = PyArray_STRIDE(array, row) / item,
        .col_stride = PyArray_STRIDE(array, col) / item,
    };
    /* the stride of a single row or column means nothing: give it the value that takes the fast ways */
    if (operand->cols == 1) operand->col_stride = 1;
    if (operand->rows == 1 && operand->col_stride != 1) operand->row_stride = 1;
    return 0;
}

/* The result array: `out` if it fits, else a new one. A new reference, or NULL with an exception. */
static PyArrayObject *result_array(PyObject *out, int type, int ndim, const npy_intp *shape, PyArrayObject *a,
                                   PyArrayObject *b) {
    if (is_none(out)) return new_array(type, ndim, shape);
    PyArrayObject *array = arg_strided("gemm", "out", out, type, ndim);
    if (!array || check_shape("gemm", "out", array, ndim, shape)) return NULL;
    index_t item = PyArray_ITEMSIZE(array), rows = shape[ndim - 2], cols = shape[ndim - 1];
    index_t row_stride = PyArray_STRIDE(array, ndim - 2), batch_stride = ndim == 3 ? PyArray_STRIDE(array, 0) : 0;
    int columns_apart = cols > 1 && PyArray_STRIDE(array, ndim - 1) != item;
    int rows_mixed = row_stride % item || (rows > 1 && row_stride < cols * item);
    int items_mixed = batch_stride % item ||
                      (ndim == 3 && shape[0] > 1 && batch_stride < (rows - 1) * row_stride + cols * item);
    if (!PyArray_ISWRITEABLE(array) || (PyArray_SIZE(array) > 0 && (columns_apart || rows_mixed || items_mixed))) {
        PyErr_SetString(PyExc_ValueError, "gemm(): argument 'out' must be writeable, with adjacent columns and rows in order");
        return NULL;
    }
    if (arrays_overlap(array, a) || arrays_overlap(array, b)) {
        PyErr_SetString(PyExc_ValueError, "gemm(): argument 'out' must not overlap 'a' or 'b'");
        return NULL;
    }
    Py_INCREF(array);
    return array;
}

BINDING(gemm) {
    BIND("gemm", 2, "a", "b", "trans_a", "trans_b", "bias", "act", "out", "accumulate");
    int type = arg_float_type("gemm", "a", values[0]);
    if (type < 0) return NULL;
    int trans_a = arg_bool("gemm", "trans_a", values[2], 0), trans_b = arg_bool("gemm", "trans_b", values[3], 0);
    index_t act = arg_index("gemm", "act", values[5], 0);
    int accumulate = arg_bool("gemm", "accumulate", values[7], 0);
    if (PyErr_Occurred()) return NULL;
    if (act < 0 || act > 1)
        return PyErr_Format(PyExc_ValueError, "gemm(): argument 'act' must be 0 (none) or 1 (ReLU), got %zd", act);
    if (accumulate && is_none(values[6])) return PyErr_Format(PyExc_ValueError, "gemm(): argument 'accumulate' needs 'out'");

    operand_t first, second, *a = &first, *b = &second;
    if (read_operand("a", values[0], type, trans_a, a) || read_operand("b", values[1], type, trans_b, b)) return NULL;
    if (a->cols != b->rows)
        return PyErr_Format(PyExc_ValueError, "gemm(): inner sizes differ: a is %zd x %zd, b is %zd x %zd", a->rows, a->cols,
                            b->rows, b->cols);
    if (a->batch != b->batch && a->batch != 1 && b->batch != 1)
        return PyErr_Format(PyExc_ValueError, "gemm(): batch sizes differ: %zd and %zd", a->batch, b->batch);
    const void *bias = NULL;
    if (!is_none(values[4])) {
        PyArrayObject *array = arg_array("gemm", "bias", values[4], type, 1);
        if (!array || CHECK_SHAPE("gemm", "bias", array, b->cols)) return NULL;
        bias = PyArray_DATA(array);
    }
    PyArrayObject *array_a = (PyArrayObject *)values[0], *array_b = (PyArrayObject *)values[1];
    int ndim = PyArray_NDIM(array_a) == 3 || PyArray_NDIM(array_b) == 3 ? 3 : 2;
    index_t items = a->batch == 1 ? b->batch : a->batch;
    npy_intp shape[3] = {items, a->rows, b->cols};
    PyArrayObject *out = result_array(values[6], type, ndim, ndim == 3 ? shape : shape + 1, array_a, array_b);
    if (!out) return NULL;

    index_t item = PyArray_ITEMSIZE(out);
    gemm_batch_t batch = {
        .items = items, .a_batch = a->batch_stride, .b_batch = b->batch_stride,
        .c_batch = ndim == 3 ? PyArray_STRIDE(out, 0) / item : 0, .wide = type != NPY_FLOAT,
        .product = {.m = a->rows, .n = b->cols, .k = a->cols, .a = a->data, .b = b->data, .c = PyArray_DATA(out),
                    .a_row = a->row_stride, .a_col = a->col_stride, .b_row = b->row_stride, .b_col = b->col_stride,
                    .c_row = a->rows <= 1 ? b->cols : PyArray_STRIDE(out, ndim - 2) / item, .bias = bias, .relu = (int)act,
                    .accumulate = accumulate},
    };
    int status = NATIVE_OK;
    if (PyArray_SIZE(out)) WITHOUT_GIL(status = gemm_batch(&batch))
    if (check_status("gemm", status)) {
        Py_DECREF(out);
        return NULL;
    }
    return (PyObject *)out;
}

PyMethodDef gemm_methods[] = {
    METHOD(gemm, "gemm(a, b, trans_a=False, trans_b=False, bias=None, act=0, out=None, accumulate=False) -> out\n\n"
                 "act(op(a) @ op(b) + bias) for 2-D arrays or batches of them. See docs/kernels.md."),
    {0}};

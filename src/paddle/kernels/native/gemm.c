/* Matrix products: gemm(). */
#include "gemm.h"

#include "args.h"

/* One operand as the kernel sees it: batch x rows x cols with strides in elements. */
typedef struct {
    const char *data;
    index_t batch, rows, cols, batch_stride, row_stride, col_stride;
} operand_t;

static int read_operand(const char *function, const char *name, PyObject *value, int type, int transposed, operand_t *operand) {
    PyArrayObject *array = arg_strided(function, name, value, type, -1);
    if (!array) return -1;
    int ndim = PyArray_NDIM(array);
    if (ndim != 2 && ndim != 3) {
        PyErr_Format(PyExc_ValueError, "%s(): argument '%s' must have 2 or 3 dimensions, got %d", function, name, ndim);
        return -1;
    }
    index_t item = PyArray_ITEMSIZE(array);
    for (int d = 0; d < ndim; d++)
        if (PyArray_STRIDE(array, d) % item) {
            PyErr_Format(PyExc_ValueError, "%s(): argument '%s' must have strides that are multiples of its item size", function, name);
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
static PyArrayObject *result_array(const char *function, PyObject *out, int type, int ndim, const npy_intp *shape, PyArrayObject *a,
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
        PyErr_Format(PyExc_ValueError, "%s(): argument 'out' must be writeable, with adjacent columns and rows in order", function);
        return NULL;
    }
    if (arrays_overlap(array, a) || arrays_overlap(array, b)) {
        PyErr_Format(PyExc_ValueError, "%s(): argument 'out' must not overlap 'a' or 'b'", function);
        return NULL;
    }
    Py_INCREF(array);
    return array;
}

/* The prepared form of b; -1 with an exception if it is none of a matrix of this size. */
static int read_ready(const char *function, PyObject *value, int type, const operand_t *b, const void **ready) {
    *ready = NULL;
    if (is_none(value)) return 0;
    PyArrayObject *array = arg_array(function, "ready", value, type, 1);
    if (!array || CHECK_SHAPE(function, "ready", array, gemm_ready_size(b->rows, b->cols))) return -1;
    *ready = PyArray_DATA(array);
    return 0;
}

/* gemm() of its arguments in order and, last, the prepared form of b. */
static PyObject *multiply(const char *function, PyObject *const *values) {
    int type = arg_float_type(function, "a", values[0]);
    if (type < 0) return NULL;
    int trans_a = arg_bool(function, "trans_a", values[2], 0), trans_b = arg_bool(function, "trans_b", values[3], 0);
    index_t act = arg_index(function, "act", values[5], 0);
    int accumulate = arg_bool(function, "accumulate", values[8], 0);
    if (PyErr_Occurred()) return NULL;
    if (act < 0 || act >= ACT_COUNT)
        return PyErr_Format(PyExc_ValueError, "%s(): argument 'act' must be 0 (none), 1 (ReLU), 2 (GELU) or 3 (GELU by tanh), got %zd",
                            function, act);
    if (accumulate && is_none(values[7])) return PyErr_Format(PyExc_ValueError, "%s(): argument 'accumulate' needs 'out'", function);
    if (accumulate && !is_none(values[6]))
        return PyErr_Format(PyExc_ValueError, "%s(): arguments 'accumulate' and 'added' exclude each other", function);

    operand_t first, second, *a = &first, *b = &second;
    if (read_operand(function, "a", values[0], type, trans_a, a) || read_operand(function, "b", values[1], type, trans_b, b)) return NULL;
    if (a->cols != b->rows)
        return PyErr_Format(PyExc_ValueError, "%s(): inner sizes differ: a is %zd x %zd, b is %zd x %zd", function, a->rows, a->cols,
                            b->rows, b->cols);
    if (a->batch != b->batch && a->batch != 1 && b->batch != 1)
        return PyErr_Format(PyExc_ValueError, "%s(): batch sizes differ: %zd and %zd", function, a->batch, b->batch);
    const void *bias = NULL, *ready;
    if (read_ready(function, values[9], type, b, &ready)) return NULL;
    if (!is_none(values[4])) {
        PyArrayObject *array = arg_array(function, "bias", values[4], type, 1);
        if (!array || CHECK_SHAPE(function, "bias", array, b->cols)) return NULL;
        bias = PyArray_DATA(array);
    }
    PyArrayObject *array_a = (PyArrayObject *)values[0], *array_b = (PyArrayObject *)values[1];
    int ndim = PyArray_NDIM(array_a) == 3 || PyArray_NDIM(array_b) == 3 ? 3 : 2;
    index_t items = a->batch == 1 ? b->batch : a->batch;
    npy_intp shape[3] = {items, a->rows, b->cols};
    PyArrayObject *added = NULL;
    if (!is_none(values[6])) {
        added = arg_array(function, "added", values[6], type, ndim);
        if (!added || check_shape(function, "added", added, ndim, ndim == 3 ? shape : shape + 1)) return NULL;
    }
    PyArrayObject *out = result_array(function, values[7], type, ndim, ndim == 3 ? shape : shape + 1, array_a, array_b);
    if (!out) return NULL;
    if (added && (!PyArray_IS_C_CONTIGUOUS(out) || arrays_overlap(out, added))) { /* they are read and written side by side */
        PyErr_Format(PyExc_ValueError, "%s(): with 'added', argument 'out' must be dense and must not overlap it", function);
        Py_DECREF(out);
        return NULL;
    }

    index_t item = PyArray_ITEMSIZE(out);
    gemm_batch_t batch = {
        .items = items, .a_batch = a->batch_stride, .b_batch = b->batch_stride,
        .c_batch = ndim == 3 ? PyArray_STRIDE(out, 0) / item : 0,
        .run = type == NPY_FLOAT ? VERSION_OF(f32, gemm) : VERSION_OF(f64, gemm), .bytes = item,
        .product = {.m = a->rows, .n = b->cols, .k = a->cols, .a = a->data, .b = b->data, .c = PyArray_DATA(out),
                    .a_row = a->row_stride, .a_col = a->col_stride, .b_row = b->row_stride, .b_col = b->col_stride,
                    .c_row = a->rows <= 1 ? b->cols : PyArray_STRIDE(out, ndim - 2) / item, .bias = bias, .act = (int)act,
                    .accumulate = accumulate, .added = added ? PyArray_DATA(added) : NULL, .ready = ready},
    };
    int status = NATIVE_OK;
    if (PyArray_SIZE(out)) WITHOUT_GIL(status = gemm_batch(&batch))
    if (check_status(function, status)) {
        Py_DECREF(out);
        return NULL;
    }
    return (PyObject *)out;
}

BINDING(gemm) {
    BIND("gemm", 2, "a", "b", "trans_a", "trans_b", "bias", "act", "added", "out", "accumulate");
    PyObject *all[10] = {0};
    memcpy(all, values, sizeof values);
    return multiply("gemm", all);
}

BINDING(gemm_ready) {
    BIND("gemm_ready", 3, "a", "b", "ready", "trans_b", "bias", "act", "added", "out");
    PyObject *all[10] = {values[0], values[1], NULL, values[3], values[4], values[5], values[6], values[7], NULL, values[2]};
    return multiply("gemm_ready", all);
}

BINDING(gemm_prepare) {
    BIND("gemm_prepare", 1, "b", "trans_b");
    int type = arg_float_type("gemm_prepare", "b", values[0]), status;
    if (type < 0) return NULL;
    int transposed = arg_bool("gemm_prepare", "trans_b", values[1], 0);
    operand_t b;
    if (PyErr_Occurred() || read_operand("gemm_prepare", "b", values[0], type, transposed, &b)) return NULL;
    if (PyArray_NDIM((PyArrayObject *)values[0]) != 2 || b.rows * b.cols == 0)
        return PyErr_Format(PyExc_ValueError, "gemm_prepare(): argument 'b' must be a matrix that is not empty, got %d dimensions, "
                            "%zd x %zd", PyArray_NDIM((PyArrayObject *)values[0]), b.rows, b.cols);
    gemm_t product = {.n = b.cols, .k = b.rows, .b = b.data, .b_row = b.row_stride, .b_col = b.col_stride};
    PyArrayObject *ready = NEW_ARRAY(type, gemm_ready_size(b.rows, b.cols));
    if (!ready) return NULL;
    WITHOUT_GIL(status = type == NPY_FLOAT ? DISPATCH(f32, gemm_prepare, &product, PyArray_DATA(ready))
                                           : DISPATCH(f64, gemm_prepare, &product, PyArray_DATA(ready)))
    if (check_status("gemm_prepare", status)) Py_CLEAR(ready);
    return (PyObject *)ready;
}

PyMethodDef gemm_methods[] = {
    METHOD(gemm, "gemm(a, b, trans_a=False, trans_b=False, bias=None, act=0, added=None, out=None, accumulate=False) -> out\n\n"
                 "act(op(a) @ op(b) + bias + added) for 2-D arrays or batches of them. See docs/kernels.md."),
    METHOD(gemm_prepare, "gemm_prepare(b, trans_b=False) -> ready\n\nop(b) in the order in which products read it."),
    METHOD(gemm_ready, "gemm_ready(a, b, ready, trans_b=False, bias=None, act=0, added=None, out=None) -> out\n\n"
                       "gemm(a, b, False, trans_b, bias, act, added, out) with what gemm_prepare(b, trans_b) made."),
    {0}};

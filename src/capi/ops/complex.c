/* Complex numbers: made of real ones, and taken apart. */
#include <math.h>

#include "formula.h"
#include "lines.h"
#include "sizes.h"

static dtype_t real_type(dtype_t dtype) { return dtype == TYPE_COMPLEX64 ? TYPE_FLOAT32 : TYPE_FLOAT64; }
static dtype_t complex_type(dtype_t dtype) { return dtype == TYPE_FLOAT32 ? TYPE_COMPLEX64 : TYPE_COMPLEX128; }

/* A tensor's complex numbers seen as twice as many real ones. */
static tensor_t parts_of(const tensor_t *x) {
    tensor_t parts = *x;
    parts.dtype = real_type(x->dtype);
    parts.size = 2 * x->size;
    return parts;
}

/* A complex input, or NULL with a message. */
static const tensor_t *need_complex(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    if (!x || type_is_complex(x->dtype)) return x;
    fail("X must be complex64 or complex128, not %s", type_name(x->dtype));
    return NULL;
}

int part_into(run_t *run, const tensor_t *x, int imaginary, tensor_t *y) {
    tensor_t parts = parts_of(x);
    parts.ndim = 2, parts.dims[0] = x->size, parts.dims[1] = 2;
    return part_of(run, &parts, (index_t[]){0, imaginary}, (index_t[]){x->size, 1}, y) ? -1 : tensor_reshape(y, x->ndim, x->dims);
}

int join_parts(run_t *run, const tensor_t *re, const tensor_t *im, tensor_t *y) {
    index_t dims[MAX_DIMS];
    int ndim;
    if (broadcast_dims(re, im, &ndim, dims) || make(run, y, complex_type(re->dtype), ndim, dims)) return -1;
    if (!lines_into(LINE_PAIR, re, im, y)) return 0;
    tensor_drop(y);
    return -1;
}

static int one_part(run_t *run, const op_t *op, int imaginary) {
    const tensor_t *x = need_complex(run, op);
    tensor_t y;
    return !x || part_into(run, x, imaginary, &y) ? -1 : give(run, op, "Out", &y);
}

static int real(run_t *run, const op_t *op) { return one_part(run, op, 0); }
static int imaginary(run_t *run, const op_t *op) { return one_part(run, op, 1); }

static int conjugate(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    tensor_t y;
    if (!x || make_like(run, &y, x)) return -1;
    if (type_is_complex(x->dtype)) return finish(run, op, "Out", &y, lines_into(LINE_CONJ, x, NULL, &y));
    memcpy(y.data, x->data, (size_t)x->size * type_size(x->dtype));
    return give(run, op, "Out", &y);
}

/* y = the angles of complex numbers, whose parts lie beside each other: apart, they are operands of the native step. */
static int angles_into(run_t *run, const tensor_t *parts, tensor_t *y) {
    tensor_t re = {.dtype = TYPE_NONE}, im = {.dtype = TYPE_NONE};
    int status = make_like(run, &re, y) || make_like(run, &im, y) ? -1 : 0;
    if (!status) {
        for (index_t i = 0; y->dtype == TYPE_FLOAT32 && i < y->size; i++)
            ((float *)re.data)[i] = ((const float *)parts->data)[2 * i], ((float *)im.data)[i] = ((const float *)parts->data)[2 * i + 1];
        for (index_t i = 0; y->dtype == TYPE_FLOAT64 && i < y->size; i++)
            ((double *)re.data)[i] = ((const double *)parts->data)[2 * i], ((double *)im.data)[i] = ((const double *)parts->data)[2 * i + 1];
        formula_t f;
        formula_open(&f, run, y);
        const int a = formula_tensor(&f, &im), b = formula_tensor(&f, &re);
        formula_keep(&f, formula_step(&f, STEP_atan2, a, b, 0), y);
        status = formula_run(&f);
    }
    tensor_drop(&re);
    tensor_drop(&im);
    return status;
}

/* Of real numbers 0 or pi. */
#define REAL_ANGLES(T)                                                                                                 \
    for (index_t i = 0; i < x->size; i++) {                                                                            \
        const T number = ((const T *)x->data)[i];                                                                      \
        ((T *)y.data)[i] = number != number ? number : number < 0 ? (T)3.14159265358979323846 : 0;                     \
    }

static int angle(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    tensor_t y;
    if (!x) return -1;
    const int complex = type_is_complex(x->dtype);
    const tensor_t parts = complex ? parts_of(x) : *x;
    if (check_float(&parts, "X") || make(run, &y, parts.dtype, x->ndim, x->dims)) return -1;
    if (complex) return finish(run, op, "Out", &y, angles_into(run, &parts, &y));
    if (y.dtype == TYPE_FLOAT32) REAL_ANGLES(float)
    else REAL_ANGLES(double)
    return give(run, op, "Out", &y);
}

static int make_complex(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *other = x ? need_input(run, op, "Y") : NULL;
    tensor_t y;
    if (!other || check_float(x, "X")) return -1;
    if (x->dtype != other->dtype) return fail("X and Y must have one element type");
    return join_parts(run, x, other, &y) ? -1 : give(run, op, "Out", &y);
}

/* The same memory with another element type and shape. */
static int give_seen(run_t *run, const op_t *op, const tensor_t *x, dtype_t dtype, const sizes_t *sizes) {
    tensor_t y = tensor_share(x);
    y.dtype = dtype;
    y.size = dtype == TYPE_COMPLEX64 || dtype == TYPE_COMPLEX128 ? x->size / 2 : 2 * x->size;
    return finish(run, op, "Out", &y, tensor_reshape(&y, sizes->count, sizes->at));
}

static int as_complex(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    sizes_t sizes;
    if (!x || check_float(x, "X") || size_by_record(run, op, "Out", NULL, &sizes)) return -1;
    return give_seen(run, op, x, complex_type(x->dtype), &sizes);
}

static int as_real(run_t *run, const op_t *op) {
    const tensor_t *x = need_complex(run, op);
    sizes_t sizes;
    if (!x || size_by_record(run, op, "Out", NULL, &sizes)) return -1;
    return give_seen(run, op, x, real_type(x->dtype), &sizes);
}

#define TAKES OPERATOR_COMPLEX
OPERATOR_TABLE(complex) = {
    {"real", real, TAKES}, {"imag", imaginary, TAKES}, {"conj", conjugate, TAKES}, {"angle", angle, TAKES}, {"complex", make_complex, 0},
    {"as_complex", as_complex, 0}, {"as_real", as_real, TAKES}, {0}};

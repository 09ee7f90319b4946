/* Operators on two tensors that are repeated to one shape. Floats go through native steps; comparisons, logic, bits and whole
 * numbers through the native lines. */
#include <math.h>

#include "formula.h"
#include "lines.h"
#include "sizes.h"

typedef void (*line_t)(const void *a, index_t a_stride, const void *b, index_t b_stride, void *y, index_t n);

enum rule {
    ADD, SUB, MUL, DIV, MAX, MIN, POW, MOD, FLOORDIV, FMAX, FMIN, ATAN2, COPYSIGN, EQUAL, NOT_EQUAL, LESS_THAN, LESS_EQUAL, GREATER_THAN,
    GREATER_EQUAL, AND, OR, XOR, BIT_AND, BIT_OR, BIT_XOR
};

#define SIGN_LINE(T)                                                                                                         \
    static void copysign_##T(const void *a, index_t a_stride, const void *b, index_t b_stride, void *y, index_t n) {         \
        for (index_t i = 0; i < n; i++) ((T *)y)[i] = (T)copysign(((const T *)a)[i * a_stride], ((const T *)b)[i * b_stride]); \
    }
SIGN_LINE(float)
SIGN_LINE(double)

/* ---- complex numbers: (p + qi) and (r + si), in double precision ---- */

/* Smith's way, which doesn't overflow where the quotient does not. */
static void divide_complex(double p, double q, double r, double s, double *re, double *im) {
    int turned = fabs(s) > fabs(r);
    double t = turned ? r / s : s / r, d = turned ? r * t + s : r + s * t;
    *re = (turned ? p * t + q : p + q * t) / d;
    *im = (turned ? q * t - p : q - p * t) / d;
}

#define COMPLEX_LINE(name, T, WORK)                                                                                          \
    static void name##_##T(const void *a, index_t a_stride, const void *b, index_t b_stride, void *y, index_t n) {           \
        for (index_t i = 0; i < n; i++) {                                                                                    \
            const T *x = (const T *)a + 2 * i * a_stride, *z = (const T *)b + 2 * i * b_stride;                              \
            double p = x[0], q = x[1], r = z[0], s = z[1], re, im;                                                           \
            WORK;                                                                                                            \
            ((T *)y)[2 * i] = (T)re, ((T *)y)[2 * i + 1] = (T)im;                                                            \
        }                                                                                                                    \
    }
#define COMPLEX_LINES(T)                                                      \
    COMPLEX_LINE(complex_add, T, (re = p + r, im = q + s))                    \
    COMPLEX_LINE(complex_sub, T, (re = p - r, im = q - s))                    \
    COMPLEX_LINE(complex_mul, T, (re = p * r - q * s, im = p * s + q * r))    \
    COMPLEX_LINE(complex_div, T, divide_complex(p, q, r, s, &re, &im))        \
    static const line_t lines_complex_##T[] = {complex_add_##T, complex_sub_##T, complex_mul_##T, complex_div_##T};
COMPLEX_LINES(float)
COMPLEX_LINES(double)

static line_t find_line(enum rule rule, dtype_t dtype) {
    if (type_is_complex(dtype)) return rule > DIV ? NULL : dtype == TYPE_COMPLEX64 ? lines_complex_float[rule] : lines_complex_double[rule];
    return rule != COPYSIGN ? NULL : dtype == TYPE_FLOAT32 ? copysign_float : dtype == TYPE_FLOAT64 ? copysign_double : NULL;
}

/* The native lines of a rule: -1 if it has none. */
static int native_rule(enum rule rule) {
    static const int8_t rules[] = {LINE_ADD, LINE_SUB, LINE_MUL, LINE_DIV, LINE_LARGER, LINE_SMALLER, LINE_POW, LINE_MOD, LINE_FLOORDIV, LINE_LARGER, LINE_SMALLER, -1, -1,
                                   LINE_EQUAL, LINE_NOT_EQUAL, LINE_LESS, LINE_LESS_EQUAL, LINE_GREATER, LINE_GREATER_EQUAL, LINE_AND, LINE_OR, LINE_XOR,
                                   LINE_BIT_AND, LINE_BIT_OR, LINE_BIT_XOR};
    return rules[rule];
}

typedef struct {
    line_t line;
    const tensor_t *a, *b;
    tensor_t *y;
    index_t sa[MAX_DIMS], sb[MAX_DIMS];
} binary_t;

static int binary_range(void *context, index_t begin, index_t end) {
    const binary_t *t = context;
    int last = t->y->ndim - 1;
    size_t item = type_size(t->a->dtype), result = type_size(t->y->dtype);
    index_t n = last < 0 ? 1 : t->y->dims[last];
    for (index_t line = begin; line < end; line++) {
        index_t rest = line, a = 0, b = 0;
        for (int i = last - 1; i >= 0; i--) {
            index_t at = rest % t->y->dims[i];
            rest /= t->y->dims[i];
            a += at * t->sa[i];
            b += at * t->sb[i];
        }
        t->line((const char *)t->a->data + (size_t)a * item, last < 0 ? 0 : t->sa[last],
                (const char *)t->b->data + (size_t)b * item, last < 0 ? 0 : t->sb[last],
                (char *)t->y->data + (size_t)(line * n) * result, n);
    }
    return NATIVE_OK;
}

static int run_lines(enum rule rule, const tensor_t *a, const tensor_t *b, tensor_t *y) {
    binary_t t = {.line = find_line(rule, a->dtype), .a = a, .b = b, .y = y};
    if (!t.line) return lines_into(native_rule(rule), a, b, y);
    if (broadcast_strides(a, y->ndim, y->dims, t.sa) || broadcast_strides(b, y->ndim, y->dims, t.sb)) return -1;
    if (!y->size) return 0;
    index_t n = y->ndim ? y->dims[y->ndim - 1] : 1;
    return parallel_range(y->size / n, max_of(1, 32768 / n), binary_range, &t);
}

/* The same of floats by native steps, which have the fused activation among them: 1 if there is such a step, 0 if not, -1 failed. */
static int run_steps(run_t *run, const op_t *op, enum rule rule, const tensor_t *a, const tensor_t *b, tensor_t *y) {
    static const uint8_t steps[] = {STEP_add, STEP_sub, STEP_mul, STEP_div, STEP_max, STEP_min, STEP_pow, STEP_mod, STEP_floordiv, STEP_fmax, STEP_fmin, STEP_atan2};
    if (rule > ATAN2 || !type_is_float(a->dtype)) return 0;
    formula_t f;
    formula_open(&f, run, y);
    int first = formula_tensor(&f, a), second = formula_tensor(&f, b), result = formula_step(&f, steps[rule], first, second, 0);
    formula_keep(&f, op->relu ? formula_step(&f, STEP_relu, result, 0, 0) : result, y);
    return formula_run(&f) ? -1 : 1;
}

/* y seen with axes of size 1 after it, so that its first axis lies at `axis` of x. */
static int align(const tensor_t *x, const tensor_t *y, int64_t axis, tensor_t *aligned) {
    *aligned = *y;
    if (axis < 0 || y->ndim >= x->ndim) return 0;
    sizes_t old = sizes_of(y), sizes;
    return size_matched(&old, x->ndim, (index_t)axis, &sizes) ? -1 : tensor_reshape(aligned, sizes.count, sizes.at);
}

static int run_rule(run_t *run, const op_t *op, enum rule rule) {
    const tensor_t *x = need_input(run, op, rule == ATAN2 ? "X1" : "X"), *other = x ? need_input(run, op, rule == ATAN2 ? "X2" : "Y") : NULL;
    tensor_t a, b, y, converted = {0};
    index_t dims[MAX_DIMS];
    int ndim, status;
    if (!other) return -1;
    int64_t axis = find_attr(op, "axis") ? attr_int(op, "axis") : -1; /* logical operators have none */
    if (align(x, other, axis, &b) || align(other, x, axis, &a) || broadcast_dims(&a, &b, &ndim, dims)) return -1;
    if (a.dtype != b.dtype) { /* the wider one holds both; a 0-d operand follows the other */
        dtype_t wide = a.dtype > b.dtype ? a.dtype : b.dtype;
        tensor_t *narrow = a.dtype > b.dtype ? &b : &a;
        if (wide == TYPE_COMPLEX64 && narrow->dtype == TYPE_FLOAT64) return fail("complex64 and float64 must be cast to one type");
        if (make(run, &converted, wide, narrow->ndim, narrow->dims)) return -1;
        if (tensor_convert(narrow, &converted)) {
            tensor_drop(&converted);
            return -1;
        }
        *narrow = converted;
    }
    dtype_t dtype = rule >= EQUAL && rule <= XOR ? TYPE_BOOL : a.dtype;
    status = make(run, &y, dtype, ndim, dims);
    if (!status) {
        int chained = run_steps(run, op, rule, &a, &b, &y);
        status = chained < 0 ? -1 : chained ? 0 : run_lines(rule, &a, &b, &y);
        if (!status && !(chained && op->relu)) status = apply_activation(op, &y);
        status = finish(run, op, "Out", &y, status);
    }
    tensor_drop(&converted);
    return status;
}

#define RULE(function, rule) \
    static int function(run_t *run, const op_t *op) { return run_rule(run, op, rule); }
RULE(add, ADD)
RULE(subtract, SUB)
RULE(multiply, MUL)
RULE(divide, DIV)
RULE(maximum, MAX)
RULE(minimum, MIN)
RULE(power, POW)
RULE(modulo, MOD)
RULE(floor_divide, FLOORDIV)
RULE(float_max, FMAX)
RULE(float_min, FMIN)
RULE(arc_tangent, ATAN2)
RULE(copy_sign, COPYSIGN)
RULE(equal, EQUAL)
RULE(not_equal, NOT_EQUAL)
RULE(less, LESS_THAN)
RULE(less_equal, LESS_EQUAL)
RULE(greater, GREATER_THAN)
RULE(greater_equal, GREATER_EQUAL)
RULE(both, AND)
RULE(either, OR)
RULE(one_of_two, XOR)
RULE(bits_and, BIT_AND)
RULE(bits_or, BIT_OR)
RULE(bits_xor, BIT_XOR)

/* Operators on one. */
static int of_one(run_t *run, const op_t *op, int rule) {
    const tensor_t *x = need_input(run, op, "X");
    tensor_t y;
    if (!x || make(run, &y, rule == LINE_NOT ? TYPE_BOOL : x->dtype, x->ndim, x->dims)) return -1;
    return finish(run, op, "Out", &y, lines_into(rule, x, NULL, &y));
}

static int logical_not(run_t *run, const op_t *op) { return of_one(run, op, LINE_NOT); }
static int bits_not(run_t *run, const op_t *op) { return of_one(run, op, LINE_BIT_NOT); }

OPERATOR_TABLE(binary) = {
    {"elementwise_add", add, OPERATOR_COMPLEX}, {"elementwise_sub", subtract, OPERATOR_COMPLEX}, {"minus", subtract, OPERATOR_COMPLEX}, {"elementwise_mul", multiply, OPERATOR_COMPLEX},
    {"elementwise_div", divide, OPERATOR_COMPLEX}, {"elementwise_max", maximum, 0}, {"elementwise_min", minimum, 0},
    {"elementwise_pow", power, 0}, {"elementwise_mod", modulo, 0}, {"elementwise_floordiv", floor_divide, 0},
    {"elementwise_fmax", float_max, 0}, {"elementwise_fmin", float_min, 0}, {"atan2", arc_tangent, 0}, {"copysign", copy_sign, 0}, {"equal", equal, 0},
    {"not_equal", not_equal, 0}, {"less_than", less, 0}, {"less_equal", less_equal, 0}, {"greater_than", greater, 0},
    {"greater_equal", greater_equal, 0}, {"logical_and", both, 0}, {"logical_or", either, 0}, {"logical_xor", one_of_two, 0},
    {"logical_not", logical_not, 0}, {"bitwise_and", bits_and, 0}, {"bitwise_or", bits_or, 0}, {"bitwise_xor", bits_xor, 0},
    {"bitwise_not", bits_not, 0}, {0}};

/* Operators that map one tensor element by element: native steps where there is one, libm's functions otherwise. */
#include <math.h>

#include "formula.h"
#include "lines.h"

int run_unary_step(int step, double alpha, const tensor_t *x, tensor_t *y) {
    if (!x->size) return 0;
    chain_t chain;
    chain.steps = 1;
    chain.sources = 1;
    chain.size = x->size;
    chain.reg[0] = (chain_value_t){.kind = REGISTER_FULL, .data = x->data, .buffer = -1};
    if (chain_steps[step].operands > 1) chain.reg[chain.sources++] = (chain_value_t){.kind = REGISTER_CONSTANT, .value = alpha};
    chain.reg[chain.sources] = (chain_value_t){.kind = REGISTER_STEP, .out = y->data, .buffer = -1};
    memcpy(chain.code[0], (uint8_t[4]){(uint8_t)step, 0, (uint8_t)(chain.sources - 1), (uint8_t)(chain.sources - 1)}, 4);
    return chain_execute(&chain, VERSION_TYPE(x->dtype, chain_run), (index_t)type_size(x->dtype), x->data != y->data) ? fail_memory() : 0;
}

/* ---- native steps ---- */

/* Type, native step, attribute with its constant. */
static const struct {
    const char *type;
    int step;
    const char *attr;
} steps[] = {
    {"relu", STEP_relu, NULL}, {"sigmoid", STEP_sigmoid, NULL}, {"tanh", STEP_tanh, NULL}, {"silu", STEP_silu, NULL},
    {"leaky_relu", STEP_leaky_relu, "alpha"}, {"elu", STEP_elu, "alpha"}, {"exp", STEP_exp, NULL},
    {"log", STEP_log, NULL}, {"sqrt", STEP_sqrt, NULL}, {"rsqrt", STEP_rsqrt, NULL},
    {"reciprocal", STEP_reciprocal, NULL}, {"square", STEP_square, NULL}, {"abs", STEP_abs, NULL},
    {"erf", STEP_erf, NULL},
};

/* The step of a type whose attributes say that it is one of the native ones; -1: it isn't. */
static int find_step(const op_t *op, const char *type, double *alpha) {
    *alpha = 0;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (!strcmp(steps[i].type, type)) {
            if (steps[i].attr) *alpha = attr_float(op, steps[i].attr);
            return steps[i].step;
        }
    if (!strcmp(type, "gelu")) return attr_bool(op, "approximate") ? STEP_gelu_tanh : STEP_gelu;
    if (!strcmp(type, "relu6") && attr_float(op, "threshold") == 6) return STEP_relu6;
    if (!strcmp(type, "swish") && attr_float(op, "beta") == 1) return STEP_silu;
    if (!strcmp(type, "softplus") && attr_float(op, "beta") == 1 && attr_float(op, "threshold") == 20) return STEP_softplus;
    if (!strcmp(type, "hard_swish") && attr_float(op, "threshold") == 6 && attr_float(op, "scale") == 6 &&
        attr_float(op, "offset") == 3)
        return STEP_hardswish;
    if (!strcmp(type, "hard_sigmoid") && fabs(attr_float(op, "slope") - 1.0 / 6) < 1e-7 && attr_float(op, "offset") == 0.5)
        return STEP_hardsigmoid;
    return -1;
}

/* ---- functions of one number, with up to three constants ---- */

typedef struct {
    double a, b, c;
} constants_t;

#define FUNCTION(name, value)                                         \
    static double name(double x, const constants_t *k) {              \
        (void)k;                                                      \
        return value;                                                 \
    }
FUNCTION(f_sin, sin(x))
FUNCTION(f_cos, cos(x))
FUNCTION(f_tan, tan(x))
FUNCTION(f_asin, asin(x))
FUNCTION(f_acos, acos(x))
FUNCTION(f_atan, atan(x))
FUNCTION(f_sinh, sinh(x))
FUNCTION(f_cosh, cosh(x))
FUNCTION(f_asinh, asinh(x))
FUNCTION(f_acosh, acosh(x))
FUNCTION(f_atanh, atanh(x))
FUNCTION(f_floor, floor(x))
FUNCTION(f_ceil, ceil(x))
FUNCTION(f_round, round(x))
FUNCTION(f_trunc, trunc(x))
FUNCTION(f_sign, x > 0 ? 1 : x < 0 ? -1 : x)
FUNCTION(f_log2, log2(x))
FUNCTION(f_log10, log10(x))
FUNCTION(f_log1p, log1p(x))
FUNCTION(f_expm1, expm1(x))
static double between(double x, double low, double high) { return x < low ? low : x > high ? high : x; }
FUNCTION(f_logit, k->a > 0 ? log(between(x, k->a, 1 - k->a) / (1 - between(x, k->a, 1 - k->a))) : x < 0 || x > 1 ? NAN : log(x / (1 - x)))
FUNCTION(f_softsign, x / (1 + fabs(x)))
FUNCTION(f_tanh_shrink, x - tanh(x))
FUNCTION(f_logsigmoid, x < 0 ? x - log1p(exp(x)) : -log1p(exp(-x)))
FUNCTION(f_mish, x > k->a ? x * tanh(x) : x * tanh(log1p(exp(x))))
FUNCTION(f_swish, x / (1 + exp(-k->a * x)))
FUNCTION(f_relu6, x < 0 ? 0 : x > k->a ? k->a : x)
FUNCTION(f_hard_swish, x * fmin(fmax(x + k->c, 0), k->a) / k->b)
FUNCTION(f_hard_sigmoid, fmin(fmax(x * k->a + k->b, 0), 1))
FUNCTION(f_brelu, x < k->a ? k->a : x > k->b ? k->b : x)
FUNCTION(f_softplus, x * k->a > k->b ? x : log1p(exp(x * k->a)) / k->a)
FUNCTION(f_hard_shrink, x > k->a || x < -k->a ? x : 0)
FUNCTION(f_softshrink, x > k->a ? x - k->a : x < -k->a ? x + k->a : x != x ? x : 0)
FUNCTION(f_thresholded_relu, x > k->a ? x : k->b)
FUNCTION(f_selu, k->a * (x > 0 ? x : k->b * expm1(x)))
FUNCTION(f_celu, x > 0 ? x : k->a * expm1(x / k->a))
FUNCTION(f_stanh, k->b * tanh(k->a * x))
FUNCTION(f_pow, pow(x, k->a))
FUNCTION(f_soft_relu, log1p(exp(x < -k->a ? -k->a : x > k->a ? k->a : x)))
FUNCTION(f_abs, fabs(x))
FUNCTION(f_square, x * x)
FUNCTION(f_relu, x > 0 ? x : 0)

typedef struct {
    const char *type;
    double (*function)(double, const constants_t *);
    const char *attrs[3];
} function_t;

static const function_t formulas[] = {
    {"sin", f_sin, {0}}, {"cos", f_cos, {0}}, {"tan", f_tan, {0}}, {"asin", f_asin, {0}}, {"acos", f_acos, {0}},
    {"atan", f_atan, {0}}, {"sinh", f_sinh, {0}}, {"cosh", f_cosh, {0}}, {"asinh", f_asinh, {0}}, {"acosh", f_acosh, {0}},
    {"atanh", f_atanh, {0}}, {"floor", f_floor, {0}}, {"ceil", f_ceil, {0}}, {"round", f_round, {0}},
    {"trunc", f_trunc, {0}}, {"sign", f_sign, {0}}, {"log2", f_log2, {0}}, {"log10", f_log10, {0}}, {"log1p", f_log1p, {0}},
    {"expm1", f_expm1, {0}}, {"logit", f_logit, {"eps"}}, {"softsign", f_softsign, {0}},
    {"tanh_shrink", f_tanh_shrink, {0}}, {"logsigmoid", f_logsigmoid, {0}}, {"mish", f_mish, {"threshold"}},
    {"swish", f_swish, {"beta"}}, {"relu6", f_relu6, {"threshold"}},
    {"hard_swish", f_hard_swish, {"threshold", "scale", "offset"}}, {"hard_sigmoid", f_hard_sigmoid, {"slope", "offset"}},
    {"brelu", f_brelu, {"t_min", "t_max"}}, {"softplus", f_softplus, {"beta", "threshold"}},
    {"hard_shrink", f_hard_shrink, {"threshold"}}, {"softshrink", f_softshrink, {"lambda"}},
    {"thresholded_relu", f_thresholded_relu, {"threshold", "value"}}, {"selu", f_selu, {"scale", "alpha"}},
    {"celu", f_celu, {"alpha"}}, {"stanh", f_stanh, {"scale_a", "scale_b"}}, {"pow", f_pow, {"factor"}},
    {"soft_relu", f_soft_relu, {"threshold"}}, {"abs", f_abs, {0}}, {"square", f_square, {0}}, {"relu", f_relu, {0}},
};

typedef struct {
    const function_t *formula;
    constants_t constants;
    const tensor_t *x;
    tensor_t *y;
} mapping_t;

static int map_range(void *context, index_t begin, index_t end) {
    const mapping_t *m = context;
    for (index_t i = begin; i < end; i++) tensor_set(m->y, i, m->formula->function(tensor_number(m->x, i), &m->constants));
    return NATIVE_OK;
}

static int run_formula(const op_t *op, const char *type, const tensor_t *x, tensor_t *y) {
    mapping_t m = {.x = x, .y = y};
    for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++)
        if (!strcmp(formulas[i].type, type)) m.formula = &formulas[i];
    if (!m.formula) return fail("there is no %s of elements of type %s", type, type_name(x->dtype));
    double *values[3] = {&m.constants.a, &m.constants.b, &m.constants.c};
    for (int i = 0; i < 3 && m.formula->attrs[i]; i++) *values[i] = attr_float(op, m.formula->attrs[i]);
    return parallel_range(x->size, 4096, map_range, &m);
}

/* Functions of integers that are integers, exactly. 1 if this is one, 0 if not. */
static int map_whole(const op_t *op, const char *type, const tensor_t *x, tensor_t *y) {
    static const char *const names[] = {"relu", "abs", "square", "sign", "floor", "ceil", "round", "trunc", "pow"};
    enum { RELU, ABS, SQUARE, SIGN, AS_IT_IS, POW = 8, COUNT };
    int which = 0;
    while (which < COUNT && strcmp(names[which], type)) which++;
    const double factor = which == POW ? attr_float(op, "factor") : 0;
    if (which == COUNT || x->dtype != y->dtype || factor < 0 || factor > 64 || factor != floor(factor)) return 0;
    for (index_t i = 0; i < x->size; i++) {
        const int64_t v = tensor_int(x, i);
        int64_t power = 1;
        for (int k = 0; k < (int)factor; k++) power *= v;
        tensor_set_int(y, i, which == RELU ? max_of(v, 0) : which == ABS ? (v < 0 ? -v : v) : which == SQUARE ? v * v : which == SIGN ? (v > 0) - (v < 0) : which == POW ? power : v);
    }
    return 1;
}

/* y = the function `type` of x, with the attributes of op. */
static int map_into(const op_t *op, const char *type, const tensor_t *x, tensor_t *y) {
    double alpha;
    int step = type_is_float(x->dtype) ? find_step(op, type, &alpha) : -1;
    if (type_is_whole(x->dtype) && map_whole(op, type, x, y)) return 0;
    return step >= 0 ? run_unary_step(step, alpha, x, y) : run_formula(op, type, x, y);
}

static int unary(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *factor = NULL;
    tensor_t y;
    if (!x) return -1;
    if (!strcmp(op->type, "pow") && (factor = find_input(run, op, "FactorTensor")))
        return fail("a factor that is a tensor is not supported");
    static const char *const real_only[] = {"relu6", "celu", "selu", "swish", "mish", "softsign", "hard_swish", "tanh_shrink", "hard_sigmoid", "softplus", "hard_shrink",
                                            "softshrink", "thresholded_relu", "logsigmoid", "stanh", "brelu", "soft_relu", "logit"};
    for (size_t i = 0; x->dtype <= TYPE_INT64 && i < sizeof real_only / sizeof *real_only; i++)
        if (type_is(op, real_only[i])) return fail("there is no %s of elements of type %s", op->type, type_name(x->dtype));
    if (x->dtype == TYPE_BOOL && (type_is(op, "square") || type_is(op, "pow"))) return fail("there is no %s of elements of type bool", op->type);
    int keep = type_is_float(x->dtype) || (type_is_whole(x->dtype) && (type_is(op, "floor") || type_is(op, "ceil") || type_is(op, "round") || type_is(op, "trunc"))) || !strcmp(op->type, "abs") || !strcmp(op->type, "square") || !strcmp(op->type, "relu") ||
               !strcmp(op->type, "sign") || !strcmp(op->type, "pow") || x->dtype == TYPE_FLOAT16 || x->dtype == TYPE_BFLOAT16;
    if (make(run, &y, keep ? x->dtype : TYPE_FLOAT32, x->ndim, x->dims)) return -1;
    return finish(run, op, "Out", &y, map_into(op, op->type, x, &y));
}

/* The absolute value, of complex numbers too. */
static int absolute(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    tensor_t y;
    if (!x || !type_is_complex(x->dtype)) return x ? unary(run, op) : -1;
    int wide = x->dtype == TYPE_COMPLEX128;
    if (make(run, &y, wide ? TYPE_FLOAT64 : TYPE_FLOAT32, x->ndim, x->dims)) return -1;
    for (index_t i = 0; i < x->size; i++) {
        const float *f = (const float *)x->data + 2 * i;
        const double *d = (const double *)x->data + 2 * i;
        tensor_set(&y, i, wide ? hypot(d[0], d[1]) : sqrt((double)f[0] * f[0] + (double)f[1] * f[1]));
    }
    return give(run, op, "Out", &y);
}

int is_activation(const char *type) {
    static const char *const names[] = {"relu", "relu6", "sigmoid", "tanh", "silu", "swish", "gelu", "leaky_relu", "hard_swish",
                                        "hard_sigmoid", "elu", "mish", "softplus"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], type)) return 1;
    return 0;
}

int apply_activation(const op_t *op, tensor_t *t) {
    if ((op->relu || op->after) && type_is_complex(t->dtype)) return fail("complex numbers have no activations");
    if (op->relu) return map_into(op, "relu", t, t);
    return op->after ? map_into(op->after, op->after->type, t, t) : 0;
}

/* ---- scale, clip, tests ---- */

static int scale(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *factor = find_input(run, op, "ScaleTensor");
    tensor_t y;
    if (!x || make_like(run, &y, x)) return -1;
    double a = factor && factor->size ? tensor_number(factor, 0) : attr_float(op, "scale"), b = attr_float(op, "bias");
    const int after = attr_bool(op, "bias_after_scale");
    if (type_is_whole(x->dtype)) { /* constants are of the type of x, as in Paddle */
        if (!(fabs(a) < 9e18 && fabs(b) < 9e18)) return finish(run, op, "Out", &y, fail("scale %g or bias %g is no %s", a, b, type_name(x->dtype)));
        const int64_t by = (int64_t)a, more = (int64_t)b;
        for (index_t i = 0; i < x->size; i++) tensor_set_int(&y, i, after ? tensor_int(x, i) * by + more : (tensor_int(x, i) + more) * by);
        return finish(run, op, "Out", &y, apply_activation(op, &y));
    }
    if (!after) b *= a;
    if (type_is_complex(x->dtype)) {
        tensor_t from = *x, to = y;
        from.dtype = to.dtype = x->dtype == TYPE_COMPLEX64 ? TYPE_FLOAT32 : TYPE_FLOAT64;
        for (index_t i = 0; i < 2 * x->size; i++) tensor_set(&to, i, tensor_number(&from, i) * a + (i % 2 ? 0 : b));
        return give(run, op, "Out", &y);
    }
    if (!type_is_float(x->dtype)) {
        for (index_t i = 0; i < x->size; i++) tensor_set(&y, i, tensor_number(x, i) * a + b);
        return finish(run, op, "Out", &y, apply_activation(op, &y));
    }
    if (!x->size) return give(run, op, "Out", &y);
    chain_t chain;
    chain.sources = 3;
    chain.steps = op->relu ? 2 : 1;
    chain.size = x->size;
    chain.reg[0] = (chain_value_t){.kind = REGISTER_FULL, .data = x->data, .buffer = -1};
    chain.reg[1] = (chain_value_t){.kind = REGISTER_CONSTANT, .value = a};
    chain.reg[2] = (chain_value_t){.kind = REGISTER_CONSTANT, .value = b};
    for (int i = 0; i < 2; i++) chain.reg[3 + i] = (chain_value_t){.kind = REGISTER_STEP, .buffer = -1};
    chain.reg[2 + chain.steps].out = y.data;
    memcpy(chain.code[0], (uint8_t[4]){STEP_fma, 0, 1, 2}, 4);
    if (b == 0) memcpy(chain.code[0], (uint8_t[4]){STEP_mul, 0, 1, 0}, 4);
    memcpy(chain.code[1], (uint8_t[4]){STEP_relu, 3, 0, 0}, 4);
    return finish(run, op, "Out", &y, chain_execute(&chain, VERSION_TYPE(x->dtype, chain_run), (index_t)type_size(x->dtype), 1));
}

static int clip(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *low = find_input(run, op, "Min"), *high = find_input(run, op, "Max");
    tensor_t y;
    if (!x || make_like(run, &y, x)) return -1;
    double least = low && low->size ? tensor_number(low, 0) : attr_float(op, "min");
    double most = high && high->size ? tensor_number(high, 0) : attr_float(op, "max");
    if (type_is_float(x->dtype)) {
        formula_t f;
        formula_open(&f, run, &y);
        int a = formula_tensor(&f, x), from = formula_number(&f, least), to = formula_number(&f, most);
        formula_keep(&f, formula_step(&f, STEP_min, formula_step(&f, STEP_max, a, from, 0), to, 0), &y);
        return finish(run, op, "Out", &y, formula_run(&f));
    }
    if (x->dtype == TYPE_BOOL) return finish(run, op, "Out", &y, fail("there is no clip of elements of type bool"));
    for (index_t i = 0; i < x->size; i++) {
        double value = tensor_number(x, i);
        if (value < least || value > most || !type_is_whole(x->dtype)) tensor_set(&y, i, value < least ? least : value > most ? most : value);
        else tensor_set_int(&y, i, tensor_int(x, i)); /* which a double may not hold */
    }
    return give(run, op, "Out", &y);
}

static int test(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    tensor_t y;
    if (!x || make(run, &y, TYPE_BOOL, x->ndim, x->dims)) return -1;
    const int rule = !strcmp(op->type, "isnan_v2") ? LINE_NAN : !strcmp(op->type, "isinf_v2") ? LINE_INF : LINE_FINITE;
    if (type_is_float(x->dtype)) return finish(run, op, "Out", &y, lines_into(rule, x, NULL, &y));
    memset(y.data, rule == LINE_FINITE, (size_t)y.size); /* whole numbers are */
    return give(run, op, "Out", &y);
}

static int increment(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X");
    tensor_t y;
    if (!x || make_like(run, &y, x)) return -1;
    double step = attr_float(op, "step");
    for (index_t i = 0; i < x->size; i++)
        if (x->dtype == TYPE_INT64) ((int64_t *)y.data)[i] = ((const int64_t *)x->data)[i] + (int64_t)step;
        else tensor_set(&y, i, tensor_number(x, i) + step);
    return give(run, op, "Out", &y);
}

static int prelu(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *alpha = x ? need_input(run, op, "Alpha") : NULL;
    tensor_t y;
    if (!alpha || make_like(run, &y, x)) return -1;
    const char *mode = attr_text(op, "mode");
    int last = !strcmp(attr_text(op, "data_format"), "NHWC"), axis = last ? x->ndim - 1 : 1;
    index_t inner = !strcmp(mode, "channel") && x->ndim > 1 ? span(x, axis + 1, x->ndim) : 1;
    index_t period = !strcmp(mode, "all") ? 1 : !strcmp(mode, "channel") && x->ndim > 1 ? x->dims[axis] : span(x, 1, x->ndim);
    if (alpha->size < period) return finish(run, op, "Out", &y, fail("Alpha has %td elements, %td are needed", alpha->size, period));
    if (check_float(x, "X")) return finish(run, op, "Out", &y, -1);
    tensor_t slopes = *alpha; /* seen as x is: [..., period, inner] */
    tensor_t rows = y;
    rows.ndim = 3, rows.dims[1] = period, rows.dims[2] = inner, rows.dims[0] = y.size / max_of(period * inner, 1);
    slopes.ndim = 2, slopes.dims[0] = period, slopes.dims[1] = 1;
    tensor_t flat = *x;
    flat.ndim = 3;
    memcpy(flat.dims, rows.dims, sizeof rows.dims);
    formula_t f;
    formula_open(&f, run, &rows);
    int a = formula_tensor(&f, &flat), b = formula_tensor(&f, &slopes);
    formula_keep(&f, formula_step(&f, STEP_select, a, a, formula_step(&f, STEP_mul, a, b, 0)), &rows);
    return finish(run, op, "Out", &y, formula_run(&f));
}

#define U(type) {type, unary, 0}
OPERATOR_TABLE(unary) = {
    U("relu"), U("sigmoid"), U("tanh"), U("silu"), U("leaky_relu"), U("elu"), U("exp"), U("log"), U("sqrt"), U("rsqrt"),
    U("reciprocal"), U("square"), {"abs", absolute, OPERATOR_COMPLEX}, U("erf"), U("gelu"), U("relu6"), U("swish"), U("softplus"), U("hard_swish"),
    U("hard_sigmoid"), U("sin"), U("cos"), U("tan"), U("asin"), U("acos"), U("atan"), U("sinh"), U("cosh"), U("asinh"),
    U("acosh"), U("atanh"), U("floor"), U("ceil"), U("round"), U("trunc"), U("sign"), U("log2"), U("log10"), U("log1p"),
    U("expm1"), U("logit"), U("softsign"), U("tanh_shrink"), U("logsigmoid"), U("mish"), U("brelu"), U("hard_shrink"),
    U("softshrink"), U("thresholded_relu"), U("selu"), U("celu"), U("stanh"), U("pow"), U("soft_relu"), {"scale", scale, OPERATOR_COMPLEX}, {"clip", clip, 0},
    {"isnan_v2", test, 0}, {"isinf_v2", test, 0}, {"isfinite_v2", test, 0}, {"increment", increment, 0}, {"prelu", prelu, 0}, {0}};

/* Operators that map one tensor element by element. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "formula.h"
#include "lines.h"
#include "table.h"

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

/* ---- functions of each element: formulas of native steps, as the records of Python's operators have them ---- */

#include "formulas.inc"

/* "alpha", "-alpha", "1-alpha" or a number, up to one of " :=>". */
static double read_constant(const op_t *op, const char **at) {
    const size_t length = strcspn(*at, " :=>");
    const char *text = *at;
    const int less = !strncmp(text, "1-", 2), minus = less || (*text == '-' && text[1] > '9');
    char name[32];
    *at += length;
    if (*text <= '9' && !less && !minus) return strtod(text, NULL);
    snprintf(name, sizeof name, "%.*s", (int)length - less - minus, text + less + minus);
    const double value = attr_float(op, name);
    return minus ? less - value : value;
}

/* Do an op's attributes fulfil "alpha=1 beta>=0", all that stands before a colon? */
static int holds(const op_t *op, const char **at) {
    int all = 1;
    while (**at != ':') {
        const double value = read_constant(op, at);
        const int above = **at == '>';
        *at += 1 + above;
        const double other = read_constant(op, at);
        all &= above ? value >= other : value == other;
        *at += **at == ' ';
    }
    return ++*at, all;
}

/* The steps of a type as a chain that reads register 0; -1 with a message if there are none for these attributes. */
static int write_chain(const op_t *op, const char *type, chain_t *chain) {
    const char *row = FIND_ROW(formulas, type);
    const uint8_t *code = formulas_steps + (row ? atoi(row) : 0);
    const char *way = row ? next_field(row) : "";
    for (; *way; way = next_field(way), code++) {
        const char *at = way;
        const int found = holds(op, &at);
        chain->sources = 1, chain->steps = 0;
        for (; found && *at; at += *at == ' ')
            chain->reg[chain->sources++] = (chain_value_t){.kind = REGISTER_CONSTANT, .value = read_constant(op, &at)};
        for (; *code != 255; code += 4)
            if (found) memcpy(chain->code[chain->steps++], code, 4);
        if (!found) continue;
        for (int s = 0; s < chain->steps; s++) chain->reg[chain->sources + s] = (chain_value_t){.kind = REGISTER_STEP, .buffer = -1};
        return 0;
    }
    return fail("there is no %s with these attributes", type);
}

static int run_on(chain_t *chain, index_t size, const void *x, void *y, dtype_t dtype) {
    chain->size = size;
    chain->reg[0] = (chain_value_t){.kind = REGISTER_FULL, .data = x, .buffer = -1};
    chain->reg[chain->sources + chain->steps - 1].out = y;
    return chain_execute(chain, VERSION_TYPE(dtype, chain_run), (index_t)type_size(dtype), x != y);
}

typedef struct {
    const chain_t *chain;
    const tensor_t *x;
    tensor_t *y;
} mapping_t;

/* Elements of another type, some at a time, in double. */
static int map_range(void *context, index_t begin, index_t end) {
    enum { SOME = 512 };
    const mapping_t *m = context;
    chain_t chain = *m->chain;
    double values[SOME];
    for (; begin < end; begin += SOME) {
        const index_t count = min_of(SOME, end - begin);
        for (index_t i = 0; i < count; i++) values[i] = tensor_number(m->x, begin + i);
        int status = run_on(&chain, count, values, values, TYPE_FLOAT64);
        if (status) return status;
        for (index_t i = 0; i < count; i++) tensor_set(m->y, begin + i, values[i]);
    }
    return NATIVE_OK;
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
    static const char of_integers[] = " abs acos acosh asin asinh atan atanh ceil cos cosh expm1 floor log10 log1p log2 pow relu round sign sin sinh square tan trunc ";
    chain_t chain;
    char word[32];
    snprintf(word, sizeof word, " %s ", type);
    if (x->dtype <= TYPE_INT64 && !strstr(of_integers, word)) return fail("there is no %s of elements of type %s", type, type_name(x->dtype));
    if (type_is_whole(x->dtype) && map_whole(op, type, x, y)) return 0;
    if (write_chain(op, type, &chain)) return -1;
    if (!x->size) return 0;
    mapping_t m = {&chain, x, y};
    const int status = type_is_float(x->dtype) ? run_on(&chain, x->size, x->data, y->data, x->dtype) : parallel_range(x->size, 4096, map_range, &m);
    return status ? fail_memory() : 0;
}

static int unary(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *factor = NULL;
    tensor_t y;
    if (!x) return -1;
    if (!strcmp(op->type, "pow") && (factor = find_input(run, op, "FactorTensor")))
        return fail("a factor that is a tensor is not supported");
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

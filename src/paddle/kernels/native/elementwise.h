/* The steps that elementwise.inc can do, and a chain of them as elementwise.c prepares it. */
#ifndef PADDLE_NATIVE_ELEMENTWISE_H
#define PADDLE_NATIVE_ELEMENTWISE_H

#include "common.h"

/* X(name, operands). An opcode is the position in all lists together. In the rules of elementwise.inc the operands are a, b, c;
 * a gradient's are what it is computed from (see docs/kernels-elementwise.md), the incoming gradient, and alpha. */
#define ELEMENTWISE_STEPS(X)                                                                                       \
    X(add, 2) X(sub, 2) X(mul, 2) X(div, 2) X(max, 2) X(min, 2) X(fma, 3) X(select, 3)                             \
    X(relu, 1) X(relu6, 1) X(leaky_relu, 2) X(elu, 2) X(sigmoid, 1) X(hardsigmoid, 1) X(hardswish, 1) X(silu, 1)   \
    X(tanh, 1) X(softplus, 1) X(gelu, 1) X(gelu_tanh, 1) X(exp, 1) X(log, 1) X(sqrt, 1) X(rsqrt, 1)                \
    X(reciprocal, 1) X(square, 1) X(abs, 1) X(neg, 1) X(erf, 1)

/* The steps of elementwise_functions.inc: of two, of three, of one. */
#define FUNCTION_STEPS(X)                                                                                          \
    X(floordiv, 2) X(mod, 2) X(above, 2) X(fmax, 2) X(fmin, 2) X(pow, 2) X(atan2, 2) X(between, 3) X(limit, 3)     \
    X(expm1, 1) X(log1p, 1) X(log1pexp, 1) X(mish, 1) X(sign, 1) X(floor, 1) X(ceil, 1) X(trunc, 1) X(round, 1)    \
    X(log2, 1) X(log10, 1) X(sin, 1) X(cos, 1) X(tan, 1) X(asin, 1) X(acos, 1) X(atan, 1)                          \
    X(sinh, 1) X(cosh, 1) X(asinh, 1) X(acosh, 1) X(atanh, 1)

/* The steps of elementwise_further.inc, which the C library does without: the gamma family, gradients. */
#define FURTHER_STEPS(X)                                                                                           \
    X(lgamma, 1) X(digamma, 1) X(trigamma, 1)                                                                      \
    X(relu_grad, 2) X(relu6_grad, 2) X(leaky_relu_grad, 3) X(elu_grad, 3) X(sigmoid_grad, 2) X(hardsigmoid_grad, 2) \
    X(hardswish_grad, 2) X(silu_grad, 2) X(tanh_grad, 2) X(softplus_grad, 2) X(gelu_grad, 2) X(gelu_tanh_grad, 2)  \
    X(exp_grad, 2) X(log_grad, 2) X(sqrt_grad, 2) X(rsqrt_grad, 2) X(reciprocal_grad, 2)                           \
    X(square_grad, 2) X(abs_grad, 2) X(mish_grad, 2)

#define STEP_ENUM(name, operands) STEP_##name,
enum elementwise_step { ELEMENTWISE_STEPS(STEP_ENUM) FUNCTION_STEPS(STEP_ENUM) FURTHER_STEPS(STEP_ENUM) STEP_COUNT };
#undef STEP_ENUM

/* y = step(a, b, c) on n elements; y may be a, b or c. Masks are -1, or 0 for operands that are one vector of a constant. */
typedef void step_function_t(int opcode, index_t n, void *y, const void *a, const void *b, const void *c, const index_t *mask);
extern step_function_t *const further_steps[2]; /* of float and double */

#define CHAIN_BLOCK 2048     /* elements that go through all steps at a time: a few such blocks fit the first cache */
#define CHAIN_MAX_STEPS 64
#define CHAIN_MAX_REGISTERS 250

/* Where a register's values come from. */
enum { REGISTER_FULL, REGISTER_REPEATED, REGISTER_CONSTANT, REGISTER_STEP };

typedef struct {
    int kind;
    const void *data;     /* FULL and REPEATED */
    index_t count, inner; /* REPEATED: element i of the chain is data[i / inner % count] */
    double value;         /* CONSTANT */
    int buffer;           /* the block that holds it, or -1 if it is read where it lies */
    void *out;            /* STEP: where the result is kept, or NULL */
    int direct;           /* STEP: written there at once, not by way of a block */
} chain_value_t;

typedef struct {
    index_t size;
    int sources, steps, buffers; /* registers: sources first, then one for each step */
    chain_value_t reg[CHAIN_MAX_REGISTERS];
    uint8_t code[CHAIN_MAX_STEPS][4];
    int stream;                  /* results go past the caches to memory: they are too large to be found there later */
    step_function_t *further;    /* what does steps of the third list; set where there may be one */
} chain_t;

typedef struct {
    const char *name;
    int operands;
} chain_step_t;

extern const chain_step_t chain_steps[]; /* by opcode */

/* Describe how a dense array of shape `own_shape` is repeated to `shape`: 0, or -1 if that isn't one run of neighbouring axes. */
int chain_source(chain_value_t *reg, int ndim, const index_t *shape, int own_ndim, const index_t *own_shape, const void *data,
                 int wide);

/* Run a chain whose size, sources, steps and code are set, by a version of chain_run for numbers of 4 or 8 bytes; `outs_apart` says
 * that no result lies on an input. A status. */
int chain_execute(chain_t *chain, int (*run)(chain_t *), index_t bytes, int outs_apart);

DECLARE_VERSIONS(f32, int, chain_run, chain_t *chain);
DECLARE_VERSIONS(f64, int, chain_run, chain_t *chain);
/* step_line(opcode, n, y): a step of one operand in place, for kernels that have just made n neighbouring elements. */
DECLARE_VERSIONS(f32, void, step_line, int opcode, index_t n, float *y);
DECLARE_VERSIONS(f64, void, step_line, int opcode, index_t n, double *y);
DECLARE_VERSIONS(f32, void, function_step, int opcode, index_t n, void *y, const void *a, const void *b, const void *c,
                 const index_t *mask);
DECLARE_VERSIONS(f64, void, function_step, int opcode, index_t n, void *y, const void *a, const void *b, const void *c,
                 const index_t *mask);
DECLARE_VERSIONS(f32, void, further_step, int opcode, index_t n, void *y, const void *a, const void *b, const void *c,
                 const index_t *mask);
DECLARE_VERSIONS(f64, void, further_step, int opcode, index_t n, void *y, const void *a, const void *b, const void *c,
                 const index_t *mask);

#endif

/* Elementwise steps that the C library does without: the loops, and what single numbers of the gamma family are. */
#define _GNU_SOURCE
#include <math.h>

#include "common.h"
#if NATIVE_X86
#include <immintrin.h>
#endif

#include "elementwise.h"

static double gamma_log(double x) {
    int sign;
    return lgamma_r(x, &sign);
}

/* Digamma for any number; NaN at its poles. */
static double gamma_digamma(double x) {
    if (isnan(x) || x == INFINITY) return x;
    if (x <= 0 && x == floor(x)) return NAN;
    double more = x < 0 ? -M_PI / tan(M_PI * (x - floor(x))) : 0, z = x < 0 ? 1 - x : x;
    for (; z < 8; z++) more -= 1 / z;
    double s = 1 / (z * z);
    double series = s * (1.0 / 12 - s * (1.0 / 120 - s * (1.0 / 252 - s * (1.0 / 240 - s * (1.0 / 132 - s * (691.0 / 32760 - s / 12))))));
    return log(z) - 0.5 / z - series + more;
}

/* Its derivative; infinite at the poles. */
static double gamma_trigamma(double x) {
    if (isnan(x)) return x;
    if (x == INFINITY) return 0;
    if (x == -INFINITY) return M_PI * M_PI;
    if (x <= 0 && x == floor(x)) return INFINITY;
    if (x < 0) {
        double sine = sin(M_PI * (x - floor(x)));
        return M_PI * M_PI / (sine * sine) - gamma_trigamma(1 - x);
    }
    double more = 0, z = x;
    for (; z < 8; z++) more += 1 / (z * z);
    double s = 1 / (z * z);
    double series = 1.0 / 6 - s * (1.0 / 30 - s * (1.0 / 42 - s * (1.0 / 30 - s * (5.0 / 66 - s * (691.0 / 2730 - s * 7 / 6)))));
    return 1 / z + s / 2 + series * s / z + more;
}

#define BODY "elementwise_further.inc"
#define BODY_TYPES 2
#include "multiversion.h"

DECLARE_VERSIONS(f64, void, lgamma_block, index_t n, double *y);

/* Functions of the gamma family of floats are computed in double: where they cross 0, float would leave few digits. */
static void step_f32(int opcode, index_t n, void *y, const void *a, const void *b, const void *c, const index_t *mask) {
    if (opcode < STEP_lgamma || opcode > STEP_trigamma) {
        DISPATCH(f32, further_step, opcode, n, y, a, b, c, mask);
        return;
    }
    enum { SOME = 512 };
    static const index_t all[3] = {-1, -1, -1};
    double wide[SOME];
    for (index_t begin = 0; begin < n; begin += SOME) {
        index_t count = min_of(SOME, n - begin);
        for (index_t i = 0; i < count; i++) wide[i] = ((const float *)a)[(begin + i) & mask[0]];
        if (opcode == STEP_lgamma) DISPATCH(f64, lgamma_block, count, wide);
        else DISPATCH(f64, further_step, opcode, count, wide, wide, wide, wide, all);
        for (index_t i = 0; i < count; i++) ((float *)y)[begin + i] = (float)wide[i];
    }
}

static void step_f64(int opcode, index_t n, void *y, const void *a, const void *b, const void *c, const index_t *mask) {
    DISPATCH(f64, further_step, opcode, n, y, a, b, c, mask);
}

step_function_t *const further_steps[2] = {step_f32, step_f64};

/* Arrays of random numbers from the Mersenne twister, drawn as GNU's C++ library draws them: the same words become the
 * same numbers. */
#define _GNU_SOURCE
#include <math.h>

#include "outputs.h"

#if NATIVE_X86
#include <immintrin.h>
#endif

#include "twister_args.h"

#define BODY "random.inc"
#define BODY_TYPES 2
#include "multiversion.h"

static uint64_t next_word(uint64_t *state) {
    if (state[TWISTER_WORDS] >= TWISTER_WORDS) DISPATCH(f32, refill, state);
    return twister_temper(state[state[TWISTER_WORDS]++]);
}

static float uniform_float(uint64_t *state) {
    float u = (float)next_word(state) * 0x1p-64f;
    return u < 1 ? u : 0x1.fffffep-1f;
}

static double uniform_double(uint64_t *state) {
    double u = (double)next_word(state) * 0x1p-64;
    return u < 1 ? u : 0x1.fffffffffffffp-1;
}

/* ---- normal numbers: Marsaglia's polar method, two at a time; the second waits in *saved ---- */

ROUND_EACH static float normal_float(uint64_t *state, float *saved) {
    ROUND_EACH_HERE
    float x, y, square;
    do {
        x = 2 * uniform_float(state) - 1;
        y = 2 * uniform_float(state) - 1;
        square = x * x + y * y;
    } while (square > 1 || square == 0);
    float factor = sqrtf(-2 * logf(square) / square);
    *saved = x * factor;
    return y * factor;
}

ROUND_EACH static double normal_double(uint64_t *state, double *saved) {
    ROUND_EACH_HERE
    double x, y, square;
    do {
        x = 2 * uniform_double(state) - 1;
        y = 2 * uniform_double(state) - 1;
        square = x * x + y * y;
    } while (square > 1 || square == 0);
    double factor = sqrt(-2 * log(square) / square);
    *saved = x * factor;
    return y * factor;
}

/* The points that the polar method takes, one after the other, as pairs (y, x) in out; pairs: how many are wanted. Words of a block are
 * made numbers in vectors; the points among them are then moved together, without a branch that nobody could predict. */
ROUND_EACH static void fill_points(uint64_t *state, float *out, index_t pairs) {
    ROUND_EACH_HERE
    float u[TWISTER_WORDS];
    for (index_t k = 0; k < pairs;) {
        index_t here = TWISTER_WORDS - (index_t)state[TWISTER_WORDS];
        index_t count = min_of(here / 2, pairs - k); /* so many candidates cannot be too many points */
        if (!count) { /* the block is at its end, or one word before it */
            float x = 2 * uniform_float(state) - 1, y = 2 * uniform_float(state) - 1, square = x * x + y * y;
            out[2 * k] = y, out[2 * k + 1] = x;
            k += !(square > 1 || square == 0);
            continue;
        }
        DISPATCH(f32, fill_uniform, state, u, 2 * count, -1, 1);
        for (index_t i = 0; i < count; i++) {
            float x = u[2 * i], y = u[2 * i + 1], square = x * x + y * y;
            out[2 * k] = y, out[2 * k + 1] = x;
            k += !(square > 1 || square == 0);
        }
    }
}

typedef struct {
    float *out, mean, deviation;
} normal_t;

/* Points become normal numbers. */
ROUND_EACH static int scale_points(void *context, index_t begin, index_t end) {
    ROUND_EACH_HERE
    const normal_t *n = context;
    for (index_t k = begin; k < end; k++) {
        float y = n->out[2 * k], x = n->out[2 * k + 1], square = x * x + y * y;
        float factor = sqrtf(-2 * logf(square) / square);
        n->out[2 * k] = y * factor * n->deviation + n->mean;
        n->out[2 * k + 1] = x * factor * n->deviation + n->mean;
    }
    return NATIVE_OK;
}

static void fill_normal_float(uint64_t *state, float *out, index_t size, float mean, float deviation) {
    normal_t n = {out, mean, deviation};
    float last[2];
    for (index_t begin = 0; begin < size / 2; begin += 32768) { /* what threads take up is then still in the caches */
        index_t count = min_of(32768, size / 2 - begin);
        n.out = out + 2 * begin;
        fill_points(state, n.out, count);
        parallel_range(count, 1024, scale_points, &n);
    }
    if (size % 2) {
        fill_points(state, last, 1);
        n.out = last;
        scale_points(&n, 0, 1);
        out[size - 1] = last[0];
    }
}

ROUND_EACH static void fill_normal_double(uint64_t *state, double *out, index_t size, double mean, double deviation) {
    ROUND_EACH_HERE
    double saved = 0;
    for (index_t i = 0; i < size; i++)
        out[i] = (i & 1 ? saved : normal_double(state, &saved)) * deviation + mean;
}

/* ---- whole numbers ---- */

/* Evenly in [0, count): equal runs of words for each number, words beyond the last run are passed over. */
static uint64_t below(uint64_t *state, uint64_t count) {
    const uint64_t run = UINT64_MAX / count, end = run * count;
    uint64_t word;
    do word = next_word(state);
    while (word >= end);
    return word / run;
}

static void swap(int64_t *items, index_t a, index_t b) {
    int64_t item = items[a];
    items[a] = items[b];
    items[b] = item;
}

/* Put 0 ... size-1 in random order; one draw places two items while the product of their choices fits a word. */
static void fill_permutation(uint64_t *state, int64_t *items, index_t size) {
    for (index_t i = 0; i < size; i++) items[i] = i;
    index_t i = 1;
    if (size > 1 && size % 2 == 0) {
        swap(items, 1, (index_t)below(state, 2));
        i = 2;
    }
    for (; i + 1 < size; i += 2) {
        uint64_t first = (uint64_t)i + 1, second = first + 1, draw = below(state, first * second);
        swap(items, i, (index_t)(draw / second));
        swap(items, i + 1, (index_t)(draw % second));
    }
}

/* ---- counts: the Poisson distribution ---- */

/* Small rates: how many uniform numbers until their product is below e^-rate. */
static double poisson_small(uint64_t *state, double rate) {
    const double limit = exp(-rate);
    double product = 1;
    int count = -1;
    do {
        product *= uniform_double(state);
        count++;
    } while (product > limit);
    return count;
}

/* Rates from 12 on: rejection under a hat of two normal halves, three bars and an exponential tail (Devroye 1986, X.3). */
ROUND_EACH static double poisson_large(uint64_t *state, double rate) {
    ROUND_EACH_HERE
    const double mode = floor(rate), log_rate = log(rate), log_mode = lgamma(mode + 1), left_width = sqrt(mode);
    const double quarter = M_PI_4, spread = sqrt(2 * mode * log(32 * mode / quarter));
    const double reach = round(fmax(6.0, fmin(mode, spread))), wide = 2 * mode + reach, right_width = sqrt(wide / 2);
    const double inverse = 1 / wide;
    const double area_left = left_width * 1.2533141373155002512;
    const double area_right = area_left + sqrt(quarter * wide) * exp(inverse);
    const double area_minus = area_right + 1, area_zero = area_minus + 1, area_one = area_zero + 1.0129030479320018583;
    const double tail = 2 * wide * exp(-reach * inverse * (1 + reach / 2)) / reach, area = tail + area_one;
    const double most = 2147483647.0 + (1 - 0x1p-52) / 2;
    double saved = 0;
    int has_saved = 0;
    for (;;) {
        double u = area * uniform_double(state), e = -log(1 - uniform_double(state)), weight = 0, x, y, n;
        if (u <= area_right) {
            n = has_saved ? saved : normal_double(state, &saved);
            has_saved = !has_saved;
            if (u <= area_left) {
                y = -fabs(n) * left_width - 1;
                x = floor(y);
                weight = -n * n / 2;
                if (x < -mode) continue;
            } else {
                y = 1 + fabs(n) * right_width;
                x = ceil(y);
                weight = y * (2 - y) * inverse;
                if (x > reach) continue;
            }
        } else if (u <= area_minus) {
            x = -1;
        } else if (u <= area_zero) {
            x = 0;
        } else if (u <= area_one) {
            x = 1;
            weight = 0.0128205128205128205;
        } else {
            y = reach + -log(1 - uniform_double(state)) * 2 * wide / reach;
            x = ceil(y);
            weight = -reach * inverse * (1 + y / 2);
        }
        if (weight - e - x * log_rate <= log_mode - lgamma(x + mode + 1) && x + mode < most) return x + mode;
    }
}

static void fill_poisson(uint64_t *state, const double *rates, double *out, index_t size) {
    for (index_t i = 0; i < size; i++)
        out[i] = rates[i] < 12 ? poisson_small(state, rates[i]) : poisson_large(state, rates[i]);
}

/* ---- the gamma distribution: Marsaglia and Tsang 2000; every normal number is the first of a pair ---- */

ROUND_EACH static float gamma_float(uint64_t *state, float alpha) {
    ROUND_EACH_HERE
    float scale = 1, unused;
    if (alpha == 0) return 0;
    if (alpha < 1) {
        scale = powf(1 - uniform_float(state), 1 / alpha);
        alpha += 1;
    }
    const float d = alpha - 1.0f / 3.0f, c = 1 / sqrtf(9 * d);
    for (;;) {
        float x, y;
        do {
            x = normal_float(state, &unused);
            y = 1 + c * x;
        } while (y <= 0);
        const float v = y * y * y, u = 1 - uniform_float(state), square = x * x;
        if (u < 1 - 0.0331f * square * square || logf(u) < 0.5f * square + d * (1 - v + logf(v))) return scale * d * v;
    }
}

ROUND_EACH static double gamma_double(uint64_t *state, double alpha) {
    ROUND_EACH_HERE
    double scale = 1, unused;
    if (alpha == 0) return 0;
    if (alpha < 1) {
        scale = pow(1 - uniform_double(state), 1 / alpha);
        alpha += 1;
    }
    const double d = alpha - 1.0f / 3.0f, c = 1 / sqrt(9 * d);
    for (;;) {
        double x, y;
        do {
            x = normal_double(state, &unused);
            y = 1 + c * x;
        } while (y <= 0);
        const double v = y * y * y, u = 1 - uniform_double(state), square = x * x;
        if (u < 1 - 0.0331f * square * square || log(u) < 0.5f * square + d * (1 - v + log(v))) return scale * d * v;
    }
}

/* ---- bindings ---- */

BINDING(random_words) {
    BIND("random_words", 2, "state", "out");
    uint64_t *state = arg_twister("random_words", values[0]);
    PyArrayObject *out = state ? arg_output("random_words", "out", values[1], NPY_UINT64, -1) : NULL;
    if (!out) return NULL;
    WITHOUT_GIL(DISPATCH(f32, fill_words, state, PyArray_DATA(out), PyArray_SIZE(out)));
    Py_RETURN_NONE;
}

/* state, a float array to fill, and two numbers; the array's type, or -1 with an exception. */
static int take_numbers(const char *function, PyObject **values, const char *first, const char *second, uint64_t **state,
                        PyArrayObject **out, double *a, double *b) {
    int type = arg_float_type(function, "out", values[1]);
    *out = type < 0 ? NULL : arg_output(function, "out", values[1], type, -1);
    if (!*out || !(*state = arg_twister(function, values[0]))) return -1;
    *a = arg_double(function, first, values[2], 0);
    *b = PyErr_Occurred() ? 0 : arg_double(function, second, values[3], 1);
    return PyErr_Occurred() ? -1 : type;
}

BINDING(random_uniform) {
    BIND("random_uniform", 4, "state", "out", "low", "high");
    uint64_t *state;
    PyArrayObject *out;
    double low, high;
    int type = take_numbers("random_uniform", values, "low", "high", &state, &out, &low, &high);
    if (type < 0) return NULL;
    WITHOUT_GIL(DISPATCH_FLOAT(type, fill_uniform, state, PyArray_DATA(out), PyArray_SIZE(out), low, high));
    Py_RETURN_NONE;
}

BINDING(random_normal) {
    BIND("random_normal", 4, "state", "out", "mean", "std");
    uint64_t *state;
    PyArrayObject *out;
    double mean, deviation;
    int type = take_numbers("random_normal", values, "mean", "std", &state, &out, &mean, &deviation);
    if (type < 0) return NULL;
    index_t size = PyArray_SIZE(out);
    if (type == NPY_FLOAT) {
        WITHOUT_GIL(fill_normal_float(state, PyArray_DATA(out), size, (float)mean, (float)deviation));
    } else {
        WITHOUT_GIL(fill_normal_double(state, PyArray_DATA(out), size, mean, deviation));
    }
    Py_RETURN_NONE;
}

BINDING(random_integers) {
    BIND("random_integers", 4, "state", "out", "low", "count");
    uint64_t *state = arg_twister("random_integers", values[0]);
    PyArrayObject *out = state ? arg_output("random_integers", "out", values[1], NPY_INT64, -1) : NULL;
    index_t low = out ? arg_index("random_integers", "low", values[2], 0) : -1;
    if (!out || (low == -1 && PyErr_Occurred())) return NULL;
    index_t count = arg_index("random_integers", "count", values[3], 1);
    if (count < 1) {
        if (!PyErr_Occurred())
            PyErr_Format(PyExc_ValueError, "random_integers(): argument 'count' must be positive, got %R", values[3]);
        return NULL;
    }
    int64_t *items = PyArray_DATA(out);
    index_t size = PyArray_SIZE(out);
    Py_BEGIN_ALLOW_THREADS
    for (index_t i = 0; i < size; i++) items[i] = (int64_t)((uint64_t)low + below(state, (uint64_t)count));
    Py_END_ALLOW_THREADS
    Py_RETURN_NONE;
}

BINDING(random_permutation) {
    BIND("random_permutation", 2, "state", "out");
    uint64_t *state = arg_twister("random_permutation", values[0]);
    PyArrayObject *out = state ? arg_output("random_permutation", "out", values[1], NPY_INT64, 1) : NULL;
    if (!out) return NULL;
    WITHOUT_GIL(fill_permutation(state, PyArray_DATA(out), PyArray_SIZE(out)));
    Py_RETURN_NONE;
}

BINDING(random_poisson) {
    BIND("random_poisson", 3, "state", "out", "rates");
    uint64_t *state = arg_twister("random_poisson", values[0]);
    PyArrayObject *out = state ? arg_output("random_poisson", "out", values[1], NPY_DOUBLE, -1) : NULL;
    PyArrayObject *rates = out ? arg_array("random_poisson", "rates", values[2], NPY_DOUBLE, -1) : NULL;
    if (!rates || check_same_shape("random_poisson", "rates", rates, out)) return NULL;
    const double *rate = PyArray_DATA(rates);
    for (index_t i = 0; i < PyArray_SIZE(rates); i++)
        if (!(rate[i] >= 0 && rate[i] <= 1e9))
            return PyErr_Format(PyExc_ValueError, "random_poisson(): argument 'rates' must lie in [0, 1e9]");
    WITHOUT_GIL(fill_poisson(state, rate, PyArray_DATA(out), PyArray_SIZE(out)));
    Py_RETURN_NONE;
}

BINDING(random_gamma) {
    BIND("random_gamma", 3, "state", "out", "alpha");
    uint64_t *state = arg_twister("random_gamma", values[0]);
    int type = state ? arg_float_type("random_gamma", "out", values[1]) : -1;
    PyArrayObject *out = type < 0 ? NULL : arg_output("random_gamma", "out", values[1], type, -1);
    PyArrayObject *alpha = out ? arg_array("random_gamma", "alpha", values[2], type, -1) : NULL;
    if (!alpha || check_same_shape("random_gamma", "alpha", alpha, out)) return NULL;
    const void *from = PyArray_DATA(alpha);
    void *to = PyArray_DATA(out);
    index_t size = PyArray_SIZE(out);
    for (index_t i = 0; i < size; i++) {
        double a = type == NPY_FLOAT ? ((const float *)from)[i] : ((const double *)from)[i];
        if (!(a >= 0 && a <= 1e30)) /* nan and inf would never be accepted */
            return PyErr_Format(PyExc_ValueError, "random_gamma(): argument 'alpha' must lie in [0, 1e30]");
    }
    Py_BEGIN_ALLOW_THREADS
    for (index_t i = 0; i < size; i++) {
        if (type == NPY_FLOAT) ((float *)to)[i] = gamma_float(state, ((const float *)from)[i]);
        else ((double *)to)[i] = gamma_double(state, ((const double *)from)[i]);
    }
    Py_END_ALLOW_THREADS
    Py_RETURN_NONE;
}

PyMethodDef random_methods[] = {
    METHOD(random_words, "random_words(state, out): fill an array of uint64."),
    METHOD(random_uniform, "random_uniform(state, out, low, high): fill evenly from [low, high)."),
    METHOD(random_normal, "random_normal(state, out, mean, std): fill with normally distributed numbers."),
    METHOD(random_integers, "random_integers(state, out, low, count): fill evenly from low ... low + count - 1."),
    METHOD(random_permutation, "random_permutation(state, out): 0 ... n-1 in random order."),
    METHOD(random_poisson, "random_poisson(state, out, rates): fill with counts."),
    METHOD(random_gamma, "random_gamma(state, out, alpha): fill from gamma distributions of scale 1."),
    {0}};

/* Functions of two arrays that are repeated to one shape: the loops. All of them are over elements that lie behind each other; operands
 * that are repeated are written out for a group of these. */
#include "lines.h"

#include <math.h>

#include "thresholds.h"

enum {
    LOOP_ADD, LOOP_MUL, LOOP_MAX, LOOP_AND, LOOP_OR, LOOP_XOR, LOOP_LESS, LOOP_LESS_EQUAL, LOOP_EQUAL, LOOP_BOTH, LOOP_EITHER, LOOP_ONE, LOOP_TEST, LOOP_PAIR, LOOP_WIDEN, LOOP_NARROW, LOOP_LOGIC, LOOP_DIVIDE, LOOP_POWER
};
enum { LINE_BLOCK = 1024, GROUP = 32 }; /* elements */
enum { ROWS_BYTES = 8192 };            /* truths of several rows */

#define BODY "lines.inc"
#include "multiversion.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("Os") /* what follows hands out work: nearly all of the time is spent in the loops above */
#endif

typedef struct {
    const void *at;
    index_t step; /* of a group: GROUP, or 0 for one that is repeated */
} operand_t;

/* A loop over n elements. Those that are left over behind whole groups go through memory that has a group of them. There are no loops for
 * AVX-512, which would not be quicker: they wait for memory. */
static void each(int loop, int kind, operand_t a, operand_t b, void *y, index_t n, int flag) {
    static const int8_t items[LINE_KINDS] = {1, 1, 1, 2, 4, 8, 4, 8};
    const index_t item = loop == LOOP_NARROW ? 4 : items[kind], whole = n & -GROUP, rest = n - whole;
    const index_t result = loop == LOOP_PAIR ? 2 * item : loop >= LOOP_LESS && loop <= LOOP_TEST ? 1 : loop == LOOP_WIDEN ? 4 : items[kind];
    void (*const body)(int, int, const void *, const void *, void *, index_t, index_t, index_t, int) = UP_TO_AVX2(f32, lines_loop);
    if (whole) body(loop, kind, a.at, b.at, y, a.step, b.step, whole, flag);
    if (!rest) return;
    _Alignas(32) char part[2][GROUP * 8], last[GROUP * 16];
    if (a.step) a.at = memcpy(part[0], (const char *)a.at + whole * item, (size_t)(rest * item));
    if (b.step) b.at = memcpy(part[1], (const char *)b.at + whole * item, (size_t)(rest * item));
    body(loop, kind, a.at, b.at, last, 0, 0, GROUP, flag);
    memcpy((char *)y + whole * result, last, (size_t)(rest * result));
}

/* ---- operands ---- */

typedef struct {
    _Alignas(64) char room[LINE_BLOCK * 16];
    const char *repeated; /* the element that fills it */
    index_t count;        /* so many times */
} laid_t;

/* Elements that lie behind each other, or one that is repeated so many times. */
static operand_t lay(laid_t *l, index_t item, const char *from, index_t step, index_t count) {
    if (step) return (operand_t){from, GROUP};
    if (l->repeated != from || l->count < count) {
        memcpy(l->room, from, (size_t)item);
        for (index_t done = 1; done < count; done *= 2) memcpy(l->room + done * item, l->room, (size_t)(min_of(done, count - done) * item));
        l->repeated = from;
        l->count = count;
    }
    return (operand_t){l->room, 0};
}

/* ---- numbers of 8 and 16 bits in 32, division and powers ---- */

typedef union {
    int32_t narrow[LINE_BLOCK];
    int64_t wide[LINE_BLOCK];
} whole_t;

typedef struct {
    whole_t a, b, y;
    double inverse[LINE_BLOCK]; /* of b */
} division_t;

static void widen(int kind, const void *from, whole_t *to, index_t n) {
    const operand_t x = {from, GROUP};
    if (kind < LINE_I32) each(LOOP_WIDEN, kind, x, x, to, n, 0);
    else memcpy(to, from, (size_t)n * (kind == LINE_I64 ? 8 : 4));
}

static void give_back(int kind, const whole_t *from, void *to, index_t n) {
    const operand_t x = {from, GROUP};
    if (kind < LINE_I32) each(LOOP_NARROW, kind, x, x, to, n, 0);
    else memcpy(to, from, (size_t)n * (kind == LINE_I64 ? 8 : 4));
}

static void wide_block(const lines_t *t, const void *a, const void *b, division_t *d, void *y, index_t n) {
    widen(t->kind, a, &d->a, n);
    widen(t->kind, b, &d->b, n);
    const int compares = t->loop >= LOOP_LESS;
    each(t->loop, LINE_I32, (operand_t){&d->a, GROUP}, (operand_t){&d->b, GROUP}, compares ? y : (void *)&d->y, n, t->flag);
    if (!compares) give_back(t->kind, &d->y, y, n);
}

/* fresh: is b another one than in the block before? */
static void divide_block(lines_t *t, const void *a, const void *b, int fresh, division_t *d, void *y, index_t n) {
    const int wide = t->kind == LINE_I64;
    const index_t most = round_up(n, GROUP);
    uint64_t large = 0;
    widen(t->kind, a, &d->a, n);
    if (fresh) {
        widen(t->kind, b, &d->b, n);
        for (index_t i = 0; i < n; i++) {
            const int64_t divisor = wide ? d->b.wide[i] : d->b.narrow[i];
            d->inverse[i] = 1.0 / (double)divisor;
            if (!divisor) d->inverse[i] = 0, t->refused = 1;
        }
    }
    for (index_t i = n; i < most; i++) d->inverse[i] = 0; /* what lies behind them may be anything */
    for (index_t i = 0; wide && i < n; i++) large |= (uint64_t)(d->a.wide[i] ^ d->a.wide[i] >> 63);
    if (!wide) UP_TO_AVX2(f32, lines_divide32)(d->a.narrow, d->b.narrow, d->inverse, d->y.narrow, most);
    else if (large < (uint64_t)1 << 50) UP_TO_AVX2(f32, lines_divide64)(d->a.wide, d->inverse, d->y.wide, most);
    else
        for (index_t i = 0; i < n; i++) {
            const int64_t p = d->a.wide[i], q = d->b.wide[i];
            d->y.wide[i] = q == 0 ? 0 : q == -1 ? (int64_t)(0 - (uint64_t)p) : p / q - (p % q != 0 && (p ^ q) < 0);
        }
    if (t->rule != LINE_FLOORDIV && wide) UP_TO_AVX2(f32, lines_after_int64_t)(t->rule, d->a.wide, d->b.wide, d->y.wide, most);
    else if (t->rule != LINE_FLOORDIV) UP_TO_AVX2(f32, lines_after_int32_t)(t->rule, d->a.narrow, d->b.narrow, d->y.narrow, most);
    give_back(t->kind, &d->y, y, n);
}

#define POWERS(member, T, U)                                                                                              \
    {                                                                                                                     \
        T *base = d->a.member, *exponent = d->b.member, *power = d->y.member, all = 0;                                    \
        for (index_t i = n; i < most; i++) exponent[i] = 0;                                                               \
        for (index_t i = 0; i < most; i++) power[i] = 1;                                                                  \
        for (index_t i = 0; i < n; i++) all |= exponent[i];                                                               \
        for (index_t i = 0; all < 0 && i < n; i++) { /* of 1 and -1 by the last bit of the exponent, of all others 0 */    \
            if (exponent[i] < 0 && base[i] != 1 && base[i] != -1) base[i] = 0, exponent[i] = 1;                           \
            if (exponent[i] < 0) exponent[i] &= 1;                                                                        \
            t->refused = 1;                                                                                               \
        }                                                                                                                 \
        while (UP_TO_AVX2(f32, lines_power_##U)((U *)base, (U *)exponent, (U *)power, most)) {}                           \
    }

static void power_block(lines_t *t, const void *a, const void *b, division_t *d, void *y, index_t n) {
    const index_t most = round_up(n, GROUP);
    widen(t->kind, a, &d->a, n);
    widen(t->kind, b, &d->b, n);
    if (t->kind == LINE_I64) POWERS(wide, int64_t, uint64_t)
    else POWERS(narrow, int32_t, uint32_t)
    give_back(t->kind, &d->y, y, n);
}

/* ---- logic ---- */

/* 1 where an element is not 0. */
static void truths(int kind, const void *x, uint8_t *y, index_t n) {
    kind = kind == LINE_BOOL ? LINE_U8 : kind;
    static const uint64_t zeros[GROUP];
    each(LOOP_EQUAL, kind, (operand_t){x, GROUP}, (operand_t){zeros, 0}, y, n, -1);
}

static void logic_block(const lines_t *t, operand_t a, operand_t b, void *y, index_t n) {
    uint8_t truth[2][LINE_BLOCK];
    truths(t->kind, a.at, truth[0], a.step ? n : GROUP);
    truths(t->kind, b.at, truth[1], b.step ? n : GROUP);
    each(LOOP_BOTH + t->rule - LINE_AND, LINE_U8, (operand_t){truth[0], a.step}, (operand_t){truth[1], b.step}, y, n, 0);
}

/* ---- all of it ---- */

static int run_lines(void *context, index_t begin, index_t end) {
    lines_t *t = context;
    laid_t room[2];
    division_t division;
    const index_t item = t->item, result = lines_result(t->rule, item), n = t->dims[t->ndim - 1];
    const int last = t->ndim - 1, first = t->swapped;
    const int narrow = t->item < 4 && (t->loop <= LOOP_MAX || t->loop == LOOP_LESS);
    const int divides = narrow || t->loop >= LOOP_DIVIDE, short_blocks = narrow || t->loop >= LOOP_LOGIC;
    const index_t *steps[2] = {first ? t->b_step : t->a_step, first ? t->a_step : t->b_step}, step[2] = {steps[0][last], steps[1][last]};
    const char *from[2] = {first ? t->b : t->a, first ? t->a : t->b};
    const index_t most = short_blocks ? LINE_BLOCK : n; /* at a time */
    index_t at[LINE_AXES], rest = begin;
    room[0].repeated = room[1].repeated = NULL;
    for (int i = last; i >= 0; rest /= t->dims[i--]) {
        at[i] = rest % t->dims[i];
        for (int k = 0; k < 2; k++) from[k] += at[i] * steps[k][i];
    }
    for (char *y = (char *)t->y + begin * result; begin < end;) {
        const index_t count = min_of(most, min_of(n - at[last], end - begin));
        const index_t times = divides ? count : GROUP;
        const int fresh = step[1] || room[1].repeated != from[1] || room[1].count < times;
        const operand_t a = lay(&room[0], item, from[0], step[0], times), b = lay(&room[1], item, from[1], step[1], times);
        if (narrow) wide_block(t, a.at, b.at, &division, y, count);
        else if (t->loop == LOOP_DIVIDE) divide_block(t, a.at, b.at, fresh, &division, y, count);
        else if (t->loop == LOOP_POWER) power_block(t, a.at, b.at, &division, y, count);
        else if (t->loop == LOOP_LOGIC) logic_block(t, a, b, y, count);
        else if (t->loop >= LOOP_AND && t->loop <= LOOP_XOR) each(t->loop, LINE_U8, a, b, y, count * item, 0);
        else each(t->loop, t->kind, a, t->loop == LOOP_TEST ? (operand_t){t->b, 0} : b, y, count, t->flag);
        begin += count;
        y += count * result;
        at[last] += count;
        for (int k = 0; k < 2; k++) from[k] += count * step[k];
        for (int i = last; i > 0 && at[i] == t->dims[i]; i--) { /* the next line */
            at[i] = 0;
            at[i - 1]++;
            for (int k = 0; k < 2; k++) from[k] += steps[k][i - 1] - t->dims[i] * steps[k][i];
        }
    }
    return NATIVE_OK;
}

/* Axes without those of size 1, and neighbours that both operands go through in equal steps as one; at least one is left. */
static void join_axes(lines_t *t) {
    int n = 0;
    for (int i = 0; i < t->ndim; i++) {
        if (t->dims[i] == 1) continue;
        if (n && t->a_step[n - 1] == t->a_step[i] * t->dims[i] && t->b_step[n - 1] == t->b_step[i] * t->dims[i]) n--, t->dims[n] *= t->dims[i];
        else t->dims[n] = t->dims[i];
        t->a_step[n] = t->a_step[i];
        t->b_step[n++] = t->b_step[i];
    }
    if (!n) t->dims[0] = 1, t->a_step[0] = t->b_step[0] = t->item, n = 1;
    t->ndim = n;
}

int lines_known(int rule, int kind) {
    const int whole = kind <= LINE_I64, flag = kind == LINE_BOOL;
    if (rule <= LINE_POW) return whole && !(flag && (rule == LINE_SUB || rule >= LINE_DIV));
    return rule < LINE_EQUAL ? whole : rule <= LINE_NOT || !whole;
}

void lines_run(lines_t *t) {
    static const int8_t loops[] = {
        LOOP_ADD, LOOP_ADD, LOOP_MUL, LOOP_MAX, LOOP_MAX, LOOP_DIVIDE, LOOP_DIVIDE, LOOP_DIVIDE, LOOP_POWER, LOOP_AND, LOOP_OR, LOOP_XOR, LOOP_XOR,
        LOOP_EQUAL, LOOP_EQUAL, LOOP_LESS, LOOP_LESS_EQUAL, LOOP_LESS, LOOP_LESS_EQUAL, LOOP_LOGIC, LOOP_LOGIC, LOOP_LOGIC, LOOP_EQUAL,
        LOOP_TEST, LOOP_TEST, LOOP_TEST, LOOP_XOR, LOOP_PAIR};
    index_t size = 1;
    for (int i = 0; i < t->ndim; i++) size *= t->dims[i];
    if (!size) return;
    t->loop = loops[t->rule];
    t->refused = 0;
    t->flag = -(t->rule == LINE_SUB || t->rule == LINE_SMALLER || t->rule == LINE_NOT_EQUAL);
    t->swapped = t->rule == LINE_GREATER || t->rule == LINE_GREATER_EQUAL;
    if (lines_of_one(t->rule)) { /* as functions of a and a number */
        static const int32_t tests[3][2] = {{-1, ~0x7f800000}, {0x7f800000, 1}, {0, 0x7f800000}}; /* infinity lies above all else but NaN */
        static const int64_t wide_tests[3][2] = {{-1, ~((int64_t)0x7ff << 52)}, {(int64_t)0x7ff << 52, 1}, {0, (int64_t)0x7ff << 52}};
        static const uint64_t none, all = UINT64_MAX, one = 1;
        static const float signs[] = {0.0f, -0.0f};
        static const double wide_signs[] = {0.0, -0.0};
        if (t->rule == LINE_NOT) t->b = &none;
        else if (t->rule == LINE_BIT_NOT) t->b = t->kind == LINE_BOOL ? &one : &all;
        else if (t->rule == LINE_CONJ) t->b = t->item == 8 ? (const void *)signs : wide_signs;
        else t->b = t->item == 8 ? (const void *)wide_tests[t->rule - LINE_NAN] : tests[t->rule - LINE_NAN];
        for (int i = 0; i < t->ndim; i++) t->b_step[i] = 0;
    }
    if (t->kind == LINE_BOOL) {
        t->kind = LINE_U8;
        if (t->loop == LOOP_ADD || t->loop == LOOP_MUL) t->loop = t->loop == LOOP_ADD ? LOOP_OR : LOOP_AND;
    }
    if (t->loop == LOOP_LOGIC && t->item == 1) t->loop = LOOP_BOTH + t->rule - LINE_AND, t->kind = LINE_U8;
    if (t->loop == LOOP_LESS_EQUAL && t->kind <= LINE_I64) t->loop = LOOP_LESS, t->swapped = !t->swapped, t->flag = -1; /* not b < a */
    if (t->rule == LINE_PAIR) t->kind = t->item == 4 ? LINE_I32 : LINE_I64;
    join_axes(t);
    parallel_range(size, MOVE_GRAIN / max_of(t->item, 4), run_lines, t);
}

/* ---- all and any ---- */

/* Is there an element that is true (or false) among n? */
static int search(int kind, index_t item, const char *x, index_t n, int truth) {
    uint8_t buffer[ROWS_BYTES];
    if (kind == LINE_BOOL) return truth ? *x || memcmp(x, x + 1, (size_t)(n - 1)) : memchr(x, 0, (size_t)n) != NULL;
    for (index_t i = 0; i < n; i += ROWS_BYTES) {
        const index_t count = min_of(n - i, ROWS_BYTES);
        truths(kind, x + i * item, buffer, count);
        if (search(LINE_BOOL, 1, (const char *)buffer, count, truth)) return 1;
    }
    return 0;
}

static int search_pieces(void *context, index_t begin, index_t end) {
    truth_t *t = context;
    if (*t->y != t->any && search(t->kind, t->item, (const char *)t->x + begin * t->item, end - begin, t->any))
        __atomic_store_n(t->y, (uint8_t)t->any, __ATOMIC_RELAXED);
    return NATIVE_OK;
}

static int search_rows(void *context, index_t begin, index_t end) {
    const truth_t *t = context;
    for (index_t k = begin; k < end; k++)
        for (index_t o = 0; o < t->outer && t->y[k] != t->any; o++)
            if (search(t->kind, t->item, (const char *)t->x + (o * t->kept + k) * t->inner * t->item, t->inner, t->any)) t->y[k] = (uint8_t)t->any;
    return NATIVE_OK;
}

/* Many rows at a time, which are halved until one is left. */
static int search_columns(void *context, index_t begin, index_t end) {
    const truth_t *t = context;
    uint8_t rows[2][ROWS_BYTES];
    const int loop = t->any ? LOOP_EITHER : LOOP_BOTH;
    for (index_t k = begin, width; k < end; k += width) {
        width = min_of(end - k, ROWS_BYTES / 2);
        const index_t most = width == t->kept ? ROWS_BYTES / width - 1 : 1; /* behind each other */
        for (index_t o = 0, count; o < t->outer; o += count) {
            count = min_of(most, t->outer - o);
            int now = 0;
            truths(t->kind, (const char *)t->x + (o * t->kept + k) * t->item, rows[0], count * width);
            memcpy(rows[0] + count * width, t->y + k, (size_t)width);
            for (index_t left = count + 1; left > 1; now = !now) {
                const index_t half = left / 2;
                each(loop, LINE_U8, (operand_t){rows[now], GROUP}, (operand_t){rows[now] + (left - half) * width, GROUP}, rows[!now], half * width, 0);
                left -= half;
                if (left > half) memcpy(rows[!now] + half * width, rows[now] + half * width, (size_t)width);
            }
            memcpy(t->y + k, rows[now], (size_t)width);
        }
    }
    return NATIVE_OK;
}

void truth_run(truth_t *t) {
    memset(t->y, !t->any, (size_t)t->kept);
    if (!t->outer || !t->kept || !t->inner) return;
    if (t->kept == 1) parallel_range(t->outer * t->inner, MOVE_GRAIN, search_pieces, t);
    else if (t->inner == 1) parallel_range(t->kept, ROWS_BYTES / 2, search_columns, t);
    else parallel_range(t->kept, max_of(1, MOVE_GRAIN / (t->outer * t->inner)), search_rows, t);
}

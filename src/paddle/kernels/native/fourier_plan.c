/* Plans of Fourier transforms: how a size is cut into factors, and the tables that its loops read. */
#define _GNU_SOURCE
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "fourier.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("Os") /* what -O3 adds is its size */
#endif

/* ---- plans that were used before ----
 * A call takes its plan out of its slot and puts it back, so that no lock is held while it runs; threads that transform the same size
 * at one time have plans of their own. */
enum { SLOTS = 16, PROBES = 4 };
#define MOST_BYTES ((size_t)96 << 20) /* of all slots together */
static _Atomic(fourier_plan_t *) slots[SLOTS];
static atomic_size_t kept_bytes;

static _Atomic(fourier_plan_t *) *slot_of(const fourier_plan_t *p, int probe) {
    return &slots[((size_t)p->n * 7 + (size_t)p->n / SLOTS + (size_t)(p->loops->bytes + 2 * p->alone + p->halved) + (size_t)probe) % SLOTS];
}

static fourier_plan_t *empty_slot(_Atomic(fourier_plan_t *) *slot) {
    fourier_plan_t *p = atomic_exchange(slot, NULL);
    if (p) atomic_fetch_sub(&kept_bytes, p->bytes);
    return p;
}

void fourier_plan_back(fourier_plan_t *p) {
    if (p->bytes > MOST_BYTES) {
        free(p);
        return;
    }
    if (atomic_fetch_add(&kept_bytes, p->bytes) + p->bytes > MOST_BYTES)
        for (int i = 0; i < SLOTS; i++) free(empty_slot(&slots[i]));
    for (int probe = 0; probe < PROBES; probe++) {
        fourier_plan_t *none = NULL;
        if (atomic_compare_exchange_strong(slot_of(p, probe), &none, p)) return;
    }
    fourier_plan_t *old = atomic_exchange(slot_of(p, 0), p);
    if (old) atomic_fetch_sub(&kept_bytes, old->bytes);
    free(old);
}

static fourier_plan_t *take_kept(const fourier_plan_t *wanted) {
    for (int probe = 0; probe < PROBES; probe++) {
        fourier_plan_t *p = empty_slot(slot_of(wanted, probe));
        if (p && p->n == wanted->n && p->loops == wanted->loops && p->alone == wanted->alone && p->halved == wanted->halved)
            return p;
        if (p) fourier_plan_back(p);
    }
    return NULL;
}

/* ---- sizes ---- */

/* n as a product of factors that there are stages for: how many; -1 if it is none. */
static int factors(index_t n, int *radix) {
    int stages = 0;
    for (; n % 4 == 0; n /= 4) radix[stages++] = 4;
    for (int p = 2; p <= FOURIER_PRIME; p++)
        for (; n % p == 0; n /= p) radix[stages++] = p;
    return n == 1 ? stages : -1;
}

/* The smallest 2^a times 1, 3, 5, 9 or 15 that is not below n. */
static index_t round_size(index_t n) {
    static const int odd[] = {1, 3, 5, 9, 15};
    index_t best = 0;
    for (int k = 0; k < 5; k++) {
        index_t size = odd[k];
        while (size < n) size *= 2;
        if (!best || size < best) best = size;
    }
    return best;
}

/* Steps over n = rows * columns as a line alone, in groups of lanes: less than twice n / lanes only if n has no such factors. */
static index_t cut(index_t n, index_t lanes, index_t *rows) {
    index_t best = -1;
    for (index_t d = 1; d * d <= n; d++)
        if (n % d == 0) {
            index_t steps = ceil_div(d, lanes) * (n / d) + ceil_div(n / d, lanes) * d;
            if (best < 0 || steps <= best) best = steps, *rows = d;
        }
    return best;
}

/* ---- tables ---- */

/* exp(-2 pi i k / n) as the product of two from tables; rounding happens once, at the end. */
typedef struct {
    index_t n;
    int shift;
    long double *fine, *coarse;
} roots_t;

static int roots_begin(roots_t *r, index_t n) {
    *r = (roots_t){.n = n};
    while (((index_t)1 << 2 * r->shift) < n) r->shift++;
    const index_t fine = (index_t)1 << r->shift, coarse = (n >> r->shift) + 1;
    r->fine = scratch((size_t)(fine + coarse) * 2 * sizeof *r->fine);
    if (!r->fine) return NATIVE_NO_MEMORY;
    r->coarse = r->fine + 2 * fine;
    for (index_t k = 0; k < fine + coarse; k++) {
        long double angle = 6.283185307179586476925286766559L * (long double)(k < fine ? k : (k - fine) << r->shift) / (long double)n;
        r->fine[2 * k] = cosl(angle);
        r->fine[2 * k + 1] = -sinl(angle);
    }
    return NATIVE_OK;
}

typedef struct {
    long double re, im;
} pair_t;

static pair_t root(const roots_t *r, index_t k) {
    const long double *a = r->coarse + 2 * (k >> r->shift), *b = r->fine + 2 * (k & (((index_t)1 << r->shift) - 1));
    return (pair_t){a[0] * b[0] - a[1] * b[1], a[0] * b[1] + a[1] * b[0]};
}

/* A number of a table, its imaginary part `gap` from the real one. */
static void set(const fourier_plan_t *p, void *table, index_t at, index_t gap, pair_t value) {
    if (p->loops->bytes == sizeof(float)) ((float *)table)[at] = (float)value.re, ((float *)table)[at + gap] = (float)value.im;
    else ((double *)table)[at] = (double)value.re, ((double *)table)[at + gap] = (double)value.im;
}

/* How many pairs the tables of a sweep have. */
static index_t sweep_pairs(const fourier_sweep_t *w) {
    index_t pairs = 0, n = w->n;
    for (int k = 0; k < w->stages; k++) {
        n /= w->radix[k];
        pairs += n * (w->radix[k] - 1) + (w->radix[k] % 2 ? w->radix[k] : 0);
    }
    return pairs;
}

static int fill_sweep(const fourier_plan_t *p, const fourier_sweep_t *w) {
    roots_t roots;
    if (roots_begin(&roots, w->n)) return NATIVE_NO_MEMORY;
    index_t at = 0, n = w->n;
    for (int k = 0; k < w->stages; k++) {
        const int r = w->radix[k];
        const index_t each = w->n / n;
        n /= r;
        for (index_t i = 0; i < n; i++)
            for (int j = 1; j < r; j++, at += 2) set(p, w->turns, at, 1, root(&roots, i * j * each));
        for (int j = 0; r % 2 && j < r; j++, at += 2) set(p, w->turns, at, 1, root(&roots, j * (w->n / r)));
    }
    return NATIVE_OK;
}

/* Number k of row l is turned by l k / core; in the order of the first pass's groups. */
static int fill_twist(const fourier_plan_t *p) {
    const index_t columns = p->along[0].n, rows = p->along[1].n, lanes = p->loops->lanes;
    roots_t roots;
    if (roots_begin(&roots, p->core)) return NATIVE_NO_MEMORY;
    for (index_t l = 0; l < round_up(rows, lanes); l++)
        for (index_t k = 0, at = 0; k < columns; k++) {
            set(p, p->twist, (l / lanes * columns + k) * 2 * lanes + l % lanes, lanes, root(&roots, at));
            at += l < rows ? l : 0;
            if (at >= p->core) at -= p->core;
        }
    return NATIVE_OK;
}

/* -i exp(-2 pi i k / n) */
static int fill_fold(const fourier_plan_t *p) {
    roots_t roots;
    if (roots_begin(&roots, p->n)) return NATIVE_NO_MEMORY;
    for (index_t k = 0; 2 * k <= p->size; k++) {
        const pair_t turn = root(&roots, k);
        set(p, p->fold, 2 * k, 1, (pair_t){turn.im, -turn.re});
    }
    return NATIVE_OK;
}

static fourier_plan_t *make_plan(const fourier_plan_t *sizes);
static fourier_plan_t sizes_of(const fourier_loops_t *loops, index_t n, int halved, index_t lines);

/* exp(-pi i k^2 / size), and the transform of its conjugates, by which a transform becomes a convolution. It is computed in double: its
 * errors are in all results. */
static int fill_chirp(const fourier_plan_t *p) {
    const fourier_plan_t sizes = sizes_of(fourier_loops(0), p->core, 0, 1);
    roots_t roots;
    double *filter = scratch((size_t)p->core * 2 * sizeof *filter);
    if (!filter || roots_begin(&roots, 2 * p->size)) return NATIVE_NO_MEMORY;
    fourier_plan_t *wide = make_plan(&sizes);
    if (!wide) return NATIVE_NO_MEMORY;
    memset(filter, 0, (size_t)p->core * 2 * sizeof *filter);
    for (index_t k = 0; k < p->size; k++) {
        const pair_t turn = root(&roots, k * k % (2 * p->size)), back = {turn.re, -turn.im};
        set(p, p->chirp, 2 * k, 1, turn);
        set(wide, filter, 2 * k, 1, back);
        if (k) set(wide, filter, 2 * (p->core - k), 1, back);
    }
    int status = fourier_core(wide, filter, 1 / (double)p->core);
    for (index_t k = 0; k < p->core; k++) set(p, p->filter, 2 * k, 1, (pair_t){filter[2 * k], filter[2 * k + 1]});
    free(wide);
    return status;
}

static int fill(fourier_plan_t *p) {
    for (int k = 0; k <= p->alone; k++)
        if (fill_sweep(p, &p->along[k])) return NATIVE_NO_MEMORY;
    if (p->twist && fill_twist(p)) return NATIVE_NO_MEMORY;
    if (p->fold && fill_fold(p)) return NATIVE_NO_MEMORY;
    return p->chirp ? fill_chirp(p) : NATIVE_OK;
}

/* Where a table of so many pairs begins. */
static size_t place(fourier_plan_t *p, index_t pairs) {
    const size_t at = p->bytes;
    p->bytes += (size_t)round_up(pairs * 2 * p->loops->bytes, 64);
    return at;
}

/* The tables of a plan whose sizes are known, in one piece of memory with it. */
static fourier_plan_t *make_plan(const fourier_plan_t *sizes) {
    fourier_plan_t p = *sizes;
    const int chirped = p.core != p.size;
    p.bytes = (size_t)round_up(sizeof p, 64);
    const size_t first = place(&p, sweep_pairs(&p.along[0])), second = place(&p, sweep_pairs(&p.along[1]));
    const size_t twist = place(&p, p.alone ? round_up(p.along[1].n, p.loops->lanes) * p.along[0].n : 0);
    const size_t fold = place(&p, p.halved ? p.size / 2 + 1 : 0);
    const size_t chirp = place(&p, chirped ? p.size : 0), filter = place(&p, chirped ? p.core : 0);
    char *made = malloc(p.bytes);
    if (!made) return NULL;
    p.along[0].turns = made + first;
    p.along[1].turns = made + second;
    p.twist = p.alone ? made + twist : NULL;
    p.fold = p.halved ? made + fold : NULL;
    p.chirp = chirped ? made + chirp : NULL;
    p.filter = made + filter;
    size_t mark = scratch_mark();
    int status = fill(&p);
    scratch_release(mark);
    if (status) {
        free(made);
        return NULL;
    }
    memcpy(made, &p, sizeof p);
    return (fourier_plan_t *)made;
}

/* Lines that fill most lanes go side by side; few ones, or so long ones that a group of them is
 * no longer in a cache, go one by one, which takes a transposition more. */
static fourier_plan_t sizes_of(const fourier_loops_t *loops, index_t n, int halved, index_t lines) {
    fourier_plan_t p = {.loops = loops, .n = n, .halved = halved};
    p.size = p.core = halved ? n / 2 : n;
    if (factors(p.core, p.along[0].radix) < 0) p.core = round_size(2 * p.core - 1);
    index_t rows = 1, steps = cut(p.core, loops->lanes, &rows);
    const double side = (double)ceil_div(lines, loops->lanes) * (double)p.core * (p.core * loops->lanes > 32768 ? 2.0 : 1.0);
    p.alone = p.core >= 64 && (double)lines * (double)steps * 0.75 < side;
    p.along[0].n = p.alone ? p.core / rows : p.core;
    p.along[1].n = p.alone ? rows : 1;
    for (int k = 0; k < 2; k++) p.along[k].stages = factors(p.along[k].n, p.along[k].radix);
    return p;
}

fourier_plan_t *fourier_plan(const fourier_loops_t *loops, index_t n, int halved, index_t lines) {
    const fourier_plan_t sizes = sizes_of(loops, n, halved, lines);
    fourier_plan_t *kept = take_kept(&sizes);
    return kept ? kept : make_plan(&sizes);
}

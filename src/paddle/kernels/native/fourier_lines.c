/* Discrete Fourier transforms: which loops run over which lines. Element types differ in the size of numbers only. */
#define _GNU_SOURCE
#include "fourier.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("Os") /* all of the time is spent in the loops */
#endif

/* A place in a buffer, behind so many real numbers. */
static void *after(const void *buffer, index_t numbers, const fourier_loops_t *loops) { return (char *)buffer + numbers * loops->bytes; }

/* ---- a line alone ---- */

typedef struct {
    const fourier_plan_t *plan;
    fourier_side_t from, to;
    int inverse, second;
    double scale;
} pass_t;

static int pass_groups(void *context, index_t begin, index_t end) {
    const pass_t *pass = context;
    const fourier_loops_t *loops = pass->plan->loops;
    const fourier_sweep_t *sweep = &pass->plan->along[pass->second];
    const index_t n = sweep->n, lanes = loops->lanes;
    size_t mark = scratch_mark();
    void *x = scratch((size_t)(n * 4 * lanes * loops->bytes));
    for (index_t group = begin; x && group < end; group++) {
        const index_t first = group * lanes, lines = min_of(lanes, pass->from.inner - first);
        loops->take(&pass->from, first, lines, x, n, lanes);
        void *found = loops->sweep(sweep, x, after(x, n * 2 * lanes, loops), pass->inverse);
        if (!pass->second) loops->twist(found, after(pass->plan->twist, group * n * 2 * lanes, loops), n, pass->inverse);
        loops->put(&pass->to, first, lines, found, lanes, pass->scale);
    }
    scratch_release(mark);
    return x ? NATIVE_OK : NATIVE_NO_MEMORY;
}

/* The transform of the pairs at x, by way of y, to z, which may be x. */
static int transform_alone(const fourier_plan_t *plan, const void *x, void *y, void *z, int inverse, double scale) {
    const index_t columns = plan->along[0].n, rows = plan->along[1].n, lanes = plan->loops->lanes;
    pass_t pass = {.plan = plan, .inverse = inverse, .scale = 1,
                   .from = {(void *)x, .inner = rows, .lane = 2, .step = 2 * rows, .gap = 1, .count = columns},
                   .to = {y, .inner = 1, .outer = 2 * columns, .step = 2, .gap = 1, .count = columns}};
    int status = parallel_range(ceil_div(rows, lanes), max_of(1, 1024 / columns), pass_groups, &pass);
    if (status) return status;
    pass.second = 1;
    pass.scale = scale;
    pass.from = pass.to = (fourier_side_t){y, .inner = columns, .lane = 2, .step = 2 * columns, .gap = 1, .count = rows};
    pass.to.data = z;
    return parallel_range(ceil_div(columns, lanes), max_of(1, 1024 / rows), pass_groups, &pass);
}

int fourier_core(const fourier_plan_t *plan, void *x, double scale) {
    const fourier_loops_t *loops = plan->loops;
    const index_t lanes = loops->lanes;
    const fourier_side_t line = {x, .inner = 1, .step = 2, .gap = 1, .count = plan->core};
    size_t mark = scratch_mark();
    void *work = scratch((size_t)(plan->core * 4 * (plan->alone ? 1 : lanes) * loops->bytes));
    int status = work ? NATIVE_OK : NATIVE_NO_MEMORY;
    if (work && plan->alone) status = transform_alone(plan, x, work, x, 0, scale);
    else if (work) {
        loops->take(&line, 0, 1, work, plan->core, lanes);
        void *found = loops->sweep(&plan->along[0], work, after(work, plan->core * 2 * lanes, loops), 0);
        loops->put(&line, 0, 1, found, lanes, scale);
    }
    scratch_release(mark);
    return status;
}

/* ---- all that happens to a buffer of width w ---- */

typedef struct {
    const fourier_plan_t *plan;
    fourier_side_t x, y;
    index_t lines;
    int fold_before, fold_behind; /* between the halves of real lines and their spectra */
    int mirror_before, mirror_behind, negate_before, negate_behind, inverse;
    double scale;
} job_t;

/* Numbers from `first` on: conjugates of those from `from` on, in the direction of step. */
static void conjugate(const fourier_loops_t *loops, void *buffer, index_t from, index_t step, index_t first, index_t count, index_t w) {
    for (index_t i = 0; i < count; i++)
        for (index_t l = 0; l < w; l++) {
            const index_t a = 2 * (from + i * step) * w + l, b = 2 * (first + i) * w + l;
            if (loops->bytes == sizeof(float)) {
                float *x = buffer;
                x[b] = x[a], x[b + w] = 0 - x[a + w]; /* so that 0 stays +0 */
            } else {
                double *x = buffer;
                x[b] = x[a], x[b + w] = 0 - x[a + w];
            }
        }
}

static void mirror(const fourier_plan_t *plan, void *buffer, index_t w) {
    const index_t n = plan->n, first = n / 2 + 1;
    conjugate(plan->loops, buffer, n - first, -1, first, n - first, w);
}

/* Transforms x, by way of y: lines in lanes to where it says, one alone to z; NULL: no memory. */
static void *core(const fourier_plan_t *plan, void *x, void *y, void *z, int inverse, double scale) {
    if (!plan->alone) return plan->loops->sweep(&plan->along[0], x, y, inverse);
    return transform_alone(plan, x, y, z, inverse, scale) ? NULL : z;
}

static void *whole(const job_t *job, void *x, void *y, void *z, double scale) {
    const fourier_plan_t *plan = job->plan;
    const fourier_loops_t *loops = plan->loops;
    const index_t w = plan->alone ? 1 : loops->lanes, size = plan->size;
    if (job->negate_before) conjugate(loops, x, 0, 1, 0, job->x.count, w);
    if (job->fold_before) loops->fold(x, size, plan->fold, 1, w);
    if (job->mirror_before) mirror(plan, x, w);
    if (plan->chirp) {
        loops->times(x, plan->chirp, size, job->inverse, w);
        memset(after(x, size * 2 * w, loops), 0, (size_t)((plan->core - size) * 2 * w * loops->bytes));
    }
    void *found = core(plan, x, y, z, job->inverse, plan->chirp ? 1 : scale);
    if (plan->chirp && found) {
        loops->times(found, plan->filter, plan->core, job->inverse, w);
        found = core(plan, found, found == x ? y : x, z, !job->inverse, scale);
        if (found) loops->times(found, plan->chirp, size, job->inverse, w);
    }
    if (!found) return NULL;
    if (job->fold_behind) loops->fold(found, size, plan->fold, 0, w);
    if (job->negate_behind) conjugate(loops, found, 0, 1, 0, size + 1, w);
    if (job->mirror_behind) mirror(plan, found, w);
    return found;
}

/* Groups of lines, or lines one by one. Those of the latter that are pairs in memory, as in a buffer, are read and written there. */
static int job_groups(void *context, index_t begin, index_t end) {
    const job_t *job = context;
    const fourier_plan_t *plan = job->plan;
    const fourier_loops_t *loops = plan->loops;
    const fourier_side_t *from = &job->x, *to = &job->y;
    const index_t w = plan->alone ? 1 : loops->lanes, room = max_of(max_of(plan->core, plan->size + 1), to->count);
    const int plain = plan->alone && !plan->chirp;
    const int read = plain && from->step == 2 && from->gap == 1 && from->count == plan->size && !job->fold_before;
    const int write = plain && to->step == 2 && to->gap == 1 && to->count >= plan->size;
    size_t mark = scratch_mark();
    void *x = scratch((size_t)(room * 4 * w * loops->bytes));
    int status = x ? NATIVE_OK : NATIVE_NO_MEMORY;
    for (index_t group = begin; !status && group < end; group++) {
        const index_t first = group * w, lines = min_of(w, job->lines - first);
        if (!read) loops->take(from, first, lines, x, plan->size + job->fold_before, w);
        const void *found = whole(job, read ? after(from->data, first * from->outer, loops) : x, after(x, room * 2 * w, loops),
                                  write ? after(to->data, first * to->outer, loops) : x, write ? job->scale : 1);
        if (!found) status = NATIVE_NO_MEMORY;
        else if (!write) loops->put(to, first, lines, found, w, job->scale);
    }
    scratch_release(mark);
    return status;
}

static int run(const job_t *job) {
    const fourier_plan_t *plan = job->plan;
    if (plan->alone && job->lines == 1) return job_groups((void *)job, 0, 1); /* the line's groups are shared among threads then */
    return parallel_range(ceil_div(job->lines, plan->alone ? 1 : plan->loops->lanes), max_of(1, (plan->alone ? 8192 : 2048) / plan->core),
                          job_groups, (void *)job);
}

int fourier_transform(const fourier_t *t) {
    const index_t half = t->n / 2, inner = t->inner, lines = t->outer * inner;
    const int halved = (t->real_x || t->real_y) && t->n % 2 == 0;
    fourier_plan_t *plan = lines ? fourier_plan(fourier_loops(t->single), t->n, halved, lines) : NULL;
    if (!plan) return lines ? NATIVE_NO_MEMORY : NATIVE_OK;
    const fourier_side_t numbers = {.inner = inner, .lane = 1, .step = inner, .outer = t->n * inner, .count = t->n};
    const fourier_side_t pairs = {.inner = inner, .lane = 1, .step = 2 * inner, .gap = inner, .outer = t->n * inner, .count = half};
    fourier_side_t x = {.inner = inner, .lane = 2, .step = 2 * inner, .gap = 1, .outer = 2 * t->from * inner, .count = t->from}, y = x;
    y.outer = 2 * t->to * inner;
    y.count = t->to;
    if (t->real_y) x.count = min_of(t->from, half + 1), y = halved ? pairs : numbers;
    if (t->real_x) x = halved ? pairs : numbers;
    x.data = (void *)t->x;
    y.data = t->y;
    job_t job = {.plan = plan, .x = x, .y = y, .lines = lines, .scale = t->scale, .inverse = halved ? t->real_y : t->inverse,
                 .fold_before = halved && t->real_y, .fold_behind = halved && t->real_x, .negate_before = halved && t->real_y && !t->inverse,
                 .negate_behind = halved && t->real_x && t->inverse, .mirror_before = !halved && t->real_y,
                 .mirror_behind = halved && t->real_x && t->to == t->n};
    int status = run(&job);
    fourier_plan_back(plan);
    return status;
}

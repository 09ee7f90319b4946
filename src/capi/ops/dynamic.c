/* Recurrence over packed sequences: step t takes the t-th rows of all sequences that are that long, longest first. */
#include <stdlib.h>

#include "elementwise.h"
#include "packed.h"

/* ---- rows of numbers: float32 or float64 ---- */

#define ROWS(T)                                                                                          \
    static void T##_row(const T *a, const T *b, T *y, index_t n, int sum) {                              \
        for (index_t i = 0; i < n; i++) y[i] = (b ? a[i] * b[i] : a[i]) + (sum ? y[i] : 0);              \
    }                                                                                                    \
    static void T##_blend(const T *u, const T *c, T *h, index_t n, int origin) {                         \
        for (index_t i = 0; i < n; i++) h[i] = origin ? c[i] + u[i] * (h[i] - c[i]) : h[i] + u[i] * (c[i] - h[i]); \
    }                                                                                                    \
    static void T##_limit(T *y, index_t n, double most) {                                                \
        for (index_t i = 0; i < n; i++) y[i] = y[i] < -(T)most ? -(T)most : y[i] > (T)most ? (T)most : y[i]; \
    }
ROWS(float)
ROWS(double)
#define TYPED(dtype, fn, ...) ((dtype) == TYPE_FLOAT32 ? float_##fn(__VA_ARGS__) : double_##fn(__VA_ARGS__))

/* y = a, or a * b, or with `sum` these added to y. */
static void combine(dtype_t dtype, const void *a, const void *b, void *y, index_t n, int sum) { TYPED(dtype, row, a, b, y, n, sum); }

static void *cell_at(const tensor_t *t, index_t i) { return (char *)t->data + (size_t)i * type_size(t->dtype); }

/* The step of an activation's name or number; -1: none, -2 with a message: unknown. */
static int activation_step(const char *name) {
    static const struct {
        const char *name;
        int step;
    } known[] = {{"sigmoid", STEP_sigmoid}, {"tanh", STEP_tanh}, {"relu", STEP_relu}, {"identity", -1}};
    for (int i = 0; i < 4; i++)
        if (!strcmp(known[i].name, name)) return known[i].step;
    fail("there is no activation %s here", name);
    return -2;
}

/* A function of n numbers where they lie. */
static int activate(int step, dtype_t dtype, void *data, index_t n) {
    tensor_t row = {.dtype = dtype, .ndim = 1, .dims = {n}, .size = n, .data = data};
    return step < 0 ? 0 : run_unary_step(step, 0, &row, &row);
}

/* Rows of a matrix, seen as one of these sizes. */
static tensor_t seen_as(const tensor_t *t, index_t from, index_t rows, index_t columns) {
    return (tensor_t){.dtype = t->dtype, .ndim = 2, .dims = {rows, columns}, .size = rows * columns, .data = cell_at(t, from)};
}

/* ---- the order of steps ---- */

typedef struct {
    index_t length, number;
} sequence_t;

typedef struct {
    packed_t in;
    sequence_t *order; /* longest first, equal ones in order */
    index_t live;      /* sequences that take part in the step */
    int reverse;
} walk_t;

static int longer(const void *a, const void *b) {
    const sequence_t *one = a, *other = b;
    if (one->length != other->length) return one->length > other->length ? -1 : 1;
    return one->number < other->number ? -1 : 1;
}

static int walk_begin(run_t *run, const op_t *op, walk_t *w) {
    if (read_packed(run, op, "Input", &w->in) || check_float(w->in.x, "Input")) return -1;
    if (w->in.x->ndim != 2) return fail("Input must be rows, [rows, width]");
    w->reverse = attr_bool(op, "is_reverse");
    w->live = w->in.count;
    w->order = malloc((size_t)max_of(w->in.count, 1) * sizeof *w->order);
    if (!w->order) return fail_memory();
    for (index_t i = 0; i < w->in.count; i++) w->order[i] = (sequence_t){length_of(&w->in, i), i};
    qsort(w->order, (size_t)w->in.count, sizeof *w->order, longer);
    return 0;
}

/* Are there sequences for step t? */
static int walk_on(walk_t *w, index_t t) {
    while (w->live && w->order[w->live - 1].length <= t) w->live--;
    return w->live > 0;
}

/* The row that sequence number i of the order has at step t. */
static index_t walk_row(const walk_t *w, index_t i, index_t t) {
    index_t n = w->order[i].number;
    return w->reverse ? w->in.ends[n + 1] - 1 - t : w->in.ends[n] + t;
}

/* The first state, longest sequence first; zeros if none is given. */
static int first_state(run_t *run, const op_t *op, const walk_t *w, const char *slot, index_t width, tensor_t *state) {
    const tensor_t *given = find_input(run, op, slot);
    if (given && (given->ndim != 2 || given->dims[0] != w->in.count || given->dims[1] != width || given->dtype != w->in.x->dtype))
        return fail("%s must be [%td, %td], of Input's type", slot, w->in.count, width);
    if (make(run, state, w->in.x->dtype, 2, (index_t[]){w->in.count, width})) return -1;
    if (!given) memset(state->data, 0, (size_t)state->size * type_size(state->dtype));
    for (index_t i = 0; given && i < w->in.count; i++) copy_rows(state, i, given, w->order[i].number, 1, width);
    return 0;
}

/* ---- LSTM ---- */

typedef struct {
    walk_t walk;
    const tensor_t *weight, *bias, *project; /* project: NULL, or the hidden state is multiplied by it */
    index_t width, shown;                    /* of cells, and of what is given out */
    int peepholes, gate, cell, candidate, last;
    double cell_limit, last_limit;
    tensor_t h, c, hidden, cells;
} lstm_t;

/* One row of products z (candidate, input, forget, output): the cell is changed where it lies, the hidden row replaces the candidate. */
static int lstm_row(const lstm_t *s, void *z, const void *x, void *c) {
    dtype_t type = s->weight->dtype;
    index_t d = s->width;
    size_t part = (size_t)d * type_size(type);
    char *at = z;
    const char *peep = (const char *)s->bias->data + 4 * part;
    combine(type, x, NULL, z, 4 * d, 1);
    combine(type, s->bias->data, NULL, z, 4 * d, 1);
    for (int k = 0; s->peepholes && k < 2; k++) combine(type, c, peep + (size_t)k * part, at + (size_t)(1 + k) * part, d, 1);
    if (activate(s->gate, type, at + part, 2 * d) || activate(s->candidate, type, at, d)) return -1;
    combine(type, c, at + 2 * part, c, d, 0);
    combine(type, at, at + part, c, d, 1);
    if (s->cell_limit) TYPED(type, limit, c, d, s->cell_limit);
    if (s->peepholes) combine(type, c, peep + 2 * part, at + 3 * part, d, 1);
    memcpy(at, c, part);
    if (activate(s->gate, type, at + 3 * part, d) || activate(s->cell, type, at, d)) return -1;
    combine(type, at, at + 3 * part, at, d, 0);
    return 0;
}

static int lstm_step(run_t *run, lstm_t *s, index_t t) {
    const tensor_t *x = s->walk.in.x;
    index_t n = s->walk.live;
    tensor_t before = seen_as(&s->h, 0, n, s->shown), z, shown = {.dtype = TYPE_NONE};
    if (product_into(run, &before, s->weight, 0, 0, &(product_end_t){0}, &z)) return -1;
    int status = 0;
    for (index_t i = 0; i < n && !status; i++)
        status = lstm_row(s, cell_at(&z, i * 4 * s->width), cell_at(x, walk_row(&s->walk, i, t) * 4 * s->width), cell_at(&s->c, i * s->width));
    if (!status && s->project) { /* rows of z begin with what is projected */
        for (index_t i = 1; i < n; i++) memmove(cell_at(&z, i * s->width), cell_at(&z, i * 4 * s->width), (size_t)s->width * type_size(z.dtype));
        tensor_t hidden = seen_as(&z, 0, n, s->width);
        status = product_into(run, &hidden, s->project, 0, 0, &(product_end_t){0}, &shown) || activate(s->last, z.dtype, shown.data, shown.size);
        if (!status && s->last_limit) TYPED(z.dtype, limit, shown.data, shown.size, s->last_limit);
    }
    for (index_t i = 0; i < n && !status; i++) {
        const void *row = s->project ? cell_at(&shown, i * s->shown) : cell_at(&z, i * 4 * s->width);
        memcpy(cell_at(&s->h, i * s->shown), row, (size_t)s->shown * type_size(z.dtype));
        copy_rows(&s->hidden, walk_row(&s->walk, i, t), &s->h, i, 1, s->shown);
        copy_rows(&s->cells, walk_row(&s->walk, i, t), &s->c, i, 1, s->width);
    }
    tensor_drop(&z);
    tensor_drop(&shown);
    return status ? -1 : 0;
}

static int lstm_read(run_t *run, const op_t *op, lstm_t *s) {
    if (walk_begin(run, op, &s->walk)) return -1;
    const tensor_t *x = s->walk.in.x;
    int projected = !strcmp(op->type, "lstmp");
    if (!(s->weight = need_input(run, op, "Weight")) || !(s->bias = need_input(run, op, "Bias"))) return -1;
    if (projected && !(s->project = need_input(run, op, "ProjWeight"))) return -1;
    s->width = x->dims[1] / 4;
    s->peepholes = attr_bool(op, "use_peepholes");
    if (s->project && (s->project->ndim != 2 || s->project->dims[0] != s->width || s->project->dtype != x->dtype)) return fail("ProjWeight does not fit Input");
    s->shown = s->project ? s->project->dims[1] : s->width;
    if (x->dims[1] % 4 || s->weight->ndim != 2 || s->weight->dims[0] != s->shown || s->weight->dims[1] != x->dims[1] ||
        s->bias->size != (s->peepholes ? 7 : 4) * s->width || s->weight->dtype != x->dtype || s->bias->dtype != x->dtype)
        return fail("Weight or Bias does not fit Input%s", s->peepholes ? " with peepholes" : "");
    s->gate = activation_step(attr_text(op, "gate_activation"));
    s->cell = activation_step(attr_text(op, "cell_activation"));
    s->candidate = activation_step(attr_text(op, "candidate_activation"));
    s->last = projected ? activation_step(attr_text(op, "proj_activation")) : -1;
    if (s->gate == -2 || s->cell == -2 || s->candidate == -2 || s->last == -2) return -1;
    if (projected) s->cell_limit = attr_float(op, "cell_clip"), s->last_limit = attr_float(op, "proj_clip");
    return first_state(run, op, &s->walk, "H0", s->shown, &s->h) || first_state(run, op, &s->walk, "C0", s->width, &s->c) ||
           make(run, &s->hidden, x->dtype, 2, (index_t[]){x->dims[0], s->shown}) || make(run, &s->cells, x->dtype, 2, (index_t[]){x->dims[0], s->width});
}

static int lstm(run_t *run, const op_t *op) {
    lstm_t s = {.h = {.dtype = TYPE_NONE}, .c = {.dtype = TYPE_NONE}, .hidden = {.dtype = TYPE_NONE}, .cells = {.dtype = TYPE_NONE}};
    int status = lstm_read(run, op, &s);
    for (index_t t = 0; !status && walk_on(&s.walk, t); t++) status = lstm_step(run, &s, t);
    free(s.walk.order);
    tensor_drop(&s.h);
    tensor_drop(&s.c);
    if (status) tensor_drop(&s.cells);
    else give(run, op, "Cell", &s.cells);
    return finish(run, op, s.project ? "Projection" : "Hidden", &s.hidden, status);
}

/* ---- GRU ---- */

typedef struct {
    tensor_t gates, candidate; /* weights: [d, 2 d] and behind them [d, d] */
    const tensor_t *bias;
    index_t width;
    int gate, act, origin;
} gru_t;

static int gru_read(run_t *run, const op_t *op, const tensor_t *x, gru_t *s) {
    const tensor_t *w = need_input(run, op, "Weight");
    if (!w) return -1;
    s->bias = find_input(run, op, "Bias");
    s->width = w->ndim ? w->dims[0] : 0;
    s->origin = attr_bool(op, "origin_mode");
    if (w->ndim != 2 || w->dims[1] != 3 * s->width || x->ndim != 2 || x->dims[1] != 3 * s->width || w->dtype != x->dtype ||
        (s->bias && (s->bias->size != 3 * s->width || s->bias->dtype != x->dtype)))
        return fail("Weight or Bias does not fit Input");
    s->gates = seen_as(w, 0, s->width, 2 * s->width);
    s->candidate = seen_as(w, 2 * s->width * s->width, s->width, s->width);
    return s->gate == -2 || s->act == -2 ? -1 : 0;
}

/* One step: x [n, update reset candidate] becomes what the gates are, h the new state; *reset is the state that the reset gate lets by. */
static int gru_step(run_t *run, const gru_t *s, tensor_t *x, tensor_t *h, tensor_t *reset) {
    dtype_t type = x->dtype;
    index_t n = x->dims[0], d = s->width;
    tensor_t sums;
    *reset = (tensor_t){.dtype = TYPE_NONE};
    if (product_into(run, h, &s->gates, 0, 0, &(product_end_t){0}, &sums)) return -1;
    int status = make(run, reset, type, 2, (index_t[]){n, d});
    for (index_t i = 0; i < n && !status; i++) {
        if (s->bias) combine(type, s->bias->data, NULL, cell_at(x, 3 * i * d), 3 * d, 1);
        combine(type, cell_at(&sums, 2 * i * d), NULL, cell_at(x, 3 * i * d), 2 * d, 1);
        status = activate(s->gate, type, cell_at(x, 3 * i * d), 2 * d);
        if (!status) combine(type, cell_at(x, (3 * i + 1) * d), cell_at(h, i * d), cell_at(reset, i * d), d, 0);
    }
    tensor_drop(&sums);
    if (status || product_into(run, reset, &s->candidate, 0, 0, &(product_end_t){0}, &sums)) return -1;
    for (index_t i = 0; i < n && !status; i++) {
        void *new = cell_at(x, (3 * i + 2) * d);
        combine(type, cell_at(&sums, i * d), NULL, new, d, 1);
        status = activate(s->act, type, new, d);
        TYPED(type, blend, cell_at(x, 3 * i * d), new, cell_at(h, i * d), d, s->origin);
    }
    tensor_drop(&sums);
    return status ? -1 : 0;
}

static int gru_run(run_t *run, const walk_t *w, const gru_t *s, index_t t, tensor_t *state, tensor_t *hidden) {
    index_t n = w->live;
    tensor_t x, reset, h = seen_as(state, 0, n, s->width);
    if (make(run, &x, state->dtype, 2, (index_t[]){n, 3 * s->width})) return -1;
    for (index_t i = 0; i < n; i++) copy_rows(&x, i, w->in.x, walk_row(w, i, t), 1, 3 * s->width);
    int status = gru_step(run, s, &x, &h, &reset);
    for (index_t i = 0; i < n && !status; i++) copy_rows(hidden, walk_row(w, i, t), &h, i, 1, s->width);
    tensor_drop(&x);
    tensor_drop(&reset);
    return status;
}

static int gru(run_t *run, const op_t *op) {
    walk_t w = {.order = NULL};
    gru_t s = {.gate = activation_step(attr_text(op, "gate_activation")), .act = activation_step(attr_text(op, "activation"))};
    tensor_t state = {.dtype = TYPE_NONE}, hidden = {.dtype = TYPE_NONE};
    int status = walk_begin(run, op, &w) || gru_read(run, op, w.in.x, &s) || first_state(run, op, &w, "H0", s.width, &state) ||
                 make(run, &hidden, w.in.x->dtype, 2, (index_t[]){w.in.x->dims[0], s.width});
    for (index_t t = 0; !status && walk_on(&w, t); t++) status = gru_run(run, &w, &s, t, &state, &hidden);
    free(w.order);
    tensor_drop(&state);
    return finish(run, op, "Hidden", &hidden, status);
}

static int unit_step(const op_t *op, const char *name) {
    static const char *const names[] = {"identity", "sigmoid", "tanh", "relu"};
    int64_t code = attr_int(op, name);
    return activation_step(code >= 0 && code < 4 ? names[code] : name);
}

/* One step of a GRU on rows that are not packed. */
static int gru_unit(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "Input"), *before = x ? need_input(run, op, "HiddenPrev") : NULL;
    gru_t s = {.gate = unit_step(op, "gate_activation"), .act = unit_step(op, "activation")};
    tensor_t gates, h, reset;
    if (!before || check_float(x, "Input") || gru_read(run, op, x, &s)) return -1;
    if (before->ndim != 2 || before->dims[0] != x->dims[0] || before->dims[1] != s.width || before->dtype != x->dtype) return fail("HiddenPrev does not fit Input");
    if (make_like(run, &gates, x)) return -1;
    if (make_like(run, &h, before)) return finish(run, op, "Gate", &gates, -1);
    copy_rows(&gates, 0, x, 0, x->dims[0], 3 * s.width);
    copy_rows(&h, 0, before, 0, x->dims[0], s.width);
    int status = gru_step(run, &s, &gates, &h, &reset);
    finish(run, op, "ResetHiddenPrev", &reset, status);
    finish(run, op, "Gate", &gates, status);
    return finish(run, op, "Hidden", &h, status);
}

/* One step of an LSTM on gates [N, input forget output candidate]. */
static int lstm_unit(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "X"), *before = x ? need_input(run, op, "C_prev") : NULL;
    tensor_t gates, c, h;
    if (!before || check_float(x, "X")) return -1;
    if (x->ndim != 2 || before->ndim != 2 || before->dtype != x->dtype || x->dims[0] != before->dims[0] || x->dims[1] != 4 * before->dims[1])
        return fail("X must be [N, 4 * width] for C_prev [N, width]");
    index_t n = x->dims[0], d = before->dims[1];
    if (make_like(run, &gates, x)) return -1;
    int made = make_like(run, &c, before) ? 1 : make_like(run, &h, before) ? 2 : 3, status = made < 3 ? -1 : 0;
    for (index_t i = 0; i < n && !status; i++) {
        void *part[4];
        for (int k = 0; k < 4; k++) part[k] = cell_at(&gates, (4 * i + k) * d);
        copy_rows(&gates, i, x, i, 1, 4 * d);
        for (index_t k = 0; k < d; k++) tensor_set(&gates, (4 * i + 1) * d + k, tensor_number(&gates, (4 * i + 1) * d + k) + attr_float(op, "forget_bias"));
        status = activate(STEP_sigmoid, x->dtype, part[0], 3 * d) || activate(STEP_tanh, x->dtype, part[3], d);
        combine(x->dtype, part[1], cell_at(before, i * d), cell_at(&c, i * d), d, 0);
        combine(x->dtype, part[0], part[3], cell_at(&c, i * d), d, 1);
        copy_rows(&h, i, &c, i, 1, d);
        status = status || activate(STEP_tanh, x->dtype, cell_at(&h, i * d), d);
        combine(x->dtype, cell_at(&h, i * d), part[2], cell_at(&h, i * d), d, 0);
    }
    tensor_drop(&gates);
    if (made == 2) tensor_drop(&c);
    if (made < 3) return -1;
    finish(run, op, "C", &c, status);
    return finish(run, op, "H", &h, status);
}

OPERATOR_TABLE(dynamic) = {{"lstm", lstm, OPERATOR_KEEP}, {"lstmp", lstm, OPERATOR_KEEP}, {"gru", gru, OPERATOR_KEEP},
                           {"gru_unit", gru_unit, 0}, {"lstm_unit", lstm_unit, 0}, {0}};

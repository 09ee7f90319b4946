/* The operator rnn: a stack of recurrent layers in one or two directions. */
#include "small.h"

#include "rnn.h"

#include "run.h"

typedef struct {
    enum rnn_cell cell;
    index_t gates, hidden, layers, directions;
    const slot_t *states, *weights;
    tensor_t lengths; /* int64, or no data */
} layers_t;

static int read_mode(const op_t *op, layers_t *s) {
    static const struct {
        const char *name;
        enum rnn_cell cell;
        index_t gates;
    } modes[] = {{"LSTM", CELL_LSTM, 4}, {"GRU", CELL_GRU, 3}, {"RNN_TANH", CELL_TANH, 1}, {"RNN_RELU", CELL_RELU, 1}};
    const char *mode = attr_text(op, "mode");
    for (int i = 0; i < 4; i++)
        if (!strcmp(mode, modes[i].name)) {
            s->cell = modes[i].cell;
            s->gates = modes[i].gates;
            return 0;
        }
    return fail("there is no recurrent layer %s", mode);
}

/* Tensor number i of a slot, of this shape. */
static const tensor_t *part(run_t *run, const op_t *op, const slot_t *slot, index_t i, const tensor_t *like, int ndim, index_t a, index_t b) {
    const tensor_t *t = i < slot->count ? input_at(run, op, slot, (int)i) : NULL;
    if (t && t->ndim == ndim && t->dtype == like->dtype && t->dims[0] == a && (ndim < 2 || t->dims[1] == b)) return t;
    fail("number %td of %s does not have the shape or type that the layer needs", i, slot->name);
    return NULL;
}

/* Sums of the two biases where the cell adds them up anyway. */
static int add_biases(run_t *run, const layers_t *s, const tensor_t *in, const tensor_t *hidden, tensor_t *sum) {
    if (make_like(run, sum, in)) return -1;
    for (index_t i = 0; i < in->size; i++) tensor_set(sum, i, tensor_number(in, i) + (s->cell == CELL_GRU ? 0 : tensor_number(hidden, i)));
    return 0;
}

/* One layer in one direction on x [N, T, I]: y [N, T, H]; the states are changed where they lie. */
static int run_layer(run_t *run, const op_t *op, const layers_t *s, const tensor_t *x, index_t k, tensor_t *h, tensor_t *c, tensor_t *y) {
    index_t wide = s->gates * s->hidden, count = s->layers * s->directions, n = x->dims[0], t = x->dims[1], state = n * s->hidden;
    const tensor_t *w_in = part(run, op, s->weights, 2 * k, x, 2, wide, x->dims[2]), *w = w_in ? part(run, op, s->weights, 2 * k + 1, x, 2, wide, s->hidden) : NULL;
    if (!w) return -1;
    int biased = s->weights->count > 2 * count, status = 0;
    const tensor_t *b_in = biased ? part(run, op, s->weights, 2 * (count + k), x, 1, wide, 0) : NULL,
                   *b = b_in ? part(run, op, s->weights, 2 * (count + k) + 1, x, 1, wide, 0) : NULL;
    tensor_t bias = {.dtype = TYPE_NONE}, gate = {.dtype = TYPE_NONE}, side = {.dtype = TYPE_NONE}, flat = *x;
    if ((biased && !b) || (b && add_biases(run, s, b_in, b, &bias))) return -1;
    flat.ndim = 2;
    flat.dims[0] = n * t;
    flat.dims[1] = x->dims[2];
    status = product_into(run, &flat, w_in, 0, 1, &(product_end_t){.bias = bias.data}, &gate) || make(run, y, x->dtype, 3, (index_t[]){n, t, s->hidden});
    if (!status && make(run, &side, x->dtype, 3, y->dims)) {
        tensor_drop(y);
        status = -1;
    }
    size_t item = type_size(x->dtype);
    if (!status && y->size) {
        memset(y->data, 0, (size_t)y->size * item);
        rnn_t r = {.cell = s->cell, .batch = n, .steps = t, .hidden = s->hidden, .gates = s->gates, .reverse = k % s->directions == 1,
                   .lengths = s->lengths.data, .w = w->data, .bias = s->cell == CELL_GRU && b ? b->data : NULL, .gate = gate.data,
                   .y = y->data, .side = s->cell == CELL_LSTM || s->cell == CELL_GRU ? side.data : NULL,
                   .h = (char *)h->data + (size_t)(k * state) * item, .c = c->data ? (char *)c->data + (size_t)(k * state) * item : NULL};
        if (DISPATCH_TYPE(x->dtype, rnn_run, &r)) {
            tensor_drop(y);
            status = fail_memory();
        }
    }
    tensor_drop(&bias);
    tensor_drop(&gate);
    tensor_drop(&side);
    return status ? -1 : 0;
}

/* [N, T, H] twice side by side. */
static int join(run_t *run, const tensor_t *a, const tensor_t *b, tensor_t *y) {
    index_t h = a->dims[2], rows = a->dims[0] * a->dims[1];
    size_t line = (size_t)h * type_size(a->dtype);
    if (make(run, y, a->dtype, 3, (index_t[]){a->dims[0], a->dims[1], 2 * h})) return -1;
    for (index_t i = 0; i < rows; i++) {
        memcpy((char *)y->data + (size_t)(2 * i) * line, (const char *)a->data + (size_t)i * line, line);
        memcpy((char *)y->data + (size_t)(2 * i + 1) * line, (const char *)b->data + (size_t)i * line, line);
    }
    return 0;
}

static int run_stack(run_t *run, const op_t *op, const layers_t *s, tensor_t *x, tensor_t *h, tensor_t *c) {
    for (index_t layer = 0; layer < s->layers; layer++) {
        tensor_t y[2] = {{.dtype = TYPE_NONE}, {.dtype = TYPE_NONE}}, joined;
        int status = 0;
        for (index_t d = 0; d < s->directions && !status; d++) status = run_layer(run, op, s, x, layer * s->directions + d, h, c, &y[d]);
        if (!status && s->directions == 2) status = join(run, &y[0], &y[1], &joined);
        tensor_drop(&y[1]);
        if (status || s->directions == 2) tensor_drop(&y[0]);
        if (status) return -1;
        tensor_drop(x);
        *x = s->directions == 2 ? joined : y[0];
    }
    return 0;
}

/* A copy of the first states, which the kernels turn into the last ones. */
static int copy_state(run_t *run, const op_t *op, const layers_t *s, int i, const tensor_t *x, tensor_t *copy) {
    const tensor_t *t = i < s->states->count ? input_at(run, op, s->states, i) : NULL;
    if (!t || t->ndim != 3 || t->dims[0] != s->layers * s->directions || t->dims[1] != x->dims[1] || t->dims[2] != s->hidden || t->dtype != x->dtype)
        return fail("PreState %d does not have the shape or type that the layers need", i);
    if (make_like(run, copy, t)) return -1;
    memcpy(copy->data, t->data, (size_t)t->size * type_size(t->dtype));
    return 0;
}

static int read_stack(run_t *run, const op_t *op, const tensor_t *x, layers_t *s) {
    *s = (layers_t){.hidden = (index_t)attr_int(op, "hidden_size"), .layers = (index_t)attr_int(op, "num_layers"),
                    .directions = attr_bool(op, "is_bidirec") ? 2 : 1, .states = find_in(op, "PreState"), .weights = find_in(op, "WeightList")};
    const tensor_t *lengths = find_input(run, op, "SequenceLength");
    if (check_float(x, "Input") || read_mode(op, s)) return -1;
    if (x->ndim != 3 || s->hidden < 1 || s->hidden > (1 << 24) || s->layers < 1 || s->layers > 1024 || !s->states || !s->weights)
        return fail("Input, PreState, WeightList, hidden_size or num_layers doesn't fit");
    if (!attr_bool(op, "is_test") && attr_float(op, "dropout_prob") > 0)
        return fail("dropout in training mode draws random numbers; export the model in evaluation mode");
    if (!lengths) return 0;
    if (lengths->size != x->dims[1]) return fail("SequenceLength must have %td numbers", x->dims[1]);
    if (make(run, &s->lengths, TYPE_INT64, 1, &lengths->size)) return -1;
    return tensor_convert(lengths, &s->lengths);
}

static int rnn(run_t *run, const op_t *op) {
    const tensor_t *x = need_input(run, op, "Input");
    static const int swap[] = {1, 0, 2};
    layers_t s;
    tensor_t rows, y, h = {.dtype = TYPE_NONE}, c = {.dtype = TYPE_NONE};
    if (!x || read_stack(run, op, x, &s)) return -1;
    int status = copy_state(run, op, &s, 0, x, &h) || (s.cell == CELL_LSTM && copy_state(run, op, &s, 1, x, &c));
    if (!status) status = transpose_into(run, x, swap, &rows);
    if (!status) {
        status = run_stack(run, op, &s, &rows, &h, &c);
        if (!status) status = transpose_into(run, &rows, swap, &y);
        tensor_drop(&rows);
    }
    tensor_drop(&s.lengths);
    if (status) {
        tensor_drop(&h);
        tensor_drop(&c);
        return -1;
    }
    give_at(run, op, "State", 0, &h);
    if (c.data) give_at(run, op, "State", 1, &c);
    return give(run, op, "Out", &y);
}

OPERATOR_TABLE(recurrent) = {{"rnn", rnn, 0}, {0}};

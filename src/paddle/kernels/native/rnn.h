/* What rnn.c hands to the loops of rnn.inc. */
#ifndef PADDLE_NATIVE_RNN_H
#define PADDLE_NATIVE_RNN_H

#include "common.h"

enum rnn_cell { CELL_LSTM, CELL_GRU, CELL_TANH, CELL_RELU };

/* N rows of T steps, hidden size H, G gates (LSTM 4: i f g o; GRU 3: r z c; simple 1). */
typedef struct {
    enum rnn_cell cell;
    index_t batch, steps, hidden, gates;
    int reverse;
    const int64_t *lengths; /* [N], or NULL: steps at or past a row's length are skipped */
    const void *w;          /* [G H, H] */
    const void *bias;       /* forward: [G H] or NULL */
    void *gate;             /* [N, T, G H]: input projections; forward leaves gates there */
    void *y;                /* [N, T, H] */
    void *side;             /* [N, T, H]: cells of the LSTM, h W_c + b_c of the GRU; else NULL */
    void *h, *c;            /* forward: [N, H], states: first in, last out */
    const void *h0, *c0;    /* backward: first states */
    const void *dy;         /* backward: [N, T, H] or NULL */
    void *dh, *dc;          /* backward: [N, H], gradients of the states: last in, first out */
    void *dgate;            /* backward: [N, T, G H], gradient of the input projections */
    void *projected;        /* backward: gradient of h W^T (+ b); an array of its own for the GRU, else `dgate` */
    /* working values */
    void *packed_w, *packed_rows;
    index_t step;           /* the one at work */
    index_t blocks;         /* rows are cut into so many tasks */
} rnn_t;

DECLARE_VERSIONS(f32, int, rnn_run, rnn_t *r);
DECLARE_VERSIONS(f64, int, rnn_run, rnn_t *r);
DECLARE_VERSIONS(f32, int, rnn_backward_run, rnn_t *r);
DECLARE_VERSIONS(f64, int, rnn_backward_run, rnn_t *r);
DECLARE_VERSIONS(f32, int, rnn_previous_run, rnn_t *r);
DECLARE_VERSIONS(f64, int, rnn_previous_run, rnn_t *r);

#endif

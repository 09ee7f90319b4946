/* Weights that are whole numbers times something, and what uses them. */
#ifndef DYGRAPH_ROUNDINGS_H
#define DYGRAPH_ROUNDINGS_H

#include "integer.h"
#include "run.h"

/* A constant variable that is steps times something: another something for each slice along an axis, or (-1) the same for all. */
typedef struct whole {
    struct whole *next;
    const op_t *maker;
    int var, steps, axis; /* steps: the constant of type int8, or -1: there is none (yet) */
} whole_t;

#define ROUNDING "@on_grid" /* the operator that rounds to a grid and back; its grid is op->in_grid */

const whole_t *whole_of(const program_t *program, int var); /* NULL: it isn't such */
int share_whole(program_t *program, int from, int to);      /* `to` is `from` times a number for each slice along the first axis */
int note_constant(program_t *program, const op_t *op);      /* what an operator made for ever: are its results such? */
int find_roundings(program_t *program);
int rounds_weights(const op_t *op); /* to steps of their largest magnitude and back, of all or of each slice */

/* The axis of a product's right matrix along which its results lie; -1: it is more than rows of X times a matrix. */
int results_along(const op_t *op);

/* What passes put into slots of operators of whole numbers, besides SLOT_READY. */
#define SLOT_STEPS "@Steps"     /* weights, int8: [o, c / g, kh, kw] or [columns, inner] */
#define SLOT_FACTORS "@Factors" /* what one is worth in the sums of a channel or column */

int add_whole_conv(program_t *program, op_t *op, const tensor_t *w, int plain); /* slots of a convolution whose in_grid is set */
int use_whole_products(program_t *program, int block);
int hand_on_bytes(program_t *program, int block);

int convolve_whole(run_t *run, const op_t *op, const conv_t *q, const tensor_t *x, tensor_t *y); /* in blocks, of sizes that were checked */
int blocked_activation(const op_t *op); /* what kernels of blocks do behind their sums; BLOCKED_ACTIVATIONS: it is done afterwards */

#endif

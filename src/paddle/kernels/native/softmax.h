/* What softmax.c hands to the loops of softmax.inc. */
#ifndef PADDLE_NATIVE_SOFTMAX_H
#define PADDLE_NATIVE_SOFTMAX_H

#include "common.h"

typedef struct {
    index_t rows, columns;
    index_t inner;       /* cross entropy only: from class to class, 1 where they lie along the last axis */
    const void *x;       /* logits, or the result for a backward */
    const void *dy;      /* backward only; of cross entropy: labels that are distributions */
    void *y;             /* result */
    int logarithm;       /* log_softmax */
    const void *labels;  /* cross entropy only: one per row */
    int wide_labels;     /* they are int64, not int32 */
    int64_t ignore_index;
    void *loss;          /* cross entropy forward: one per row */
    const void *dloss;   /* cross entropy backward: one per row, or NULL */
    double dloss_all;    /* for all rows if dloss is NULL */
} softmax_t;

DECLARE_VERSIONS(f32, int, softmax_forward, softmax_t *s);
DECLARE_VERSIONS(f32, int, softmax_backward, softmax_t *s);
DECLARE_VERSIONS(f32, int, entropy_forward, softmax_t *s);
DECLARE_VERSIONS(f32, int, entropy_backward, softmax_t *s);
DECLARE_VERSIONS(f32, int, soft_backward, softmax_t *s);
DECLARE_VERSIONS(f64, int, softmax_forward, softmax_t *s);
DECLARE_VERSIONS(f64, int, softmax_backward, softmax_t *s);
DECLARE_VERSIONS(f64, int, entropy_forward, softmax_t *s);
DECLARE_VERSIONS(f64, int, entropy_backward, softmax_t *s);
DECLARE_VERSIONS(f64, int, soft_backward, softmax_t *s);

#endif

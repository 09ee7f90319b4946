/* What bindings hand to the loops of batchnorm.inc and layernorm.inc. */
#ifndef PADDLE_NATIVE_NORM_H
#define PADDLE_NATIVE_NORM_H

#include "common.h"

/* Batch and group norm: x is [batch, channels, inner]. Layer norm: x is [batch, inner], channels is 1. */
typedef struct {
    index_t batch, channels, inner, groups;
    double eps;
    int relu;            /* of y: 0 nothing, 1 max(0, y), RELU6; backward: which it was, if there is a kept_y */
    const void *x, *gamma, *beta, *dy;
    const void *kept_y;  /* backward: the gradient counts only where this is above 0, and below 6 for RELU6; or NULL */
    void *y;             /* forward: y; backward: dx */
    void *mean, *var;    /* forward: results; backward and eval: inputs */
    void *dgamma, *dbeta;
    double *partial;     /* sums of strips or channels, two numbers each */
    index_t strips;      /* cut of the batch axis, fixed by the sizes */
    int phase;           /* of work on columns */
} norm_t;

#define NORM_GRAIN 16384 /* elements that are worth a task */

/* All return a status; no size is 0. */
#define DECLARE_NORM(type)                             \
    DECLARE_VERSIONS(type, int, batch_forward, norm_t *p);  \
    DECLARE_VERSIONS(type, int, batch_backward, norm_t *p); \
    DECLARE_VERSIONS(type, int, batch_eval, norm_t *p);     \
    DECLARE_VERSIONS(type, int, layer_forward, norm_t *p);  \
    DECLARE_VERSIONS(type, int, layer_backward, norm_t *p); \
    DECLARE_VERSIONS(type, int, group_forward, norm_t *p);  \
    DECLARE_VERSIONS(type, int, group_backward, norm_t *p)
DECLARE_NORM(f32);
DECLARE_NORM(f64);

#endif

/* What distance.c hands to the loops of distance.inc. */
#ifndef PADDLE_NATIVE_DISTANCE_H
#define PADDLE_NATIVE_DISTANCE_H

#include "common.h"

/* Distances of the rows of x [batch, p, m] from those of y [batch, r, m]: [batch, p, r]. */
typedef struct {
    index_t batch, p, r, m;
    const void *x, *y;
    void *out;
    void *turned;  /* forward: y with V rows side by side: [batch, ceil(r / V), m, V] */
    int absolute;  /* sums of absolute differences, not roots of sums of squares */
    const void *g, *distances;
    void *share;   /* gradient: what each pair's difference counts, [batch, p, r] */
    void *dx, *dy;
} distance_t;

#endif

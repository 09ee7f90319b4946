/* What reduce.c hands to the loops of reduce.inc. */
#ifndef PADDLE_NATIVE_REDUCE_H
#define PADDLE_NATIVE_REDUCE_H

#include "common.h"

enum reduce_rule { REDUCE_SUM, REDUCE_MEAN, REDUCE_MAX, REDUCE_MIN, REDUCE_SUM_SQUARES };

/* x is [outer, kept, inner]; outer and inner are reduced, one result for each kept. */
typedef struct {
    enum reduce_rule rule;
    index_t outer, kept, inner;
    const void *x;
    void *y;
    double *partial;   /* of the strips below: strips x kept */
    index_t strips;    /* outer is cut into so many; fixed by the sizes, so that the result doesn't depend on threads */
} reduce_t;

#define REDUCE_GRAIN 32768   /* elements that make one task */

DECLARE_VERSIONS(f32, int, reduce_run, reduce_t *r);
DECLARE_VERSIONS(f64, int, reduce_run, reduce_t *r);

#endif

/* What recur.c hands to the loops of recur.inc: each result along an axis is made from the one before it. */
#ifndef PADDLE_NATIVE_RECUR_H
#define PADDLE_NATIVE_RECUR_H

#include "common.h"

/* Arrays [outer, n, inner], along the axis of n. */
typedef struct {
    index_t outer, n, inner;
    const void *a, *b;
    void *y;
    int reverse, largest;
    void *places; /* int32 or int64 */
    int wide_places;
} recur_t;

void recur_run_f32_plain(recur_t *t); /* running products, or with b a linear recurrence; of floats */
void recur_run_f64_plain(recur_t *t); /* of doubles */

#endif

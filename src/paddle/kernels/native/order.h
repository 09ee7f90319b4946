/* What order.c hands to the loops of order.inc. */
#ifndef PADDLE_NATIVE_ORDER_H
#define PADDLE_NATIVE_ORDER_H

#include "common.h"

/* The k first elements of each of `rows` rows of n elements, once these are in order. */
typedef struct {
    index_t rows, n, k;
    const void *x;      /* [rows, n], as bits */
    void *values;       /* [rows, k] */
    int64_t *positions; /* [rows, k]: where they stood */
    int descending;     /* largest first; equal elements stay in their order both ways, and NaN counts as largest */
    int integers;       /* x holds integers of that width, not floats */
} order_t;

int order_run_f32_plain(order_t *o); /* of elements of 4 bytes */
int order_run_f64_plain(order_t *o); /* of 8 */

#endif

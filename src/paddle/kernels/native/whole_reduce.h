/* Sums, products and extremes of whole numbers along axes. */
#ifndef PADDLE_NATIVE_WHOLE_REDUCE_H
#define PADDLE_NATIVE_WHOLE_REDUCE_H

#include "common.h"

enum whole_rule { WHOLE_SUM, WHOLE_PRODUCT, WHOLE_MAX, WHOLE_MIN };

/* x is [outer, kept, inner]; outer and inner are reduced, one result for each kept. Sums and products wrap round. */
typedef struct {
    enum whole_rule rule;
    int item;     /* bytes of an element: 8, 4, or 1 without a sign, or of truth values */
    int wide;     /* sums are int64; else y is of x's type */
    index_t outer, kept, inner;
    const void *x;
    void *y;
    uint8_t last; /* an extreme of bytes beyond which none lies: nothing is read behind it */
} whole_reduce_t;

DECLARE_VERSIONS(f32, void, whole_reduce, const whole_reduce_t *t);

#endif

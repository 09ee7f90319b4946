/* What scatter.c hands to its loops: elements and slices that go to places given by ids. */
#ifndef PADDLE_NATIVE_SCATTER_H
#define PADDLE_NATIVE_SCATTER_H

#include "common.h"

enum { PUT_ASSIGN, PUT_ADD, PUT_MULTIPLY, PUT_MAX, PUT_MIN, PUT_WAYS };

/* y [outer, size, inner] (a copy of x) takes values [outer, count, inner] with the id in place of the middle coordinate. */
typedef struct {
    index_t outer, size, inner, count;
    const void *x, *values;
    void *y;
    const void *ids;
    int wide_ids, way;
    volatile int bad; /* set where an id is outside; tasks only ever set it */
} put_t;

#endif

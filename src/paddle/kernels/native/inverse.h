/* Inverses of many small matrices. */
#ifndef PADDLE_NATIVE_INVERSE_H
#define PADDLE_NATIVE_INVERSE_H

#include "common.h"

typedef struct {
    index_t n;   /* rows and columns of each */
    int doubles; /* of doubles, not floats */
    const void *x;
    void *y;
    volatile int singular; /* set if one of them has no inverse; tasks only ever set it */
} inverse_t;

/* NATIVE_OK or NATIVE_NO_MEMORY. */
DECLARE_VERSIONS(f32, int, inverse_run, inverse_t *t, index_t count);

#endif

/* What convert.c hands to the loops of convert.inc. */
#ifndef PADDLE_NATIVE_CONVERT_H
#define PADDLE_NATIVE_CONVERT_H

#include "common.h"

typedef struct {
    index_t count;
    const void *from;
    void *to;
    int brain, narrow; /* bfloat16, not float16; from float32, not to it */
} convert_t;

DECLARE_VERSIONS(f32, int, convert_run, convert_t *c);

#endif

/* What dropout.c hands to the loops of dropout.inc. */
#ifndef PADDLE_NATIVE_DROPOUT_H
#define PADDLE_NATIVE_DROPOUT_H

#include "philox.h"

typedef struct {
    index_t size;
    uint64_t key, first_block;
    enum random_stream stream;
    uint64_t drop_below;  /* mask: a word below it means dropped; 2^32 drops all */
    const void *x;        /* dropout: input */
    uint8_t *mask;        /* dropout: result 1; backward: input */
    void *y;              /* dropout, uniform, normal: result */
    double scale, shift;  /* dropout: factor of what is kept; uniform: low + scale * u; normal: mean + scale * z */
    double below;         /* uniform: every value stays below this */
} random_t;

#endif

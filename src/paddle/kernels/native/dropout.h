/* What dropout.c hands to the loops of dropout.inc. */
#ifndef PADDLE_NATIVE_DROPOUT_H
#define PADDLE_NATIVE_DROPOUT_H

#include "common.h"

/* Every use has a stream of its own under a key, so that no two of them see the same random words. */
enum random_stream { STREAM_MASK, STREAM_UNIFORM_F32, STREAM_NORMAL_F32, STREAM_UNIFORM_F64, STREAM_NORMAL_F64 };

#define RANDOM_WORDS 64 /* 32-bit words of a block: the four words of 16 neighbouring counters */

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

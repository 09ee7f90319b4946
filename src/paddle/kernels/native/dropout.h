/* What dropout.c hands to the loops of dropout.inc. */
#ifndef PADDLE_NATIVE_DROPOUT_H
#define PADDLE_NATIVE_DROPOUT_H

#include "twister.h"

typedef struct {
    index_t size;
    uint64_t *state;      /* of the twister */
    uint64_t drop_below;  /* a word below it means dropped */
    int drop_all;         /* nothing is drawn then */
    const void *x;        /* dropout: input; backward: gradient */
    uint8_t *mask;        /* dropout: result; backward: input */
    void *y;              /* result, or NULL for the mask alone */
    double divisor;       /* of what is kept */
} dropout_t;

#endif

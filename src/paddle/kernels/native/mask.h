/* What mask.c hands to its loops: elements where a mask is true. */
#ifndef PADDLE_NATIVE_MASK_H
#define PADDLE_NATIVE_MASK_H

#include "common.h"

enum { MASK_PIECE = 16384, MASK_AXES = 32 }; /* bools whose true ones are counted together */

typedef struct {
    index_t size, unit;   /* of the mask; bytes of one element, or of one slice */
    const uint8_t *mask;  /* a copy of nobody's: read again and again, so counts are kept to */
    const char *x;
    char *y;
    index_t *before;      /* true ones before each piece; one more at the end */
    int ndim;             /* coordinates: of the mask */
    const index_t *shape;
} mask_t;

index_t mask_count(mask_t *t); /* fills `before`, scratch memory, and returns how many are true; -1: no memory */
void mask_select(mask_t *t);   /* y: the elements of x where the mask is true */
void mask_place(mask_t *t);    /* the other way, zeros elsewhere */
void mask_locate(mask_t *t);   /* y: int64 coordinates of the true ones */

#endif
